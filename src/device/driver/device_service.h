// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capability of the driver's device, as one client has it: answers the calls of rpc::Device.

#include <memory>

#include "device/driver/client_context.h"
#include "device/local/local_device.h"
#include "device/rpc/nnburst.capnp.h"

namespace nnburst::device {

/// The capability of `device`, which is for this client. On the loop's thread.
[[nodiscard]] rpc::Device::Client serveDevice(SharedClientContext client,
                                              std::shared_ptr<LocalDevice> device);

}  // namespace nnburst::device
