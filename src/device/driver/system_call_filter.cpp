// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/system_call_filter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/dma-buf.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sync_file.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace nnburst::device {

namespace {

/// Calls without conditions on their arguments. The kernel answers for these from a table, without
/// running the filter.
constexpr std::array kAllowed{
    // memory
    SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(membarrier), SCMP_SYS(mincore), SCMP_SYS(mlock),
    SCMP_SYS(mlock2), SCMP_SYS(mremap), SCMP_SYS(msync), SCMP_SYS(munlock), SCMP_SYS(munmap),
    // threads, their priorities and processors
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(futex), SCMP_SYS(futex_waitv), SCMP_SYS(getcpu),
    SCMP_SYS(getpriority), SCMP_SYS(gettid), SCMP_SYS(restart_syscall), SCMP_SYS(rseq),
    SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_getattr), SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setattr), SCMP_SYS(sched_setparam),
    SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_yield), SCMP_SYS(set_robust_list),
    SCMP_SYS(setpriority),
    // signals of this process
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(sigaltstack),
    // time
    SCMP_SYS(clock_getres), SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(nanosleep), SCMP_SYS(time), SCMP_SYS(timer_create),
    SCMP_SYS(timer_delete), SCMP_SYS(timer_settime),
    // what this process is and uses
    SCMP_SYS(capget), SCMP_SYS(getegid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getpid),
    SCMP_SYS(getppid), SCMP_SYS(getrandom), SCMP_SYS(getrusage), SCMP_SYS(getuid),
    SCMP_SYS(sysinfo), SCMP_SYS(times), SCMP_SYS(uname),
    // descriptors that are open
    SCMP_SYS(close), SCMP_SYS(close_range), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3),
    SCMP_SYS(fallocate), SCMP_SYS(fdatasync), SCMP_SYS(flock), SCMP_SYS(fstat), SCMP_SYS(fstatfs),
    SCMP_SYS(fsync), SCMP_SYS(ftruncate), SCMP_SYS(lseek), SCMP_SYS(pread64), SCMP_SYS(preadv),
    SCMP_SYS(pwrite64), SCMP_SYS(pwritev), SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(write),
    SCMP_SYS(writev),
    // waiting for them
    SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_pwait2),
    SCMP_SYS(epoll_wait), SCMP_SYS(eventfd2), SCMP_SYS(pipe2), SCMP_SYS(poll), SCMP_SYS(ppoll),
    SCMP_SYS(signalfd4), SCMP_SYS(timerfd_create), SCMP_SYS(timerfd_gettime),
    SCMP_SYS(timerfd_settime),
    // the ends of clients' processes, and of the child that measures the capabilities
    SCMP_SYS(pidfd_open), SCMP_SYS(waitid),
    // shared memory without names
    SCMP_SYS(memfd_create),
    // sockets that are open; new ones are made by accept4 and in pairs
    SCMP_SYS(accept4), SCMP_SYS(getpeername), SCMP_SYS(getsockname), SCMP_SYS(getsockopt),
    SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(sendto),
    SCMP_SYS(setsockopt), SCMP_SYS(shutdown),
    // metadata of files, and removing the socket's file: Landlock says from where
    SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(stat),
    SCMP_SYS(statx), SCMP_SYS(unlink), SCMP_SYS(unlinkat)};

/// A call that is allowed if its arguments are these. A call may have several such lines.
struct Conditional {
    int call;
    scmp_arg_cmp first;
    scmp_arg_cmp second{};
    unsigned conditions = 1;
};

