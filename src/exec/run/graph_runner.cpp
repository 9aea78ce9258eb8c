// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/graph_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exec/graph/graph_check.h"
#include "exec/graph/padding_merge.h"
#include "exec/plan/planner.h"
#include "exec/run/interpreter.h"
#include "log/assert.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {

/// Limit on the plans that a graph keeps, one for each set of input shapes. Each has its own
/// temporaries and, for other image sizes, its own packed weights.
constexpr std::size_t kMaximumSpecializations = 8;

/// Limits the memory of the operators of a runner, whose graph has `constantBytes`. Operators pack
/// float16 as float32, and may pack again for each plan. Constants that many operations share are
/// packed for each of them.
SharedAccount makeOperatorAccount(std::uint64_t constantBytes) {
    Amounts limits;
    limits[Resource::MEMORY] =
        (std::uint64_t{256} << 20) + 3 * kMaximumSpecializations * constantBytes;
    return Account::create("operators of XNNPACK", limits);
}

}  // namespace

Result<std::unique_ptr<SharedGraph>> SharedGraph::create(const Model& model,
                                                         const Subgraph& subgraph,
                                                         const PackedGraph& packed,
                                                         const SharedAccount& filterAccount) {
    NNBURST_TRY_ASSIGN(auto graph, Graph::create(model, subgraph, packed));
    graph->packedWeights->setModelAccount(filterAccount);
    return std::make_unique<SharedGraph>(std::move(graph));
}

GraphRunner::GraphRunner(const Kernels& kernels, SharedGraph& shared,
                         std::span<const std::unique_ptr<GraphRunner>> referenced)
    : kernels_(kernels),
      shared_(shared),
      graph_(*shared.graph),
      structureBytes_(graph_.structureBytes()),
      referenced_(referenced),
      operators_(&shared.originals, shared.graph->xnnpackWeights.get(),
                 makeOperatorAccount(shared.graph->constants.valueBytes())) {
    wanted_.inputs.resize(graph_.subgraph.inputIndexes.size());
    wanted_.omittedOutputs.resize(graph_.subgraph.outputIndexes.size());
    arguments_.resize(wanted_.inputs.size() + wanted_.omittedOutputs.size());
    plans_.reserve(kMaximumSpecializations);
}

GraphRunner::~GraphRunner() = default;

Result<> GraphRunner::prepareFirst(TimePoint foldingEnd, const PreparationLimits& limits) {
    NNBURST_TRY_ASSIGN(const bool isInterpreted, checkGraph(foldingEnd, limits.memory));
    NNBURST_TRY(prepareToRun(isInterpreted, limits));
    shared_.graph->constants.dropSources();
    return {};
}

Result<> GraphRunner::prepareAs(const GraphRunner& first, const PreparationLimits& limits) {
    isFirst_ = false;
    isPlanned_ = first.isPlanned_;
    return prepareToRun(first.interpreter_ != nullptr, limits);
}

/// The graph is checked, and isPlanned_ is known.
Result<> GraphRunner::prepareToRun(bool isInterpreted, const PreparationLimits& limits) {
    if (isPlanned_) {
        const Subgraph& subgraph = graph_.subgraph;
        for (std::size_t input = 0; input < wanted_.inputs.size(); ++input) {
            wanted_.inputs[input].shape =
                Shape(subgraph.operands[subgraph.inputIndexes[input]].dimensions);
        }
        NNBURST_TRY(addPlan({.isCancelled = limits.isCancelled, .planMemory = limits.memory}));
    }
    if (isInterpreted) {
        if (limits.memory != nullptr) {
            NNBURST_TRY(limits.memory->add(structureBytes_));
        }
        memoryBytes_.store(structureBytes_, std::memory_order_relaxed);
        interpreter_ = std::make_unique<Interpreter>(graph_, kernels_, operators_, referenced_);
    }
    return {};
}

Result<bool> GraphRunner::checkGraph(TimePoint foldingEnd, GrowingCharge* memory) {
    const Subgraph& subgraph = graph_.subgraph;
    GraphCheck check(*shared_.graph, foldingEnd, memory);
    bool isDecided = true;
    for (std::size_t index = 0; index < subgraph.operations.size(); ++index) {
        if (auto checked = check.visit(index); !checked) {
            return failure(checked.error().status,
                           fmt::format("operation {}: {}", index, checked.error().message));
        }
        isDecided = isDecided && check.shapes().isDecidedByShapes(index);
    }
    const bool isSpecified = std::all_of(
        subgraph.inputIndexes.begin(), subgraph.inputIndexes.end(), [&](std::uint32_t input) {
            const Operand& operand = subgraph.operands[input];
            return isFullySpecified(operand.type, operand.dimensions);
        });
    isPlanned_ = isDecided && isSpecified;
    if (!isPlanned_) {
        NNBURST_TRY(shared_.graph->constants.keepAll());
    }
    if (kernels_.usesXnnpack) {
        NNBURST_TRY(mergePaddings(*shared_.graph, check.shapes()));
    }
    return !isDecided;
}

