// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Unix sockets by path. Errors name the path and the system's reason.

#include <sys/types.h>

#include <optional>
#include <string>

#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Connects to the socket at `path`. DEVICE_UNAVAILABLE if no process listens there,
/// INVALID_ARGUMENT for a path that is too long for a socket.
[[nodiscard]] Result<UniqueFd> connectUnixSocket(const std::string& path);

/// Permissions of a socket's file: connecting needs the right to write it.
struct SocketPermissions {
    mode_t mode = 0660;          ///< permission bits
    std::optional<gid_t> group;  ///< none: the group of this process
};

/// A listening socket with its file. The destructor removes the file if it still belongs to the
/// socket.
class UnixListener {
  public:
    /// Listens at `path`; as soon as the file is there, clients can connect. A socket file that a
    /// dead driver left there is replaced. GENERAL_FAILURE if a living one listens there or that
    /// cannot be found out, if the file is no socket, or if it cannot have the group. Waits for
    /// other drivers that do this in the same directory, for one second at most. INVALID_ARGUMENT
    /// for a path that is too long for a socket.
    [[nodiscard]] static Result<UnixListener> listen(const std::string& path,
                                                     const SocketPermissions& permissions = {});

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
