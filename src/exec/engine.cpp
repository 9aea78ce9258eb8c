// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/engine.h"

#include <xnnpack.h>

#include <algorithm>
#include <thread>

#include "exec/xnnpack/allocator.h"
#include "model/invalid.h"

namespace nnburst::exec {

Result<std::shared_ptr<Engine>> Engine::create(const DriverOptions& options) {
    if (options.threads == 0 || options.threads > kMaximumThreads) {
        return invalid("cannot start an engine with {} threads; must be 1 to {}", options.threads,
                       kMaximumThreads);
    }
    // A pool of threads does one thing at a time; without one, executions run beside each other.
    const std::uint32_t laneCount =
        options.threads > 1 ? 1 : std::max(1U, std::thread::hardware_concurrency());
    if (!options.useXnnpack) {
        return std::make_shared<KernelEngine>(false, nullptr, laneCount);
    }
    // Once per process, whatever the number of calls; what it sets up stays.
    if (const xnn_status status = xnn_initialize(&xnnpack::allocator());
        status != xnn_status_success) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("cannot initialise XNNPACK: its status is {}", static_cast<int>(status)));
    }
    pthreadpool_t threads = nullptr;
    if (options.threads > 1) {
        threads = pthreadpool_create(options.threads);
        if (threads == nullptr) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           fmt::format("cannot create a pool of {} threads", options.threads));
        }
    }
    return std::make_shared<KernelEngine>(true, threads, laneCount);
}

}  // namespace nnburst::exec
