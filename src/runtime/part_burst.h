// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The burst of a part that has a replacement. Executions use the burst of the device. An execution
/// that fails because of the device is repeated on the burst of the replacement, and once the
/// device is lost all later ones go there. Compared with the device's burst, a call costs one more
/// try-lock and one more call.
///
/// An execution that the device has accepted with `submit` is not repeated: its error comes from
/// `wait`. One that it refuses because it is lost is submitted to the replacement. While some are
/// in flight on the device, another execution is repeated only if the device is lost.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

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
                   const BurstOptions& options);

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

    /// Whether an execution with that deadline that failed with `error` can be repeated on the
    /// replacement. For the thread that has the lock.
    [[nodiscard]] bool canReplace(const Error& error, const OptionalTimePoint& deadline) const {
        const bool isLost = error.status == ErrorStatus::DEVICE_UNAVAILABLE;
        return (isLost || inFlight_.empty()) && mayBeRepeated(error.status, deadline) &&
               !device_->isMemoryInUse();
    }
    /// The same, and whether the error means that the device is lost. For the thread that has the
    /// lock.
    [[nodiscard]] bool canReplaceLost(const Error& error, const OptionalTimePoint& deadline) const {
        return error.status == ErrorStatus::DEVICE_UNAVAILABLE && canReplace(error, deadline);
    }
    /// Notes what the device's burst gave for a submission. False if the device is lost and the
    /// execution is to be submitted to the replacement. For the thread that has the lock.
    [[nodiscard]] bool noteSubmission(const Result<Submission>& submission,
                                      const OptionalTimePoint& deadline);
    /// Forgets an execution that was waited for; gives its deadline. For the thread that has the
    /// lock.
    OptionalTimePoint forgetSubmission(Submission submission);
    /// The burst on which to repeat an execution that failed with `why`. For the thread that has
    /// the lock.
    [[nodiscard]] Result<Burst*> replace(const Error& why);
    /// Called when the device is lost and the execution cannot be repeated: later executions go to
    /// the replacement.
    void noteLoss(const Error& why) { (void)replacement_->replace(why); }

  private:
    struct InFlight {
        Submission submission{};
        OptionalTimePoint deadline;
    };

    const std::unique_ptr<Burst> device_;
    const std::shared_ptr<Replacement> replacement_;
    const BurstOptions options_;
    burst::TryLock lock_;
    std::unique_ptr<Burst> owned_;    // guarded by lock_
    std::vector<InFlight> inFlight_;  // on the device's burst; guarded by lock_
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
    [[nodiscard]] bool isMemoryInUse() override;
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline) override;
    void freeMemory(const SharedRegion& region) override;
    [[nodiscard]] BurstWaitStats waitStats() const override { return state_->device().waitStats(); }

  private:
    const std::shared_ptr<PartBurstState> state_;
};

}  // namespace nnburst::runtime
