// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Matrix products as steps: fully connected layers and convolutions.

#include <cstddef>
#include <optional>

#include "exec/dot8/backend.h"
#include "exec/dot8/window_rows.h"
#include "exec/operation/activation.h"

namespace nnburst::exec::dot8 {

/// The product of the rows of an input with the weights of each group.
///
///     weights [groups * groupOutputs, depth], output [rowCount, groups * groupOutputs]
struct Product {
    std::size_t rowCount = 0;
    std::size_t depth = 0;  ///< of a row of one group
    std::size_t groups = 1;
    std::size_t groupOutputs = 0;
    /// How rows come from images; none if the input [rowCount, groups * depth] has them.
    std::optional<WindowRows> windows;
};

/// A step for an operation that is covered; null if its weights are neither there nor packed, or
/// its rows too long.
[[nodiscard]] StepResult makeProductStep(const OperationView& operation, const StepContext& context,
                                         QuantizedRange range, const Product& product);

}  // namespace nnburst::exec::dot8
