// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/interpreter.h"
#include "exec/reference/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "exec/graph/control_flow_check.h"
#include "exec/operation/control_flow.h"
#include "exec/operation/step.h"
#include "exec/plan/arena.h"
#include "exec/plan/operation_step.h"
#include "exec/run/loop.h"
#include "log/verbose.h"

namespace nnburst::exec {

/// What an operation keeps from run to run.
struct Interpreter::OperationState {
    const OperationDefinition* definition = nullptr;
    bool hasValueInputs = false;  ///< some that are no constants
    bool isPrepared = false;
    // What it was prepared for.
    struct Input {
        Shape shape;
        bool isOmitted;
        bool isCompared;  ///< its value too, in `values`
    };
    std::vector<Input> inputs;
    std::vector<std::byte> values;  ///< one after the other
    // What was prepared.
    GrowingBuffer scratch;
    std::unique_ptr<Step> step;  ///< null for an operation with runShrinking
    std::vector<std::byte*> operands;
    bool isSetUp = false;              ///< the step, with `operands`
    OperationInstance operation;       ///< with runShrinking, and all below
    std::vector<Shape> inferred;       ///< shapes of its outputs at most
    std::vector<Shape> shrunk;         ///< shapes of its outputs in the run at hand
    xnnpack::OperatorCache operators;  ///< of an operation with value inputs
    Loop loop;
};

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

}  // namespace

/// The outputs of a subgraph that IF runs: operands of this graph.
class Interpreter::BranchOutputs final : public GraphOutputs {
  public:
    BranchOutputs(Interpreter& interpreter, const Operation& operation)
        : interpreter_(interpreter), operation_(operation) {}

    [[nodiscard]] bool wants(std::size_t /*output*/) const noexcept override { return true; }

    [[nodiscard]] Result<std::byte*> place(std::size_t output, const Shape& shape,
                                           std::uint64_t /*sizeBytes*/) override {
        const std::uint32_t operand = operation_.outputs[output];
        NNBURST_TRY(interpreter_.shapes_.stateShape(operand, shape));
        NNBURST_TRY(interpreter_.place(operand));
        return interpreter_.values_[operand].data;
    }

    [[nodiscard]] Result<> sufficient() const override { return {}; }

  private:
    Interpreter& interpreter_;
    const Operation& operation_;
};

Interpreter::Interpreter(const Graph& graph, const Kernels& kernels,
                         xnnpack::OperatorCache& operators,
                         std::span<const std::unique_ptr<GraphRunner>> referenced)
    : graph_(graph),
      kernels_(kernels),
      operators_(operators),
      referenced_(referenced),
      shapes_(graph),
      values_(graph.subgraph.operands.size()) {
    const Subgraph& subgraph = graph.subgraph;
    for (std::uint32_t output = 0; output < subgraph.outputIndexes.size(); ++output) {
        values_[subgraph.outputIndexes[output]].output = output;
    }
    for (const Operation& operation : subgraph.operations) {
        OperationState& state = *states_.emplace_back(std::make_unique<OperationState>());
        state.definition = findOperation(operation.type);
        for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
            const std::uint32_t operand = operation.inputs[input];
            if (isValueInput(*state.definition, input, subgraph.operands[operand].type) &&
                graph.constants.data(operand) == nullptr) {
                values_[operand].isPrivate = true;
                state.hasValueInputs = true;
            }
        }
    }
}

Interpreter::~Interpreter() = default;

Result<> Interpreter::run(std::span<const GraphInput> inputs, GraphOutputs& outputs,
                          const RunLimits& limits) {
    outputs_ = &outputs;
    limits_ = &limits;
    NNBURST_TRY(takeInputs(inputs));
    for (std::uint32_t index = 0; index < graph_.subgraph.operations.size(); ++index) {
        if (graph_.isFolded[index]) {
            continue;
        }
        NNBURST_TRY(limits.checkBefore(index));
        NNBURST_VLOG(CPUEXE, "operation {}, {}", index,
                     toString(graph_.subgraph.operations[index].type));
        if (auto result = runOperation(index); !result) {
            return failure(result.error().status,
                           fmt::format("operation {}: {}", index, result.error().message));
        }
    }
    return outputs.sufficient();
}

Result<> Interpreter::takeInputs(std::span<const GraphInput> inputs) {
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        const GraphInput& given = inputs[input];
        const std::uint32_t operand = graph_.subgraph.inputIndexes[input];
        NNBURST_TRY(shapes_.stateInput(input, given.shape, given.isOmitted));
        Value& value = values_[operand];
        value.data = given.data;
        if (value.isPrivate && !given.isOmitted) {
            const std::uint64_t sizeBytes = sizeBytesOf(operand);
            NNBURST_TRY(reserve(operand, sizeBytes));
            std::memcpy(value.data, given.data, sizeBytes);
        }
        shapes_.stateValue(operand, value.data);
    }
    return {};
}

