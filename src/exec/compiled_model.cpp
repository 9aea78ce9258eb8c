// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/compiled_model.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "exec/engine.h"
#include "exec/folding.h"
#include "exec/graph.h"
#include "exec/plan.h"
#include "exec/planner.h"
#include "exec/shape_inference.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "model/request_check.h"
#include "nnburst/validation.h"

namespace nnburst::exec {

namespace {

using Clock = std::chrono::steady_clock;

/// Plans that a model keeps for the input shapes that it has run with. Each has its own temporaries
/// and, for other image sizes, its own packed weights.
constexpr std::size_t kMaximumSpecializations = 8;

std::vector<Operand> operandsAt(const Subgraph& subgraph,
                                const std::vector<std::uint32_t>& indexes) {
    std::vector<Operand> operands;
    operands.reserve(indexes.size());
    for (const std::uint32_t index : indexes) {
        operands.push_back(subgraph.operands[index]);
    }
    return operands;
}

/// The dimensions that hold for an argument.
std::span<const std::uint32_t> dimensionsOf(const ArgumentBinding& argument,
                                            const Operand& operand) noexcept {
    return argument.dimensions.empty() ? std::span<const std::uint32_t>(operand.dimensions)
                                       : argument.dimensions;
}

/// The dimensions that a request names for an output agree with those that were computed.
bool agrees(const ArgumentBinding& output, const Shape& shape) noexcept {
    const auto sizes = shape.sizes();
    return output.dimensions.empty() ||
           std::equal(
               output.dimensions.begin(), output.dimensions.end(), sizes.begin(), sizes.end(),
               [](std::uint32_t given, std::uint32_t size) { return given == 0 || given == size; });
}

/// What compile and supportedOperations both ask of each operation, in order.
class GraphCheck {
  public:
    explicit GraphCheck(Graph& graph) : graph_(graph), shapes_(graph) {}

    Result<> visit(std::size_t operation) {
        NNBURST_TRY(shapes_.visit(operation));
        return foldOperation(graph_, shapes_, operation);
    }

  private:
    Graph& graph_;
    ShapeInference shapes_;
};

class PlannedModel final : public CompiledModel {
  public:
    PlannedModel(std::shared_ptr<Engine> engine, std::unique_ptr<Graph> graph)
        : engine_(std::move(engine)),
          graph_(std::move(graph)),
          inputs_(operandsAt(graph_->subgraph, graph_->subgraph.inputIndexes)),
          outputs_(operandsAt(graph_->subgraph, graph_->subgraph.outputIndexes)) {
        wanted_.inputs.resize(inputs_.size());
        wanted_.omittedOutputs.resize(outputs_.size());
        arguments_.resize(inputs_.size() + outputs_.size());
        plans_.reserve(kMaximumSpecializations);
    }

    [[nodiscard]] std::span<const Operand> inputs() const noexcept override { return inputs_; }
    [[nodiscard]] std::span<const Operand> outputs() const noexcept override { return outputs_; }

    /// Does before the first run what can be done.
    Result<> prepare();

    [[nodiscard]] Result<> bind(std::span<const RequestArgument> inputs,
                                std::span<const RequestArgument> outputs,
                                std::span<const PoolView> pools,
                                RequestBindings& bindings) const override;

    [[nodiscard]] Result<> run(const RequestBindings& bindings, const ExecutionOptions& options,
                               ExecutionOutcome& outcome) override;

  private:
    struct Specialized {
        Specialization specialization;
        std::unique_ptr<Plan> plan;
    };

    void specialize(const RequestBindings& bindings) noexcept;
    Result<Plan*> findPlan();
    Result<Plan*> addPlan();
    Result<> reportOutputs(const Plan& plan, const RequestBindings& bindings,
                           ExecutionOutcome& outcome) const;

    const std::shared_ptr<Engine> engine_;
    const std::unique_ptr<Graph> graph_;  // changed by planning only
    const std::vector<Operand> inputs_;
    const std::vector<Operand> outputs_;

