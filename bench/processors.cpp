// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "processors.h"

#include <sched.h>

#include <cerrno>
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

}  // namespace nnburst::bench
