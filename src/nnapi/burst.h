// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A burst of the C API: a burst of the HAL that one execution at a time uses. Executions keep it
/// alive as long as they have a reusable execution in it.

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "nnapi/compilation.h"
#include "nnapi/status.h"
#include "nnburst/burst.h"

namespace nnburst::nnapi {

/// Handed over from list to list, which cannot fail.
using ReusableExecutions = std::list<std::unique_ptr<ReusableExecution>>;

class BurstContext {
  public:
    [[nodiscard]] static Status create(std::shared_ptr<Compilation> compilation,
                                       std::shared_ptr<BurstContext>& context);

    /// Null if no execution of the compilation can succeed.
    [[nodiscard]] Burst* burst() const noexcept { return burst_.get(); }
    [[nodiscard]] const Compilation& compilation() const noexcept { return *compilation_; }

    /// Reserves the burst for this thread; false while another thread uses it.
    [[nodiscard]] bool tryLock() noexcept {
        // sync [burst-released]: what the burst's last user did
        return !isInUse_.exchange(true, std::memory_order_acquire);
    }
    void unlock() noexcept {
        // sync [burst-released]
        isInUse_.store(false, std::memory_order_release);
    }

    /// Takes executions of the burst that are not used any more. Any thread: they are destroyed by
    /// the next one that has reserved the burst, or with it.
    void retire(ReusableExecutions executions) noexcept;
    /// Destroys them. For the thread that has reserved the burst.
    void destroyRetired() noexcept;

    /// Called when the program has freed the burst: no computation uses it any more.
    void setFreed() noexcept { isFreed_.store(true, std::memory_order_release); }
    [[nodiscard]] bool isFreed() const noexcept { return isFreed_.load(std::memory_order_acquire); }

  private:
    BurstContext(std::shared_ptr<Compilation> compilation, std::unique_ptr<Burst> burst)
        : compilation_(std::move(compilation)), burst_(std::move(burst)) {}

    const std::shared_ptr<Compilation> compilation_;
    const std::unique_ptr<Burst> burst_;
    std::atomic<bool> isInUse_{false};
    std::atomic<bool> isFreed_{false};

    std::mutex mutex_;
    ReusableExecutions retired_;           ///< guarded by mutex_
    std::atomic<bool> hasRetired_{false};  ///< changes with retired_
};

}  // namespace nnburst::nnapi

struct ANeuralNetworksBurst final {
    std::shared_ptr<nnburst::nnapi::BurstContext> context;
};
