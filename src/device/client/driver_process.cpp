// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/driver_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include "system/scheduling.h"
#include "system/thread.h"

namespace nnburst::device {

namespace {

/// Time for a child to end by itself after its socket has been closed.
constexpr int kGraceMs = 2000;

Result<pid_t> spawn(const std::string& program, const std::vector<std::string>& arguments,
                    int socket) {
    pid_t pid = 0;
    if (const int error = system::startProgram(program, arguments, socket, pid); error != 0) {
        return failure(
            ErrorStatus::DEVICE_UNAVAILABLE,
            fmt::format("cannot start the driver {}: {}", program, std::strerror(error)));
    }
    return pid;
}

/// Waits until the child has ended, and reaps it. `released` hangs up when its owner is destroyed,
/// and has something to read when the child is to be killed at once.
void reap(pid_t pid, const UniqueFd& released) {
    const UniqueFd child = system::openProcess(pid);
    std::array<pollfd, 2> events{{{.fd = child.get(), .events = POLLIN, .revents = 0},
                                  {.fd = released.get(), .events = POLLIN, .revents = 0}}};
    while (::poll(events.data(), events.size(), -1) < 0 && errno == EINTR) {
    }
    char anything = 0;  // a socket that was closed is readable, too, but has nothing
    const bool isUrgent = ::recv(released.get(), &anything, 1, MSG_DONTWAIT) == 1;
    if (::poll(events.data(), 1, isUrgent ? 0 : kGraceMs) == 0) {
        ::kill(pid, SIGKILL);  // not reaped yet, so the number is still the child's
    }
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) != 0 && errno == EINTR) {
    }
}

}  // namespace

DriverProcess::DriverProcess(pid_t pid, UniqueFd release, std::shared_future<void> ended) noexcept
    : pid_(pid), release_(std::move(release)), ended_(std::move(ended)) {}

DriverProcess::~DriverProcess() = default;

void DriverProcess::end() noexcept {
    const char anything = 0;
    (void)::send(release_.get(), &anything, 1, MSG_NOSIGNAL);  // fails if the child is reaped
    ended_.wait();
}

Result<std::unique_ptr<DriverProcess>> DriverProcess::start(
    const std::string& program, const std::vector<std::string>& arguments, UniqueFd socket) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            fmt::format("cannot start the driver {}: {}", program, std::strerror(errno)));
    }
    const auto released = std::make_shared<UniqueFd>(ends[0]);
    UniqueFd release(ends[1]);
    const auto sharedSocket = std::make_shared<UniqueFd>(std::move(socket));
    const auto started = std::make_shared<std::promise<Result<pid_t>>>();
    const auto ended = std::make_shared<std::promise<void>>();
    NNBURST_TRY_ASSIGN(std::thread thread, system::startThread("nnburst-child", [=] {
                           system::followMainThread();
                           const Result<pid_t> pid = spawn(program, arguments, sharedSocket->get());
                           sharedSocket->reset();  // the child's alone from now on
                           started->set_value(pid);
                           if (pid) {
                               reap(*pid, *released);
                           }
                           ended->set_value();
                       }));
    thread.detach();  // ends with the child
    NNBURST_TRY_ASSIGN(const pid_t pid, started->get_future().get());
    return std::unique_ptr<DriverProcess>(
        new DriverProcess(pid, std::move(release), ended->get_future().share()));
}

}  // namespace nnburst::device
