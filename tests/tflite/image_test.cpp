// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Import of layers: convolutions, pools, fully connected ones, and operators on images.

#include <gtest/gtest.h>

#include <algorithm>

#include "tflite_test.h"

namespace nnburst::image_test {
namespace {

using namespace tflite;
using enum OperationType;
using Operations = std::vector<OperationType>;
using Floats = std::vector<std::vector<float>>;
using Integers = std::vector<std::int32_t>;

constexpr auto kNone = schema::ActivationFunctionType::NONE;
constexpr auto kInt8 = TensorType::INT8;

Argument floatConstant(const std::vector<std::int32_t>& shape) {
    std::size_t count = 1;
    for (const std::int32_t size : shape) {
        count *= static_cast<std::size_t>(size);
    }
    return reals(shape, std::vector<float>(count, 1.0F));
}

/// INT8 weights with scales 0.5, 1, 1.5 ... along `axis`.
Argument perChannel(const std::vector<std::int32_t>& shape, std::int32_t axis) {
    std::size_t count = 1;
    for (const std::int32_t size : shape) {
        count *= static_cast<std::size_t>(size);
    }
    Argument weights = withContents(tensorOf(shape, kInt8), std::vector<std::uint8_t>(count, 1));
    for (std::int32_t i = 0; i < shape[static_cast<std::size_t>(axis)]; ++i) {
        weights.tensor.scales.push_back(0.5F * static_cast<float>(i + 1));
    }
    weights.tensor.quantizedDimension = axis;
    return weights;
}

FileSpec conv(const Argument& image, const Argument& filter, std::int32_t dilation = 1) {
    return operatorFile(Code::CONV_2D, {image, filter}, {real({})}, BuiltinOptions::Conv2DOptions,
                        optionsOf(schema::CreateConv2DOptions, schema::Padding::VALID, 1, 1, kNone,
                                  dilation, dilation));
}

TEST(TfliteConvolution, keepsGroupsOfChannelsApart) {
    const TfliteModel result = imported(conv(real({1, 4, 4, 6}), floatConstant({4, 2, 2, 3})));
    EXPECT_EQ(operationsOf(result), Operations{GROUPED_CONV_2D});
    EXPECT_EQ(result.model.main.operations[0].inputs.size(), 9U);
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 6)), 2);
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{1, 3, 3, 4}));
    EXPECT_EQ(refusal(conv(real({1, 4, 4, 6}), floatConstant({4, 2, 2, 4}))),
              "operator 0 (CONV_2D): input of shape 1x4x4x6, filter of 4x2x2x4: the input's "
              "channels must be a multiple of the filter's");
}

TEST(TfliteConvolution, keepsGroupsOfChannelsApartThatAreDilated) {
    // The corners of an image of 3x3 with two channels: 1, 2 and 10, 20 in the upper ones.
    std::vector<float> image(18, 9.0F);
    image[0] = 1;
    image[1] = 2;
    image[4] = 10;
    image[5] = 20;
    image[12] = image[13] = image[16] = image[17] = 0;
    const Argument filter = reals({2, 2, 2, 1}, {1, 1, 1, 1, 2, 3, 0, 0});
    const FileSpec reals = conv(real({1, 3, 3, 2}), filter, 2);
    EXPECT_EQ(operationsOf(imported(reals)),
              (Operations{SPLIT, SPLIT, SPLIT, CONV_2D, CONV_2D, CONCATENATION}));
    EXPECT_EQ(outputOf(imported(reals)).dimensions, (Dimensions{1, 1, 1, 2}));
    expectComputes<float, float>(reals, {image}, {{11, 64}});

    // Filters of 1 and 2, with scales of 0.5 and 1.
    FileSpec bytes = conv(quantized({1, 3, 3, 2}, kInt8, 1.0F, 0), perChannel({2, 2, 2, 1}, 0), 2);
    std::fill_n(bytes.buffers[1].begin() + 4, 4, std::uint8_t{2});
    bytes.tensors.back() = quantized({1, 1, 1, 2}, kInt8, 0.5F, 0).tensor;
    EXPECT_EQ(operationsOf(imported(bytes)),
              (Operations{SPLIT, SPLIT, CONV_2D, CONV_2D, CONCATENATION}));
    expectComputes<std::int8_t, std::int8_t>(
        bytes, {std::vector<std::int8_t>(image.begin(), image.end())}, {{11, 88}});

    EXPECT_EQ(refusal(conv(real({1, 4, 4, 6}), floatConstant({3, 2, 2, 3}), 2)),
              "operator 0 (CONV_2D): dilation of 2 groups of channels with 3 filters: must be at "
              "most 1024 groups, each of as many filters");
}

