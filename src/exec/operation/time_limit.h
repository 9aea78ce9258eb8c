// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The time limit of a run inside an operation. Kernels report how much work they have done. At
/// these points the run yields to other executions, and ends early once its deadline has passed or
/// it was cancelled; its outputs are then undefined.

#include <atomic>
#include <chrono>
#include <cstddef>

#include "nnburst/types.h"
#include "system/scheduling.h"

namespace nnburst::exec {

/// A callback by which a run yields to executions that the gate orders before it.
struct YieldCallback {
    void (*call)(void* pass) noexcept = nullptr;  ///< null: nothing
    void* pass = nullptr;
};

/// Used by one thread. Reads the clock once in kWorkPerCheck, however often it is asked.
class TimeLimit {
  public:
    /// Multiplications, or elements: 20 us to 1 ms, and a clock read takes 30 ns.
    static constexpr std::size_t kWorkPerCheck = std::size_t{1} << 16;

    /// Without a deadline it ends when `isCancelled` is true, which may be null: never.
    explicit TimeLimit(const OptionalTimePoint& deadline = {},
                       const std::atomic<bool>* isCancelled = nullptr,
                       YieldCallback yieldToOthers = {}) noexcept
        : deadline_(deadline), isCancelled_(isCancelled), yield_(yieldToOthers) {}

    /// To be called after every `work` (multiplications, or elements), which may be none: each
    /// question counts as one more. True once the run was found to be over.
    [[nodiscard]] bool isOverAfter(std::size_t work) noexcept {
        work_ += work + 1;
        return work_ < kWorkPerCheck ? isOver_ : check();
    }

    /// The last answer of isOverAfter.
    [[nodiscard]] bool isOver() const noexcept { return isOver_; }

  private:
    bool check() noexcept {
        work_ = 0;
        if (yield_.call != nullptr) {
            yield_.call(yield_.pass);
        }
        system::letOthersRun();
        isOver_ = isOver_ || (deadline_ && std::chrono::steady_clock::now() >= *deadline_) ||
                  // Relaxed: a flag that nothing else depends on.
                  (isCancelled_ != nullptr && isCancelled_->load(std::memory_order_relaxed));
        return isOver_;
    }

    OptionalTimePoint deadline_;
    const std::atomic<bool>* isCancelled_;
    YieldCallback yield_;
    std::size_t work_ = 0;  // since the last check
    bool isOver_ = false;
};

}  // namespace nnburst::exec
