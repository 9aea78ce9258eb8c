// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Further examples from one: transformations that must not change whether a driver is right.

#include <optional>

#include "nnburst/result.h"
#include "vectors/vector_file.h"

namespace nnburst::conformance {

/// The example with all dimensions of the main outputs open, their rank kept; nothing for models
/// with RANK, IF or WHILE.
[[nodiscard]] std::optional<VectorExample> withOpenOutputs(const VectorExample& example);

/// The example with signed 8-bit operands for unsigned ones: zero points and elements less 128.
/// Nothing if it has several operations, no such operand, or one of the operations that the format
/// excepts. RESOURCE_EXHAUSTED_TRANSIENT for lack of shared memory.
[[nodiscard]] Result<std::optional<VectorExample>> withSignedOperands(const VectorExample& example);

}  // namespace nnburst::conformance
