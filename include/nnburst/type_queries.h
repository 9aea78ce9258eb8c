// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Questions about operand and operation types. All are pure functions of the types of HAL 1.3;
/// what types of vendor extensions are, only their extensions know.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "nnburst/export.h"
#include "nnburst/types.h"

namespace nnburst {

/// A type of HAL 1.3 itself, OEM types included: neither an extension's nor an unknown code.
[[nodiscard]] NNBURST_EXPORT bool isHalType(OperandType type) noexcept;
[[nodiscard]] NNBURST_EXPORT bool isHalType(OperationType type) noexcept;

/// One of the HAL's own tensor types.
[[nodiscard]] NNBURST_EXPORT bool isTensor(OperandType type) noexcept;

/// One of the HAL's own scalar types: its values have a size, but no dimensions.
[[nodiscard]] NNBURST_EXPORT bool isScalar(OperandType type) noexcept;

/// Values are quantised: they have a scale, or one a channel.
[[nodiscard]] NNBURST_EXPORT bool isQuantized(OperandType type) noexcept;

/// A code above the HAL's own types: prefix and type of an extension.
[[nodiscard]] constexpr bool isExtension(OperandType type) noexcept {
    return (static_cast<std::uint32_t>(type) >> kExtensionTypeBits) != 0;
}
[[nodiscard]] constexpr bool isExtension(OperationType type) noexcept {
    return (static_cast<std::uint32_t>(type) >> kExtensionTypeBits) != 0;
}

/// The size of an element of a tensor, or of a scalar, in bytes; 0 for other kinds.
[[nodiscard]] NNBURST_EXPORT std::size_t elementBytes(OperandType type) noexcept;

/// The size of a value of `type` (a tensor or scalar) with these dimensions, in bytes; nothing if
/// it exceeds kMaximumOperandBytes. A dimension of 0, which a model leaves open, makes it 0; no
/// dimensions are those of a single element, also where a tensor's rank is left open
/// (isFullySpecified tells).
[[nodiscard]] NNBURST_EXPORT std::optional<std::uint64_t> operandBytes(
    OperandType type, std::span<const std::uint32_t> dimensions) noexcept;

/// No dimension is left open, and neither is the rank of a tensor.
[[nodiscard]] NNBURST_EXPORT bool isFullySpecified(
    OperandType type, std::span<const std::uint32_t> dimensions) noexcept;

}  // namespace nnburst
