// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The threads on which a process examines and closes descriptors that may block: one for each
/// peer, so that a peer whose descriptors block delays only itself (peer_descriptors.h).

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "account/account.h"
#include "nnburst/result.h"
#include "system/interruption.h"
#include "system/mutex.h"

namespace nnburst::device {

/// Runs the jobs of one peer that may block, one after the other. The thread is started when a job
/// arrives and ends when none has arrived for a while. Thread-safe. Owned by a shared_ptr, which
/// the running thread shares.
class DescriptorThread final : public std::enable_shared_from_this<DescriptorThread> {
  public:
    /// Limit on the threads of all peers together. If blocked threads use it up, other peers can
    /// still send descriptors that cannot block. Threads without an account are not limited.
    static constexpr std::size_t kMaximumThreads = 256;

    /// The thread is charged to `account`. Null for a thread that must be possible in any case.
    explicit DescriptorThread(SharedAccount account = nullptr) : account_(std::move(account)) {}

    /// RESOURCE_EXHAUSTED_* if no thread is running and none may be started. The number of waiting
    /// jobs is limited by the peer's descriptors, which are charged to it.
    [[nodiscard]] Result<> run(std::function<void()> job);

    /// Refuses no job. If no thread can be started, the job waits until a later job, or `tryAgain`,
    /// starts one.
    void runEventually(std::function<void()> job);

    /// Starts a thread if jobs wait for one.
    void tryAgain();

    /// Runs a job that closes descriptors: here if this is such a thread, else on `thread`, or on
    /// the one of all peers if `thread` refuses it.
    static void close(const std::shared_ptr<DescriptorThread>& thread,
                      const std::function<void()>& job);

    /// The thread that closes descriptors of peers that have no thread.
    static DescriptorThread& ofAllPeers();

    /// The thread that closes sockets, and reads from those whose peers have no account.
    /// Descriptors that the kernel drops there take time, but involve no file system.
    static const std::shared_ptr<DescriptorThread>& ofSockets();

    [[nodiscard]] std::size_t waitingJobs();

  private:
    static constexpr std::chrono::seconds kIdleTime{1};

    Result<> start() NNBURST_REQUIRES(mutex_);
    void serve();
    /// Waits for a job; null after kIdleTime.
    std::function<void()> next();

    const SharedAccount account_;
    system::Mutex mutex_;
    system::ConditionVariable arrived_;
    std::deque<std::function<void()>> jobs_ NNBURST_GUARDED_BY(mutex_);
    bool isRunning_ NNBURST_GUARDED_BY(mutex_) = false;
};

/// Drops an object that owns descriptors. What lies in a socket, or a socket itself, may linger:
/// close(2) has closed it nevertheless.
template <class T>
void dropInterruptibly(T& thing) noexcept {
    const system::ScopedInterruption interruption;
    [[maybe_unused]] const T dropped = std::move(thing);
}

/// The same on `thread` (DescriptorThread::close), or on the one for all sockets if that is null.
/// Without memory for a job it is done here.
template <class T>
void dropOn(const std::shared_ptr<DescriptorThread>& thread, T thing) noexcept {
    std::shared_ptr<T> shared;
    try {
        shared = std::make_shared<T>(std::move(thing));
        const auto job = [shared] { dropInterruptibly(*shared); };
        if (thread == nullptr) {
            DescriptorThread::ofSockets()->runEventually(job);
        } else {
            DescriptorThread::close(thread, job);
        }
    } catch (const std::bad_alloc&) {
        dropInterruptibly(shared == nullptr ? thing : *shared);
    }
}

}  // namespace nnburst::device
