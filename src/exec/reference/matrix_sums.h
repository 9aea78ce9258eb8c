// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Products of the 8-bit weights of recurrent operations with one row of elements.

#include <cstddef>
#include <cstdint>

#include "exec/operation/operation.h"
#include "exec/reference/weighted_sum.h"

namespace nnburst::exec {

/// MatrixProducts::multiply, by OperationView::products if there are any. `zeroPoint` is that of
/// the elements. False if the run is out of time.
template <class T>
[[nodiscard]] bool sumProducts(const OperationView& operation, std::size_t weightsInput,
                               const T* elements, std::int32_t zeroPoint,
                               std::int32_t* sums) noexcept {
    if (operation.products != nullptr) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(elements);
        return operation.products->multiply(weightsInput, bytes, sums, operation.timeLimit);
    }
    const OperandView& weights = operation.inputs[weightsInput];
    const std::size_t rows = weights.shape[0];
    const std::size_t depth = weights.shape[1];
    const std::int32_t weightZeroPoint = weights.zeroPoint;
    for (std::size_t row = 0; row < rows; ++row) {
        const T* const factors = weights.as<const T>() + row * depth;
        sums[row] = static_cast<std::int32_t>(sumOfTerms<std::uint32_t>(depth, [&](std::size_t i) {
            return static_cast<std::uint32_t>((elements[i] - zeroPoint) *
                                              (factors[i] - weightZeroPoint));
        }));
        if (operation.isOutOfTime(depth)) {
            return false;
        }
    }
    return true;
}

}  // namespace nnburst::exec
