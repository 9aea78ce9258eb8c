// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Structural checks of models and requests. Devices make them before anything else, so calling
/// them is never necessary; it tells earlier what is wrong.

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Limits on what a model or request may contain, so that checking it stays cheap.
inline constexpr std::size_t kMaximumOperands = 1 << 20;    ///< of a subgraph
inline constexpr std::size_t kMaximumOperations = 1 << 18;  ///< of a subgraph
inline constexpr std::size_t kMaximumSubgraphs = 4096;      ///< referenced by a model
inline constexpr std::size_t kMaximumPools = 4096;          ///< of a model or request
inline constexpr std::size_t kMaximumDimensions = 8;        ///< of an operand
/// The size of an operand, in bytes: lengths in the HAL have 32 bits.
inline constexpr std::uint64_t kMaximumOperandBytes = UINT32_MAX;

/// Checks that `model` is well formed: indices, lifetimes, order of definition and use, sizes and
/// places of constants, dimensions, scales and zero points of each type, extension prefixes.
/// Whether operations take such operands is for the device to say. INVALID_ARGUMENT names subgraph,
/// operand or operation, the value and the rule. Stricter than the HAL in one thing: constants lie
/// at multiples of the size of their elements. Operand::numberOfConsumers is not looked at: nothing
/// uses it.
[[nodiscard]] Result<> validateModel(const Model& model);

/// Checks that `request` fits `model` (which is valid): number of arguments, pools, offsets,
/// lengths, dimensions. INVALID_ARGUMENT names the argument, the value and the rule. An output that
/// is too short is not invalid: its execution gives OUTPUT_INSUFFICIENT_SIZE. Offsets are multiples
/// of the size of an element, as for constants.
[[nodiscard]] Result<> validateRequest(const Model& model, const Request& request);

}  // namespace nnburst
