// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The threads of the library: each has a name and a short time slice, and leaves the signals of
/// the process to the application's threads.

#include <signal.h>

#include <functional>
#include <string>
#include <thread>

#include "nnburst/result.h"

namespace nnburst::system {

/// RAII: blocks the signals that are sent to the process, in the calling thread and in the threads
/// that it starts, also by a library. Those that a thread causes itself are not blocked.
class ScopedSignalBlock {
  public:
    ScopedSignalBlock() noexcept;
    ~ScopedSignalBlock();
    ScopedSignalBlock(const ScopedSignalBlock&) = delete;
    ScopedSignalBlock& operator=(const ScopedSignalBlock&) = delete;

  private:
    sigset_t before_{};
};

/// Starts a thread that runs `body`. Signals that are sent to the process are blocked in it: they
/// belong to the application's threads. Those that the thread causes itself (SIGSEGV, SIGBUS,
/// SIGFPE, SIGILL, SIGTRAP, SIGSYS) are not, so that the handlers of the application, of sanitizers
/// and of debuggers see them. It has kShortTimeSlice, and the nice value that the calling thread
/// has without the scopes of scheduling.h. `name` has at most 15 characters.
/// RESOURCE_EXHAUSTED_TRANSIENT if the system gives no thread.
[[nodiscard]] Result<std::thread> startThread(const std::string& name, std::function<void()> body);

/// Waits for the end of `thread`. If that is the calling thread (an owner of a thread may be
/// destroyed on that very thread), it is joined at the exit of the process instead.
void joinOrOrphan(std::thread& thread);

}  // namespace nnburst::system
