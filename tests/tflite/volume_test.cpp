// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Convolutions of volumes, and DILATE: results, computed by hand, and what they refuse.

#include <gtest/gtest.h>

#include <numeric>

#include "tflite/extension_types.h"
#include "tflite_test.h"

namespace nnburst::volume_test {
namespace {

using namespace tflite;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;
using enum schema::ActivationFunctionType;
using schema::Padding;

/// The numbers from `first` on, as a constant or as the elements of an input.
Floats from(float first, std::size_t count) {
    Floats values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

struct Steps {
    std::int32_t depth = 1;
    std::int32_t height = 1;
    std::int32_t width = 1;
};

struct Options {
    Padding padding = Padding::VALID;
    Steps stride{};
    Steps dilation{};
    schema::ActivationFunctionType activation = NONE;
};

FileSpec volumeFile(Code code, const std::vector<Argument>& inputs, const Argument& output,
                    const Options& options) {
    return operatorFile(
        code, inputs, {output}, BuiltinOptions::Conv3DOptions,
        optionsOf(schema::CreateConv3DOptions, options.padding, options.stride.depth,
                  options.stride.width, options.stride.height, options.activation,
                  options.dilation.depth, options.dilation.width, options.dilation.height));
}

FileSpec convFile(const Argument& volume, const Argument& filter, const Argument& bias,
                  const Argument& output, const Options& options = {}) {
    return volumeFile(Code::CONV_3D, {volume, filter, bias}, output, options);
}

/// The message with which the executor refuses a model that can be imported.
std::string refusalOfModel(const FileSpec& file) {
    const auto model = importTflite(serialize(file));
    EXPECT_TRUE(model) << model.error().message;
    if (!model) {
        return "";
    }
    const auto compiled =
        exec::CompiledModel::compile(exec::makeEngine(false), resolved(model->model));
    EXPECT_FALSE(compiled);
    return compiled ? "" : compiled.error().message;
}

TEST(TfliteVolume, slideAFilterOverAVolume) {
    const FileSpec file = convFile(real({1, 2, 2, 2, 2}), reals({2, 2, 1, 2, 2}, from(-5, 16)),
                                   reals({2}, {1, -1}), real({1, 1, 1, 2, 2}));
    EXPECT_EQ(operationsOf(imported(file)),
              std::vector{extensionOperation(tflite_operations::Code::CONV_3D)});
    expectComputes<float, float>(file, {from(1, 16)}, {{285, 343, 317, 391}});
}

TEST(TfliteVolume, padAndClamp) {
    Options options{.padding = Padding::SAME, .stride = {.depth = 2}};
    const auto file = [&] {
        return convFile(real({1, 3, 2, 2, 1}), reals({2, 1, 4, 1, 1}, from(-2, 8)), reals({1}, {2}),
                        real({1, 2, 2, 2, 1}), options);
    };
    expectComputes<float, float>(file(), {from(1, 12)}, {{40, 26, 52, 30, -7, -26, -9, -32}});
    options.activation = RELU6;
    expectComputes<float, float>(file(), {from(1, 12)}, {{6, 6, 6, 6, 0, 0, 0, 0}});
}

TEST(TfliteVolume, inferTheShapeOfTheOutput) {
    const FileSpec file = convFile(real({1, 1, 3, 4, 1}), reals({1, 2, 2, 1, 1}, from(1, 4)),
                                   leftOut(), real({}), {.dilation = {.height = 2, .width = 3}});
    const TfliteModel model = imported(file);
    EXPECT_EQ(outputOf(model).dimensions, (Dimensions{1, 1, 1, 1, 1}));
    expectComputes<float, float>(file, {from(1, 12)}, {{84}});
}

TEST(TfliteVolume, spreadAVolumeThroughAFilter) {
    const auto file = [](const Ints& shape, Padding padding, float bias) {
        return volumeFile(Code::CONV_3D_TRANSPOSE,
                          {ints(shape), reals({1, 2, 3, 1, 2}, from(1, 12)), real({1, 1, 1, 2, 2}),
                           reals({1}, {bias})},
                          real(shape), {.padding = padding, .stride = {.width = 2}});
    };
    expectComputes<float, float>(file({1, 1, 2, 5, 1}, Padding::VALID, 100), {from(1, 4)},
                                 {{105, 111, 128, 125, 139, 123, 129, 188, 167, 181}});
    expectComputes<float, float>(file({1, 1, 1, 4, 1}, Padding::SAME, 0), {from(1, 4)},
                                 {{5, 11, 28, 25}});
}

TEST(TfliteVolume, spreadBeyondTheBeginOfAnAxis) {
    const FileSpec file = volumeFile(Code::CONV_3D_TRANSPOSE,
                                     {ints({1, 1, 1, 2, 1}), reals({1, 1, 3, 1, 2}, from(1, 6)),
                                      real({1, 1, 1, 2, 2}), leftOut()},
                                     real({1, 1, 1, 2, 1}), {.padding = Padding::SAME});
    expectComputes<float, float>(file, {from(1, 4)}, {{22, 42}});
}

TEST(TfliteVolume, spreadSeveralVolumesWithDilation) {
    const FileSpec file = volumeFile(Code::CONV_3D_TRANSPOSE,
                                     {ints({2, 4, 1, 3, 2}), reals({2, 1, 2, 2, 1}, from(1, 8)),
                                      real({2, 2, 1, 2, 1}), reals({2}, {0, 1})},
                                     real({2, 4, 1, 3, 2}), {.dilation = {.depth = 2}});
    expectComputes<float, float>(
        file, {from(1, 8)}, {{1,  3,  5,  9,  6,  9,  3,  7,  13, 21, 12, 17, 5,  7,   17, 21,
                              14, 17, 15, 19, 41, 49, 28, 33, 5,  11, 21, 33, 18, 25,  7,  15,
                              29, 45, 24, 33, 25, 31, 65, 77, 42, 49, 35, 43, 89, 105, 56, 65}});
}

TEST(TfliteVolume, refuseShapesThatDoNotGoTogether) {
    const Argument volume = real({1, 2, 2, 2, 2});
    const Argument filter = reals({1, 1, 1, 3, 1}, from(0, 3));
    EXPECT_NE(refusalOfModel(convFile(volume, filter, leftOut(), real({1, 2, 2, 2, 1})))
                  .find("CONV_3D: volume of shape 1x2x2x2x2, filter of 1x1x1x3x1, 1 biases; must "
                        "have 5 dimensions and the same channels"),
              std::string::npos);
    EXPECT_EQ(refusal(convFile(real({1, 2, 2, 2}), filter, leftOut(), real({1, 2, 2, 1}))),
              "operator 0 (CONV_3D): input of shape 1x2x2x2, filter of 1x1x1x3x1: must have 5 "
              "dimensions");
    EXPECT_EQ(refusal(convFile(volume, filter, leftOut(), real({}), {.stride = {.height = 0}})),
              "operator 0 (CONV_3D): window of 1, stride 0, dilation 1: must be at least 1");
    EXPECT_EQ(refusal(convFile(volume, filter, leftOut(), real({}), {.dilation = {.depth = -1}})),
              "operator 0 (CONV_3D): window of 1, stride 1, dilation -1: must be at least 1");
    const auto transposed = [&](const Ints& shape) {
        return volumeFile(Code::CONV_3D_TRANSPOSE,
                          {ints(shape), reals({1, 1, 1, 1, 2}, from(0, 2)), volume}, real({}), {});
    };
    EXPECT_NE(refusalOfModel(transposed({1, 2, 2, 3, 1}))
                  .find("output of shape 1x2x2x3x1 has 3 windows along axis 3; must be 2"),
              std::string::npos);
    EXPECT_NE(refusalOfModel(transposed({2, 2, 2, 2, 1})).find("must have the batches of the one"),
              std::string::npos);
    EXPECT_EQ(refusal(transposed({1, 2, 2, -2, 1})),
              "operator 0 (CONV_3D_TRANSPOSE): output of size -2: must be at least 1");
}

TEST(TfliteVolume, refuseActivationsThatTheHalDoesNotHave) {
    constexpr auto kReals = OperandType::TENSOR_FLOAT32;
    ModelBuilder builder;
    builder.addExtension(tflite_operations::kExtensionName, kExtensionPrefix);
    const auto volume = builder.addTensor(kReals, {1, 1, 1, 1, 1});
    const auto filter = builder.addConstant(kReals, {1, 1, 1, 1, 1}, exec::bytesOf(Floats{1}));
    const auto bias = builder.addConstant(kReals, {1}, exec::bytesOf(Floats{1}));
    std::vector<std::uint32_t> inputs{volume, filter, bias, builder.addScalar(4)};
    for (int i = 0; i < 7; ++i) {  // padding SAME, strides and dilations of 1
        inputs.push_back(builder.addScalar(1));
    }
    const auto output = builder.addTensor(kReals, {1, 1, 1, 1, 1});
    builder.addOperation(extensionOperation(tflite_operations::Code::CONV_3D), inputs, {output});
    const auto compiled = exec::CompiledModel::compile(
        exec::makeEngine(false), resolved(exec::build(builder, {volume}, {output})));
    ASSERT_FALSE(compiled);
    EXPECT_NE(compiled.error().message.find("activation 4; must be"), std::string::npos);
}

FileSpec dilateFile(const Argument& input, const Ints& factors, const Argument& padding,
                    const Argument& output) {
    return operatorFile(Code::DILATE, {input, ints(factors), padding}, {output});
}

TEST(TfliteVolume, moveElementsApart) {
    const FileSpec file =
        dilateFile(real({2, 3}), {2, 3}, withContents(real({}), bytesOf(Floats{-1})), real({}));
    EXPECT_EQ(outputOf(imported(file)).dimensions, (Dimensions{3, 7}));
    expectComputes<float, float>(file, {from(1, 6)}, {{1,  -1, -1, 2, -1, -1, 3, -1, -1, -1, -1,
                                                       -1, -1, -1, 4, -1, -1, 5, -1, -1, 6}});
    const Argument small = tensorOf({3}, TensorType::INT8);
    expectComputes<std::int8_t, std::int8_t>(
        dilateFile(small, {2}, withContents(tensorOf({1}, TensorType::INT8), {9}),
                   tensorOf({5}, TensorType::INT8)),
        {{1, 2, 3}}, {{1, 9, 2, 9, 3}});
}

TEST(TfliteVolume, refuseFactorsThatMakeNoTensor) {
    const Argument zero = reals({1}, {0});
    EXPECT_EQ(refusal(dilateFile(real({2, 3}), {2, 0}, zero, real({}))),
              "operator 0 (DILATE): factor 0 for shape 2x3: must be at least 1, the result below "
              "2^31");
    EXPECT_EQ(refusal(dilateFile(real({2, 3}), {2, INT32_MAX}, zero, real({}))),
              "operator 0 (DILATE): factor 2147483647 for shape 2x3: must be at least 1, the "
              "result below 2^31");
    EXPECT_NE(refusalOfModel(dilateFile(real({2, 3}), {2}, zero, real({3, 7})))
                  .find("DILATE: 1 factors and 1 elements for a tensor of shape 2x3; must be 2 and "
                        "1"),
              std::string::npos);
    EXPECT_NE(refusalOfModel(dilateFile(real({2}), {2}, reals({2}, {0, 0}), real({3})))
                  .find("1 factors and 2 elements"),
              std::string::npos);
}

}  // namespace
}  // namespace nnburst::volume_test
