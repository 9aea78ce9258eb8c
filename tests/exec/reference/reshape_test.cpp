// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "exec/reference/constant_values.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation reshape(const std::vector<std::int32_t>& sizes) {
    TestOperand shape = int32s({static_cast<std::uint32_t>(sizes.size())}, sizes);
    shape.isConstant = true;
    return {OperationType::RESHAPE,
            {floats({2, 3}, {1, 2, 3, 4, 5, 6}), shape},
            {tensor(TENSOR_FLOAT32)}};
}

Dimensions dimensionsOf(const std::vector<std::int32_t>& sizes) {
    TestOperation operation = reshape(sizes);
    EXPECT_EQ(operation.refusal(), "");
    return operation.outputs[0].dimensions;
}

TEST(Reshape, keepsTheElementsInTheirOrder) {
    TestOperation operation = reshape({3, 2});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Reshape, computesTheSizeThatIsMinusOne) {
    EXPECT_EQ(dimensionsOf({-1}), (Dimensions{6}));
    EXPECT_EQ(dimensionsOf({3, -1}), (Dimensions{3, 2}));
    EXPECT_EQ(dimensionsOf({1, -1, 6, 1}), (Dimensions{1, 1, 6, 1}));
}

TEST(Reshape, takesItsShapeFromTheRequest) {
    TestOperation operation = reshape({3, -1});
    operation.inputs[1].isConstant = false;
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{3, 2}));
}

TEST(Reshape, refusesAShapeThatChangedAfterPlanning) {
    TestOperation operation = reshape({3, 2});
    operation.outputShapes = {Shape{2, 3}};
    EXPECT_EQ(operation.refusal(), "RESHAPE output 0: shape 2x3; must be 3x2");
}

TEST(Reshape, takesTensorsWithoutElements) {
    TestOperation operation = reshape({0, 4});
    operation.inputs[0] = floats({3, 0}, {});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 4}));
}

TEST(Reshape, refusesShapesOfOtherSizes) {
    const auto refusal = [](const std::vector<std::int32_t>& sizes) {
        return reshape(sizes).refusal();
    };
    EXPECT_EQ(refusal({4, 2}),
              "RESHAPE input 1 (shape): 8 elements in shape 4x2; must be 6, those of the input");
    EXPECT_EQ(refusal({4, -1}),
              "RESHAPE input 1 (shape): 4 elements in shape 4x1; must be 6, those of the input");
    EXPECT_EQ(refusal({7, -1}),
              "RESHAPE input 1 (shape): 0 elements in shape 7x0; must be 6, those of the input");
    EXPECT_EQ(refusal({0, -1}),
              "RESHAPE input 1 (shape): 0 elements in shape 0x0; must be 6, those of the input");
    EXPECT_EQ(refusal({-1, -1}),
              "RESHAPE input 1 (shape): size -1 of axis 1; must be at least 0, or -1 once");
    EXPECT_EQ(refusal({-2, 3}),
              "RESHAPE input 1 (shape): size -2 of axis 0; must be at least 0, or -1 once");
    EXPECT_EQ(refusal({INT32_MAX, INT32_MAX, INT32_MAX, 2}),
              "RESHAPE input 1 (shape): 2^64 elements or more; must be 6, those of the input");
}

TEST(Reshape, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return reshape({3, 2});
        },
        {
            {[](auto& o) { o.inputs.resize(1); }, "RESHAPE: 1 inputs; must be 2"},
            {[](auto& o) { o.outputs.clear(); }, "RESHAPE: 0 outputs; must be 1"},
            {[](auto& o) { o.inputs[0].type = TENSOR_INT32; },
             "RESHAPE input 0 (input): type TENSOR_INT32; must be TENSOR_FLOAT32, TENSOR_FLOAT16, "
             "TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED"},
            {[](auto& o) { o.inputs[1].type = TENSOR_FLOAT32; },
             "RESHAPE input 1 (shape): type TENSOR_FLOAT32; must be TENSOR_INT32"},
            {[](auto& o) {
                 o.inputs[0].dimensions = {1, 1, 1, 2, 3};
             },
             "RESHAPE input 0 (input): rank 5; must be 1 to 4"},
            {[](auto& o) {
                 o.inputs[1].dimensions = {1, 2};
             },
             "RESHAPE input 1 (shape): rank 2; must be 1"},
            {[](auto& o) { o.inputs[1].dimensions = {0}; },
             "RESHAPE input 1 (shape): size 0 of axis 0; must be at least 1"},
            {[](auto& o) { o.inputs[1].dimensions = {9}; },
             "RESHAPE input 1 (shape): 9 elements; must be 1 to 8"},
            {[](auto& o) { o.outputs[0].type = TENSOR_FLOAT16; },
             "RESHAPE output 0 (output): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that of "
             "input 0 (input)"},
            {[](auto& o) {
                 o.inputs[0] = quant8({6}, {1, 2, 3, 4, 5, 6}, 0.5F, 1);
                 o.outputs[0] = tensor(TENSOR_QUANT8_ASYMM, {}, 0.5F, 2);
             },
             "RESHAPE output 0 (output): scale 0.5 and zero point 2; must be scale 0.5 and zero "
             "point 1, those of input 0 (input)"},
        });
}

