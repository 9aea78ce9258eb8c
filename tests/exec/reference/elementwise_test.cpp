// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation add(const TestOperand& a, const TestOperand& b, const TestOperand& output,
                  std::int32_t activation = 0) {
    return {OperationType::ADD, {a, b, scalar(activation)}, {output}};
}

TestOperation smallAdd() {
    return add(floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {10, 20, 30, 40}),
               tensor(TENSOR_FLOAT32));
}

TEST(Add, addsEqualShapes) {
    TestOperation operation = smallAdd();
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2, 2}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{11, 22, 33, 44}));
}

TEST(Add, broadcastsBothWays) {
    TestOperation operation =
        add(floats({2, 1}, {1, 2}), floats({3}, {10, 20, 30}), tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2, 3}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{11, 21, 31, 12, 22, 32}));
}

TEST(Add, broadcastsToTensorsWithoutElements) {
    TestOperation operation =
        add(floats({0, 2}, {}), floats({1, 2}, {1, 2}), tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 2}));
    operation.inputs[0] = floats({2, 0}, {});
    EXPECT_EQ(operation.refusal(),
              "ADD inputs 0 and 1: shapes 2x0 and 1x2; sizes must be equal or 1");
}

TEST(Add, clampsToTheActivation) {
    TestOperation operation =
        add(floats({3}, {-5, 0.5F, 5}), floats({1}, {0}), tensor(TENSOR_FLOAT32), 2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{-1, 0.5F, 1}));
}

TEST(Add, rescalesQuantisedInputs) {
    // 5 + 2 and -5 + 4 in steps of 0.5 around 100, and as much as there is.
    TestOperation operation =
        add(quant8({3}, {138, 118, 255}, 0.5F, 128), quant8({3}, {2, 4, 255}, 1.0F, 0),
            tensor(TENSOR_QUANT8_ASYMM, {}, 0.5F, 100));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(),
              (std::vector<std::uint8_t>{114, 98, 255}));
}

TEST(Add, addsSignedQuantisedInputs) {
    TestOperation operation =
        add(quant8Signed({2}, {-128, 127}, 1.0F, 0), quant8Signed({2}, {-128, 127}, 1.0F, 0),
            tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 2.0F, 0));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(), (std::vector<std::int8_t>{-128, 127}));
}

TEST(Add, addsHalves) {
    TestOperation operation =
        add(halves({1}, {1.5F}), halves({1}, {2.25F}), tensor(TENSOR_FLOAT16));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(static_cast<float>(operation.outputs[0].values<Float16>()[0]), 3.75F);
}

TEST(Add, wrapsInt32Around) {
    constexpr auto kHighest = std::numeric_limits<std::int32_t>::max();
    TestOperation operation =
        add(int32s({2}, {3, kHighest}), int32s({1}, {1}), tensor(TENSOR_INT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int32_t>(),
              (std::vector<std::int32_t>{4, std::numeric_limits<std::int32_t>::min()}));
}

TEST(Add, refusesOperandsThatBreakARule) {
    expectRefusals(
        smallAdd,
        {
            {[](auto& o) { o.inputs.resize(2); }, "ADD: 2 inputs; must be 3"},
            {[](auto& o) { o.outputs.clear(); }, "ADD: 0 outputs; must be 1"},
            {[](auto& o) { o.inputs[0].type = TENSOR_BOOL8; },
             "ADD input 0 (input0): type TENSOR_BOOL8; must be TENSOR_FLOAT32, TENSOR_FLOAT16, "
             "TENSOR_INT32, TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED"},
            {[](auto& o) { o.inputs[1].type = TENSOR_INT32; },
             "ADD input 1 (input1): type TENSOR_INT32; must be TENSOR_FLOAT32, that of input 0 "
             "(input0)"},
            {[](auto& o) { o.outputs[0].type = TENSOR_FLOAT16; },
             "ADD output 0 (output): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that of input 0 "
             "(input0)"},
            {[](auto& o) {
                 o.inputs[0].dimensions = {1, 1, 1, 2, 2};
             },
             "ADD input 0 (input0): rank 5; must be 1 to 4"},
            {[](auto& o) {
                 o.inputs[1].dimensions = {1, 1, 1, 2, 2};
             },
             "ADD input 1 (input1): rank 5; must be 1 to 4"},
            {[](auto& o) { o.inputs[1].dimensions = {4}; },
             "ADD inputs 0 and 1: shapes 2x2 and 4; sizes must be equal or 1"},
            {[](auto& o) { o.inputs[2] = scalar(7); },
             "ADD input 2 (activation): value 7; must be 0 (NONE), 1 (RELU), 2 (RELU1) or 3 "
             "(RELU6)"},
            {[](auto& o) { o = add(int32s({1}, {1}), int32s({1}, {1}), tensor(TENSOR_INT32), 1); },
             "ADD: an activation with TENSOR_INT32; must be 0 (NONE)"},
            {[](auto& o) {
                 o.outputShapes = {Shape{2, 3}};
             },
             "ADD output 0: shape 2x3; must be 2x2"},
        });
}

TEST(Mul, takesAnyScales) {
    // 2 * 3 where the scale of the products is below, at and above that of the output.
    for (const float scale : {0.0625F, 0.125F, 0.25F}) {
        TestOperation operation{
            OperationType::MUL,
            {quant8({1}, {14}, 0.5F, 10), quant8({1}, {112}, 0.25F, 100), scalar(0)},
            {tensor(TENSOR_QUANT8_ASYMM, {}, scale, 100)}};
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.minimumVersion, HalVersion::V1_0);
        const auto steps = static_cast<std::uint8_t>(6.0F / scale);
        EXPECT_EQ(operation.outputs[0].values<std::uint8_t>()[0], 100 + steps);
    }
}

}  // namespace
}  // namespace nnburst::exec
