// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Finds errors of a request that can be found before it is executed.

#include <cstdint>
#include <vector>

#include "exec/run/executable.h"
#include "exec/run/request_memory.h"
#include "nnburst/device.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Whether the execution waits for fences first. Then the contents of its input buffers may still
/// be on their way: an execution that was launched before, which writes them, is enough.
enum class LaunchKind : std::uint8_t { AT_ONCE, AFTER_FENCES };

/// Checks the rules that `request` and `options` can break before it is executed, without touching
/// its memory: so that a launch can refuse at once. Gives the pools of the request, without
/// addresses, with the driver-managed buffers that were found. Errors as
/// PreparedModel::executeSynchronously.
[[nodiscard]] Result<std::vector<exec::RequestMemory>> checkLaunch(
    const exec::Executable& executable, const Request& request, const ExecutionOptions& options,
    LaunchKind kind);

}  // namespace nnburst::device
