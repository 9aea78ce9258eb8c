// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The report of nnburst-bench as HTML.

#include <string>

#include "report.h"

namespace nnburst::bench {

/// A page that needs no other file: the goals, a plot and a table for each group, and the state of
/// the host in the course of the run.
[[nodiscard]] std::string toHtml(const Report& report);

}  // namespace nnburst::bench
