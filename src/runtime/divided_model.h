// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A prepared model whose parts are on several devices. An execution runs the parts one after the
/// other on the calling thread; asynchronous and fenced executions use a thread of the runtime.
///
/// Parts run through bursts when the application uses a burst, and when executions repeat.

#include <memory>
#include <vector>

#include "nnburst/prepared_model.h"
#include "runtime/background.h"
#include "runtime/divided_plan.h"
#include "runtime/divided_run.h"
#include "runtime/memory_in_use.h"
#include "system/mutex.h"

namespace nnburst::runtime {

class DividedModel final : public PreparedModel, public std::enable_shared_from_this<DividedModel> {
  public:
    DividedModel(DividedPlan plan, std::shared_ptr<ExecutionThreads> threads);
    ~DividedModel() override;

    [[nodiscard]] const DividedPlan& plan() const noexcept { return plan_; }

    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& options,
                                                ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionCallback callback) override;
    [[nodiscard]] Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) override;
    [[nodiscard]] Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) override;
    [[nodiscard]] bool isMemoryInUse() override;
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline) override;

    /// Executes `request` on the replacement of the whole model, after `failed`, which is the
    /// result if there is none.
    [[nodiscard]] Result<> executeWhole(Result<> failed, const Request& request,
                                        const ExecutionOptions& options,
                                        ExecutionOutcome& outcome) const;

  private:
    class ExecutionState;  // what one execution at a time needs
    /// States that are kept for later executions.
    static constexpr std::size_t kMaximumIdleStates = 4;

    /// Whether an input or output of `request` overlaps with memory in `inUse_`.
    [[nodiscard]] bool usesMemoryInUse(const Request& request);
    [[nodiscard]] Result<std::unique_ptr<ExecutionState>> takeState();
    /// Keeps the state in which `request` was executed, which has ended with `result`. Not after
    /// the loss of a device, unless its driver may still write memory.
    void giveBack(std::unique_ptr<ExecutionState> state, const Request& request,
                  const Result<>& result);

    const DividedPlan plan_;
    Background background_;
    system::Mutex mutex_;
    std::vector<std::unique_ptr<ExecutionState>> idle_ NNBURST_GUARDED_BY(mutex_);
    /// Of states whose memory a driver may still write, too.
    MemoryInUse<ExecutionState> inUse_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::runtime
