// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// nnburst-run --dataset: measures how right models are, and compares with other kernels or an
/// earlier run.

#include "nnburst/driver_options.h"
#include "nnburst/result.h"
#include "nnburst_run/options.h"

namespace nnburst::run {

/// Prints, and writes the files that `options` names.
[[nodiscard]] Result<ExitStatus> runAccuracy(const Options& options);

/// How devices that this program makes are set up.
[[nodiscard]] DriverOptions driverOptions(KernelChoice kernels, std::uint32_t threads);

}  // namespace nnburst::run
