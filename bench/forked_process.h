// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The process at the other end of a ping-pong.

#include <sys/types.h>

#include <cstdint>
#include <functional>

namespace nnburst::bench {

/// A forked process that runs `body` on `processor`. The destructor ends it.
class ForkedProcess {
  public:
    ForkedProcess(std::uint32_t processor, const std::function<void()>& body);
    ForkedProcess(const ForkedProcess&) = delete;
    ForkedProcess& operator=(const ForkedProcess&) = delete;
    ~ForkedProcess();

    /// Whether `body` has returned, or the process has ended otherwise.
    [[nodiscard]] bool hasEnded();
    /// Waits until `body` has returned.
    void awaitEnd();

  private:
    pid_t pid_;  ///< -1 if the process has ended
};

}  // namespace nnburst::bench
