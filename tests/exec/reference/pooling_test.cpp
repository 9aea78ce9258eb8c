// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

/// A pooling with explicit padding on all sides.
TestOperation pooling(OperationType type, const TestOperand& input, const TestOperand& output,
                      std::int32_t padding, std::int32_t stride, std::int32_t window,
                      std::int32_t activation = 0, bool isNchw = false) {
    TestOperation operation{type, {input}, {output}};
    for (const std::int32_t value :
         {padding, padding, padding, padding, stride, stride, window, window, activation}) {
        operation.inputs.push_back(scalar(value));
    }
    operation.inputs.push_back(scalar(isNchw));
    return operation;
}

TestOperation averagePool(const TestOperand& input, const TestOperand& output, std::int32_t padding,
                          std::int32_t stride, std::int32_t window, std::int32_t activation = 0,
                          bool isNchw = false) {
    return pooling(OperationType::AVERAGE_POOL_2D, input, output, padding, stride, window,
                   activation, isNchw);
}

TestOperation smallAveragePool() {
    return averagePool(quant8({1, 2, 2, 1}, {1, 2, 3, 4}, 0.5F, 10),
                       tensor(TENSOR_QUANT8_ASYMM, {}, 0.5F, 10), 0, 1, 2);
}

TEST(AveragePool2d, dividesByTheElementsThatAreNotPadding) {
    TestOperation operation =
        averagePool(floats({1, 2, 2, 1}, {1, 2, 3, 6}), tensor(TENSOR_FLOAT32), 1, 2, 2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{1, 2, 2, 1}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{1, 2, 3, 6}));
    operation = averagePool(floats({1, 2, 2, 1}, {1, 2, 3, 6}), tensor(TENSOR_FLOAT32), 1, 1, 3);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{3, 3, 3, 3}));
}

TEST(AveragePool2d, poolsChannelsInEitherLayout) {
    // Channel 0 is 1, 2, 3, 4 and channel 1 is 10, 20, 30, 40.
    TestOperation nhwc = averagePool(floats({1, 2, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40}),
                                     tensor(TENSOR_FLOAT32), 0, 1, 2);
    ASSERT_EQ(nhwc.refusal(), "");
    EXPECT_EQ(nhwc.outputs[0].values<float>(), (std::vector<float>{2.5F, 25}));
    TestOperation nchw = averagePool(floats({1, 2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40}),
                                     tensor(TENSOR_FLOAT32), 0, 1, 2, 0, true);
    ASSERT_EQ(nchw.refusal(), "");
    EXPECT_EQ(nchw.outputs[0].dimensions, (Dimensions{1, 2, 1, 1}));
    EXPECT_EQ(nchw.outputs[0].values<float>(), (std::vector<float>{2.5F, 25}));
}

TEST(AveragePool2d, poolsChannelsAtTheEndIfTheLayoutIsLeftOut) {
    TestOperation last = smallAveragePool();
    ASSERT_EQ(last.refusal(), "");
    TestOperation operation = smallAveragePool();
    operation.inputs[10] = omitted(BOOL);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].data, last.outputs[0].data);
}

TEST(AveragePool2d, poolsMoreChannelsThanABlock) {
    constexpr std::uint32_t kChannels = 200;
    std::vector<float> input(std::size_t{2} * kChannels);
    std::vector<float> expected(kChannels);
    for (std::uint32_t c = 0; c < kChannels; ++c) {
        input[c] = static_cast<float>(c);
        input[kChannels + c] = static_cast<float>(c) + 2.0F;
        expected[c] = static_cast<float>(c) + 1.0F;
    }
    TestOperation operation =
        averagePool(floats({1, 2, 1, kChannels}, input), tensor(TENSOR_FLOAT32), 0, 1, 1);
    operation.inputs[8] = scalar(2);  // windows of width 1 and height 2
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), expected);
}

TEST(AveragePool2d, roundsToTheNearestAndTiesAwayFromZero) {
    TestOperation unsignedPool = smallAveragePool();
    ASSERT_EQ(unsignedPool.refusal(), "");
    EXPECT_EQ(unsignedPool.outputs[0].values<std::uint8_t>(), (std::vector<std::uint8_t>{3}));
    TestOperation signedPool =
        averagePool(quant8Signed({1, 2, 2, 1}, {-1, -2, -3, -4}, 0.5F, 10),
                    tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 0.5F, 10), 0, 1, 2);
    ASSERT_EQ(signedPool.refusal(), "");
    EXPECT_EQ(signedPool.outputs[0].values<std::int8_t>(), (std::vector<std::int8_t>{-3}));
}

