// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The C++ types of operands' elements.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "nnburst/export.h"
#include "nnburst/types.h"

namespace nnburst {

enum class ElementType : std::uint8_t { FLOAT, INT32, UINT32, INT16, UINT16, INT8, UINT8, BYTE };

/// The C++ type's name, such as "std::int32_t".
[[nodiscard]] NNBURST_EXPORT const char* toString(ElementType type) noexcept;

/// True if the elements of operands of `type` have the C++ type `element`:
///   float           FLOAT32, TENSOR_FLOAT32
///   std::int32_t    INT32, TENSOR_INT32
///   std::uint32_t   UINT32
///   std::int16_t    TENSOR_QUANT16_SYMM
///   std::uint16_t   TENSOR_QUANT16_ASYMM, and the bits of FLOAT16 and TENSOR_FLOAT16
///   std::int8_t     TENSOR_QUANT8_SYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_QUANT8_ASYMM_SIGNED
///   std::uint8_t    TENSOR_QUANT8_ASYMM, and BOOL and TENSOR_BOOL8, which are 0 for false
///   std::byte       every type
[[nodiscard]] NNBURST_EXPORT bool isElementOf(ElementType element, OperandType type) noexcept;

/// The ElementType of the C++ type `T`.
template <class T>
[[nodiscard]] constexpr ElementType elementTypeOf() noexcept {
    if constexpr (std::is_same_v<T, float>) {
        return ElementType::FLOAT;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return ElementType::INT32;
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
        return ElementType::UINT32;
    } else if constexpr (std::is_same_v<T, std::int16_t>) {
        return ElementType::INT16;
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
        return ElementType::UINT16;
    } else if constexpr (std::is_same_v<T, std::int8_t>) {
        return ElementType::INT8;
    } else if constexpr (std::is_same_v<T, std::uint8_t>) {
        return ElementType::UINT8;
    } else {
        static_assert(std::is_same_v<T, std::byte>, "no operand has elements of this type");
        return ElementType::BYTE;
    }
}

}  // namespace nnburst
