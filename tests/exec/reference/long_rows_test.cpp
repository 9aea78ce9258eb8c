// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Deadlines that pass inside one row of an image: paddings and sizes that come with a request make
/// rows of any length. And inside one row, or one part, of a tensor of any size; and tensors
/// without elements.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <limits>
#include <vector>

#include "exec/operation/time_limit.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

constexpr std::int32_t kRowLength = 1 << 18;
static_assert(kRowLength > 2 * TimeLimit::kWorkPerCheck);

constexpr float kUnwritten = 1e6F;  // outputs are filled with a number below -kUnwritten

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
constexpr std::uint32_t kImageSize = 1 << 10;  // of an image of kTensorSize pixels
static_assert(kImageSize * kImageSize == kTensorSize);

/// An operation with one window over a whole image.
TestOperation makeLargeWindow(OperationType type) {
    using enum OperandType;
    const auto size = static_cast<std::int32_t>(kImageSize);
    const TestOperand image =
        floats({1, kImageSize, kImageSize, 1}, std::vector<float>(kTensorSize, 0.5F));
    TestOperation operation{type, {image}, {tensor(TENSOR_FLOAT32)}};
    const auto add = [&](std::initializer_list<std::int32_t> values) {
        for (const std::int32_t value : values) {
            operation.inputs.push_back(scalar(value));
        }
    };
    switch (type) {
        case OperationType::HEATMAP_MAX_KEYPOINT:
            operation.inputs.push_back(floats({1, 4}, {0, 0, 8, 8}));
            operation.inputs.push_back(scalar(false));
            operation.outputs.push_back(tensor(TENSOR_FLOAT32));
            return operation;
        case OperationType::L2_POOL_2D:
        case OperationType::MAX_POOL_2D:
            add({0, 0, 0, 0, 1, 1, size, size, 0});
            return operation;
        case OperationType::ROI_POOLING: {
            const auto end = static_cast<float>(size);
            operation.inputs.push_back(floats({1, 4}, {0, 0, end, end}));
            operation.inputs.push_back(int32s({1}, {0}));
            add({1, 1});
            operation.inputs.push_back(scalar(1.0F));
            operation.inputs.push_back(scalar(1.0F));
            operation.inputs.push_back(scalar(false));
            return operation;
        }
        default:
            break;
    }
    operation.inputs.push_back(image);  // the filter
    operation.inputs.push_back(floats({1}, {0.5F}));
    if (type == OperationType::TRANSPOSE_CONV_2D) {
        add({size - 1, size - 1, size - 1, size - 1, 1, 1, 0});
    } else {
        add({0, 0, 0, 0, 1, 1});
        if (type == OperationType::DEPTHWISE_CONV_2D) {
            add({1});  // the depth multiplier
        }
        add({0});
    }
    operation.inputs.push_back(scalar(false));
    return operation;
}

