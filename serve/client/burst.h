// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Bursts of a remote model: executions that are sent without waiting for the one before. The
/// protocol has no channel of its own for them.

#include <memory>

#include "client/connection.h"
#include "nnburst/burst.h"

namespace nnburst::remote {

/// INVALID_ARGUMENT for options that BurstOptions does not allow.
[[nodiscard]] Result<std::unique_ptr<Burst>> makeBurst(SharedServerConnection connection,
                                                       const BurstOptions& options);

}  // namespace nnburst::remote
