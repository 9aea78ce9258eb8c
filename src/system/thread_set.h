// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads that are started on demand and end when they are not needed. Their stacks are given back
/// soon after their end, which needs no memory. Guarded by the mutex of its owner.

#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::system {

class ThreadSet {
  public:
    /// The threads that have not ended.
    [[nodiscard]] std::size_t size() const noexcept { return running_.size(); }

    /// Starts a thread as startThread does, with its errors. The set stays as it is if there is no
    /// memory.
    [[nodiscard]] Result<> start(const std::string& name, std::function<void()> body);

    /// The calling thread ends: it only unlocks the mutex of the owner and returns from its body.
    /// Joins those that have ended before. Does nothing if `takeAll` has taken it.
    void endSelf() noexcept;

    /// Joins the threads that have ended. Does not wait for long: they need nothing any more.
    void joinEnded() noexcept;

    /// All threads, for the owner to join after it has unlocked its mutex.
    [[nodiscard]] std::vector<std::thread> takeAll() noexcept;

  private:
    std::vector<std::thread> running_;
    std::vector<std::thread> ended_;  // to be joined
};

}  // namespace nnburst::system
