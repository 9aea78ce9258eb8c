// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fail.h"

namespace nnburst::bench {
namespace {

cpu_set_t affinityOfThread() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        fail(std::string("sched_getaffinity: ") + std::strerror(errno));
    }
    return allowed;
}

void setAffinity(const cpu_set_t& allowed) {
    if (::sched_setaffinity(0, sizeof(allowed), &allowed) != 0) {
        fail(std::string("sched_setaffinity: ") + std::strerror(errno));
    }
}

/// The processors of the program before any thread was pinned.
const cpu_set_t& initialAffinity() {
    static const cpu_set_t allowed = affinityOfThread();
    return allowed;
}

}  // namespace

std::optional<ProcessorPair> processorPair() {
    static const std::optional<ProcessorPair> pair = []() -> std::optional<ProcessorPair> {
        const cpu_set_t& allowed = initialAffinity();
        if (CPU_COUNT(&allowed) < 2) {
            return std::nullopt;
        }
        std::uint32_t found[2]{};
        for (std::uint32_t processor = 0, count = 0; count < 2; ++processor) {
            if (CPU_ISSET(processor, &allowed)) {
                found[count++] = processor;
            }
        }
        return ProcessorPair{found[0], found[1]};
    }();
    return pair;
}

void pinTo(std::uint32_t processor) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(processor, &only);
    setAffinity(only);
}

ScopedAffinity::ScopedAffinity(Affinity affinity) : before_(affinityOfThread()) {
    if (affinity == Affinity::CLIENT) {
        pinTo(processorPair()->client);
    } else {
        setAffinity(initialAffinity());
    }
}

ScopedAffinity::~ScopedAffinity() {
    setAffinity(before_);
}

void* mapShared(std::size_t sizeBytes) {
    void* const memory =
        ::mmap(nullptr, sizeBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        fail(std::string("mmap of shared memory: ") + std::strerror(errno));
    }
    return memory;
}

void unmapShared(void* memory, std::size_t sizeBytes) {
    ::munmap(memory, sizeBytes);
}

Peer::Peer(std::uint32_t processor, const std::function<void()>& body) : pid_(::fork()) {
    if (pid_ < 0) {
        fail(std::string("fork: ") + std::strerror(errno));
    }
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        pinTo(processor);
        // The exit handlers of the parent's objects must not run in this process.
        (void)std::atexit([] { ::_exit(0); });
        body();
        std::exit(0);
    }
}

Peer::~Peer() {
    if (pid_ >= 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

bool Peer::hasEnded() {
    if (pid_ >= 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
    }
    return pid_ < 0;
}

void Peer::awaitEnd() {
    if (pid_ >= 0) {
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
}

}  // namespace nnburst::bench
