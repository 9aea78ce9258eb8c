// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/control_flow_check.h"

#include <algorithm>
#include <string_view>

#include "exec/operation/control_flow.h"
#include "exec/operation/operation.h"
#include "log/assert.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {

/// Checks that two declarations of one run-time value agree.
Result<> checkSameValue(const Operand& is, const Operand& mustBe) {
    if (is.type != mustBe.type || is.scale != mustBe.scale || is.zeroPoint != mustBe.zeroPoint ||
        is.extraParams != mustBe.extraParams) {
        return invalid("{} of scale {} and zero point {}; must be {} of scale {} and zero point {}",
                       toString(is.type), is.scale, is.zeroPoint, toString(mustBe.type),
                       mustBe.scale, mustBe.zeroPoint);
    }
    const Dimensions& a = is.dimensions;
    const Dimensions& b = mustBe.dimensions;
    const bool areRanksDeclared = !isTensor(is.type) || (!a.empty() && !b.empty());
    if (areRanksDeclared &&
        !std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](std::uint32_t x, std::uint32_t y) { return x == 0 || y == 0 || x == y; })) {
        return invalid("dimensions {}; must agree with {}", dimensionsText(a), dimensionsText(b));
    }
    return {};
}

/// Checks that `condition`, which errors call `name`, is declared as one truth value.
Result<> checkCondition(const char* name, const Operand& condition) {
    if (condition.type != OperandType::TENSOR_BOOL8 || condition.dimensions != Dimensions{1}) {
        return invalid("{}: {} of dimensions {}; must be TENSOR_BOOL8 of dimensions 1", name,
                       toString(condition.type), dimensionsText(condition.dimensions));
    }
    return {};
}

/// The check of one operation against one of its subgraphs.
class CalleeCheck {
  public:
    CalleeCheck(const Subgraph& caller, const Operation& operation, const Subgraph& callee,
                std::string_view role)
        : caller_(caller), operation_(operation), callee_(callee), role_(role) {}

    /// Checks that the operation's inputs from `first` on match those of the subgraph.
    Result<> inputs(std::size_t first) const {
        NNBURST_ASSERT(first <= operation_.inputs.size(), "{} has {} inputs; {} come first",
                       toString(operation_.type), operation_.inputs.size(), first);
        NNBURST_TRY(count("inputs", callee_.inputIndexes.size(), operation_.inputs.size() - first));
        for (std::size_t index = 0; index < callee_.inputIndexes.size(); ++index) {
            NNBURST_TRY(same("input", index, callee_.operands[callee_.inputIndexes[index]],
                             caller_.operands[operation_.inputs[first + index]]));
        }
        return {};
    }

    Result<> count(std::string_view what, std::size_t is, std::size_t mustBe) const {
        if (is != mustBe) {
            return invalid("{} ({}): {} {}; must be {}", toString(operation_.type), role_, is, what,
                           mustBe);
        }
        return {};
    }

    Result<> same(std::string_view what, std::size_t index, const Operand& is,
                  const Operand& mustBe) const {
        if (auto checked = checkSameValue(is, mustBe); !checked) {
            return invalid("{} ({}) {} {}: {}", toString(operation_.type), role_, what, index,
                           checked.error().message);
        }
        return {};
    }

    [[nodiscard]] const Operand& output(std::size_t index) const {
        return callee_.operands[callee_.outputIndexes[index]];
    }
    [[nodiscard]] std::size_t outputCount() const { return callee_.outputIndexes.size(); }

  private:
    const Subgraph& caller_;
    const Operation& operation_;
    const Subgraph& callee_;
    std::string_view role_;
};

Result<> checkIfSubgraph(const Subgraph& caller, const Operation& operation, const Subgraph& callee,
                         std::string_view role) {
    const CalleeCheck check(caller, operation, callee, role);
    NNBURST_TRY(check.inputs(kIfSubgraphInputs));
    NNBURST_TRY(check.count("outputs", check.outputCount(), operation.outputs.size()));
    for (std::size_t index = 0; index < operation.outputs.size(); ++index) {
        NNBURST_TRY(check.same("output", index, check.output(index),
                               caller.operands[operation.outputs[index]]));
    }
    return {};
}

Result<> checkWhileSubgraphs(const Subgraph& caller, const Operation& operation,
                             const Subgraph& condition, const Subgraph& body) {
    const CalleeCheck ofCondition(caller, operation, condition, "condition");
    NNBURST_TRY(ofCondition.inputs(kWhileSubgraphInputs));
    NNBURST_TRY(ofCondition.count("outputs", ofCondition.outputCount(), 1));
    NNBURST_TRY(checkCondition("WHILE (condition) output 0", ofCondition.output(0)));

    const CalleeCheck ofBody(caller, operation, body, "body");
    NNBURST_TRY(ofBody.inputs(kWhileSubgraphInputs));
    const std::size_t valueCount = operation.inputs.size() - kWhileSubgraphInputs;
    if (ofBody.outputCount() > valueCount || ofBody.outputCount() < operation.outputs.size()) {
        return invalid("WHILE (body): {} outputs; must be {} to {}, the number of state values",
                       ofBody.outputCount(), operation.outputs.size(), valueCount);
    }
    for (std::size_t index = 0; index < ofBody.outputCount(); ++index) {
        NNBURST_TRY(ofBody.same("output", index, ofBody.output(index),
                                body.operands[body.inputIndexes[index]]));
    }
    for (std::size_t index = 0; index < operation.outputs.size(); ++index) {
        NNBURST_TRY(ofBody.same("output", index, ofBody.output(index),
                                caller.operands[operation.outputs[index]]));
    }
    return {};
}

}  // namespace

std::array<std::uint32_t, 2> referencedSubgraphs(const Subgraph& subgraph,
                                                 const Operation& operation) {
    NNBURST_ASSERT(isControlFlow(operation.type), "{} runs no subgraphs", toString(operation.type));
    const std::size_t first = operation.type == OperationType::IF ? 1 : 0;
    NNBURST_ASSERT(first + 1 < operation.inputs.size(), "{} with {} inputs was not checked",
                   toString(operation.type), operation.inputs.size());
    return {subgraph.operands[operation.inputs[first]].location.offset,
            subgraph.operands[operation.inputs[first + 1]].location.offset};
}

Result<> checkControlFlow(const Model& model, const Subgraph& subgraph,
                          const Operation& operation) {
    const auto indexes = referencedSubgraphs(subgraph, operation);
    NNBURST_ASSERT(indexes[0] < model.referenced.size() && indexes[1] < model.referenced.size(),
                   "{} of a valid model runs subgraphs {} and {} of {}", toString(operation.type),
                   indexes[0], indexes[1], model.referenced.size());
    const Subgraph& first = model.referenced[indexes[0]];
    const Subgraph& second = model.referenced[indexes[1]];
    if (operation.type == OperationType::WHILE) {
        return checkWhileSubgraphs(subgraph, operation, first, second);
    }
    NNBURST_TRY(checkCondition("IF input 0 (condition)", subgraph.operands[operation.inputs[0]]));
    NNBURST_TRY(checkIfSubgraph(subgraph, operation, first, "then"));
    return checkIfSubgraph(subgraph, operation, second, "else");
}

}  // namespace nnburst::exec
