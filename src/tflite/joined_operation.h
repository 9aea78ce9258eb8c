// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An operation on more axes than the HAL allows as one on fewer, where neighbouring axes can be
/// joined.

#include <cstdint>
#include <optional>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"
#include "tflite/hal_rules.h"

namespace nnburst::tflite {

struct JoinedOperation {
    std::vector<std::uint32_t> inputs;      ///< operands, of which some name the joined axes
    std::vector<Dimensions> inputShapes{};  ///< of the inputs with elements
    Dimensions outputShape{};
    /// Of a TRANSPOSE that needs more axes: it becomes these (axis_swaps.h), and has no shapes.
    std::vector<Dimensions> swaps{};
};

/// All shapes of the operation are known. nullopt if more axes are needed than the HAL allows.
[[nodiscard]] Result<std::optional<JoinedOperation>> joinAxes(const RuledOperation& op);

}  // namespace nnburst::tflite
