// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/system_tuning.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "log/logger.h"
#include "model/invalid.h"
#include "system/huge_pages.h"
#include "system/realtime.h"

namespace nnburst::device {

namespace {

/// Logs a setting that the system refused. `option` has both of its names: on the command line and
/// in DriverOptions.
bool isApplied(const char* option, const Result<>& applied) {
    if (!applied) {
        logger().warn("{} cannot be applied, the driver works without it: {}", option,
                      applied.error().message);
    }
    return applied.has_value();
}

/// Raises the soft limit, which the system enforces, to the hard limit.
rlimit raiseToHardLimit(int resource) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    return ::setrlimit(static_cast<__rlimit_resource>(resource), &raised) == 0 ? raised : limit;
}

/// Sets the priority of this thread and restores the previous one.
Result<> tryRealtimePriority(std::uint32_t priority) {
    raiseToHardLimit(RLIMIT_RTPRIO);
    int policy = 0;
    sched_param parameters{};
    ::pthread_getschedparam(::pthread_self(), &policy, &parameters);
    NNBURST_TRY(system::takeRealtimePriority(priority));
    ::pthread_setschedparam(::pthread_self(), policy, &parameters);
    return {};
}

/// True if RLIMIT_MEMLOCK does not bind this process (CAP_IPC_LOCK): it can lock a page under a
/// limit of 0.
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

/// Fails if RLIMIT_MEMLOCK applies: with MCL_FUTURE, allocations beyond the limit would fail later.
Result<> lockMemory() {
    const rlimit limit = raiseToHardLimit(RLIMIT_MEMLOCK);
    if (!mayLockWithoutLimit(limit)) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("RLIMIT_MEMLOCK is {} bytes; give the process the capability "
                                   "CAP_IPC_LOCK or no such limit (LimitMEMLOCK=infinity of "
                                   "systemd, ulimit -l unlimited)",
                                   limit.rlim_cur));
    }
    // MCL_ONFAULT: later pages are locked when first touched. A client's region may be large and
    // sparse.
    if (::mlockall(MCL_CURRENT) != 0 || ::mlockall(MCL_FUTURE | MCL_ONFAULT) != 0) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("mlockall: {}; leave more memory free", std::strerror(errno)));
    }
    return {};
}

/// INVALID_ARGUMENT for values that no system accepts.
Result<> checkValues(const DriverOptions& options) {
    if (options.realtimePriority > system::kMaximumRealtimePriority) {
        return invalid("real-time priority {}: must be 1 to {}, or 0 for none",
                       options.realtimePriority, system::kMaximumRealtimePriority);
    }
    if (options.cpuLatencyLimit && options.cpuLatencyLimit->count() < 0) {
        return invalid("CPU latency limit {} us: must be 0 or more",
                       options.cpuLatencyLimit->count());
    }
    return {};
}

}  // namespace

Result<SystemTuning> SystemTuning::apply(DriverOptions& options) {
    NNBURST_TRY(checkValues(options));
    SystemTuning tuning;
    if (options.realtimePriority != 0 &&
        !isApplied("--realtime (realtimePriority)",
                   tryRealtimePriority(options.realtimePriority))) {
        options.realtimePriority = 0;
    }
    options.lockMemory =
        options.lockMemory && isApplied("--lock-memory (lockMemory)", lockMemory());
    options.useHugePages =
        options.useHugePages && isApplied("--huge-pages (useHugePages)", system::useHugePages());
    if (options.cpuLatencyLimit) {
        auto idle = CpuLatencyRequest::request(*options.cpuLatencyLimit);
        if (isApplied("--shallow-idle (cpuLatencyLimit)",
                      idle ? Result<>() : tl::unexpected<Error>(idle.error()))) {
            tuning.latencyRequest_ = std::move(*idle);
        } else {
            options.cpuLatencyLimit.reset();
        }
    }
    return tuning;
}

}  // namespace nnburst::device
