// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Deadlines that pass inside one row of an image: paddings and sizes that come with a request make
/// rows of any length. And inside one row, or one part, of a tensor of any size.

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

// ---- Tensors

constexpr std::uint32_t kTensorSize = 1 << 20;

/// An operation on one row, of kTensorSize elements.
TestOperation makeLongTensor(OperationType type) {
    using enum OperandType;
    const TestOperand row = floats({1, kTensorSize}, std::vector<float>(kTensorSize, 0.5F));
    const TestOperand output = tensor(TENSOR_FLOAT32);
    const auto constant = [](TestOperand operand) {
        operand.isConstant = true;
        return operand;
    };
    switch (type) {
        case OperationType::ARGMAX:
        case OperationType::ARGMIN:
            return {type, {row, scalar(1)}, {tensor(TENSOR_INT32)}};
        case OperationType::FILL:
            return {type,
                    {constant(int32s({1}, {static_cast<std::int32_t>(kTensorSize)})), scalar(2.5F)},
                    {output}};
        case OperationType::HASHTABLE_LOOKUP:  // the second key is not found
            return {type,
                    {int32s({2}, {7, 8}), int32s({1}, {7}), row},
                    {output, tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F)}};
        case OperationType::INSTANCE_NORMALIZATION:  // one channel
            return {type,
                    {floats({1, kTensorSize, 1, 1}, std::vector<float>(kTensorSize, 0.5F)),
                     scalar(1.0F), scalar(0.0F), scalar(1e-3F), scalar(false)},
                    {output}};
        case OperationType::L2_NORMALIZATION:
            return {type, {row}, {output}};
        case OperationType::LOG_SOFTMAX:
            return {type, {row, scalar(1.0F), scalar(1)}, {output}};
        case OperationType::REDUCE_SUM:
            return {type, {row, constant(int32s({1}, {0})), scalar(false)}, {output}};
        case OperationType::SOFTMAX:
            return {type, {row, scalar(1.0F)}, {output}};
        case OperationType::SLICE:  // all but an element
            return {type,
                    {row, constant(int32s({2}, {0, 1})),
                     constant(int32s({2}, {1, static_cast<std::int32_t>(kTensorSize - 1)}))},
                    {output}};
        case OperationType::TOPK_V2:
            return {type, {row, scalar(1)}, {output, tensor(TENSOR_INT32)}};
        case OperationType::TRANSPOSE:  // two columns become two rows
            return {type,
                    {floats({kTensorSize / 2, 2}, std::vector<float>(kTensorSize, 0.5F)),
                     constant(int32s({2}, {1, 0}))},
                    {output}};
        default:
            ADD_FAILURE() << toString(type);
            return {};
    }
}

/// How often a run looked at its time limit, and yielded.
std::size_t looksOf(OperationType type, const OptionalTimePoint& deadline) {
    std::size_t looks = 0;
    TimeLimit limit(deadline, nullptr,
                    {[](void* pass) noexcept { ++*static_cast<std::size_t*>(pass); }, &looks});
    TestOperation operation = makeLongTensor(type);
    operation.timeLimit = &limit;
    EXPECT_EQ(operation.refusal(), "");
    return looks;
}

class LongTensorTest : public testing::TestWithParam<OperationType> {};

TEST_P(LongTensorTest, looksAtItsTimeLimitInside) {
    constexpr std::size_t kParts = kTensorSize / TimeLimit::kWorkPerLook;
    EXPECT_GE(looksOf(GetParam(), {}), kParts - 1);  // not after the last one
}

TEST_P(LongTensorTest, endsWhenItsRunIsOutOfTime) {
    EXPECT_LE(looksOf(GetParam(), std::chrono::steady_clock::now()), 3U);
}

INSTANTIATE_TEST_SUITE_P(
    Operation, LongTensorTest,
    testing::Values(OperationType::ARGMAX, OperationType::ARGMIN, OperationType::FILL,
                    OperationType::HASHTABLE_LOOKUP, OperationType::INSTANCE_NORMALIZATION,
                    OperationType::L2_NORMALIZATION, OperationType::LOG_SOFTMAX,
                    OperationType::REDUCE_SUM, OperationType::SLICE, OperationType::SOFTMAX,
                    OperationType::TOPK_V2, OperationType::TRANSPOSE),
    [](const auto& instance) { return std::string(toString(instance.param)); });

}  // namespace
}  // namespace nnburst::exec
