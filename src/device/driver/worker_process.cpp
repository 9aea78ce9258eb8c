// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace nnburst::device {

namespace {

tl::unexpected<Error> cannotStart(int error) {
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                   fmt::format("cannot start a worker process: {}", std::strerror(error)));
}

/// posix_spawn's parameters for a worker, freed at the end.
class WorkerParameters {
  public:
    explicit WorkerParameters(int channel) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, channel, WorkerProcess::kChannelFd);
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, WorkerProcess::kChannelFd + 1);
        // The broker blocks the signals that it waits for; a worker starts like any program.
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    ~WorkerParameters() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&actions_);
    }
    WorkerParameters(const WorkerParameters&) = delete;
    WorkerParameters& operator=(const WorkerParameters&) = delete;

    [[nodiscard]] const posix_spawn_file_actions_t* actions() const noexcept { return &actions_; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const noexcept { return &attributes_; }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const WorkerCommand& command) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return cannotStart(errno);
    }
    UniqueFd own(ends[0]);
    const UniqueFd theirs(ends[1]);
    std::vector<std::string> words = command.arguments;
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    const WorkerParameters parameters(theirs.get());
    pid_t pid = 0;
    if (const int error = ::posix_spawn(&pid, command.program.c_str(), parameters.actions(),
                                        parameters.attributes(), argv.data(), environ);
        error != 0) {
        return cannotStart(error);
    }
    // glibc 2.36 declares pidfd_open without C linkage.
    UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
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
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
    }
    isReaped_ = true;
    if (info.si_code == CLD_EXITED) {
        return {.isClean = info.si_status == 0,
                .text = fmt::format("exit status {}", info.si_status)};
    }
    return {.isClean = false,
            .text = fmt::format("signal {} ({})", info.si_status,
                                ::strsignal(info.si_status))};  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace nnburst::device
