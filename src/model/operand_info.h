// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the HAL says of each operand type: its kind, the size of its elements, the rules of its
/// quantisation (neuralnetworks 1.0 to 1.3 types.hal, OperandType and Operand). Pure functions.
/// Types may be any number: one that is neither the HAL's nor an extension's is
/// `OperandKind::UNKNOWN`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "nnburst/types.h"

namespace nnburst {

enum class OperandKind : std::uint8_t {
    SCALAR,     ///< one value without dimensions
    TENSOR,     ///< values along dimensions
    SUBGRAPH,   ///< a reference to a subgraph: no bytes at all
    OEM,        ///< a vendor's scalar of a size that only the vendor knows
    EXTENSION,  ///< scalar or tensor of an extension: only the extension knows
    UNKNOWN,    ///< no type of HAL 1.3
};

[[nodiscard]] OperandKind operandKind(OperandType type) noexcept;

[[nodiscard]] inline bool isTensor(OperandType type) noexcept {
    return operandKind(type) == OperandKind::TENSOR;
}

/// A code above the HAL's own types: prefix and type of an extension.
[[nodiscard]] constexpr bool isExtension(OperandType type) noexcept {
    return (static_cast<std::uint32_t>(type) >> kExtensionTypeBits) != 0;
}
[[nodiscard]] constexpr bool isExtension(OperationType type) noexcept {
    return (static_cast<std::uint32_t>(type) >> kExtensionTypeBits) != 0;
}

/// The size of an element of a tensor, or of a scalar; 0 for kinds other than SCALAR and TENSOR.
[[nodiscard]] std::size_t elementBytes(OperandType type) noexcept;

/// The size of a value of `type` (SCALAR or TENSOR) with these dimensions; nothing if it exceeds
/// kMaximumOperandBytes. A dimension of 0, which a model leaves open, makes it 0.
[[nodiscard]] std::optional<std::uint64_t> operandBytes(
    OperandType type, std::span<const std::uint32_t> dimensions) noexcept;

/// No dimension is left open, and neither is the rank of a tensor.
[[nodiscard]] bool isFullySpecified(OperandType type,
                                    std::span<const std::uint32_t> dimensions) noexcept;

/// "2x0x3" or "none", for messages.
[[nodiscard]] std::string dimensionsText(std::span<const std::uint32_t> dimensions);

/// Checks what an operand says of itself: its dimensions against its type, scale, zero point, extra
/// parameters. An operand without value (NO_VALUE) need not say how values are quantised. The error
/// does not say which operand: "scale -1: must be finite and more than 0".
[[nodiscard]] Result<> checkOperandType(const Operand& operand);

}  // namespace nnburst
