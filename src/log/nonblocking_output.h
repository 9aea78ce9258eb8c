// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Writes lines to a pipe or a socket without ever waiting for its reader. A process that serves
/// clients must not stop because its log is not read.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace nnburst {

/// Used by one thread at a time.
class NonblockingOutput {
  public:
    /// A pipe accepts a write of this size (PIPE_BUF) whole or not at all. Longer lines are cut.
    static constexpr std::size_t kLongestLine = 4096;

    /// For the pipe or socket `fd`, which is borrowed and keeps its flags, because other processes
    /// may share it. Null if it is something else: writing to files and terminals is not waiting
    /// for a process that may have stopped to read.
    [[nodiscard]] static std::unique_ptr<NonblockingOutput> create(int fd);
    ~NonblockingOutput();
    NonblockingOutput(const NonblockingOutput&) = delete;
    NonblockingOutput& operator=(const NonblockingOutput&) = delete;

    /// Writes a line, which ends in '\n', or drops it if the reader has left no room. When there is
    /// room again, a line says how many were dropped.
    void write(std::string_view line) noexcept;

  private:
    NonblockingOutput(int fd, int reopened, bool isSocket) noexcept
        : fd_(fd), reopened_(reopened), isSocket_(isSocket) {}

    [[nodiscard]] bool tryWrite(std::string_view text) const noexcept;

    const int fd_;        // borrowed
    const int reopened_;  // the pipe, opened again with O_NONBLOCK; -1 if it cannot be
    const bool isSocket_;
    std::uint64_t dropped_ = 0;  // since the last line that was written
};

}  // namespace nnburst
