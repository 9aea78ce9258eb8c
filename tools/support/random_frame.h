// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The frames of a stream without files: pseudo-random inputs, states that are fed back, and
/// checksums of outputs.

#include <cstddef>
#include <cstdint>
#include <span>

#include "nnburst/tflite.h"
#include "nnburst/types.h"
#include "support/pooled_request.h"

namespace nnburst::tools {

using States = std::span<const ModelState>;

/// Writes the inputs of frame `number`, the same on every machine: floats in [-1, 1), bytes of all
/// values. Inputs of other types and the fed-back states stay as they are.
void writeRandomFrame(const Model& model, States states, std::uint64_t number,
                      const PooledRequest& operands);

/// Bytes of all inputs of a frame, without states.
[[nodiscard]] std::size_t frameBytes(States states, const PooledRequest& operands);

/// Copies the states that the last execution computed to the inputs of the next one.
void feedBack(States states, const PooledRequest& operands);

/// FNV-1a over all bytes of all outputs.
[[nodiscard]] std::uint64_t checksumOfOutputs(const PooledRequest& operands);

/// Whether an input is a state.
[[nodiscard]] bool isState(States states, std::size_t input);

}  // namespace nnburst::tools
