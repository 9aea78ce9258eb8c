// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capability of the driver's device, as one client has it: answers the calls of rpc::Device.

#include <memory>

#include "device/driver/work_tracker.h"
#include "device/local/local_device.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/nnburst.capnp.h"

namespace nnburst::device {

/// The capability of `device`, which is for this client. `peer` has the descriptors that the client
/// sends, and `work` tracks its calls and preparations. On the loop's thread.
[[nodiscard]] rpc::Device::Client serveDevice(EventLoop& loop, std::shared_ptr<LocalDevice> device,
                                              SharedPeer peer, std::shared_ptr<WorkTracker> work);

}  // namespace nnburst::device
