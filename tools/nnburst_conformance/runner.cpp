// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_conformance/runner.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <ostream>
#include <sstream>
#include <thread>

#include "nnburst_conformance/example_test.h"
#include "nnburst_conformance/report.h"
#include "support/device_source.h"
#include "support/output_file.h"

namespace nnburst::conformance {

namespace {

/// A hash that is the same on every machine (FNV-1a).
std::uint32_t hashOf(const std::string& name) noexcept {
    std::uint32_t hash = 2166136261U;
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    return hash;
}

/// The state that the jobs share.
class Run {
  public:
    Run(const Options& options, std::ostream& out) : options_(options), report_(out) {
        if (!options.filter.empty()) {
            filter_.emplace(options.filter);
        }
    }

    Result<> findFiles() {
        try {
            for (const std::filesystem::path& path : options_.paths) {
                const auto found = vectorFiles(path);
                files_.insert(files_.end(), found.begin(), found.end());
            }
        } catch (const std::filesystem::filesystem_error& exception) {
            return failure(ErrorStatus::INVALID_ARGUMENT, exception.what());
        }
        return {};
    }

    Result<> runAll() {
        std::vector<std::thread> jobs;
        for (std::uint32_t job = 0; job < options_.jobs; ++job) {
            jobs.emplace_back([this] { runJob(); });
        }
        for (std::thread& job : jobs) {
            job.join();
        }
        return error_;
    }

    [[nodiscard]] const Report& report() const noexcept { return report_; }
    [[nodiscard]] std::size_t fileCount() const noexcept { return files_.size(); }

  private:
    void runJob() {
        auto device = tools::openDevice(options_.device);
        if (!device) {
            return stop(tl::unexpected<Error>(device.error()));
        }
        while (!isStopped_) {
            const std::size_t file = nextFile_++;
            if (file >= files_.size()) {
                return;
            }
            try {
                forEachExample(files_[file], std::nullopt, [&](const VectorExample& example) {
                    if (isSelected(example.name) && !isStopped_) {
                        runExample(*device, example);
                    }
                });
            } catch (const std::exception& exception) {
                stop(failure(ErrorStatus::INVALID_ARGUMENT, exception.what()));
            }
        }
    }

    [[nodiscard]] bool isSelected(const std::string& name) const {
        return hashOf(name) % options_.sample == 0 &&
               (!filter_ || std::regex_search(name, *filter_));
    }

    void runExample(SharedDevice& device, const VectorExample& example) {
        testExample(*device, example, options_,
                    [&](const TestResult& result) { report_.add(example, result); });
        if (device->getStatus() != DeviceStatus::OFFLINE) {
            return;
        }
        // The driver may have died with the example; the next example gets another one.
        auto next = tools::openDevice(options_.device);
        if (next) {
            device = std::move(*next);
        } else {
            stop(tl::unexpected<Error>(next.error()));
        }
    }

    void stop(Result<> error) {
        const std::scoped_lock lock(mutex_);
        if (error_) {
            error_ = std::move(error);
        }
        isStopped_ = true;
    }

    const Options& options_;
    Report report_;
    std::optional<std::regex> filter_;
    std::vector<std::filesystem::path> files_;
    std::atomic<std::size_t> nextFile_{0};
    std::atomic<bool> isStopped_{false};
    std::mutex mutex_;
    Result<> error_;
};

}  // namespace

Result<ExitStatus> run(const Options& options, std::ostream& out) {
    NNBURST_TRY_ASSIGN(tools::OutputFile file, tools::OutputFile::open(options.report));
    Run run(options, out);
    NNBURST_TRY(run.findFiles());
    NNBURST_TRY(run.runAll());
    const Counts total = run.report().total();
    std::ostringstream json;
    run.report().writeJson(json);
    NNBURST_TRY(file.write(json.str()));
    if (total.passed + total.failed + total.skipped == 0) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("no example in {} .jsonl files{}: must be at least one", run.fileCount(),
                        options.filter.empty() && options.sample == 1
                            ? ""
                            : " that --filter and --sample select"));
    }
    out << fmt::format("{} passed, {} failed, {} skipped\n", total.passed, total.failed,
                       total.skipped);
    return total.failed == 0 ? ExitStatus::SUCCESS : ExitStatus::FAILURE;
}

}  // namespace nnburst::conformance