/// Convolutions that share a filter take no bytes of the file for its groups.
TEST(TfliteConvolution, refusesManyDilatedGroups) {
    FileSpec file = conv(real({1, 3, 3, 1024}), floatConstant({1024, 2, 2, 1}), 2);
    EXPECT_TRUE(importTflite(serialize(file)));
    for (std::int32_t i = 0; i < 10; ++i) {
        file.operators.push_back(file.operators[0]);
        file.operators.back().outputs = {static_cast<std::int32_t>(file.tensors.size())};
        file.tensors.push_back({});
    }
    EXPECT_NE(refusal(file).find("constants take more than"), std::string::npos);
}

TEST(TfliteConvolution, wantsScalesAlongTheChannels) {
    EXPECT_EQ(refusal(conv(quantized({1, 2, 2, 1}, kInt8, 1.0F, 0), perChannel({2, 2, 2, 1}, 1))),
              "operator 0 (CONV_2D): filter with scales along dimension 1: must be 0, that of the "
              "channels");
}

TEST(TfliteConvolution, dequantisesAHybridFilter) {
    EXPECT_EQ(operationsOf(imported(conv(real({1, 2, 2, 1}), perChannel({2, 2, 2, 1}, 0)))),
              (Operations{DEQUANTIZE, CONV_2D}));
}

TEST(TfliteConvolution, givesABiasTheScaleOfItsProductsWhereverItIsUsed) {
    FileSpec file = conv(
        quantized({1, 2, 2, 1}, kInt8, 0.5F, 0),
        withContents(quantized({2, 2, 2, 1}, kInt8, 0.5F, 0), std::vector<std::uint8_t>(8, 1)));
    file.tensors[2] = {.shape = {}, .type = kInt8, .scales = {1.0F}};
    file.tensors.push_back(
        {.shape = {2}, .type = TensorType::INT32, .buffer = 2, .scales = {0.2500001F}});
    file.buffers.push_back(bytesOf(Integers{7, 8}));
    file.operators[0].inputs = {0, 1, 3};
    const TfliteModel result = imported(file);
    EXPECT_EQ(inputAt(result, 2).scale, 0.25F);
    EXPECT_EQ(valuesOf<std::int32_t>(result, inputAt(result, 2)), (Integers{7, 8}));
}

/// INT8 weights with a scale for each channel, of which the second is 0.
Argument withScaleZero(const Integers& shape, std::int32_t axis,
                       const std::vector<std::int8_t>& values, float scale = 0.5F) {
    Argument weights = withContents(tensorOf(shape, kInt8), bytesOf(values));
    weights.tensor.scales = {scale, 0.0F};
    weights.tensor.zeroPoints = {0, 0};
    weights.tensor.quantizedDimension = axis;
    return weights;
}

std::vector<float> scalesOf(const TfliteModel& result) {
    return std::get<SymmPerChannelQuantParams>(inputAt(result, 1).extraParams).scales;
}

FileSpec convWithBias(const Argument& image, const Argument& filter, const Argument& bias,
                      const Argument& output) {
    return operatorFile(
        Code::CONV_2D, {image, filter, bias}, {output}, BuiltinOptions::Conv2DOptions,
        optionsOf(schema::CreateConv2DOptions, schema::Padding::VALID, 1, 1, kNone, 1, 1));
}

