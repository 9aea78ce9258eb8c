// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-run: says what a model file is, runs it on a device, and says how right and how fast it
/// is.

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/invalid.h"
#include "nnburst/graph_dump.h"
#include "nnburst_run/accuracy_run.h"
#include "nnburst_run/elements.h"
#include "nnburst_run/input_steps.h"
#include "nnburst_run/model_summary.h"
#include "nnburst_run/options.h"
#include "nnburst_run/output_report.h"
#include "nnburst_run/profile_table.h"
#include "nnburst_run/report_files.h"
#include "nnburst_run/runner.h"
#include "nnburst_run/step_run.h"
#include "support/device_source.h"
#include "support/latency.h"
#include "support/model_source.h"
#include "support/program.h"
#include "support/run_context.h"
#include "system/read_file.h"

namespace nnburst::run {

namespace {

using Bytes = std::vector<std::byte>;

/// Fewer cannot show a 99th percentile.
constexpr std::size_t kExecutionsForP99 = 100;

/// Limit on the size of golden files.
constexpr std::size_t kMaximumFileBytes = std::size_t{4} << 30U;
/// Executions of each step for a profile, unless --repeat says another number.
constexpr std::uint64_t kProfiledRuns = 20;

/// Checks that there are as many files as operands, or none.
Result<> checkCount(const char* option, std::size_t files, std::size_t operands) {
    if (files != 0 && files != operands) {
        return invalid("{} with {} files: the model needs {}", option, files, operands);
    }
    return {};
}

Result<std::vector<Bytes>> readFiles(const std::vector<std::string>& paths) {
    std::vector<Bytes> files;
    for (const std::string& path : paths) {
        NNBURST_TRY_ASSIGN(Bytes contents, system::readFile(path, kMaximumFileBytes));
        files.push_back(std::move(contents));
    }
    return files;
}

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A device, with its profile if it has one.
struct OpenedDevice {
    std::optional<ProfileReader> profile;
    std::string noProfile;  ///< why it has none, if one was wanted
    SharedDevice device;
};

/// A summary does without a profile where there is none.
Result<OpenedDevice> open(const Options& options) {
    OpenedDevice opened;
    if (options.needsProfile() || options.isSummary()) {
        Result<ProfileReader> profile = ProfileReader::create();
        if (profile) {
            opened.profile.emplace(std::move(*profile));
        } else if (options.needsProfile()) {
            return tl::unexpected<Error>(profile.error());
        } else {
            opened.noProfile = profile.error().message;
        }
    }
    NNBURST_TRY_ASSIGN(
        opened.device,
        tools::openDevice(options.device, driverOptions(options.kernels, options.threads)));
    if (opened.profile) {
        const Result<> attached = opened.profile->attach();
        if (!attached && options.needsProfile()) {
            return tl::unexpected<Error>(attached.error());
        }
        if (!attached) {
            opened.noProfile = attached.error().message;
            opened.profile.reset();
        }
    }
    return opened;
}

/// Says what runs the operations of the model, after one more execution.
Result<> printKernels(Runner& runner, ProfileReader& profile) {
    profile.setRecording(true);
    NNBURST_TRY(runner.execute());
    profile.setRecording(false);
    NNBURST_TRY_ASSIGN(const RecordedProfile recorded, profile.read());
    fmt::print("runs on:");
    const char* separator = " ";
    for (const auto& [library, part] : partsByLibrary(tableOf(recorded))) {
        fmt::print("{}{} ({} operations, {:.0f} % of the time)", separator, library, part.steps,
                   part.share * 100);
        separator = ", ";
    }
    fmt::print("\n");
    return {};
}

Result<> printSummary(const Options& options, const TfliteModel& model,
                      std::chrono::nanoseconds preparation, const StepResults& results,
                      Runner& runner, OpenedDevice& opened) {
    fmt::print("{}", summaryOf(model));
    if (opened.profile) {
        NNBURST_TRY(printKernels(runner, *opened.profile));
    } else {
        fmt::print("runs on: not known: {}\n", opened.noProfile);
    }
    fmt::print("opened and prepared in {:.1f} ms; memory of this process {:.1f} MB\n",
               tools::microseconds(preparation) * 1e-3,
               static_cast<double>(tools::memoryBytesOf(0)) * 1e-6);
    fmt::print("one execution on {}: {:.1f} us\n", options.device,
               tools::microseconds(results.latencies.front()));
    return {};
}

Result<> reportProfile(const Options& options, const ProfileReader& reader,
                       const StepResults& results, ReportFiles& files, tools::Json& members) {
    NNBURST_TRY_ASSIGN(const RecordedProfile profile, reader.read());
    const ProfileTable table = tableOf(profile);
    if (options.isProfiled) {
        fmt::print("{}", textOf(table));
    }
    members["profile"] = jsonOf(table);
    if (!options.trace.empty()) {
        NNBURST_TRY(files.trace.write(
            traceOf(profile, results.calls, static_cast<std::uint32_t>(::getpid()))));
    }
    return {};
}

/// Prints and writes the outputs. True if all are in tolerance.
Result<bool> reportOutputs(const Options& options, const TfliteModel& model,
                           const InputSteps& inputs, const std::vector<Bytes>& golden,
                           const StepResults& results, ReportFiles& files) {
    bool isTolerable = true;
    for (std::size_t i = 0; i < results.outputs.size(); ++i) {
        fmt::print("output {} \"{}\"\n", i, model.outputNames[i]);
        const Bytes& contents = results.outputs[i];
        const OutputContents output{
            .operand = model.model.main.operands[model.model.main.outputIndexes[i]],
            .contents = contents,
            .golden = golden.empty() ? nullptr : &golden[i],
            .stepBytes = contents.size() / inputs.count()};
        const auto isOutputTolerable = reportOutput(output, options, inputs.images(), files.labels);
        if (!isOutputTolerable) {
            return failure(isOutputTolerable.error().status,
                           golden.empty() ? isOutputTolerable.error().message
                                          : fmt::format("{}: {}", options.expected[i],
                                                        isOutputTolerable.error().message));
        }
        isTolerable = isTolerable && *isOutputTolerable;
        if (!files.outputs.empty()) {
            NNBURST_TRY(files.outputs[i].write(textOf(contents)));
        }
    }
    return isTolerable;
}

/// Prints the latencies and compares them with an earlier run. True if they are worse.
bool reportLatencies(const Options& options, StepResults& results, const tools::BenchmarkRow& row,
                     const std::optional<EarlierRun>& earlier) {
    if (options.repeat > 1 || options.needsProfile()) {
        const std::size_t executions = results.latencies.size();
        const tools::Latency latency = tools::summarise(results.latencies);
        const std::string p99 = executions < kExecutionsForP99
                                    ? std::string()
                                    : fmt::format("p99 {:.1f}, ", latency.p99);
        fmt::print("{} executions, in microseconds: p50 {:.1f}, {}max {:.1f}\n", executions,
                   latency.p50, p99, latency.max);
    }
    if (!earlier) {
        return false;
    }
    const auto comparison = tools::compareRows(earlier->rows, std::span(&row, 1));
    fmt::print("{}", tools::textOf(comparison));
    return !comparison.hasPassed();
}

Result<ExitStatus> run(const Options& options) {
    if (!options.dataset.empty()) {
        return runAccuracy(options);
    }
    NNBURST_TRY_ASSIGN(
        const TfliteModel model,
        tools::loadModel(options.model, {.signature = options.signature,
                                         .inputDimensions = options.shapes,
                                         .integersFitInt32 = options.integersFitInt32}));
    NNBURST_TRY(checkCount("--output", options.outputs.size(), model.outputNames.size()));
    NNBURST_TRY(checkCount("--expect", options.expected.size(), model.outputNames.size()));
    NNBURST_TRY_ASSIGN(ReportFiles files, ReportFiles::open(options));
    if (!options.dump.empty()) {
        NNBURST_TRY(files.dump.write(graphDump(model.model)));
    }
    NNBURST_TRY_ASSIGN(const std::vector<Bytes> golden, readFiles(options.expected));

    const auto start = std::chrono::steady_clock::now();
    NNBURST_TRY_ASSIGN(OpenedDevice opened, open(options));
    NNBURST_TRY_ASSIGN(Runner runner, Runner::create(model, *opened.device, options.via));
    const auto preparation = std::chrono::steady_clock::now() - start;
    NNBURST_TRY_ASSIGN(const InputSteps inputs,
                       InputSteps::create(options.inputs, options.images, model, runner));
    if (!inputs.images().empty()) {
        printAssumedNormalization(model, options.images);
    }
    const std::uint64_t repeat =
        options.needsProfile() && options.repeat == 1 ? kProfiledRuns : options.repeat;
    ProfileReader* profile = options.needsProfile() ? &*opened.profile : nullptr;
    NNBURST_TRY_ASSIGN(StepResults results,
                       runSteps(runner, model.outputNames.size(), inputs, repeat, profile));

    if (options.isSummary()) {
        NNBURST_TRY(printSummary(options, model, preparation, results, runner, opened));
    }
    NNBURST_TRY_ASSIGN(const bool isTolerable,
                       reportOutputs(options, model, inputs, golden, results, files));
    const tools::BenchmarkRow row = latencyRow(modelName(options.model), results.latencies);
    tools::Json members = tools::Json::object();
    if (profile != nullptr) {
        NNBURST_TRY(reportProfile(options, *profile, results, files, members));
    }
    const bool isWorse = reportLatencies(options, results, row, files.earlier);
    if (!options.json.empty()) {
        NNBURST_TRY(files.json.write(jsonText(options, std::span(&row, 1), members)));
    }
    return !isTolerable ? ExitStatus::OUT_OF_TOLERANCE
           : isWorse    ? ExitStatus::WORSE
                        : ExitStatus::SUCCESS;
}

}  // namespace
}  // namespace nnburst::run

int main(int argc, char** argv) {
    return nnburst::tools::parseAndRun("nnburst-run", argc, argv, &nnburst::run::parseOptions,
                                       &nnburst::run::run);
}
