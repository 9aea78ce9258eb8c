// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What TFLite allows and the HAL's operations do not: more than 4 dimensions, and operations that
/// move elements of INT32, BOOL or INT16. BITCAST of our extension gives the operands other
/// dimensions or another type with elements of the same size, before and after the operation.

#include <cstdint>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::tflite {

class TensorMap;

/// An operation that an operator becomes.
struct PlannedOperation {
    OperationType type;
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> outputs;
};

/// Whether the operation moves elements and does not look at them.
[[nodiscard]] bool movesElements(OperationType type) noexcept;

/// Adds `planned` in a form that the HAL allows. Returns false, and adds nothing that has an
/// effect, if it is allowed as it is or no such form is known.
[[nodiscard]] Result<bool> addWithinLimits(TensorMap& tensors, const PlannedOperation& planned);

}  // namespace nnburst::tflite
