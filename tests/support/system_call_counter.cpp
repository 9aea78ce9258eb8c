// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/system_call_counter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace nnburst::test {

namespace {

std::atomic<std::uint64_t> futexes{0};
std::atomic<std::uint64_t> fences{0};
std::atomic<std::uint64_t> others{0};

/// The fifth argument of the handler's own calls, which those for sleeping and waking do not use.
constexpr std::uint32_t kOwnCall = 0x6E6E6275;

#if defined(__x86_64__)

void countTrappedCall(int /*signal*/, siginfo_t* info, void* context) {
    const bool isFutex = info->si_syscall == SYS_futex;
    const bool isFence = info->si_syscall == SYS_membarrier;
    (isFutex ? futexes : isFence ? fences : others).fetch_add(1, std::memory_order_relaxed);
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    long result = -ENOSYS;
    if (isFutex || isFence) {
        const int savedErrno = errno;
        result = ::syscall(info->si_syscall, registers[REG_RDI], registers[REG_RSI],
                           registers[REG_RDX], registers[REG_R10], kOwnCall, registers[REG_R9]);
        result = result < 0 ? -errno : result;
        errno = savedErrno;
    }
    registers[REG_RAX] = result;
}

constexpr sock_filter load(std::size_t offset) {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
constexpr sock_filter skipIf(std::uint32_t value, std::uint8_t ifEqual, std::uint8_t ifNot) {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, ifEqual, ifNot);
}
constexpr sock_filter answer(std::uint32_t action) {
    return BPF_STMT(BPF_RET | BPF_K, action);
}

#endif

}  // namespace

bool countAllSystemCallsFromNow() noexcept {
#if defined(__x86_64__)
    struct sigaction action {};
    action.sa_sigaction = countTrappedCall;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    if (::sigaction(SIGSYS, &action, nullptr) != 0 ||
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return false;
    }
    std::array<sock_filter, 11> filter{
        load(offsetof(seccomp_data, nr)),
        skipIf(SYS_rt_sigreturn, 8, 0),
        skipIf(SYS_exit_group, 7, 0),
        skipIf(SYS_exit, 6, 0),
        skipIf(SYS_write, 5, 0),
        skipIf(SYS_membarrier, 1, 0),
        skipIf(SYS_futex, 0, 2),
        load(offsetof(seccomp_data, args) + 4 * sizeof(std::uint64_t)),
        skipIf(kOwnCall, 1, 0),
        answer(SECCOMP_RET_TRAP),
        answer(SECCOMP_RET_ALLOW)};
    sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
           0;
#else
    return false;
#endif
}

SeccompCounts systemCalls() noexcept {
    return {.futexes = futexes.load(std::memory_order_relaxed),
            .fences = fences.load(std::memory_order_relaxed),
            .others = others.load(std::memory_order_relaxed)};
}

}  // namespace nnburst::test
