// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-run as its users see it: what it prints and returns, with the shared models through a
/// burst to a driver process, and with what it must refuse.

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "support/eventually.h"
#include "support/program_test.h"
#include "support/shared_data.h"

namespace nnburst {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::contentsOf;
using test::ProgramResult;
using test::ProgramTest;
using test::writeFile;

/// nnburst-run, in a directory of the test's own.
class RunProgram : public ProgramTest {
  protected:
    RunProgram() : ProgramTest(NNBURST_RUN) {}
};

/// One step of the built-in LSTM's input: 64 floats of 0.75.
const std::string kLstmStep(64 * sizeof(float), '\x3f');

/// A model with one of its goldens, by their paths under `models`.
struct Golden {
    std::string model;
    std::string input;
    std::string output;
    /// Largest difference; negative for quantised models, of which only the top-1 is compared.
    double tolerance;
};

std::ostream& operator<<(std::ostream& stream, const Golden& golden) {
    return stream << golden.model << " " << golden.output;
}

/// The HAL's tolerance for float32. Exact arithmetic in another order gives up to 2.5e-6.
constexpr double kFloatTolerance = 1e-5;
constexpr double kTopOnly = -1;

const Golden kGoldens[] = {
    {"mobilenet_v1_0.25_128.tflite", "mobilenet_float/cup_128.input",
     "mobilenet_float/cup_0.25_128.output", kFloatTolerance},
    {"mobilenet_v1_0.25_128.tflite", "mobilenet_float/banana_128.input",
     "mobilenet_float/banana_0.25_128.output", kFloatTolerance},
    {"mobilenet_v1_0.25_128_quant.tflite", "mobilenet_quantized/cup_128.input",
     "mobilenet_quantized/cup_0.25_128.output", kTopOnly},
    {"mobilenet_v1_0.25_128_quant.tflite", "mobilenet_quantized/banana_128.input",
     "mobilenet_quantized/banana_0.25_128.output", kTopOnly},
    {"mobilenet_v2_1.0_224_quant.tflite", "mobilenet_quantized/cup_224.input",
     "mobilenet_quantized/cup_v2_1.0_224.output", kTopOnly},
    {"mobilenet_v2_1.0_224_quant.tflite", "mobilenet_quantized/banana_224.input",
     "mobilenet_quantized/banana_v2_1.0_224.output", kTopOnly},
    {"tts_float.tflite", "tts_float/arctic_a0001.input", "tts_float/arctic_a0001.output",
     kFloatTolerance},
    {"tts_float.tflite", "tts_float/arctic_a0002.input", "tts_float/arctic_a0002.output",
     kFloatTolerance},
    {"tts_float.tflite", "tts_float/arctic_a0003.input", "tts_float/arctic_a0003.output",
     kFloatTolerance},
    {"tts_float.tflite", "tts_float/arctic_a0004.input", "tts_float/arctic_a0004.output",
     kFloatTolerance},
    {"tts_float.tflite", "tts_float/arctic_a0005.input", "tts_float/arctic_a0005.output",
     kFloatTolerance},
};

class RunGolden : public RunProgram, public testing::WithParamInterface<Golden> {};

TEST_P(RunGolden, givesTheGoldenOutputThroughABurstToADriverProcess) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const fs::path models = shared / "models";
    const Golden& golden = GetParam();
    std::vector<std::string> arguments{models / golden.model,
                                       "--input",
                                       models / golden.input,
                                       "--expect",
                                       models / golden.output,
                                       "--device",
                                       "spawn",
                                       "--via",
                                       "burst"};
    if (golden.tolerance != kTopOnly) {
        arguments.insert(arguments.end(), {"--tolerance", std::to_string(golden.tolerance)});
    }
    const ProgramResult result = run(arguments);
    std::cout << result.out;
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    if (golden.tolerance == kTopOnly) {
        EXPECT_TRUE(contains(result.out, "top-1 is the same\n") ||
                    contains(result.out, "the same as the golden output"));
    }
}

