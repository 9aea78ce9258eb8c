// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/planner.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "exec/graph/shape_inference.h"
#include "exec/plan/arena.h"
#include "exec/plan/copy_step.h"
#include "exec/plan/operation_step.h"
#include "exec/plan/profile.h"
#include "log/assert.h"
#include "memory/reserved_addresses.h"
#include "model/invalid.h"
#include "system/scheduling.h"

namespace nnburst::exec {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

/// The output is input 0 with another shape.
bool isReshaping(const OperationInstance& operation) noexcept {
    return operation.type == OperationType::RESHAPE || operation.type == OperationType::SQUEEZE ||
           operation.type == OperationType::EXPAND_DIMS;
}

/// The output is the inputs one after the other: no axis before the one that they are joined along
/// has more than one index, and no element is quantised anew.
bool isJoining(const OperationInstance& operation) noexcept {
    if (operation.type != OperationType::CONCATENATION) {
        return false;
    }
    const OperandView& output = operation.outputs[0];
    std::uint64_t inputBytes = 0;
    for (std::size_t input = 0; input + 1 < operation.inputs.size(); ++input) {
        const OperandView& part = operation.inputs[input];
        if (part.scale != output.scale || part.zeroPoint != output.zeroPoint) {
            return false;
        }
        inputBytes += sizeBytes(part);
        // The first axis along which sizes differ, or which has several indexes, is the joined one.
        for (std::size_t axis = 0; axis < output.shape.rank(); ++axis) {
            if (part.shape[axis] != output.shape[axis]) {
                break;
            }
            if (output.shape[axis] != 1) {
                return operation.inputs.size() == 2;
            }
        }
    }
    return inputBytes == sizeBytes(output);
}

/// Which operands share memory. A group is a set of operands that lie in one block; its name is the
/// operand that spans the block. An operand that shares nothing is a group of one.
class Storage {
  public:
    /// A place in a group.
    struct Part {
        std::uint32_t group;
        std::uint64_t offset;  ///< in bytes
    };

    explicit Storage(std::size_t operandCount) : parents_(operandCount), arguments_(operandCount) {
        for (std::uint32_t operand = 0; operand < operandCount; ++operand) {
            parents_[operand] = {operand, 0};
            arguments_[operand] = kNone;
        }
    }

    [[nodiscard]] Part part(std::uint32_t operand) noexcept {
        Part found{operand, 0};
        while (parents_[found.group].group != found.group) {
            found = {parents_[found.group].group, found.offset + parents_[found.group].offset};
        }
        // Shortens the path of all operands on it, which may be long.
        for (Part rest = found; operand != found.group;) {
            const Part parent = std::exchange(parents_[operand], rest);
            rest.offset -= parent.offset;
            operand = parent.group;
        }
        return found;
    }

    /// The argument that a group lies in; kNone if it lies in none.
    [[nodiscard]] std::uint32_t argument(std::uint32_t group) const noexcept {
        return arguments_[group];
    }
    void setArgument(std::uint32_t group, std::uint32_t argument) noexcept {
        arguments_[group] = argument;
    }

    /// Lets `output`, a group of its own, lie where `input` lies. If `output` lies in an argument,
    /// the group of `input` must not lie in one and goes there.
    void merge(std::uint32_t input, std::uint32_t output) noexcept {
        NNBURST_ASSERT(isGroup(output), "operand {} is a part of group {}", output,
                       parents_[output].group);
        const Part into = part(input);
        if (arguments_[output] != kNone) {
            NNBURST_ASSERT(arguments_[into.group] == kNone,
                           "operand {} lies in argument {}, its input in argument {}", output,
                           arguments_[output], arguments_[into.group]);
            arguments_[into.group] = arguments_[output];
        }
        parents_[output] = into;
    }

    /// Makes `group`, which lies in no argument, a part of `whole`.
    void join(std::uint32_t group, std::uint32_t whole, std::uint64_t offset) noexcept {
        NNBURST_ASSERT(isGroup(group) && arguments_[group] == kNone && group != whole,
                       "operand {} cannot become a part of operand {}", group, whole);
        parents_[group] = {whole, offset};
    }

