// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The threads that serve connections of REST. Each serves one connection at a time; others wait.
/// Thread-safe.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "failure.h"
#include "rest_connection.h"

namespace nnburst::serve {

class RestThreads {
  public:
    /// Called on one of the threads for each connection. It returns soon once `isBusy` gives true.
    using Serve = std::function<void(RestConnection& connection)>;

    explicit RestThreads(Serve serve) : serve_(std::move(serve)) {}
    RestThreads(const RestThreads&) = delete;
    RestThreads& operator=(const RestThreads&) = delete;
    ~RestThreads();

    /// Starts `count` threads; once. RESOURCE_EXHAUSTED if the system cannot start them all.
    [[nodiscard]] Outcome<> start(std::size_t count);

    /// Hands a connection to a thread, or lets it wait for one. Closes it if too many wait.
    void add(std::unique_ptr<RestConnection> connection);
    /// Ends the slowest connections that wait for their clients if others wait for a thread.
    void makeRoom();
    /// Connections wait for a thread, or the threads end.
    [[nodiscard]] bool isBusy() const;
    /// Waits until `deadline` for the requests that are served, then aborts their connections.
    void end(RestConnection::Clock::time_point deadline);

  private:
    void run();
    /// How many connections wait beyond the threads that are free. Needs mutex_.
    [[nodiscard]] std::size_t lacking() const noexcept;

    const Serve serve_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<RestConnection>> waiting_;  ///< guarded by mutex_
    std::vector<RestConnection*> served_;                  ///< guarded by mutex_
    bool isEnding_ = false;                                ///< guarded by mutex_
    std::vector<std::thread> threads_;
};

}  // namespace nnburst::serve
