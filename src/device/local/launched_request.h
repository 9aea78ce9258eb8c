// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A request between its launch and the end of its execution, which happens elsewhere and later:
/// asynchronous and fenced executions.

#include <memory>
#include <vector>

#include "device/local/launch_check.h"
#include "exec/run/buffer_uses.h"
#include "exec/run/executable.h"
#include "exec/run/request_memory.h"
#include "nnburst/device.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Keeps what the execution needs: memory, and the driver-managed buffers that its tokens named at
/// the launch. If it does not run, the buffers of its outputs hold nothing afterwards, as after any
/// failed execution. Used by one thread at a time.
class LaunchedRequest {
  public:
    /// Checks the launch as checkLaunch.
    [[nodiscard]] static Result<std::shared_ptr<LaunchedRequest>> create(
        const exec::Executable& executable, const Request& request, const ExecutionOptions& options,
        LaunchKind kind);
    ~LaunchedRequest();
    LaunchedRequest(const LaunchedRequest&) = delete;
    LaunchedRequest& operator=(const LaunchedRequest&) = delete;

    [[nodiscard]] const exec::Executable& executable() const noexcept { return executable_; }

    /// Executes it, once. As executeOnce.
    [[nodiscard]] Result<> run(const ExecutionOptions& options, const OptionalTimePoint& arrival,
                               ExecutionOutcome& outcome);

    /// Ends it without an execution: its output buffers lose their contents. The destructor does
    /// this if neither `run` nor `fail` was called.
    void fail();

  private:
    LaunchedRequest(const exec::Executable& executable, const Request& request,
                    std::vector<exec::RequestMemory> pools, Charge execution, Charge memory);

    const Charge execution_;
    const Charge memory_;
    const exec::Executable executable_;
    const Request request_;
    const std::vector<exec::RequestMemory> pools_;
    exec::PendingWrites pendingWrites_;
    bool hasEnded_ = false;
};

}  // namespace nnburst::device
