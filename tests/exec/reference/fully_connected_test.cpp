// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation fullyConnected(const TestOperand& input, const TestOperand& weights,
                             const TestOperand& bias, const TestOperand& output,
                             std::int32_t activation = 0) {
    return {OperationType::FULLY_CONNECTED, {input, weights, bias, scalar(activation)}, {output}};
}

TestOperation smallFullyConnected() {
    return fullyConnected(floats({2, 3}, {1, 2, 3, 4, 5, 6}),
                          floats({2, 3}, {1, 10, 100, -1, 0, 1}), floats({2}, {1000, -3}),
                          tensor(TENSOR_FLOAT32));
}

TEST(FullyConnected, multipliesEachRowWithEachUnit) {
    TestOperation operation = smallFullyConnected();
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2, 2}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{1321, -1, 1654, -1}));
    operation.inputs[3] = scalar(1);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{1321, 0, 1654, 0}));
}

TEST(FullyConnected, flattensItsInput) {
    TestOperation operation = smallFullyConnected();
    operation.inputs[0].dimensions = {1, 3, 1, 2};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2, 2}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{1321, -1, 1654, -1}));
}

TEST(FullyConnected, takesNoBatchesAtAll) {
    TestOperation operation = smallFullyConnected();
    operation.inputs[0] = floats({0, 3}, {});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 2}));
}

TEST(FullyConnected, sumsMoreTermsThanLanes) {
    std::vector<float> ones(37, 1.0F);
    std::vector<float> weights(37);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<float>(i);
    }
    TestOperation operation = fullyConnected(floats({1, 37}, ones), floats({1, 37}, weights),
                                             floats({1}, {0.5F}), tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{666.5F}));
}

TEST(FullyConnected, keepsDigitsOfSumsOfManyTerms) {
    constexpr std::uint32_t kTerms = 100'000;
    TestOperation operation = fullyConnected(floats({1, kTerms}, std::vector<float>(kTerms, 0.1F)),
                                             floats({1, kTerms}, std::vector<float>(kTerms, 1.0F)),
                                             floats({1}, {0}), tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_NEAR(operation.outputs[0].values<float>()[0], 10'000.0, 0.003);
}

TEST(FullyConnected, requantisesWithZeroPoints) {
    // (1, -1) * (2, 3) + 0.5 = -0.5 in steps of 0.125 around 128.
    TestOperation operation =
        fullyConnected(quant8({1, 2}, {12, 8}, 0.5F, 10), quant8({1, 2}, {108, 112}, 0.25F, 100),
                       int32s({1}, {4}, 0.125F), tensor(TENSOR_QUANT8_ASYMM, {}, 0.125F, 128));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(), (std::vector<std::uint8_t>{124}));
}

TEST(FullyConnected, givesSmallerStepsThanThoseOfTheProductsSinceV1_2) {
    for (const float scale : {0.0625F, 0.125F, 0.25F}) {
        TestOperation operation =
            fullyConnected(quant8({1, 1}, {11}, 0.5F, 10), quant8({1, 1}, {102}, 0.25F, 100),
                           int32s({1}, {0}, 0.125F), tensor(TENSOR_QUANT8_ASYMM, {}, scale, 100));
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.minimumVersion, scale > 0.125F ? HalVersion::V1_0 : HalVersion::V1_2);
        const auto steps = static_cast<std::uint8_t>(0.25F / scale);
        EXPECT_EQ(operation.outputs[0].values<std::uint8_t>()[0], 100 + steps);
    }
    TestOperation ofFloats = smallFullyConnected();
    ASSERT_EQ(ofFloats.refusal(), "");
    EXPECT_EQ(ofFloats.minimumVersion, HalVersion::V1_0);
}

TestOperation withBiasScale(float inputScale, float weightScale, float biasScale) {
    return fullyConnected(quant8({1, 1}, {11}, inputScale, 10),
                          quant8({1, 1}, {102}, weightScale, 100), int32s({1}, {0}, biasScale),
                          tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F, 100));
}

TEST(FullyConnected, takesBiasesOfTheProductOfTinyScales) {
    for (const float scale : {1e-20F, 1e-30F}) {  // the product is subnormal, or 0
        TestOperation operation = withBiasScale(scale, scale, scale * scale);
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[0].values<std::uint8_t>()[0], 100);
    }
    EXPECT_EQ(withBiasScale(0.5F, 0.25F, 0.25F).refusal(),
              "FULLY_CONNECTED input 2 (bias): scale 0.25; must be 0.125, the product of the "
              "scales 0.5 and 0.25");
}

