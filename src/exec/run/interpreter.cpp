// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "exec/graph/control_flow_check.h"
#include "exec/operation/control_flow.h"
#include "exec/operation/step.h"
#include "exec/plan/operation_step.h"
#include "exec/plan/profile.h"
#include "exec/reference/operations.h"
#include "exec/run/loop.h"
#include "log/assert.h"
#include "log/verbose.h"
#include "model/invalid.h"

namespace nnburst::exec {

namespace {

/// The result of `run`, whose time is recorded as that of the step `number` if a profiler wants it.
template <class Run>
Result<> recorded(Profile* profile, std::uint32_t number, const Run& run) {
    if (profile == nullptr || !profile->isRecording()) {
        return run();
    }
    const auto begin = std::chrono::steady_clock::now();
    Result<> result = run();
    profile->record(number, begin, std::chrono::steady_clock::now());
    return result;
}

/// The number of an operation of the reference kernels in `profile`, if there is one.
std::uint32_t described(Profile* profile, std::uint32_t index, const OperationView& operation) {
    return profile == nullptr
               ? 0
               : profile->describe(index, operation, KernelLibrary::REFERENCE, "reference kernel");
}

std::size_t scratchBytesOf(const OperationDefinition& definition, const OperationView& operation) {
    return definition.scratchBytes == nullptr ? 0 : definition.scratchBytes(operation);
}

}  // namespace

/// The state of an operation that is kept from run to run.
struct Interpreter::OperationState {
    const OperationDefinition* definition = nullptr;
    bool hasValueInputs = false;  ///< some that are no constants
    bool isPrepared = false;
    // The shapes and values that it was prepared for.
    struct Input {
        Shape shape;
        bool isOmitted;
        bool isCompared;  ///< its value too, in `values`
    };
    std::vector<Input> inputs;
    ChargedBuffer valueMemory;    ///< of those that are compared
    std::byte* values = nullptr;  ///< one after the other
    // The prepared step and its operands.
    ChargedBuffer scratch;
    std::unique_ptr<Step> step;  ///< null for an operation with runShrinking
    std::vector<std::byte*> operands;
    std::uint64_t keptBytes = 0;       ///< by the step, of which `kept` is the charge
    Charge kept;                       ///< to the run that made or set up the step
    bool isSetUp = false;              ///< the step, with `operands`
    OperationInstance operation;       ///< with runShrinking, and all below
    std::uint32_t profiledAs = 0;      ///< number in the profile, if there is one
    std::vector<Shape> inferred;       ///< shapes of its outputs at most
    std::vector<Shape> shrunk;         ///< shapes of its outputs in the run at hand
    xnnpack::OperatorCache operators;  ///< of an operation with value inputs
    Loop loop;

    /// These operands, its inputs, have the shapes and the values that decide shapes of the last
    /// `rememberInputs`.
    [[nodiscard]] bool isPreparedFor(std::span<const std::uint32_t> ofInputs,
                                     const OperandValues& given) const;
    /// The memory for them is among the temporaries of `given`.
    [[nodiscard]] Result<> rememberInputs(std::span<const std::uint32_t> ofInputs,
                                          OperandValues& given);

