// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/grants.h"

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "model/invalid.h"
#include "system/huge_pages.h"
#include "system/realtime.h"

namespace nnburst::device {

namespace {

/// `option` as the driver and as DriverOptions have it.
bool isGranted(const char* option, const Result<>& granted) {
    if (!granted) {
        spdlog::warn("{} is not granted, going on without it: {}", option, granted.error().message);
    }
    return granted.has_value();
}

/// As far as anybody may: the soft limit is what the system looks at.
rlimit raiseToHardLimit(int resource) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    return ::setrlimit(static_cast<__rlimit_resource>(resource), &raised) == 0 ? raised : limit;
}

/// Tries it on this thread, whose priority stays what it was.
Result<> tryRealtimePriority(std::uint32_t priority) {
    raiseToHardLimit(RLIMIT_RTPRIO);
    int policy = 0;
    sched_param parameters{};
    ::pthread_getschedparam(::pthread_self(), &policy, &parameters);
    NNBURST_TRY(system::takeRealtimePriority(priority));
    ::pthread_setschedparam(::pthread_self(), policy, &parameters);
    return {};
}

/// No limit holds for this process: under a limit of 0 it may lock memory.
bool mayLockWithoutLimit(const rlimit& limit) {
    if (limit.rlim_cur == RLIM_INFINITY) {
        return true;
    }
    const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_MEMLOCK, &none) != 0) {
        return false;
    }
    alignas(4096) std::array<char, 4096> page{};
    const bool may = ::mlock(page.data(), page.size()) == 0;
    if (may) {
        ::munlock(page.data(), page.size());
    }
    ::setrlimit(RLIMIT_MEMLOCK, &limit);
    return may;
}

/// Under a limit nothing is locked: memory that is asked for later would be refused.
Result<> lockMemory() {
    const rlimit limit = raiseToHardLimit(RLIMIT_MEMLOCK);
    if (!mayLockWithoutLimit(limit)) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("RLIMIT_MEMLOCK is {} bytes; give the process the capability "
                                   "CAP_IPC_LOCK or no such limit (LimitMEMLOCK=infinity of "
                                   "systemd, ulimit -l unlimited)",
                                   limit.rlim_cur));
    }
    // What comes later is locked when it is touched: a client's memory may be large and empty.
    if (::mlockall(MCL_CURRENT) != 0 || ::mlockall(MCL_FUTURE | MCL_ONFAULT) != 0) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("mlockall: {}; leave more memory free", std::strerror(errno)));
    }
    return {};
}

/// Refuses what no system could grant.
Result<> checkGrantable(const DriverOptions& options) {
    if (options.realtimePriority > system::kMaximumRealtimePriority) {
        return invalid("real-time priority {}: must be 1 to {}, or 0 for none",
                       options.realtimePriority, system::kMaximumRealtimePriority);
    }
    if (options.shallowIdle && options.shallowIdle->count() < 0) {
        return invalid("shallow idle states of at most {} us: must be 0 or more",
                       options.shallowIdle->count());
    }
    return {};
}

}  // namespace

Result<Grants> Grants::take(DriverOptions& options) {
    NNBURST_TRY(checkGrantable(options));
    Grants grants;
    if (options.realtimePriority != 0 &&
        !isGranted("--realtime (realtimePriority)",
                   tryRealtimePriority(options.realtimePriority))) {
        options.realtimePriority = 0;
    }
    options.lockMemory =
        options.lockMemory && isGranted("--lock-memory (lockMemory)", lockMemory());
    options.useHugePages =
        options.useHugePages && isGranted("--huge-pages (useHugePages)", system::useHugePages());
    if (options.shallowIdle) {
        auto idle = CpuLatencyRequest::request(*options.shallowIdle);
        if (isGranted("--shallow-idle (shallowIdle)",
                      idle ? Result<>() : tl::unexpected<Error>(idle.error()))) {
            grants.shallowIdle_ = std::move(*idle);
        } else {
            options.shallowIdle.reset();
        }
    }
    return grants;
}

}  // namespace nnburst::device
