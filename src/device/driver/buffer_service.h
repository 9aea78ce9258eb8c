// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capability of a driver-managed buffer in the driver.

#include <memory>

#include "device/driver/client_context.h"
#include "device/local/local_buffer.h"
#include "device/rpc/nnburst.capnp.h"

namespace nnburst::device {

/// The capability of `buffer`. On the loop's thread.
[[nodiscard]] rpc::Buffer::Client serveBuffer(SharedClientContext client,
                                              std::shared_ptr<LocalBuffer> buffer);

}  // namespace nnburst::device
