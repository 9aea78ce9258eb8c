// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Deadlines that pass inside one row of an image: paddings and sizes that come with a request make
/// rows of any length.

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "exec/operation/time_limit.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

constexpr std::int32_t kRowLength = 1 << 18;
static_assert(kRowLength > 2 * TimeLimit::kWorkPerLook);

/// One pixel, a filter of 1x1, and columns of padding.
TestOperation makeLongRow(OperationType type) {
    const TestOperand pixel = floats({1, 1, 1, 1}, {1.0F});
    const TestOperand output = tensor(OperandType::TENSOR_FLOAT32);
    switch (type) {
        case OperationType::RESIZE_BILINEAR:
        case OperationType::RESIZE_NEAREST_NEIGHBOR:
            return {type, {pixel, scalar(kRowLength), scalar(1), scalar(false)}, {output}};
        case OperationType::TRANSPOSE_CONV_2D:
            // VALID: a stride for each pixel and the rest of the filter.
            return {type,
                    {floats({1, 1, 8, 1}, std::vector<float>(8, 1.0F)), pixel, floats({1}, {1.0F}),
                     int32s({4}, {1, 1, 7 * (kRowLength / 8) + 1, 1}), scalar(2),
                     scalar(kRowLength / 8), scalar(1), scalar(0), scalar(false)},
                    {output}};
        default:
            break;
    }
    TestOperation operation{type, {pixel, pixel, floats({1}, {1.0F})}, {output}};
    for (const std::int32_t value : {0, kRowLength - 1, 0, 0, 1, 1}) {  // paddings and strides
        operation.inputs.push_back(scalar(value));
    }
    if (type != OperationType::CONV_2D) {
        operation.inputs.push_back(scalar(1));  // groups, or the depth multiplier
    }
    operation.inputs.push_back(scalar(0));
    operation.inputs.push_back(scalar(false));
    return operation;
}

class LongRowTest : public testing::TestWithParam<OperationType> {};

TEST_P(LongRowTest, endsWhenItsRunIsOutOfTime) {
    constexpr float kUnwritten = 1e6F;  // outputs are filled with a number below -kUnwritten
    TestOperation whole = makeLongRow(GetParam());
    ASSERT_EQ(whole.refusal(), "");
    EXPECT_GT(whole.outputs[0].values<float>().back(), -kUnwritten);

    TimeLimit limit(std::chrono::steady_clock::now());
    TestOperation late = makeLongRow(GetParam());
    late.timeLimit = &limit;
    (void)late.run();
    EXPECT_TRUE(limit.isOver());
    EXPECT_LT(late.outputs[0].values<float>().back(), -kUnwritten);
}

INSTANTIATE_TEST_SUITE_P(
    Operation, LongRowTest,
    testing::Values(OperationType::CONV_2D, OperationType::DEPTHWISE_CONV_2D,
                    OperationType::GROUPED_CONV_2D, OperationType::TRANSPOSE_CONV_2D,
                    OperationType::RESIZE_BILINEAR, OperationType::RESIZE_NEAREST_NEIGHBOR),
    [](const auto& instance) { return std::string(toString(instance.param)); });

}  // namespace
}  // namespace nnburst::exec
