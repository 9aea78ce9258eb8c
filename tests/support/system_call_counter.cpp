// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/system_call_counter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace nnburst::test {

namespace {

std::atomic<std::uint64_t> calls{0};
std::atomic<std::uint64_t> futexCalls{0};

void countTrappedCall(int /*signal*/, siginfo_t* info, void* /*context*/) {
    calls.fetch_add(1, std::memory_order_relaxed);
    if (info->si_syscall == SYS_futex) {
        futexCalls.fetch_add(1, std::memory_order_relaxed);
    }
    // The kernel has put the call's number where its result goes, which reads as a positive result;
    // for futex that means "woken", after which every caller looks again.
}

constexpr sock_filter allow(std::uint32_t number, std::uint8_t callsUntilAllow) {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, callsUntilAllow, 0);
}

}  // namespace

bool countAllSystemCallsFromNow() noexcept {
    struct sigaction action {};
    action.sa_sigaction = countTrappedCall;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    if (::sigaction(SIGSYS, &action, nullptr) != 0 ||
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return false;
    }
    std::array<sock_filter, 7> filter{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        allow(SYS_rt_sigreturn, 4),
        allow(SYS_exit_group, 3),
        allow(SYS_exit, 2),
        allow(SYS_write, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
           0;
}

std::uint64_t systemCallCount() noexcept {
    return calls.load(std::memory_order_relaxed);
}
std::uint64_t futexCallCount() noexcept {
    return futexCalls.load(std::memory_order_relaxed);
}

}  // namespace nnburst::test