    /// Guards all below, and the steps: an XNNPACK operator must not run in two threads.
    std::mutex turn_;
    xnnpack::OperatorCache operators_;
    std::vector<Specialized> plans_;     // the one used last is the first
    Specialization wanted_;              // of the run at hand; here to reuse its memory
    std::vector<std::byte*> arguments_;  // of the run at hand
};

Result<> PlannedModel::prepare() {
    GraphCheck check(*graph_);
    for (std::size_t index = 0; index < graph_->subgraph.operations.size(); ++index) {
        if (auto checked = check.visit(index); !checked) {
            return failure(checked.error().status,
                           fmt::format("operation {}: {}", index, checked.error().message));
        }
    }
    const bool isSpecified = std::all_of(
        inputs_.begin(), inputs_.end(),
        [](const Operand& operand) { return isFullySpecified(operand.type, operand.dimensions); });
    if (isSpecified) {
        for (std::size_t input = 0; input < inputs_.size(); ++input) {
            wanted_.inputs[input].shape = Shape(inputs_[input].dimensions);
        }
        NNBURST_TRY(addPlan());
    } else {
        NNBURST_TRY(graph_->constants.keepAll());
    }
    graph_->constants.dropSources();
    return {};
}

Result<> PlannedModel::bind(std::span<const RequestArgument> inputs,
                            std::span<const RequestArgument> outputs,
                            std::span<const PoolView> pools, RequestBindings& bindings) const {
    const auto bindList = [&](ArgumentRole role, std::span<const RequestArgument> arguments,
                              const std::vector<Operand>& operands,
                              std::vector<ArgumentBinding>& bound) -> Result<> {
        NNBURST_TRY(checkArgumentCount(role, arguments.size(), operands.size()));
        bound.resize(arguments.size());
        for (std::size_t index = 0; index < arguments.size(); ++index) {
            const RequestArgument& argument = arguments[index];
            const DataLocation& location = argument.location;
            const PoolView* pool =
                location.poolIndex < pools.size() ? &pools[location.poolIndex] : nullptr;
            NNBURST_TRY(
                checkArgument(role, index, operands[index], argument,
                              pool == nullptr ? std::nullopt : std::optional(pool->sizeBytes)));
            if (argument.hasNoValue) {
                bound[index] = {.hasNoValue = true};
            } else {
                bound[index] = {.data = pool->data + location.offset,
                                .lengthBytes = location.length,
                                .dimensions = argument.dimensions};
            }
        }
        return {};
    };
    NNBURST_TRY(bindList(ArgumentRole::INPUT, inputs, inputs_, bindings.inputs));
    return bindList(ArgumentRole::OUTPUT, outputs, outputs_, bindings.outputs);
}

void PlannedModel::specialize(const RequestBindings& bindings) noexcept {
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
        const ArgumentBinding& argument = bindings.inputs[input];
        wanted_.inputs[input] = {.shape = Shape(dimensionsOf(argument, inputs_[input])),
                                 .isOmitted = argument.hasNoValue};
        arguments_[input] = argument.data;
    }
    for (std::size_t output = 0; output < outputs_.size(); ++output) {
        const ArgumentBinding& argument = bindings.outputs[output];
        wanted_.omittedOutputs[output] = argument.hasNoValue ? 1 : 0;
        arguments_[inputs_.size() + output] = argument.data;
    }
}

Result<Plan*> PlannedModel::findPlan() {
    if (!plans_.empty() && plans_.front().specialization == wanted_) {
        return plans_.front().plan.get();
    }
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const Specialized& known) {
        return known.specialization == wanted_;
    });
    if (found == plans_.end()) {
        return addPlan();
    }
    std::rotate(plans_.begin(), found, found + 1);
    return plans_.front().plan.get();
}

Result<Plan*> PlannedModel::addPlan() {
    // Engines come from Engine::create, which gives no other kind.
    const auto& engine = static_cast<const KernelEngine&>(*engine_);
    NNBURST_TRY_ASSIGN(auto plan, makePlan(*graph_, wanted_, engine, operators_));
    if (plans_.size() == kMaximumSpecializations) {
        plans_.pop_back();
        operators_.dropUnused();
    }
    plans_.insert(plans_.begin(), {wanted_, std::move(plan)});
    return plans_.front().plan.get();
}

