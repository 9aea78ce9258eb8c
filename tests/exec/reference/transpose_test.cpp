// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "exec/reference/constant_values.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation transpose(const TestOperand& input, const TestOperand& permutation) {
    return {OperationType::TRANSPOSE, {input, permutation}, {tensor(input.type)}};
}

TestOperation shuffle(const TestOperand& input, std::int32_t groups, std::int32_t axis) {
    return {OperationType::CHANNEL_SHUFFLE,
            {input, scalar(groups), scalar(axis)},
            {tensor(input.type)}};
}

TEST(Transpose, takesEachAxisFromWhereThePermutationSays) {
    TestOperation operation = transpose(counting({2, 3, 2}), constants({1, 2, 0}));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{3, 2, 2}));
    EXPECT_EQ(operation.outputs[0].values<float>(),
              (std::vector<float>{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}));
}

TEST(Transpose, reversesTheAxesWithoutPermutation) {
    TestOperation operation = transpose(counting({1, 2, 3}), omitted(TENSOR_INT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{3, 2, 1}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(Transpose, takesTensorsWithoutElements) {
    TestOperation operation = transpose(counting({0, 3}), constants({1, 0}));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{3, 0}));
}

TEST(Transpose, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return transpose(counting({2, 3}), constants({1, 0}));
        },
        {
            {[](auto& o) { o.inputs[1] = constants({0}); },
             "TRANSPOSE input 1 (permutation): size 1 of axis 0; must be 2, the rank of the input"},
            {[](auto& o) {
                 o.inputs[1] = constants({1, 1});
             },
             "TRANSPOSE input 1 (permutation): axis 1 comes from axis 1; must be each of 0 to 1 "
             "once"},
            {[](auto& o) {
                 o.inputs[1] = constants({0, -1});
             },
             "TRANSPOSE input 1 (permutation): axis 1 comes from axis -1; must be each of 0 to 1 "
             "once"},
            {[](auto& o) {
                 o.inputs[1] = int32s({2}, {0, 2});
             },
             "TRANSPOSE input 1 (permutation): axis 1 comes from axis 2; must be each of 0 to 1 "
             "once"},
            {[](auto& o) {
                 o.inputs[0] = counting({1, 1, 1, 2, 3});
             },
             "TRANSPOSE input 0 (input): rank 5; must be 1 to 4"},
        });
}

TEST(ChannelShuffle, transposesGroupsOfChannels) {
    TestOperation operation = shuffle(counting({1, 6, 2}), 2, -2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(),
              (std::vector<float>{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
}

TEST(ChannelShuffle, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return shuffle(counting({2, 6}), 3, 1);
        },
        {
            {[](auto& o) { o.inputs[1] = scalar(0); },
             "CHANNEL_SHUFFLE input 1 (groups): value 0; must be at least 1"},
            {[](auto& o) { o.inputs[1] = scalar(4); },
             "CHANNEL_SHUFFLE input 0 (input): size 6 of axis 1; must be a multiple of 4, the "
             "groups"},
            {[](auto& o) { o.inputs[2] = scalar(-3); },
             "CHANNEL_SHUFFLE input 2 (axis): value -3; must be -2 to 1"},
        });
}

}  // namespace
}  // namespace nnburst::exec
