// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/thread.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <system_error>
#include <utility>

#include "system/mutex.h"
#include "system/scheduling.h"

namespace nnburst::system {

namespace {

/// Threads whose owner was destroyed on the thread itself. They are joined at exit, because exit
/// destroys thread-local state of libraries, which the threads may be using.
class OrphanedThreads {
  public:
    static OrphanedThreads& get() {
        // Never destroyed: a thread may come here while the process exits.
        static OrphanedThreads* const threads = new OrphanedThreads;
        return *threads;
    }

    void add(std::thread thread) {
        const MutexLock lock(mutex_);
        for (std::thread& ended : ended_) {
            ended.join();
        }
        ended_.clear();
        running_.push_back(std::move(thread));
        // Registered only now: functions run at exit in the reverse order of their registration,
        // and by now the libraries that the thread uses have registered theirs.
        [[maybe_unused]] static const int registered = std::atexit([] { get().joinAll(); });
    }

    /// Called by a thread as its last action.
    void end() {
        const MutexLock lock(mutex_);
        const auto self = std::find_if(running_.begin(), running_.end(), isCalling);
        if (self != running_.end()) {
            ended_.splice(ended_.end(), running_, self);
        }
    }

  private:
    static bool isCalling(const std::thread& thread) noexcept {
        return thread.get_id() == std::this_thread::get_id();
    }

    void joinAll() {
        std::list<std::thread> threads;
        {
            const MutexLock lock(mutex_);
            threads.splice(threads.end(), running_);
            threads.splice(threads.end(), ended_);
        }
        for (std::thread& thread : threads) {
            isCalling(thread) ? thread.detach() : thread.join();
        }
    }

    Mutex mutex_;
    std::list<std::thread> running_ NNBURST_GUARDED_BY(mutex_);
    std::list<std::thread> ended_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace

ScopedSignalBlock::ScopedSignalBlock() noexcept {
    sigset_t sentToProcess;
    ::sigfillset(&sentToProcess);
    for (const int ownFault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
        ::sigdelset(&sentToProcess, ownFault);
    }
    ::pthread_sigmask(SIG_BLOCK, &sentToProcess, &before_);
}

ScopedSignalBlock::~ScopedSignalBlock() {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Result<std::thread> startThread(const std::string& name, std::function<void()> body) {
    const ScopedSignalBlock block;
    // Made now: when the thread ends there may be no memory for it.
    OrphanedThreads& orphaned = OrphanedThreads::get();
    try {
        return std::thread([name, inherited = priorityWithoutScopes(), body = std::move(body),
                            &orphaned]() mutable {
            // Naming another thread would open a file.
            ::pthread_setname_np(::pthread_self(), name.c_str());
            leaveScopes(inherited);
            {
                const ScopedTimeSlice slice(kShortTimeSlice);
                body();
                body = nullptr;
            }
            orphaned.end();
        });
    } catch (const std::system_error& error) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       "cannot start thread " + name + ": " + error.what());
    }
}

void joinOrOrphan(std::thread& thread) {
    if (!thread.joinable()) {
        return;
    }
    if (thread.get_id() == std::this_thread::get_id()) {
        OrphanedThreads::get().add(std::move(thread));
    } else {
        thread.join();
    }
}

}  // namespace nnburst::system