constexpr scmp_arg_cmp equals(unsigned argument, scmp_datum_t value) {
    return {argument, SCMP_CMP_EQ, value, 0};
}
/// The bits of `mask` are those of `value`.
constexpr scmp_arg_cmp bits(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

/// Calls that end the process if their arguments are others.
std::vector<Conditional> fatalOtherwise() {
    return {
        // threads, but no processes
        {SCMP_SYS(clone), bits(0, CLONE_THREAD, CLONE_THREAD)},
        // abort(3) sends its signal to this process
        {SCMP_SYS(tgkill), equals(0, static_cast<scmp_datum_t>(::getpid()))},
        {SCMP_SYS(socketpair), equals(0, AF_UNIX)},
    };
}

/// Calls that fail if their arguments are others: libraries look for things that need not be there.
std::vector<Conditional> failOtherwise() {
    constexpr scmp_datum_t kWrites =
        O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
    std::vector<Conditional> calls{
        // no code is made
        {SCMP_SYS(mmap), bits(2, PROT_EXEC, 0)},
        {SCMP_SYS(mprotect), bits(2, PROT_EXEC, 0)},
        // reading: Landlock says which files
        {SCMP_SYS(openat), bits(2, kWrites, O_RDONLY)},
        {SCMP_SYS(open), bits(1, kWrites, O_RDONLY)},
        // reading the limits of this process
        {SCMP_SYS(prlimit64), equals(0, 0), equals(2, 0), 2},
    };
    for (const int command :
         {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GET_SEALS, F_ADD_SEALS}) {
        calls.push_back({SCMP_SYS(fcntl), equals(1, static_cast<scmp_datum_t>(command))});
    }
    for (const auto request :
         {static_cast<scmp_datum_t>(DMA_BUF_IOCTL_SYNC), static_cast<scmp_datum_t>(FIOCLEX),
          static_cast<scmp_datum_t>(FIONREAD), static_cast<scmp_datum_t>(FIONBIO),
          static_cast<scmp_datum_t>(SYNC_IOC_FILE_INFO),
          static_cast<scmp_datum_t>(FS_IOC_FIEMAP)}) {
        calls.push_back({SCMP_SYS(ioctl), equals(1, request)});
    }
    constexpr int kNameMapping = 0x53564d41;  // PR_SET_VMA
    for (const int option : {PR_SET_NAME, PR_GET_NAME, PR_SET_TIMERSLACK, kNameMapping}) {
        calls.push_back({SCMP_SYS(prctl), equals(0, static_cast<scmp_datum_t>(option))});
    }
    return calls;
}

/// Calls that always fail.
constexpr std::array kDenied{SCMP_SYS(access), SCMP_SYS(faccessat),     SCMP_SYS(faccessat2),
                             SCMP_SYS(getcwd), SCMP_SYS(set_mempolicy), SCMP_SYS(statfs),
                             SCMP_SYS(mkdir),  SCMP_SYS(mkdirat)};
/// Calls that fail as if the kernel did not know them, so that the C library uses older ones.
constexpr std::array kUnknown{SCMP_SYS(clone3), SCMP_SYS(openat2)};

/// The names of the machine's system calls, for handleForbidden, which cannot allocate.
constexpr std::size_t kNamedCalls = 512;
std::array<const char*, kNamedCalls>& namesOfCalls() {
    static std::array<const char*, kNamedCalls> names{};
    return names;
}

void say(std::string_view text) noexcept {
    (void)!::write(STDERR_FILENO, text.data(), text.size());
}

/// Handler of SIGSYS: says which call was forbidden, and ends the process by the signal.
void handleForbidden(int /*signal*/, siginfo_t* info, void* /*context*/) noexcept {
    std::array<char, 12> digits{};
    std::size_t first = digits.size();
    unsigned number = static_cast<unsigned>(info->si_syscall);
    do {
        digits[--first] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    say("nnburst: the sandbox forbids system call ");
    say(std::string_view(&digits[first], digits.size() - first));
    const auto call = static_cast<std::size_t>(info->si_syscall);
    if (call < kNamedCalls && namesOfCalls()[call] != nullptr) {
        say(" (");
        say(namesOfCalls()[call]);
        say(")");
    }
    say("; --no-sandbox runs the driver without\n");
    struct sigaction byDefault {};
    byDefault.sa_handler = SIG_DFL;
    ::sigaction(SIGSYS, &byDefault, nullptr);
    sigset_t unblocked;
    ::sigemptyset(&unblocked);
    ::sigaddset(&unblocked, SIGSYS);
    ::pthread_sigmask(SIG_UNBLOCK, &unblocked, nullptr);
    (void)::raise(SIGSYS);
    ::_exit(1);
}

void handleForbiddenCalls() {
    auto& names = namesOfCalls();
    for (std::size_t call = 0; call < kNamedCalls; ++call) {
        names[call] = ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, static_cast<int>(call));
    }
    struct sigaction action {};
    action.sa_sigaction = handleForbidden;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSYS, &action, nullptr);
}