INSTANTIATE_TEST_SUITE_P(Shared, RunGolden, testing::ValuesIn(kGoldens), [](const auto& test) {
    std::string name = test.param.model + "_" + fs::path(test.param.output).stem().string();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
    return name;
});

TEST_F(RunProgram, givesTheSameOutputsOnAllWays) {
    writeFile(file("input"), kLstmStep);
    std::vector<std::string> outputs;
    for (const std::string device : {"local", "spawn"}) {
        for (const std::string via : {"burst", "rpc"}) {
            const ProgramResult result = run({"builtin:lstm", "--input", file("input"), "--output",
                                              file("output"), "--device", device, "--via", via});
            ASSERT_EQ(result.status, 0) << result.err;
            outputs.push_back(contentsOf(file("output")));
        }
    }
    EXPECT_EQ(outputs[0].size(), kLstmStep.size());
    EXPECT_NE(outputs[0], std::string(kLstmStep.size(), '\0'));
    for (const std::string& output : outputs) {
        EXPECT_EQ(output, outputs[0]);
    }
}

TEST_F(RunProgram, feedsStatesBackFromStepToStep) {
    writeFile(file("steps"), kLstmStep + kLstmStep);
    const ProgramResult result = run({"builtin:lstm", "--input", file("steps"), "--output",
                                      file("output"), "--device", "local"});
    ASSERT_EQ(result.status, 0) << result.err;
    const std::string output = contentsOf(file("output"));
    ASSERT_EQ(output.size(), 2 * kLstmStep.size());
    EXPECT_NE(output.substr(0, kLstmStep.size()), output.substr(kLstmStep.size()));
}

TEST_F(RunProgram, printsTheLargestElementsWithTheirLabels) {
    writeFile(file("labels"), "first\nsecond\n");
    const ProgramResult result =
        run({"builtin:lstm", "--top", "64", "--labels", file("labels"), "--device", "local"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.out, " first\n")) << result.out;
    EXPECT_TRUE(contains(result.out, " second\n")) << result.out;
}

TEST_F(RunProgram, saysWhatAModelIsIfNothingElseIsAsked) {
    for (const char* device : {"local", "spawn"}) {
        const ProgramResult result = run({"builtin:lstm", "--device", device});
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_TRUE(contains(result.out, "input 0 \"features\": TENSOR_FLOAT32 1x64"))
            << result.out;
        EXPECT_TRUE(contains(result.out, "3 operations: 2 FULLY_CONNECTED, 1 LSTM")) << result.out;
        EXPECT_TRUE(contains(result.out, "reference kernels (1 operations")) << result.out;
        EXPECT_TRUE(contains(result.out, "one execution on ")) << result.out;
        EXPECT_TRUE(contains(result.out, "output 0 \"features\"\n  64 elements from "))
            << result.out;
    }
}

TEST_F(RunProgram, profilesOperationsOfALocalDeviceAndOfADriver) {
    for (const char* device : {"local", "spawn"}) {
        const ProgramResult result =
            run({"builtin:lstm", "--device", device, "--profile", "--repeat", "7", "--trace",
                 file("trace"), "--json", file("json")});
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_TRUE(contains(result.out, "FULLY_CONNECTED")) << result.out;
        EXPECT_TRUE(contains(result.out, "7 executions, median in the device")) << result.out;
        EXPECT_TRUE(contains(contentsOf(file("trace")), "\"name\": \"LSTM\""));
        EXPECT_TRUE(contains(contentsOf(file("json")), "\"executionMedianUs\""));
    }
}

TEST_F(RunProgram, hasNoProfileOfADriverThatItHasNotStarted) {
    const ProgramResult result = run({"builtin:lstm", "--device", file("no.sock"), "--profile"});
    EXPECT_EQ(result.status, 1);
}

