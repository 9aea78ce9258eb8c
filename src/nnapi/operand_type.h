// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operand types as programs give them: checks, and conversion to the HAL's.

#include <cstdint>
#include <optional>

#include "nnapi/status.h"
#include "nnburst/types.h"

namespace nnburst::nnapi {

/// Checks a type on its own: a known code, no dimensions on a scalar, scale and zero point in the
/// range of the code. Dimensions may be unknown unless `mustBeKnown`.
[[nodiscard]] Status checkOperandType(const ANeuralNetworksOperandType& type, bool mustBeKnown);

/// Checks dimensions that a program gives for an operand of a model when it executes the model.
/// `type` may be null: the model's dimensions count.
[[nodiscard]] Status checkArgumentType(const Operand& operand,
                                       const ANeuralNetworksOperandType* type, bool mustBeKnown);

/// The dimensions in `type`.
[[nodiscard]] Dimensions dimensionsOf(const ANeuralNetworksOperandType& type);

/// One of the HAL's tensor types, or an extension's.
[[nodiscard]] bool isTensorType(OperandType type);

/// Whether the program or the model has given all dimensions that a value of `type` has.
[[nodiscard]] bool areDimensionsKnown(OperandType type, const Dimensions& dimensions);

/// BAD_DATA if a value of `type` with these dimensions takes more bytes than the HAL can count.
/// Unknown dimensions count as 1.
[[nodiscard]] Status checkValueSize(OperandType type, const Dimensions& dimensions);

/// The size of a value in bytes, of dimensions that checkValueSize accepts; 0 if a dimension is
/// unknown; nothing if only the type's vendor knows it, as of an OEM scalar.
[[nodiscard]] std::optional<std::uint64_t> valueBytes(OperandType type,
                                                      const Dimensions& dimensions);

/// Both dimensions in one: what is unknown in one is taken from the other. Nothing if they
/// contradict each other.
[[nodiscard]] std::optional<Dimensions> combineDimensions(const Dimensions& a, const Dimensions& b);

}  // namespace nnburst::nnapi
