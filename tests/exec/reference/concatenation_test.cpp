// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exec/reference/constant_values.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation concatenation(std::vector<TestOperand> tensors, std::int32_t axis,
                            const TestOperand& output) {
    tensors.push_back(scalar(axis));
    return {OperationType::CONCATENATION, std::move(tensors), {output}};
}

TestOperation split(const TestOperand& input, std::int32_t axis, std::int32_t count) {
    return {OperationType::SPLIT,
            {input, scalar(axis), scalar(count)},
            std::vector<TestOperand>(static_cast<std::size_t>(count), tensor(input.type))};
}

TEST(Concatenation, putsTensorsSideBySideAlongTheAxis) {
    TestOperation operation =
        concatenation({floats({2, 1}, {1, 2}), floats({2, 0}, {}), floats({2, 2}, {3, 4, 5, 6})}, 1,
                      tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2, 3}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{1, 3, 4, 2, 5, 6}));
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_0);
}

TEST(Concatenation, bringsEachTensorToTheScaleOfTheOutput) {
    TestOperation operation =
        concatenation({quant8({2, 2}, {0, 10, 20, 255}, 1.0F, 10), quant8({2, 1}, {3, 4}, 0.5F, 5)},
                      1, tensor(TENSOR_QUANT8_ASYMM, {}, 0.5F, 5));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(),
              (std::vector<std::uint8_t>{0, 5, 3, 25, 255, 4}));
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_2);
}

TEST(Concatenation, bringsATensorOfTheSameScaleToTheZeroPointOfTheOutput) {
    TestOperation operation =
        concatenation({quant8({3}, {10, 12, 255}, 0.5F, 10), quant8({2}, {5, 6}, 0.5F, 5)}, 0,
                      tensor(TENSOR_QUANT8_ASYMM, {}, 0.5F, 5));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(),
              (std::vector<std::uint8_t>{5, 7, 250, 5, 6}));
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_2);
}

TEST(Concatenation, roundsTiesAwayFromZero) {
    // In units of the output: -1.5, -0.5, 0.5, 1.5 and 2.5 from its zero point.
    TestOperation operation = concatenation({quant8({5}, {7, 9, 11, 13, 15}, 0.5F, 10)}, 0,
                                            tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F, 100));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(),
              (std::vector<std::uint8_t>{98, 99, 101, 102, 103}));
    operation = concatenation({quant8Signed({4}, {-3, -1, 1, 3}, 0.5F, 0)}, 0,
                              tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 1.0F, -5));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(),
              (std::vector<std::int8_t>{-7, -6, -4, -3}));
}

TEST(Concatenation, saturatesWhateverTheScales) {
    TestOperation operation =
        concatenation({quant8Signed({3}, {-128, 0, 127}, 3e38F, 0), quant8Signed({1}, {7}, 1, 0)},
                      0, tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 1e-38F, 3));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(),
              (std::vector<std::int8_t>{-128, 3, 127, 127}));
}

TEST(Concatenation, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return concatenation({counting({2, 1}), counting({2, 2})}, 1, tensor(TENSOR_FLOAT32));
        },
        {
            {[](auto& o) { o.inputs.resize(1); }, "CONCATENATION: 1 inputs; must be at least 2"},
            {[](auto& o) {
                 o.inputs[1] = halves({2, 1}, {1, 2});
             },
             "CONCATENATION input 1 (tensor): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that of "
             "input 0 (tensor)"},
            {[](auto& o) {
                 o.inputs[1] = counting({3, 1});
             },
             "CONCATENATION input 1 (tensor): size 3 of axis 0; must be 2, that of input 0"},
            {[](auto& o) {
                 o.inputs[1] = counting({2, 1, 1});
             },
             "CONCATENATION input 1 (tensor): rank 3; must be 2"},
            {[](auto& o) { o.inputs[2] = scalar(2); },
             "CONCATENATION: axis 2 (input 2); must be 0 to 1"},
            {[](auto& o) { o.inputs[2] = scalar(-1); },
             "CONCATENATION input 2 (axis): value -1; must be at least 0"},
            {[](auto& o) {
                 o.inputs[0].dimensions = {UINT32_MAX, 1};
                 o.inputs[1].dimensions = {UINT32_MAX, 1};
                 o.inputs[2] = scalar(0);
             },
             "CONCATENATION output 0: shape 8589934590x1; must take at most 4294967295 bytes"},
        });
}

TEST(Split, cutsThePiecesAlongTheAxis) {
    TestOperation operation = split(counting({2, 4}), -1, 2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{0, 1, 4, 5}));
    EXPECT_EQ(operation.outputs[1].values<float>(), (std::vector<float>{2, 3, 6, 7}));
    operation = split(counting({2, 0}), 1, 2);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[1].dimensions, (Dimensions{2, 0}));
}

TEST(Split, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return split(counting({2, 4}), 1, 2);
        },
        {
            {[](auto& o) { o.inputs[1] = scalar(2); },
             "SPLIT input 1 (axis): value 2; must be -2 to 1"},
            {[](auto& o) { o.inputs[2] = scalar(0); },
             "SPLIT input 2 (number of pieces): value 0; must be at least 1"},
            {[](auto& o) { o.inputs[2] = scalar(4); }, "SPLIT: 2 outputs; must be 4"},
            {[](auto& o) {
                 o.inputs[0] = counting({2, 3});
             },
             "SPLIT input 0 (input): size 3 of axis 1; must be a multiple of 2, the number of "
             "pieces"},
            {[](auto& o) { o.outputs[1].type = TENSOR_INT32; },
             "SPLIT output 1 (piece): type TENSOR_INT32; must be TENSOR_FLOAT32, that of input 0 "
             "(input)"},
        });
}

TEST(Split, checksItsAxisThoughSizesAreOpen) {
    TestOperation operation = split(tensor(TENSOR_FLOAT32, {0, 4}), 1, 2);
    const auto refusal = [&] {
        const Result<> checked = operation.check();
        return checked ? std::string() : checked.error().message;
    };
    EXPECT_EQ(refusal(), "");
    operation.inputs[1].isConstant = false;
    EXPECT_EQ(refusal(), "") << "its value is not known";
    operation.inputs[1] = scalar(7);
    EXPECT_EQ(refusal(), "SPLIT input 1 (axis): value 7; must be -2 to 1");
    operation.inputs[1] = scalar(1.0F);
    EXPECT_EQ(refusal(), "SPLIT input 1 (axis): type FLOAT32; must be INT32");
    operation.inputs[0] = tensor(TENSOR_FLOAT32);
    EXPECT_EQ(refusal(), "SPLIT input 1 (axis): type FLOAT32; must be INT32");
    operation.inputs[1] = scalar(7);
    EXPECT_EQ(refusal(), "") << "any axis may be there";
}

}  // namespace
}  // namespace nnburst::exec