    /// Its own cache if its operators depend on values, otherwise `shared`.
    [[nodiscard]] xnnpack::OperatorCache& operatorCache(xnnpack::OperatorCache& shared) noexcept {
        return hasValueInputs ? operators : shared;
    }
    void dropStep(xnnpack::OperatorCache& shared) noexcept;
    /// Charges what the step keeps to `account`, if that has changed. Drops the step if there is no
    /// room for it.
    [[nodiscard]] Result<> chargeStep(Account* account, xnnpack::OperatorCache& shared);
};

bool Interpreter::OperationState::isPreparedFor(std::span<const std::uint32_t> ofInputs,
                                                const OperandValues& given) const {
    if (!isPrepared) {
        return false;
    }
    const std::byte* known = values;
    for (std::size_t input = 0; input < ofInputs.size(); ++input) {
        const std::uint32_t operand = ofInputs[input];
        const Input& prepared = inputs[input];
        if (prepared.isOmitted != given.shapes().isOmitted(operand) ||
            (!prepared.isOmitted && prepared.shape != given.shapes().shape(operand))) {
            return false;
        }
        if (prepared.isCompared) {
            const auto sizeBytes = static_cast<std::ptrdiff_t>(given.sizeBytes(operand));
            if (!std::equal(known, known + sizeBytes, given.data(operand))) {
                return false;
            }
            known += sizeBytes;
        }
    }
    return true;
}

Result<> Interpreter::OperationState::rememberInputs(std::span<const std::uint32_t> ofInputs,
                                                     OperandValues& given) {
    inputs.clear();
    std::uint64_t bytes = 0;
    for (std::size_t input = 0; input < ofInputs.size(); ++input) {
        const OperandView view = given.shapes().operand(ofInputs[input]);
        const bool isValueOfRun =
            !view.isConstant && !view.isOmitted && isValueInput(*definition, input, view.type);
        inputs.push_back(
            {.shape = view.shape, .isOmitted = view.isOmitted, .isCompared = isValueOfRun});
        bytes += isValueOfRun ? sizeBytes(view) : 0;
    }
    NNBURST_TRY_ASSIGN(values, given.reserveTemporary(valueMemory, bytes));
    std::byte* next = values;
    for (std::size_t input = 0; input < ofInputs.size(); ++input) {
        if (inputs[input].isCompared) {
            const OperandView view = given.shapes().operand(ofInputs[input]);
            next = std::copy_n(view.data, sizeBytes(view), next);
        }
    }
    return {};
}

void Interpreter::OperationState::dropStep(xnnpack::OperatorCache& shared) noexcept {
    isPrepared = false;
    step.reset();
    keptBytes = 0;
    kept = Charge();
    operatorCache(shared).dropUnused();
}

Result<> Interpreter::OperationState::chargeStep(Account* account, xnnpack::OperatorCache& shared) {
    const std::uint64_t bytes = step->keptBytes();
    if (bytes == keptBytes) {
        return {};
    }
    kept = Charge();
    Result<Charge> charge = chargeTo(account, Resource::MEMORY, bytes);
    if (!charge) {
        dropStep(shared);
        return tl::unexpected<Error>(std::move(charge.error()));
    }
    kept = std::move(*charge);
    keptBytes = bytes;
    return {};
}

/// The outputs of a subgraph that IF runs: operands of this graph.
class Interpreter::BranchOutputs final : public GraphOutputs {
  public:
    BranchOutputs(Interpreter& interpreter, const Operation& operation)
        : interpreter_(interpreter), operation_(operation) {}

    [[nodiscard]] bool wants(std::size_t /*output*/) const noexcept override { return true; }

