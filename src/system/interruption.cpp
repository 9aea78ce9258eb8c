// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/interruption.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

namespace nnburst::system {

namespace {

constexpr int kSignal = SIGURG;

/// Unless the program has a handler of its own: that one interrupts, too, unless it was installed
/// with SA_RESTART.
void installHandler() noexcept {
    struct sigaction existing {};
    ::sigaction(kSignal, nullptr, &existing);
    if ((existing.sa_flags & SA_SIGINFO) != 0 ||
        (existing.sa_handler != SIG_DFL && existing.sa_handler != SIG_IGN)) {
        return;
    }
    struct sigaction action {};
    action.sa_handler = [](int) {};
    action.sa_flags = 0;  // calls are not started again
    ::sigaction(kSignal, &action, nullptr);
}

/// A timer whose signals go to the thread that it belongs to. Without a destructor: the C library
/// registers one at the first use in each thread, and ends the process if there is no memory for
/// that. A key deletes the timer, whose registration takes none (pthread_setspecific(3)).
class ThreadTimer {
  public:
    constexpr ThreadTimer() noexcept = default;
    ThreadTimer(const ThreadTimer&) = delete;
    ThreadTimer& operator=(const ThreadTimer&) = delete;

    void start() noexcept {
        if (users_++ == 0 && (isMade_ || make())) {
            sigset_t set;
            ::sigemptyset(&set);
            ::sigaddset(&set, kSignal);
            ::pthread_sigmask(SIG_UNBLOCK, &set, &maskBefore_);
            repeatEach(ScopedInterruption::kFirst);
        }
    }
    void stop() noexcept {
        if (--users_ == 0 && isMade_) {
            repeatEach(std::chrono::nanoseconds(0));
            ::pthread_sigmask(SIG_SETMASK, &maskBefore_, nullptr);
        }
    }

    static ThreadTimer& ofThisThread() noexcept {
        thread_local constinit ThreadTimer timer;
        return timer;
    }

  private:
    static void destroy(void* timer) noexcept {
        auto& own = *static_cast<ThreadTimer*>(timer);
        own.isMade_ = false;
        ::timer_delete(own.timer_);
    }

    bool make() noexcept {
        static const Key key;  // of all threads
        if (!key.isValid) {
            return false;
        }
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = kSignal;
        event._sigev_un._tid = ::gettid();
        isMade_ = ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
        if (isMade_ && ::pthread_setspecific(key.number, this) != 0) {
            destroy(this);
        }
        return isMade_;
    }

    /// Deletes the timers of threads that end.
    struct Key {
        Key() noexcept : isValid(::pthread_key_create(&number, destroy) == 0) { installHandler(); }
        pthread_key_t number{};
        const bool isValid;
    };

    /// Zero stops it.
    void repeatEach(std::chrono::nanoseconds interval) const noexcept {
        const timespec time{.tv_sec = 0, .tv_nsec = static_cast<long>(interval.count())};
        const itimerspec setting{.it_interval = time, .it_value = time};
        ::timer_settime(timer_, 0, &setting, nullptr);
    }

    timer_t timer_{};
    bool isMade_ = false;
    int users_ = 0;  // a scope may lie in another one
    sigset_t maskBefore_{};
};

}  // namespace

ScopedInterruption::ScopedInterruption() noexcept {
    ThreadTimer::ofThisThread().start();
}

ScopedInterruption::~ScopedInterruption() {
    ThreadTimer::ofThisThread().stop();
}

}  // namespace nnburst::system
