// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks of a valid model before it is compiled: which operations can be run, and which HAL
/// version the model needs. They use each operation's definition, and for IF and WHILE those of all
/// operations in the subgraphs that they refer to.

#include <cstdint>
#include <optional>
#include <vector>

#include "exec/graph/graph_check.h"
#include "exec/operation/operation.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Used once, for one model, which outlives it.
class ModelCheck {
  public:
    /// Results of operations on constants are charged to `memory`, unless that is null.
    explicit ModelCheck(const Model& model, GrowingCharge* memory = nullptr)
        : model_(model), memory_(memory), referenced_(model.referenced.size()) {}

    /// One entry for each operation of the main subgraph: the first HAL version that allows it, or
    /// why it cannot be run: INVALID_ARGUMENT if the HAL forbids it (then the model is not valid),
    /// GENERAL_FAILURE if it is allowed but not supported.
    [[nodiscard]] Result<std::vector<Result<HalVersion>>> operations() {
        NNBURST_TRY_ASSIGN(Visited main, visit(model_.main, 0));
        return std::move(main.operations);
    }

  private:
    /// What one run of a subgraph includes, with those that its operations run.
    struct Expanded {
        std::uint32_t levels = 0;          ///< of subgraphs in each other
        std::uint64_t operationCount = 0;  ///< of the longer branch of IF; each loop counted once
    };

    /// The checked operations of a subgraph.
    struct Visited {
        std::vector<Result<HalVersion>> operations;
        Expanded expanded;
    };

    Result<Visited> visit(const Subgraph& subgraph, std::uint32_t nesting);
    Result<HalVersion> visitOperation(const Subgraph& subgraph, GraphCheck& check,
                                      std::size_t index, std::uint32_t nesting, Expanded& expanded);
    /// A referenced subgraph, its own level included, if its operations can be run. The error is
    /// chosen as by requiredVersion.
    Result<Expanded> visitReferenced(std::uint32_t index, std::uint32_t nesting);

    const Model& model_;
    GrowingCharge* const memory_;
    /// The results of visitReferenced by subgraph, for those that were visited.
    std::vector<std::optional<Result<Expanded>>> referenced_;
    const TimePoint foldingEnd_ = GraphCheck::endOfFolding();
};

/// The first HAL version that knows all of a valid model: its operations and their rules, types of
/// operands, relaxed computation, extensions. The error is that of the first operation that the HAL
/// forbids, or else of the first one that cannot be run. `memory` as for ModelCheck.
[[nodiscard]] Result<HalVersion> requiredVersion(const Model& model,
                                                 GrowingCharge* memory = nullptr);

}  // namespace nnburst::exec
