// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The report of nnburst-bench as JSON.

#include <string>

#include "report.h"

namespace nnburst::bench {

/// A JSON object: `machine`, `host`, `benchmarks` with all their rounds, `goals`, `numberGoals`,
/// `met`, `missed`. Missing numbers are null.
[[nodiscard]] std::string toJson(const Report& report);

}  // namespace nnburst::bench
