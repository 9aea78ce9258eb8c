// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/event_fd.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

namespace nnburst::system {

bool isEventFd(int fd) noexcept {
    // The name of descriptors of this kind; no file, memory or pipe has a name of this form.
    constexpr std::string_view kName = "anon_inode:[eventfd]";
    std::array<char, 32> path{};
    (void)std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", fd);
    std::array<char, kName.size() + 1> name{};
    const ssize_t length = ::readlink(path.data(), name.data(), name.size());
    return length >= 0 && std::string_view(name.data(), static_cast<std::size_t>(length)) == kName;
}

}  // namespace nnburst::system
