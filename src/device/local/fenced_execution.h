// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// HAL 1.3 executeFenced of the device itself: an execution that begins when fences are signalled,
/// and has a fence of its own.

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

/// How a fenced execution ends. Thread-safe.
class FencedEnd {
  public:
    /// A pending one, with its fence, for which `charge` was made.
    [[nodiscard]] static Result<std::shared_ptr<FencedEnd>> create(Charge charge = {});
    /// Fails the fence if nothing was given.
    ~FencedEnd();
    FencedEnd(const FencedEnd&) = delete;
    FencedEnd& operator=(const FencedEnd&) = delete;

    /// INVALID_ARGUMENT becomes GENERAL_FAILURE: HAL 1.3 IFencedExecutionCallback does not have it.
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

/// Whoever waits for a fence cannot learn a shape: INVALID_ARGUMENT unless all dimensions of
/// `outputs` are known from the model or the request.
[[nodiscard]] Result<> checkOutputDimensions(std::span<const Operand> outputs,
                                             const Request& request);
/// For a wait that goes on after the call. INVALID_ARGUMENT if one is no fence, or has failed
/// already.
[[nodiscard]] Result<std::vector<UniqueFd>> duplicateFences(std::span<const int> fences);

/// Launches an execution. The fences are duplicated. INVALID_ARGUMENT if the request breaks a rule,
/// or an output's dimensions are not known beforehand, or a descriptor is no fence.
[[nodiscard]] Result<std::shared_ptr<FencedEnd>> launchFenced(
    const exec::Executable& executable, const std::shared_ptr<Scheduler::Client>& scheduler,
    FenceWaiter& waiter, const Request& request, std::span<const int> waitFor,
    const ExecutionOptions& options, OptionalTimeoutDuration timeoutAfterFence);

}  // namespace nnburst::device
