// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capability of a burst in the driver, which holds a burst::Server.

#include "device/driver/client_context.h"
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

/// Starts to serve the burst of `channel` on serving threads, until the capability is dropped. On
/// the loop's thread.
[[nodiscard]] Result<ServedBurst> serveBurst(SharedClientContext client, SharedRegion channel,
                                             exec::Executable executable,
                                             rpc::BurstCallback::Client callback,
                                             const WaitPolicy& wait);

}  // namespace nnburst::device