Result<> PlannedModel::reportOutputs(const Plan& plan, const RequestBindings& bindings,
                                     ExecutionOutcome& outcome) const {
    outcome.outputShapes.resize(outputs_.size());
    bool isSufficient = true;
    for (std::size_t index = 0; index < outputs_.size(); ++index) {
        const ArgumentBinding& argument = bindings.outputs[index];
        const Plan::Output& computed = plan.outputs()[index];
        if (!agrees(argument, computed.shape)) {
            outcome.outputShapes.clear();
            return invalid("output {}: the request gives it dimensions {}, computed are {}", index,
                           dimensionsText(argument.dimensions),
                           dimensionsText(computed.shape.sizes()));
        }
        OutputShape& shape = outcome.outputShapes[index];
        shape.dimensions.assign(computed.shape.sizes().begin(), computed.shape.sizes().end());
        shape.isSufficient = argument.hasNoValue || argument.lengthBytes >= computed.sizeBytes;
        isSufficient = isSufficient && shape.isSufficient;
    }
    if (!isSufficient) {
        const auto small = std::find_if(outcome.outputShapes.begin(), outcome.outputShapes.end(),
                                        [](const auto& shape) { return !shape.isSufficient; });
        const auto index = static_cast<std::size_t>(small - outcome.outputShapes.begin());
        return failure(
            ErrorStatus::OUTPUT_INSUFFICIENT_SIZE,
            fmt::format("output {}: {} bytes; {} are needed", index,
                        bindings.outputs[index].lengthBytes, plan.outputs()[index].sizeBytes));
    }
    return {};
}

Result<> PlannedModel::run(const RequestBindings& bindings, const ExecutionOptions& options,
                           ExecutionOutcome& outcome) {
    outcome.timing = {};
    const std::scoped_lock lock(turn_);
    const auto runLocked = [&]() -> Result<> {
        if (bindings.inputs.size() != inputs_.size() ||
            bindings.outputs.size() != outputs_.size()) {
            return invalid("bindings of {} inputs and {} outputs; the model has {} and {}",
                           bindings.inputs.size(), bindings.outputs.size(), inputs_.size(),
                           outputs_.size());
        }
        // The time went to whoever had the turn before; the same run may do better later.
        if (options.deadline && Clock::now() >= *options.deadline) {
            return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                           "the deadline had passed before the execution began");
        }
        specialize(bindings);
        NNBURST_TRY_ASSIGN(Plan * plan, findPlan());
        NNBURST_TRY(reportOutputs(*plan, bindings, outcome));
        if (options.measure == MeasureTiming::NO) {
            return plan->run(arguments_, options.deadline);
        }
        const Clock::time_point start = Clock::now();
        NNBURST_TRY(plan->run(arguments_, options.deadline));
        outcome.timing.timeOnDevice = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
        return {};
    };
    Result<> result = runLocked();
    if (!result && result.error().status != ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
        outcome.outputShapes.clear();
    }
    return result;
}

}  // namespace

Result<std::shared_ptr<CompiledModel>> CompiledModel::compile(std::shared_ptr<Engine> engine,
                                                              const Model& model) {
    NNBURST_TRY(validateModel(model));
    NNBURST_TRY_ASSIGN(auto graph, Graph::create(model));
    auto compiled = std::make_shared<PlannedModel>(std::move(engine), std::move(graph));
    NNBURST_TRY(compiled->prepare());
    return compiled;
}

Result<std::vector<bool>> CompiledModel::supportedOperations(const Model& model) {
    NNBURST_TRY(validateModel(model));
    NNBURST_TRY_ASSIGN(const auto graph, Graph::create(model));
    GraphCheck check(*graph);
    std::vector<bool> supported(graph->subgraph.operations.size());
    for (std::size_t index = 0; index < supported.size(); ++index) {
        supported[index] = static_cast<bool>(check.visit(index));
    }
    return supported;
}

}  // namespace nnburst::exec
