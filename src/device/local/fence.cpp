// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/fence.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sync_file.h>
#include <poll.h>
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "system/event_fd.h"
#include "system/interruption.h"
#include "system/standard_descriptors.h"
#include "system/time.h"

namespace nnburst {

namespace {

/// The largest count of an eventfd (eventfd(2)).
constexpr std::uint64_t kFailed = UINT64_MAX - 1;

tl::unexpected<Error> unknownFor(int fd, int error) {
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                   fmt::format("cannot examine fence {}: {}", fd, std::strerror(error)));
}

/// The count of an eventfd, without changing it (proc(5), fdinfo); nothing for other descriptors.
Result<std::optional<std::uint64_t>> eventCount(int fd) {
    std::ifstream info(fmt::format("/proc/self/fdinfo/{}", fd));
    if (!info && (errno == EMFILE || errno == ENFILE)) {
        return unknownFor(fd, errno);  // the count may mean a failure
    }
    constexpr std::string_view kName = "eventfd-count:";
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with(kName)) {
            return std::optional<std::uint64_t>(
                std::strtoull(line.c_str() + kName.size(), nullptr, 16));
        }
    }
    return std::optional<std::uint64_t>();
}

/// Whether `fd`, which has no file, is of a kind that can be polled and closed in no time. Closing
/// others may wait: for the address space of a userfaultfd, for the watches of an inotify instance
/// or an epoll instance. Polling the last one polls the files in it, those of FUSE for example.
bool isOfKnownKind(int fd) noexcept {
    itimerspec time{};
    sync_file_info info{};
    return system::isEventFd(fd) || ::timerfd_gettime(fd, &time) == 0 ||
           ::ioctl(fd, SYNC_IOC_FILE_INFO, &info) == 0;
}

// What a thread wrote before it signalled a fence is visible to one that has seen the signal: the
// kernel orders write(2) and poll(2). ThreadSanitizer does not know that, so it is told. All fences
// are one to it, because their descriptors are duplicated.
#if defined(__SANITIZE_THREAD__)
char allFences;
void noteSignal() noexcept {
    __tsan_release(&allFences);
}
void noteSignalSeen() noexcept {
    __tsan_acquire(&allFences);
}
#else
void noteSignal() noexcept {}
void noteSignalSeen() noexcept {}
#endif

/// Adds to the count if the fence is pending; otherwise the count would overflow. A process with a
/// duplicate of the descriptor may fill it in between, and may have cleared O_NONBLOCK, which
/// duplicates share. Then a signal ends the wait of write(2).
void add(int fence, std::uint64_t count) noexcept {
    noteSignal();
    pollfd look{.fd = fence, .events = POLLIN, .revents = 0};
    if (::poll(&look, 1, 0) == 0) {
        const system::ScopedInterruption interruption;
        (void)!::write(fence, &count, sizeof(count));
    }
}

}  // namespace

Result<UniqueFd> makeFence() {
    system::openStandardDescriptors();
    UniqueFd fence(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!fence) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       fmt::format("cannot make a fence: {}", std::strerror(errno)));
    }
    return fence;
}

void signalFence(int fence) noexcept {
    add(fence, 1);
}

void failFence(int fence) noexcept {
    add(fence, kFailed);
}

Result<FenceState> fenceState(int fence) {
    // Polling a file may wait for its server, closing a socket for its other end. The kernel
    // answers with what it knows, without asking a file system's server.
    struct statx status {};
    const bool isPollable =
        fence >= 0 &&
        ::statx(fence, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) == 0 &&
        (S_ISFIFO(status.stx_mode) || ((status.stx_mode & S_IFMT) == 0 && isOfKnownKind(fence)));
    if (!isPollable) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("descriptor {} is no fence: must be an eventfd, a pipe, a timerfd or a "
                        "sync_file",
                        fence));
    }
    pollfd look{.fd = fence, .events = POLLIN, .revents = 0};
    int count = 0;
    do {
        count = ::poll(&look, 1, 0);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
        return FenceState::PENDING;
    }
    noteSignalSeen();
    if ((look.revents & (POLLERR | POLLNVAL)) != 0 || (look.revents & POLLIN) == 0) {
        return FenceState::FAILED;
    }
    NNBURST_TRY_ASSIGN(const std::optional<std::uint64_t> number, eventCount(fence));
    return number == kFailed ? FenceState::FAILED : FenceState::SIGNALED;
}

Result<> waitForFence(int fence, const OptionalTimePoint& deadline) {
    while (true) {
        NNBURST_TRY_ASSIGN(const FenceState state, fenceState(fence));
        if (state == FenceState::SIGNALED) {
            return {};
        }
        if (state == FenceState::FAILED) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           fmt::format("fence {} was signalled with an error", fence));
        }
        timespec rest{};
        if (deadline) {
            const std::chrono::nanoseconds left =
                system::saturatingDifference(*deadline, std::chrono::steady_clock::now());
            if (left <= std::chrono::nanoseconds(0)) {
                return failure(
                    ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                    fmt::format("fence {} was not signalled before the deadline", fence));
            }
            rest.tv_sec = static_cast<time_t>(left / std::chrono::seconds(1));
            rest.tv_nsec = static_cast<long>((left % std::chrono::seconds(1)).count());
        }
        pollfd look{.fd = fence, .events = POLLIN, .revents = 0};
        (void)::ppoll(&look, 1, deadline ? &rest : nullptr, nullptr);
    }
}

}  // namespace nnburst
