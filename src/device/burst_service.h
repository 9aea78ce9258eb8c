// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A burst as the driver offers it to a client: the capability that holds a burst::Server.

#include <chrono>
#include <memory>

#include "device/event_loop.h"
#include "device/nnburst.capnp.h"
#include "device/scheduler.h"
#include "exec/executable.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Starts to serve the burst of `channel`, until the capability is dropped. On the loop's thread.
[[nodiscard]] Result<rpc::Burst::Client> serveBurst(
    EventLoop& loop, std::shared_ptr<Scheduler::Client> scheduler, SharedRegion channel,
    exec::Executable executable, rpc::BurstCallback::Client callback, const WaitPolicy& wait);

}  // namespace nnburst::device