TEST(TfliteConvolution, givesChannelsOfScaleZeroTheZeroPoint) {
    const Argument image = quantized({1, 1, 2, 1}, kInt8, 1.0F, 0);
    const Argument output = quantized({1, 1, 2, 2}, kInt8, 0.5F, -5);
    for (const std::int32_t bias : {0, 1000}) {
        const FileSpec file =
            convWithBias(image, withScaleZero({2, 1, 1, 1}, 0, {3, 0}), ints({1, bias}), output);
        EXPECT_EQ(scalesOf(imported(file)), (std::vector<float>{0.5F, 0.5F}));
        expectComputes<std::int8_t, std::int8_t>(file, {{2, -4}}, {{2, -5, -16, -5}});
    }
    const FileSpec zeros =
        convWithBias(image, withScaleZero({2, 1, 1, 1}, 0, {0, 0}, 0.0F), ints({7, 1000}), output);
    EXPECT_EQ(scalesOf(imported(zeros)), (std::vector<float>{1.0F, 1.0F}));
    expectComputes<std::int8_t, std::int8_t>(zeros, {{2, -4}}, {{-5, -5, -5, -5}});
    EXPECT_EQ(
        refusal(convWithBias(image, withScaleZero({2, 1, 1, 1}, 0, {3, -1}), ints({1, 0}), output)),
        "operator 0 (CONV_2D): tensor 1 (\"tensor\"): element 1 is -1: must be 0, as channel "
        "1 has scale 0");
    EXPECT_EQ(refusal(convWithBias(image, withScaleZero({2, 1, 1, 1}, 0, {3, 0}),
                                   tensorOf({2}, TensorType::INT32), output)),
              "operator 0 (CONV_2D): input 2 (bias): must be constant, as channel 1 of the weights "
              "has scale 0");
}

TEST(TfliteConvolution, takesAScaleOfZeroOfAllWeights) {
    const auto weights = [](const std::vector<std::int32_t>& shape, TensorType type,
                            std::int64_t zeroPoint, const std::vector<std::uint8_t>& values) {
        return withContents(quantized(shape, type, 0.0F, zeroPoint), values);
    };
    const Argument zeros = weights({1, 1, 1, 1}, kInt8, 0, {0});
    const Argument output = quantized({1, 1, 2, 1}, kInt8, 0.5F, -5);
    expectComputes<std::int8_t, std::int8_t>(
        convWithBias(quantized({1, 1, 2, 1}, kInt8, 1.0F, 0), zeros, ints({1000}), output),
        {{2, -4}}, {{-5, -5}});
    expectComputes<float, float>(
        convWithBias(real({1, 1, 2, 1}), zeros, reals({1}, {0.25F}), real({1, 1, 2, 1})),
        {{2.0F, -4.0F}}, Floats{{0.25F, 0.25F}});
    // One scale for two channels.
    const Argument image = quantized({1, 1, 1, 1}, TensorType::UINT8, 1.0F, 0);
    const Argument bytes = quantized({1, 1, 1, 2}, TensorType::UINT8, 0.5F, 7);
    expectComputes<std::uint8_t, std::uint8_t>(
        convWithBias(image, weights({2, 1, 1, 1}, TensorType::UINT8, 130, {130, 130}),
                     ints({1, 1000}), bytes),
        {{9}}, {{7, 7}});
    EXPECT_EQ(refusal(convWithBias(image, weights({2, 1, 1, 1}, TensorType::UINT8, 130, {130, 131}),
                                   ints({1, 1000}), bytes)),
              "operator 0 (CONV_2D): tensor 1 (\"tensor\"): element 1 is 131: must be 130, as "
              "channel 0 has scale 0");
    EXPECT_NE(
        refusal(convWithBias(quantized({1, 1, 2, 1}, kInt8, 0.0F, 0), zeros, ints({0}), output))
            .find("scale 0: must be more than 0, as the tensor is not constant"),
        std::string::npos);
}

TEST(TfliteConvolution, givesChannelsOfScaleZeroTheBiasInFloatingPoint) {
    const FileSpec file = convWithBias(real({1, 1, 2, 1}), withScaleZero({2, 1, 1, 1}, 0, {3, 0}),
                                       reals({2}, {1.0F, 0.25F}), real({1, 1, 2, 2}));
    EXPECT_EQ(operationsOf(imported(file)), (Operations{DEQUANTIZE, CONV_2D}));
    expectComputes<float, float>(file, {{2.0F, -4.0F}}, Floats{{4.0F, 0.25F, -5.0F, 0.25F}});
}

