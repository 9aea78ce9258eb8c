// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-stream: sends a stream of frames through a model on a device, and measures.

#include <fmt/core.h>
#include <sched.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/invalid.h"
#include "nnburst_stream/call_count.h"
#include "nnburst_stream/frame_bank.h"
#include "nnburst_stream/options.h"
#include "nnburst_stream/path_comparison.h"
#include "nnburst_stream/progress.h"
#include "nnburst_stream/report.h"
#include "report/benchmark_json.h"
#include "support/machine.h"
#include "support/model_source.h"
#include "support/output_file.h"
#include "support/program.h"
#include "support/run_context.h"
#include "system/read_file.h"

namespace nnburst::stream {

namespace {

/// Set by SIGINT (Ctrl-C), SIGTERM and SIGHUP.
std::atomic<bool> stopped = false;
static_assert(std::atomic<bool>::is_always_lock_free);

/// The first of these signals ends the stream, the same once more the program. SIGHUP stays ignored
/// if it is, as nohup(1) has it.
void stopAtSignals() {
    struct sigaction action {};
    action.sa_handler = [](int) { stopped = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        (void)::sigaction(number, nullptr, &before);
        if (number != SIGHUP || before.sa_handler != SIG_IGN) {
            (void)::sigaction(number, &action, nullptr);
        }
    }
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
    NNBURST_TRY(tools::checkSeparate({&outputs.json, &outputs.html, &outputs.csv}));
    return outputs;
}

Result<> write(const Report& report, Outputs& outputs) {
    NNBURST_TRY(outputs.json.write(toJson(report)));
    NNBURST_TRY(outputs.html.write(toHtml(report)));
    return outputs.csv.write(toCsv(report));
}

/// What --compare names, read before --json may replace it.
Result<std::vector<tools::BenchmarkRow>> readEarlier(const Options& options) {
    if (options.compare.empty()) {
        return std::vector<tools::BenchmarkRow>();
    }
    constexpr std::size_t kMaximumFileBytes = std::size_t{1} << 30U;
    NNBURST_TRY_ASSIGN(const auto bytes, system::readFile(options.compare, kMaximumFileBytes));
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
    stopAtSignals();
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
    const auto calls = countCalls(options, model, frames, stopped);  // before there are threads
    if (!calls) {
        report.noCalls = calls.error().message;
    }

    NNBURST_TRY_ASSIGN(PathComparison comparison, PathComparison::create(options, model, frames));
    report.deviceVersion = comparison.deviceVersion();
    report.initTime = comparison.initTime();
    if (!comparison.driverClocks()) {
        report.noDriverProcessor = comparison.driverClocks().error().message;
    }
    NNBURST_TRY_ASSIGN(report.isSameOnAllPaths, comparison.compareOutputs());
    report.firstInference = comparison.firstInference();
    if (options.realtime != 0) {
        report.isRealtimeGranted = comparison.hasRealtimeDriver();
    }

    Progress progress(stderr);
    const Measurements measured = comparison.measure(
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
    for (const pid_t process : comparison.driverProcesses()) {
        report.driverMemory += tools::memoryBytesOf(process);
    }
    for (std::size_t i = 0; i < measured.paths.size(); ++i) {
        PathReport& path = report.paths.emplace_back(
            reportOf(measured.paths[i], comparison.driverClocks().has_value()));
        if (calls) {
            path.calls = (*calls)[i];
        }
        if (!stopped && report.failure.empty()) {
            const auto timing =
                comparison.measureTiming(path.path, path.latency.finiteMedian(), stopped);
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
    // Files first: standard output may be a pipe whose reader has gone.
    const Result<> written = write(report, outputs);
    print(report);
    const tools::BenchmarkComparison comparison =
        tools::compareRows(earlier, benchmarkRows(report));
    if (!options.compare.empty()) {
        fmt::print("\n{}", tools::textOf(comparison));
    }
    NNBURST_TRY(written);
    if (!report.failure.empty()) {
        tools::printError("nnburst-stream", report.failure);
        return ExitStatus::FAILURE;
    }
    if (!report.isSameOnAllPaths) {
        return ExitStatus::FAILURE;
    }
    if (report.isStopped) {
        return ExitStatus::STOPPED;
    }
    return options.compare.empty() || comparison.hasPassed() ? ExitStatus::SUCCESS
                                                             : ExitStatus::SLOWER;
}

}  // namespace
}  // namespace nnburst::stream

int main(int argc, char** argv) {
    return nnburst::tools::parseAndRun("nnburst-stream", argc, argv, &nnburst::stream::parseOptions,
                                       &nnburst::stream::run);
}
