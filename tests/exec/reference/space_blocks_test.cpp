// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "exec/reference/constant_values.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;
using enum OperationType;

TestOperation depth(OperationType type, const TestOperand& input, std::int32_t block,
                    bool isNchw = false) {
    return {type,
            {input, scalar(block), scalar(isNchw)},
            {tensor(input.type, {}, input.scale, input.zeroPoint)}};
}

TestOperation batch(OperationType type, const TestOperand& input,
                    const std::vector<std::int32_t>& block, bool isNchw = false) {
    TestOperation operation = depth(type, input, 1, isNchw);
    operation.inputs[1] = constants(block);
    if (type == SPACE_TO_BATCH_ND) {
        operation.inputs.insert(operation.inputs.begin() + 2, constants({2, 2}, {0, 0, 0, 0}));
    }
    return operation;
}

/// Element (b, y, x, c) of an operand, whichever its layout.
float at(const TestOperand& operand, bool isNchw, std::size_t b, std::size_t y, std::size_t x,
         std::size_t c) {
    const Dimensions& d = operand.dimensions;
    const std::size_t index =
        isNchw ? ((b * d[1] + c) * d[2] + y) * d[3] + x : ((b * d[1] + y) * d[2] + x) * d[3] + c;
    return operand.values<float>()[index];
}

TEST(SpaceToDepth, makesChannelsOfBlocks) {
    for (const bool isNchw : {false, true}) {
        TestOperation operation =
            depth(SPACE_TO_DEPTH,
                  counting(isNchw ? Dimensions{2, 3, 4, 6} : Dimensions{2, 4, 6, 3}), 2, isNchw);
        ASSERT_EQ(operation.refusal(), "");
        ASSERT_EQ(operation.outputs[0].dimensions,
                  (isNchw ? Dimensions{2, 12, 2, 3} : Dimensions{2, 2, 3, 12}));
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t j = 0; j < 2; ++j) {
                EXPECT_EQ(at(operation.outputs[0], isNchw, 1, 1, 2, (i * 2 + j) * 3 + 1),
                          at(operation.inputs[0], isNchw, 1, 2 + i, 4 + j, 1));
            }
        }
        TestOperation back = depth(DEPTH_TO_SPACE, operation.outputs[0], 2, isNchw);
        ASSERT_EQ(back.refusal(), "");
        EXPECT_EQ(back.outputs[0].dimensions, operation.inputs[0].dimensions);
        EXPECT_EQ(back.outputs[0].data, operation.inputs[0].data);
    }
}

TEST(SpaceToBatch, makesBatchesOfBlocks) {
    for (const bool isNchw : {false, true}) {
        TestOperation operation = batch(
            SPACE_TO_BATCH_ND, counting(isNchw ? Dimensions{2, 5, 4, 9} : Dimensions{2, 4, 9, 5}),
            {2, 3}, isNchw);
        ASSERT_EQ(operation.refusal(), "");
        ASSERT_EQ(operation.outputs[0].dimensions,
                  (isNchw ? Dimensions{12, 5, 2, 3} : Dimensions{12, 2, 3, 5}));
        EXPECT_EQ(at(operation.outputs[0], isNchw, (1 * 3 + 2) * 2 + 1, 1, 2, 4),
                  at(operation.inputs[0], isNchw, 1, 3, 8, 4));
        TestOperation back = batch(BATCH_TO_SPACE_ND, operation.outputs[0], {2, 3}, isNchw);
        ASSERT_EQ(back.refusal(), "");
        EXPECT_EQ(back.outputs[0].dimensions, operation.inputs[0].dimensions);
        EXPECT_EQ(back.outputs[0].data, operation.inputs[0].data);
    }
}

TEST(SpaceToBatch, padsWhatIsNotThere) {
    for (const bool isNchw : {false, true}) {
        const Dimensions padded = isNchw ? Dimensions{2, 2, 6, 9} : Dimensions{2, 6, 9, 2};
        const std::vector<std::int32_t> paddings{3, 1, 1, 6};
        std::vector<std::int32_t> all{0, 0, 3, 1, 1, 6, 0, 0};
        if (isNchw) {
            all = {0, 0, 0, 0, 3, 1, 1, 6};
        }
        const TestOperand input =
            counting(isNchw ? Dimensions{2, 2, 2, 2} : Dimensions{2, 2, 2, 2});
        TestOperation pad{PAD, {input, constants({4, 2}, all)}, {tensor(TENSOR_FLOAT32)}};
        ASSERT_EQ(pad.refusal(), "");
        ASSERT_EQ(pad.outputs[0].dimensions, padded);
        TestOperation expected = batch(SPACE_TO_BATCH_ND, pad.outputs[0], {2, 3}, isNchw);
        ASSERT_EQ(expected.refusal(), "");
        TestOperation operation = batch(SPACE_TO_BATCH_ND, input, {2, 3}, isNchw);
        operation.inputs[2] = constants({2, 2}, paddings);
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[0].dimensions, expected.outputs[0].dimensions);
        EXPECT_EQ(operation.outputs[0].values<float>(), expected.outputs[0].values<float>());
    }
}

