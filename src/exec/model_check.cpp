// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/model_check.h"

#include <algorithm>

#include "exec/control_flow.h"
#include "exec/graph_runner.h"
#include "model/invalid.h"

namespace nnburst::exec {

namespace {

/// The first operation that cannot be run.
Result<> checkAll(const std::vector<Result<HalVersion>>& operations) {
    for (std::size_t index = 0; index < operations.size(); ++index) {
        if (!operations[index]) {
            const Error& error = operations[index].error();
            return failure(error.status, fmt::format("operation {}: {}", index, error.message));
        }
    }
    return {};
}

}  // namespace

Result<std::vector<Result<HalVersion>>> ModelCheck::visit(const Subgraph& subgraph,
                                                          std::uint32_t nesting) {
    NNBURST_TRY_ASSIGN(const auto graph, Graph::create(model_, subgraph));
    GraphCheck check(*graph);
    std::vector<Result<HalVersion>> versions;
    for (std::size_t index = 0; index < subgraph.operations.size(); ++index) {
        const Operation& operation = subgraph.operations[index];
        const auto visitOperation = [&]() -> Result<HalVersion> {
            NNBURST_TRY_ASSIGN(const HalVersion version, check.visit(index));
            if (isControlFlow(operation.type)) {
                NNBURST_TRY(checkControlFlow(model_, subgraph, operation));
                for (const std::uint32_t referenced : referencedSubgraphs(subgraph, operation)) {
                    NNBURST_TRY(visitReferenced(referenced, nesting + 1));
                }
            }
            return version;
        };
        versions.push_back(visitOperation());
    }
    return versions;
}

Result<> ModelCheck::visitReferenced(std::uint32_t index, std::uint32_t nesting) {
    if (nesting > kMaximumNesting) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("IF and WHILE are nested more than {} deep: that is not "
                                   "supported",
                                   kMaximumNesting));
    }
    if (!referenced_[index]) {
        NNBURST_TRY_ASSIGN(const auto operations, visit(model_.referenced[index], nesting));
        Result<> all = checkAll(operations);
        if (!all) {
            all = failure(all.error().status,
                          fmt::format("referenced subgraph {}: {}", index, all.error().message));
        }
        referenced_[index] = std::move(all);
    }
    return *referenced_[index];
}

Result<HalVersion> requiredVersion(const Model& model) {
    NNBURST_TRY_ASSIGN(const auto operations, ModelCheck(model).operations());
    NNBURST_TRY(checkAll(operations));
    HalVersion version = HalVersion::V1_0;
    for (const Result<HalVersion>& operation : operations) {
        version = std::max(version, *operation);
    }
    for (const Operand& operand : model.main.operands) {
        version = std::max(version, since(operand.type));
    }
    if (model.relaxComputationFloat32toFloat16) {
        version = std::max(version, HalVersion::V1_1);
    }
    if (!model.extensionNameToPrefix.empty()) {
        version = std::max(version, HalVersion::V1_2);
    }
    return model.referenced.empty() ? version : HalVersion::V1_3;
}

}  // namespace nnburst::exec
