// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where and when this program runs.

#include "results.h"

namespace nnburst::bench {

[[nodiscard]] Machine describeMachine();

}  // namespace nnburst::bench
