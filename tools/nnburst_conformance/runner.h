// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs all examples that the options select, several at a time.

#include <iosfwd>

#include "nnburst/result.h"
#include "nnburst_conformance/options.h"

namespace nnburst::conformance {

/// Prints failures and the totals on `out`. INVALID_ARGUMENT for files that cannot be found or have
/// another format, and if no example is selected; the device's error if the device cannot be
/// opened.
[[nodiscard]] Result<ExitStatus> run(const Options& options, std::ostream& out);

}  // namespace nnburst::conformance
