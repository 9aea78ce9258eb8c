// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Activations of RNNs and SVDF.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

constexpr OperationType kActivated[] = {
    OperationType::RNN, OperationType::UNIDIRECTIONAL_SEQUENCE_RNN,
    OperationType::BIDIRECTIONAL_SEQUENCE_RNN, OperationType::SVDF};

/// One step of one unit, whose sum is `input`. The last output is the activated sum.
TestOperation oneUnit(OperationType type, OperandType elements, std::int32_t activation,
                      float input) {
    const auto given = [elements](const Dimensions& shape, const std::vector<float>& values) {
        return elements == TENSOR_FLOAT16 ? halves(shape, values) : floats(shape, values);
    };
    const TestOperand one = given({1, 1}, {1.0F});
    const TestOperand zero = given({1, 1}, {0.0F});
    const TestOperand bias = given({1}, {0.0F});
    const std::vector<TestOperand> layer{one, zero, bias, zero};
    const bool isUnidirectional = type == OperationType::UNIDIRECTIONAL_SEQUENCE_RNN;
    const bool isBidirectional = type == OperationType::BIDIRECTIONAL_SEQUENCE_RNN;
    const Dimensions shape =
        isUnidirectional || isBidirectional ? Dimensions{1, 1, 1} : Dimensions{1, 1};
    TestOperation operation{type, {given(shape, {input})}, {}};
    auto& inputs = operation.inputs;
    if (type == OperationType::SVDF) {
        inputs.insert(inputs.end(), {one, one, bias, zero, scalar(1)});
    } else {
        inputs.insert(inputs.end(), layer.begin(), layer.end());
    }
    if (isBidirectional) {
        inputs.insert(inputs.end(), layer.begin(), layer.end());
        inputs.insert(inputs.end(), 3, omitted(elements));
    }
    inputs.push_back(scalar(activation));
    if (isUnidirectional) {
        inputs.push_back(scalar(1));
    } else if (isBidirectional) {
        inputs.insert(inputs.end(), {scalar(true), scalar(false)});
    }
    operation.outputs.assign(isUnidirectional ? 1U : 2U, tensor(elements));
    return operation;
}

TEST(RecurrentActivation, mayBeTanhOrSigmoid) {
    struct ActivationCase {
        std::int32_t activation;
        float input;
        float expected;
    };
    constexpr ActivationCase kCases[] = {
        {0, 2.0F, 2.0F}, {1, -2.0F, 0.0F},      {2, 2.0F, 1.0F},      {2, -2.0F, -1.0F},
        {3, 7.0F, 6.0F}, {4, 1.0F, 0.7615942F}, {6, 1.0F, 0.7310586F}};
    for (const OperationType type : kActivated) {
        for (const ActivationCase& test : kCases) {
            SCOPED_TRACE(std::string(toString(type)) + ", activation " +
                         std::to_string(test.activation));
            TestOperation single = oneUnit(type, TENSOR_FLOAT32, test.activation, test.input);
            ASSERT_EQ(single.refusal(), "");
            EXPECT_NEAR(single.outputs.back().values<float>()[0], test.expected, 1e-6F);
            TestOperation half = oneUnit(type, TENSOR_FLOAT16, test.activation, test.input);
            ASSERT_EQ(half.refusal(), "");
            EXPECT_NEAR(static_cast<float>(half.outputs.back().values<Float16>()[0]), test.expected,
                        5e-4F);
        }
    }
}

TEST(RecurrentActivation, refusesOthers) {
    for (const OperationType type : kActivated) {
        for (const OperandType elements : {TENSOR_FLOAT32, TENSOR_FLOAT16}) {
            for (const std::int32_t activation : {5, 7}) {
                const std::string refusal = oneUnit(type, elements, activation, 1.0F).refusal();
                EXPECT_NE(refusal.find("(activation): value " + std::to_string(activation) +
                                       "; must be 0 (NONE)"),
                          std::string::npos)
                    << toString(type) << ": " << refusal;
            }
        }
    }
}

}  // namespace
}  // namespace nnburst::exec