    [[nodiscard]] Result<std::byte*> place(std::size_t output, const Shape& shape,
                                           std::uint64_t /*sizeBytes*/) override {
        NNBURST_ASSERT(output < operation_.outputs.size(), "output {} of {}", output,
                       operation_.outputs.size());
        const std::uint32_t operand = operation_.outputs[output];
        OperandValues& values = interpreter_.values_;
        NNBURST_TRY(values.shapes().setShape(operand, shape));
        NNBURST_TRY(values.place(operand));
        return values.data(operand);
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
      values_(graph) {
    const Subgraph& subgraph = graph.subgraph;
    for (const Operation& operation : subgraph.operations) {
        OperationState& state = *states_.emplace_back(std::make_unique<OperationState>());
        state.definition = findOperation(operation.type);
        NNBURST_ASSERT(state.definition != nullptr, "{} was not checked", toString(operation.type));
        for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
            const std::uint32_t operand = operation.inputs[input];
            if (isValueInput(*state.definition, input, subgraph.operands[operand].type) &&
                graph.constants.data(operand) == nullptr) {
                values_.keepPrivate(operand);
                state.hasValueInputs = true;
                state.operators = operators.apart();
            }
        }
    }
}

Interpreter::~Interpreter() = default;

Result<> Interpreter::run(std::span<const GraphInput> inputs, GraphOutputs& outputs,
                          const RunLimits& limits) {
    limits_ = &limits;
    timeLimit_ = limits.timeLimit();
    NNBURST_TRY(values_.begin(inputs, outputs, timeLimit_, limits.account));
    if (timeLimit_.isOver()) {
        return limits.endedInCopies();
    }
    for (std::uint32_t index = 0; index < graph_.subgraph.operations.size(); ++index) {
        if (graph_.isFolded[index]) {
            continue;
        }
        if (!limits.yieldThenCheck()) {
            return limits.endedBefore(index);
        }
        NNBURST_VLOG(CPUEXE, "operation {}, {}", index,
                     toString(graph_.subgraph.operations[index].type));
        if (auto result = runOperation(index); !result) {
            return failure(result.error().status,
                           fmt::format("operation {}: {}", index, result.error().message));
        }
        if (timeLimit_.isOver()) {
            return limits.endedIn(index);
        }
    }
    return outputs.sufficient();
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
            if (!states_[index]->isPreparedFor(operation.inputs, values_)) {
                NNBURST_TRY(prepare(index));
            }
            if (states_[index]->definition->runShrinking != nullptr) {
                NNBURST_TRY(runShrinking(index));
            } else {
                NNBURST_TRY(runKernel(index));
            }
    }
    for (const std::uint32_t output : operation.outputs) {
        if (timeLimit_.isOver()) {
            return {};  // the time limit is over; `run` checks it and returns the error
        }
        if (values_.isPrivate(output) || states_[index]->definition->runShrinking != nullptr) {
            NNBURST_TRY(values_.publish(output));
        }
    }
    return {};
}

Result<> Interpreter::prepare(std::uint32_t index) {
    OperationState& state = *states_[index];
    state.isPrepared = false;
    NNBURST_TRY(values_.shapes().visit(index));
    if (state.definition->runShrinking != nullptr) {
        state.operation = values_.shapes().operation(index);
        state.inferred.resize(state.operation.outputs.size());
        NNBURST_TRY(state.definition->inferShapes(state.operation.view(), state.inferred));
        const OperationView view = state.operation.view();
        NNBURST_TRY(
            values_.reserveTemporary(state.scratch, scratchBytesOf(*state.definition, view)));
        state.profiledAs = described(kernels_.profile, index, view);
    } else {
        NNBURST_TRY(makeStep(index));
    }
    NNBURST_TRY(state.rememberInputs(graph_.subgraph.operations[index].inputs, values_));
    state.isPrepared = true;
    return {};
}

Result<> Interpreter::makeStep(std::uint32_t index) {
    OperationState& state = *states_[index];
    state.dropStep(operators_);
    NNBURST_TRY_ASSIGN(
        state.step,
        makeOperationStep(values_.shapes().operation(index), index, kernels_, *graph_.packedWeights,
                          state.operatorCache(operators_), limits_->account));
    NNBURST_TRY(state.chargeStep(limits_->account, operators_));
    const std::size_t scratchBytes = state.step->scratchBytes();
    const Operation& operation = graph_.subgraph.operations[index];
    state.operands.resize(operation.inputs.size() + operation.outputs.size());
    if (scratchBytes != 0) {
        NNBURST_TRY_ASSIGN(std::byte * scratch,
                           values_.reserveTemporary(state.scratch, scratchBytes));
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
    NNBURST_ASSERT(state.step != nullptr &&
                       state.operands.size() >= operation.inputs.size() + operation.outputs.size(),
                   "operation {} was not prepared: {} operands", index, state.operands.size());
    for (const std::uint32_t input : operation.inputs) {
        move(values_.data(input));
    }
    NNBURST_TRY_ASSIGN(const bool isNeeded, placeOutputs(operation));
    if (!isNeeded) {
        return {};
    }
    for (const std::uint32_t output : operation.outputs) {
        move(values_.data(output));
    }
    if (!state.isSetUp) {
        NNBURST_TRY(state.step->setUp(state.operands));
        NNBURST_TRY(state.chargeStep(limits_->account, operators_));
        state.isSetUp = true;
    }
    return state.step->run(timeLimit_);
}

Result<bool> Interpreter::placeOutputs(const Operation& operation) {
    std::size_t unneeded = 0;
    for (const std::uint32_t output : operation.outputs) {
        NNBURST_TRY_ASSIGN(const bool isNeeded, values_.placeIfNeeded(output));
        unneeded += isNeeded ? 0 : 1;
    }
    if (unneeded == operation.outputs.size()) {
        return false;
    }
    for (std::size_t i = 0; unneeded != 0 && i < operation.outputs.size(); ++i) {
        NNBURST_TRY(values_.place(operation.outputs[i]));
    }
    return true;
}

Result<> Interpreter::runShrinking(std::uint32_t index) {
    const Operation& operation = graph_.subgraph.operations[index];
    OperationState& state = *states_[index];
    for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
        state.operation.inputs[input].data = values_.data(operation.inputs[input]);
    }
    NNBURST_ASSERT(state.inferred.size() == operation.outputs.size(),
                   "operation {} was not prepared: {} shapes for {} outputs", index,
                   state.inferred.size(), operation.outputs.size());
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        OperandView& view = state.operation.outputs[output];
        view.shape = state.inferred[output];
        NNBURST_TRY(values_.reserve(operation.outputs[output], sizeBytes(view)));
        view.data = values_.data(operation.outputs[output]);
    }
    state.shrunk = state.inferred;
    NNBURST_TRY_ASSIGN(std::byte * scratch, values_.reserveTemporary(state.scratch, 0));
    OperationView view = state.operation.view();
    view.timeLimit = &timeLimit_;
    NNBURST_TRY(recorded(kernels_.profile, state.profiledAs, [&] {
        return state.definition->runShrinking(view, {scratch, state.scratch.capacityBytes()},
                                              state.shrunk);
    }));
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        NNBURST_TRY(values_.shapes().setShape(operation.outputs[output], state.shrunk[output]));
    }
    return {};
}

