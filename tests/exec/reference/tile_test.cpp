// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "exec/reference/constant_values.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation tile(const TestOperand& input, const std::vector<std::int32_t>& multiples) {
    return {OperationType::TILE, {input, constants(multiples)}, {tensor(input.type)}};
}

TestOperation fill(const std::vector<std::int32_t>& sizes, const TestOperand& value,
                   OperandType type) {
    return {OperationType::FILL, {constants(sizes), value}, {tensor(type)}};
}

TEST(Tile, repeatsAlongEachAxis) {
    TestOperation operation = tile(counting({2, 2}), {2, 3});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{4, 6}));
    EXPECT_EQ(operation.outputs[0].values<float>(),
              (std::vector<float>{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3,
                                  0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3}));
}

TEST(Tile, repeatsAlongEightAxes) {
    TestOperation operation = tile(counting({2, 1, 2, 1, 1, 1, 1, 2}), {2, 2, 2, 2, 2, 2, 2, 2});
    ASSERT_EQ(operation.refusal(), "");
    const std::vector<float> values = operation.outputs[0].values<float>();
    ASSERT_EQ(values.size(), 2048U);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t axis0 = i / 512 % 2;
        const std::size_t axis2 = i / 64 % 2;
        ASSERT_EQ(values[i], static_cast<float>(axis0 * 4 + axis2 * 2 + i % 2)) << i;
    }
}

TEST(Tile, acceptsAMultipleOf0) {
    TestOperation operation = tile(counting({2, 2}), {0, 3});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 6}));
}

TEST(Tile, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return tile(counting({2, 2}), {1, 1});
        },
        {
            {[](auto& o) {
                 o.inputs[1] = int32s({2}, {1, -1});
             },
             "TILE input 1 (multiples): -1 for axis 1; must be at least 0"},
            {[](auto& o) {
                 o.inputs[1] = constants({1 << 20, 1 << 20});
             },
             "TILE output 0: shape 2097152x2097152; must take at most 4294967295 bytes"},
            {[](auto& o) {
                 o.inputs[1] = constants({0, INT32_MAX});
                 o.inputs[0].dimensions = {2, 3};
             },
             "TILE output 0: shape 0x6442450941; must take at most 4294967295 bytes"},
            {[](auto& o) { o.inputs[1] = constants({1}); },
             "TILE input 1 (multiples): size 1 of axis 0; must be 2, the rank of the input"},
        });
}

TEST(Fill, repeatsTheScalar) {
    TestOperation operation = fill({2, 1}, scalar(-7), TENSOR_INT32);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2, 1}));
    EXPECT_EQ(operation.outputs[0].values<std::int32_t>(), (std::vector<std::int32_t>{-7, -7}));
    operation = fill({0}, scalar(1.0F), TENSOR_FLOAT32);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0}));
}

TEST(Fill, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] { return fill({2}, scalar(1.5F), TENSOR_FLOAT32); },
        {
            {[](auto& o) { o.inputs[0] = constants({-1}); },
             "FILL input 0 (sizes): -1 for axis 0; must be at least 0"},
            {[](auto& o) {
                 o.inputs[0] = int32s({2}, {1 << 20, 1 << 20});
             },
             "FILL output 0: shape 1048576x1048576; must take at most 4294967295 bytes"},
            {[](auto& o) {
                 o.inputs[0] = constants({1, 1, 1, 1, 1, 1, 1, 1, 1});
             },
             "FILL input 0 (sizes): 9 elements; must be 1 to 8"},
            {[](auto& o) { o.inputs[0] = int32s({0}, {}); },
             "FILL input 0 (sizes): size 0 of axis 0; must be at least 1"},
            {[](auto& o) { o.inputs[1] = scalar(1); },
             "FILL input 1 (value): type INT32; must be FLOAT32"},
            {[](auto& o) { o.outputs[0].type = TENSOR_BOOL8; },
             "FILL output 0 (output): type TENSOR_BOOL8; must be TENSOR_FLOAT32, TENSOR_FLOAT16 or "
             "TENSOR_INT32"},
        });
}

TEST(Rank, countsAxesOfWhateverTensor) {
    TestOperation operation{
        OperationType::RANK, {tensor(TENSOR_BOOL8, {2, 0, 3})}, {tensor(INT32)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int32_t>(), (std::vector<std::int32_t>{3}));
    operation.outputs[0].type = TENSOR_INT32;
    EXPECT_EQ(operation.refusal(), "RANK output 0 (rank): type TENSOR_INT32; must be INT32");
}

}  // namespace
}  // namespace nnburst::exec
