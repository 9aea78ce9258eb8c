// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An execution outside of bursts. Its memory is unmapped after it, except for what a driver keeps
/// for its clients (memory/recent_mappings.h).

#include <span>

#include "exec/run/execution_session.h"
#include "nnburst/device.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// As ExecutionSession::run, with a session of its own. `arrival` is from exec::arrivalTime.
/// `found` are the pools of a request that was launched, whose buffers are used whatever has become
/// of their tokens; otherwise there are none.
[[nodiscard]] Result<> executeOnce(const exec::Executable& executable, const Request& request,
                                   const ExecutionOptions& options,
                                   const OptionalTimePoint& arrival, ExecutionOutcome& outcome,
                                   std::span<const exec::RequestMemory> found = {});

}  // namespace nnburst::device
