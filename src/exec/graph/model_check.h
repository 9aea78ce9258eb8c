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

#include "exec/operation/operation.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Used once, for one model, which outlives it.
class ModelCheck {
  public:
    explicit ModelCheck(const Model& model) : model_(model), referenced_(model.referenced.size()) {}

    /// One entry an operation of the main subgraph: the first HAL version that allows it, or why it
    /// cannot be run: INVALID_ARGUMENT if the HAL forbids it (then the model is not valid),
    /// GENERAL_FAILURE if it is allowed but not supported.
    [[nodiscard]] Result<std::vector<Result<HalVersion>>> operations() {
        NNBURST_TRY_ASSIGN(Visited main, visit(model_.main, 0));
        return std::move(main.operations);
    }

  private:
    /// The checked operations of a subgraph, and how many levels of other subgraphs they run.
    struct Visited {
        std::vector<Result<HalVersion>> operations;
        std::uint32_t levels = 0;
    };

    Result<Visited> visit(const Subgraph& subgraph, std::uint32_t nesting);
    /// The levels of a referenced subgraph, its own included, if its operations can be run.
    Result<std::uint32_t> visitReferenced(std::uint32_t index, std::uint32_t nesting);

    const Model& model_;
    /// The results of visitReferenced by subgraph, for those that were visited.
    std::vector<std::optional<Result<std::uint32_t>>> referenced_;
};

/// The first HAL version that knows all of a valid model: its operations and their rules, types of
/// operands, relaxed computation, extensions. An operation that cannot be run is the error.
[[nodiscard]] Result<HalVersion> requiredVersion(const Model& model);

}  // namespace nnburst::exec