TEST_F(RunProgram, comparesItsTimesWithAnEarlierRunByItsJsonFile) {
    writeFile(file("slow"), R"({"benchmarks": [{"name": "builtin:lstm", "real_time": 1e12}]})");
    writeFile(file("fast"), R"({"benchmarks": [{"name": "builtin:lstm", "real_time": 1e-3}]})");
    ProgramResult result =
        run({"builtin:lstm", "--device", "local", "--repeat", "50", "--compare", file("slow")});
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_TRUE(contains(result.out, "verdict: 0 of 1 slower, 1 faster")) << result.out;
    result =
        run({"builtin:lstm", "--device", "local", "--repeat", "50", "--compare", file("fast")});
    EXPECT_EQ(result.status, 4) << result.out << result.err;
    result = run({"builtin:lstm", "--device", "local", "--compare", file("missing")});
    EXPECT_EQ(result.status, 1);
}

TEST_F(RunProgram, classifiesPhotographsInADirectory) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const fs::path models = shared / "models";
    const ProgramResult result =
        run({models / "mobilenet_v1_0.25_128.tflite", "--input", models / "images/image-0.jpeg",
             models / "images/image-1.jpeg", "--top", "1", "--labels", models / "images/labels.txt",
             "--device", "local"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "keeshond\n")) << result.out;
    EXPECT_TRUE(contains(result.out, "golden retriever\n")) << result.out;
}

/// A PNG of one pixel.
constexpr char kPixel[] =
    "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00"
    "\x01\x08\x02\x00\x00\x00\x90\x77\x53\xde\x00\x00\x00\x0c\x49\x44\x41\x54\x78\x9c\x63\x68\x70"
    "\x50\x00\x00\x02\x24\x00\xe1\xab\x59\x62\x27\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

TEST_F(RunProgram, saysWhatFloatModelsGetOfImages) {
    writeFile(file("pixel.png"), std::string(kPixel, sizeof kPixel - 1));
    const std::vector<std::string> arguments{"builtin:mobilenet_v1_0.25_128", "--input",
                                             file("pixel.png"), "--device", "local"};
    const ProgramResult assumed = run(arguments);
    EXPECT_EQ(assumed.status, 0);
    EXPECT_EQ(assumed.err,
              "nnburst-run: the model's float32 input gets (byte - 127.5) / 127.5 of images; give "
              "--mean and --std if it expects other values\n");
    std::vector<std::string> given = arguments;
    given.insert(given.end(), {"--mean", "0"});
    EXPECT_EQ(run(given).err, "");
    given = arguments;
    given[0] += "_quant";
    EXPECT_EQ(run(given).err, "");
}

TEST_F(RunProgram, classifiesAsTheReferenceKernelsDo) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    // 100 images of the small models by default, so that one image more or less is no failure; all
    // images and models with the environment's NNBURST_ALL_IMAGES.
    const bool isWhole = std::getenv("NNBURST_ALL_IMAGES") != nullptr;
    const fs::path models = shared / "models";
    std::vector<std::string> arguments{models / "mobilenet_v1_0.25_128.tflite",
                                       models / "mobilenet_v1_0.25_128_quant.tflite"};
    if (isWhole) {
        arguments.push_back(models / "mobilenet_v2_1.0_224_quant.tflite");
    }
    arguments.insert(arguments.end(),
                     {"--dataset", models / "image_classification", "--against", "reference",
                      "--html", file("page.html"), "--limit", isWhole ? "300" : "100"});
    const ProgramResult result = run(arguments);
    std::cout << result.out;
    EXPECT_EQ(result.status, 0) << "top-1 is more than 1.5 points lower: " << result.err;
    EXPECT_TRUE(contains(result.out, "expected top-1 44.4 %")) << result.out;
    EXPECT_TRUE(contains(contentsOf(file("page.html")), "mobilenet_v1_0.25_128_quant"));
}