  private:
    /// The operand begins a group, which may have no others.
    [[nodiscard]] bool isGroup(std::uint32_t operand) const noexcept {
        return parents_[operand].group == operand;
    }

    std::vector<Part> parents_;
    std::vector<std::uint32_t> arguments_;  // of groups
};

/// Makes one plan.
class Planner {
  public:
    Planner(Graph& graph, const Specialization& specialization, const Kernels& kernels,
            xnnpack::OperatorCache& operators, const PlanningTurns& turns, const RunLimits& limits)
        : graph_(graph),
          specialization_(specialization),
          kernels_(kernels),
          operators_(operators),
          turns_(turns),
          limits_(limits),
          shapes_(graph),
          storage_(graph.subgraph.operands.size()) {}

    Result<std::unique_ptr<Plan>> make() {
        NNBURST_TRY(inferShapes());
        placeArguments();
        NNBURST_TRY(chooseSteps());
        NNBURST_TRY(layOutTemporaries());
        return assemble();
    }

    /// Uses nothing that other planners of the graph change.
    Result<> setUp(Plan& plan) const {
        NNBURST_TRY_ASSIGN(const ReservedAddresses anywhere,
                           ReservedAddresses::reserve(largestArgumentBytes_));
        return plan.setUp(anywhere.data(), limits_);
    }

  private:
    struct ChosenStep {
        std::unique_ptr<Step> step;
        std::uint32_t operation;
        std::uint32_t scratchBlock = kNone;
    };

    Result<> inferShapes() {
        NNBURST_ASSERT(
            specialization_.inputs.size() == graph_.subgraph.inputIndexes.size() &&
                specialization_.omittedOutputs.size() == graph_.subgraph.outputIndexes.size(),
            "a plan for {} inputs and {} outputs; the graph has {} and {}",
            specialization_.inputs.size(), specialization_.omittedOutputs.size(),
            graph_.subgraph.inputIndexes.size(), graph_.subgraph.outputIndexes.size());
        for (std::size_t input = 0; input < specialization_.inputs.size(); ++input) {
            const Specialization::Input& given = specialization_.inputs[input];
            NNBURST_TRY(shapes_.setInputShape(input, given.shape, given.isOmitted));
        }
        NNBURST_TRY(shapes_.visitAll());
        const std::vector<Operation>& operations = graph_.subgraph.operations;
        for (std::size_t index = 0; index < operations.size(); ++index) {
            for (const std::uint32_t output : operations[index].outputs) {
                if (!shapes_.isKnown(output)) {
                    return invalid("operation {}: {}: the shape of operand {} is not known", index,
                                   toString(operations[index].type), output);
                }
            }
        }
        return {};
    }

    void placeArguments() {
        const std::vector<std::uint32_t>& inputs = graph_.subgraph.inputIndexes;
        const std::vector<std::uint32_t>& outputs = graph_.subgraph.outputIndexes;
        for (std::uint32_t input = 0; input < inputs.size(); ++input) {
            storage_.setArgument(inputs[input], input);
        }
        for (std::uint32_t output = 0; output < outputs.size(); ++output) {
            // One that is left out of the request is a temporary that no operation reads.
            if (specialization_.omittedOutputs[output] == 0) {
                storage_.setArgument(outputs[output],
                                     static_cast<std::uint32_t>(inputs.size()) + output);
            }
        }
    }

