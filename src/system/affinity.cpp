// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/affinity.h"

#include <unistd.h>

namespace nnburst::system {

std::vector<std::uint32_t> usableProcessors() {
    std::vector<std::uint32_t> processors;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
        for (std::uint32_t processor = 0; processor < CPU_SETSIZE; ++processor) {
            if (CPU_ISSET(processor, &set)) {
                processors.push_back(processor);
            }
        }
    }
    return processors;
}

void runOn(std::span<const std::uint32_t> processors) noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const std::uint32_t processor : processors) {
        CPU_SET(processor, &set);
    }
    // A failure is ignored: the thread runs on other processors, perhaps slower.
    (void)::sched_setaffinity(0, sizeof(set), &set);
}

void moveTo(std::uint32_t processor) noexcept {
    const ThreadProcessors thread;
    if (processor < CPU_SETSIZE && CPU_ISSET(processor, &thread.all())) {
        thread.narrowTo(processor);
        thread.widen();
    }
}

ScopedCpuExclusion::ScopedCpuExclusion(std::span<const std::uint32_t> processors) noexcept {
    if (processors.empty() || ::sched_getaffinity(0, sizeof(before_), &before_) != 0) {
        return;
    }
    cpu_set_t others = before_;
    for (const std::uint32_t processor : processors) {
        CPU_CLR(processor, &others);
    }
    isOff_ = ::sched_setaffinity(0, sizeof(others), &others) == 0;
}

ScopedCpuExclusion::~ScopedCpuExclusion() {
    if (isOff_) {
        (void)::sched_setaffinity(0, sizeof(before_), &before_);
    }
}

ThreadProcessors::ThreadProcessors() noexcept : thread_(::gettid()) {
    (void)::sched_getaffinity(thread_, sizeof(processors_), &processors_);
}

void ThreadProcessors::narrowTo(std::uint32_t processor) const noexcept {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    // A failure is ignored: the thread runs on any of them, perhaps later.
    (void)::sched_setaffinity(thread_, sizeof(one), &one);
}

void ThreadProcessors::widen() const noexcept {
    (void)::sched_setaffinity(thread_, sizeof(processors_), &processors_);
}

}  // namespace nnburst::system