TEST_F(RunProgram, measuresHowFarSpeechIsFromTheExpectedOne) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const ProgramResult result =
        run({shared / "models" / "tts_float.tflite", "--dataset", shared / "models" / "tts_float",
             "--limit", "2", "--device", "local"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "2 sequences: mean squared error")) << result.out;
    EXPECT_TRUE(contains(result.out, "MelCepLogF0: amplitudes")) << result.out;
}

TEST_F(RunProgram, printsLatenciesOfRepeatedExecutions) {
    const ProgramResult result = run({"builtin:lstm", "--repeat", "10", "--device", "local"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "10 executions, in microseconds: p50 ")) << result.out;
    EXPECT_FALSE(contains(result.out, "p99")) << "ten cannot show it: " << result.out;
    const ProgramResult many = run({"builtin:lstm", "--repeat", "100", "--device", "local"});
    EXPECT_TRUE(contains(many.out, "p99")) << many.out;
}

TEST_F(RunProgram, returnsThreeOutOfTolerance) {
    writeFile(file("golden"), std::string(kLstmStep.size(), '\x42'));
    const ProgramResult result = run(
        {"builtin:lstm", "--expect", file("golden"), "--tolerance", "0.1", "--device", "local"});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_TRUE(contains(result.out, "out of tolerance")) << result.out;
    EXPECT_EQ(run({"builtin:lstm", "--expect", file("golden"), "--device", "local"}).status, 0);
}

/// Arguments that must fail, and what the error must say.
struct Refusal {
    std::vector<std::string> arguments;
    std::string message;
};

TEST_F(RunProgram, opensTheFilesOfItsReportsBeforeItRuns) {
    writeFile(file("empty"), "");
    const std::string noFile = "missing: No such file or directory";
    const std::vector<Refusal> refusals = {
        {{"--output", file("no/missing")}, "no/" + noFile},
        {{"--json", file("no/missing")}, noFile},
        {{"--trace", file("no/missing")}, noFile},
        {{"--compare", file("missing")}, noFile},
        {{"--compare", file("empty")}, "empty: it is no JSON file of --json"},
        {{"--top", "1", "--labels", file("missing")}, noFile},
        {{"--top", "1", "--labels", file("empty")}, "empty has no labels"},
    };
    for (const auto& [arguments, message] : refusals) {
        std::vector<std::string> local{"builtin:lstm", "--device", "local"};
        local.insert(local.end(), arguments.begin(), arguments.end());
        const ProgramResult result = run(local);
        EXPECT_EQ(result.status, 1) << message;
        EXPECT_TRUE(contains(result.err, message)) << result.err;
        EXPECT_EQ(result.out, "");
    }
}

TEST_F(RunProgram, refusesFilesThatItCannotUse) {
    fs::create_directory(file("sequences"));
    writeFile(file("short"), "abc");
    writeFile(file("model"), "this is not a model");
    writeFile(file("sequences/a.input"), kLstmStep);
    writeFile(file("sequences/a.output"), kLstmStep);
    fs::create_symlink(file("loop"), file("loop"));
    const std::vector<Refusal> refusals = {
        {{file("missing")}, "missing: No such file or directory"},
        {{file("model")}, "not a TFLite file"},
        {{"builtin:lstm", "--input", file("missing")}, "missing: No such file or directory"},
        {{"builtin:mobilenet_v1_0.25_128", "--input", file("missing.png")},
         "missing.png: No such file or directory"},
        {{"builtin:lstm", "--input", file("loop")}, "loop: Too many levels of symbolic links"},
        {{"builtin:lstm", "--input", file("short")},
         "short has 3 bytes: must be a multiple of 256"},
        {{"builtin:lstm", "--input", file("short"), file("short")},
         "--input with 2 files: the model needs 1"},
        {{"builtin:lstm", "--input", file("short"), "--square"},
         "--mean, --std, --crop and --square need images: --input has other files"},
        {{"builtin:lstm", "--dataset", file("sequences"), "--crop", "1"},
         "--crop and --square need images: "},
        {{"builtin:lstm", "--dataset", file("sequences"), "--expect-top1", "0.5"},
         "sequences has sequences, which have no top-1"},
        {{"builtin:lstm", "--expect", file("short")},
         "short: the golden output has 3 bytes: must have 256"},
        {{"builtin:resnet"}, "no built-in model \"resnet\""},
        {{"builtin:lstm", "--output", file("same"), "--json", file("same")},
         "is the same file; name another one"},
    };
    for (const auto& [arguments, message] : refusals) {
        std::vector<std::string> local = arguments;
        local.insert(local.end(), {"--device", "local"});
        const ProgramResult result = run(local);
        EXPECT_EQ(result.status, 1) << message;
        EXPECT_TRUE(contains(result.err, "nnburst-run: INVALID_ARGUMENT: ")) << result.err;
        EXPECT_TRUE(contains(result.err, message)) << result.err;
    }
}

