// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The step of RESHAPE, SQUEEZE and EXPAND_DIMS where the output cannot share the bytes of the
/// input: it copies them.

#include <cstddef>
#include <memory>

#include "exec/operation/step.h"

namespace nnburst::exec {

/// Copies `sizeBytes` from the first of `inputCount` inputs to the output.
[[nodiscard]] std::unique_ptr<Step> makeCopyStep(std::size_t inputCount, std::size_t sizeBytes);

}  // namespace nnburst::exec
