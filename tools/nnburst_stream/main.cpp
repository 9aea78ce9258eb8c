// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-stream: sends a stream of frames through a model on a device, and measures.

#include <fmt/core.h>
#include <sched.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/invalid.h"
#include "model/read_file.h"
#include "nnburst_stream/call_count.h"
#include "nnburst_stream/frame_bank.h"
#include "nnburst_stream/options.h"
#include "nnburst_stream/progress.h"
#include "nnburst_stream/report.h"
#include "nnburst_stream/session.h"
#include "report/benchmark_json.h"
#include "support/machine.h"
#include "support/model_source.h"
#include "support/output_file.h"
#include "support/run_context.h"
#include "support/standard_output.h"

namespace nnburst::stream {

namespace {

/// Set by Ctrl-C.
std::atomic<bool> stopped = false;
static_assert(std::atomic<bool>::is_always_lock_free);

/// The first interrupt ends the stream, the next one the program.
void stopAtInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { stopped = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    (void)::sigaction(SIGINT, &action, nullptr);
}

std::size_t usableProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                         : 0;
}

/// The files that the options name, opened before anything is measured.
struct Outputs {
    tools::OutputFile json;
    tools::OutputFile html;
    tools::OutputFile csv;
};

Result<Outputs> openOutputs(const Options& options) {
    Outputs outputs;
    NNBURST_TRY_ASSIGN(outputs.json, tools::OutputFile::open(options.json));
    NNBURST_TRY_ASSIGN(outputs.html, tools::OutputFile::open(options.html));
    NNBURST_TRY_ASSIGN(outputs.csv, tools::OutputFile::open(options.csv));
    return outputs;
}

/// What --compare names, read before --json may replace it.
Result<std::vector<tools::BenchmarkRow>> readEarlier(const Options& options) {
    if (options.compare.empty()) {
        return std::vector<tools::BenchmarkRow>();
    }
    constexpr std::size_t kMaximumFileBytes = std::size_t{1} << 30U;
    NNBURST_TRY_ASSIGN(const auto bytes, readFile(options.compare, kMaximumFileBytes));
    auto rows = tools::readBenchmarkRows(
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    if (!rows) {
        return invalid("cannot compare with {}: it is no JSON file of --json", options.compare);
    }
    return std::move(*rows);
}

tools::ContextEntries contextOf(const Options& options) {
    std::vector<const char*> arguments;
    for (const std::string& argument : options.commandLine) {
        arguments.push_back(argument.c_str());
    }
    return tools::runContext(static_cast<int>(arguments.size()), arguments.data());
}

Result<Report> measure(const Options& options) {
    Report report{.options = options};
    report.processor = tools::processorName();
    report.processors = usableProcessors();
    report.kernel = tools::kernelName();
    report.context = contextOf(options);
    NNBURST_TRY_ASSIGN(
        const TfliteModel model,
        tools::loadModel(options.model, {.inputDimensions = options.shapes,
                                         .integersFitInt32 = options.integersFitInt32}));
    NNBURST_TRY_ASSIGN(const FrameBank frames, FrameBank::create(model, options.inputs));
    report.frameBytes = frames.frameBytes();
    const auto calls = countCalls(options, model, frames);  // before this process has threads
    if (!calls) {
        report.noCalls = calls.error().message;
    }

    NNBURST_TRY_ASSIGN(Session session, Session::create(options, model, frames));
    report.deviceVersion = session.deviceVersion();
    report.initTime = session.initTime();
    if (!session.driverClock()) {
        report.noDriverProcessor = session.driverClock().error().message;
    }
    NNBURST_TRY_ASSIGN(report.isSameOnAllPaths, session.compareOutputs());
    report.firstInference = session.firstInference();

    stopAtInterrupt();
    Progress progress(stderr);
    const Measurements measured = session.measure(
        stopped, [&](const PathMeasurement& measurement, std::chrono::nanoseconds elapsed,
                     std::optional<std::chrono::nanoseconds> left) {
            progress.show(measurement, elapsed, left);
        });
    progress.clear();
    if (!measured.result) {
        report.failure = fmt::format("{}: {}", nnburst::toString(measured.result.error().status),
                                     measured.result.error().message);
    }
    report.clientMemory = tools::memoryBytesOf(0);
    report.driverMemory =
        session.driverProcess() == 0 ? 0 : tools::memoryBytesOf(session.driverProcess());
    for (std::size_t i = 0; i < measured.paths.size(); ++i) {
        PathReport& path = report.paths.emplace_back(
            reportOf(measured.paths[i], session.driverClock().has_value()));
        if (calls) {
            path.calls = (*calls)[i];
        }
        if (!stopped && report.failure.empty()) {
            const auto timing =
                session.measureTiming(path.path, path.latency.finiteMedian(), stopped);
            if (!timing) {
                report.failure = timing.error().message;
                continue;
            }
            path.timeInDriver.add(timing->timeInDriver());
            path.timeOnDevice.add(timing->timeOnDevice());
        }
    }
    report.isStopped = stopped;
    return report;
}

Result<ExitStatus> run(const Options& options) {
    NNBURST_TRY_ASSIGN(const std::vector<tools::BenchmarkRow> earlier, readEarlier(options));
    NNBURST_TRY_ASSIGN(Outputs outputs, openOutputs(options));
    NNBURST_TRY_ASSIGN(const Report report, measure(options));
    print(report);
    NNBURST_TRY(outputs.json.write(toJson(report)));
    NNBURST_TRY(outputs.html.write(toHtml(report)));
    NNBURST_TRY(outputs.csv.write(toCsv(report)));
    const tools::BenchmarkComparison comparison =
        tools::compareRows(earlier, benchmarkRows(report));
    if (!options.compare.empty()) {
        fmt::print("\n{}", tools::textOf(comparison));
    }
    if (!report.failure.empty()) {
        fmt::print(stderr, "nnburst-stream: {}\n", report.failure);
        return ExitStatus::FAILURE;
    }
    if (!report.isSameOnAllPaths) {
        return ExitStatus::FAILURE;
    }
    return options.compare.empty() || comparison.hasPassed() ? ExitStatus::SUCCESS
                                                             : ExitStatus::SLOWER;
}

int parseAndRun(int argc, char** argv) {
    const auto parsed = parseOptions(argc, argv, std::cout, std::cerr);
    if (const auto* status = std::get_if<ExitStatus>(&parsed)) {
        return static_cast<int>(*status);
    }
    const auto status = run(std::get<Options>(parsed));
    if (!status) {
        fmt::print(stderr, "nnburst-stream: {}: {}\n", nnburst::toString(status.error().status),
                   status.error().message);
        return static_cast<int>(ExitStatus::FAILURE);
    }
    return static_cast<int>(*status);
}

}  // namespace
}  // namespace nnburst::stream

int main(int argc, char** argv) {
    return nnburst::tools::runWithOutput("nnburst-stream",
                                         [&] { return nnburst::stream::parseAndRun(argc, argv); });
}
