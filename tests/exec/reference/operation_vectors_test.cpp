// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Runs the test vectors of the HAL's operations in every way that this room can: operation by
// operation on the reference kernels, and as compiled models without and with XNNPACK.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "exec/graph/constants.h"
#include "exec/operation/operation.h"
#include "exec/reference/operations.h"
#include "exec/reference/test_operation.h"
#include "support/shared_data.h"
#include "support/test_request.h"
#include "vectors/vector_file.h"

namespace nnburst::exec {
namespace {

enum class KernelPath { OPERATION_BY_OPERATION, COMPILED, COMPILED_WITH_XNNPACK };

/// The result of an execution for a main output.
struct Output {
    Dimensions dimensions;
    std::vector<std::byte> contents;
};

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

Result<std::vector<Output>> runOperations(const VectorExample& example) {
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
    std::vector<Output> outputs;
    for (const std::uint32_t index : example.model.main.outputIndexes) {
        outputs.push_back({operands[index].dimensions, operands[index].data});
    }
    return outputs;
}

Result<std::vector<Output>> runCompiled(const std::shared_ptr<Engine>& engine,
                                        const VectorExample& example) {
    NNBURST_TRY_ASSIGN(const auto compiled, CompiledModel::compile(engine, example.model));
    TestRequest request;
    for (const std::vector<std::byte>& input : example.inputs) {
        if (input.empty()) {
            request.omitInput();
        } else {
            request.addInput(input);
        }
    }
    for (const VectorOutput& output : example.outputs) {
        request.addOutput(std::max<std::size_t>(output.expected.size(), 1));
    }
    ExecutionOptions options;
    if (example.expectsFailure) {
        options.loopTimeout = std::chrono::milliseconds(1);  // some never end
    }
    NNBURST_TRY(request.run(*compiled, options));
    std::vector<Output> outputs;
    for (std::size_t i = 0; i < example.outputs.size(); ++i) {
        const auto contents = request.output(i).first(example.outputs[i].expected.size());
        outputs.push_back(
            {request.outcome().outputShapes[i].dimensions, {contents.begin(), contents.end()}});
    }
    return outputs;
}

void expectOutputs(const VectorExample& example, const Result<std::vector<Output>>& outputs) {
    if (example.expectsFailure) {
        EXPECT_FALSE(outputs) << example.name << " must fail";
        return;
    }
    ASSERT_TRUE(outputs) << example.name << ": " << outputs.error().message;
    for (std::size_t i = 0; i < example.outputs.size(); ++i) {
        const Output& output = (*outputs)[i];
        EXPECT_EQ(output.dimensions, example.outputs[i].dimensions) << example.name;
        EXPECT_EQ(compareOutput(example, i, output.contents), "") << example.name;
    }
}

/// Examples whose operations are all there. Those of ADD are of ADD alone: it also occurs in half
/// of all others, as a way to make an operand internal.
bool isFor(const VectorExample& example, OperationType type) {
    const auto fits = [&](const Subgraph& subgraph) {
        return std::all_of(subgraph.operations.begin(), subgraph.operations.end(),
                           [&](const Operation& operation) {
                               return type == OperationType::ADD
                                          ? operation.type == type
                                          : findOperation(operation.type) != nullptr;
                           });
    };
    return fits(example.model.main) &&
           std::all_of(example.model.referenced.begin(), example.model.referenced.end(), fits);
}

/// IF and WHILE cannot run as a single operation.
bool isRunnableByOperation(const VectorExample& example) {
    return example.model.referenced.empty();
}

using Case = std::tuple<OperationType, KernelPath>;

class OperationVectors : public testing::TestWithParam<Case> {};

TEST_P(OperationVectors, giveTheExpectedOutputs) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const auto [type, path] = GetParam();
    const auto engine = makeEngine(path == KernelPath::COMPILED_WITH_XNNPACK);
    std::size_t count = 0;
    for (const auto& file : vectorFiles(shared / "vectors")) {
        forEachExample(file, type, [&, type = type, path = path](const VectorExample& example) {
            if (isFor(example, type) &&
                (path != KernelPath::OPERATION_BY_OPERATION || isRunnableByOperation(example))) {
                ++count;
                expectOutputs(example, path == KernelPath::OPERATION_BY_OPERATION
                                           ? runOperations(example)
                                           : runCompiled(engine, example));
            }
        });
    }
    EXPECT_GT(count, 0U);
}

std::string nameOf(const testing::TestParamInfo<Case>& test) {
    const auto [type, path] = test.param;
    const char* suffix = path == KernelPath::OPERATION_BY_OPERATION ? "byOperation"
                         : path == KernelPath::COMPILED             ? "compiled"
                                                                    : "compiledWithXnnpack";
    return std::string(toString(type)) + "_" + suffix;
}

std::vector<Case> allCases() {
    std::vector<Case> cases;
    for (const OperationType type : kOperationTypes) {
        if (!isControlFlow(type)) {  // which cannot run as a single operation
            cases.emplace_back(type, KernelPath::OPERATION_BY_OPERATION);
        }
        cases.emplace_back(type, KernelPath::COMPILED);
        cases.emplace_back(type, KernelPath::COMPILED_WITH_XNNPACK);
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(, OperationVectors, testing::ValuesIn(allCases()), nameOf);

}  // namespace
}  // namespace nnburst::exec