TEST(TfliteConvolution, findsTheChannelsOfScaleZeroAlongAnyAxis) {
    // Windows of 2x1 pixels, each of two channels.
    const auto file = [](const std::vector<std::int8_t>& filter) {
        return operatorFile(Code::DEPTHWISE_CONV_2D,
                            {quantized({1, 2, 1, 2}, kInt8, 1.0F, 0),
                             withScaleZero({1, 2, 1, 2}, 3, filter), ints({1, 9})},
                            {quantized({1, 1, 1, 2}, kInt8, 0.5F, 0)},
                            BuiltinOptions::DepthwiseConv2DOptions,
                            optionsOf(schema::CreateDepthwiseConv2DOptions, schema::Padding::VALID,
                                      1, 1, kNone, 1, 1));
    };
    expectComputes<std::int8_t, std::int8_t>(file({1, 0, 2, 0}), {{10, 20, 30, 40}}, {{71, 0}});
    expectComputes<std::int8_t, std::int8_t>(
        convWithBias(quantized({1, 1, 1, 2}, kInt8, 1.0F, 0),
                     withScaleZero({2, 1, 1, 2}, 0, {3, 1, 0, 0}), ints({1, 0}),
                     quantized({1, 1, 1, 2}, kInt8, 0.5F, 0)),
        {{2, 5}}, {{12, 0}});
    EXPECT_EQ(
        refusal(file({0, 0, 0, 2})),
        "operator 0 (DEPTHWISE_CONV_2D): tensor 1 (\"tensor\"): element 3 is 2: must be 0, as "
        "channel 1 has scale 0");
}

/// A layer from 2 to 3 channels with the bias 10, 20, 30 ... of this shape.
FileSpec layerWithBias(Code code, TensorType type, const Integers& biasShape) {
    const bool isConvolution = code == Code::CONV_2D;
    const bool isFloat = type == TensorType::FLOAT32;
    const auto tensor = [&](const Integers& shape) {
        return isFloat ? real(shape) : quantized(shape, type, 1.0F, 0);
    };
    Integers biases;
    for (std::int32_t i = 1; i <= biasShape.back(); ++i) {
        biases.push_back(10 * i);
    }
    const Argument bias =
        isFloat ? reals(biasShape, {biases.begin(), biases.end()})
                : withContents(tensorOf(biasShape, TensorType::INT32), bytesOf(biases));
    const Argument weights =
        withContents(tensor(isConvolution ? Integers{3, 1, 1, 2} : Integers{3, 2}),
                     isFloat ? bytesOf(std::vector<float>{1, 2, 3, 4, 5, 6})
                             : std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6});
    if (isConvolution) {
        return convWithBias(tensor({1, 1, 1, 2}), weights, bias, tensor({1, 1, 1, 3}));
    }
    return operatorFile(code, {tensor({1, 2}), weights, bias}, {tensor({1, 3})},
                        BuiltinOptions::FullyConnectedOptions,
                        optionsOf(schema::CreateFullyConnectedOptions, kNone,
                                  schema::FullyConnectedWeightsFormat::DEFAULT, false));
}

TEST(TfliteConvolution, takesABiasOfAnyShapeAsAVector) {
    for (const Code code : {Code::CONV_2D, Code::FULLY_CONNECTED}) {
        for (const Integers& shape : {Integers{3}, Integers{1, 3}, Integers{1, 1, 1, 3}}) {
            const FileSpec floats = layerWithBias(code, TensorType::FLOAT32, shape);
            EXPECT_EQ(inputAt(imported(floats), 2).dimensions, Dimensions{3});
            expectComputes<float, float>(floats, {{1.0F, 1.0F}}, Floats{{13.0F, 27.0F, 41.0F}});
            const FileSpec bytes = layerWithBias(code, kInt8, shape);
            EXPECT_EQ(inputAt(imported(bytes), 2).dimensions, Dimensions{3});
            expectComputes<std::int8_t, std::int8_t>(bytes, {{1, 1}}, {{13, 27, 41}});
        }
        for (const TensorType type : {TensorType::FLOAT32, kInt8}) {
            EXPECT_EQ(refusal(layerWithBias(code, type, {1, 4})),
                      std::string("operator 0 (") + schema::EnumNameBuiltinOperator(code) +
                          "): input 2 (bias) of shape 1x4: must have 3 elements, one for each "
                          "channel");
        }
    }
}

