// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Properties of operand and operation types. All are pure functions of the types of HAL 1.3; the
/// properties of an extension's types are known to that extension only.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "nnburst/export.h"
#include "nnburst/types.h"

namespace nnburst {

/// True for types of HAL 1.3 itself, OEM types included; false for those of extensions and for
/// unknown codes.
[[nodiscard]] NNBURST_EXPORT bool isHalType(OperandType type) noexcept;
[[nodiscard]] NNBURST_EXPORT bool isHalType(OperationType type) noexcept;

/// True for the HAL's own tensor types.
[[nodiscard]] NNBURST_EXPORT bool isTensor(OperandType type) noexcept;

/// True for the HAL's own scalar types, whose values have a size, but no dimensions.
[[nodiscard]] NNBURST_EXPORT bool isScalar(OperandType type) noexcept;

/// True if values are quantised: with one scale, or one for each channel.
[[nodiscard]] NNBURST_EXPORT bool isQuantized(OperandType type) noexcept;

/// True for a code above the HAL's own types, made of the prefix and the type of an extension.
[[nodiscard]] constexpr bool isExtension(OperandType type) noexcept {
    return (static_cast<std::uint32_t>(type) >> kExtensionTypeBits) != 0;
}
[[nodiscard]] constexpr bool isExtension(OperationType type) noexcept {
    return (static_cast<std::uint32_t>(type) >> kExtensionTypeBits) != 0;
}

/// The size of an element of a tensor, or of a scalar, in bytes; 0 for other kinds.
[[nodiscard]] NNBURST_EXPORT std::size_t elementBytes(OperandType type) noexcept;

/// The size of a value of `type` (a tensor or scalar) with these dimensions, in bytes; nullopt if
/// it exceeds kMaximumOperandBytes. 0 if a dimension is unspecified. Without dimensions it is the
/// size of one element, also for a tensor of unspecified rank: ask isFullySpecified first.
[[nodiscard]] NNBURST_EXPORT std::optional<std::uint64_t> operandBytes(
    OperandType type, std::span<const std::uint32_t> dimensions) noexcept;

/// True if the rank and all sizes are specified.
[[nodiscard]] NNBURST_EXPORT bool isFullySpecified(
    OperandType type, std::span<const std::uint32_t> dimensions) noexcept;

}  // namespace nnburst
