// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/program_starter.h"

#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "system/process.h"
#include "system/scheduling.h"
#include "system/thread.h"

namespace nnburst::system {

namespace {

/// Room for a message of one byte with one descriptor.
struct DescriptorMessage {
    DescriptorMessage() noexcept {
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = CMSG_LEN(sizeof(int));
    }

    char byte = 0;
    iovec part{.iov_base = &byte, .iov_len = 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
};

/// 0 or an errno.
int sendDescriptor(int channel, int descriptor) noexcept {
    DescriptorMessage message;
    cmsghdr* const rights = CMSG_FIRSTHDR(&message.header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(descriptor));
    return ::sendmsg(channel, &message.header, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

/// Waits for a descriptor. False if no more will come; an invalid one if it was lost.
bool receiveDescriptor(int channel, UniqueFd& descriptor) noexcept {
    DescriptorMessage message;
    ssize_t count = 0;
    do {
        count = ::recvmsg(channel, &message.header, MSG_CMSG_CLOEXEC);
    } while (count < 0 && errno == EINTR);
    descriptor.reset();
    if (const cmsghdr* const rights = CMSG_FIRSTHDR(&message.header);
        rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(rights), sizeof(number));
        descriptor = UniqueFd(number);
    }
    return count > 0;
}

/// Gives the calling thread descriptors of its own: standard ones and `kept`. 0 or an errno.
int keepDescriptor(int kept) noexcept {
    // The C library of some systems has no close_range().
    const auto close = [](unsigned first, unsigned last, unsigned flags) {
        return first > last || ::syscall(SYS_close_range, first, last, flags) == 0;
    };
    const auto number = static_cast<unsigned>(kept);
    return close(number + 1, UINT_MAX, CLOSE_RANGE_UNSHARE) &&
                   close(STDERR_FILENO + 1, number - 1, 0)
               ? 0
               : errno;
}

}  // namespace

Result<std::unique_ptr<ProgramStarter>> ProgramStarter::create() {
    const auto refused = [](int error) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot make a thread that starts programs: {}; it needs "
                                   "close_range(2) of Linux 5.9",
                                   std::strerror(error)));
    };
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return refused(errno);
    }
    const UniqueFd theirs(ends[1]);  // the thread closes its copy
    std::unique_ptr<ProgramStarter> starter(new ProgramStarter(UniqueFd(ends[0])));
    NNBURST_TRY_ASSIGN(starter->thread_,
                       startThread("nnburst-start", [starter = starter.get(), end = ends[1]] {
                           starter->serve(end);
                       }));
    starter->answered_.acquire();
    if (starter->error_ != 0) {
        return refused(starter->error_);
    }
    return starter;
}

ProgramStarter::~ProgramStarter() {
    (void)::shutdown(channel_.get(), SHUT_RDWR);
    if (thread_.joinable()) {
        thread_.join();
    }
}

int ProgramStarter::start(const std::string& program, std::vector<std::string> arguments,
                          int descriptor, pid_t& pid) {
    program_ = &program;
    arguments_ = std::move(arguments);
    if (const int error = sendDescriptor(channel_.get(), descriptor); error != 0) {
        return error;
    }
    answered_.acquire();
    pid = pid_;
    return error_;
}

void ProgramStarter::serve(int channel) noexcept {
    error_ = keepDescriptor(channel);
    const bool isReady = error_ == 0;
    answered_.release();
    std::optional<ScopedLowPriority> low;  // which programs inherit
    if (mayProgramsLeaveScopes()) {
        low.emplace();
    }
    for (UniqueFd descriptor; isReady && receiveDescriptor(channel, descriptor);) {
        error_ = descriptor ? startWith(descriptor.get()) : EBADF;
        descriptor.reset();  // the caller's is to be the last one here
        answered_.release();
    }
}

int ProgramStarter::startWith(int descriptor) noexcept {
    try {
        return startProgram(*program_, std::move(arguments_), descriptor, pid_);
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    }
}

}  // namespace nnburst::system