TEST(TfliteConvolution, reshapesABiasThatIsComputed) {
    FileSpec file = layerWithBias(Code::FULLY_CONNECTED, TensorType::FLOAT32, {1, 3});
    file.tensors[2].buffer = 0;
    file.inputs.push_back(2);
    EXPECT_EQ(operationsOf(imported(file)), (Operations{RESHAPE, FULLY_CONNECTED}));
    expectComputes<float, float>(file, {{1.0F, 1.0F}, {10.0F, 20.0F, 30.0F}},
                                 Floats{{13.0F, 27.0F, 41.0F}});
}

FileSpec transposeConv(const Argument& shape, const std::vector<Argument>& more = {}) {
    std::vector<Argument> inputs{shape, floatConstant({2, 3, 3, 1}), real({1, 2, 2, 1})};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return operatorFile(Code::TRANSPOSE_CONV, inputs, {real({})},
                        BuiltinOptions::TransposeConvOptions,
                        optionsOf(schema::CreateTransposeConvOptions, schema::Padding::VALID, 2, 3,
                                  schema::ActivationFunctionType::RELU));
}

TEST(TfliteConvolution, transposesWithTheShapeOfTheOutput) {
    const TfliteModel result = imported(transposeConv(ints({1, 6, 5, 2})));
    EXPECT_EQ(operationsOf(result), Operations{TRANSPOSE_CONV_2D});
    ASSERT_EQ(result.model.main.operations[0].inputs.size(), 9U);
    EXPECT_EQ(inputAt(result, 0).dimensions, (Dimensions{1, 2, 2, 1}));
    EXPECT_EQ(inputAt(result, 1).dimensions, (Dimensions{2, 3, 3, 1}));
    EXPECT_EQ(inputAt(result, 2).dimensions, Dimensions{2});  // no bias
    EXPECT_EQ(valuesOf<std::int32_t>(result, inputAt(result, 3)), (Integers{1, 6, 5, 2}));
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 4)), 2);  // VALID
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 5)), 2);  // width
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 6)), 3);  // height
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 7)), 1);  // RELU
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{1, 6, 5, 2}));
    const TfliteModel biased = imported(transposeConv(ints({1, 6, 5, 2}), {reals({2}, {1, 2})}));
    EXPECT_EQ(valuesOf<float>(biased, inputAt(biased, 2)), (std::vector<float>{1, 2}));
    EXPECT_EQ(refusal(transposeConv(ints({1, 6, 0, 2}))),
              "operator 0 (TRANSPOSE_CONV): output of size 0: must be at least 1");
}

/// A transposed convolution without padding of a column of pixels, with the bias 10.
FileSpec transposedColumn(const Argument& image, const Argument& filter, const Argument& bias,
                          std::int32_t rows, std::int32_t stride, Argument output) {
    output.tensor.shape = {1, rows, 1, 1};
    return operatorFile(
        Code::TRANSPOSE_CONV, {ints({1, rows, 1, 1}), filter, image, bias}, {output},
        BuiltinOptions::TransposeConvOptions,
        optionsOf(schema::CreateTransposeConvOptions, schema::Padding::VALID, 1, stride, kNone));
}

