// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// HAL 1.3 executeFenced in the process of the device: an execution that begins when fences are
/// signalled, and signals a fence of its own at its end.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "account/account.h"
#include "device/local/fence_waiter.h"
#include "device/local/scheduler.h"
#include "exec/run/executable.h"
#include "nnburst/device.h"
#include "system/mutex.h"

namespace nnburst::device {

/// The end of a fenced execution: its status, its timing and its fence. Thread-safe.
class FencedEnd {
  public:
    /// The pending end of a new execution, with a fence. `charge` is for the fence.
    [[nodiscard]] static Result<std::shared_ptr<FencedEnd>> create(Charge charge = {});
    /// Fails the fence if `give` was not called.
    ~FencedEnd();
    FencedEnd(const FencedEnd&) = delete;
    FencedEnd& operator=(const FencedEnd&) = delete;

    /// Stores how the execution ended, and signals the fence. INVALID_ARGUMENT becomes
    /// GENERAL_FAILURE: HAL 1.3 IFencedExecutionCallback does not have it.
    void give(Result<> status, const Timing& launched, const Timing& fenced);

    /// Whether the execution has ended; the fence is signalled then.
    [[nodiscard]] bool isGiven() const;

    /// IFencedExecutionCallback::getExecutionInfo. GENERAL_FAILURE while it is running.
    [[nodiscard]] Result<> info(Timing& launched, Timing& fenced) const;

    /// Borrowed.
    [[nodiscard]] int fence() const noexcept { return fence_.get(); }

  private:
    FencedEnd(UniqueFd fence, Charge charge) noexcept
        : charge_(std::move(charge)), fence_(std::move(fence)) {}

    const Charge charge_;
    const UniqueFd fence_;
    mutable system::Mutex mutex_;
    bool isGiven_ NNBURST_GUARDED_BY(mutex_) = false;
    Result<> status_ NNBURST_GUARDED_BY(mutex_);
    Timing launched_ NNBURST_GUARDED_BY(mutex_);
    Timing fenced_ NNBURST_GUARDED_BY(mutex_);
};

/// INVALID_ARGUMENT unless all dimensions of `outputs` are known from the model or the request: a
/// fence cannot report shapes.
[[nodiscard]] Result<> checkOutputDimensions(std::span<const Operand> outputs,
                                             const Request& request);
/// Duplicates fences, for a wait that goes on after the call. INVALID_ARGUMENT if a descriptor is
/// not a fence, or has failed already.
[[nodiscard]] Result<std::vector<UniqueFd>> duplicateFences(std::span<const int> fences);

/// Launches an execution. The fences are duplicated. INVALID_ARGUMENT if the request breaks a rule,
/// or an output's dimensions are not known beforehand, or a descriptor is not a fence.
[[nodiscard]] Result<std::shared_ptr<FencedEnd>> launchFenced(
    const exec::Executable& executable, const std::shared_ptr<Scheduler::Client>& scheduler,
    FenceWaiter& waiter, const Request& request, std::span<const int> waitFor,
    const ExecutionOptions& options, OptionalTimeoutDuration timeoutAfterFence);

}  // namespace nnburst::device
