// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_threads.h"

#include <algorithm>
#include <utility>

#include "start_thread.h"

namespace nnburst::serve {
namespace {

constexpr std::size_t kMaximumWaiting = 256;
/// A connection is not ended for others before it has waited so long for its client.
constexpr std::chrono::seconds kUndisturbedTime{1};

}  // namespace

RestThreads::~RestThreads() {
    end(RestConnection::Clock::now());
}

Outcome<> RestThreads::start(std::size_t count) {
    threads_.reserve(count);
    while (threads_.size() < count) {
        Outcome<std::thread> thread = startThread([this] { run(); });
        if (!thread) {
            return refuse(thread.error().code,
                          "REST: {} of {} threads could be started: {}; use fewer "
                          "--http-connections",
                          threads_.size(), count, thread.error().message);
        }
        threads_.push_back(std::move(*thread));
    }
    return {};
}

void RestThreads::add(std::unique_ptr<RestConnection> connection) {
    const std::lock_guard lock(mutex_);
    if (!isEnding_ && waiting_.size() < kMaximumWaiting) {
        waiting_.push_back(std::move(connection));
        changed_.notify_one();
    }
}

void RestThreads::makeRoom() {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<double, RestConnection*>> slow;
    for (RestConnection* connection : served_) {
        if (const auto rate = connection->rate(kUndisturbedTime)) {
            slow.emplace_back(*rate, connection);
        }
    }
    std::ranges::sort(slow);
    for (std::size_t i = 0; i < std::min(lacking(), slow.size()); ++i) {
        slow[i].second->abort();
    }
}

bool RestThreads::isBusy() const {
    const std::lock_guard lock(mutex_);
    return isEnding_ || lacking() > 0;
}

std::size_t RestThreads::lacking() const noexcept {
    const std::size_t idle = threads_.size() - served_.size();
    return waiting_.size() - std::min(waiting_.size(), idle);
}

void RestThreads::end(RestConnection::Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    isEnding_ = true;
    waiting_.clear();
    changed_.notify_all();
    changed_.wait_until(lock, deadline, [this] { return served_.empty(); });
    for (const RestConnection* connection : served_) {
        connection->abort();
    }
    lock.unlock();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

void RestThreads::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !waiting_.empty() || isEnding_; });
        if (waiting_.empty()) {
            return;
        }
        const std::unique_ptr<RestConnection> connection = std::move(waiting_.front());
        waiting_.pop_front();
        served_.push_back(connection.get());
        lock.unlock();
        serve_(*connection);
        lock.lock();
        std::erase(served_, connection.get());
        changed_.notify_all();
    }
}

}  // namespace nnburst::serve
