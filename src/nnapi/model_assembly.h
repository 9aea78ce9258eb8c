// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a model of the HAL is put together of what a program has collected.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nnapi/status.h"
#include "nnburst/types.h"

namespace nnburst::nnapi {

/// Appends bytes to the operand values of `model`; gives the place.
[[nodiscard]] DataLocation appendValue(Model& model, std::span<const std::byte> bytes);

/// The index of `region` among the pools of `model`, to which it is added if it is new.
[[nodiscard]] std::uint32_t poolIndexOf(Model& model, const SharedRegion& region);

/// Adds all subgraphs of `value` with their constants to the referenced ones of `model`. Gives the
/// index of that which was the main one.
[[nodiscard]] std::uint32_t addReferenced(Model& model, const Model& value);

/// Names the extensions whose types the model uses.
void declareExtensions(Model& model);

/// The order in which operations can be executed: each after those that write its inputs, else in
/// the order of adding. Nothing if some wait for each other, or for an operand that nothing writes.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> executionOrder(const Subgraph& subgraph);

/// Checks that `operation` takes operands of such types, by the rules of the HAL. Which operands
/// are constant does not matter yet. `referenced[i]` is the model behind reference i of
/// `subgraph`.
[[nodiscard]] Status checkOperation(const Subgraph& subgraph, const Operation& operation,
                                    std::span<const Model* const> referenced);

}  // namespace nnburst::nnapi
