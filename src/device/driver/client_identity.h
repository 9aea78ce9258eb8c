// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Who is at the other end of a connection: what the kernel noted when the client connected. A
/// client cannot change it, and a descriptor that was passed on keeps the identity of the process
/// that connected.

#include <sys/types.h>

#include <string>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::device {

struct ClientIdentity {
    pid_t process = 0;  ///< 0: it is in a PID namespace that cannot be seen from here
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;  ///< supplementary ones
    std::string program;        ///< the first 15 characters of its name; empty if it has ended
};

/// Reads the identity of the peer of a connected Unix socket. Does not block. GENERAL_FAILURE if
/// `socket` is not such a socket.
[[nodiscard]] Result<ClientIdentity> identifyClient(int socket);

}  // namespace nnburst::device