    Result<> chooseSteps() {
        for (std::uint32_t index = 0; index < graph_.subgraph.operations.size(); ++index) {
            if (graph_.isFolded[index]) {
                continue;
            }
            if (!turns_.isAwaited()) {
                system::letOthersRun();
            }
            if (limits_.isOver()) {
                return limits_.endedBefore(index);
            }
            const Operation& operation = graph_.subgraph.operations[index];
            OperationInstance instance = shapes_.operation(index);
            if (isReshaping(instance) && (storage_.argument(operation.outputs[0]) == kNone ||
                                          isMovable(operation.inputs[0]))) {
                storage_.merge(operation.inputs[0], operation.outputs[0]);
                if (instance.inputs[0].isConstant) {
                    NNBURST_TRY(graph_.constants.keep(operation.inputs[0]));
                }
                continue;
            }
            if (isJoining(instance) && join(operation)) {
                continue;
            }
            std::unique_ptr<Step> step;
            if (isReshaping(instance)) {
                step = makeCopyStep(operation.inputs.size(), sizeBytes(instance.inputs[0]));
                if (Profile* profile = kernels_.profile; profile != nullptr) {
                    const std::uint32_t number =
                        profile->describe(index, instance.view(), KernelLibrary::COPY, "copy");
                    step = makeProfiledStep(std::move(step), *profile, number);
                }
            } else {
                NNBURST_TRY_ASSIGN(
                    step, makeOperationStep(std::move(instance), index, kernels_,
                                            *graph_.packedWeights, operators_, limits_.account));
            }
            for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
                if (!step->hasPackedConstants() || !isPackable(input)) {
                    NNBURST_TRY(graph_.constants.keep(operation.inputs[input]));
                }
            }
            keptBytes_ += step->keptBytes();
            NNBURST_TRY(Plan::checkKept(keptBytes_, index));
            NNBURST_TRY(limits_.chargePlan(step->keptBytes()));
            steps_.push_back({std::move(step), index});
        }
        return {};
    }

