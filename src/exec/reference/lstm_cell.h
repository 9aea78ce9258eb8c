// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One time step of an LSTM cell for one element of a batch, with all that the HAL makes optional:
/// coupled input and forget gates, peepholes, layer normalisation, projection. Weights and state
/// are elements of type T; everything between them is computed in float32.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/reference/weighted_sum.h"

namespace nnburst::exec {

/// Activations of the cell's input and output. The codes are the HAL's.
enum class CellActivation : std::int32_t { NONE = 0, RELU = 1, RELU6 = 3, TANH = 4, SIGMOID = 6 };

inline void sigmoid(std::span<float> values) noexcept {
    for (float& value : values) {
        value = 1.0F / (1.0F + std::exp(-value));
    }
}

inline void activate(CellActivation activation, std::span<float> values) noexcept {
    switch (activation) {
        case CellActivation::NONE:
            return;
        case CellActivation::RELU:
            std::transform(values.begin(), values.end(), values.begin(),
                           [](float value) { return std::max(value, 0.0F); });
            return;
        case CellActivation::RELU6:
            std::transform(values.begin(), values.end(), values.begin(),
                           [](float value) { return std::min(std::max(value, 0.0F), 6.0F); });
            return;
        case CellActivation::TANH:
            std::transform(values.begin(), values.end(), values.begin(),
                           [](float value) { return std::tanh(value); });
            return;
        case CellActivation::SIGMOID:
            sigmoid(values);
            return;
    }
}

/// Clamps values to [-limit, limit]; a limit of 0 means no limit.
inline void clip(float limit, std::span<float> values) noexcept {
    if (limit > 0.0F) {
        for (float& value : values) {
            value = std::min(std::max(value, -limit), limit);
        }
    }
}

/// Shifts and scales values to mean 0 and variance 1.
inline void normalize(std::span<float> values) noexcept {
    constexpr float kSmallestVariance = 1e-8F;
    const auto count = static_cast<float>(values.size());
    float sum = 0.0F;
    for (const float value : values) {
        sum += value;
    }
    const float mean = sum / count;
    float squares = 0.0F;
    for (const float value : values) {
        squares += (value - mean) * (value - mean);
    }
    const float variance = squares / count;
    const float factor = 1.0F / std::sqrt(variance == 0.0F ? kSmallestVariance : variance);
    for (float& value : values) {
        value = (value - mean) * factor;
    }
}

/// The weights of one gate. Null where an option is not used.
template <class T>
struct GateWeights {
    const T* input = nullptr;      ///< [units, inputSize]
    const T* recurrent = nullptr;  ///< [units, outputSize]
    const T* peephole = nullptr;   ///< [units], to the cell state
    const T* bias = nullptr;       ///< [units]
    const T* norm = nullptr;       ///< [units], the factors after layer normalisation
    const T* auxiliary = nullptr;  ///< [units, auxiliarySize], to a second input
};

/// A cell: its sizes, weights and options.
template <class T>
struct LstmCell {
    std::size_t inputSize = 0;
    std::size_t auxiliarySize = 0;
    std::size_t units = 0;
    std::size_t outputSize = 0;  ///< equal to `units` without projection
    GateWeights<T> inputGate;    ///< all null with coupled gates: the input gate is 1 - forget gate
    GateWeights<T> forgetGate;
    GateWeights<T> cellGate;
    GateWeights<T> outputGate;
    const T* projection = nullptr;      ///< [outputSize, units]
    const T* projectionBias = nullptr;  ///< [outputSize]
    CellActivation activation = CellActivation::TANH;
    float cellClip = 0.0F;  ///< 0 for none
    float projectionClip = 0.0F;
    const OperationView* operation = nullptr;  ///< asked whether the run is out of time

    /// Floats of scratch memory that a step needs.
    [[nodiscard]] static std::size_t scratchFloats(std::size_t units, std::size_t outputSize) {
        return 4 * units + outputSize;
    }