TEST(TfliteConvolution, givesTheBiasWhereNoTransposedWindowReaches) {
    const Argument bias = reals({1}, {10.0F});
    expectComputes<float, float>(
        transposedColumn(real({1, 4, 1, 1}), reals({1, 1, 1, 1}, {2}), bias, 12, 3, real({})),
        {{1, 2, 3, 4}}, Floats{{12, 10, 10, 14, 10, 10, 16, 10, 10, 18, 10, 10}});
    const Floats sums{{11, 12, 15, 14, 16, 10}};
    expectComputes<float, float>(
        transposedColumn(real({1, 2, 1, 1}), reals({1, 3, 1, 1}, {1, 2, 3}), bias, 6, 2, real({})),
        {{1, 2}}, sums);
    const Argument filter = withContents(quantized({1, 3, 1, 1}, kInt8, 1.0F, 0), {1, 2, 3});
    expectComputes<float, float>(transposedColumn(real({1, 2, 1, 1}), filter, bias, 6, 2, real({})),
                                 {{1, 2}}, sums);
}

TEST(TfliteConvolution, givesTheBiasWhereNoQuantisedTransposedWindowReaches) {
    const std::vector<std::int8_t> sums{11, 12, 15, 14, 16, 10};
    for (const std::int64_t zeroPoint : {0, 7}) {
        const Argument image = quantized({1, 2, 1, 1}, TensorType::UINT8, 1.0F, 3);
        const auto byte = [&](int value) {
            return static_cast<std::uint8_t>(value + static_cast<int>(zeroPoint));
        };
        const Argument filter =
            withContents(quantized({1, 3, 1, 1}, TensorType::UINT8, 1.0F, zeroPoint),
                         {byte(1), byte(2), byte(3)});
        expectComputes<std::uint8_t, std::uint8_t>(
            transposedColumn(image, filter, ints({10}), 6, 2,
                             quantized({}, TensorType::UINT8, 1.0F, 0)),
            {{4, 5}}, {{sums.begin(), sums.end()}});
    }
    // Two channels with scales of 0.5 and 1, and two columns.
    FileSpec file =
        transposedColumn(quantized({1, 1, 1, 1}, kInt8, 0.5F, 0), perChannel({2, 2, 1, 1}, 0),
                         ints({4, 8}), 3, 2, quantized({}, kInt8, 0.5F, 0));
    std::copy_n(bytesOf(std::vector<std::int8_t>{1, 2, 3, 4}).begin(), 4, file.buffers[2].begin());
    file.buffers[1] = bytesOf(Integers{1, 3, 2, 2});
    file.tensors[4].shape = {1, 3, 2, 2};
    expectComputes<std::int8_t, std::int8_t>(file, {{4}}, {{4, 20, 2, 8, 6, 24, 2, 8, 2, 8, 2, 8}});
}

// ---- Fully connected layers

FileSpec dense(const Argument& input, const Argument& weights, const Argument& output,
               bool keepsDimensions = false) {
    return operatorFile(Code::FULLY_CONNECTED, {input, weights, leftOut()}, {output},
                        BuiltinOptions::FullyConnectedOptions,
                        optionsOf(schema::CreateFullyConnectedOptions, kNone,
                                  schema::FullyConnectedWeightsFormat::DEFAULT, keepsDimensions));
}

TEST(TfliteFullyConnected, keepsDimensionsByReshaping) {
    const FileSpec file = dense(real({2, 1, 3}), floatConstant({4, 3}), real({}), true);
    const TfliteModel result = imported(file);
    EXPECT_EQ(operationsOf(result), (Operations{FULLY_CONNECTED, RESHAPE}));
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{2, 1, 4}));
    expectComputes<float, float>(file, {{1, 2, 3, 4, 5, 6}}, Floats{{6, 6, 6, 6, 15, 15, 15, 15}});
    EXPECT_EQ(operationsOf(imported(dense(real({3}), floatConstant({4, 3}), real({})))),
              (Operations{RESHAPE, FULLY_CONNECTED}));
}

