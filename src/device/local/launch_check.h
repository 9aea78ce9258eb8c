// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is known to be wrong with a request before it is executed.

#include "exec/run/executable.h"
#include "nnburst/device.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Checks the rules that `request` and `options` can break before it is executed, without touching
/// its memory: so that a launch can refuse at once. Errors as PreparedModel::executeSynchronously.
[[nodiscard]] Result<> checkLaunch(const exec::Executable& executable, const Request& request,
                                   const ExecutionOptions& options);

}  // namespace nnburst::device
