// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls a kernel with the element type of an operand, which is looked up once a run:
///
///     dispatchFloat(input.type, [&]<class T>() { floor(input.as<T>(), output.as<T>(), count); });
///
/// They do nothing for types that the operation's check refuses.

#include <cstddef>
#include <cstdint>

#include "exec/operation/float16.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Calls `function` with float or Float16.
template <class Function>
void dispatchFloat(OperandType type, Function&& function) {
    if (type == OperandType::TENSOR_FLOAT32) {
        function.template operator()<float>();
    } else if (type == OperandType::TENSOR_FLOAT16) {
        function.template operator()<Float16>();
    }
}

/// Calls `function` with std::uint8_t or std::int8_t.
template <class Function>
void dispatchQuantized8(OperandType type, Function&& function) {
    if (type == OperandType::TENSOR_QUANT8_ASYMM) {
        function.template operator()<std::uint8_t>();
    } else if (type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED) {
        function.template operator()<std::int8_t>();
    }
}

[[nodiscard]] constexpr bool isFloatTensor(OperandType type) noexcept {
    return type == OperandType::TENSOR_FLOAT32 || type == OperandType::TENSOR_FLOAT16;
}

[[nodiscard]] constexpr bool isQuantized8Tensor(OperandType type) noexcept {
    return type == OperandType::TENSOR_QUANT8_ASYMM ||
           type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
}

}  // namespace nnburst::exec