TEST(SpaceToBatch, padsWithTheZeroPoint) {
    TestOperation operation =
        batch(SPACE_TO_BATCH_ND, quant8Signed({1, 1, 1, 1}, {7}, 1.0F, -3), {1, 2});
    operation.inputs[2] = constants({2, 2}, {0, 0, 1, 0});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(), (std::vector<std::int8_t>{-3, 7}));
}

TEST(SpaceToBatch, isOlderWithoutLayoutAndZeroPoint) {
    TestOperation operation = batch(SPACE_TO_BATCH_ND, quant8({1, 1, 1, 1}, {7}, 1.0F, 0), {1, 1});
    operation.inputs.pop_back();
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_1);
    operation.inputs[0].zeroPoint = operation.outputs[0].zeroPoint = 1;
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_2);
}

TEST(SpaceBlocks, takeTensorsWithoutElements) {
    TestOperation operation = depth(DEPTH_TO_SPACE, counting({0, 1, 2, 4}), 2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 2, 4, 1}));
    operation = batch(BATCH_TO_SPACE_ND, counting({0, 1, 2, 4}), {3, 2});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 3, 4, 4}));
    // Padding alone, in blocks that are as large as can be.
    operation = batch(SPACE_TO_BATCH_ND, counting({1, 0, 0, 1}), {2, 1});
    operation.inputs[2] = constants({2, 2}, {1, 1, 0, 1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{0, 0}));
    operation = batch(SPACE_TO_BATCH_ND, counting({1, 0, 0, 1}), {INT32_MAX, 1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{INT32_MAX, 0, 0, 1}));
}

TEST(SpaceBlocks, refuseBlocksThatDoNotFit) {
    const auto refusal = [](TestOperation operation) { return operation.refusal(); };
    EXPECT_EQ(refusal(depth(DEPTH_TO_SPACE, counting({1, 1, 1, 6}), 2)),
              "DEPTH_TO_SPACE input 0 (input): size 6 of axis 3; must be a multiple of 4, given by "
              "the block");
    EXPECT_EQ(refusal(depth(SPACE_TO_DEPTH, counting({1, 1, 3, 2}), 2, true)),
              "SPACE_TO_DEPTH input 0 (input): size 3 of axis 2; must be a multiple of 2, given by "
              "the block");
    EXPECT_EQ(refusal(depth(SPACE_TO_DEPTH, counting({1, 1, 1, 1}), 0)),
              "SPACE_TO_DEPTH input 1 (block size): value 0; must be at least 1");
    EXPECT_EQ(refusal(depth(SPACE_TO_DEPTH, counting({1, 0, 0, 7}), INT32_MAX)),
              "SPACE_TO_DEPTH output 0: shape 1x0x0x18446744073709551615; must take at most "
              "4294967295 bytes");
    EXPECT_EQ(refusal(batch(BATCH_TO_SPACE_ND, counting({3, 1, 1, 1}), {1, 2})),
              "BATCH_TO_SPACE_ND input 0 (input): size 3 of axis 0; must be a multiple of 2, given "
              "by the block");
    EXPECT_EQ(refusal(batch(BATCH_TO_SPACE_ND, counting({1, 1, 1, 1}), {1, 0})),
              "BATCH_TO_SPACE_ND input 1 (block sizes): 1 and 0; must be at least 1");
    EXPECT_EQ(refusal(batch(BATCH_TO_SPACE_ND, counting({1, 1, 1, 1}), {1, 1, 1})),
              "BATCH_TO_SPACE_ND input 1 (block sizes): size 3 of axis 0; must be 2, height and "
              "width");
    TestOperation negative = batch(SPACE_TO_BATCH_ND, counting({1, 1, 1, 1}), {1, 1});
    negative.inputs[2] = int32s({2, 2}, {0, 0, 0, -1});
    EXPECT_EQ(negative.refusal(), "SPACE_TO_BATCH_ND input 2 (paddings): -1; must be at least 0");
    TestOperation huge = batch(SPACE_TO_BATCH_ND, counting({1, 1, 1, 1}), {1, 1});
    huge.inputs[2] = constants({2, 2}, {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
    EXPECT_EQ(huge.refusal(),
              "SPACE_TO_BATCH_ND output 0: shape 1x4294967295x4294967295x1; must take at most "
              "4294967295 bytes");
}

}  // namespace
}  // namespace nnburst::exec
