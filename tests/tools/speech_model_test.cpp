// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The acoustic model of a speech synthesiser on whole sentences, judged by what its outputs mean:
/// the MelCepLogF0 check of AOSP's Machine Learning Test Suite.

#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "nnburst_run/accuracy.h"
#include "nnburst_run/runner.h"
#include "support/device_source.h"
#include "support/shared_data.h"
#include "system/read_file.h"

namespace nnburst::run {
namespace {

// A step is four frames of 49 values: amplitudes, aperiodicities, log F0, voicing.
constexpr std::size_t kFrameValues = 49;
constexpr std::size_t kFirstAmplitude = 1;  // the one before is energy, and not compared
constexpr std::size_t kAmplitudesEnd = 40;
constexpr std::size_t kLogF0 = 47;
constexpr std::size_t kVoicing = 48;

constexpr double kMaximumAmplitudeError = 4.0;
constexpr double kMaximumLogF0Error = 0.01;

std::vector<float> readFloats(const std::filesystem::path& path) {
    const auto bytes = system::readFile(path, SIZE_MAX);
    EXPECT_TRUE(bytes) << bytes.error().message;
    std::vector<float> values((bytes ? bytes->size() : 0) / sizeof(float));
    if (!values.empty()) {
        std::memcpy(values.data(), bytes->data(), values.size() * sizeof(float));
    }
    return values;
}

/// Every value in its natural unit: `statistics` are pairs of mean and standard deviation, one a
/// value of a step.
std::vector<double> denormalized(const std::vector<float>& values,
                                 const std::vector<float>& statistics) {
    std::vector<double> result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t pair = 2 * (i % (statistics.size() / 2));
        result.push_back(double{values[i]} * statistics[pair + 1] + statistics[pair]);
    }
    return result;
}

class SpeechModel : public testing::TestWithParam<int> {};

TEST_P(SpeechModel, speaksAsTheGoldenSequence) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const std::filesystem::path directory = shared / "models" / "tts_float";
    const std::string sentence = "arctic_a000" + std::to_string(GetParam());
    const std::vector<float> input = readFloats(directory / (sentence + ".input"));
    const std::vector<float> golden = readFloats(directory / (sentence + ".output"));
    const std::vector<float> statistics = readFloats(directory / "tts_float.output_mean_std_dev");
    const auto model = loadTflite(shared / "models" / "tts_float.tflite");
    ASSERT_TRUE(model) << model.error().message;

    const auto device = tools::openDevice("spawn");
    ASSERT_TRUE(device) << device.error().message;
    auto runner = Runner::create(*model, **device, Via::BURST);
    ASSERT_TRUE(runner) << runner.error().message;
    std::vector<float> output;
    const std::size_t stepInputs = runner->input(0).size() / sizeof(float);
    for (std::size_t i = 0; i < input.size(); i += stepInputs) {
        std::memcpy(runner->input(0).data(), &input[i], runner->input(0).size());
        const auto executed = runner->execute();
        ASSERT_TRUE(executed) << executed.error().message;
        const std::span<const std::byte> bytes = runner->output(0);
        output.resize(output.size() + bytes.size() / sizeof(float));
        std::memcpy(&output.back() + 1 - bytes.size() / sizeof(float), bytes.data(), bytes.size());
        runner->feedBack();
    }
    ASSERT_EQ(output.size(), golden.size());

    const std::vector<double> actual = denormalized(output, statistics);
    const std::vector<double> expected = denormalized(golden, statistics);
    RootMeanSquare amplitude;
    RootMeanSquare logF0;
    for (std::size_t frame = 0; frame < actual.size(); frame += kFrameValues) {
        for (std::size_t i = kFirstAmplitude; i < kAmplitudesEnd; ++i) {
            amplitude.add(actual[frame + i] - expected[frame + i]);
        }
        if (actual[frame + kVoicing] > 0 && expected[frame + kVoicing] > 0) {
            logF0.add(actual[frame + kLogF0] - expected[frame + kLogF0]);
        }
    }
    std::cout << sentence << ": root mean square differences: amplitudes " << amplitude.value()
              << ", log F0 " << logF0.value() << "\n";
    EXPECT_LE(amplitude.value(), kMaximumAmplitudeError);
    EXPECT_LE(logF0.value(), kMaximumLogF0Error);
}

INSTANTIATE_TEST_SUITE_P(Shared, SpeechModel, testing::Range(1, 6), [](const auto& test) {
    return "arctic_a000" + std::to_string(test.param);
});

}  // namespace
}  // namespace nnburst::run
