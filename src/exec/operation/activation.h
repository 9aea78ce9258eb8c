// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Fused activations (HAL 1.0 FusedActivationFunc) as what they are to a kernel: a range to which
/// results are clamped.

#include <cstddef>
#include <cstdint>

#include "exec/operation/operation.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Bounds of a result, both included. Infinite where there is none.
struct FloatRange {
    float minimum;
    float maximum;
};

/// Bounds of a quantised result, both included and within the element type.
struct QuantizedRange {
    std::int32_t minimum;
    std::int32_t maximum;

    bool operator==(const QuantizedRange&) const = default;
};

/// The values that an element of a quantised `type` can have; 0 to 0 for any other type.
[[nodiscard]] QuantizedRange quantizedLimits(OperandType type) noexcept;

[[nodiscard]] FloatRange activationRange(FusedActivationFunc activation) noexcept;

/// The range in the units of `output`, whose scale is above 0, rounded to the nearest step.
[[nodiscard]] QuantizedRange activationRange(FusedActivationFunc activation,
                                             const OperandView& output) noexcept;

/// Reads the fused activation that is input `index`: a constant INT32 of 0 to 3.
[[nodiscard]] Result<FusedActivationFunc> readActivation(const OperationView& operation,
                                                         std::size_t index);

/// Reads the constant INT32 `index`, which errors call `name`. Requires `minimum` <= value.
[[nodiscard]] Result<std::int32_t> readConstantInt32(const OperationView& operation,
                                                     std::size_t index, const char* name,
                                                     std::int32_t minimum);
/// The same for one that may be left out: `defaultValue` then.
[[nodiscard]] Result<std::int32_t> readOptionalInt32(const OperationView& operation,
                                                     std::size_t index, const char* name,
                                                     std::int32_t minimum,
                                                     std::int32_t defaultValue);

}  // namespace nnburst::exec