Result<> Interpreter::runIf(std::uint32_t index) {
    const Operation& operation = graph_.subgraph.operations[index];
    const auto [then, otherwise] = referencedSubgraphs(graph_.subgraph, operation);
    const std::uint32_t condition = operation.inputs[0];
    if (values_.shapes().isOmitted(condition) || values_.shapes().shape(condition) != Shape{1}) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "IF input 0 (condition): must be given and have the shape 1");
    }
    GraphRunner& branch = referenced(readCondition(values_.data(condition)) ? then : otherwise);
    collectInputs(index, kIfSubgraphInputs);
    BranchOutputs outputs(*this, operation);
    return branch.run(inputs_, outputs, *limits_);
}

Result<> Interpreter::runWhile(std::uint32_t index) {
    const Operation& operation = graph_.subgraph.operations[index];
    const auto [condition, body] = referencedSubgraphs(graph_.subgraph, operation);
    collectInputs(index, kWhileSubgraphInputs);
    NNBURST_TRY(
        states_[index]->loop.run(referenced(condition), referenced(body), inputs_, *limits_));
    NNBURST_ASSERT(operation.outputs.size() <= inputs_.size(),
                   "WHILE with {} outputs and {} values", operation.outputs.size(), inputs_.size());
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        const std::uint32_t operand = operation.outputs[output];
        if (inputs_[output].isOmitted) {
            return invalid("WHILE output {}: its input was left out and no iteration computed it",
                           output);
        }
        NNBURST_TRY(values_.shapes().setShape(operand, inputs_[output].shape));
        NNBURST_TRY(values_.place(operand));
        values_.write(operand, inputs_[output].data);
        if (timeLimit_.isOver()) {
            return {};  // the time limit is over; `run` checks it and returns the error
        }
    }
    return {};
}

GraphRunner& Interpreter::referenced(std::uint32_t subgraph) const {
    NNBURST_ASSERT(subgraph < referenced_.size() && referenced_[subgraph] != nullptr,
                   "subgraph {} of {} is not there", subgraph, referenced_.size());
    return *referenced_[subgraph];
}

void Interpreter::collectInputs(std::uint32_t index, std::size_t first) {
    const std::vector<std::uint32_t>& inputs = graph_.subgraph.operations[index].inputs;
    inputs_.clear();
    for (std::size_t input = first; input < inputs.size(); ++input) {
        const std::uint32_t operand = inputs[input];
        inputs_.push_back({.shape = values_.shapes().shape(operand),
                           .data = values_.data(operand),
                           .isOmitted = values_.shapes().isOmitted(operand)});
    }
}

std::uint64_t Interpreter::memoryBytes() const noexcept {
    std::uint64_t bytes = values_.ownBytes();
    for (const auto& state : states_) {
        bytes += state->keptBytes;
    }
    return bytes;
}

void Interpreter::releaseScratch() const noexcept {
    values_.releaseScratch();
    for (const auto& state : states_) {
        if (state) {
            state->scratch.release();
            state->loop.releaseScratch();
        }
    }
}

}  // namespace nnburst::exec
