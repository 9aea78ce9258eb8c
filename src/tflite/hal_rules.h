// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The operations that the HAL has for fewer axes or types than TFLite, with a rule for each: how
/// its axes can be joined, and which types it lacks.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"
#include "tflite/hal_limits.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

inline constexpr std::size_t kMaximumHalRank = 4;

/// Which types an operation lacks, if it only moves elements.
enum class Lacks : std::uint8_t {
    NOTHING,           ///< it computes
    SMALL_TYPES,       ///< it moves elements, but not BOOL and 16 bits
    ALL_INTEGER_TYPES  ///< nor INT32
};

/// How the axes of an operation can be joined with each other.
enum class Axes : std::uint8_t {
    FIXED,
    RESHAPED,      ///< the elements stay in order: BITCAST does the same
    ELEMENTWISE,   ///< axes of size 1 are repeated
    LAST,          ///< computes along the last axis; input 2, if it is there, says so
    REDUCED,       ///< input 1 lists axes, input 2 says whether they stay
    ALONG,         ///< input 1 is the axis
    CONCATENATED,  ///< the last input is the axis
    PERMUTED,      ///< input 1 is the permutation
    PADDED,        ///< input 1 has two numbers for each axis
    TILED,         ///< input 1 has the multiples
    SLICED,        ///< inputs 1 and 2 have begins and sizes
    STRIDED        ///< inputs 1 to 6 have begins, ends, strides and masks
};

struct Rule {
    OperationType type;
    Axes axes;
    Lacks lacks = Lacks::NOTHING;
    /// Inputs with elements, from the first on.
    std::size_t operands = 1;
};

/// Rule::operands of an operation that has elements in all inputs but the last.
inline constexpr auto kAllButLast = SIZE_MAX;

/// The rule for an operation; null if there is none.
[[nodiscard]] const Rule* findRule(OperationType type) noexcept;

/// An operation that is to be added, and the rule for it.
struct RuledOperation {
    TensorMap& tensors;
    const PlannedOperation& planned;
    const Rule& rule;

    [[nodiscard]] std::size_t operandCount() const {
        return rule.operands == kAllButLast ? planned.inputs.size() - 1 : rule.operands;
    }
    /// The declaration of an input; valid until the next operand is added.
    [[nodiscard]] const Operand& given(std::size_t input) const {
        return tensors.builder().operand(planned.inputs[input]);
    }
    [[nodiscard]] const Dimensions& outputShape(std::size_t output = 0) const {
        return tensors.builder().operand(planned.outputs[output]).dimensions;
    }
    /// The elements of an input, if they are known.
    [[nodiscard]] const std::vector<std::int32_t>* values(std::size_t input) const {
        return input < planned.inputs.size() ? tensors.constants().valuesOf(planned.inputs[input])
                                             : nullptr;
    }
    /// A constant with these elements.
    [[nodiscard]] Result<std::uint32_t> integers(const std::vector<std::int32_t>& elements) const {
        return tensors.constants().addConstant(OperandType::TENSOR_INT32,
                                               {static_cast<std::uint32_t>(elements.size())},
                                               std::as_bytes(std::span(elements)));
    }
};

}  // namespace nnburst::tflite
