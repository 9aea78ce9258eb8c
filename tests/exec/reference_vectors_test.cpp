// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Runs the test vectors of the HAL's operations on the reference kernels: each model operation by
// operation, without planner or backend.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exec/constants.h"
#include "exec/test_operation.h"
#include "support/shared_data.h"
#include "support/vector_file.h"

namespace nnburst::exec {
namespace {

/// The operands of an example's main subgraph, with all values that are given.
Result<std::vector<TestOperand>> operandsOf(const VectorExample& example) {
    NNBURST_TRY_ASSIGN(const Constants constants,
                       Constants::load(example.model, example.model.main));
    std::vector<TestOperand> operands;
    for (const Operand& operand : example.model.main.operands) {
        TestOperand& made = operands.emplace_back(
            tensor(operand.type, operand.dimensions, operand.scale, operand.zeroPoint));
        if (const auto* quant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
            made.channelQuant = *quant;
        }
        made.isConstant = operand.lifetime == OperandLifeTime::CONSTANT_COPY ||
                          operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE;
        made.isOmitted = operand.lifetime == OperandLifeTime::NO_VALUE;
        if (made.isConstant) {
            const std::byte* data = constants.data(static_cast<std::uint32_t>(operands.size() - 1));
            made.data.assign(data, data + operand.location.length);
        }
    }
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        TestOperand& input = operands[example.model.main.inputIndexes[i]];
        input.data = example.inputs[i];
        input.isOmitted = input.data.empty();
    }
    return operands;
}

/// Gives the values of all operands.
Result<std::vector<TestOperand>> runExample(const VectorExample& example) {
    NNBURST_TRY_ASSIGN(std::vector<TestOperand> operands, operandsOf(example));
    for (const Operation& operation : example.model.main.operations) {
        TestOperation test{operation.type, {}, {}};
        for (const std::uint32_t input : operation.inputs) {
            test.inputs.push_back(operands[input]);
        }
        for (const std::uint32_t output : operation.outputs) {
            test.outputs.push_back(operands[output]);
        }
        NNBURST_TRY(test.run());
        for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
            operands[operation.outputs[i]] = test.outputs[i];
        }
    }
    return operands;
}

void expectExample(const VectorExample& example) {
    const Result<std::vector<TestOperand>> result = runExample(example);
    if (example.expectsFailure) {
        EXPECT_FALSE(result) << example.name << " must fail";
        return;
    }
    ASSERT_TRUE(result) << example.name << ": " << result.error().message;
    for (std::size_t i = 0; i < example.outputs.size(); ++i) {
        const TestOperand& output = (*result)[example.model.main.outputIndexes[i]];
        EXPECT_EQ(output.dimensions, example.outputs[i].dimensions) << example.name;
        EXPECT_EQ(compareOutput(example, i, output.data), "");
    }
}

/// Examples whose operations all have reference kernels. Those of ADD are of ADD alone: it also
/// occurs in half of all others, as a way to make an operand internal.
bool isFor(const VectorExample& example, OperationType type) {
    const std::vector<Operation>& operations = example.model.main.operations;
    return std::all_of(operations.begin(), operations.end(), [&](const Operation& operation) {
        return type == OperationType::ADD ? operation.type == type
                                          : findOperation(operation.type) != nullptr;
    });
}

class ReferenceVectors : public testing::TestWithParam<OperationType> {};

TEST_P(ReferenceVectors, giveTheExpectedOutputs) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    std::size_t count = 0;
    for (const auto& file : vectorFiles(shared)) {
        forEachExample(file, GetParam(), [&](const VectorExample& example) {
            if (isFor(example, GetParam())) {
                ++count;
                expectExample(example);
            }
        });
    }
    EXPECT_GT(count, 0U);
    RecordProperty("examples", static_cast<int>(count));
}

INSTANTIATE_TEST_SUITE_P(, ReferenceVectors,
                         testing::Values(OperationType::ADD, OperationType::AVERAGE_POOL_2D,
                                         OperationType::CONV_2D, OperationType::DEPTHWISE_CONV_2D,
                                         OperationType::FULLY_CONNECTED, OperationType::LSTM,
                                         OperationType::MAX_POOL_2D, OperationType::RESHAPE,
                                         OperationType::RNN, OperationType::SOFTMAX),
                         [](const auto& type) { return toString(type.param); });

}  // namespace
}  // namespace nnburst::exec