/// An operation on many boxes. Those that detect keep none of them.
TestOperation makeManyBoxes(OperationType type) {
    using enum OperandType;
    constexpr std::uint32_t kBoxes = kTensorSize / 2;
    const TestOperand real = tensor(TENSOR_FLOAT32);
    const TestOperand integer = tensor(TENSOR_INT32);
    const auto filled = [](const Dimensions& dimensions, std::size_t count) {
        return floats(dimensions, std::vector<float>(count, 0.5F));
    };
    switch (type) {
        case OperationType::AXIS_ALIGNED_BBOX_TRANSFORM:
            return {type,
                    {floats({1, 4}, {0, 0, 8, 8}),
                     filled({1, 4 * kTensorSize}, std::size_t{4} * kTensorSize), int32s({1}, {0}),
                     floats({1, 2}, {100, 100})},
                    {real}};
        case OperationType::BOX_WITH_NMS_LIMIT:
            return {type,
                    {filled({kBoxes, 2}, kTensorSize), filled({kBoxes, 8}, std::size_t{8} * kBoxes),
                     int32s({kBoxes}, std::vector<std::int32_t>(kBoxes)), scalar(1.0F), scalar(-1),
                     scalar(0), scalar(0.5F), scalar(1.0F), scalar(0.5F)},
                    {real, real, integer, integer}};
        case OperationType::DETECTION_POSTPROCESSING:
            return {type,
                    {filled({1, kBoxes, 2}, kTensorSize),
                     filled({1, kBoxes, 4}, std::size_t{4} * kBoxes),
                     filled({kBoxes, 4}, std::size_t{4} * kBoxes), scalar(1.0F), scalar(1.0F),
                     scalar(1.0F), scalar(1.0F), scalar(false), scalar(1), scalar(1), scalar(1),
                     scalar(1.0F), scalar(0.5F), scalar(true)},
                    {real, real, integer, integer}};
        default:  // GENERATE_PROPOSALS
            return {
                type,
                {filled({1, 1, kBoxes, 1}, kBoxes),
                 filled({1, 1, kBoxes, 4}, std::size_t{4} * kBoxes), floats({1, 4}, {0, 0, 8, 8}),
                 floats({1, 2}, {100, 100}), scalar(10.0F), scalar(10.0F), scalar(0), scalar(0),
                 scalar(0.5F), scalar(100.0F), scalar(false)},
                {real, real, integer}};
    }
}

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
        case OperationType::AXIS_ALIGNED_BBOX_TRANSFORM:
        case OperationType::BOX_WITH_NMS_LIMIT:
        case OperationType::DETECTION_POSTPROCESSING:
        case OperationType::GENERATE_PROPOSALS:
            return makeManyBoxes(type);
        case OperationType::CONV_2D:
        case OperationType::DEPTHWISE_CONV_2D:
        case OperationType::HEATMAP_MAX_KEYPOINT:
        case OperationType::L2_POOL_2D:
        case OperationType::MAX_POOL_2D:
        case OperationType::ROI_POOLING:
        case OperationType::TRANSPOSE_CONV_2D:
            return makeLargeWindow(type);
        case OperationType::DEQUANTIZE:  // one channel
            return {type,
                    {quant8PerChannel({1, kTensorSize}, std::vector<std::int8_t>(kTensorSize, 3),
                                      {0.5F}, 0)},
                    {output}};
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
        case OperationType::LOCAL_RESPONSE_NORMALIZATION:  // each element by itself
            return {type, {row, scalar(0), scalar(1.0F), scalar(1.0F), scalar(0.5F)}, {output}};
        case OperationType::LOG_SOFTMAX:
            return {type, {row, scalar(1.0F), scalar(1)}, {output}};
        case OperationType::LSH_PROJECTION:  // one bit
            return {type,
                    {floats({1, 1}, {0.5F}),
                     floats({kTensorSize, 1}, std::vector<float>(kTensorSize, 0.5F)),
                     omitted(TENSOR_FLOAT32), scalar(2)},
                    {tensor(TENSOR_INT32)}};
        case OperationType::RANDOM_MULTINOMIAL:
            return {type, {row, scalar(1), int32s({2}, {1, 2})}, {tensor(TENSOR_INT32)}};
        case OperationType::REDUCE_SUM:
            return {type, {row, constant(int32s({1}, {0})), scalar(false)}, {output}};
        case OperationType::RESIZE_BILINEAR:
        case OperationType::RESIZE_NEAREST_NEIGHBOR:  // one pixel
            return {type,
                    {floats({1, 1, 1, kTensorSize}, std::vector<float>(kTensorSize, 0.5F)),
                     scalar(1), scalar(1), scalar(false)},
                    {output}};
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
std::size_t checksOf(TestOperation operation, const OptionalTimePoint& deadline) {
    std::size_t checks = 0;
    TimeLimit limit(deadline, nullptr,
                    {[](void* pass) noexcept { ++*static_cast<std::size_t*>(pass); }, &checks});
    operation.timeLimit = &limit;
    EXPECT_EQ(operation.refusal(), "");
    return checks;
}

constexpr std::size_t kParts = kTensorSize / TimeLimit::kWorkPerCheck;

class LongTensorTest : public testing::TestWithParam<OperationType> {};

TEST_P(LongTensorTest, checksItsTimeLimitInside) {
    EXPECT_GE(checksOf(makeLongTensor(GetParam()), {}), kParts - 1);  // not after the last one
}

TEST_P(LongTensorTest, endsWhenItsRunIsOutOfTime) {
    EXPECT_LE(checksOf(makeLongTensor(GetParam()), std::chrono::steady_clock::now()), 3U);
}

INSTANTIATE_TEST_SUITE_P(
    Operation, LongTensorTest,
    testing::Values(OperationType::ARGMAX, OperationType::ARGMIN,
                    OperationType::AXIS_ALIGNED_BBOX_TRANSFORM, OperationType::BOX_WITH_NMS_LIMIT,
                    OperationType::CONV_2D, OperationType::DEPTHWISE_CONV_2D,
                    OperationType::DEQUANTIZE, OperationType::DETECTION_POSTPROCESSING,
                    OperationType::FILL, OperationType::GENERATE_PROPOSALS,
                    OperationType::HASHTABLE_LOOKUP, OperationType::HEATMAP_MAX_KEYPOINT,
                    OperationType::INSTANCE_NORMALIZATION, OperationType::L2_NORMALIZATION,
                    OperationType::L2_POOL_2D, OperationType::LOCAL_RESPONSE_NORMALIZATION,
                    OperationType::LOG_SOFTMAX, OperationType::LSH_PROJECTION,
                    OperationType::MAX_POOL_2D, OperationType::RANDOM_MULTINOMIAL,
                    OperationType::REDUCE_SUM, OperationType::RESIZE_BILINEAR,
                    OperationType::RESIZE_NEAREST_NEIGHBOR, OperationType::ROI_POOLING,
                    OperationType::SLICE, OperationType::SOFTMAX, OperationType::TOPK_V2,
                    OperationType::TRANSPOSE, OperationType::TRANSPOSE_CONV_2D),
    [](const auto& instance) { return std::string(toString(instance.param)); });

