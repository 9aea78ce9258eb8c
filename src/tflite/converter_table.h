// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one table of what can be imported: for each TFLite operator its arity, its operation and its
/// converter. converters.h declares the converters. To import one more operator, add a row here,
/// its options to tflite.fbs and, unless an existing converter fits, a converter.

#include <tflite_generated.h>

#include <cstdint>
#include <string_view>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::tflite {

class OperatorImport;

/// How many inputs and outputs an operator has.
struct Arity {
    std::uint32_t minimumInputs;
    std::uint32_t maximumInputs;
    /// Bit i: input i must not be left out. The last bit counts for all further inputs, too.
    std::uint64_t requiredInputs;
    std::uint32_t minimumOutputs = 1;
    std::uint32_t maximumOutputs = 1;

    static constexpr std::uint32_t kAnyNumber = UINT32_MAX;
    static constexpr std::uint64_t kAll = UINT64_MAX;

    /// As many as these, of which none must be left out.
    [[nodiscard]] static constexpr Arity exactly(std::uint32_t inputs,
                                                 std::uint32_t outputs = 1) noexcept {
        return {inputs, inputs, kAll, outputs, outputs};
    }
    /// The same with one output or more.
    [[nodiscard]] constexpr Arity withAnyOutputs() const noexcept {
        return {minimumInputs, maximumInputs, requiredInputs, 1, kAnyNumber};
    }
};

/// A row of the table.
struct Converter {
    schema::BuiltinOperator code;
    Arity arity;
    /// The operation, for converters that serve several; ignored by the others.
    OperationType operation;
    Result<> (*convert)(OperatorImport& operatorImport, OperationType operation);
    /// The values of INT64 outputs fit into 32 bits if those of the inputs do. If not, outputs are
    /// INT64 only where the converter makes them constants.
    bool fitsInt32 = false;
    /// Inputs and outputs may be COMPLEX64.
    bool takesComplex = false;
};

/// The converter of `code`; null if such operators cannot be imported.
[[nodiscard]] const Converter* findConverter(schema::BuiltinOperator code) noexcept;
/// The converter of the custom operator `name`; null if there is none.
[[nodiscard]] const Converter* findCustomConverter(std::string_view name) noexcept;

/// Whether an operator without options of this type has the defaults: TFLite takes 0 for all of
/// them. False where one cannot be 0, such as a stride, and where a default of the file format is
/// not 0.
[[nodiscard]] bool mayBeLeftOut(schema::BuiltinOptions options) noexcept;

}  // namespace nnburst::tflite