using Filter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

tl::unexpected<Error> failed(const char* what, int error) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("sandbox: cannot {} the filter of system calls: {}; --no-sandbox "
                               "runs the driver without",
                               what, std::strerror(error)));
}

/// libseccomp leaves out rules for calls that this architecture does not have.
Result<> add(const Filter& filter, std::uint32_t action, std::span<const int> calls) {
    for (const int call : calls) {
        if (const int error = ::seccomp_rule_add(filter.get(), action, call, 0); error != 0) {
            return failed("fill", -error);
        }
    }
    return {};
}

enum class Conditions : std::uint8_t { CHECKED, IGNORED };

Result<> allow(const Filter& filter, std::span<const Conditional> calls, Conditions conditions) {
    for (const Conditional& rule : calls) {
        const std::array<scmp_arg_cmp, 2> compared{rule.first, rule.second};
        const unsigned count = conditions == Conditions::CHECKED ? rule.conditions : 0;
        const int error = ::seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, rule.call, count,
                                                   compared.data());
        if (error != 0 && error != -EEXIST) {  // without conditions lines may be equal
            return failed("fill", -error);
        }
    }
    return {};
}

/// Installs a filter in all threads.
Result<> load(const Filter& filter) {
    // This process runs no code of clients, so it needs none of the slow mitigations that some
    // kernels switch on with a filter (SSB). Optimisation 2 is a search tree instead of a list.
    for (const auto& [attribute, value] :
         {std::pair{SCMP_FLTATR_CTL_TSYNC, 1U}, std::pair{SCMP_FLTATR_CTL_NNP, 0U},
          std::pair{SCMP_FLTATR_CTL_SSB, 1U}, std::pair{SCMP_FLTATR_CTL_OPTIMIZE, 2U}}) {
        if (const int error = ::seccomp_attr_set(filter.get(), attribute, value); error != 0) {
            return failed("set up", -error);
        }
    }
    if (const int error = ::seccomp_load(filter.get()); error != 0) {
        return failed("install", -error);
    }
    return {};
}

Filter makeFilter(std::uint32_t otherwise) noexcept {
    return {::seccomp_init(otherwise), ::seccomp_release};
}

}  // namespace

/// Two filters, because one has a single action for what none of its rules fits. The kernel obeys
/// the stricter answer.
Result<> installSystemCallFilter() {
    const Filter fatal = makeFilter(SCMP_ACT_TRAP);
    const Filter failing = makeFilter(SCMP_ACT_ERRNO(EACCES));
    if (!fatal || !failing) {
        return failed("make", ENOMEM);
    }
    constexpr std::array kInstallation{SCMP_SYS(seccomp)};  // of the second filter
    const std::vector<Conditional> endIt = fatalOtherwise();
    const std::vector<Conditional> failIt = failOtherwise();
    NNBURST_TRY(add(fatal, SCMP_ACT_ALLOW, kAllowed));
    NNBURST_TRY(add(fatal, SCMP_ACT_ALLOW, kDenied));
    NNBURST_TRY(add(fatal, SCMP_ACT_ALLOW, kUnknown));
    NNBURST_TRY(add(fatal, SCMP_ACT_ALLOW, kInstallation));
    NNBURST_TRY(allow(fatal, endIt, Conditions::CHECKED));
    NNBURST_TRY(allow(fatal, failIt, Conditions::IGNORED));
    NNBURST_TRY(add(failing, SCMP_ACT_ALLOW, kAllowed));
    NNBURST_TRY(add(failing, SCMP_ACT_ERRNO(ENOSYS), kUnknown));
    NNBURST_TRY(allow(failing, endIt, Conditions::IGNORED));
    NNBURST_TRY(allow(failing, failIt, Conditions::CHECKED));
    handleForbiddenCalls();
    NNBURST_TRY(load(fatal));
    return load(failing);
}

}  // namespace nnburst::device
