// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Unix sockets of tests that speak to a driver without the library, or stand in for one.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "nnburst/unique_fd.h"

namespace nnburst::test {

/// The address of a socket's file, whose path must fit.
inline sockaddr_un unixAddress(const std::string& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    EXPECT_LT(path.size(), sizeof(address.sun_path));
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    return address;
}

/// A socket with its file at `path`, which does not listen. `type` as in socket(2).
inline UniqueFd boundUnixSocket(const std::string& path, int type = SOCK_STREAM) {
    UniqueFd socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    const sockaddr_un address = unixAddress(path);
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
              0);
    return socket;
}

/// A connection as clients make it, over which nothing has been sent.
inline UniqueFd connectedUnixSocket(const std::string& path) {
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = unixAddress(path);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
              0);
    return socket;
}

}  // namespace nnburst::test
