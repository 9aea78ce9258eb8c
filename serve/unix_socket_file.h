// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The files of the Unix sockets that the server listens on.

#include <sys/types.h>

#include <string>

#include "failure.h"
#include "nnburst/unique_fd.h"

namespace nnburst::serve {

/// Makes `path` free for a socket: removes a socket file that a dead server left there. UNAVAILABLE
/// if a process listens there or that cannot be found out, or if the file is no socket.
/// INVALID_ARGUMENT for a path that is too long for a socket. Returns a lock that keeps other
/// servers and drivers from doing this in the same folder; keep it until the socket is bound. Waits
/// for the lock for one second at most.
[[nodiscard]] Outcome<UniqueFd> claimSocketPath(const std::string& path);

/// The file of a socket. The destructor removes it if it still belongs to the socket.
class UnixSocketFile {
  public:
    /// A socket was bound to `path`. It is closed after this object ends, so that no other file
    /// gets the inode.
    explicit UnixSocketFile(std::string path);
    UnixSocketFile(const UnixSocketFile&) = delete;
    UnixSocketFile& operator=(const UnixSocketFile&) = delete;
    ~UnixSocketFile();

  private:
    const std::string path_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace nnburst::serve
