// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A compiled model with what belongs to one client's preparation of it.

#include <atomic>
#include <cstdint>
#include <memory>

#include "exec/run/compiled_model.h"
#include "exec/run/execution_counts.h"
#include "exec/run/managed_buffer.h"
#include "memory/recent_mappings.h"
#include "nnburst/hal_version.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Everything that executions of any kind need.
struct Executable {
    std::shared_ptr<CompiledModel> model;
    /// The buffers of the device, for requests that name some.
    std::shared_ptr<const ManagedBuffers> buffers;
    Priority priority = Priority::MEDIUM;  ///< among the executions of the same client
    /// The client's share of the engine; null: executions without a share have one together.
    std::shared_ptr<LaneShare> client = nullptr;
    /// Counts the executions of the client; null: they are not counted.
    std::shared_ptr<ExecutionCounts> counts = nullptr;
    /// Mappings of a driver's client, for its single executions; null in applications, where no
    /// memory may be kept after an execution.
    std::shared_ptr<RecentMappings> recentMappings = nullptr;
    /// Unique in this process. Buffers are allocated for a prepared model, not for its content.
    std::uint64_t preparedModel = 0;
    /// Executions follow the rules of this version.
    HalVersion version = kLatestHalVersion;

    std::uint32_t burstNumber = 0;  ///< from burst_registration.h; 0 without a burst
    /// Gets the pass of an execution, which the caller ends after short work of its own; null: the
    /// pass ends with the run.
    KeptPass* keptPass = nullptr;

    /// Becomes true when the client has gone; null: never.
    [[nodiscard]] const std::atomic<bool>* isCancelled() const noexcept {
        return client == nullptr ? nullptr : &client->isCancelled();
    }
    /// The caller of a run after which the session has long work, such as copying outputs: the pass
    /// ends with the run, so that other executions do not wait for that work.
    [[nodiscard]] Caller caller() const noexcept { return {priority, client.get(), burstNumber}; }
    /// The caller of a run after which little is left to do: the owner of `keptPass` ends the pass.
    [[nodiscard]] Caller callerKeepingPass() const noexcept {
        return {priority, client.get(), burstNumber, keptPass};
    }
};

}  // namespace nnburst::exec
