// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which implementations the operations of one model use. Chosen by the engine; never changes.

#include <pthreadpool.h>

#include <memory>

#include "exec/dot8/microkernel.h"
#include "exec/plan/profile.h"
#include "exec/threads/kernel_threads.h"

namespace nnburst::exec {

/// Copies share the threads.
struct Kernels {
    bool usesXnnpack = true;
    /// Our own 8-bit kernels; null to do without them.
    const dot8::Microkernels* dot8 = nullptr;
    /// Null for one thread: kernels then run on the calling thread, without system calls.
    std::shared_ptr<const KernelThreads> threads;
    /// Records the runs of steps; null without a profiler.
    Profile* profile = nullptr;

    [[nodiscard]] pthreadpool_t pool() const noexcept {
        return threads ? threads->pool() : nullptr;
    }
};

}  // namespace nnburst::exec