TEST(TfliteFullyConnected, isAConvolutionIfItsWeightsAreQuantisedPerChannel) {
    const Argument output = quantized({}, kInt8, 1.0F, 0);
    const FileSpec file = dense(quantized({2, 3}, kInt8, 1.0F, 0), perChannel({2, 3}, 0), output);
    const TfliteModel result = imported(file);
    EXPECT_EQ(operationsOf(result), (Operations{RESHAPE, CONV_2D, RESHAPE}));
    EXPECT_EQ(inputAt(result, 1, 1).dimensions, (Dimensions{2, 1, 1, 3}));
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{2, 2}));
    expectComputes<std::int8_t, std::int8_t>(file, {{2, 4, 6, 10, 10, 20}}, {{6, 12, 20, 40}});
    EXPECT_EQ(refusal(dense(quantized({2, 3}, kInt8, 1.0F, 0), perChannel({2, 3}, 1), output)),
              "operator 0 (FULLY_CONNECTED): weights with scales along dimension 1: must be 0, "
              "that of the units");
}

TEST(TfliteFullyConnected, sharesItsWeightsWithOperatorsThatTakeTheirShape) {
    // The rows have the elements 0.5 and 1. The layer is there twice.
    FileSpec file = dense(quantized({1, 3}, kInt8, 1.0F, 0), perChannel({2, 3}, 0),
                          quantized({}, kInt8, 0.5F, 0));
    file.buffers.push_back(bytesOf(Integers{1, 0, 1}));
    file.tensors.push_back(file.tensors[2]);
    file.tensors.push_back({.shape = {3}, .type = TensorType::INT32, .buffer = 2});
    file.tensors.push_back({.shape = {3, 3}});
    file.codes.push_back({.code = Code::EMBEDDING_LOOKUP});
    const OperatorSpec layer = file.operators[0];
    const OperatorSpec lookup{.opcodeIndex = 1, .inputs = {4, 1}, .outputs = {5}};
    OperatorSpec again = layer;
    again.outputs = {3};
    for (const bool isFirst : {false, true}) {
        file.operators =
            isFirst ? std::vector{lookup, layer, again} : std::vector{layer, lookup, again};
        file.outputs = {5};
        expectComputes<float, std::int8_t>(file, {{2, 4, 6}},
                                           Floats{{1, 1, 1, 0.5F, 0.5F, 0.5F, 1, 1, 1}});
        file.outputs = {2, 3};
        expectComputes<std::int8_t, std::int8_t>(file, {{2, 4, 6}}, {{12, 24}, {12, 24}});
    }
}

// ---- Images

TEST(TfliteImage, resizesToAConstantSize) {
    const auto bilinear = [](const Argument& size, bool aligns, bool centers) {
        return operatorFile(Code::RESIZE_BILINEAR, {real({1, 2, 2, 3}), size}, {real({})},
                            BuiltinOptions::ResizeBilinearOptions,
                            optionsOf(schema::CreateResizeBilinearOptions, aligns, centers));
    };
    const TfliteModel plain = imported(bilinear(ints({4, 5}), false, false));
    ASSERT_EQ(plain.model.main.operations[0].inputs.size(), 3U);
    EXPECT_EQ(valueOf<std::int32_t>(plain, inputAt(plain, 1)), 5);  // width
    EXPECT_EQ(valueOf<std::int32_t>(plain, inputAt(plain, 2)), 4);  // height
    EXPECT_EQ(outputOf(plain).dimensions, (Dimensions{1, 4, 5, 3}));
    const TfliteModel aligned = imported(bilinear(ints({4, 5}), true, false));
    ASSERT_EQ(aligned.model.main.operations[0].inputs.size(), 6U);
    EXPECT_EQ(valueOf<std::uint8_t>(aligned, inputAt(aligned, 4)), 1);
    EXPECT_EQ(valueOf<std::uint8_t>(aligned, inputAt(aligned, 5)), 0);
    EXPECT_EQ(refusal(bilinear(ints({0, 5}), false, false)),
              "operator 0 (RESIZE_BILINEAR): input 1 (size): must be height and width of at least "
              "1");
    const TfliteModel nearest =
        imported(operatorFile(Code::RESIZE_NEAREST_NEIGHBOR, {real({1, 2, 2, 3}), ints({4, 5})},
                              {real({})}, BuiltinOptions::ResizeNearestNeighborOptions,
                              optionsOf(schema::CreateResizeNearestNeighborOptions, false, true)));
    ASSERT_EQ(nearest.model.main.operations[0].inputs.size(), 6U);
    EXPECT_EQ(valueOf<std::uint8_t>(nearest, inputAt(nearest, 5)), 1);
}

