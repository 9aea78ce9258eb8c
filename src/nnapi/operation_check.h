// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the API checks of an operation when a program adds it.

#include <span>

#include "nnapi/status.h"
#include "nnburst/types.h"

namespace nnburst::nnapi {

/// Checks that `operation` takes operands of such types, by the rules of the API. Which operands
/// are constant does not matter yet. `referenced[i]` is the model behind reference i of
/// `subgraph`.
[[nodiscard]] Status checkOperation(const Subgraph& subgraph, const Operation& operation,
                                    std::span<const Model* const> referenced);

}  // namespace nnburst::nnapi
