// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The report of nnburst-bench for a browser.

#include <string>

#include "report.h"

namespace nnburst::bench {

/// One page that needs nothing else: the goals, a plot and a table of each group, and how the host
/// was in the course of the run.
[[nodiscard]] std::string toHtml(const Report& report);

}  // namespace nnburst::bench
