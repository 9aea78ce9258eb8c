// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capability of a burst in the driver, which holds a burst::Server.

#include <chrono>
#include <memory>

#include "burst/serving_threads.h"
#include "device/driver/work_tracker.h"
#include "device/local/scheduler.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/nnburst.capnp.h"
#include "exec/run/executable.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// What is sent to the client about its burst.
struct ServedBurst {
    rpc::Burst::Client burst;
    rpc::File::Client doorbell;
};

/// Starts to serve the burst of `channel` on threads of `pool`, until the capability is dropped.
/// On the loop's thread.
[[nodiscard]] Result<ServedBurst> serveBurst(EventLoop& loop,
                                             std::shared_ptr<Scheduler::Client> scheduler,
                                             const std::shared_ptr<burst::ServingThreadPool>& pool,
                                             SharedRegion channel, exec::Executable executable,
                                             rpc::BurstCallback::Client callback,
                                             const WaitPolicy& wait, SharedPeer peer,
                                             std::shared_ptr<WorkTracker> work);

}  // namespace nnburst::device