Result<> Interpreter::runOperation(std::uint32_t index) {
    const Operation& operation = graph_.subgraph.operations[index];
    switch (operation.type) {
        case OperationType::IF:
            NNBURST_TRY(runIf(index));
            break;
        case OperationType::WHILE:
            NNBURST_TRY(runWhile(index));
            break;
        default:
            if (!isPrepared(index)) {
                NNBURST_TRY(prepare(index));
            }
            if (states_[index]->definition->runShrinking != nullptr) {
                NNBURST_TRY(runShrinking(index));
            } else {
                NNBURST_TRY(runKernel(index));
            }
    }
    for (const std::uint32_t output : operation.outputs) {
        if (values_[output].isPrivate || states_[index]->definition->runShrinking != nullptr) {
            NNBURST_TRY(publish(output));
        }
    }
    return {};
}

bool Interpreter::isPrepared(std::uint32_t index) const {
    const OperationState& state = *states_[index];
    if (!state.isPrepared) {
        return false;
    }
    const std::vector<std::uint32_t>& inputs = graph_.subgraph.operations[index].inputs;
    auto known = state.values.begin();
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        const std::uint32_t operand = inputs[input];
        const OperationState::Input& prepared = state.inputs[input];
        if (prepared.isOmitted != shapes_.isOmitted(operand) ||
            (!prepared.isOmitted && prepared.shape != shapes_.shape(operand))) {
            return false;
        }
        if (prepared.isCompared) {
            const auto sizeBytes = static_cast<std::ptrdiff_t>(sizeBytesOf(operand));
            if (!std::equal(known, known + sizeBytes, values_[operand].data)) {
                return false;
            }
            known += sizeBytes;
        }
    }
    return true;
}

Result<> Interpreter::prepare(std::uint32_t index) {
    OperationState& state = *states_[index];
    state.isPrepared = false;
    NNBURST_TRY_ASSIGN(const HalVersion version, shapes_.visit(index));
    static_cast<void>(version);
    if (state.definition->runShrinking != nullptr) {
        state.operation = shapes_.operation(index);
        state.inferred.resize(state.operation.outputs.size());
        NNBURST_TRY(state.definition->inferShapes(state.operation.view(), state.inferred));
        if (state.definition->scratchBytes != nullptr) {
            NNBURST_TRY(
                state.scratch.reserve(state.definition->scratchBytes(state.operation.view())));
        }
    } else {
        NNBURST_TRY(makeStep(index));
    }
    const std::vector<std::uint32_t>& inputs = graph_.subgraph.operations[index].inputs;
    state.inputs.clear();
    state.values.clear();
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        const OperandView view = shapes_.operand(inputs[input]);
        const bool isCompared = !view.isConstant && !view.isOmitted &&
                                isValueInput(*state.definition, input, view.type);
        state.inputs.push_back(
            {.shape = view.shape, .isOmitted = view.isOmitted, .isCompared = isCompared});
        if (isCompared) {
            state.values.insert(state.values.end(), view.data, view.data + sizeBytes(view));
        }
    }
    state.isPrepared = true;
    return {};
}

Result<> Interpreter::makeStep(std::uint32_t index) {
    OperationState& state = *states_[index];
    state.step.reset();
    // Operators are shared by operation and size only: not where they depend on values too.
    xnnpack::OperatorCache& operators = state.hasValueInputs ? state.operators : operators_;
    if (state.hasValueInputs) {
        state.operators = {};
    } else {
        operators_.dropUnused();
    }
    NNBURST_TRY_ASSIGN(state.step,
                       makeOperationStep(shapes_.operation(index), index, kernels_, operators));
    const std::size_t scratchBytes = state.step->scratchBytes();
    const Operation& operation = graph_.subgraph.operations[index];
    state.operands.resize(operation.inputs.size() + operation.outputs.size());
    if (scratchBytes != 0) {
        NNBURST_TRY_ASSIGN(std::byte * scratch, state.scratch.reserve(scratchBytes));
        state.operands.push_back(scratch);
    }
    state.isSetUp = false;
    return {};
}

Result<> Interpreter::runKernel(std::uint32_t index) {
    const Operation& operation = graph_.subgraph.operations[index];
    OperationState& state = *states_[index];
    std::size_t next = 0;
    const auto move = [&](std::byte* data) {
        state.isSetUp = state.isSetUp && data == state.operands[next];
        state.operands[next++] = data;
    };
    for (const std::uint32_t input : operation.inputs) {
        move(dataOf(input));
    }
    for (const std::uint32_t output : operation.outputs) {
        NNBURST_TRY(place(output));
        move(dataOf(output));
    }
    if (!state.isSetUp) {
        NNBURST_TRY(state.step->setUp(state.operands));
        state.isSetUp = true;
    }
    return state.step->run();
}

