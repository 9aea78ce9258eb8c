// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sockets that make whoever drops their last descriptor wait (SO_LINGER, socket(7)).

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "nnburst/unique_fd.h"
#include "support/send_descriptors.h"
#include "system/interruption.h"

namespace nnburst::test {

/// A TCP socket whose close(2) waits for a minute, since its other end, which is the second, takes
/// nothing of what it still has to send.
inline std::pair<UniqueFd, UniqueFd> makeLingeringSocket() {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener.get(), generic, size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), generic, &size), 0);
    UniqueFd sender(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(sender.get(), generic, size), 0);
    UniqueFd other(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const linger minute{.l_onoff = 1, .l_linger = 60};
    EXPECT_EQ(::setsockopt(sender.get(), SOL_SOCKET, SO_LINGER, &minute, sizeof(minute)), 0);
    const std::vector<char> bytes(1 << 16);
    while (::send(sender.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
    return {std::move(sender), std::move(other)};
}

/// Sends `bytes` to a Unix socket with the last descriptor of a lingering socket. Gives its other
/// end.
inline UniqueFd sendLingering(int receiver, const std::string& bytes) {
    auto [sender, other] = makeLingeringSocket();
    (void)sendDescriptors(receiver, bytes, std::array{sender.get()}, MSG_DONTWAIT);
    // The receiver may have dropped its descriptor already, or got none: then this is the last.
    const system::ScopedInterruption interruption;
    sender.reset();
    return std::move(other);
}

}  // namespace nnburst::test
