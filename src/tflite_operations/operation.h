// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the operations of this room have in common: a definition of each, and checks of operands.
/// Models of clients use these operations directly, so nothing about their operands is taken for
/// granted: `check` looks at number and types, `outputDimensions` at shapes, and `run` at the
/// values that decide addresses, which it reads once.

#include <cstdint>
#include <initializer_list>
#include <span>

#include "model/invalid.h"
#include "nnburst/extension.h"
#include "tflite_operations/codes.h"

namespace nnburst::tflite_operations {

using Operands = std::span<const ExtensionOperand>;
using Sizes = std::span<const std::uint32_t>;

/// One execution of an operation: its operands with their memory, scratch memory and the time
/// limit.
struct RunContext {
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

/// One operation of the extension: its checks, the shapes of its outputs, its kernel.
struct OperationDefinition {
    Code code;
    const char* name;
    Result<> (*check)(Operands inputs, Operands outputs);
    Result<Dimensions> (*outputDimensions)(Operands inputs, std::size_t output);
    Result<> (*run)(const RunContext& run);
    std::size_t (*scratchBytes)(Operands inputs) = nullptr;
    /// The kernel in place of `run` if values decide sizes of outputs: puts those into `sizes`.
    Result<> (*runShrinking)(const RunContext& run, OutputSizes sizes) = nullptr;
};

// The operations of each source file.
[[nodiscard]] std::span<const OperationDefinition> elementwiseOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> matrixOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> gatherOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> scatterOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> segmentOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> selectionOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> windowOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> volumeOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> landmarkOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> spectrumOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> randomOperations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> elements16Operations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> windows16Operations() noexcept;
[[nodiscard]] std::span<const OperationDefinition> layers16x8Operations() noexcept;

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
