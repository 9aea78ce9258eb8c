// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A driver process that belongs to this one. A thread of its own starts it and reaps it, because a
/// child that asks to be ended with its parent (PR_SET_PDEATHSIG) is ended with the thread that
/// started it.

#include <sys/types.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "system/process.h"

namespace nnburst::device {

class DriverProcess {
  public:
    /// The descriptor under which the child finds `socket`.
    static constexpr int kSocketFd = system::kGivenDescriptor;

    /// Starts `program` (a path, or a name on the PATH) with `arguments`, the first of which is the
    /// name that it is shown under (argv[0]), in a process group of its own. It inherits standard
    /// output and error and `socket`, and nothing else. DEVICE_UNAVAILABLE if it cannot be started.
    [[nodiscard]] static Result<std::unique_ptr<DriverProcess>> start(
        const std::string& program, const std::vector<std::string>& arguments, UniqueFd socket);

    /// Returns at once. The child's thread gives the child some time to exit, then kills it.
    ~DriverProcess();
    DriverProcess(const DriverProcess&) = delete;
    DriverProcess& operator=(const DriverProcess&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

    /// Kills the child, if it has not ended, and waits until it is reaped.
    void end() noexcept;

  private:
    DriverProcess(pid_t pid, UniqueFd release, std::shared_future<void> ended) noexcept;

    pid_t pid_;
    UniqueFd release_;  // closing it or writing to it ends the thread's wait
    std::shared_future<void> ended_;
};

}  // namespace nnburst::device
