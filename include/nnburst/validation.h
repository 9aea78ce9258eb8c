// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Structural checks of models and requests. Devices make them before anything else, so an
/// application need not; calling them tells earlier what is wrong.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Limits on what a model or request may contain, so that checking it stays cheap.
inline constexpr std::size_t kMaximumOperands = 1 << 20;    ///< of a subgraph
inline constexpr std::size_t kMaximumOperations = 1 << 18;  ///< of a subgraph
inline constexpr std::size_t kMaximumSubgraphs = 4096;      ///< referenced by a model
inline constexpr std::size_t kMaximumPools = 4096;          ///< of a model or request
/// Dimensions of an operand that an operation reads or writes, and of a request argument. An
/// operation with an operand of more dimensions is not supported (GENERAL_FAILURE).
inline constexpr std::size_t kMaximumDimensions = 8;
/// Dimensions of any operand of a model; with more the model is not valid.
inline constexpr std::size_t kMaximumDeclaredDimensions = 1024;
/// The size of an operand, in bytes: lengths in the HAL have 32 bits.
inline constexpr std::uint64_t kMaximumOperandBytes = UINT32_MAX;

/// Checks that `model` is well formed: indices, lifetimes, order of definition and use, sizes and
/// places of constants, dimensions, scales and zero points of each type, extension prefixes. It
/// does not check whether operations accept their operands: Device::getSupportedOperations does.
/// INVALID_ARGUMENT names subgraph, operand or operation, the value and the rule. A constant may
/// lie at any offset; one that is not at a multiple of its elements' size is copied when the model
/// is prepared.
[[nodiscard]] NNBURST_EXPORT Result<> validateModel(const Model& model);

/// Checks that `request` fits `model` (which is valid): number of arguments, pools, offsets,
/// lengths, dimensions. INVALID_ARGUMENT names the argument, the value and the rule. An output that
/// is too short is not invalid: its execution gives OUTPUT_INSUFFICIENT_SIZE. An argument may lie
/// at any offset; one that is not at a multiple of its elements' size costs each execution a copy.
[[nodiscard]] NNBURST_EXPORT Result<> validateRequest(const Model& model, const Request& request);

/// What Operand::numberOfConsumers must be, for each operand of `subgraph`: how many times it
/// occurs among the inputs of operations. ModelBuilder sets it.
[[nodiscard]] NNBURST_EXPORT std::vector<std::uint32_t> countConsumers(const Subgraph& subgraph);

}  // namespace nnburst
