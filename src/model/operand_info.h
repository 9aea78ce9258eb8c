// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The properties of each operand type in the HAL: its kind, the size of its elements, the rules of
/// its quantisation (neuralnetworks 1.0 to 1.3 types.hal, OperandType and Operand). Pure functions.
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
    OEM,        ///< the OEM scalar, whose size only the vendor knows
    EXTENSION,  ///< scalar or tensor of an extension: only the extension knows which
    UNKNOWN,    ///< not a type of HAL 1.3
};

[[nodiscard]] OperandKind operandKind(OperandType type) noexcept;

/// The first HAL version with operands of `type`; V1_0 for those of vendors.
[[nodiscard]] HalVersion since(OperandType type) noexcept;

/// The zero points that an operand may have.
struct ZeroPointRange {
    std::int32_t minimum = 0;
    std::int32_t maximum = 0;
};
[[nodiscard]] ZeroPointRange zeroPointRange(OperandType type) noexcept;

/// The byte of which a state consists before the first run, as TFLite's ResetVariableTensor sets
/// it: the zero point for TENSOR_QUANT8_ASYMM_SIGNED, 0 for all other types.
[[nodiscard]] constexpr std::byte firstStateByte(OperandType type,
                                                 std::int32_t zeroPoint) noexcept {
    return type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ? static_cast<std::byte>(zeroPoint)
                                                           : std::byte{0};
}

/// "2x0x3" or "none", for messages.
[[nodiscard]] std::string dimensionsText(std::span<const std::uint32_t> dimensions);

/// Whether a tensor that is declared with `declared` may have `sizes`, all of which are known (0 is
/// a tensor without elements). A 0 in `declared`, or no dimensions there, allows any size.
[[nodiscard]] bool allows(std::span<const std::uint32_t> declared,
                          std::span<const std::uint32_t> sizes) noexcept;

/// Whether two declarations may be of the same tensor: a 0, or no dimensions, is unknown in both.
[[nodiscard]] bool mayBeEqual(std::span<const std::uint32_t> a,
                              std::span<const std::uint32_t> b) noexcept;

/// Checks the declaration of an operand by itself: dimensions, scale, zero point and extra
/// parameters against its type. An operand without value (NO_VALUE) needs no quantisation. The
/// error does not name the operand: "scale -1: must be finite and more than 0".
[[nodiscard]] Result<> checkOperandType(const Operand& operand);

}  // namespace nnburst
