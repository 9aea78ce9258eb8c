// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A model that nobody else can change any more, and the name of its content.

#include <array>
#include <cstdint>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// SHA-256.
using Digest = std::array<std::uint8_t, 32>;

/// A valid model whose constants were copied out of memory that others hold. What was hashed is
/// what is compiled: a client that changes its memory meanwhile changes neither.
struct ModelSnapshot {
    /// Its pools are this process's own and hold referenced constants alone.
    Model model;
    /// Equal for models of the same operands, operations and constants, wherever these lie.
    Digest digest{};

    /// INVALID_ARGUMENT if memory of the model cannot be read; RESOURCE_EXHAUSTED_* if there is too
    /// much of it.
    [[nodiscard]] static Result<ModelSnapshot> take(Model model);
};

}  // namespace nnburst::device
