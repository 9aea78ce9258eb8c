// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The driver's end of a burst: takes frames out of the request queue, checks them, runs the model
/// on the client's memory in place and answers.

#include <cstdint>
#include <memory>

#include "burst/control_plane.h"
#include "burst/serving_thread_pool.h"
#include "exec/run/executable.h"
#include "nnburst/device.h"

namespace nnburst::burst {

/// Serves one burst, from `create` until it is destroyed or stopped.
class Server {
  public:
    /// Checks the layout of `channel`, which the client made and may change at any time, maps it
    /// and starts serving, on threads of `servingThreads`. `executable` has a model and buffers.
    /// `wait` is what the client requested; the driver may wait less. INVALID_ARGUMENT if the
    /// region is not a channel, or is one of another version (naming both).
    [[nodiscard]] static Result<std::unique_ptr<Server>> create(
        SharedRegion channel, exec::Executable executable,
        std::shared_ptr<DriverControlPlane> controlPlane, const WaitPolicy& wait,
        std::shared_ptr<ServingThreadPool> servingThreads);

    /// Stops, and waits for the execution that is running.
    virtual ~Server() = default;

    /// What the client rings while the burst is parked (ServingThreadPool::Registration). Once.
    [[nodiscard]] virtual UniqueFd takeDoorbell() noexcept = 0;

    /// Serves no further request, and does not wait for the one that is being served. Any thread,
    /// does not block.
    virtual void stop() noexcept = 0;

    /// IBurstContext::freeMemory: no request that arrives after this call uses the slot's old
    /// memory. It is unmapped by the thread that serves, after the execution that is running. Any
    /// thread, waits for no execution.
    virtual void freeMemory(std::int32_t slot) noexcept = 0;
};

}  // namespace nnburst::burst
