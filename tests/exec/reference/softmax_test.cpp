// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation softmax(const TestOperand& input, const TestOperand& output, float beta = 1.0F) {
    const bool isHalf = input.type == TENSOR_FLOAT16;
    return {
        OperationType::SOFTMAX, {input, isHalf ? scalar(Float16(beta)) : scalar(beta)}, {output}};
}

const float kLog3 = std::log(3.0F);

TestOperation smallSoftmax() {
    return softmax(floats({1, 2}, {0, kLog3}), tensor(TENSOR_FLOAT32));
}

void expectNear(const std::vector<float>& actual, const std::vector<float>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_NEAR(actual[i], expected[i], 1e-6F) << "element " << i;
    }
}

TEST(Softmax, normalisesEachRow) {
    TestOperation operation =
        softmax(floats({2, 2}, {0, kLog3, 1000, 1000}), tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2, 2}));
    expectNear(operation.outputs[0].values<float>(), {0.25F, 0.75F, 0.5F, 0.5F});
}

TEST(Softmax, multipliesWithBeta) {
    TestOperation operation = softmax(floats({1, 2}, {0, kLog3}), tensor(TENSOR_FLOAT32), 2.0F);
    ASSERT_EQ(operation.refusal(), "");
    expectNear(operation.outputs[0].values<float>(), {0.1F, 0.9F});
}

TEST(Softmax, worksAlongAnyAxis) {
    for (const std::int32_t axis : {1, -2}) {
        TestOperation operation =
            softmax(floats({1, 2, 2}, {0, 5, kLog3, 5}), tensor(TENSOR_FLOAT32));
        operation.inputs.push_back(scalar(axis));
        ASSERT_EQ(operation.refusal(), "");
        expectNear(operation.outputs[0].values<float>(), {0.25F, 0.5F, 0.75F, 0.5F});
    }
}

TEST(Softmax, worksAlongTheLastAxisIfTheAxisIsLeftOut) {
    TestOperation last = smallSoftmax();
    ASSERT_EQ(last.refusal(), "");
    TestOperation operation = smallSoftmax();
    operation.inputs.push_back(omitted(INT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].data, last.outputs[0].data);
    operation.inputs[2] = omitted(FLOAT32);
    EXPECT_EQ(operation.refusal(), "SOFTMAX input 2 (axis): type FLOAT32; must be INT32");
}

TEST(Softmax, givesUnitsOf256ths) {
    // Elements differ by log 3 in real numbers.
    TestOperation operation =
        softmax(quant8({1, 2}, {7, 8}, kLog3, 100), tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F / 256, 0));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(), (std::vector<std::uint8_t>{64, 192}));
    operation = softmax(quant8Signed({1, 2}, {-128, 127}, 1.0F, 0),
                        tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 1.0F / 256, -128));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(), (std::vector<std::int8_t>{-128, 127}));
}

TEST(Softmax, survivesTheLargestScale) {
    TestOperation operation = softmax(quant8({1, 3}, {7, 7, 8}, 3e38F, 0),
                                      tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F / 256, 0), 3e38F);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(), (std::vector<std::uint8_t>{0, 0, 255}));
}

TEST(Softmax, computesHalvesInFloat) {
    TestOperation operation = softmax(halves({1, 4}, {5, 5, 5, 5}), tensor(TENSOR_FLOAT16), 3.0F);
    ASSERT_EQ(operation.refusal(), "");
    for (const Float16 value : operation.outputs[0].values<Float16>()) {
        EXPECT_EQ(static_cast<float>(value), 0.25F);
    }
}

TEST(Softmax, takesTensorsWithoutElements) {
    for (const Dimensions& dimensions : {Dimensions{0, 2}, Dimensions{2, 0}}) {
        TestOperation operation = softmax(floats(dimensions, {}), tensor(TENSOR_FLOAT32));
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[0].dimensions, dimensions);
    }
}

TEST(Softmax, refusesOperandsThatBreakARule) {
    expectRefusals(
        smallSoftmax,
        {
            {[](auto& o) { o.inputs.resize(1); }, "SOFTMAX: 1 inputs; must be 2 to 3"},
            {[](auto& o) { o.outputs.clear(); }, "SOFTMAX: 0 outputs; must be 1"},
            {[](auto& o) { o.inputs[0].type = TENSOR_INT32; },
             "SOFTMAX input 0 (input): type TENSOR_INT32; must be TENSOR_FLOAT32, TENSOR_FLOAT16, "
             "TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED"},
            {[](auto& o) {
                 o.inputs[0].dimensions = {1, 1, 1, 1, 2};
             },
             "SOFTMAX input 0 (input): rank 5; must be 1 to 4"},
            {[](auto& o) { o.outputs[0].type = TENSOR_FLOAT16; },
             "SOFTMAX output 0 (output): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that of "
             "input 0 (input)"},
            {[](auto& o) {
                 o.outputs[0].dimensions = {2, 1};
             },
             "SOFTMAX output 0 (output): shape 2x1; must be 1x2, that of input 0 (input)"},
            {[](auto& o) {
                 o = softmax(quant8({1, 2}, {7, 8}, 1.0F, 0),
                             tensor(TENSOR_QUANT8_ASYMM, {}, 0.5F, 0));
             },
             "SOFTMAX output 0 (output): scale 0.5 and zero point 0; must be scale 0.00390625 and "
             "zero point 0"},
            {[](auto& o) {
                 o = softmax(quant8Signed({1, 2}, {7, 8}, 1.0F, 0),
                             tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 1.0F / 256, 0));
             },
             "SOFTMAX output 0 (output): scale 0.00390625 and zero point 0; must be scale "
             "0.00390625 and zero point -128"},
            {[](auto& o) { o.inputs[1] = scalar(Float16(1.0F)); },
             "SOFTMAX input 1 (beta): type FLOAT16; must be FLOAT32"},
            {[](auto& o) { o.inputs[1] = scalar(0.0F); },
             "SOFTMAX input 1 (beta): value 0; must be finite and more than 0"},
            {[](auto& o) { o.inputs[1] = scalar(NAN); },
             "SOFTMAX input 1 (beta): value nan; must be finite and more than 0"},
            {[](auto& o) { o.inputs[1].isConstant = false; },
             "SOFTMAX input 1 (beta): its value is not known yet"},
            {[](auto& o) { o.inputs.push_back(scalar(2)); },
             "SOFTMAX: axis 2 (input 2); must be -2 to 1"},
            {[](auto& o) { o.inputs.push_back(scalar(-3)); },
             "SOFTMAX: axis -3 (input 2); must be -2 to 1"},
            {[](auto& o) {
                 o.outputShapes = {Shape{2, 2}};
             },
             "SOFTMAX output 0: shape 2x2; must be 1x2"},
        });
}

}  // namespace
}  // namespace nnburst::exec