TEST(AveragePool2d, clampsToTheActivation) {
    const auto relu6 = [](std::uint8_t value) {
        TestOperation operation =
            averagePool(quant8({1, 1, 1, 1}, {value}, 0.5F, 10),
                        tensor(TENSOR_QUANT8_ASYMM, {}, 0.5F, 10), 0, 1, 1, 3);
        EXPECT_EQ(operation.refusal(), "");
        return operation.outputs[0].values<std::uint8_t>()[0];
    };
    EXPECT_EQ(relu6(0), 10);
    EXPECT_EQ(relu6(15), 15);
    EXPECT_EQ(relu6(255), 22);
}

TEST(AveragePool2d, sumsHalvesInFloat) {
    TestOperation operation = averagePool(halves({1, 2, 2, 1}, {60000, 60000, 60000, 60000}),
                                          tensor(TENSOR_FLOAT16), 0, 1, 2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(static_cast<float>(operation.outputs[0].values<Float16>()[0]), 60000.0F);
}

/// A window of 62,500 elements, of which a float32 sum loses four digits.
TestOperation largePool(OperationType type) {
    return pooling(type, floats({1, 250, 250, 1}, std::vector<float>(62'500, 0.1F)),
                   tensor(TENSOR_FLOAT32), 0, 1, 250);
}

TEST(AveragePool2d, addsManyElementsExactly) {
    TestOperation operation = largePool(OperationType::AVERAGE_POOL_2D);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), std::vector<float>{0.1F});
}

TEST(L2Pool2d, addsManySquaresExactly) {
    TestOperation operation = largePool(OperationType::L2_POOL_2D);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), std::vector<float>{0.1F});
}

TEST(AveragePool2d, takesNoBatchesAtAll) {
    TestOperation operation =
        averagePool(floats({0, 2, 2, 3}, {}), tensor(TENSOR_FLOAT32), 0, 1, 2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 1, 1, 3}));
}

TEST(MaxPool2d, givesTheLargestElementThatIsNotPadding) {
    TestOperation operation =
        pooling(OperationType::MAX_POOL_2D, floats({1, 2, 2, 1}, {-INFINITY, -2, -3, -4}),
                tensor(TENSOR_FLOAT32), 1, 2, 2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{-INFINITY, -2, -3, -4}));
    operation =
        pooling(OperationType::MAX_POOL_2D, quant8Signed({1, 2, 2, 1}, {-7, -5, -8, -6}, 1, 0),
                tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 1, 0), 0, 1, 2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(), (std::vector<std::int8_t>{-5}));
}

TEST(AveragePool2d, refusesOperandsThatBreakARule) {
    expectRefusals(
        smallAveragePool,
        {
            {[](auto& o) { o.inputs.resize(6); }, "AVERAGE_POOL_2D: 6 inputs; must be 7 to 11"},
            {[](auto& o) { o.outputs.push_back(o.outputs[0]); },
             "AVERAGE_POOL_2D: 2 outputs; must be 1"},
            {[](auto& o) { o.inputs[0].type = TENSOR_INT32; },
             "AVERAGE_POOL_2D input 0 (input): type TENSOR_INT32; must be TENSOR_FLOAT32, "
             "TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED"},
            {[](auto& o) {
                 o.inputs[0].dimensions = {2, 2, 1};
             },
             "AVERAGE_POOL_2D input 0 (input): rank 3; must be 4"},
            {[](auto& o) {
                 o.inputs[0].dimensions = {1, 2, 2, 0};
             },
             "AVERAGE_POOL_2D input 0 (input): size 0 of axis 3; must be at least 1"},
            {[](auto& o) { o.outputs[0].type = TENSOR_QUANT8_ASYMM_SIGNED; },
             "AVERAGE_POOL_2D output 0 (output): type TENSOR_QUANT8_ASYMM_SIGNED; must be "
             "TENSOR_QUANT8_ASYMM, that of input 0 (input)"},
            {[](auto& o) { o.outputs[0].scale = 0.25F; },
             "AVERAGE_POOL_2D output 0 (output): scale 0.25 and zero point 10; must be scale 0.5 "
             "and zero point 10, those of input 0 (input)"},
            {[](auto& o) { o.outputs[0].zeroPoint = 0; },
             "AVERAGE_POOL_2D output 0 (output): scale 0.5 and zero point 0; must be scale 0.5 "
             "and zero point 10, those of input 0 (input)"},
            {[](auto& o) {
                 o.outputs[0].dimensions = {1, 1};
             },
             "AVERAGE_POOL_2D output 0 (output): rank 2; must be 4"},
            {[](auto& o) { o.inputs[7] = scalar(0); },
             "AVERAGE_POOL_2D input 7 (filter width): value 0; must be at least 1"},
            {[](auto& o) {
                 o.outputShapes = {Shape{1, 2, 1, 1}};
             },
             "AVERAGE_POOL_2D output 0: shape 1x2x1x1; must be 1x1x1x1"},
        });
}

}  // namespace
}  // namespace nnburst::exec
