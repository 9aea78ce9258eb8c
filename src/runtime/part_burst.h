// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The burst of a part that has a replacement. Executions use the burst of the device. An execution
/// that fails because of the device is repeated on the burst of the replacement, and once the
/// device is lost all later ones go there. Compared with the device's burst, a call costs one more
/// try-lock and one more call.
///
/// An execution that was submitted is not repeated: its error comes from `wait`.

#include <atomic>
#include <cstdint>
#include <memory>

#include "burst/exclusive_use.h"
#include "nnburst/burst.h"
#include "nnburst/prepared_model.h"
#include "runtime/replacement.h"
#include "system/mutex.h"

namespace nnburst::runtime {

/// What the burst shares with its reusable executions.
class PartBurstState {
  public:
    PartBurstState(std::unique_ptr<Burst> device, std::shared_ptr<Replacement> replacement,
                   const BurstOptions& options) noexcept;

    /// The lock of the burst, for ExclusiveUse.
    [[nodiscard]] burst::TryLock& lock() noexcept { return lock_; }
    [[nodiscard]] bool isReplaced() const noexcept { return replacement_->isPermanent(); }

    /// The burst of the device.
    [[nodiscard]] Burst& device() const noexcept { return *device_; }
    /// The burst of the replacement; null if it was not made yet. Any thread.
    [[nodiscard]] Burst* replacementBurst() const noexcept {
        // sync [burst-replaced]: the burst is complete
        return replacementBurst_.load(std::memory_order_acquire);
    }
    /// Makes the burst of the replacement, unless it exists. For the thread that has the lock.
    [[nodiscard]] Result<Burst*> makeReplacementBurst();

    /// Whether an execution that failed with `error` can be repeated on the replacement.
    [[nodiscard]] bool canReplace(const Error& error) const {
        return isDeviceFailure(error.status) && !device_->isMemoryInUse();
    }
    /// The burst on which to repeat an execution that failed with `why`. For the thread that has
    /// the lock.
    [[nodiscard]] Result<Burst*> replace(const Error& why);
    /// Called when the device is lost and the execution cannot be repeated: later executions go to
    /// the replacement.
    void noteLoss(const Error& why) { (void)replacement_->replace(why); }

  private:
    const std::unique_ptr<Burst> device_;
    const std::shared_ptr<Replacement> replacement_;
    const BurstOptions options_;
    burst::TryLock lock_;
    std::unique_ptr<Burst> owned_;  // of the thread that has the lock
    std::atomic<Burst*> replacementBurst_{nullptr};
};

class PartBurst final : public Burst {
  public:
    explicit PartBurst(std::shared_ptr<PartBurstState> state) noexcept : state_(std::move(state)) {}

    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) override;
    [[nodiscard]] Result<Submission> submit(const Request& request,
                                            const ExecutionOptions& options) override;
    [[nodiscard]] Result<> wait(Submission submission, ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<int> completionDescriptor() override;
    [[nodiscard]] Result<bool> armCompletion() override;
    [[nodiscard]] bool isDone(Submission submission) override;
    [[nodiscard]] bool isMemoryInUse() override { return state_->device().isMemoryInUse(); }
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline) override {
        return state_->device().waitForMemory(deadline);
    }
    void freeMemory(const SharedRegion& region) override;
    [[nodiscard]] BurstWaitStats waitStats() const override { return state_->device().waitStats(); }

  private:
    const std::shared_ptr<PartBurstState> state_;
};

}  // namespace nnburst::runtime