    /// Lets the inputs of a joining operation lie where its output is, so that nothing is left to
    /// do. False if not all of them can: each must be computed into the arena, and only once there.
    bool join(const Operation& operation) {
        const std::uint32_t whole = operation.outputs[0];
        const std::span<const std::uint32_t> inputs(operation.inputs.data(),
                                                    operation.inputs.size() - 1);
        std::vector<std::uint32_t> groups;
        for (const std::uint32_t input : inputs) {
            const std::uint32_t group = storage_.part(input).group;
            if (!isMovable(input)) {
                return false;
            }
            groups.push_back(group);
        }
        std::vector<std::uint32_t> sorted = groups;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
            return false;
        }
        std::uint64_t offset = 0;
        for (const std::uint32_t group : groups) {
            storage_.join(group, whole, offset);
            offset += sizeBytes(shapes_.operand(group));
        }
        return true;
    }

    Result<> layOutTemporaries() {
        std::vector<ArenaBlock> blocks;
        blocksOfGroups_.assign(graph_.subgraph.operands.size(), kNone);
        const auto touch = [&](std::uint32_t operand, std::uint32_t step) {
            if (!isTemporary(operand)) {
                return;
            }
            const std::uint32_t group = storage_.part(operand).group;
            std::uint32_t& block = blocksOfGroups_[group];
            if (block == kNone) {
                block = static_cast<std::uint32_t>(blocks.size());
                blocks.push_back({.sizeBytes = sizeBytes(shapes_.operand(group)),
                                  .firstStep = step,
                                  .lastStep = step});
            }
            blocks[block].lastStep = step;
        };
        for (std::uint32_t index = 0; index < steps_.size(); ++index) {
            ChosenStep& chosen = steps_[index];
            const Operation& operation = graph_.subgraph.operations[chosen.operation];
            for (const std::uint32_t input : operation.inputs) {
                touch(input, index);
            }
            for (const std::uint32_t output : operation.outputs) {
                touch(output, index);
            }
            if (const std::size_t scratchBytes = chosen.step->scratchBytes(); scratchBytes != 0) {
                chosen.scratchBlock = static_cast<std::uint32_t>(blocks.size());
                blocks.push_back(
                    {.sizeBytes = scratchBytes, .firstStep = index, .lastStep = index});
            }
        }
        NNBURST_TRY_ASSIGN(layout_, layOutArena(blocks));
        return {};
    }

    /// The operand lies in the arena: it is neither an argument, a constant, nor left out.
    [[nodiscard]] bool isTemporary(std::uint32_t operand) noexcept {
        const std::uint32_t group = storage_.part(operand).group;
        const OperandLifeTime lifetime = graph_.subgraph.operands[group].lifetime;
        return storage_.argument(group) == kNone &&
               (lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
                lifetime == OperandLifeTime::SUBGRAPH_OUTPUT);
    }

    /// The operand lies in the arena with nothing beside it in its group: the group can become a
    /// part of another one, or of an argument.
    [[nodiscard]] bool isMovable(std::uint32_t operand) {
        const std::uint32_t group = storage_.part(operand).group;
        return isTemporary(operand) &&
               sizeBytes(shapes_.operand(group)) == sizeBytes(shapes_.operand(operand));
    }

    [[nodiscard]] Place place(std::uint32_t operand) {
        const auto [group, offset] = storage_.part(operand);
        if (isTemporary(operand)) {
            NNBURST_ASSERT(blocksOfGroups_[group] < layout_.offsets.size(),
                           "operand {} of group {} has no place in the arena", operand, group);
            return {.kind = Place::Kind::ARENA,
                    .offset = layout_.offsets[blocksOfGroups_[group]] + offset};
        }
        if (const std::uint32_t argument = storage_.argument(group); argument != kNone) {
            return {.kind = Place::Kind::ARGUMENT, .offset = offset, .argument = argument};
        }
        if (std::byte* constant = graph_.constants.data(group); constant != nullptr) {
            return {.kind = Place::Kind::CONSTANT, .constant = constant};
        }
        return {};
    }

    Result<std::unique_ptr<Plan>> assemble() {
        NNBURST_TRY_ASSIGN(AlignedBuffer arena, AlignedBuffer::allocate(layout_.sizeBytes));
        const std::vector<std::uint32_t>& inputs = graph_.subgraph.inputIndexes;
        const std::vector<std::uint32_t>& outputIndexes = graph_.subgraph.outputIndexes;
        for (const std::uint32_t input : inputs) {
            largestArgumentBytes_ =
                std::max(largestArgumentBytes_, sizeBytes(shapes_.operand(input)));
        }
        std::vector<Plan::Output> outputs;
        for (const std::uint32_t output : outputIndexes) {
            const OperandView operand = shapes_.operand(output);
            outputs.push_back({operand.shape, sizeBytes(operand)});
            largestArgumentBytes_ = std::max(largestArgumentBytes_, outputs.back().sizeBytes);
        }
        auto plan = std::make_unique<Plan>(std::move(arena), std::move(outputs),
                                           inputs.size() + outputIndexes.size());
        std::vector<Place> places;
        for (ChosenStep& chosen : steps_) {
            const Operation& operation = graph_.subgraph.operations[chosen.operation];
            places.clear();
            for (const std::uint32_t input : operation.inputs) {
                places.push_back(place(input));
            }
            for (const std::uint32_t output : operation.outputs) {
                places.push_back(place(output));
            }
            if (chosen.scratchBlock != kNone) {
                places.push_back(
                    {.kind = Place::Kind::ARENA, .offset = layout_.offsets[chosen.scratchBlock]});
            }
            plan->addStep(std::move(chosen.step), chosen.operation, places);
        }
        return plan;
    }

    Graph& graph_;
    const Specialization& specialization_;
    const Kernels& kernels_;
    xnnpack::OperatorCache& operators_;
    const PlanningTurns& turns_;  // those of the graph
    const RunLimits& limits_;
    ShapeInference shapes_;
    Storage storage_;
    std::vector<ChosenStep> steps_;
    std::uint64_t keptBytes_ = 0;                // by these
    std::vector<std::uint32_t> blocksOfGroups_;  // index of a group's block in the arena
    ArenaLayout layout_;
    std::uint64_t largestArgumentBytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<Plan>> makePlan(Graph& graph, const Specialization& specialization,
                                       const Kernels& kernels, xnnpack::OperatorCache& operators,
                                       PlanningTurns::Turn turn, const RunLimits& limits) {
    Planner planner(graph, specialization, kernels, operators, *turn, limits);
    NNBURST_TRY_ASSIGN(std::unique_ptr<Plan> plan, planner.make());
    turn.reset();  // the end of the critical section
    NNBURST_TRY(planner.setUp(*plan));
    return plan;
}

}  // namespace nnburst::exec