TEST(HashtableLookup, checksItsTimeLimitThoughRowsHaveNoElements) {
    const TestOperation operation{
        OperationType::HASHTABLE_LOOKUP,
        {int32s({kTensorSize}, std::vector<std::int32_t>(kTensorSize, 7)), int32s({1}, {7}),
         floats({1, 0}, {})},
        {tensor(OperandType::TENSOR_FLOAT32), tensor(OperandType::TENSOR_QUANT8_ASYMM, {}, 1.0F)}};
    EXPECT_GE(checksOf(operation, {}), kParts - 1);
    EXPECT_LE(checksOf(operation, std::chrono::steady_clock::now()), 3U);
}

TEST(LocalResponseNormalization, endsInsideAWindowAsLargeAsItsSlice) {
    struct Looks {
        std::size_t count = 0;
        std::atomic<bool> areEnough{false};
    } checks;
    const auto countCheck = [](void* pass) noexcept {
        auto& counted = *static_cast<Looks*>(pass);
        counted.areEnough = ++counted.count >= 4;
    };
    TimeLimit limit({}, &checks.areEnough, {countCheck, &checks});
    TestOperation operation = makeLongTensor(OperationType::LOCAL_RESPONSE_NORMALIZATION);
    operation.inputs[1] = scalar(static_cast<std::int32_t>(kTensorSize));
    operation.timeLimit = &limit;
    ASSERT_EQ(operation.refusal(), "");
    // The window of the first element takes more than 4 checks.
    EXPECT_LT(operation.outputs[0].values<float>()[1], -kUnwritten);
}

TEST(SpaceToBatchNd, endsWhenItsRunIsOutOfTimeBetweenThePixelsOfABlock) {
    const auto size = static_cast<std::int32_t>(kImageSize);
    constexpr std::size_t kPixels = kTensorSize - kImageSize;
    constexpr std::size_t kLastPixel = kTensorSize - 2;  // the last one is padding
    const TestOperation given{
        OperationType::SPACE_TO_BATCH_ND,
        {floats({1, kImageSize, kImageSize - 1, 1}, std::vector<float>(kPixels, 0.5F)),
         int32s({2}, {size, size}), int32s({2, 2}, {0, 0, 0, 1})},
        {tensor(OperandType::TENSOR_FLOAT32)}};
    TestOperation whole = given;
    ASSERT_EQ(whole.refusal(), "");
    EXPECT_EQ(whole.outputs[0].values<float>()[kLastPixel], 0.5F);
    TimeLimit limit(std::chrono::steady_clock::now());
    TestOperation late = given;
    late.timeLimit = &limit;
    ASSERT_EQ(late.refusal(), "");
    EXPECT_LT(late.outputs[0].values<float>()[kLastPixel], -kUnwritten);
}

// ---- Tensors without elements

/// An operation whose output has no elements, though all sizes but one are large.
TestOperation makeWithoutElements(OperationType type) {
    using enum OperandType;
    constexpr std::uint32_t kMany = 1U << 31;
    const TestOperand output = tensor(TENSOR_FLOAT32);
    switch (type) {
        case OperationType::ARGMAX:
            return {type, {floats({kMany, kMany, 4, 0}, {}), scalar(2)}, {tensor(TENSOR_INT32)}};
        case OperationType::GENERATE_PROPOSALS:  // without anchors
            return {type,
                    {floats({1, kMany, kMany, 0}, {}), floats({1, kMany, kMany, 0}, {}),
                     floats({0, 4}, {}), floats({1, 2}, {100, 100}), scalar(1.0F), scalar(1.0F),
                     scalar(0), scalar(0), scalar(0.5F), scalar(1.0F), scalar(false)},
                    {output, output, tensor(TENSOR_INT32)}};
        case OperationType::UNIDIRECTIONAL_SEQUENCE_RNN:  // time steps without batches
            return {type,
                    {floats({kMany, 0, 1}, {}), floats({1, 1}, {1.0F}), floats({1, 1}, {1.0F}),
                     floats({1}, {1.0F}), floats({0, 1}, {}), scalar(0), scalar(1)},
                    {output}};
        default: {  // RESIZE_*
            const TestOperand size = scalar(std::numeric_limits<std::int32_t>::max());
            return {type, {floats({1, 1, 1, 0}, {}), size, size, scalar(false)}, {output}};
        }
    }
}

class TensorsWithoutElementsTest : public testing::TestWithParam<OperationType> {};

TEST_P(TensorsWithoutElementsTest, takeNoTime) {
    TestOperation operation = makeWithoutElements(GetParam());
    EXPECT_EQ(operation.refusal(), "");
    EXPECT_TRUE(operation.outputs[0].data.empty());
}

INSTANTIATE_TEST_SUITE_P(Operation, TensorsWithoutElementsTest,
                         testing::Values(OperationType::ARGMAX, OperationType::GENERATE_PROPOSALS,
                                         OperationType::RESIZE_BILINEAR,
                                         OperationType::RESIZE_NEAREST_NEIGHBOR,
                                         OperationType::UNIDIRECTIONAL_SEQUENCE_RNN),
                         [](const auto& instance) {
                             return std::string(toString(instance.param));
                         });

}  // namespace
}  // namespace nnburst::exec
