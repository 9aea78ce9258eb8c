// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One layer of LSTM cells among the inputs of an operation: the rules of its tensors, which of
/// them may be left out together, and the cell that they make. LSTM and
/// UNIDIRECTIONAL_SEQUENCE_LSTM have one layer, BIDIRECTIONAL_SEQUENCE_LSTM has two, each at other
/// input indexes.

#include <array>
#include <cstddef>
#include <cstdint>

#include "exec/operation/operation.h"
#include "exec/operation/operation_check.h"
#include "exec/reference/lstm_cell.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// The tensors of a layer, in the order in which LSTM has the first twenty.
enum class LstmTensor : std::uint8_t {
    INPUT,
    INPUT_TO_INPUT,
    INPUT_TO_FORGET,
    INPUT_TO_CELL,
    INPUT_TO_OUTPUT,
    RECURRENT_TO_INPUT,
    RECURRENT_TO_FORGET,
    RECURRENT_TO_CELL,
    RECURRENT_TO_OUTPUT,
    CELL_TO_INPUT,
    CELL_TO_FORGET,
    CELL_TO_OUTPUT,
    INPUT_GATE_BIAS,
    FORGET_GATE_BIAS,
    CELL_BIAS,
    OUTPUT_GATE_BIAS,
    PROJECTION,
    PROJECTION_BIAS,
    OUTPUT_STATE,
    CELL_STATE,
    INPUT_NORM,
    FORGET_NORM,
    CELL_NORM,
    OUTPUT_NORM,
    AUXILIARY,
    AUXILIARY_TO_INPUT,
    AUXILIARY_TO_FORGET,
    AUXILIARY_TO_CELL,
    AUXILIARY_TO_OUTPUT,
};
inline constexpr std::size_t kLstmTensors = 29;

/// Whether a layer can do without `tensor`.
[[nodiscard]] constexpr bool isOptional(LstmTensor tensor) noexcept {
    using enum LstmTensor;
    return tensor == INPUT_TO_INPUT || tensor == RECURRENT_TO_INPUT ||
           (tensor >= CELL_TO_INPUT && tensor <= INPUT_GATE_BIAS) || tensor == PROJECTION ||
           tensor == PROJECTION_BIAS || tensor >= INPUT_NORM;
}

/// The scalar inputs of a layer.
struct LstmParameters {
    CellActivation activation = CellActivation::TANH;
    float cellClip = 0.0F;
    float projectionClip = 0.0F;
};

/// Reads the activation, which is input `first`, and the cell clip and projection clip, which
/// follow it.
[[nodiscard]] Result<LstmParameters> readLstmParameters(const OperationView& operation,
                                                        std::size_t first);

struct LstmLayer {
    /// The index of a tensor that the layer does not have.
    static constexpr std::uint8_t kNone = UINT8_MAX;

    std::array<std::uint8_t, kLstmTensors> indexes{};  ///< of the operation's inputs
    std::size_t inputRank = 2;                         ///< 3 with an axis of time
    std::size_t batchAxis = 0;                         ///< of the input

    [[nodiscard]] std::size_t index(LstmTensor tensor) const noexcept {
        return indexes[static_cast<std::size_t>(tensor)];
    }
    [[nodiscard]] bool has(const OperationView& operation, LstmTensor tensor) const noexcept {
        return index(tensor) != kNone && operation.has(index(tensor));
    }
    /// Requires a tensor that is not left out.
    [[nodiscard]] const OperandView& operand(const OperationView& operation,
                                             LstmTensor tensor) const noexcept {
        return operation.inputs[index(tensor)];
    }

    /// As OperationDefinition::optionalInputs.
    [[nodiscard]] consteval std::uint64_t optionalInputs() const {
        std::uint64_t found = 0;
        for (std::size_t tensor = 0; tensor < kLstmTensors; ++tensor) {
            if (isOptional(static_cast<LstmTensor>(tensor)) && indexes[tensor] != kNone) {
                found |= inputs(indexes[tensor]);
            }
        }
        return found;
    }

    void checkTypes(OperationCheck& check, const OperandCheck& input) const;
    void checkRanks(OperationCheck& check) const;
    /// Ranks and sizes.
    void checkShapes(OperationCheck& check, const OperationView& operation) const;
    /// Checks that optional inputs are given together. Call it when it is known of each whether it
    /// is left out.
    void checkOptions(OperationCheck& check, const OperationView& operation) const;

    [[nodiscard]] std::uint32_t units(const OperationView& operation) const noexcept {
        return operand(operation, LstmTensor::INPUT_TO_OUTPUT).shape[0];
    }
    [[nodiscard]] std::uint32_t outputSize(const OperationView& operation) const noexcept {
        return operand(operation, LstmTensor::RECURRENT_TO_OUTPUT).shape[1];
    }
    /// Bytes of scratch memory for LstmCell::step.
    [[nodiscard]] std::size_t scratchBytes(const OperationView& operation) const noexcept {
        return LstmCell<float>::scratchFloats(units(operation), outputSize(operation)) *
               sizeof(float);
    }

    template <class T>
    [[nodiscard]] LstmCell<T> makeCell(const OperationView& operation,
                                       const LstmParameters& parameters) const {
        using enum LstmTensor;
        const auto data = [&](LstmTensor tensor) {
            return has(operation, tensor) ? operand(operation, tensor).as<const T>() : nullptr;
        };
        const auto lastSize = [&](LstmTensor tensor) -> std::size_t {
            if (!has(operation, tensor)) {
                return 0;
            }
            const Shape& shape = operand(operation, tensor).shape;
            return shape[shape.rank() - 1];
        };
        return {
            .inputSize = lastSize(INPUT),
            .auxiliarySize = lastSize(AUXILIARY),
            .units = units(operation),
            .outputSize = outputSize(operation),
            .inputGate = {data(INPUT_TO_INPUT), data(RECURRENT_TO_INPUT), data(CELL_TO_INPUT),
                          data(INPUT_GATE_BIAS), data(INPUT_NORM), data(AUXILIARY_TO_INPUT)},
            .forgetGate = {data(INPUT_TO_FORGET), data(RECURRENT_TO_FORGET), data(CELL_TO_FORGET),
                           data(FORGET_GATE_BIAS), data(FORGET_NORM), data(AUXILIARY_TO_FORGET)},
            .cellGate = {data(INPUT_TO_CELL), data(RECURRENT_TO_CELL), nullptr, data(CELL_BIAS),
                         data(CELL_NORM), data(AUXILIARY_TO_CELL)},
            .outputGate = {data(INPUT_TO_OUTPUT), data(RECURRENT_TO_OUTPUT), data(CELL_TO_OUTPUT),
                           data(OUTPUT_GATE_BIAS), data(OUTPUT_NORM), data(AUXILIARY_TO_OUTPUT)},
            .projection = data(PROJECTION),
            .projectionBias = data(PROJECTION_BIAS),
            .activation = parameters.activation,
            .cellClip = parameters.cellClip,
            .projectionClip = parameters.projectionClip,
            .operation = &operation,
        };
    }
};

}  // namespace nnburst::exec
