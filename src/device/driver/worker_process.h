// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A worker process of a broker: the driver's program, started again with the other end of a pair
/// of sockets.

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/unique_fd.h"
#include "system/process.h"
#include "system/program_starter.h"

namespace nnburst::device {

/// How workers are started.
struct WorkerCommand {
    std::string program;
    std::vector<std::string> arguments;  ///< the first is the name in ps (argv[0])
};

/// Used by one thread at a time; another one may destroy it.
class WorkerProcess {
  public:
    /// The descriptor under which a worker finds its end of the channel.
    static constexpr int kChannelFd = system::kGivenDescriptor;

    /// How a worker has ended.
    struct End {
        bool isClean = false;  ///< true if the exit status is 0 or unknown
        std::string text;      ///< such as "signal 11 (Segmentation fault)"
    };

    /// Starts a worker. It inherits standard output and error and its end of the channel, and has a
    /// process group of its own, and ends with `starter`. RESOURCE_EXHAUSTED_TRANSIENT if the
    /// system cannot start it.
    [[nodiscard]] static Result<std::unique_ptr<WorkerProcess>> start(
        system::ProgramStarter& starter, const WorkerCommand& command);
    /// Kills the worker if it has not ended, and reaps it.
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// The broker's end of the channel (worker_messages.h).
    [[nodiscard]] int channel() const noexcept { return channel_.get(); }
    /// A descriptor that becomes readable when the worker ends.
    [[nodiscard]] int endDescriptor() const noexcept { return process_.get(); }

    /// Whether its main thread has a processor or waits for one. False if the system does not say.
    [[nodiscard]] bool isRunnable() const;

    /// Closes the channel in both directions: the worker ends.
    void release() const noexcept;
    void kill() const noexcept;
    /// Reaps the worker, which has ended.
    [[nodiscard]] End reap();

  private:
    WorkerProcess(pid_t pid, UniqueFd process, UniqueFd channel) noexcept;

    const pid_t pid_;
    const UniqueFd process_;  // a pidfd
    const UniqueFd channel_;
    bool isReaped_ = false;
};

}  // namespace nnburst::device
