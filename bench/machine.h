// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The machine and the time of this run.

#include "results.h"

namespace nnburst::bench {

[[nodiscard]] Machine describeMachine();

}  // namespace nnburst::bench
