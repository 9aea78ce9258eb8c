// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An execution outside of bursts: its memory is unmapped after it.

#include "exec/run/execution_session.h"
#include "nnburst/device.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// As ExecutionSession::run, with a session of its own. `arrival` is from exec::arrivalTime.
[[nodiscard]] Result<> executeOnce(const exec::Executable& executable, const Request& request,
                                   const ExecutionOptions& options,
                                   const OptionalTimePoint& arrival, ExecutionOutcome& outcome);

}  // namespace nnburst::device
