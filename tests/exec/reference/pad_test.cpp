// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "exec/reference/constant_values.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation pad(const TestOperand& input, const std::vector<std::int32_t>& paddings) {
    return {OperationType::PAD,
            {input, constants({static_cast<std::uint32_t>(paddings.size() / 2), 2}, paddings)},
            {tensor(input.type, {}, input.scale, input.zeroPoint)}};
}

TestOperation padV2(const TestOperand& input, const std::vector<std::int32_t>& paddings,
                    const TestOperand& value) {
    TestOperation operation = pad(input, paddings);
    operation.type = OperationType::PAD_V2;
    operation.inputs.push_back(value);
    return operation;
}

TEST(Pad, surroundsTheInput) {
    TestOperation operation = pad(floats({2, 1}, {1, 2}), {0, 1, 1, 1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{3, 3}));
    EXPECT_EQ(operation.outputs[0].values<float>(),
              (std::vector<float>{0, 1, 0, 0, 2, 0, 0, 0, 0}));
}

TEST(Pad, padsWithTheZeroPoint) {
    TestOperation operation = pad(quant8({1}, {7}, 1.0F, 9), {1, 0});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(), (std::vector<std::uint8_t>{9, 7}));
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_2);
    operation = pad(quant8({1}, {7}, 1.0F, 0), {1, 0});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_1);
}

TEST(Pad, givesPaddingAloneForATensorWithoutElements) {
    TestOperation operation = pad(floats({0, 2}, {}), {1, 0, 0, 1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{0, 0, 0}));
}

TEST(Pad, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return pad(counting({2, 3}), {0, 0, 1, 1});
        },
        {
            {[](auto& o) {
                 o.inputs[1] = int32s({2, 2}, {0, 0, -1, 1});
             },
             "PAD input 1 (paddings): -1 and 1 for axis 1; must be at least 0"},
            {[](auto& o) {
                 o.inputs[1] = constants({2, 2}, {0, 0, INT32_MAX, INT32_MAX});
             },
             "PAD output 0: shape 2x4294967297; must take at most 4294967295 bytes"},
            {[](auto& o) {
                 o.inputs[1] = constants({1, 2}, {0, 0});
             },
             "PAD input 1 (paddings): size 1 of axis 0; must be 2, the rank of the input"},
            {[](auto& o) {
                 o.inputs[1] = constants({2, 3}, {0, 0, 0, 0, 0, 0});
             },
             "PAD input 1 (paddings): size 3 of axis 1; must be 2, before and after"},
            {[](auto& o) {
                 o.inputs[0] = counting({1, 1, 1, 1, 1});
             },
             "PAD input 0 (input): rank 5; must be 1 to 4"},
            {[](auto& o) { o.inputs.push_back(scalar(1.0F)); }, "PAD: 3 inputs; must be 2"},
        });
}

TEST(PadV2, padsWithTheValue) {
    TestOperation operation = padV2(halves({1}, {7}), {0, 1}, scalar(Float16(-2.5F)));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(static_cast<float>(operation.outputs[0].values<Float16>()[1]), -2.5F);
    operation = padV2(quant8Signed({1}, {7}, 1.0F, 9), {0, 1}, scalar(-128));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(), (std::vector<std::int8_t>{7, -128}));
}

TEST(PadV2, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return padV2(quant8({1}, {7}, 1.0F, 9), {0, 1}, scalar(255));
        },
        {
            {[](auto& o) { o.inputs[2] = scalar(256); },
             "PAD_V2 input 2 (value): 256; must be 0 to 255"},
            {[](auto& o) {
                 o.inputs[2] = scalar(-1);
                 o.inputs[2].isConstant = false;
             },
             "PAD_V2 input 2 (value): -1; must be 0 to 255"},
            {[](auto& o) { o.inputs[2] = scalar(1.0F); },
             "PAD_V2 input 2 (value): type FLOAT32; must be INT32"},
            {[](auto& o) { o.inputs.resize(2); }, "PAD_V2: 2 inputs; must be 3"},
        });
}

}  // namespace
}  // namespace nnburst::exec