    /// Computes the output and the cell state after the step from `input` [inputSize], `auxiliary`
    /// [auxiliarySize] if there are weights for it, the output before the step [outputSize] and the
    /// cell state before it [units]. Output and cell state may be updated in place.
    void step(const T* input, const T* auxiliary, const T* outputBefore, const T* cellBefore,
              T* outputAfter, T* cellAfter, float* scratch) const noexcept;

  private:
    /// Computes the weighted sums of a gate, before its activation.
    template <class C>
    void gate(const GateWeights<T>& weights, const T* input, const T* auxiliary,
              const T* outputBefore, const C* cell, std::span<float> result) const noexcept;
};

template <class T>
template <class C>
void LstmCell<T>::gate(const GateWeights<T>& weights, const T* input, const T* auxiliary,
                       const T* outputBefore, const C* cell,
                       std::span<float> result) const noexcept {
    for (std::size_t u = 0; u < units; ++u) {
        result[u] = dotProduct(weights.input + u * inputSize, input, inputSize) +
                    dotProduct(weights.recurrent + u * outputSize, outputBefore, outputSize);
        if (weights.auxiliary != nullptr) {
            result[u] +=
                dotProduct(weights.auxiliary + u * auxiliarySize, auxiliary, auxiliarySize);
        }
        if (weights.peephole != nullptr) {
            result[u] += static_cast<float>(weights.peephole[u]) * static_cast<float>(cell[u]);
        }
        if (operation->isOutOfTime(inputSize + outputSize + auxiliarySize)) {
            return;
        }
    }
    if (weights.norm != nullptr) {
        normalize(result);
        for (std::size_t u = 0; u < units; ++u) {
            result[u] *= static_cast<float>(weights.norm[u]);
        }
    }
    for (std::size_t u = 0; u < units; ++u) {
        result[u] += static_cast<float>(weights.bias[u]);
    }
}

template <class T>
void LstmCell<T>::step(const T* input, const T* auxiliary, const T* outputBefore,
                       const T* cellBefore, T* outputAfter, T* cellAfter,
                       float* scratch) const noexcept {
    const std::span<float> inputs(scratch, units);
    const std::span<float> forgets(scratch + units, units);
    const std::span<float> cell(scratch + 2 * units, units);
    const std::span<float> outputs(scratch + 3 * units, units);
    const std::span<float> projected(scratch + 4 * units, outputSize);

    gate(forgetGate, input, auxiliary, outputBefore, cellBefore, forgets);
    sigmoid(forgets);
    if (inputGate.input != nullptr) {
        gate(inputGate, input, auxiliary, outputBefore, cellBefore, inputs);
        sigmoid(inputs);
    } else {
        std::transform(forgets.begin(), forgets.end(), inputs.begin(),
                       [](float forget) { return 1.0F - forget; });
    }
    gate(cellGate, input, auxiliary, outputBefore, cellBefore, cell);
    activate(activation, cell);
    for (std::size_t u = 0; u < units; ++u) {
        cell[u] = forgets[u] * static_cast<float>(cellBefore[u]) + inputs[u] * cell[u];
    }
    clip(cellClip, cell);
    gate(outputGate, input, auxiliary, outputBefore, cell.data(), outputs);
    sigmoid(outputs);
    // The old states are not read below: the new ones may lie in the same memory.
    std::transform(cell.begin(), cell.end(), cellAfter, [](float c) { return static_cast<T>(c); });
    activate(activation, cell);
    for (std::size_t u = 0; u < units; ++u) {
        outputs[u] *= cell[u];
    }
    if (projection == nullptr) {
        std::transform(outputs.begin(), outputs.end(), outputAfter,
                       [](float o) { return static_cast<T>(o); });
        return;
    }
    for (std::size_t o = 0; o < outputSize; ++o) {
        projected[o] = dotProduct(projection + o * units, outputs.data(), units);
        if (projectionBias != nullptr) {
            projected[o] += static_cast<float>(projectionBias[o]);
        }
        if (operation->isOutOfTime(units)) {
            return;
        }
    }
    clip(projectionClip, projected);
    std::transform(projected.begin(), projected.end(), outputAfter,
                   [](float o) { return static_cast<T>(o); });
}

}  // namespace nnburst::exec