Result<> Interpreter::runShrinking(std::uint32_t index) {
    const Operation& operation = graph_.subgraph.operations[index];
    OperationState& state = *states_[index];
    for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
        state.operation.inputs[input].data = dataOf(operation.inputs[input]);
    }
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        OperandView& view = state.operation.outputs[output];
        view.shape = state.inferred[output];
        NNBURST_TRY(reserve(operation.outputs[output], sizeBytes(view)));
        view.data = dataOf(operation.outputs[output]);
    }
    state.shrunk = state.inferred;
    NNBURST_TRY_ASSIGN(std::byte * scratch, state.scratch.reserve(0));
    NNBURST_TRY(state.definition->runShrinking(
        state.operation.view(), {scratch, state.scratch.capacityBytes()}, state.shrunk));
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        NNBURST_TRY(shapes_.stateShape(operation.outputs[output], state.shrunk[output]));
    }
    return {};
}

Result<> Interpreter::runIf(std::uint32_t index) {
    const Operation& operation = graph_.subgraph.operations[index];
    const auto [then, otherwise] = referencedSubgraphs(graph_.subgraph, operation);
    const std::uint32_t condition = operation.inputs[0];
    if (shapes_.isOmitted(condition) || shapes_.shape(condition) != Shape{1}) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "IF input 0 (condition): must be given and have the shape 1");
    }
    GraphRunner& branch = *referenced_[readCondition(dataOf(condition)) ? then : otherwise];
    collectInputs(index, kIfSubgraphInputs);
    BranchOutputs outputs(*this, operation);
    return branch.run(inputs_, outputs, *limits_);
}

Result<> Interpreter::runWhile(std::uint32_t index) {
    const Operation& operation = graph_.subgraph.operations[index];
    const auto [condition, body] = referencedSubgraphs(graph_.subgraph, operation);
    collectInputs(index, kWhileSubgraphInputs);
    NNBURST_TRY(
        states_[index]->loop.run(*referenced_[condition], *referenced_[body], inputs_, *limits_));
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        const std::uint32_t operand = operation.outputs[output];
        if (inputs_[output].isOmitted) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("WHILE output {}: its input was left out and no turn has "
                                       "computed it",
                                       output));
        }
        NNBURST_TRY(shapes_.stateShape(operand, inputs_[output].shape));
        NNBURST_TRY(place(operand));
        std::memcpy(dataOf(operand), inputs_[output].data, sizeBytesOf(operand));
    }
    return {};
}

void Interpreter::collectInputs(std::uint32_t index, std::size_t first) {
    const std::vector<std::uint32_t>& inputs = graph_.subgraph.operations[index].inputs;
    inputs_.clear();
    for (std::size_t input = first; input < inputs.size(); ++input) {
        const std::uint32_t operand = inputs[input];
        inputs_.push_back({.shape = shapes_.shape(operand),
                           .data = dataOf(operand),
                           .isOmitted = shapes_.isOmitted(operand)});
    }
}

std::byte* Interpreter::dataOf(std::uint32_t operand) const noexcept {
    std::byte* const constant = graph_.constants.data(operand);
    return constant != nullptr ? constant : values_[operand].data;
}

std::uint64_t Interpreter::sizeBytesOf(std::uint32_t operand) const {
    return sizeBytes(shapes_.operand(operand));
}

Result<> Interpreter::reserve(std::uint32_t operand, std::uint64_t sizeBytes) {
    Value& value = values_[operand];
    ownBytes_ -= value.own.capacityBytes();
    if (sizeBytes > kMaximumArenaBytes - std::min(ownBytes_, kMaximumArenaBytes)) {
        ownBytes_ += value.own.capacityBytes();
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
            fmt::format("temporary operands need more than {} bytes", kMaximumArenaBytes));
    }
    auto reserved = value.own.reserve(sizeBytes);
    ownBytes_ += value.own.capacityBytes();
    NNBURST_TRY_ASSIGN(value.data, std::move(reserved));
    shapes_.stateValue(operand, value.data);
    return {};
}

Result<> Interpreter::place(std::uint32_t operand) {
    Value& value = values_[operand];
    if (value.output != kNone && !value.isPrivate) {
        NNBURST_TRY_ASSIGN(value.data, outputs_->place(value.output, shapes_.shape(operand),
                                                       sizeBytesOf(operand)));
        if (value.data != nullptr) {
            shapes_.stateValue(operand, value.data);
            return {};
        }
    }
    return reserve(operand, sizeBytesOf(operand));
}

Result<> Interpreter::publish(std::uint32_t operand) {
    const Value& value = values_[operand];
    if (value.output == kNone) {
        return {};
    }
    NNBURST_TRY_ASSIGN(std::byte * data,
                       outputs_->place(value.output, shapes_.shape(operand), sizeBytesOf(operand)));
    if (data != nullptr) {
        std::memcpy(data, value.data, sizeBytesOf(operand));
    }
    return {};
}

void Interpreter::releaseScratch() const noexcept {
    for (const Value& value : values_) {
        value.own.release();
    }
    for (const auto& state : states_) {
        if (state) {
            state->scratch.release();
            state->loop.releaseScratch();
        }
    }
}

}  // namespace nnburst::exec
