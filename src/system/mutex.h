// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A mutex with annotations for the compiler: clang's -Wthread-safety (tools/check) refuses an
/// access to a field declared NNBURST_GUARDED_BY(mutex_) by a thread that does not hold the mutex,
/// and a call of a function declared NNBURST_REQUIRES(mutex_) without it. Other compilers see plain
/// code.

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define NNBURST_THREAD_ANNOTATION(attribute) __attribute__((attribute))
#else
#define NNBURST_THREAD_ANNOTATION(attribute)
#endif

/// The field is read and written only by threads that hold the mutex.
#define NNBURST_GUARDED_BY(mutex) NNBURST_THREAD_ANNOTATION(guarded_by(mutex))
/// The function is called only by threads that hold the mutex.
#define NNBURST_REQUIRES(...) NNBURST_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
/// The function must not be called by a thread that holds the mutex.
#define NNBURST_EXCLUDES(...) NNBURST_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace nnburst::system {

/// std::mutex with annotations.
class NNBURST_THREAD_ANNOTATION(capability("mutex")) Mutex {
  public:
    void lock() NNBURST_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
    void unlock() NNBURST_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
    [[nodiscard]] bool try_lock() NNBURST_THREAD_ANNOTATION(try_acquire_capability(true)) {
        return mutex_.try_lock();
    }

  private:
    friend class ConditionVariable;
    std::mutex mutex_;
};

/// Holds a mutex from its construction to its destruction.
class NNBURST_THREAD_ANNOTATION(scoped_lockable) MutexLock {
  public:
    explicit MutexLock(Mutex& mutex) NNBURST_THREAD_ANNOTATION(acquire_capability(mutex))
        : mutex_(mutex) {
        mutex_.lock();
    }
    /// Takes over a mutex that the calling thread holds, from Mutex::try_lock.
    MutexLock(Mutex& mutex, std::adopt_lock_t /*isHeld*/) NNBURST_REQUIRES(mutex) : mutex_(mutex) {}
    ~MutexLock() NNBURST_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

  private:
    Mutex& mutex_;
};

/// std::condition_variable for a Mutex. Waits may return spuriously: loop over the condition.
class ConditionVariable {
  public:
    void notifyOne() noexcept { condition_.notify_one(); }
    void notifyAll() noexcept { condition_.notify_all(); }

    void wait(Mutex& mutex) NNBURST_REQUIRES(mutex) {
        std::unique_lock lock(mutex.mutex_, std::adopt_lock);
        condition_.wait(lock);
        lock.release();  // still held: the caller's MutexLock unlocks it
    }

    /// False if `until` passed.
    template <class Clock, class Duration>
    bool waitUntil(Mutex& mutex, const std::chrono::time_point<Clock, Duration>& until)
        NNBURST_REQUIRES(mutex) {
        std::unique_lock lock(mutex.mutex_, std::adopt_lock);
        const std::cv_status status = condition_.wait_until(lock, until);
        lock.release();
        return status == std::cv_status::no_timeout;
    }

  private:
    std::condition_variable condition_;
};

}  // namespace nnburst::system
