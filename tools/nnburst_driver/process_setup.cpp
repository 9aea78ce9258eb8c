// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "process_setup.h"

#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "log/logger.h"
#include "system/process.h"

#ifdef NNBURST_COVERAGE
extern "C" {
#include <gcov.h>
}
#endif

namespace nnburst {

namespace {

/// What the kernel keeps of a name (TASK_COMM_LEN, without the zero).
constexpr std::size_t kLongestName = 15;

/// Below this a driver has no room for its first threads.
constexpr std::uint64_t kMinimumMemoryBytes = std::uint64_t{32} << 20;

bool hasEnded(const UniqueFd& process) noexcept {
    pollfd event{.fd = process.get(), .events = POLLIN, .revents = 0};
    return ::poll(&event, 1, 0) > 0;
}

}  // namespace

void setUpSignals() noexcept {
    for (const int number : {SIGPIPE, SIGXFSZ, SIGTTOU, SIGHUP}) {
        (void)::signal(number, SIG_IGN);
    }
    (void)::signal(SIGCHLD, SIG_DFL);
}

Result<> setProcessName(const std::string& name) {
    if (name.size() > kLongestName) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("process name '{}' has {} characters: must be at most {}", name,
                                   name.size(), kLongestName));
    }
    if (!name.empty()) {
        ::prctl(PR_SET_NAME, name.c_str());
    }
    return {};
}

Result<> useProcessors(const std::vector<std::uint32_t>& processors) {
    if (processors.empty()) {
        return {};
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const std::uint32_t processor : processors) {
        if (processor >= CPU_SETSIZE) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("processor {}: must be below {}", processor, CPU_SETSIZE));
        }
        CPU_SET(processor, &set);
    }
    if (::sched_setaffinity(0, sizeof(set), &set) != 0 && errno != EINVAL) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("cannot run on processors {}: {}", fmt::join(processors, ","),
                                   std::strerror(errno)));
    }
    // The kernel leaves out processors that this process may not have; EINVAL if none is left.
    cpu_set_t granted;
    CPU_ZERO(&granted);
    (void)::sched_getaffinity(0, sizeof(granted), &granted);
    for (const std::uint32_t processor : processors) {
        if (CPU_ISSET(processor, &granted) == 0) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("cannot run on processor {}: it does not exist, is off, or "
                                       "is outside of the cpuset of this process",
                                       processor));
        }
    }
    return {};
}

Result<> limitMemory(std::uint64_t bytes) {
    if (bytes == 0) {
        return {};
    }
    if (bytes < kMinimumMemoryBytes) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("memory limit of {} bytes: must be at least {}, which a driver "
                                   "and the stacks of its threads take without any model",
                                   bytes, kMinimumMemoryBytes));
    }
    const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
    if (::setrlimit(RLIMIT_DATA, &limit) != 0) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("cannot limit the memory of the process to {} bytes: {}", bytes,
                                   std::strerror(errno)));
    }
    return {};
}

void returnFreedMemory() noexcept {
    constexpr int kLarge = 1 << 20;
    ::mallopt(M_MMAP_THRESHOLD, kLarge);
    ::mallopt(M_TRIM_THRESHOLD, kLarge);
    ::mallopt(M_MXFAST, 0);
}

void allowManyDescriptors() noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

Result<UniqueFd> endWithParent(int socket) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot ask to end with the parent: {}", std::strerror(errno)));
    }
    // The parent may have ended before prctl. The kernel remembers which process made the socket
    // (0: one that cannot be seen from this PID namespace).
    ucred maker{};
    socklen_t size = sizeof(maker);
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &maker, &size) != 0 || maker.pid <= 0) {
        return UniqueFd();
    }
    UniqueFd process = system::openProcess(maker.pid);
    if (process ? hasEnded(process) : errno == ESRCH) {
        return failure(
            ErrorStatus::DEVICE_UNAVAILABLE,
            fmt::format("process {}, which started this driver, has ended already", maker.pid));
    }
    return process;
}

void endProcess([[maybe_unused]] bool isSandboxed) {
    logger().debug("ended");
    logger().flush();
#ifdef NNBURST_COVERAGE
    if (!isSandboxed) {
        __gcov_dump();  // _Exit writes no counts
    }
#endif
    std::_Exit(0);
}

}  // namespace nnburst
