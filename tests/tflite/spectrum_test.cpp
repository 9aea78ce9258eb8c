// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// RFFT2D, operators on complex numbers, and AudioSpectrogram and Mfcc: results, computed by hand
/// or by TFLite, and what is refused.

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "tflite_test.h"

namespace nnburst::spectrum_test {
namespace {

using namespace tflite;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

Argument complexNumbers(std::vector<std::int32_t> shape) {
    return tensorOf(std::move(shape), TensorType::COMPLEX64);
}

FileSpec transformFile(const Argument& images, const Ints& lengths, const Argument& output) {
    return operatorFile(Code::RFFT2D, {images, ints(lengths)}, {output});
}

/// The sum that the transform of an image is, one output after the other.
Floats transformOf(const Floats& image, std::size_t height, std::size_t width, std::size_t toHeight,
                   std::size_t toWidth) {
    Floats result;
    for (std::size_t v = 0; v < toHeight; ++v) {
        for (std::size_t u = 0; u <= toWidth / 2; ++u) {
            std::complex<double> sum = 0;
            for (std::size_t y = 0; y < std::min(height, toHeight); ++y) {
                for (std::size_t x = 0; x < std::min(width, toWidth); ++x) {
                    const double turns =
                        static_cast<double>(v * y) / static_cast<double>(toHeight) +
                        static_cast<double>(u * x) / static_cast<double>(toWidth);
                    sum += static_cast<double>(image[y * width + x]) *
                           std::polar(1.0, -2 * std::numbers::pi * turns);
                }
            }
            result.push_back(static_cast<float>(sum.real()));
            result.push_back(static_cast<float>(sum.imag()));
        }
    }
    return result;
}

Floats imageOf(std::size_t count) {
    Floats image(count);
    for (std::size_t i = 0; i < count; ++i) {
        image[i] = static_cast<float>((i * 7 + i * i * 3) % 11) - 4.5F;
    }
    return image;
}

TEST(TfliteSpectrum, transformImagesThatAreCutOffOrPadded) {
    struct Case {
        std::int32_t height, width, toHeight, toWidth;
    };
    for (const Case& c : {Case{4, 4, 4, 4}, Case{3, 5, 4, 8}, Case{5, 9, 2, 8}, Case{1, 16, 1, 16},
                          Case{8, 1, 8, 1}, Case{7, 3, 16, 2}, Case{2, 2, 1, 1}}) {
        const FileSpec file = transformFile(real({c.height, c.width}), {c.toHeight, c.toWidth},
                                            complexNumbers({c.toHeight, c.toWidth / 2 + 1}));
        const TfliteModel model = imported(file);
        EXPECT_EQ(outputOf(model).dimensions.size(), 3U);
        const Floats image = imageOf(static_cast<std::size_t>(c.height * c.width));
        const Floats expected = transformOf(
            image, static_cast<std::size_t>(c.height), static_cast<std::size_t>(c.width),
            static_cast<std::size_t>(c.toHeight), static_cast<std::size_t>(c.toWidth));
        const Floats result = outputsOfRun<float, float>(model, {image}).at(0);
        ASSERT_EQ(result.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(result[i], expected[i], 1e-5F)
                << c.toHeight << "x" << c.toWidth << " " << i;
        }
    }
}

TEST(TfliteSpectrum, transformEachImageOfABatch) {
    const TfliteModel model = imported(transformFile(real({2, 1, 2}), {1, 2}, complexNumbers({})));
    EXPECT_EQ(outputOf(model).dimensions, (Dimensions{2, 1, 2, 2}));
    EXPECT_EQ((outputsOfRun<float, float>(model, {{1, 2, 3, 5}}).at(0)),
              (Floats{3, 0, -1, 0, 8, 0, -2, 0}));
}

/// As TensorFlow's converter writes a transform of vectors.
FileSpec magnitudesFile() {
    FileSpec file;
    file.codes = {{.code = Code::EXPAND_DIMS}, {.code = Code::RFFT2D}, {.code = Code::SQUEEZE},
                  {.code = Code::COMPLEX_ABS}, {.code = Code::REAL},   {.code = Code::IMAG}};
    file.buffers.push_back(bytesOf(Ints{-2}));
    file.buffers.push_back(bytesOf(Ints{1, 2}));
    file.tensors = {{.shape = {2, 2}},
                    {.shape = {1}, .type = TensorType::INT32, .buffer = 1},
                    {.shape = {2, 1, 2}},
                    {.shape = {2}, .type = TensorType::INT32, .buffer = 2},
                    {.shape = {2, 1, 2}, .type = TensorType::COMPLEX64},
                    {.shape = {2, 2}, .type = TensorType::COMPLEX64},
                    {.shape = {2, 2}},
                    {.shape = {2, 2}},
                    {.shape = {2, 2}}};
    const auto squeeze = [](flatbuffers::FlatBufferBuilder& builder) {
        return schema::CreateSqueezeOptions(builder, builder.CreateVector(Ints{-2})).Union();
    };
    file.operators = {{.opcodeIndex = 0, .inputs = {0, 1}, .outputs = {2}},
                      {.opcodeIndex = 1, .inputs = {2, 3}, .outputs = {4}},
                      {.opcodeIndex = 2,
                       .inputs = {4},
                       .outputs = {5},
                       .optionsType = BuiltinOptions::SqueezeOptions,
                       .options = squeeze},
                      {.opcodeIndex = 3, .inputs = {5}, .outputs = {6}},
                      {.opcodeIndex = 4, .inputs = {5}, .outputs = {7}},
                      {.opcodeIndex = 5, .inputs = {5}, .outputs = {8}}};
    file.inputs = {0};
    file.outputs = {6, 7, 8};
    return file;
}

TEST(TfliteSpectrum, takeTheAbsoluteValueOfATransform) {
    expectComputes<float, float>(magnitudesFile(), {{1, 2, 3, 5}},
                                 {{3, 1, 8, 2}, {3, -1, 8, -2}, {0, 0, 0, 0}});
}

TEST(TfliteSpectrum, takePartsOfComplexNumbers) {
    const Floats numbers{3, 4, -5, 12};
    for (const auto& [code, expected] : {std::pair(Code::REAL, Floats{3, -5}),
                                         {Code::IMAG, {4, 12}},
                                         {Code::COMPLEX_ABS, {5, 13}}}) {
        expectComputes<float, float>(operatorFile(code, {complexNumbers({2})}, {real({2})}),
                                     {numbers}, {expected});
    }
}

TEST(TfliteSpectrum, refuseComplexNumbersElsewhere) {
    EXPECT_EQ(
        refusal(operatorFile(Code::MUL, {complexNumbers({2}), complexNumbers({2})},
                             {complexNumbers({2})}, BuiltinOptions::MulOptions, addOptions())),
        "operator 0 (MUL): type COMPLEX64 is not supported");
    EXPECT_EQ(refusal(operatorFile(Code::REAL, {real({2})}, {real({2})})),
              "operator 0 (REAL): input and output: must be COMPLEX64 and FLOAT32");
    EXPECT_EQ(refusal(transformFile(real({2, 2}), {2, 2}, real({2, 2}))),
              "operator 0 (RFFT2D): input and output: must be FLOAT32 and COMPLEX64");
}

TEST(TfliteSpectrum, refuseLengthsThatAreNoPowersOf2) {
    EXPECT_EQ(refusal(transformFile(real({2, 2}), {2, 0}, complexNumbers({2, 1}))),
              "operator 0 (RFFT2D): lengths 2x0: must be two of at least 1");
    EXPECT_EQ(refusal(transformFile(real({2, 2}), {2}, complexNumbers({2, 1}))),
              "operator 0 (RFFT2D): lengths 2: must be two of at least 1");
    for (const std::array<std::int32_t, 2> lengths : {std::array{2, 3}, {1 << 13, 1 << 12}}) {
        const auto model = importTflite(
            serialize(transformFile(real({2, 2}), {lengths[0], lengths[1]}, complexNumbers({}))));
        ASSERT_TRUE(model) << model.error().message;
        const auto compiled =
            exec::CompiledModel::compile(exec::makeEngine(false), resolved(model->model));
        ASSERT_FALSE(compiled);
        EXPECT_NE(compiled.error().message.find("must be powers of 2, their product at most"),
                  std::string::npos)
            << compiled.error().message;
    }
}

FileSpec soundFile(const char* name, const std::vector<Argument>& inputs,
                   const std::function<void(flexbuffers::Builder&)>& setOptions) {
    FileSpec file = operatorFile(Code::CUSTOM, inputs, {real({})});
    file.codes[0].customName = name;
    flexbuffers::Builder options;
    options.Map([&] { setOptions(options); });
    options.Finish();
    file.operators[0].customOptions = options.GetBuffer();
    return file;
}

FileSpec spectrogramFile(const Argument& samples, std::int32_t window, bool isSquared) {
    return soundFile("AudioSpectrogram", {samples}, [=](flexbuffers::Builder& options) {
        options.Int("window_size", window);
        options.Int("stride", 3);
        options.Bool("magnitude_squared", isSquared);
    });
}

/// The rate is an input, as in TensorFlow's model of speech commands.
FileSpec mfccFile(std::int32_t bands) {
    return soundFile("Mfcc", {real({1, 2, 17}), tensorOf({1}, TensorType::INT32)},
                     [=](flexbuffers::Builder& options) {
                         options.Float("upper_frequency_limit", 4000.0F);
                         options.Float("lower_frequency_limit", 20.0F);
                         options.Int("filterbank_channel_count", bands);
                         options.Int("dct_coefficient_count", 4);
                     });
}

Floats rateOf(std::int32_t rate) {
    return {std::bit_cast<float>(rate)};
}

void expectNear(const Floats& result, const Floats& expected) {
    ASSERT_EQ(result.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(result[i], expected[i], 1e-5F) << i;
    }
}

TEST(TfliteSpectrum, transformWindowsOfSound) {
    const TfliteModel squared = imported(spectrogramFile(real({13, 2}), 6, true));
    EXPECT_EQ(outputOf(squared).dimensions, (Dimensions{2, 3, 5}));
    expectNear(outputsOfRun<float, float>(squared, {imageOf(26)}).at(0),
               {68.0625F,    40.4733238F, 13.0F,       9.71417713F, 5.0625F,     39.0625F,
                52.5964813F, 44.125F,     19.7160168F, 10.5625F,    10.5625F,    34.4853096F,
                78.625F,     53.5771904F, 10.5625F,    10.5625F,    34.4853096F, 78.625F,
                53.5771904F, 10.5625F,    4.0F,        23.0726185F, 61.3125F,    34.7398796F,
                0.25F,       64.0F,       17.2362022F, 1.5625F,     1.32629871F, 0.25F});
    const TfliteModel magnitudes = imported(spectrogramFile(real({6, 1}), 6, false));
    const Floats squares =
        outputsOfRun<float, float>(imported(spectrogramFile(real({6, 1}), 6, true)), {imageOf(6)})
            .at(0);
    Floats roots;
    for (const float square : squares) {
        roots.push_back(std::sqrt(square));
    }
    EXPECT_EQ((outputsOfRun<float, float>(magnitudes, {imageOf(6)}).at(0)), roots);
}

TEST(TfliteSpectrum, findTheBandsOfSound) {
    const TfliteModel model = imported(mfccFile(6));
    EXPECT_EQ(outputOf(model).dimensions, (Dimensions{1, 2, 4}));
    Floats spectrogram = imageOf(34);
    for (float& square : spectrogram) {
        square += 4.75F;
    }
    expectNear(outputsOfRun<float, float>(model, {spectrogram, rateOf(16000)}).at(0),
               {2.22744823F, -1.57402349F, -0.587568045F, -0.821479559F, 2.41440797F, -1.6104387F,
                -0.861395180F, -0.813651323F});
    // A band is at least 1e-12: sqrt(2 / 6) * 6 * ln(1e-12).
    const Floats silence =
        outputsOfRun<float, float>(model, {Floats(34, 0.0F), rateOf(16000)}).at(0);
    EXPECT_NEAR(silence[0], -95.717F, 1e-3F);
    EXPECT_NEAR(silence[1], 0.0F, 1e-3F);
}

TEST(TfliteSpectrum, refuseSoundThatHasNoWindowsOrBands) {
    const auto refusalOfFile = [](const FileSpec& file) {
        const auto model = importTflite(serialize(file));
        EXPECT_TRUE(model);
        const auto compiled =
            exec::CompiledModel::compile(exec::makeEngine(false), resolved(model->model));
        EXPECT_FALSE(compiled);
        return compiled ? std::string() : compiled.error().message;
    };
    EXPECT_NE(refusalOfFile(spectrogramFile(real({5, 1}), 6, true)).find("windows of 6"),
              std::string::npos);
    EXPECT_NE(refusalOfFile(spectrogramFile(real({5, 1}), 1, true)).find("windows of 1"),
              std::string::npos);
    EXPECT_NE(refusalOfFile(mfccFile(3)).find("4 coefficients of 3 bands"), std::string::npos);
    EXPECT_NE(refusalOfFile(mfccFile(1025)).find("4 coefficients of 1025 bands"),
              std::string::npos);

    const auto compiled = exec::compile(resolved(imported(mfccFile(6)).model), false);
    for (const std::int32_t rate : {7000, 0, -16000}) {
        const Floats spectrogram = imageOf(34);
        const Floats rates = rateOf(rate);
        exec::TestRequest request;
        request.addInput(std::as_bytes(std::span(spectrogram)));
        request.addInput(std::as_bytes(std::span(rates)));
        request.addOutput(8 * sizeof(float));
        const auto ran = request.run(*compiled);
        ASSERT_FALSE(ran);
        EXPECT_NE(ran.error().message.find("rate " + std::to_string(rate)), std::string::npos);
    }
}

}  // namespace
}  // namespace nnburst::spectrum_test