TEST(TfliteImage, movesBlocksBetweenDepthAndSpace) {
    const FileSpec toSpace = operatorFile(Code::DEPTH_TO_SPACE, {real({1, 2, 2, 8})}, {real({})},
                                          BuiltinOptions::DepthToSpaceOptions,
                                          optionsOf(schema::CreateDepthToSpaceOptions, 2));
    EXPECT_EQ(outputOf(imported(toSpace)).dimensions, (Dimensions{1, 4, 4, 2}));
    const auto toDepth = [](std::int32_t block, const std::vector<std::int32_t>& shape) {
        return operatorFile(Code::SPACE_TO_DEPTH, {real(shape)}, {real({})},
                            BuiltinOptions::SpaceToDepthOptions,
                            optionsOf(schema::CreateSpaceToDepthOptions, block));
    };
    EXPECT_EQ(outputOf(imported(toDepth(2, {1, 4, 4, 2}))).dimensions, (Dimensions{1, 2, 2, 8}));
    EXPECT_EQ(refusal(toDepth(0, {1, 4, 4, 2})),
              "operator 0 (SPACE_TO_DEPTH): block size 0: must be at least 1");
    EXPECT_EQ(refusal(toDepth(2, {4, 4, 2})),
              "operator 0 (SPACE_TO_DEPTH): input of shape 4x4x2 is not supported: must have 4 "
              "dimensions");
}

Argument pairs(const Integers& values) {
    return withContents(tensorOf({2, 2}, TensorType::INT32), bytesOf(values));
}

TEST(TfliteImage, slicesOffWhatBatchToSpaceCrops) {
    const TfliteModel toBatch =
        imported(operatorFile(Code::SPACE_TO_BATCH_ND,
                              {real({1, 3, 2, 1}), ints({2, 2}), pairs({1, 0, 0, 0})}, {real({})}));
    EXPECT_EQ(operationsOf(toBatch), Operations{SPACE_TO_BATCH_ND});
    EXPECT_EQ(outputOf(toBatch).dimensions, (Dimensions{4, 2, 1, 1}));

    const auto toSpace = [](const Integers& crops) {
        return operatorFile(Code::BATCH_TO_SPACE_ND,
                            {real({4, 2, 1, 1}), ints({2, 2}), pairs(crops)}, {real({})});
    };
    EXPECT_EQ(operationsOf(imported(toSpace({0, 0, 0, 0}))), Operations{BATCH_TO_SPACE_ND});
    const FileSpec cropped = toSpace({1, 0, 0, 1});
    EXPECT_EQ(operationsOf(imported(cropped)), (Operations{BATCH_TO_SPACE_ND, STRIDED_SLICE}));
    EXPECT_EQ(outputOf(imported(cropped)).dimensions, (Dimensions{1, 3, 1, 1}));
    // Rows 0 4, 1 5 ... of the whole: 0 2 / 4 6 / 1 3 / 5 7, of which the first row goes.
    expectComputes<float, float>(cropped, {{0, 1, 2, 3, 4, 5, 6, 7}}, Floats{{4, 1, 5}});
    EXPECT_EQ(refusal(toSpace({1, 0, 0, -1})),
              "operator 0 (BATCH_TO_SPACE_ND): crops -1: must be at least 0");
}

TEST(TfliteImage, poolsWithItsWindow) {
    const TfliteModel result = imported(operatorFile(
        Code::L2_POOL_2D, {real({1, 4, 4, 2})}, {real({})}, BuiltinOptions::Pool2DOptions,
        optionsOf(schema::CreatePool2DOptions, schema::Padding::VALID, 1, 2, 3, 2, kNone)));
    EXPECT_EQ(operationsOf(result), Operations{L2_POOL_2D});
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 2)), 1);  // stride of the width
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 3)), 2);  // stride of the height
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 4)), 3);  // width
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 5)), 2);  // height
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{1, 2, 2, 2}));
}

}  // namespace
}  // namespace nnburst::image_test
