// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A counting semaphore over sem_wait(3).

#include <semaphore.h>
#include <time.h>
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "log/assert.h"

namespace nnburst::system {

/// A count that threads wait for. A release wakes one thread, with one system call: that of
/// libstdc++ (std::counting_semaphore, g++ 12) wakes all that wait. Thread-safe.
class Semaphore {
  public:
    Semaphore() noexcept { ::sem_init(&semaphore_, 0, 0); }
    ~Semaphore() { ::sem_destroy(&semaphore_); }
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    /// Lets one `acquire` return.
    void release() noexcept {
        const int status = ::sem_post(&semaphore_);
        NNBURST_ASSERT(status == 0, "sem_post failed with errno {}", errno);
    }

    /// Waits for a release that no other thread has taken.
    void acquire() noexcept {
        while (::sem_wait(&semaphore_) != 0) {
            NNBURST_ASSERT(errno == EINTR, "sem_wait failed with errno {}", errno);
        }
    }

    /// As `acquire`. False if none has come until `end`.
    [[nodiscard]] bool acquireUntil(std::chrono::steady_clock::time_point end) noexcept {
        // sem_clockwait refuses negative times.
        const auto since = std::max(end.time_since_epoch(), std::chrono::nanoseconds::zero());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
        const timespec until{.tv_sec = seconds.count(), .tv_nsec = (since - seconds).count()};
        while (::sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &until) != 0) {
            NNBURST_ASSERT(errno == EINTR || errno == ETIMEDOUT,
                           "sem_clockwait failed with errno {}", errno);
            if (errno == ETIMEDOUT) {
                return false;
            }
        }
#if defined(__SANITIZE_THREAD__)
        __tsan_acquire(&semaphore_);  // it knows sem_wait, but not sem_clockwait
#endif
        return true;
    }

  private:
    ::sem_t semaphore_{};
};

}  // namespace nnburst::system
