// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One time step of an LSTM cell for one element of a batch, with all that the HAL makes optional:
/// coupled input and forget gates, peepholes, layer normalisation, projection. Weights and input
/// are elements of type T, states of type S; everything between them is computed in float32.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "exec/operation/operation.h"
#include "exec/reference/cell_activation.h"
#include "exec/reference/elements.h"
#include "exec/reference/sums.h"
#include "exec/reference/weighted_sum.h"

namespace nnburst::exec {

/// Clamps values to [-limit, limit]; a limit of 0 means no limit.
inline void clip(const OperationView& operation, float limit, std::span<float> values) noexcept {
    if (limit > 0.0F) {
        transformValues(operation, values,
                        [limit](float value) { return std::min(std::max(value, -limit), limit); });
    }
}

/// Shifts and scales values to mean 0 and variance 1.
inline void normalize(const OperationView& operation, std::span<float> values) noexcept {
    constexpr double kSmallestVariance = 1e-8;
    const auto count = static_cast<double>(values.size());
    const double mean =
        sumOfElements(operation, values.size(), [&](std::size_t i) { return values[i]; }) / count;
    const double variance = sumOfElements(operation, values.size(),
                                          [&](std::size_t i) {
                                              const double difference = values[i] - mean;
                                              return difference * difference;
                                          }) /
                            count;
    const double factor = 1.0 / std::sqrt(variance == 0.0 ? kSmallestVariance : variance);
    transformValues(operation, values, [mean, factor](float value) {
        return static_cast<float>((value - mean) * factor);
    });
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
    /// cell state before it [units]. Output and cell state may be updated in place. False if the
    /// run is out of time.
    template <class S>
    [[nodiscard]] bool step(const T* input, const T* auxiliary, const S* outputBefore,
                            const S* cellBefore, S* outputAfter, S* cellAfter,
                            float* scratch) const noexcept;

  private:
    /// Computes the weighted sums of a gate, before its activation. False if the run is out of
    /// time.
    template <class S, class C>
    [[nodiscard]] bool gate(const GateWeights<T>& weights, const T* input, const T* auxiliary,
                            const S* outputBefore, const C* cell,
                            std::span<float> result) const noexcept;
};

template <class T>
template <class S, class C>
bool LstmCell<T>::gate(const GateWeights<T>& weights, const T* input, const T* auxiliary,
                       const S* outputBefore, const C* cell,
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
            return false;
        }
    }
    if (weights.norm != nullptr) {
        normalize(*operation, result);
        forEachElement(*operation, units,
                       [&](std::size_t u) { result[u] *= static_cast<float>(weights.norm[u]); });
    }
    forEachElement(*operation, units,
                   [&](std::size_t u) { result[u] += static_cast<float>(weights.bias[u]); });
    return !operation->isOutOfTime(0);
}

template <class T>
template <class S>
bool LstmCell<T>::step(const T* input, const T* auxiliary, const S* outputBefore,
                       const S* cellBefore, S* outputAfter, S* cellAfter,
                       float* scratch) const noexcept {
    const std::span<float> inputs(scratch, units);
    const std::span<float> forgets(scratch + units, units);
    const std::span<float> cell(scratch + 2 * units, units);
    const std::span<float> outputs(scratch + 3 * units, units);
    const std::span<float> projected(scratch + 4 * units, outputSize);

    if (!gate(forgetGate, input, auxiliary, outputBefore, cellBefore, forgets)) {
        return false;
    }
    sigmoid(*operation, forgets);
    if (inputGate.input != nullptr) {
        if (!gate(inputGate, input, auxiliary, outputBefore, cellBefore, inputs)) {
            return false;
        }
        sigmoid(*operation, inputs);
    } else {
        forEachElement(*operation, units, [&](std::size_t u) { inputs[u] = 1.0F - forgets[u]; });
    }
    if (!gate(cellGate, input, auxiliary, outputBefore, cellBefore, cell)) {
        return false;
    }
    activate(*operation, activation, cell);
    forEachElement(*operation, units, [&](std::size_t u) {
        cell[u] = forgets[u] * static_cast<float>(cellBefore[u]) + inputs[u] * cell[u];
    });
    clip(*operation, cellClip, cell);
    if (!gate(outputGate, input, auxiliary, outputBefore, cell.data(), outputs)) {
        return false;
    }
    sigmoid(*operation, outputs);
    // The old states are not read below: the new ones may lie in the same memory.
    forEachElement(*operation, units,
                   [&](std::size_t u) { cellAfter[u] = static_cast<S>(cell[u]); });
    activate(*operation, activation, cell);
    forEachElement(*operation, units, [&](std::size_t u) { outputs[u] *= cell[u]; });
    if (projection == nullptr) {
        forEachElement(*operation, units,
                       [&](std::size_t u) { outputAfter[u] = static_cast<S>(outputs[u]); });
        return !operation->isOutOfTime(0);
    }
    for (std::size_t o = 0; o < outputSize; ++o) {
        projected[o] = dotProduct(projection + o * units, outputs.data(), units);
        if (projectionBias != nullptr) {
            projected[o] += static_cast<float>(projectionBias[o]);
        }
        if (operation->isOutOfTime(units)) {
            return false;
        }
    }
    clip(*operation, projectionClip, projected);
    forEachElement(*operation, outputSize,
                   [&](std::size_t o) { outputAfter[o] = static_cast<S>(projected[o]); });
    return !operation->isOutOfTime(0);
}

}  // namespace nnburst::exec
