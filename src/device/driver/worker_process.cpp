// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/worker_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace nnburst::device {

namespace {

tl::unexpected<Error> cannotStart(int error) {
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                   fmt::format("cannot start a worker process: {}", std::strerror(error)));
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(system::ProgramStarter& starter,
                                                            const WorkerCommand& command) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return cannotStart(errno);
    }
    UniqueFd own(ends[0]);
    const UniqueFd theirs(ends[1]);
    pid_t pid = 0;
    if (const int error = starter.start(command.program, command.arguments, theirs.get(), pid);
        error != 0) {
        return cannotStart(error);
    }
    UniqueFd process = system::openProcess(pid);
    const int error = process ? 0 : errno;
    std::unique_ptr<WorkerProcess> worker(
        new WorkerProcess(pid, std::move(process), std::move(own)));
    if (error != 0) {
        return cannotStart(error);
    }
    return worker;
}

WorkerProcess::WorkerProcess(pid_t pid, UniqueFd process, UniqueFd channel) noexcept
    : pid_(pid), process_(std::move(process)), channel_(std::move(channel)) {}

WorkerProcess::~WorkerProcess() {
    if (!isReaped_) {
        kill();
        (void)reap();
    }
}

bool WorkerProcess::isRunnable() const {
    std::ifstream file(fmt::format("/proc/{}/stat", pid_));
    std::string line;
    std::getline(file, line);
    constexpr std::string_view kRunnable = ") R ";  // "PID (NAME) STATE ...", proc(5)
    return line.find(kRunnable) != std::string::npos;
}

void WorkerProcess::release() const noexcept {
    (void)::shutdown(channel_.get(), SHUT_RDWR);
}

void WorkerProcess::kill() const noexcept {
    if (!isReaped_) {
        (void)::kill(pid_, SIGKILL);
    }
}

WorkerProcess::End WorkerProcess::reap() {
    siginfo_t info{};
    int result = 0;
    do {
        result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED);
    } while (result != 0 && errno == EINTR);
    isReaped_ = true;
    if (result != 0) {  // the kernel has reaped it, as it does where SIGCHLD is ignored
        return {.isClean = true, .text = fmt::format("status not known: {}", std::strerror(errno))};
    }
    if (info.si_code == CLD_EXITED) {
        return {.isClean = info.si_status == 0,
                .text = fmt::format("exit status {}", info.si_status)};
    }
    return {.isClean = false,
            .text = fmt::format("signal {} ({})", info.si_status,
                                ::strsignal(info.si_status))};  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace nnburst::device
