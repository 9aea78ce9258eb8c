// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Unix sockets by path. Errors name the path and what the system said.

#include <sys/types.h>

#include <string>

#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Connects to the socket at `path`. DEVICE_UNAVAILABLE if no process listens there,
/// INVALID_ARGUMENT for a path that is too long for a socket.
[[nodiscard]] Result<UniqueFd> connectUnixSocket(const std::string& path);

/// A listening socket with its file. The destructor removes the file if it still belongs to the
/// socket.
class UnixListener {
  public:
    /// Listens at `path`, with mode 0660. A socket file that a dead driver left there is replaced.
    /// GENERAL_FAILURE if a living one listens there, or if the file is no socket.
    [[nodiscard]] static Result<UnixListener> listen(const std::string& path);

    UnixListener(UnixListener&& other) noexcept;
    UnixListener& operator=(UnixListener&&) = delete;
    ~UnixListener();

    [[nodiscard]] int fd() const noexcept { return fd_.get(); }

  private:
    UnixListener(UniqueFd fd, std::string path, ino_t inode) noexcept;

    UniqueFd fd_;
    std::string path_;  // empty if moved from
    ino_t inode_;       // of the socket file
};

}  // namespace nnburst::device
