// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a model of the HAL is put together of what a program has collected.

#include <cstdint>
#include <optional>
#include <vector>

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

}  // namespace nnburst::nnapi
