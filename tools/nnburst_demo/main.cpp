// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-demo: streams frames through a model in this process, through a burst to a driver
/// process, and by RPC to the same driver, and shows what each costs.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nnburst/builtin_models.h"
#include "nnburst/device.h"
#include "nnburst/tflite.h"
#include "nnburst/version.h"
#include "nnburst_demo/report.h"
#include "nnburst_demo/streamer.h"
#include "support/output_file.h"
#include "support/standard_output.h"
#include "support/system_calls.h"
#include "support/thread_option.h"

namespace nnburst::demo {
namespace {

/// Frames of a segment: a path sends as many before the next path, so that noise hits all alike.
constexpr std::uint64_t kFramesPerSegment = 50;
/// Frames at the beginning of each segment that are not measured, as sleepers wake up.
constexpr std::uint64_t kWarmUpFrames = 3;
/// Limit on the frames of each path while system calls are counted.
constexpr std::uint64_t kCountedFrames = 200;

struct Options {
    std::string modelFile;
    std::string jsonFile;
    std::uint64_t frames = 1000;
    float width = 0.25F;
    std::uint32_t resolution = 128;
    bool quant8 = false;
    DriverOptions driver;
};

Result<StreamedModel> loadModel(const Options& options) {
    if (!options.modelFile.empty()) {
        NNBURST_TRY_ASSIGN(TfliteModel file, loadTflite(options.modelFile));
        return StreamedModel{options.modelFile, std::move(file.model), std::move(file.states)};
    }
    NNBURST_TRY_ASSIGN(Model model,
                       makeMobileNetV1({.width = options.width,
                                        .resolution = options.resolution,
                                        .precision = options.quant8 ? BuiltinPrecision::QUANT8
                                                                    : BuiltinPrecision::FLOAT32}));
    return StreamedModel{fmt::format("MobileNet v1 {:.2f}/{} {}", options.width, options.resolution,
                                     options.quant8 ? "quant8" : "float32"),
                         std::move(model),
                         {}};
}

/// Sends `count` frames from `first` on. Appends to `latencies`, and to `checksums`, except for the
/// first `unmeasured` frames.
Result<> stream(Streamer& streamer, Path path, std::uint64_t first, std::uint64_t count,
                std::uint64_t unmeasured, std::vector<std::chrono::nanoseconds>& latencies,
                std::vector<std::uint64_t>& checksums) {
    for (std::uint64_t i = 0; i < count; ++i) {
        streamer.writeFrame(path, first + i);
        NNBURST_TRY_ASSIGN(const std::chrono::nanoseconds latency, streamer.execute(path));
        const std::uint64_t checksum = streamer.finishFrame(path);
        if (i >= unmeasured) {
            latencies.push_back(latency);
            checksums.push_back(checksum);
        }
    }
    return {};
}

/// Marks the beginning and the end of a stream on each path, so that its calls are an odd section.
Result<> streamMarked(const StreamedModel& model, const Options& options, std::uint64_t frames) {
    tools::discardStandardError();
    NNBURST_TRY_ASSIGN(Streamer streamer, Streamer::create(model, options.driver));
    std::vector<std::chrono::nanoseconds> latencies;
    std::vector<std::uint64_t> checksums;
    latencies.reserve(kPaths.size() * (kFramesPerSegment + frames));
    checksums.reserve(latencies.capacity());
    for (const Path path : kPaths) {
        NNBURST_TRY(stream(streamer, path, 0, kFramesPerSegment, 0, latencies, checksums));
        tools::markSystemCalls();
        NNBURST_TRY(stream(streamer, path, 0, frames, 0, latencies, checksums));
        tools::markSystemCalls();
    }
    return {};
}

Result<std::array<SystemCallRate, kPaths.size()>> measureSystemCalls(const StreamedModel& model,
                                                                     const Options& options) {
    const std::uint64_t frames = std::min(options.frames, kCountedFrames);
    NNBURST_TRY_ASSIGN(
        const std::vector<tools::TracedCounts> sections,
        tools::countSystemCalls([&] { return streamMarked(model, options, frames); }));
    std::array<SystemCallRate, kPaths.size()> rates;
    for (std::size_t path = 0; path < kPaths.size(); ++path) {
        const tools::TracedCounts& calls = sections.at(2 * path + 1);
        rates[path].client = static_cast<double>(calls.own) / static_cast<double>(frames);
        if (kPaths[path] != Path::IN_PROCESS) {
            rates[path].driver =
                static_cast<double>(calls.descendants) / static_cast<double>(frames);
        }
    }
    return rates;
}

/// Sends segments on the paths in turns, each time beginning with another path.
Result<> measureLatency(const StreamedModel& model, const Options& options, Report& report) {
    NNBURST_TRY_ASSIGN(Streamer streamer, Streamer::create(model, options.driver));
    report.frameBytes = streamer.frameBytes();
    std::array<std::vector<std::chrono::nanoseconds>, kPaths.size()> latencies;
    std::array<std::vector<std::uint64_t>, kPaths.size()> checksums;
    for (std::size_t path = 0; path < kPaths.size(); ++path) {
        latencies[path].reserve(options.frames);
        checksums[path].reserve(options.frames);
    }
    std::uint64_t sent = 0;
    for (std::uint64_t segment = 0; sent < options.frames; ++segment) {
        const std::uint64_t measured = std::min(kFramesPerSegment, options.frames - sent);
        for (std::size_t i = 0; i < kPaths.size(); ++i) {
            const std::size_t path = (segment + i) % kPaths.size();
            NNBURST_TRY(
                stream(streamer, kPaths[path], segment * (kFramesPerSegment + kWarmUpFrames),
                       measured + kWarmUpFrames, kWarmUpFrames, latencies[path], checksums[path]));
        }
        sent += measured;
    }
    for (std::size_t path = 0; path < kPaths.size(); ++path) {
        report.latency[path] = tools::summarise(latencies[path]);
    }
    for (std::uint64_t frame = 0; frame < options.frames; ++frame) {
        const std::uint64_t expected = checksums[0][frame];
        const bool isSame = checksums[1][frame] == expected && checksums[2][frame] == expected;
        report.differingFrames += isSame ? 0U : 1U;
        report.checksum = report.checksum * 31 + expected;
    }
    return {};
}

Result<Report> run(const Options& options) {
    NNBURST_TRY_ASSIGN(const StreamedModel model, loadModel(options));
    NNBURST_TRY_ASSIGN(tools::OutputFile json, tools::OutputFile::open(options.jsonFile));
    Report report;
    report.model = model.name;
    report.frames = options.frames;
    report.threads = options.driver.threads;
    report.systemCalls = measureSystemCalls(model, options);  // before this process has threads
    NNBURST_TRY(measureLatency(model, options, report));
    NNBURST_TRY(json.write(jsonOf(report)));
    return report;
}

int parseAndRun(int argc, char** argv) {
    Options options;
    CLI::App app(
        "Streams frames through a model in process, through a burst to a driver process and by RPC "
        "to the same driver, and shows what each costs.");
    app.set_version_flag("--version", "nnburst-demo " NNBURST_VERSION);
    CLI::Option* model = app.add_option("MODEL", options.modelFile,
                                        "A .tflite file; without it, the built-in MobileNet v1")
                             ->type_name("");
    app.add_option("--frames", options.frames, "Frames to stream on each path")
        ->check(CLI::Range(1U, 100'000'000U).description(""))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--width", options.width, "Width multiplier of the built-in MobileNet")
        ->type_name("X")
        ->capture_default_str()
        ->excludes(model);
    app.add_option("--resolution", options.resolution, "Input resolution of the built-in MobileNet")
        ->type_name("PIXELS")
        ->capture_default_str()
        ->excludes(model);
    app.add_flag("--quant8", options.quant8,
                 "8-bit weights and activations in the built-in MobileNet")
        ->excludes(model);
    tools::addThreadOption(app, "--threads", options.driver.threads);
    app.add_option("--json", options.jsonFile, "Also write the figures to FILE")->type_name("FILE");
    app.footer(
        "\nExit status: 0 if the outputs are the same on all paths; 1 if they differ or the model "
        "could\nnot be run; 2 for wrong arguments.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }

    const auto report = run(options);
    if (!report) {
        fmt::print(stderr, "nnburst-demo: {}: {}\n", nnburst::toString(report.error().status),
                   report.error().message);
        return 1;
    }
    print(*report);
    return report->differingFrames == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nnburst::demo

int main(int argc, char** argv) {
    return nnburst::tools::runWithOutput("nnburst-demo",
                                         [&] { return nnburst::demo::parseAndRun(argc, argv); });
}
