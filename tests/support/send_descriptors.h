// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sends descriptors over a Unix socket in ways in which no client of the library does.

#include <sys/socket.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace nnburst::test {

/// Sends `bytes` with descriptors (SCM_RIGHTS, unix(7)), of which Linux takes at most 253. `flags`
/// are those of sendmsg(2), beside MSG_NOSIGNAL. False if not all bytes were sent; errno then says
/// why.
inline bool sendDescriptors(int socket, std::string bytes, std::span<const int> descriptors,
                            int flags = 0) {
    iovec part{.iov_base = bytes.data(), .iov_len = bytes.size()};
    // cmsghdr, since CMSG_FIRSTHDR needs its alignment.
    std::vector<cmsghdr> control(CMSG_SPACE(descriptors.size_bytes()) / sizeof(cmsghdr) + 1);
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::ranges::copy(descriptors, reinterpret_cast<int*>(CMSG_DATA(rights)));
    return ::sendmsg(socket, &message, MSG_NOSIGNAL | flags) == std::ssize(bytes);
}

}  // namespace nnburst::test
