// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A burst is used by at most one thread at a time; a second one is refused instead of waiting.

#include <atomic>

namespace nnburst::burst {

/// A mutex without waiting. Costs one atomic exchange and one store.
class TryLock {
  public:
    [[nodiscard]] bool try_lock() noexcept {
        // sync [burst-exclusive]: what the call before has written is visible
        return !isHeld_.exchange(true, std::memory_order_acquire);
    }
    void unlock() noexcept {
        // sync [burst-exclusive]
        isHeld_.store(false, std::memory_order_release);
    }

  private:
    std::atomic<bool> isHeld_{false};
};

/// Try-lock held for the duration of one call. `Lock` is a TryLock, or a mutex where others wait
/// for the end of the call.
template <class Lock>
class [[nodiscard]] ExclusiveUse {
  public:
    explicit ExclusiveUse(Lock& lock) noexcept : lock_(lock), isHeld_(lock.try_lock()) {}
    ~ExclusiveUse() {
        if (isHeld_) {
            lock_.unlock();
        }
    }
    ExclusiveUse(const ExclusiveUse&) = delete;
    ExclusiveUse& operator=(const ExclusiveUse&) = delete;

    /// False while a call of another thread has the lock.
    [[nodiscard]] explicit operator bool() const noexcept { return isHeld_; }

  private:
    Lock& lock_;
    const bool isHeld_;
};

}  // namespace nnburst::burst
