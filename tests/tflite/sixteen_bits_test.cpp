// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Operators on activations of 16 bits, with weights of 8: what they become, and their results,
/// computed by hand. Comparisons with LiteRT gave the same numbers (docs/tflite.md).

#include <gtest/gtest.h>

#include "tflite/extension_types.h"
#include "tflite_test.h"

namespace nnburst::sixteen_bits_test {
namespace {

using namespace tflite;
using Shorts = std::vector<std::int16_t>;
using Bytes = std::vector<std::int8_t>;
using Floats = std::vector<float>;
using enum tflite_operations::Code;

constexpr auto kNone = schema::ActivationFunctionType::NONE;

Argument shorts(std::vector<std::int32_t> shape, float scale) {
    return quantized(std::move(shape), TensorType::INT16, scale, 0);
}

/// Weights of INT8 with a scale for each index along `dimension`.
Argument weights(std::vector<std::int32_t> shape, const Bytes& values, std::vector<float> scales,
                 std::int32_t dimension = 0) {
    Argument result = withContents(tensorOf(std::move(shape), TensorType::INT8), bytesOf(values));
    result.tensor.zeroPoints.assign(scales.size(), 0);
    result.tensor.scales = std::move(scales);
    result.tensor.quantizedDimension = dimension;
    return result;
}

Argument bias(const std::vector<std::int64_t>& values) {
    const auto count = static_cast<std::int32_t>(values.size());
    return withContents(tensorOf({count}, TensorType::INT64), bytesOf(values));
}

Argument narrowBias(const std::vector<std::int32_t>& values) {
    const auto count = static_cast<std::int32_t>(values.size());
    return withContents(tensorOf({count}, TensorType::INT32), bytesOf(values));
}

/// The operations that the file becomes.
std::vector<OperationType> operations(const FileSpec& file) {
    return operationsOf(imported(file));
}

std::vector<OperationType> only(tflite_operations::Code code) {
    return {extensionOperation(code)};
}

template <class Out, class In>
void expectResult(const FileSpec& file, const std::vector<std::vector<In>>& inputs,
                  const std::vector<Out>& output) {
    expectComputes<Out, In>(file, inputs, {output});
}

FileSpec denseFile(const Argument& bias) {
    return operatorFile(
        Code::FULLY_CONNECTED,
        {shorts({1, 3}, 0x1p-6F), weights({2, 3}, {1, 2, 3, -1, 0, 1}, {0.5F, 0.25F}), bias},
        {shorts({1, 2}, 0x1p-4F)}, BuiltinOptions::FullyConnectedOptions,
        optionsOf(schema::CreateFullyConnectedOptions, kNone,
                  schema::FullyConnectedWeightsFormat::DEFAULT, false));
}

TEST(TfliteSixteenBits, multiplyWithWeightsOfEightBits) {
    // 100 - 400 + 900 + 64 = 664, by 1/8; 200 - 64 = 136, by 1/16 is 8.5.
    const FileSpec file = denseFile(bias({64, -64}));
    EXPECT_EQ(operations(file), only(FULLY_CONNECTED_16X8));
    expectResult<std::int16_t, std::int16_t>(file, {{100, -200, 300}}, {83, 9});
}

TEST(TfliteSixteenBits, leaveTheScalesOfTheirWeightsToOtherOperators) {
    for (const bool isFirst : {false, true}) {
        FileSpec file = denseFile(bias({0, 0}));
        file.tensors.push_back({.shape = {2, 3}});
        file.codes.push_back({.code = Code::DEQUANTIZE});
        file.operators.insert(isFirst ? file.operators.begin() : file.operators.end(),
                              {.opcodeIndex = 1, .inputs = {1}, .outputs = {4}});
        file.outputs = {4, 3};
        const auto results = outputsOfRun<float, std::int16_t>(imported(file), {{0, 0, 0}});
        EXPECT_EQ(results.at(0), (Floats{0.5F, 1.0F, 1.5F, -0.25F, 0.0F, 0.25F}));
    }
}

TEST(TfliteSixteenBits, scaleSumsAsTfliteDoes) {
    // The factor is 0.1 * 0.7 / 0.3. Convolutions with a bias of INT64 have 16 bits of it,
    // 30,583 / 2^17; fully connected layers have 31.
    const auto valid =
        optionsOf(schema::CreateConv2DOptions, schema::Padding::VALID, 1, 1, kNone, 1, 1);
    const auto convolution = [&](const Argument& bias) {
        return operatorFile(Code::CONV_2D,
                            {shorts({1, 1, 1, 1}, 0.1F), weights({1, 1, 1, 1}, {0}, {0.7F}), bias},
                            {shorts({1, 1, 1, 1}, 0.3F)}, BuiltinOptions::Conv2DOptions, valid);
    };
    const FileSpec dense =
        operatorFile(Code::FULLY_CONNECTED,
                     {shorts({1, 1}, 0.1F), weights({1, 1}, {0}, {0.7F}), bias({128'571})},
                     {shorts({1, 1}, 0.3F)}, BuiltinOptions::FullyConnectedOptions,
                     optionsOf(schema::CreateFullyConnectedOptions, kNone,
                               schema::FullyConnectedWeightsFormat::DEFAULT, false));
    using Results = std::vector<Shorts>;
    const Results input{{0}};
    expectComputes<std::int16_t, std::int16_t>(dense, input, Results{{30'000}});
    expectComputes<std::int16_t, std::int16_t>(convolution(narrowBias({128'571})), input,
                                               Results{{30'000}});
    expectComputes<std::int16_t, std::int16_t>(convolution(bias({128'571})), input,
                                               Results{{29'999}});
}

TEST(TfliteSixteenBits, takeLayersWithoutBias) {
    expectResult<std::int16_t, std::int16_t>(denseFile(leftOut()), {{100, -200, 300}}, {75, 13});
}

TEST(TfliteSixteenBits, saturate) {
    expectResult<std::int16_t, std::int16_t>(denseFile(bias({1'000'000, -1'000'000})), {{0, 0, 0}},
                                             {32'767, -32'768});
}

TEST(TfliteSixteenBits, saturateSumsOf32Bits) {
    // 800 and -200 beyond the bias.
    expectResult<std::int16_t, std::int16_t>(denseFile(narrowBias({INT32_MAX, INT32_MIN})),
                                             {{300, 100, 100}}, {32'767, -32'768});
}

TEST(TfliteSixteenBits, addMoreProductsThan32BitsHold) {
    constexpr std::int32_t kDepth = 600;
    const FileSpec file =
        operatorFile(Code::FULLY_CONNECTED,
                     {shorts({1, kDepth}, 0x1p-8F),
                      weights({1, kDepth}, Bytes(kDepth, -128), {0x1p-8F}), bias({0})},
                     {shorts({1, 1}, 1.0F)}, BuiltinOptions::FullyConnectedOptions,
                     optionsOf(schema::CreateFullyConnectedOptions, kNone,
                               schema::FullyConnectedWeightsFormat::DEFAULT, false));
    // 600 * 2^15 * 2^7, by 2^-16, is 2^6 * 600.
    Shorts input(kDepth, -32'768);
    std::fill_n(input.begin(), kDepth / 2, std::int16_t{-1024});
    expectResult<std::int16_t, std::int16_t>(file, {input}, {300 * 64 + 300 * 2});
}

TEST(TfliteSixteenBits, takeFactorsThatAreOneButForALittle) {
    // (1 + 2^-23) * (1 - 2^-23) is 1 as a fraction of 31 bits.
    const FileSpec file = operatorFile(
        Code::FULLY_CONNECTED,
        {shorts({1, 1}, 1.0F + 0x1p-23F), weights({1, 1}, {1}, {1.0F - 0x1p-23F}), bias({0})},
        {shorts({1, 1}, 1.0F)}, BuiltinOptions::FullyConnectedOptions,
        optionsOf(schema::CreateFullyConnectedOptions, kNone,
                  schema::FullyConnectedWeightsFormat::DEFAULT, false));
    expectResult<std::int16_t, std::int16_t>(file, {{100}}, {100});
}

TEST(TfliteSixteenBits, convolveWithRowsApart) {
    const auto options =
        optionsOf(schema::CreateConv2DOptions, schema::Padding::VALID, 1, 1, kNone, 1, 2);
    expectResult<std::int16_t, std::int16_t>(
        operatorFile(
            Code::CONV_2D,
            {shorts({1, 3, 1, 1}, 1.0F), weights({1, 2, 1, 1}, {1, 10}, {1.0F}), bias({0})},
            {shorts({1, 1, 1, 1}, 1.0F)}, BuiltinOptions::Conv2DOptions, options),
        {{3, 5, 7}}, {73});
}

TEST(TfliteSixteenBits, convolve) {
    // A window of 1x2 in steps of 1; SAME pads at the right. Scales 1/2 and 1.
    const auto options =
        optionsOf(schema::CreateConv2DOptions, schema::Padding::SAME, 1, 1, kNone, 1, 1);
    const FileSpec file =
        operatorFile(Code::CONV_2D,
                     {shorts({1, 1, 3, 1}, 1.0F),
                      weights({2, 1, 2, 1}, {2, 4, 1, -1}, {0.5F, 1.0F}), bias({10, 20})},
                     {shorts({1, 1, 3, 2}, 1.0F)}, BuiltinOptions::Conv2DOptions, options);
    EXPECT_EQ(operations(file), only(CONV_2D_16X8));
    expectResult<std::int16_t, std::int16_t>(file, {{1000, 2000, 3000}},
                                             {5005, -980, 8005, -980, 3005, 3020});
}

TEST(TfliteSixteenBits, giveZerosForChannelsOfScaleZero) {
    const auto options =
        optionsOf(schema::CreateConv2DOptions, schema::Padding::VALID, 1, 1, kNone, 1, 1);
    expectResult<std::int16_t, std::int16_t>(
        operatorFile(Code::CONV_2D,
                     {shorts({1, 1, 2, 1}, 1.0F), weights({2, 1, 1, 1}, {3, 0}, {0.5F, 0.0F}),
                      bias({1, 700})},
                     {shorts({1, 1, 2, 2}, 0.5F)}, BuiltinOptions::Conv2DOptions, options),
        {{2, -4}}, {7, 0, -11, 0});
}

TEST(TfliteSixteenBits, convolveGroupsOfChannels) {
    // Two groups of one channel each.
    const auto options =
        optionsOf(schema::CreateConv2DOptions, schema::Padding::VALID, 1, 1, kNone, 1, 1);
    expectResult<std::int16_t, std::int16_t>(
        operatorFile(
            Code::CONV_2D,
            {shorts({1, 1, 2, 2}, 1.0F), weights({2, 1, 1, 1}, {3, 5}, {1.0F}), bias({0, 0})},
            {shorts({1, 1, 2, 2}, 1.0F)}, BuiltinOptions::Conv2DOptions, options),
        {{1, 2, 3, 4}}, {3, 10, 9, 20});
}

TEST(TfliteSixteenBits, convolveEachChannelAlone) {
    // One channel becomes two; windows of 2x1 with a dilation of 2.
    const auto options = optionsOf(schema::CreateDepthwiseConv2DOptions, schema::Padding::VALID, 1,
                                   1, schema::ActivationFunctionType::RELU, 1, 2);
    const FileSpec file =
        operatorFile(Code::DEPTHWISE_CONV_2D,
                     {shorts({1, 4, 1, 1}, 1.0F),
                      weights({1, 2, 1, 2}, {1, 2, 3, -4}, {1.0F, 0.5F}, 3), bias({1, 2})},
                     {shorts({1, 2, 1, 2}, 1.0F)}, BuiltinOptions::DepthwiseConv2DOptions, options);
    EXPECT_EQ(operations(file), only(DEPTHWISE_CONV_2D_16X8));
    // 10 + 90 + 1, (20 - 120 + 2) / 2; 20 - 30 + 1, (40 + 40 + 2) / 2.
    expectResult<std::int16_t, std::int16_t>(file, {{10, 20, 30, -10}}, {101, 0, 0, 41});
}

TEST(TfliteSixteenBits, convolveEachChannelAloneWithColumnsApart) {
    const auto options =
        optionsOf(schema::CreateDepthwiseConv2DOptions, schema::Padding::VALID, 1, 1, kNone, 2, 1);
    expectResult<std::int16_t, std::int16_t>(
        operatorFile(
            Code::DEPTHWISE_CONV_2D,
            {shorts({1, 1, 3, 1}, 1.0F), weights({1, 1, 2, 1}, {1, 10}, {1.0F}, 3), bias({0})},
            {shorts({1, 1, 1, 1}, 1.0F)}, BuiltinOptions::DepthwiseConv2DOptions, options),
        {{3, 5, 7}}, {73});
}

TEST(TfliteSixteenBits, refuseWeightsThatTheKernelsDoNotTake) {
    FileSpec file = denseFile(bias({0, 0}));
    file.tensors[1].scales = {0.5F};
    file.tensors[1].zeroPoints = {3};
    EXPECT_NE(refusal(file).find("must be INT8 with zero point 0"), std::string::npos);
}

TEST(TfliteSixteenBits, spreadThroughAFilter) {
    const auto file = [](schema::Padding padding, std::int32_t width, std::int32_t stride,
                         const Argument& bias) {
        return operatorFile(
            Code::TRANSPOSE_CONV,
            {ints({1, 1, width, 1}), weights({1, 1, 2, 1}, {1, 3}, {0.5F}),
             shorts({1, 1, 2, 1}, 0x1p-6F), bias},
            {shorts({1, 1, width, 1}, 0x1p-4F)}, BuiltinOptions::TransposeConvOptions,
            optionsOf(schema::CreateTransposeConvOptions, padding, stride, 1, kNone));
    };
    // 108, 308, -192, -592, by 1/8.
    const FileSpec apart = file(schema::Padding::VALID, 4, 2, bias({8}));
    EXPECT_EQ(operations(apart), only(TRANSPOSE_CONV_2D_16X8));
    expectResult<std::int16_t, std::int16_t>(apart, {{100, -200}}, {14, 39, -24, -74});
    // 100, 300 - 200.
    expectResult<std::int16_t, std::int16_t>(file(schema::Padding::SAME, 2, 1, leftOut()),
                                             {{100, -200}}, {13, 13});
}

FileSpec binaryFile(Code code, BuiltinOptions options = BuiltinOptions::NONE) {
    return operatorFile(code, {shorts({2, 2}, 0.5F), shorts({2}, 0.25F)}, {shorts({2, 2}, 0.25F)},
                        options, options == BuiltinOptions::NONE ? nullptr : addOptions());
}

TEST(TfliteSixteenBits, addSubtractAndMultiply) {
    const std::vector<Shorts> inputs{{1, -2, 3, 32'767}, {2, 5}};
    const FileSpec add = binaryFile(Code::ADD, BuiltinOptions::AddOptions);
    EXPECT_EQ(operations(add), only(ADD_16));
    expectResult<std::int16_t, std::int16_t>(add, inputs, {4, 1, 8, 32'767});
    expectResult<std::int16_t, std::int16_t>(binaryFile(Code::SUB, BuiltinOptions::SubOptions),
                                             inputs, {0, -9, 4, 32'767});
    // Half of the products; halves are rounded away from 0.
    expectResult<std::int16_t, std::int16_t>(binaryFile(Code::MUL, BuiltinOptions::MulOptions),
                                             inputs, {1, -5, 3, 32'767});
}

TEST(TfliteSixteenBits, fuseActivations) {
    const FileSpec file =
        operatorFile(Code::ADD, {shorts({3}, 0.5F), shorts({3}, 0.5F)}, {shorts({3}, 0.5F)},
                     BuiltinOptions::AddOptions, addOptions(schema::ActivationFunctionType::RELU6));
    expectResult<std::int16_t, std::int16_t>(file, {{-5, 4, 10}, {1, 2, 10}}, {0, 6, 12});
}

TEST(TfliteSixteenBits, computeSigmoidsInFloatingPoint) {
    const auto file = [](Code code, float scale) {
        return operatorFile(code, {shorts({3}, 0x1p-12F)}, {shorts({3}, scale)});
    };
    // sigmoid and tanh of 0, 1 and -1.
    const Shorts inputs{0, 4096, -4096};
    expectResult<std::int16_t, std::int16_t>(file(Code::LOGISTIC, 0x1p-15F), {inputs},
                                             {16'384, 23'955, 8'813});
    expectResult<std::int16_t, std::int16_t>(file(Code::TANH, 0x1p-15F), {inputs},
                                             {0, 24'956, -24'956});
    expectResult<std::int16_t, std::int16_t>(file(Code::LOGISTIC, 0x1p-14F), {inputs},
                                             {8'192, 11'978, 4'406});
}

TEST(TfliteSixteenBits, computeSoftmax) {
    const FileSpec file =
        operatorFile(Code::SOFTMAX, {shorts({2, 3}, 0x1p-12F)}, {shorts({2, 3}, 0x1p-15F)},
                     BuiltinOptions::SoftmaxOptions, optionsOf(schema::CreateSoftmaxOptions, 1.0F));
    EXPECT_EQ(operations(file), only(SOFTMAX_16));
    const auto result = outputsOfRun<std::int16_t, std::int16_t>(
        imported(file), {{0, 0, 4096, -32'768, 0, 32'767}});
    // 0.21194, 0.21194, 0.57612; 0, 0.00033, 0.99966.
    EXPECT_EQ(result.at(0), (Shorts{6946, 6946, 18878, 2, 11, 32754}));
}

TEST(TfliteSixteenBits, computeSoftmaxOfEightBitsInFloatingPoint) {
    const FileSpec file =
        operatorFile(Code::SOFTMAX, {quantized({2, 3}, TensorType::INT8, 0x1p-4F, 0)},
                     {shorts({2, 3}, 0x1p-15F)}, BuiltinOptions::SoftmaxOptions,
                     optionsOf(schema::CreateSoftmaxOptions, 1.0F));
    EXPECT_EQ(operations(file), (std::vector{OperationType::DEQUANTIZE, OperationType::SOFTMAX,
                                             extensionOperation(RESCALE_16)}));
    const auto result =
        outputsOfRun<std::int16_t, std::int8_t>(imported(file), {{0, 0, 16, -128, 0, 127}});
    // 0.21194, 0.21194, 0.57612; 0, 0.00036, 0.99964.
    const Shorts expected{6945, 6945, 18878, 0, 12, 32756};
    ASSERT_EQ(result.at(0).size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(result[0][i], expected[i], 1);
    }
}

TEST(TfliteSixteenBits, clampAndBend) {
    const Shorts inputs{-3, 5, 300};
    expectResult<std::int16_t, std::int16_t>(
        operatorFile(Code::RELU, {shorts({3}, 0.5F)}, {shorts({3}, 0.25F)}), {inputs},
        {0, 10, 600});
    expectResult<std::int16_t, std::int16_t>(
        operatorFile(Code::RELU6, {shorts({3}, 0.5F)}, {shorts({3}, 0.25F)}), {inputs},
        {0, 10, 24});
    const FileSpec leaky = operatorFile(Code::LEAKY_RELU, {shorts({3}, 0.5F)}, {shorts({3}, 0.25F)},
                                        BuiltinOptions::LeakyReluOptions,
                                        optionsOf(schema::CreateLeakyReluOptions, 0.5F));
    EXPECT_EQ(operations(leaky), only(LEAKY_RELU_16));
    expectResult<std::int16_t, std::int16_t>(leaky, {inputs}, {-3, 10, 600});
}

TEST(TfliteSixteenBits, pool) {
    const auto file = [](Code code) {
        return operatorFile(
            code, {shorts({1, 1, 3, 1}, 0.5F)}, {shorts({1, 1, 2, 1}, 0.5F)},
            BuiltinOptions::Pool2DOptions,
            optionsOf(schema::CreatePool2DOptions, schema::Padding::SAME, 2, 1, 2, 1, kNone));
    };
    EXPECT_EQ(operations(file(Code::AVERAGE_POOL_2D)), only(AVERAGE_POOL_2D_16));
    // Halves are rounded away from 0; the last window has one element.
    expectResult<std::int16_t, std::int16_t>(file(Code::AVERAGE_POOL_2D), {{-1, -2, 9}}, {-2, 9});
    expectResult<std::int16_t, std::int16_t>(file(Code::MAX_POOL_2D), {{-1, -2, -9}}, {-1, -9});
}

TEST(TfliteSixteenBits, areMadeFromOtherNumbersAndBack) {
    expectResult<std::int16_t, float>(
        operatorFile(Code::QUANTIZE, {real({5})}, {shorts({5}, 0.5F)}),
        {{0.25F, -0.25F, 1.0F, 1e9F, NAN}}, {1, -1, 2, 32'767, 0});
    expectResult<float, std::int16_t>(
        operatorFile(Code::DEQUANTIZE, {shorts({2}, 0.5F)}, {real({2})}), {{3, -32'768}},
        {1.5F, -16'384.0F});
    const Argument small = quantized({3}, TensorType::INT8, 0.5F, -3);
    expectResult<std::int8_t, std::int16_t>(
        operatorFile(Code::QUANTIZE, {shorts({3}, 0.25F)}, {small}), {{2, 3, 30'000}},
        {-2, -1, 127});
    expectResult<std::int16_t, std::int8_t>(
        operatorFile(Code::QUANTIZE, {small}, {shorts({3}, 0.25F)}), {{-3, 0, 127}}, {0, 6, 260});
    // Halves are rounded away from 0.
    expectResult<std::int16_t, std::int16_t>(
        operatorFile(Code::QUANTIZE, {shorts({4}, 0.25F)}, {shorts({4}, 1.0F)}), {{-6, -2, 2, 6}},
        {-2, -1, 1, 2});
    expectResult<float, std::int16_t>(operatorFile(Code::CAST, {shorts({2}, 0.5F)}, {real({2})}),
                                      {{3, -7}}, {3.0F, -7.0F});
}

TEST(TfliteSixteenBits, areComputedInFloatingPointWhereTheExtensionHasNothing) {
    const FileSpec file = operatorFile(Code::ABS, {shorts({2}, 0.5F)}, {shorts({2}, 0.25F)});
    EXPECT_EQ(operations(file), (std::vector{extensionOperation(RESCALE_16), OperationType::ABS,
                                             extensionOperation(RESCALE_16)}));
    expectResult<std::int16_t, std::int16_t>(file, {{-3, 5}}, {6, 10});
    const FileSpec most = operatorFile(Code::REDUCE_MAX, {shorts({2, 2}, 0.5F), ints({1})},
                                       {shorts({2}, 0.5F)}, BuiltinOptions::ReducerOptions,
                                       optionsOf(schema::CreateReducerOptions, false));
    expectResult<std::int16_t, std::int16_t>(most, {{-3, -5, 7, 2}}, {-3, 7});
}

/// Models of clients use the operations directly.
TEST(TfliteSixteenBits, refuseOperandsThatDoNotFitEachOther) {
    constexpr auto kShorts = OperandType::TENSOR_QUANT16_SYMM;
    const auto refusalOf = [](Dimensions filter, std::uint32_t channels, float zeroPoint,
                              std::int32_t stride) {
        ModelBuilder builder;
        builder.addExtension(tflite_operations::kExtensionName, kExtensionPrefix);
        const auto image = builder.addTensor(kShorts, {1, 4, 4, 2}, 0.5F);
        const Bytes bytes(
            operandBytes(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, filter).value_or(0));
        const auto weights =
            builder.addConstant(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, filter,
                                exec::bytesOf(bytes), 1.0F, static_cast<std::int32_t>(zeroPoint));
        const auto scales =
            builder.addConstant(OperandType::TENSOR_FLOAT32, {1}, exec::bytesOf(Floats{1.0F}));
        const auto bias = builder.addConstant(OperandType::TENSOR_INT32, {channels},
                                              exec::bytesOf(std::vector<std::int32_t>(channels)));
        const auto output = builder.addTensor(kShorts, {0, 0, 0, 0}, 0.5F);
        builder.addOperation(extensionOperation(CONV_2D_16X8),
                             {image, weights, scales, bias, builder.addScalar(true),
                              builder.addScalar(0), builder.addScalar(2), builder.addScalar(stride),
                              builder.addScalar(1), builder.addScalar(1), builder.addScalar(1)},
                             {output});
        const auto compiled = exec::CompiledModel::compile(
            exec::makeEngine(false), resolved(exec::build(builder, {image}, {output})));
        return compiled ? std::string() : compiled.error().message;
    };
    EXPECT_EQ(refusalOf({3, 2, 2, 2}, 3, 0, 1), "");
    EXPECT_NE(refusalOf({3, 2, 2, 3}, 3, 0, 1).find("must have the same channels"),
              std::string::npos);
    EXPECT_NE(refusalOf({3, 2, 2, 2}, 2, 0, 1).find("must be one for each"), std::string::npos);
    EXPECT_NE(refusalOf({3, 2, 2, 2}, 3, 1, 1).find("zero point 1; must be 0"), std::string::npos);
    EXPECT_NE(refusalOf({3, 5, 2, 2}, 3, 0, 1).find("must not be larger"), std::string::npos);
    EXPECT_NE(refusalOf({3, 2, 2, 2}, 3, 0, 0).find("must be from 1 to"), std::string::npos);
}

/// The error of `operation` with this activation, which is the last of its inputs; "" if it is
/// taken.
std::string errorOfActivation(tflite_operations::Code operation, std::int32_t activation) {
    constexpr auto kShorts = OperandType::TENSOR_QUANT16_SYMM;
    ModelBuilder builder;
    builder.addExtension(tflite_operations::kExtensionName, kExtensionPrefix);
    const auto image = builder.addTensor(kShorts, {1, 1, 1, 1}, 0.5F);
    std::vector<std::uint32_t> inputs{image};
    if (operation == FULLY_CONNECTED_16X8) {
        inputs.push_back(builder.addConstant(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {1, 1},
                                             exec::bytesOf(Bytes{1}), 1.0F));
        inputs.push_back(
            builder.addConstant(OperandType::TENSOR_FLOAT32, {1}, exec::bytesOf(Floats{1.0F})));
        inputs.push_back(builder.addConstant(OperandType::TENSOR_INT32, {1},
                                             exec::bytesOf(std::vector<std::int32_t>{0})));
        inputs.push_back(builder.addScalar(true));
    } else if (operation == MAX_POOL_2D_16) {
        for (int i = 0; i < 5; ++i) {  // padding SAME, strides and sizes of 1
            inputs.push_back(builder.addScalar(1));
        }
    } else if (operation != CLAMP_16) {
        inputs.push_back(image);
    }
    inputs.push_back(builder.addScalar(activation));
    const auto output = builder.addTensor(kShorts, {0, 0, 0, 0}, 0.5F);
    builder.addOperation(extensionOperation(operation), inputs, {output});
    const auto compiled = exec::CompiledModel::compile(
        exec::makeEngine(false), resolved(exec::build(builder, {image}, {output})));
    return compiled ? std::string() : compiled.error().message;
}

TEST(TfliteSixteenBits, refuseActivationsThatTheHalDoesNotHave) {
    for (const tflite_operations::Code operation :
         {ADD_16, SUB_16, MUL_16, CLAMP_16, MAX_POOL_2D_16, FULLY_CONNECTED_16X8}) {
        EXPECT_EQ(errorOfActivation(operation, 3), "");
        for (const std::int32_t activation : {-1, 4}) {
            EXPECT_NE(errorOfActivation(operation, activation)
                          .find("activation " + std::to_string(activation) + "; must be"),
                      std::string::npos)
                << static_cast<int>(operation);
        }
    }
}

}  // namespace
}  // namespace nnburst::sixteen_bits_test
