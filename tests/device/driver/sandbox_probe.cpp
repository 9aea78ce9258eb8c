// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// A program that enters the sandbox of drivers and then does what its argument names. It ends with
// status 0 if that succeeded, with the error number if it failed, and with SIGSYS if the sandbox
// ended it.

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "device/driver/sandbox.h"

namespace {

int outcomeOf(long result) {
    return result >= 0 ? 0 : errno;
}

/// The action runs on a thread that was started before the system calls were restricted.
int onEarlierThread(const std::function<int()>& action, const std::function<bool()>& restrict) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
        return 255;
    }
    int outcome = 255;
    std::thread thread([&] {
        char go = 0;
        if (::read(ends[0], &go, 1) == 1) {
            outcome = action();
        }
    });
    if (!restrict() || ::write(ends[1], "g", 1) != 1) {
        return 255;
    }
    thread.join();
    return outcome;
}

const std::map<std::string, std::function<int()>>& actions() {
    static char name[] = "/bin/true";  // NOLINT(modernize-avoid-c-arrays): argv is not const
    static std::array<char*, 2> arguments{name, nullptr};
    static const std::map<std::string, std::function<int()>> all{
        {"nothing", [] { return 0; }},
        {"execve", [] { return outcomeOf(::execve(name, arguments.data(), nullptr)); }},
        {"fork",
         [] { return outcomeOf(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0)); }},
        {"socket", [] { return outcomeOf(::socket(AF_UNIX, SOCK_STREAM, 0)); }},
        {"internet", [] { return outcomeOf(::socket(AF_INET, SOCK_STREAM, 0)); }},
        {"ptrace",
         [] { return outcomeOf(::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr)); }},
        {"process_vm_readv",
         [] { return outcomeOf(::process_vm_readv(::getppid(), nullptr, 0, nullptr, 0, 0)); }},
        {"kill", [] { return outcomeOf(::kill(::getppid(), 0)); }},
        {"tgkill", [] { return outcomeOf(::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0)); }},
        {"mount", [] { return outcomeOf(::syscall(SYS_mount, "a", "b", "c", 0, nullptr)); }},
        {"read", [] { return outcomeOf(::open("/etc/passwd", O_RDONLY | O_CLOEXEC)); }},
        {"environment of another process",
         [] {
             const std::string path = "/proc/" + std::to_string(::getppid()) + "/environ";
             return outcomeOf(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
         }},
        {"create",
         [] { return outcomeOf(::open("/tmp/nnburst-sandbox-probe", O_CREAT | O_WRONLY, 0600)); }},
        {"write", [] { return outcomeOf(::open("/dev/null", O_WRONLY | O_CLOEXEC)); }},
        {"setrlimit",
         [] {
             const rlimit limit{.rlim_cur = 1, .rlim_max = 1};
             return outcomeOf(::setrlimit(RLIMIT_NOFILE, &limit));
         }},
        {"executable memory",
         [] {
             const void* const address = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
             return address == MAP_FAILED ? errno : 0;
         }},
        {"own status", [] { return outcomeOf(::open("/proc/self/status", O_RDONLY | O_CLOEXEC)); }},
        {"name of another process",
         [] {
             const std::string path = "/proc/" + std::to_string(::getppid()) + "/comm";
             return outcomeOf(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
         }},
        {"thread",
         [] {
             std::thread([] { ::pthread_setname_np(::pthread_self(), "probe"); }).join();
             return 0;
         }},
        {"abort",
         [] {
             ::abort();
             return 1;
         }},
        {"shared memory",
         [] {
             const int fd = ::memfd_create("probe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
             const bool isGood =
                 fd >= 0 && ::ftruncate(fd, 4096) == 0 &&
                 ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0 &&
                 ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
             return isGood ? 0 : errno;
         }},
        {"socket pair",
         [] {
             std::array<int, 2> ends{};
             return outcomeOf(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()));
         }},
    };
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const auto found = actions().find(argc == 2 ? argv[1] : "");
    if (found == actions().end()) {
        return 255;
    }
    const auto hasLandlock = nnburst::device::restrictRights({});
    if (!hasLandlock) {
        std::fprintf(stderr, "%s\n", hasLandlock.error().message.c_str());
        return 255;
    }
    return onEarlierThread(found->second, [] {
        const auto restricted = nnburst::device::restrictSystemCalls();
        if (!restricted) {
            std::fprintf(stderr, "%s\n", restricted.error().message.c_str());
        }
        return restricted.has_value();
    });
}
