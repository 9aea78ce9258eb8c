// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The limits of a preparation: memory and cancellation.

#include <atomic>

#include "account/growing_charge.h"

namespace nnburst::exec {

struct PreparationLimits {
    /// Memory of plans and results of folding, as they grow, and structures of interpreters are
    /// charged to it, and nothing else is; null: not charged.
    GrowingCharge* memory = nullptr;
    /// Becomes true when the client has gone; null: never.
    const std::atomic<bool>* isCancelled = nullptr;
};

}  // namespace nnburst::exec
