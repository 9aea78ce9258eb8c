// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arguments that are tensors: axes, paddings, sizes.

#include <cstdint>
#include <utility>
#include <vector>

#include "exec/reference/test_operation.h"

namespace nnburst::exec {

/// A constant TENSOR_INT32.
[[nodiscard]] inline TestOperand constants(Dimensions dimensions,
                                           const std::vector<std::int32_t>& values) {
    TestOperand operand = int32s(std::move(dimensions), values);
    operand.isConstant = true;
    return operand;
}

/// A constant TENSOR_INT32 with one axis.
[[nodiscard]] inline TestOperand constants(const std::vector<std::int32_t>& values) {
    return constants({static_cast<std::uint32_t>(values.size())}, values);
}

/// 0, 1, 2 ... in a TENSOR_FLOAT32.
[[nodiscard]] inline TestOperand counting(Dimensions dimensions) {
    std::size_t count = 1;
    for (const std::uint32_t size : dimensions) {
        count *= size;
    }
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(i);
    }
    return floats(std::move(dimensions), values);
}

}  // namespace nnburst::exec
