// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A burst without a driver process: executes on the caller's thread, with memory that stays mapped
/// from one execution to the next. A submitted execution runs at once, in the call of submit.

#include <memory>

#include "exec/run/executable.h"
#include "nnburst/device.h"

namespace nnburst::device {

class LocalBurst final : public Burst {
  public:
    /// `inFlight` is BurstOptions::inFlight.
    LocalBurst(exec::Executable executable, std::uint32_t inFlight);

    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) override;
    [[nodiscard]] Result<Submission> submit(const Request& request,
                                            const ExecutionOptions& options) override;
    [[nodiscard]] Result<> wait(Submission submission, ExecutionOutcome& outcome) override;
    /// Never readable: an execution ends before `submit` returns, so that there is no use in
    /// arming.
    [[nodiscard]] Result<int> completionDescriptor() override;
    [[nodiscard]] Result<bool> armCompletion() override;
    /// Always false: an execution ends before its call returns.
    [[nodiscard]] bool isMemoryInUse() override { return false; }
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& /*deadline*/) override {
        return {};
    }
    /// Waits for an execution that another thread runs.
    void freeMemory(const SharedRegion& region) override;
    [[nodiscard]] BurstWaitStats waitStats() const override { return {}; }

  private:
    class State;
    class Reusable;

    const std::shared_ptr<State> state_;  // shared with its reusable executions
};

}  // namespace nnburst::device
