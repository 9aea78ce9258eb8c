// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the operations of this room have in common: a row of functions for each, and checks of
/// operands. Models of clients use these operations directly, so nothing about their operands is
/// taken for granted: `check` looks at number and types, `outputDimensions` at shapes, and `run` at
/// the values that decide addresses, which it reads once.

#include <cstdint>
#include <initializer_list>
#include <span>

#include "model/invalid.h"
#include "nnburst/extension.h"
#include "tflite_operations/codes.h"

namespace nnburst::tflite_operations {

using Operands = std::span<const ExtensionOperand>;
using Sizes = std::span<const std::uint32_t>;

/// What `run` gets.
struct Run {
    Operands inputs;
    Operands outputs;
    std::span<std::byte> scratch;
    ExtensionTimeLimit& limit;

    template <class T>
    [[nodiscard]] const T* input(std::size_t index) const noexcept {
        return reinterpret_cast<const T*>(inputs[index].data);
    }
    template <class T>
    [[nodiscard]] T* output(std::size_t index = 0) const noexcept {
        return reinterpret_cast<T*>(outputs[index].data);
    }
};

/// The sizes of each output, at first the largest ones.
using OutputSizes = std::span<const std::span<std::uint32_t>>;

/// An operation.
struct Row {
    Code code;
    const char* name;
    Result<> (*check)(Operands inputs, Operands outputs);
    Result<Dimensions> (*outputDimensions)(Operands inputs, std::size_t output);
    Result<> (*run)(const Run& run);
    std::size_t (*scratchBytes)(Operands inputs) = nullptr;
    /// Instead of `run`, if values decide sizes of outputs: says them in `sizes`.
    Result<> (*runShrinking)(const Run& run, OutputSizes sizes) = nullptr;
};

// The rows of each source file.
[[nodiscard]] std::span<const Row> elementwiseRows() noexcept;
[[nodiscard]] std::span<const Row> matrixRows() noexcept;
[[nodiscard]] std::span<const Row> gatherRows() noexcept;
[[nodiscard]] std::span<const Row> scatterRows() noexcept;
[[nodiscard]] std::span<const Row> segmentRows() noexcept;
[[nodiscard]] std::span<const Row> selectionRows() noexcept;
[[nodiscard]] std::span<const Row> windowRows() noexcept;
[[nodiscard]] std::span<const Row> volumeRows() noexcept;
[[nodiscard]] std::span<const Row> landmarkRows() noexcept;
[[nodiscard]] std::span<const Row> spectrumRows() noexcept;
[[nodiscard]] std::span<const Row> randomRows() noexcept;
[[nodiscard]] std::span<const Row> elements16Rows() noexcept;
[[nodiscard]] std::span<const Row> windows16Rows() noexcept;
[[nodiscard]] std::span<const Row> layers16x8Rows() noexcept;

// ---- Checks of operands

/// Of inputs, none of which may be left out, and outputs.
[[nodiscard]] Result<> checkCounts(Operands inputs, Operands outputs, std::size_t inputCount,
                                   std::size_t outputCount);
/// `what` names the operand in the error, such as "input 1".
[[nodiscard]] Result<> checkType(const ExtensionOperand& operand, const char* what,
                                 std::initializer_list<OperandType> types);
/// A tensor of one of the HAL's types with elements of one size.
[[nodiscard]] Result<> checkTensor(const ExtensionOperand& operand, const char* what);
/// The same type and, if quantised, the same scale and zero point.
[[nodiscard]] Result<> checkSameType(const ExtensionOperand& a, const ExtensionOperand& b);

// ---- Shapes; all sizes are known

[[nodiscard]] std::size_t countOf(Sizes sizes) noexcept;
[[nodiscard]] inline std::size_t countOf(const ExtensionOperand& operand) noexcept {
    return countOf(operand.dimensions);
}
[[nodiscard]] inline Dimensions dimensionsOf(const ExtensionOperand& operand) {
    return {operand.dimensions.begin(), operand.dimensions.end()};
}
/// The dimensions of input 0.
[[nodiscard]] Result<Dimensions> sameAsFirst(Operands inputs, std::size_t output);
/// The value of a scalar, which is known from preparation on.
template <class T>
[[nodiscard]] T scalarOf(const ExtensionOperand& operand) noexcept {
    return *reinterpret_cast<const T*>(operand.data);
}
/// That scalar `activation`, of INT32, is a code of the HAL's FusedActivationFunc.
[[nodiscard]] Result<> checkActivation(const ExtensionOperand& activation);
/// The range to which scalar `activation`, which checkActivation accepts, clamps.
struct FloatRange {
    float lowest;
    float highest;
};
[[nodiscard]] FloatRange floatRangeOf(const ExtensionOperand& activation) noexcept;
/// `axis` counted from the front in a tensor of `rank` dimensions.
[[nodiscard]] Result<std::size_t> axisOf(std::int32_t axis, std::size_t rank);
/// The elements of a tensor of INT32 that must be constant; `what` names it in the error.
[[nodiscard]] Result<std::span<const std::int32_t>> constantIntegers(
    const ExtensionOperand& operand, const char* what);

/// The sizes that a constant tensor of INT32 has.
[[nodiscard]] Result<Dimensions> constantShape(const ExtensionOperand& operand);

/// Reads an element of memory that a client may change at any time, once.
template <class T>
[[nodiscard]] T readOnce(const T* element) noexcept {
    return *static_cast<const volatile T*>(element);
}

}  // namespace nnburst::tflite_operations
