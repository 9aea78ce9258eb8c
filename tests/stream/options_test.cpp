// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/options.h"

#include <gtest/gtest.h>

#include <sstream>

namespace nnburst::stream {
namespace {

using namespace std::chrono_literals;

struct Parsed {
    std::variant<Options, ExitStatus> result;
    std::string out;
    std::string err;
};

Parsed parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "nnburst-stream");
    std::ostringstream out;
    std::ostringstream err;
    auto result = parseOptions(static_cast<int>(arguments.size()), arguments.data(), out, err);
    return {std::move(result), out.str(), err.str()};
}

Options optionsOf(const std::vector<const char*>& arguments) {
    const Parsed parsed = parse(arguments);
    EXPECT_TRUE(std::holds_alternative<Options>(parsed.result)) << parsed.err;
    const auto* options = std::get_if<Options>(&parsed.result);
    return options != nullptr ? *options : Options();
}

TEST(StreamOptions, takeAModelAloneWithTheirDefaults) {
    const Options options = optionsOf({"model.tflite"});
    EXPECT_EQ(options.model, "model.tflite");
    EXPECT_EQ(options.device, "spawn");
    EXPECT_FALSE(options.rate);
    EXPECT_FALSE(options.period());
    EXPECT_EQ(options.duration(), 5s);
    EXPECT_FALSE(options.frames);
    EXPECT_EQ(options.clients, 1U);
    EXPECT_EQ(options.inFlight, 1U);
    EXPECT_EQ(options.wait, WaitMode::ADAPTIVE);
    EXPECT_FALSE(options.isPlain);
    EXPECT_EQ(options.threads, 1U);
    EXPECT_EQ(options.warmUp, 20U);
    EXPECT_FALSE(options.deadline());
    EXPECT_EQ(options.paths(), std::vector<Path>{Path::BURST});
}

TEST(StreamOptions, takeShapesOfInputs) {
    EXPECT_EQ(optionsOf({"m", "--shape", "image=1x192x192x3"}).shapes,
              (InputDimensions{{"image", {1, 192, 192, 3}}}));
}

TEST(StreamOptions, takeEverything) {
    const Options options = optionsOf({"m",
                                       "--device",
                                       "/run/nn.sock",
                                       "--rate",
                                       "50",
                                       "--frames",
                                       "200",
                                       "--duration",
                                       "1.5",
                                       "--clients",
                                       "3",
                                       "--in-flight",
                                       "4",
                                       "--wait",
                                       "block",
                                       "--threads",
                                       "2",
                                       "--warm-up",
                                       "0",
                                       "--deadline",
                                       "2.5",
                                       "--baseline",
                                       "rpc,inprocess,plain",
                                       "--json",
                                       "f.json",
                                       "--html",
                                       "f.html"});
    EXPECT_EQ(options.device, "/run/nn.sock");
    EXPECT_EQ(options.period(), 20ms);
    EXPECT_EQ(options.frames, 200U);
    EXPECT_EQ(options.duration(), 1500ms);
    EXPECT_EQ(options.clients, 3U);
    EXPECT_EQ(options.inFlight, 4U);
    EXPECT_EQ(options.wait, WaitMode::BLOCK);
    EXPECT_EQ(options.threads, 2U);
    EXPECT_EQ(options.warmUp, 0U);
    EXPECT_EQ(options.deadline(), 2500us);
    EXPECT_EQ(options.paths(),
              (std::vector<Path>{Path::BURST, Path::PLAIN, Path::IN_PROCESS, Path::RPC}));
    EXPECT_EQ(options.json, "f.json");
    EXPECT_EQ(options.html, "f.html");
}

TEST(StreamOptions, takeTheNamesOfBenchmarkModelWithAndWithoutEqualSigns) {
    const std::vector<std::vector<const char*>> commandLines = {
        {"--graph=m.tflite", "--num_threads=4", "--num_runs=50", "--min_secs=2", "--warmup_runs=7",
         "--run_frequency=100"},
        {"--graph", "m.tflite", "--num_threads", "4", "--num_runs", "50", "--min_secs", "2",
         "--warmup_runs", "7", "--run_frequency", "100"},
    };
    for (const auto& arguments : commandLines) {
        const Options options = optionsOf(arguments);
        EXPECT_EQ(options.model, "m.tflite");
        EXPECT_EQ(options.threads, 4U);
        EXPECT_EQ(options.frames, 50U);
        EXPECT_EQ(options.duration(), 2s);
        EXPECT_EQ(options.warmUp, 7U);
        EXPECT_EQ(options.period(), 10ms);
    }
    EXPECT_FALSE(optionsOf({"m", "--run_frequency=-1"}).rate);
    EXPECT_FALSE(optionsOf({"m", "--run_frequency", "0"}).rate);
}

TEST(StreamOptions, leaveTheNumberOfThreadsToMeasurement) {
    EXPECT_EQ(optionsOf({"m", "--threads", "auto"}).threads, 0U);
    EXPECT_EQ(optionsOf({"m", "--num_threads=auto"}).threads, 0U);
}

TEST(StreamOptions, takeThreadsForADeviceInProcessBesideADriverThatRuns) {
    const Options options =
        optionsOf({"m", "--device", "/a", "--baseline", "inprocess", "--threads", "2"});
    EXPECT_EQ(options.threads, 2U);
    EXPECT_EQ(optionsOf({"m", "--device", "/a", "--threads", "1"}).threads, 1U);
}

TEST(StreamOptions, takeTheModelAfterAnyOption) {
    const Options options = optionsOf({"--baseline", "inprocess,rpc", "m"});
    EXPECT_EQ(options.model, "m");
    EXPECT_EQ(options.baselines, (std::vector<Path>{Path::IN_PROCESS, Path::RPC}));
    EXPECT_EQ(optionsOf({"--rate", "5", "m"}).model, "m");
}

