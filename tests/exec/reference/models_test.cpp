// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Whole networks on the reference kernels alone, against the outputs that come with them.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "nnburst/tflite.h"
#include "support/shared_data.h"
#include "support/test_request.h"
#include "system/read_file.h"

namespace nnburst::exec {
namespace {

std::vector<std::byte> contentsOf(const std::filesystem::path& path) {
    auto contents = system::readFile(path, SIZE_MAX);
    EXPECT_TRUE(contents) << contents.error().message;
    return contents ? *contents : std::vector<std::byte>();
}

/// The largest difference of two tensors of float32.
float largestDifference(std::span<const std::byte> actual, std::span<const std::byte> expected) {
    EXPECT_EQ(actual.size(), expected.size());
    float largest = 0.0F;
    for (std::size_t offset = 0; offset < actual.size(); offset += sizeof(float)) {
        float a = 0.0F;
        float e = 0.0F;
        std::memcpy(&a, &actual[offset], sizeof(a));
        std::memcpy(&e, &expected[offset], sizeof(e));
        // Written so that NaN is the largest of all.
        const float difference = std::abs(a - e);
        largest = difference <= largest ? largest : difference;
    }
    return largest;
}

struct Classifier {
    std::string model;
    std::string input;
    std::string output;
};

/// Runs a classifier and gives its output and the one that is expected.
void classify(const std::filesystem::path& models, const Classifier& classifier,
              std::vector<std::byte>& actual, std::vector<std::byte>& expected) {
    const auto imported = loadTflite(models / classifier.model);
    ASSERT_TRUE(imported) << imported.error().message;
    const auto compiled = compile(imported->model, false);
    ASSERT_TRUE(compiled);
    expected = contentsOf(models / classifier.output);
    TestRequest request;
    request.addInput(contentsOf(models / classifier.input));
    request.addOutput(expected.size());
    const auto run = request.run(*compiled);
    ASSERT_TRUE(run) << run.error().message;
    const auto output = request.output(0);
    actual.assign(output.begin(), output.end());
}

TEST(ReferenceModels, giveTheBitsOfQuantisedMobileNets) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const std::string v1 = "mobilenet_v1_0.25_128_quant.tflite";
    const std::string v2 = "mobilenet_v2_1.0_224_quant.tflite";
    const std::string data = "mobilenet_quantized/";
    for (const Classifier& classifier : {
             Classifier{v1, data + "cup_128.input", data + "cup_0.25_128.output"},
             Classifier{v1, data + "banana_128.input", data + "banana_0.25_128.output"},
             Classifier{v2, data + "cup_224.input", data + "cup_v2_1.0_224.output"},
             Classifier{v2, data + "banana_224.input", data + "banana_v2_1.0_224.output"},
         }) {
        SCOPED_TRACE(classifier.output);
        std::vector<std::byte> actual;
        std::vector<std::byte> expected;
        ASSERT_NO_FATAL_FAILURE(classify(shared / "models", classifier, actual, expected));
        EXPECT_EQ(actual, expected);
    }
}

TEST(ReferenceModels, giveThePredictionsOfAFloatMobileNet) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    for (const std::string image : {"cup", "banana"}) {
        SCOPED_TRACE(image);
        std::vector<std::byte> actual;
        std::vector<std::byte> expected;
        const Classifier classifier{"mobilenet_v1_0.25_128.tflite",
                                    "mobilenet_float/" + image + "_128.input",
                                    "mobilenet_float/" + image + "_0.25_128.output"};
        ASSERT_NO_FATAL_FAILURE(classify(shared / "models", classifier, actual, expected));
        EXPECT_LT(largestDifference(actual, expected), 1e-5F);
    }
}

/// A sequence of frames through a network whose states are fed back from step to step, in place.
void speak(const TfliteModel& imported, std::span<const std::byte> input,
           std::span<const std::byte> expected) {
    const auto compiled = compile(imported.model, false);
    ASSERT_TRUE(compiled);
    TestRequest request;
    for (const Operand& operand : compiled->inputs()) {
        request.addInput(std::vector<std::byte>(sizeOf(operand)));
    }
    for (const Operand& operand : compiled->outputs()) {
        request.addOutput(sizeOf(operand));
    }
    for (const ModelState& state : imported.states) {
        request.outputs()[state.output] = request.inputs()[state.input];
    }
    const auto frameIn = request.input(0);
    const auto frameOut = request.output(0);
    ASSERT_EQ(input.size() / frameIn.size(), expected.size() / frameOut.size());
    float largest = 0.0F;
    for (std::size_t step = 0; step < input.size() / frameIn.size(); ++step) {
        const auto frame = input.subspan(step * frameIn.size(), frameIn.size());
        std::copy(frame.begin(), frame.end(), frameIn.begin());
        const auto run = request.run(*compiled);
        ASSERT_TRUE(run) << run.error().message;
        largest = std::max(
            largest,
            largestDifference(frameOut, expected.subspan(step * frameOut.size(), frameOut.size())));
    }
    EXPECT_LT(largest, 1e-5F);
}

TEST(ReferenceModels, matchGoldenOutputsOfFiveSpeechSequences) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const auto imported = loadTflite(shared / "models" / "tts_float.tflite");
    ASSERT_TRUE(imported) << imported.error().message;
    for (const int sentence : {1, 2, 3, 4, 5}) {
        const std::string name = "tts_float/arctic_a000" + std::to_string(sentence);
        SCOPED_TRACE(name);
        speak(*imported, contentsOf(shared / "models" / (name + ".input")),
              contentsOf(shared / "models" / (name + ".output")));
    }
}

}  // namespace
}  // namespace nnburst::exec
