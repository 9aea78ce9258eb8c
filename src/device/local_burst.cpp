// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local_burst.h"

#include <utility>

namespace nnburst::device {

LocalBurst::LocalBurst(exec::Executable executable) noexcept : execution_(std::move(executable)) {}

Result<> LocalBurst::execute(const Request& request, const ExecutionOptions& options,
                             ExecutionOutcome& outcome) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) {
        outcome.outputShapes.clear();
        outcome.timing = {};
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "another thread is executing on this burst; a burst executes one request "
                       "at a time");
    }
    return execution_.execute(request, options, arrivalTime(options), outcome);
}

void LocalBurst::freeMemory(const SharedRegion& region) {
    const std::lock_guard lock(mutex_);
    execution_.forget(region);
}

}  // namespace nnburst::device
