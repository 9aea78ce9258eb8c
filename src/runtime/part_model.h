// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A part of a model, or all of it, on one device of a runtime. To the prepared model of the device
/// it adds
/// - the replacement that is used when the device fails,
/// - a burst that is kept for repeated synchronous executions,
/// - fenced executions on devices whose HAL version does not have them.

#include <memory>

#include "burst/exclusive_use.h"
#include "nnburst/hal_version.h"
#include "nnburst/prepared_model.h"
#include "runtime/background.h"
#include "runtime/memory_in_use.h"
#include "runtime/replacement.h"
#include "system/mutex.h"

namespace nnburst::runtime {

class PartModel final : public PreparedModel, public std::enable_shared_from_this<PartModel> {
  public:
    /// `interface` is that of the model (interfaceOf) that `prepared` was prepared from, by a
    /// device of `version`. `replacement` may be null: then errors of the device are those of this
    /// model.
    PartModel(SharedPreparedModel prepared, HalVersion version, Model interface,
              std::shared_ptr<Replacement> replacement, std::shared_ptr<ExecutionThreads> threads);

    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& options,
                                                ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionCallback callback) override;
    /// An execution that the device has accepted is not repeated if it fails.
    [[nodiscard]] Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) override;
    [[nodiscard]] Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) override;
    [[nodiscard]] bool isMemoryInUse() override;
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline) override;

  private:
    [[nodiscard]] bool isReplaced() const noexcept {
        return replacement_ != nullptr && replacement_->isPermanent();
    }
    /// Whether an execution with that deadline that failed with `error` can be repeated.
    [[nodiscard]] bool canReplace(const Error& error, const OptionalTimePoint& deadline) {
        return replacement_ != nullptr && mayBeRepeated(error.status, deadline) &&
               !prepared_->isMemoryInUse();
    }
    /// Whether an input or output of `request` overlaps with memory in `inUse_`.
    [[nodiscard]] bool usesMemoryInUse(const Request& request);
    /// A synchronous execution, through the kept burst unless another thread is using it, or memory
    /// is in use of which only the prepared model knows.
    Result<> executeOnDevice(const Request& request, const ExecutionOptions& options,
                             ExecutionOutcome& outcome);
    /// Makes the kept burst after the second execution, for the thread that has its lock. Not
    /// during an execution: setting up a burst may take longer than its deadline allows.
    void keepBurst();
    /// Repeats on the replacement an execution that failed with `why`.
    Result<> executeOnReplacement(const Error& why, const Request& request,
                                  const ExecutionOptions& options, ExecutionOutcome& outcome);

    const SharedPreparedModel prepared_;
    const HalVersion version_;
    const Model interface_;
    const std::shared_ptr<Replacement> replacement_;
    Background background_;

    burst::TryLock keptLock_;
    bool hasExecuted_ = false;     // of the thread that has the lock, as the next
    bool isBurstRefused_ = false;  // by the device: it is not asked again
    std::unique_ptr<Burst> kept_;

    system::Mutex mutex_;
    /// Of kept bursts whose last execution has ended without an answer.
    MemoryInUse<Burst> inUse_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::runtime
