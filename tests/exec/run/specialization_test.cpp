// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Models whose input shapes come with the request.

#include <gtest/gtest.h>

#include <string>

#include "support/kernel_comparison.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
constexpr std::uint32_t kChannels = 3;

/// Convolutions of 3x3 with stride 2, of 1x1, depthwise of 3x3, then the mean over 2x2, of images
/// whose batch, height and width are open.
Model imageModel(const Dimensions& input, const Dimensions& output) {
    Random random(5);
    ModelBuilder builder;
    const auto constant = [&](const Dimensions& dimensions) {
        return builder.addConstant(kFloat, dimensions,
                                   random.elements(kFloat, Shape(dimensions).elementCount()));
    };
    const auto scalars = [&](std::vector<std::uint32_t> inputs,
                             std::initializer_list<std::int32_t> values) {
        for (const std::int32_t value : values) {
            inputs.push_back(builder.addScalar(value));
        }
        return inputs;
    };
    const auto x = builder.addTensor(kFloat, input);
    const auto a = builder.addTensor(kFloat, {});
    const auto b = builder.addTensor(kFloat, {});
    const auto c = builder.addTensor(kFloat, {});
    const auto y = builder.addTensor(kFloat, output);
    builder.addOperation(OperationType::CONV_2D,
                         scalars({x, constant({8, 3, 3, kChannels}), constant({8})}, {1, 2, 2, 1}),
                         {a});
    builder.addOperation(OperationType::CONV_2D,
                         scalars({a, constant({8, 1, 1, 8}), constant({8})}, {1, 1, 1, 0}), {b});
    builder.addOperation(OperationType::DEPTHWISE_CONV_2D,
                         scalars({b, constant({1, 3, 3, 8}), constant({8})}, {1, 1, 1, 1, 3}), {c});
    builder.addOperation(OperationType::AVERAGE_POOL_2D, scalars({c}, {1, 2, 2, 2, 2, 0}), {y});
    auto model = builder.build({x}, {y});
    EXPECT_TRUE(model) << model.error().message;
    return *model;
}

Dimensions outputDimensions(const Dimensions& image) {
    const auto quarter = [](std::uint32_t size) { return ((size + 1) / 2 + 1) / 2; };
    return {image[0], quarter(image[1]), quarter(image[2]), 8};
}

/// Runs an image of `dimensions` through an open model and through one of these dimensions.
void expectAsIfMadeForIt(CompiledModel& open, const Dimensions& dimensions, std::uint32_t seed) {
    SCOPED_TRACE(dimensionsText(dimensions));
    const auto fixed = compile(imageModel(dimensions, outputDimensions(dimensions)), false);
    ASSERT_TRUE(fixed);
    TestRequest expected = randomRequest(*fixed, seed);
    ASSERT_TRUE(expected.run(*fixed));
    TestRequest request;
    request.addInput(expected.input(0), dimensions);
    request.addOutput(expected.output(0).size());
    const auto run = request.run(open);
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(request.outcome().outputShapes.size(), 1U);
    EXPECT_EQ(request.outcome().outputShapes[0].dimensions, outputDimensions(dimensions));
    expectClose(kFloat, request.output(0), expected.output(0));
}

TEST(Specialization, batchesAlternate) {
    const auto open = compile(imageModel({0, 10, 10, kChannels}, {0, 3, 3, 8}), true);
    for (std::uint32_t round = 0; round < 4; ++round) {
        for (const std::uint32_t batches : {1U, 4U, 2U, 4U}) {
            expectAsIfMadeForIt(*open, {batches, 10, 10, kChannels}, round);
        }
    }
}

TEST(Specialization, imageSizesAlternateMoreThanAreKept) {
    const auto open = compile(imageModel({0, 0, 0, kChannels}, {}), true);
    for (std::uint32_t round = 0; round < 3; ++round) {
        for (std::uint32_t size = 1; size <= 12; ++size) {
            expectAsIfMadeForIt(*open, {1 + size % 2, size, 2 * size, kChannels}, round);
        }
    }
}

