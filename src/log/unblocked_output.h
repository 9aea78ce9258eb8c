// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Writes lines to a pipe or a socket without ever waiting for its reader. A process that serves
/// clients must not stand still because nobody reads its log.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace nnburst {

/// Used by one thread at a time.
class UnblockedOutput {
  public:
    /// A pipe takes so much (PIPE_BUF) whole or not at all. What is longer is cut.
    static constexpr std::size_t kLongestLine = 4096;

    /// For the pipe or socket `fd`, which is borrowed and keeps its flags, because other processes
    /// may share it. Null if it is something else: writing to files and terminals is not waiting
    /// for a process that may have stopped to read.
    [[nodiscard]] static std::unique_ptr<UnblockedOutput> create(int fd);
    ~UnblockedOutput();
    UnblockedOutput(const UnblockedOutput&) = delete;
    UnblockedOutput& operator=(const UnblockedOutput&) = delete;

    /// Writes a line, which ends in '\n', or drops it if the reader has left no room. When there is
    /// room again, a line says how many were dropped.
    void write(std::string_view line) noexcept;

  private:
    UnblockedOutput(int fd, int reopened, bool isSocket) noexcept
        : fd_(fd), reopened_(reopened), isSocket_(isSocket) {}

    [[nodiscard]] bool tryWrite(std::string_view text) const noexcept;

    const int fd_;        // borrowed
    const int reopened_;  // the pipe, opened again with O_NONBLOCK; -1 if it cannot be
    const bool isSocket_;
    std::uint64_t dropped_ = 0;  // since the last line that was written
};

}  // namespace nnburst
