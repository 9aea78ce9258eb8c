// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a promise of a peer may be resolved to.

#include <capnp/rpc.capnp.h>

#include "nnburst/result.h"

namespace nnburst::device {

/// INVALID_ARGUMENT if `resolve` resolves a promise to anything but an object or an exception. This
/// library sends no promises. The RPC system of a receiver would use a promise that is resolved to
/// itself without end, on the stack or on the event loop, and would destroy a chain of promises by
/// recursion: one of 300,000 overflows the stack.
[[nodiscard]] Result<> checkResolution(capnp::rpc::Resolve::Reader resolve);

}  // namespace nnburst::device
