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

void installHandler() noexcept {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    action.sa_flags = 0;  // calls are not started again
    ::sigaction(kSignal, &action, nullptr);
}

/// A timer whose signals go to the thread that has made it.
class ThreadTimer {
  public:
    ThreadTimer() noexcept {
        static const bool isInstalled = (installHandler(), true);
        (void)isInstalled;
        sigset_t set;
        ::sigemptyset(&set);
        ::sigaddset(&set, kSignal);
        ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = kSignal;
        event._sigev_un._tid = ::gettid();
        isMade_ = ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    }
    ~ThreadTimer() {
        if (isMade_) {
            ::timer_delete(timer_);
        }
    }
    ThreadTimer(const ThreadTimer&) = delete;
    ThreadTimer& operator=(const ThreadTimer&) = delete;

    void start() noexcept {
        if (users_++ == 0) {
            repeatEach(ScopedInterruption::kFirst);
        }
    }
    void stop() noexcept {
        if (--users_ == 0) {
            repeatEach(std::chrono::nanoseconds(0));
        }
    }

    static ThreadTimer& ofThisThread() noexcept {
        thread_local ThreadTimer timer;
        return timer;
    }

  private:
    /// Zero stops it.
    void repeatEach(std::chrono::nanoseconds interval) const noexcept {
        if (isMade_) {
            const timespec time{.tv_sec = 0, .tv_nsec = static_cast<long>(interval.count())};
            const itimerspec setting{.it_interval = time, .it_value = time};
            ::timer_settime(timer_, 0, &setting, nullptr);
        }
    }

    timer_t timer_{};
    bool isMade_ = false;
    int users_ = 0;  // a scope may lie in another one
};

}  // namespace

ScopedInterruption::ScopedInterruption() noexcept {
    ThreadTimer::ofThisThread().start();
}

ScopedInterruption::~ScopedInterruption() {
    ThreadTimer::ofThisThread().stop();
}

}  // namespace nnburst::system
