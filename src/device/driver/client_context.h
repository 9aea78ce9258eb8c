// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the services of one client share.

#include <memory>

#include "burst/serving_thread_pool.h"
#include "device/driver/work_tracker.h"
#include "device/local/scheduler.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/event_loop.h"

namespace nnburst::device {

/// Made once per connection. Used and destroyed on the event loop's thread.
struct ClientContext {
    EventLoop& loop;
    std::shared_ptr<Scheduler::Client> scheduler;              ///< for its jobs
    std::shared_ptr<burst::ServingThreadPool> servingThreads;  ///< for its bursts
    SharedPeer peer;                                           ///< owns the descriptors it sends
    std::shared_ptr<WorkTracker> work;                         ///< tracks what is accepted
};

using SharedClientContext = std::shared_ptr<const ClientContext>;

}  // namespace nnburst::device
