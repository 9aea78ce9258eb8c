// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The limits of a preparation: memory and cancellation.

#include <atomic>

#include "account/growing_charge.h"

namespace nnburst::exec {

/// The limits of one preparation. The pointers outlive it.
struct PreparationLimits {
    /// Is charged, as they grow, with plans, results of folding and structures of interpreters;
    /// null: nothing is charged.
    GrowingCharge* memory = nullptr;
    /// Becomes true when the client has gone; null: never.
    const std::atomic<bool>* isCancelled = nullptr;
};

}  // namespace nnburst::exec
