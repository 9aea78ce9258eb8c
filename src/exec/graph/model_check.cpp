// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/model_check.h"

#include <algorithm>

#include "exec/graph/control_flow_check.h"
#include "exec/graph/graph_check.h"
#include "exec/operation/control_flow.h"
#include "log/assert.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {

/// The first version that has an ability.
constexpr HalVersion firstWith(bool (*knows)(HalVersion) noexcept) noexcept {
    return *std::find_if(kHalVersions.begin(), kHalVersions.end(), knows);
}

/// Whether the HAL forbids what was checked: then the whole model is not valid.
template <class T>
bool isForbidden(const Result<T>& checked) noexcept {
    return !checked && checked.error().status == ErrorStatus::INVALID_ARGUMENT;
}

/// The error of the first operation that the HAL forbids, or else of the first one that cannot be
/// run.
Result<> checkAll(const std::vector<Result<HalVersion>>& operations) {
    auto found = std::find_if(operations.begin(), operations.end(), isForbidden<HalVersion>);
    if (found == operations.end()) {
        found = std::find_if(operations.begin(), operations.end(),
                             [](const Result<HalVersion>& operation) { return !operation; });
    }
    if (found == operations.end()) {
        return {};
    }
    const Error& error = found->error();
    return failure(error.status,
                   fmt::format("operation {}: {}", found - operations.begin(), error.message));
}

/// The first HAL version with `operand`: its type, and tensors of unknown rank.
HalVersion firstVersionOf(const Operand& operand) noexcept {
    const bool hasUnknownRank = isTensor(operand.type) && operand.dimensions.empty();
    return hasUnknownRank ? std::max(since(operand.type), firstWith(supportsUnknownRank))
                          : since(operand.type);
}

}  // namespace

Result<ModelCheck::Visited> ModelCheck::visit(const Subgraph& subgraph, std::uint32_t nesting) {
    NNBURST_TRY_ASSIGN(const auto graph, Graph::create(model_, subgraph));
    GraphCheck check(*graph, foldingEnd_, memory_);
    Visited visited;
    for (std::size_t index = 0; index < subgraph.operations.size(); ++index) {
        visited.operations.push_back(
            visitOperation(subgraph, check, index, nesting, visited.expanded));
    }
    return visited;
}

Result<HalVersion> ModelCheck::visitOperation(const Subgraph& subgraph, GraphCheck& check,
                                              std::size_t index, std::uint32_t nesting,
                                              Expanded& expanded) {
    const Operation& operation = subgraph.operations[index];
    NNBURST_TRY_ASSIGN(const HalVersion version, check.visitOnly(index));
    std::uint64_t count = 1;
    if (isControlFlow(operation.type)) {
        NNBURST_TRY(checkControlFlow(model_, subgraph, operation));
        const auto [first, second] = referencedSubgraphs(subgraph, operation);
        const Result<Expanded> visitedFirst = visitReferenced(first, nesting + 1);
        const Result<Expanded> visitedSecond = visitReferenced(second, nesting + 1);
        if (!isForbidden(visitedFirst) && isForbidden(visitedSecond)) {
            return tl::unexpected<Error>(visitedSecond.error());
        }
        NNBURST_TRY_ASSIGN(const Expanded one, visitedFirst);
        NNBURST_TRY_ASSIGN(const Expanded other, visitedSecond);
        expanded.levels = std::max({expanded.levels, one.levels, other.levels});
        // IF runs one of two branches, WHILE its condition and its body. Neither has more than
        // kMaximumExpandedOperations.
        count += operation.type == OperationType::IF
                     ? std::max(one.operationCount, other.operationCount)
                     : one.operationCount + other.operationCount;
    }
    if (count > kMaximumExpandedOperations - expanded.operationCount) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("IF and WHILE that run more than {} operations in one execution are not "
                        "supported, each loop counted once",
                        kMaximumExpandedOperations));
    }
    expanded.operationCount += count;
    return version;
}

Result<ModelCheck::Expanded> ModelCheck::visitReferenced(std::uint32_t index,
                                                         std::uint32_t nesting) {
    const auto tooDeep = [] {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("IF and WHILE nested more than {} deep are not "
                                   "supported",
                                   kMaximumNesting));
    };
    if (nesting > kMaximumNesting) {
        return tooDeep();
    }
    NNBURST_ASSERT(index < referenced_.size(), "referenced subgraph {} of {}", index,
                   referenced_.size());
    if (!referenced_[index]) {
        NNBURST_TRY_ASSIGN(const Visited visited, visit(model_.referenced[index], nesting));
        const Result<> all = checkAll(visited.operations);
        referenced_[index] =
            all ? Result<Expanded>({.levels = visited.expanded.levels + 1,
                                    .operationCount = visited.expanded.operationCount})
                : failure(all.error().status,
                          fmt::format("referenced subgraph {}: {}", index, all.error().message));
    }
    // An earlier visit may have come from a place with less nesting than this one.
    if (*referenced_[index] && nesting - 1 + (*referenced_[index])->levels > kMaximumNesting) {
        return tooDeep();
    }
    return *referenced_[index];
}

Result<HalVersion> requiredVersion(const Model& model, GrowingCharge* memory) {
    NNBURST_TRY_ASSIGN(const auto operations, ModelCheck(model, memory).operations());
    NNBURST_TRY(checkAll(operations));
    HalVersion version = HalVersion::V1_0;
    for (const Result<HalVersion>& operation : operations) {
        version = std::max(version, *operation);
    }
    for (const Operand& operand : model.main.operands) {
        version = std::max(version, firstVersionOf(operand));
    }
    if (model.relaxComputationFloat32toFloat16) {
        version = std::max(version, firstWith(supportsRelaxedComputation));
    }
    if (!model.extensionNameToPrefix.empty()) {
        version = std::max(version, firstWith(supportsExtensions));
    }
    return version;
}

}  // namespace nnburst::exec