Result<> GraphRunner::run(std::span<const GraphInput> inputs, GraphOutputs& outputs,
                          const RunLimits& limits, RunMemo* memo) {
    NNBURST_ASSERT(inputs.size() == wanted_.inputs.size(), "{} inputs; the graph has {}",
                   inputs.size(), wanted_.inputs.size());
    if (interpreter_ != nullptr) {
        Result<> result = interpreter_->run(inputs, outputs, limits);
        // Relaxed: read as an estimate only.
        memoryBytes_.store(structureBytes_ + interpreter_->memoryBytes(),
                           std::memory_order_relaxed);
        return result;
    }
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        wanted_.inputs[input] = {.shape = inputs[input].shape,
                                 .isOmitted = inputs[input].isOmitted};
        arguments_[input] = inputs[input].data;
    }
    for (std::size_t output = 0; output < wanted_.omittedOutputs.size(); ++output) {
        wanted_.omittedOutputs[output] = outputs.wants(output) ? 0 : 1;
    }
    NNBURST_TRY_ASSIGN(Plan * plan, findPlan(limits));
    NNBURST_TRY(runPlan(*plan, outputs, limits));
    if (memo != nullptr) {
        memo->plan = plan;
        memo->generation = generation_;
        memo->placement = plan->placement();
    }
    return {};
}

void GraphRunner::releaseScratch() const noexcept {
    for (const Specialized& known : plans_) {
        known.plan->releaseScratch();
    }
    if (interpreter_ != nullptr) {
        interpreter_->releaseScratch();
    }
}

Result<> GraphRunner::runPlan(Plan& plan, GraphOutputs& outputs, const RunLimits& limits) {
    for (std::size_t output = 0; output < plan.outputs().size(); ++output) {
        const Plan::Output& computed = plan.outputs()[output];
        NNBURST_TRY_ASSIGN(arguments_[wanted_.inputs.size() + output],
                           outputs.place(output, computed.shape, computed.sizeBytes));
    }
    NNBURST_TRY(outputs.sufficient());
    plan.place(arguments_);
    return limits.isWarmUp ? plan.warmUp(limits) : plan.run(limits);
}

Result<Plan*> GraphRunner::findPlan(const RunLimits& limits) {
    if (!plans_.empty() && plans_.front().specialization == wanted_) {
        return plans_.front().plan.get();
    }
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const Specialized& known) {
        return known.specialization == wanted_;
    });
    if (found == plans_.end()) {
        return addPlan(limits);
    }
    std::rotate(plans_.begin(), found, found + 1);
    return plans_.front().plan.get();
}

Result<Plan*> GraphRunner::addPlan(const RunLimits& limits) {
    Result<Specialized> made = specialize(limits);
    if (!made) {
        operators_.dropUnused();  // drops the operators that were made for the plan that failed
        return tl::unexpected<Error>(std::move(made.error()));
    }
    if (plans_.size() == kMaximumSpecializations) {
        dropPlan(made->user);
    }
    memoryBytes_.fetch_add(made->memoryBytes, std::memory_order_relaxed);
    plans_.insert(plans_.begin(), std::move(*made));
    return plans_.front().plan.get();
}

void GraphRunner::dropPlan(const Account* user) {
    const auto plansOfSameUser = [&](const Specialized& plan) {
        return std::ranges::count(plans_, plan.user, &Specialized::user) +
               (plan.user == user ? 1 : 0);
    };
    const auto dropped = std::max_element(plans_.rbegin(), plans_.rend(),
                                          [&](const Specialized& a, const Specialized& b) {
                                              return plansOfSameUser(a) < plansOfSameUser(b);
                                          });
    memoryBytes_.fetch_sub(dropped->memoryBytes, std::memory_order_relaxed);
    plans_.erase(std::next(dropped).base());
    ++generation_;
    operators_.dropUnused();
}

Result<GraphRunner::Specialized> GraphRunner::specialize(const RunLimits& limits) {
    // A plan that takes longer than the deadline is for the runs after this one.
    RunLimits ofPlan = limits;
    ofPlan.deadline.reset();
    GrowingCharge charge(limits.account, Resource::MEMORY);
    if (ofPlan.planMemory == nullptr) {
        ofPlan.planMemory = &charge;
    }
    NNBURST_TRY(ofPlan.chargePlan(structureBytes_));
    NNBURST_TRY_ASSIGN(PlanningTurns::Turn turn, shared_.planning.take(limits));
    const std::uint64_t weightBytes = operators_.weightBytes();
    NNBURST_TRY_ASSIGN(std::unique_ptr<Plan> plan, makePlan(*shared_.graph, wanted_, kernels_,
                                                            operators_, std::move(turn), ofPlan));
    NNBURST_ASSERT(plan->outputs().size() == wanted_.omittedOutputs.size(),
                   "a plan with {} outputs of {}", plan->outputs().size(),
                   wanted_.omittedOutputs.size());
    // The first runner packs the weights, which are not its own.
    const std::uint64_t bytes = structureBytes_ + plan->memoryBytes() +
                                (isFirst_ ? 0 : operators_.weightBytes() - weightBytes);
    return Specialized{.specialization = wanted_,
                       .plan = std::move(plan),
                       .memoryBytes = bytes,
                       .user = limits.account == nullptr ? nullptr : limits.account->parent().get(),
                       .charge = std::move(charge)};
}

}  // namespace nnburst::exec
