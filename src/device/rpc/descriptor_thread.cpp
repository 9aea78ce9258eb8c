// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/descriptor_thread.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <utility>

#include "log/logger.h"
#include "system/thread.h"

namespace nnburst::device {

namespace {

/// The threads of all peers together. Only counts: relaxed.
std::atomic<std::size_t>& threadCount() {
    static std::atomic<std::size_t> count{0};
    return count;
}

/// Whether the calling thread is a DescriptorThread's.
bool& isThisThread() noexcept {
    static thread_local bool isOne = false;
    return isOne;
}

}  // namespace

Result<> DescriptorThread::run(std::function<void()> job) {
    const system::MutexLock lock(mutex_);
    if (!isRunning_) {
        NNBURST_TRY(start());
    }
    jobs_.push_back(std::move(job));
    arrived_.notifyOne();
    return {};
}

void DescriptorThread::runEventually(std::function<void()> job) {
    const system::MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
    if (isRunning_ || start()) {
        arrived_.notifyOne();
    }
}

void DescriptorThread::tryAgain() {
    const system::MutexLock lock(mutex_);
    if (!jobs_.empty() && !isRunning_ && start()) {
        arrived_.notifyOne();
    }
}

void DescriptorThread::close(const std::shared_ptr<DescriptorThread>& thread,
                             const std::function<void()>& job) {
    if (isThisThread()) {
        job();
    } else if (!thread->run(job)) {
        ofAllPeers().runEventually(job);
    }
}

DescriptorThread& DescriptorThread::ofAllPeers() {
    // Never destroyed: its thread may be blocked when the process exits.
    static const auto* const thread =
        new std::shared_ptr<DescriptorThread>(std::make_shared<DescriptorThread>());
    return **thread;
}

const std::shared_ptr<DescriptorThread>& DescriptorThread::ofSockets() {
    static const auto* const thread =
        new std::shared_ptr<DescriptorThread>(std::make_shared<DescriptorThread>());
    return *thread;
}

std::size_t DescriptorThread::waitingJobs() {
    const system::MutexLock lock(mutex_);
    return jobs_.size();
}

Result<> DescriptorThread::start() {
    // Held by the thread: one that is blocked for ever counts for ever, also when the client has
    // gone, so that one user cannot keep all threads.
    NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account_, Resource::BLOCKED_THREADS, 1));
    const auto held = std::make_shared<Charge>(std::move(charge));
    if (threadCount().fetch_add(1, std::memory_order_relaxed) >= kMaximumThreads &&
        account_ != nullptr) {
        threadCount().fetch_sub(1, std::memory_order_relaxed);
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       fmt::format("cannot examine a received descriptor: {} threads examine "
                                   "those of other clients",
                                   kMaximumThreads));
    }
    auto thread =
        system::startThread("nnburst-fd", [self = shared_from_this(), held] { self->serve(); });
    if (!thread) {
        threadCount().fetch_sub(1, std::memory_order_relaxed);
        return tl::unexpected<Error>(std::move(thread.error()));
    }
    thread->detach();  // it may be blocked for ever
    isRunning_ = true;
    return {};
}

void DescriptorThread::serve() {
    isThisThread() = true;
    while (const std::function<void()> job = next()) {
        try {
            job();
        } catch (const std::exception& exception) {
            logger().error("examining a received descriptor threw: {}", exception.what());
        }
    }
    threadCount().fetch_sub(1, std::memory_order_relaxed);
}

std::function<void()> DescriptorThread::next() {
    const system::MutexLock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + kIdleTime;
    while (jobs_.empty()) {
        if (!arrived_.waitUntil(mutex_, end) && jobs_.empty()) {
            isRunning_ = false;
            return nullptr;
        }
    }
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
}

}  // namespace nnburst::device
