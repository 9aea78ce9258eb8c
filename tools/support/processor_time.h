// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The processor time that processes have used.

#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::tools {

/// User and system time of all threads of a process, to the nanosecond where /proc/PID/stat counts
/// in ticks (clock_getcpuclockid(3)).
class ProcessorClock {
  public:
    [[nodiscard]] static ProcessorClock ofThisProcess() noexcept {
        return ProcessorClock(CLOCK_PROCESS_CPUTIME_ID);
    }
    [[nodiscard]] static Result<ProcessorClock> of(pid_t process);

    /// Zero if the process has ended.
    [[nodiscard]] std::chrono::nanoseconds now() const noexcept;

  private:
    explicit ProcessorClock(clockid_t clock) noexcept : clock_(clock) {}

    clockid_t clock_;
};

/// The children of this process that have not ended.
[[nodiscard]] std::vector<pid_t> childProcesses();

/// The processes of a group (getpgid(2)) that have not ended.
[[nodiscard]] std::vector<pid_t> processesOfGroup(pid_t group);

/// The child process that is not in `before`.
[[nodiscard]] Result<pid_t> newChildProcess(const std::vector<pid_t>& before);

}  // namespace nnburst::tools
