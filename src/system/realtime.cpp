// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/realtime.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <cstring>

#include "log/logger.h"

namespace nnburst::system {

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

void tryTakeRealtimePriority(std::uint32_t priority, const char* thread) {
    if (priority != 0) {
        if (const Result<> taken = takeRealtimePriority(priority); !taken) {
            logger().warn("{} goes on without real-time priority: {}", thread,
                          taken.error().message);
        }
    }
}

}  // namespace nnburst::system
