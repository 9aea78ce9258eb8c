// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Starting programs without copies of the descriptors of this process.

#include <sys/types.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/unique_fd.h"
#include "system/semaphore.h"

namespace nnburst::system {

/// Starts programs from a thread that has standard input and output and no other descriptor of the
/// process. A program has a copy of each descriptor of its starter until it has closed them, and
/// posix_spawn(3) waits for that. Where the process closes a descriptor meanwhile, that copy is the
/// last, and its end may take for ever: that of a socket that lingers, or of a file of FUSE. So a
/// process that has descriptors of its clients starts programs here.
///
/// Programs begin with a low priority (ScopedLowPriority), if they may leave it (leaveScopes),
/// which they are to do: loading one keeps a processor for 5 ms and more. Used by one thread.
class ProgramStarter {
  public:
    /// To be called before there are such descriptors. GENERAL_FAILURE if the system refuses.
    [[nodiscard]] static Result<std::unique_ptr<ProgramStarter>> create();
    ~ProgramStarter();
    ProgramStarter(const ProgramStarter&) = delete;
    ProgramStarter& operator=(const ProgramStarter&) = delete;

    /// As startProgram. Programs that end with the thread that started them (PR_SET_PDEATHSIG of
    /// prctl(2)) end with this object.
    [[nodiscard]] int start(const std::string& program, std::vector<std::string> arguments,
                            int descriptor, pid_t& pid);

  private:
    explicit ProgramStarter(UniqueFd channel) noexcept : channel_(std::move(channel)) {}
    void serve(int channel) noexcept;
    [[nodiscard]] int startWith(int descriptor) noexcept;

    const UniqueFd channel_;  // over which the thread gets descriptors
    std::thread thread_;
    // Handed over by channel_ and `answered_`.
    const std::string* program_ = nullptr;
    std::vector<std::string> arguments_;
    pid_t pid_ = 0;
    int error_ = 0;
    Semaphore answered_;
};

}  // namespace nnburst::system