/// A convolution of unsigned 8-bit images, whose filter has a scale for each channel.
Model perChannelModel(std::uint32_t batches, bool isNchw) {
    constexpr auto kBytes = OperandType::TENSOR_QUANT8_ASYMM;
    const auto image = [&](std::uint32_t channels) {
        return isNchw ? Dimensions{batches, channels, 6, 6} : Dimensions{batches, 6, 6, channels};
    };
    Random random(5);
    ModelBuilder builder;
    const auto x = builder.addTensor(kBytes, image(2), 0.1F, 128);
    constexpr auto kWeights = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
    const auto filter = builder.addConstant(
        kWeights, {4, 3, 3, 2}, random.elements(kWeights, std::size_t{4} * 3 * 3 * 2), 0.0F, 0,
        SymmPerChannelQuantParams{.scales = {0.01F, 0.02F, 0.03F, 0.04F}, .channelDim = 0});
    constexpr auto kSums = OperandType::TENSOR_INT32;
    const auto bias = builder.addConstant(kSums, {4}, random.elements(kSums, 4));
    const auto y = builder.addTensor(kBytes, image(4), 0.5F, 128);
    builder.addOperation(OperationType::CONV_2D,
                         {x, filter, bias, builder.addScalar(1), builder.addScalar(1),
                          builder.addScalar(1), builder.addScalar(0), builder.addScalar(isNchw)},
                         {y});
    return build(builder, {x}, {y});
}

TEST(Specialization, batchesOfAConvertedConvolutionAlternate) {
    for (const bool isNchw : {false, true}) {
        // Our own kernels convolve NHWC images without conversion.
        const auto open =
            CompiledModel::compile(makeEngine(true, 1, isNchw), perChannelModel(0, isNchw));
        ASSERT_TRUE(open) << open.error().message;
        for (const std::uint32_t batches : {1U, 2U, 1U}) {
            SCOPED_TRACE(batches);
            const auto fixed = compile(perChannelModel(batches, isNchw), false);
            ASSERT_TRUE(fixed);
            TestRequest expected = randomRequest(*fixed, batches);
            ASSERT_TRUE(expected.run(*fixed));
            TestRequest request;
            request.addInput(expected.input(0), fixed->inputs()[0].dimensions);
            request.addOutput(expected.output(0).size());
            const auto run = request.run(**open);
            ASSERT_TRUE(run) << run.error().message;
            expectClose(OperandType::TENSOR_QUANT8_ASYMM, request.output(0), expected.output(0));
        }
    }
}

TEST(Specialization, ofUnknownRankIsFoundFromTheRequest) {
    const auto open = compile(imageModel({}, {}), true);
    expectAsIfMadeForIt(*open, {2, 6, 6, kChannels}, 1);
}

TEST(Specialization, aShapeThatDoesNotFitIsAnErrorOfItsRunAlone) {
    const auto open = compile(imageModel({}, {}), true);
    TestRequest request;
    request.addInput(std::vector<std::byte>(96), {2, 12});
    request.addOutput(1000);
    const auto run = request.run(*open);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().status, ErrorStatus::INVALID_ARGUMENT) << run.error().message;
    expectAsIfMadeForIt(*open, {1, 5, 5, kChannels}, 1);
}

TEST(Specialization, anUnknownInputDimensionMustComeWithTheRequest) {
    const auto open = compile(imageModel({0, 10, 10, kChannels}, {}), true);
    TestRequest request;
    request.addInput(std::vector<std::byte>(1200));
    request.addOutput(1000);
    const auto run = request.run(*open);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().status, ErrorStatus::INVALID_ARGUMENT) << run.error().message;
}

TEST(Specialization, anOutputThatIsTooSmallIsToldItsShape) {
    const auto open = compile(imageModel({0, 8, 8, kChannels}, {}), true);
    TestRequest request;
    request.addInput(std::vector<std::byte>(std::size_t{3} * 8 * 8 * kChannels * sizeof(float)),
                     {3, 8, 8, kChannels});
    request.addOutput(3 * 2 * 2 * 8 * sizeof(float) - 1);
    const auto run = request.run(*open);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    const std::vector<OutputShape> shapes{{{3, 2, 2, 8}, false}};
    EXPECT_EQ(request.outcome().outputShapes, shapes);
}

}  // namespace
}  // namespace nnburst::exec
