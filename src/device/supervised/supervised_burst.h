// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A burst of a supervised device: one object that forwards to the burst in the current driver. The
/// supervisor's thread makes the burst in each new driver and calls setRestored; the application's
/// thread updates to it with its next call. Until there is one, calls go to the burst of the lost
/// driver, which refuses them.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "burst/exclusive_use.h"
#include "device/supervised/supervisor.h"
#include "nnburst/burst.h"
#include "nnburst/prepared_model.h"
#include "nnburst/unique_fd.h"
#include "system/mutex.h"

namespace nnburst::device {

/// A burst that is made again in each new driver: the one that was made last (restored), and the
/// one that the application's thread calls (burst), which is a step behind until that thread
/// updates. Shared by a supervised burst, its reusable executions and the model that restores it.
class RestoredBurst {
  public:
    /// Keeps `model`, which restores the burst.
    RestoredBurst(std::shared_ptr<Supervisor> supervisor, std::shared_ptr<PreparedModel> model,
                  const BurstOptions& options)
        : supervisor_(std::move(supervisor)), model_(std::move(model)), options_(options) {}

    [[nodiscard]] const BurstOptions& options() const noexcept { return options_; }

    /// Gives the burst in the driver of `generation`. Any thread.
    void setRestored(std::shared_ptr<Burst> burst, std::uint64_t generation);

    /// The burst that was set last. Any thread.
    [[nodiscard]] std::shared_ptr<Burst> restored() const;
    /// What waiting has cost in all bursts so far: the figures never fall. Any thread.
    [[nodiscard]] BurstWaitStats waitStats() const;
    /// The generation of that burst's driver; 0 if none was set. No thread may be in setRestored().
    [[nodiscard]] std::uint64_t restoredGeneration() const noexcept {
        return restoredGeneration_.load(std::memory_order_relaxed);  // nothing else is read by it
    }

    /// For the supervisor's thread.
    [[nodiscard]] Supervisor::Refusals& refusals() noexcept { return refusals_; }

    /// The lock of the burst, for ExclusiveUse.
    [[nodiscard]] burst::TryLock& lock() noexcept { return lock_; }

    /// For the thread that has the lock: whether updateWithin has nothing to do. A hint: the driver
    /// may be lost all the same, and then calls to its burst fail.
    [[nodiscard]] bool isUpToDate() const noexcept {
        return restoredGeneration_.load(std::memory_order_relaxed) == generation_ &&
               supervisor_->driverState() == DriverState::SERVING;
    }

    /// For the thread that has the lock: makes burst() the restored one. Without a driver, waits as
    /// long as SupervisionOptions::waitAtMost and `deadline` allow.
    [[nodiscard]] Result<> updateWithin(const OptionalTimePoint& deadline) {
        return isUpToDate() ? Result<>() : awaitAndUpdate(deadline);
    }
    /// The same without waiting.
    void update();

    /// The completion descriptor of this burst and of all that follow it: an epoll instance with
    /// the descriptor of `burst()`.
    [[nodiscard]] Result<int> completionDescriptor();
    /// Burst::armCompletion.
    [[nodiscard]] Result<bool> armCompletion();

    // What was submitted and not waited for: an execution of a lost driver can be waited for at
    // once.
    void noteSubmitted() noexcept { ++inFlight_; }
    void noteWaited() noexcept { inFlight_ -= inFlight_ > 0 ? 1 : 0; }
    void noteWaitedForLost() noexcept { lostInFlight_ -= lostInFlight_ > 0 ? 1 : 0; }

    [[nodiscard]] Burst& burst() const noexcept { return *burst_; }
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

  private:
    Result<> awaitAndUpdate(const OptionalTimePoint& deadline);

    const std::shared_ptr<Supervisor> supervisor_;
    const std::shared_ptr<PreparedModel> model_;
    const BurstOptions options_;

    mutable system::Mutex mutex_;
    std::shared_ptr<Burst> restored_ NNBURST_GUARDED_BY(mutex_);
    BurstWaitStats earlier_ NNBURST_GUARDED_BY(mutex_);  // of the bursts before
    std::atomic<std::uint64_t> restoredGeneration_{0};   // of restored_; written under the mutex

    Supervisor::Refusals refusals_;  // of the supervisor's thread

    burst::TryLock lock_;
    std::shared_ptr<Burst> burst_;  // of the thread that has the lock, as the next
    std::uint64_t generation_ = 0;
    std::uint64_t inFlight_ = 0;
    std::uint64_t lostInFlight_ = 0;
    UniqueFd completion_;
};

class SupervisedBurst final : public Burst {
  public:
    explicit SupervisedBurst(std::shared_ptr<RestoredBurst> burst) noexcept
        : burst_(std::move(burst)) {}

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
    [[nodiscard]] BurstWaitStats waitStats() const override;

  private:
    const std::shared_ptr<RestoredBurst> burst_;
};

}  // namespace nnburst::device
