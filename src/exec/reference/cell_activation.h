// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Activations of recurrent operations, which have more of them than other operations.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/operation/operation.h"
#include "exec/reference/elements.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// The codes are the HAL's: those of FusedActivationFunc, and two more of LSTM. LSTM does not have
/// RELU1.
enum class CellActivation : std::int32_t {
    NONE = 0,
    RELU = 1,
    RELU1 = 2,
    RELU6 = 3,
    TANH = 4,
    SIGMOID = 6
};

/// Whether an operation has the activation RELU1.
enum class HasRelu1 : std::uint8_t { NO, YES };

/// Reads the activation of a recurrent operation, which is input `index`: a constant INT32. For RNN
/// and SVDF the HAL's text names FusedActivationFunc; AOSP's drivers compute TANH and SIGMOID, too.
[[nodiscard]] Result<CellActivation> readCellActivation(const OperationView& operation,
                                                        std::size_t index,
                                                        HasRelu1 hasRelu1 = HasRelu1::YES);

// Loops over the units of a cell, until the run of `operation` is out of time.

/// values[i] = function(values[i]).
template <class Function>
void transformValues(const OperationView& operation, std::span<float> values,
                     Function function) noexcept {
    forEachPart(operation, values.size(), [&](std::size_t first, std::size_t last) {
        std::transform(values.data() + first, values.data() + last, values.data() + first,
                       function);
    });
}

inline void sigmoid(const OperationView& operation, std::span<float> values) noexcept {
    transformValues(operation, values,
                    [](float value) { return 1.0F / (1.0F + std::exp(-value)); });
}

inline void activate(const OperationView& operation, CellActivation activation,
                     std::span<float> values) noexcept {
    switch (activation) {
        case CellActivation::NONE:
            return;
        case CellActivation::RELU:
            return transformValues(operation, values,
                                   [](float value) { return std::max(value, 0.0F); });
        case CellActivation::RELU1:
            return transformValues(operation, values, [](float value) {
                return std::min(std::max(value, -1.0F), 1.0F);
            });
        case CellActivation::RELU6:
            return transformValues(operation, values, [](float value) {
                return std::min(std::max(value, 0.0F), 6.0F);
            });
        case CellActivation::TANH:
            return transformValues(operation, values, [](float value) { return std::tanh(value); });
        case CellActivation::SIGMOID:
            return sigmoid(operation, values);
    }
}

}  // namespace nnburst::exec
