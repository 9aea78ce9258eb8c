// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A burst without a driver process: executes on the caller's thread, with memory that stays mapped
/// from one execution to the next.

#include <memory>
#include <mutex>

#include "device/request_execution.h"
#include "nnburst/device.h"

namespace nnburst::device {

class LocalBurst final : public Burst {
  public:
    explicit LocalBurst(exec::Executable executable) noexcept;

    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionOutcome& outcome) override;
    /// Waits for an execution that another thread runs.
    void freeMemory(const SharedRegion& region) override;

  private:
    std::mutex mutex_;
    RequestExecution execution_;  // guarded by mutex_
};

}  // namespace nnburst::device
