// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/serving_thread.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <cstring>

namespace nnburst::exec {

Result<> takeRealtimePriority(std::uint32_t priority) {
    const sched_param parameters{.sched_priority = static_cast<int>(priority)};
    const int error = ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &parameters);
    if (error != 0) {
        rlimit limit{};
        ::getrlimit(RLIMIT_RTPRIO, &limit);
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("SCHED_FIFO with priority {}: {}; give the process the "
                                   "capability CAP_SYS_NICE or an RLIMIT_RTPRIO (LimitRTPRIO= of "
                                   "systemd, ulimit -r) of at least {}; it is {}",
                                   priority, std::strerror(error), priority, limit.rlim_cur));
    }
    return {};
}

void wishRealtimePriority(std::uint32_t priority, const char* thread) {
    if (priority != 0) {
        if (const Result<> taken = takeRealtimePriority(priority); !taken) {
            spdlog::warn("{} goes on without real-time priority: {}", thread,
                         taken.error().message);
        }
    }
}

std::vector<std::uint32_t> usableProcessors() {
    std::vector<std::uint32_t> processors;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
        for (std::uint32_t processor = 0; processor < CPU_SETSIZE; ++processor) {
            if (CPU_ISSET(processor, &set)) {
                processors.push_back(processor);
            }
        }
    }
    return processors;
}

void runOn(std::span<const std::uint32_t> processors) noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const std::uint32_t processor : processors) {
        CPU_SET(processor, &set);
    }
    // A place is a wish: a thread that stays where it is does the same, later.
    (void)::sched_setaffinity(0, sizeof(set), &set);
}

StayingOff::StayingOff(std::span<const std::uint32_t> processors) noexcept {
    if (processors.empty() || ::sched_getaffinity(0, sizeof(before_), &before_) != 0) {
        return;
    }
    cpu_set_t others = before_;
    for (const std::uint32_t processor : processors) {
        CPU_CLR(processor, &others);
    }
    isOff_ = ::sched_setaffinity(0, sizeof(others), &others) == 0;
}

StayingOff::~StayingOff() {
    if (isOff_) {
        (void)::sched_setaffinity(0, sizeof(before_), &before_);
    }
}

}  // namespace nnburst::exec
