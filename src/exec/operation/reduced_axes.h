// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reductions over axes that follow each other: such a tensor is [outer, reduced, inner], whatever
/// its rank.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "exec/operation/operation.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Sizes of a tensor that is reduced, as if it had three axes.
struct ReducedAxes {
    std::uint64_t outer = 1;
    std::uint64_t reduced = 1;
    std::uint64_t inner = 1;
};

/// The sizes of the input of MEAN or a REDUCE operation that was checked. Nothing if its axes are
/// no constants or do not follow each other.
[[nodiscard]] Result<std::optional<ReducedAxes>> readReducedAxes(const OperationView& operation);

}  // namespace nnburst::exec
