// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Derives further examples from one, by transformations that keep the expected results right.

#include <optional>

#include "nnburst/result.h"
#include "vectors/vector_file.h"

namespace nnburst::conformance {

/// The example with all dimensions of the main outputs left open, their rank kept; nullopt for
/// models with RANK, IF or WHILE.
[[nodiscard]] std::optional<VectorExample> withOpenOutputs(const VectorExample& example);

/// The example with signed instead of unsigned 8-bit operands: zero points and elements are 128
/// less. nullopt if it has several operations, no such operand, or an operation that the format
/// excludes. RESOURCE_EXHAUSTED_TRANSIENT if there is no shared memory.
[[nodiscard]] Result<std::optional<VectorExample>> withSignedOperands(const VectorExample& example);

}  // namespace nnburst::conformance