TEST(StreamOptions, measureFramesAloneWithoutATime) {
    const Options options = optionsOf({"m", "--frames", "10"});
    EXPECT_EQ(options.frames, 10U);
    EXPECT_FALSE(options.duration());
}

TEST(StreamOptions, takeWaysOfWaiting) {
    for (const WaitModeName& wait : kWaitModes) {
        EXPECT_EQ(optionsOf({"m", "--wait", wait.name}).wait, wait.mode) << wait.name;
    }
    EXPECT_EQ(optionsOf({"m", "--baseline", "rpc"}).paths(),
              (std::vector<Path>{Path::BURST, Path::RPC}));
}

TEST(StreamOptions, measureABurstWithoutReusableExecutionsIfTold) {
    const Options options = optionsOf({"m", "--plain", "--baseline", "inprocess"});
    EXPECT_TRUE(options.isPlain);
    EXPECT_EQ(options.paths(), (std::vector<Path>{Path::PLAIN, Path::IN_PROCESS}));
    EXPECT_EQ(optionsOf({"m", "--device", "local", "--baseline", "plain"}).paths(),
              (std::vector<Path>{Path::BURST, Path::PLAIN}));
}

TEST(StreamOptions, haveSeveralFramesInFlightWhereAPathCan) {
    const Options options = optionsOf({"m", "--in-flight", "64"});
    EXPECT_EQ(options.inFlightOn(Path::BURST), 64U);
    EXPECT_EQ(options.inFlightOn(Path::PLAIN), 64U);
    EXPECT_EQ(options.inFlightOn(Path::IN_PROCESS), 1U);
    EXPECT_EQ(options.inFlightOn(Path::RPC), 1U);
}

/// Arguments that must be refused, and what the error must name.
struct Refusal {
    std::vector<const char*> arguments;
    const char* message;
};

TEST(StreamOptions, refuseWhatMakesNoSense) {
    const std::vector<Refusal> refusals = {
        {{}, "MODEL"},
        {{"m", "--graph", "n"}, "--graph"},
        {{"m", "--rate", "10", "--max"}, "--max"},
        {{"m", "--rate", "10", "--run_frequency", "10"}, "--run_frequency"},
        {{"m", "--max", "--run_frequency", "10"}, "--run_frequency"},
        {{"m", "--frames", "10", "--num_runs", "20"}, "--frames"},
        {{"m", "--rate", "0"}, "--rate"},
        {{"m", "--rate", "-3"}, "--rate"},
        {{"m", "--rate", "fast"}, "--rate"},
        {{"m", "--frames", "0"}, "--frames"},
        {{"m", "--duration", "0"}, "--duration"},
        {{"m", "--clients", "0"}, "--clients"},
        {{"m", "--threads", "0"}, "--threads: 0 threads: must be 1 to 64, or auto"},
        {{"m", "--num_threads", "65"}, "65 threads"},
        {{"m", "--threads", "-1"}, "-1 threads"},
        {{"m", "--threads", "some"}, "some threads"},
        {{"m", "--threads", "2", "--device", "/a"}, "--threads: must be given with --device local"},
        {{"m", "--threads", "auto", "--device", "nnapi"}, "--threads: must be given with"},
        {{"m", "--deadline", "0"}, "--deadline"},
        {{"m", "--wait", "patiently"}, "patiently"},
        {{"m", "--baseline", "pigeon"}, "pigeon"},
        {{"m", "--in-flight", "0"}, "--in-flight"},
        {{"m", "--in-flight", "65"}, "--in-flight"},
        {{"m", "--in-flight", "2", "--device", "local"}, "--in-flight: 2 frames"},
        {{"m", "--plain", "--baseline", "plain"}, "--plain"},
        {{"m", "--device", "local", "--baseline", "rpc"}, "--device is local"},
        {{"m", "--device", "local", "--baseline", "inprocess"}, "--device is local"},
        {{"m", "--rate", "nan"}, "--rate: nan: must be a number from 1e-06 to 1000000"},
        {{"m", "--run_frequency", "nan"}, "--run_frequency: nan"},
        {{"m", "--run_frequency", "1e-12"}, "--run_frequency: 1e-12: must be at least 1e-06"},
        {{"m", "--duration", "nan"}, "--duration: nan"},
        {{"m", "--deadline", "nan"}, "--deadline: nan"},
        {{"m", "--deadline=-nan"}, "--deadline: -nan"},
        {{"m", "--colour"}, "--colour"},
    };
    for (const auto& [arguments, message] : refusals) {
        const Parsed parsed = parse(arguments);
        const auto* status = std::get_if<ExitStatus>(&parsed.result);
        ASSERT_NE(status, nullptr) << message;
        EXPECT_EQ(*status, ExitStatus::USAGE) << message;
        EXPECT_NE(parsed.err.find(message), std::string::npos) << parsed.err;
        EXPECT_EQ(parsed.out, "");
    }
}

TEST(StreamOptions, printHelp) {
    const Parsed parsed = parse({"--help"});
    const auto* status = std::get_if<ExitStatus>(&parsed.result);
    ASSERT_NE(status, nullptr);
    EXPECT_EQ(*status, ExitStatus::SUCCESS);
    EXPECT_EQ(parsed.err, "");
    for (const char* word :
         {"--rate", "--graph", "--min_secs", "jitter", "--in-flight", "builtin:lstm",
          "--threads,--num_threads N|auto", "clients is an hour"}) {
        EXPECT_NE(parsed.out.find(word), std::string::npos) << word;
    }
}

}  // namespace
}  // namespace nnburst::stream
