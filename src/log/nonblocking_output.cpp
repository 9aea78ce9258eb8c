// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "log/nonblocking_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

namespace nnburst {

std::unique_ptr<NonblockingOutput> NonblockingOutput::create(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) {
        return nullptr;
    }
    if (S_ISSOCK(status.st_mode)) {
        return std::unique_ptr<NonblockingOutput>(new NonblockingOutput(fd, -1, true));
    }
    if (!S_ISFIFO(status.st_mode)) {
        return nullptr;
    }
    const std::string path = fmt::format("/proc/self/fd/{}", fd);
    const int reopened = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return std::unique_ptr<NonblockingOutput>(new NonblockingOutput(fd, reopened, false));
}

NonblockingOutput::~NonblockingOutput() {
    if (reopened_ >= 0) {
        ::close(reopened_);
    }
}

void NonblockingOutput::write(std::string_view line) noexcept {
    if (dropped_ > 0) {
        constexpr std::string_view kText =
            " messages were dropped: the reader of the log left no room\n";
        constexpr std::size_t kDigits = std::numeric_limits<decltype(dropped_)>::digits10 + 1;
        std::array<char, kDigits + kText.size()> text;
        char* const digitsEnd = std::to_chars(text.data(), text.data() + kDigits, dropped_).ptr;
        char* const end = std::copy(kText.begin(), kText.end(), digitsEnd);
        if (!tryWrite({text.data(), static_cast<std::size_t>(end - text.data())})) {
            ++dropped_;
            return;
        }
        dropped_ = 0;
    }
    bool isWritten = false;
    if (line.size() <= kLongestLine) {
        isWritten = tryWrite(line);
    } else {
        std::array<char, kLongestLine> cut;
        std::copy_n(line.begin(), cut.size() - 1, cut.begin());
        cut.back() = '\n';
        isWritten = tryWrite({cut.data(), cut.size()});
    }
    dropped_ += isWritten ? 0 : 1;
}

bool NonblockingOutput::tryWrite(std::string_view text) const noexcept {
    if (isSocket_) {
        return ::send(fd_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
    }
    if (reopened_ >= 0) {
        return ::write(reopened_, text.data(), text.size()) >= 0;
    }
    // Another process that shares the pipe may fill it in between; then this one waits.
    pollfd event{.fd = fd_, .events = POLLOUT, .revents = 0};
    return ::poll(&event, 1, 0) > 0 && (event.revents & POLLOUT) != 0 &&
           ::write(fd_, text.data(), text.size()) >= 0;
}

}  // namespace nnburst
