// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-stream: sends a stream of frames through a model on a device, and measures.

#include <fmt/core.h>
#include <sched.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

#include "model/invalid.h"
#include "nnburst_stream/call_count.h"
#include "nnburst_stream/frame_bank.h"
#include "nnburst_stream/options.h"
#include "nnburst_stream/progress.h"
#include "nnburst_stream/report.h"
#include "nnburst_stream/session.h"
#include "support/machine.h"
#include "support/model_source.h"

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

Result<> writeFile(const std::string& path, const std::string& contents) {
    std::ofstream file(path);
    file << contents;
    file.close();
    return file ? Result<>() : Result<>(invalid("cannot write {}", path));
}

Result<Report> measure(const Options& options) {
    Report report{.options = options};
    report.processor = tools::processorName();
    report.processors = usableProcessors();
    report.kernel = tools::kernelName();
    NNBURST_TRY_ASSIGN(const TfliteModel model, tools::loadModel(options.model));
    NNBURST_TRY_ASSIGN(const FrameBank frames, FrameBank::create(model));
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
    NNBURST_TRY_ASSIGN(report.isSameOnAllWays, session.compareOutputs());
    report.firstInference = session.firstInference();

    stopAtInterrupt();
    Progress progress(stderr);
    const auto measurements = session.measure(
        stopped, [&](const WayMeasurement& measurement, std::chrono::nanoseconds elapsed) {
            progress.show(measurement, elapsed);
        });
    progress.clear();
    if (!measurements) {
        return tl::unexpected<Error>(measurements.error());
    }
    for (std::size_t i = 0; i < measurements->size(); ++i) {
        WayReport& way = report.ways.emplace_back(
            reportOf((*measurements)[i], session.driverClock().has_value()));
        if (calls) {
            way.calls = (*calls)[i];
        }
        if (!stopped) {
            NNBURST_TRY_ASSIGN(const Recorder timing,
                               session.measureTiming(way.way, way.latency.quantile(0.5), stopped));
            way.timeInDriver.add(timing.timeInDriver());
            way.timeOnDevice.add(timing.timeOnDevice());
        }
    }
    report.isStopped = stopped;
    return report;
}

Result<ExitStatus> run(const Options& options) {
    NNBURST_TRY_ASSIGN(const Report report, measure(options));
    print(report);
    if (!options.json.empty()) {
        NNBURST_TRY(writeFile(options.json, toJson(report)));
    }
    if (!options.html.empty()) {
        NNBURST_TRY(writeFile(options.html, toHtml(report)));
    }
    return report.isSameOnAllWays ? ExitStatus::SUCCESS : ExitStatus::FAILURE;
}

}  // namespace
}  // namespace nnburst::stream

int main(int argc, char** argv) {
    using namespace nnburst::stream;
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
