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
#include <cstring>
#include <string>

#include "fail.h"

namespace nnburst::bench {

std::optional<ProcessorPair> processorPair() {
    static const std::optional<ProcessorPair> pair = []() -> std::optional<ProcessorPair> {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
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
    if (::sched_setaffinity(0, sizeof(only), &only) != 0) {
        fail(std::string("sched_setaffinity: ") + std::strerror(errno));
    }
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
        body();
        ::_exit(0);
    }
}

Peer::~Peer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

}  // namespace nnburst::bench