TEST_F(RunProgram, failsIfStandardOutputCannotBeWritten) {
    const std::vector<std::vector<std::string>> commands = {
        {"--help"},
        {"builtin:lstm", "--device", "local"},
        // More than the buffer of standard output holds.
        {"builtin:mobilenet_v1_0.25_128", "--top", "5000", "--device", "local"},
    };
    for (const std::vector<std::string>& arguments : commands) {
        const ProgramResult result = finish(start(arguments, "/dev/full"));
        EXPECT_EQ(result.status, 1) << arguments.back();
        EXPECT_TRUE(contains(result.err, "nnburst-run: cannot write to standard output: "))
            << result.err;
    }
}

TEST_F(RunProgram, saysWhatAModelIsWithoutATemporaryDirectory) {
    const char* const before = std::getenv("TMPDIR");
    const std::string kept = before != nullptr ? before : "";
    ::setenv("TMPDIR", "/nonexistent", 1);
    const ProgramResult summary = run({"builtin:lstm", "--device", "local"});
    const ProgramResult profile = run({"builtin:lstm", "--device", "local", "--profile"});
    before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
    EXPECT_EQ(summary.status, 0) << summary.err;
    EXPECT_TRUE(contains(summary.out, "runs on: not known: ")) << summary.out;
    EXPECT_TRUE(contains(summary.out, "one execution on ")) << summary.out;
    EXPECT_EQ(profile.status, 1);
    EXPECT_TRUE(contains(profile.err, "TMPDIR")) << profile.err;
}

TEST_F(RunProgram, leavesNoProfileBehindWhenItIsKilled) {
    const char* const before = std::getenv("TMPDIR");
    const std::string kept = before != nullptr ? before : "";
    const fs::path folder = file("tmp");
    fs::create_directory(folder);
    ::setenv("TMPDIR", folder.c_str(), 1);
    const pid_t program = start(
        {"builtin:mobilenet_v1_0.25_128", "--device", "local", "--profile", "--repeat", "1000000"});
    before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
    // The profile is mapped until the program ends.
    const std::string maps = "/proc/" + std::to_string(program) + "/maps";
    EXPECT_TRUE(test::eventually(
        [&] { return contains(contentsOf(maps), folder.string()) && fs::is_empty(folder); }));
    ::kill(program, SIGKILL);
    (void)finish(program);
    EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(RunProgram, refusesATruncatedModel) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const std::string whole = contentsOf(shared / "models" / "tts_float.tflite");
    writeFile(file("cut.tflite"), whole.substr(0, whole.size() / 2));
    const ProgramResult result = run({file("cut.tflite")});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "cut.tflite: the file is damaged")) << result.err;
}

TEST_F(RunProgram, refusesASocketOnWhichNoDriverListens) {
    const ProgramResult result = run({"builtin:lstm", "--device", file("no.sock")});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "no.sock")) << result.err;
}

TEST_F(RunProgram, returnsTwoForWrongArguments) {
    const ProgramResult result = run({"--via", "pigeon"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err, "");
    EXPECT_EQ(run({"--help"}).status, 0);
}

}  // namespace
}  // namespace nnburst