TestOperation squeeze(const Dimensions& dimensions, const TestOperand& axes) {
    return {OperationType::SQUEEZE, {counting(dimensions), axes}, {tensor(TENSOR_FLOAT32)}};
}

TEST(Squeeze, dropsTheListedAxes) {
    const auto dimensionsWithout = [](const TestOperand& axes) {
        TestOperation operation = squeeze({1, 2, 1, 1}, axes);
        EXPECT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{0, 1}));
        return operation.outputs[0].dimensions;
    };
    EXPECT_EQ(dimensionsWithout(constants({0, -1, 3})), (Dimensions{2, 1}));
    EXPECT_EQ(dimensionsWithout(omitted(TENSOR_INT32)), (Dimensions{2}));
    EXPECT_EQ(dimensionsWithout(int32s({0}, {})), (Dimensions{1, 2, 1, 1}));
}

TEST(Squeeze, leavesOneAxis) {
    TestOperation operation = squeeze({1, 1}, omitted(TENSOR_INT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{1}));
}

TEST(Squeeze, refusesAxesThatCannotBeDropped) {
    EXPECT_EQ(squeeze({1, 2}, constants({1})).refusal(),
              "SQUEEZE input 1 (axes): axis 1 of size 2; must be of size 1");
    EXPECT_EQ(squeeze({1, 0}, int32s({1}, {-1})).refusal(),
              "SQUEEZE input 1 (axes): axis -1 of size 0; must be of size 1");
    EXPECT_EQ(squeeze({1, 2}, constants({-3})).refusal(),
              "SQUEEZE input 1 (axes): axis -3; must be -2 to 1");
    EXPECT_EQ(squeeze({1, 2}, omitted(TENSOR_FLOAT32)).refusal(),
              "SQUEEZE input 1 (axes): type TENSOR_FLOAT32; must be TENSOR_INT32");
}

TestOperation expandDims(const Dimensions& dimensions, std::int32_t axis) {
    return {
        OperationType::EXPAND_DIMS, {counting(dimensions), scalar(axis)}, {tensor(TENSOR_FLOAT32)}};
}

TEST(ExpandDims, addsAnAxis) {
    const auto expanded = [](std::int32_t axis) {
        TestOperation operation = expandDims({2, 0}, axis);
        EXPECT_EQ(operation.refusal(), "");
        return operation.outputs[0].dimensions;
    };
    EXPECT_EQ(expanded(0), (Dimensions{1, 2, 0}));
    EXPECT_EQ(expanded(2), (Dimensions{2, 0, 1}));
    EXPECT_EQ(expanded(-1), (Dimensions{2, 0, 1}));
    EXPECT_EQ(expanded(-3), (Dimensions{1, 2, 0}));
}

TEST(ExpandDims, refusesAxesThatDoNotExist) {
    EXPECT_EQ(expandDims({2}, 2).refusal(), "EXPAND_DIMS input 1 (axis): value 2; must be -2 to 1");
    EXPECT_EQ(expandDims({2}, INT32_MIN).refusal(),
              "EXPAND_DIMS input 1 (axis): value -2147483648; must be -2 to 1");
    EXPECT_EQ(expandDims({1, 1, 1, 1, 1, 1, 1, 1}, 0).refusal(),
              "EXPAND_DIMS input 0 (input): rank 8; must be 1 to 7");
}

}  // namespace
}  // namespace nnburst::exec