TEST(FullyConnected, survivesSumsThatDoNotFit) {
    // 40,000 products of 255 * 255 wrap around 32 bits: some value, and no undefined behaviour.
    constexpr std::uint32_t kSize = 40'000;
    const std::vector<std::uint8_t> highest(kSize, 255);
    TestOperation operation =
        fullyConnected(quant8({1, kSize}, highest, 0.5F, 0), quant8({1, kSize}, highest, 0.5F, 0),
                       int32s({1}, {INT32_MAX}, 0.25F), tensor(TENSOR_QUANT8_ASYMM, {}, 0.25F, 0));
    EXPECT_EQ(operation.refusal(), "");
}

TEST(FullyConnected, refusesAnInputWithoutWholeRowsBeforeAllShapesAreKnown) {
    TestOperation operation =
        fullyConnected(tensor(TENSOR_FLOAT32, {2, 5}), tensor(TENSOR_FLOAT32, {0, 4}),
                       tensor(TENSOR_FLOAT32, {0}), tensor(TENSOR_FLOAT32));
    const Result<> checked = operation.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message,
              "FULLY_CONNECTED input 0 (input): 10 elements; must be a multiple of 4, the input "
              "size of the weights");
    for (const Dimensions& dimensions : {Dimensions{2, 6}, Dimensions{2, 0}, Dimensions{}}) {
        operation.inputs[0].dimensions = dimensions;
        EXPECT_TRUE(operation.check());
    }
}

TEST(FullyConnected, refusesOperandsThatBreakARule) {
    expectRefusals(
        smallFullyConnected,
        {
            {[](auto& o) { o.inputs.resize(3); }, "FULLY_CONNECTED: 3 inputs; must be 4"},
            {[](auto& o) { o.outputs.clear(); }, "FULLY_CONNECTED: 0 outputs; must be 1"},
            {[](auto& o) { o.inputs[1].type = TENSOR_FLOAT16; },
             "FULLY_CONNECTED input 1 (weights): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, "
             "that of input 0 (input)"},
            {[](auto& o) { o.inputs[0].dimensions = {6}; },
             "FULLY_CONNECTED input 0 (input): rank 1; must be 2 to 4"},
            {[](auto& o) {
                 o.inputs[0].dimensions = {1, 1, 1, 2, 3};
             },
             "FULLY_CONNECTED input 0 (input): rank 5; must be 2 to 4"},
            {[](auto& o) { o.inputs[1].dimensions = {6}; },
             "FULLY_CONNECTED input 1 (weights): rank 1; must be 2"},
            {[](auto& o) {
                 o.inputs[1].dimensions = {0, 3};
             },
             "FULLY_CONNECTED input 1 (weights): size 0 of axis 0; must be at least 1"},
            {[](auto& o) {
                 o.inputs[1].dimensions = {2, 0};
             },
             "FULLY_CONNECTED input 1 (weights): size 0 of axis 1; must be at least 1"},
            {[](auto& o) {
                 o.inputs[1].dimensions = {2, 4};
             },
             "FULLY_CONNECTED input 0 (input): 6 elements; must be a multiple of 4, the input "
             "size of the weights"},
            {[](auto& o) { o.inputs[2].dimensions = {3}; },
             "FULLY_CONNECTED input 2 (bias): size 3 of axis 0; must be 2, the number of units"},
            {[](auto& o) { o.outputs[0].dimensions = {2}; },
             "FULLY_CONNECTED output 0 (output): rank 1; must be 2"},
            {[](auto& o) { o.inputs[3] = scalar(-1); },
             "FULLY_CONNECTED input 3 (activation): value -1; must be at least 0"},
            {[](auto& o) { o.inputs[3].isConstant = false; },
             "FULLY_CONNECTED input 3 (activation): its value is not known yet"},
            {[](auto& o) {
                 o.outputShapes = {Shape{3, 2}};
             },
             "FULLY_CONNECTED output 0: shape 3x2; must be 2x2"},
        });
}

}  // namespace
}  // namespace nnburst::exec
