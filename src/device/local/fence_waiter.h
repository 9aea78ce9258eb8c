// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Waits for the fences of all executions of a device on one thread, so that job threads need not.

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "account/account.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// INVALID_ARGUMENT if `count` is more than kMaximumFences (prepared_model.h).
[[nodiscard]] Result<> checkFenceCount(std::size_t count);

/// Thread-safe. Its thread starts with a wait, and ends when there has been none for a while.
/// Destroying it drops all waits: their callbacks are destroyed without being called, except a
/// callback that is running, whose end it waits for.
class FenceWaiter {
  public:
    /// Called once, on the waiter's thread, when all fences are signalled, one has failed
    /// (GENERAL_FAILURE), or the deadline has come (MISSED_DEADLINE_TRANSIENT). Must not block.
    using Callback = std::function<void(const Result<>& signalled)>;

    /// Limit on waits at the same time; more are refused.
    static constexpr std::size_t kMaximumWaits = 4096;

    /// The thread and its descriptors are charged to `account`; null: to none.
    explicit FenceWaiter(SharedAccount account = nullptr);
    ~FenceWaiter();
    FenceWaiter(const FenceWaiter&) = delete;
    FenceWaiter& operator=(const FenceWaiter&) = delete;

    /// Errors of checkFenceCount; INVALID_ARGUMENT for a descriptor that cannot be polled;
    /// RESOURCE_EXHAUSTED_*. `callback` is not called after an error.
    [[nodiscard]] Result<> wait(std::vector<UniqueFd> fences, const OptionalTimePoint& deadline,
                                Callback callback);

  private:
    class Impl;
    std::shared_ptr<Impl> impl_;  // shared with its thread, which may destroy this
};

}  // namespace nnburst::device
