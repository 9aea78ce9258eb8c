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

#include "nnburst/hal_version.h"
#include "nnburst/type_queries.h"
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

/// The first HAL version with operands of `type`; V1_0 for those of vendors.
[[nodiscard]] HalVersion since(OperandType type) noexcept;

/// "2x0x3" or "none", for messages.
[[nodiscard]] std::string dimensionsText(std::span<const std::uint32_t> dimensions);

/// Checks what an operand says of itself: its dimensions against its type, scale, zero point, extra
/// parameters. An operand without value (NO_VALUE) need not say how values are quantised. The error
/// does not say which operand: "scale -1: must be finite and more than 0".
[[nodiscard]] Result<> checkOperandType(const Operand& operand);

}  // namespace nnburst
