// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capability of a driver-managed buffer in the driver.

#include <memory>

#include "device/local/local_buffer.h"
#include "device/local/scheduler.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/nnburst.capnp.h"

namespace nnburst::device {

/// The capability of `buffer`. On the loop's thread.
[[nodiscard]] rpc::Buffer::Client serveBuffer(EventLoop& loop,
                                              std::shared_ptr<Scheduler::Client> scheduler,
                                              std::shared_ptr<LocalBuffer> buffer, SharedPeer peer);

}  // namespace nnburst::device
