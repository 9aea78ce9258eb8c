// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Ownership of file descriptors.

#include <utility>

#include "nnburst/export.h"
#include "nnburst/result.h"

namespace nnburst {

/// A file descriptor that is closed with its owner. Movable, not copyable.
class UniqueFd {
  public:
    UniqueFd() noexcept = default;
    explicit UniqueFd(int fd) noexcept : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
    NNBURST_EXPORT UniqueFd& operator=(UniqueFd&& other) noexcept;
    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;
    ~UniqueFd() { reset(); }

    /// The descriptor, still owned by this object; -1 if there is none.
    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
    /// Gives the descriptor away: the caller closes it.
    [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
    /// Closes the descriptor, if there is one.
    NNBURST_EXPORT void reset() noexcept;

    /// A second descriptor (close-on-exec) of the same open file.
    [[nodiscard]] NNBURST_EXPORT static Result<UniqueFd> duplicate(int fd);

  private:
    int fd_ = -1;
};

}  // namespace nnburst
