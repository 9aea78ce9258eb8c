// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A connection that is refused: its client gets the reason.

#include <kj/async-io.h>
#include <kj/async.h>

#include "device/rpc/event_loop.h"
#include "device/rpc/protocol_version.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Answers `open` with `reason` and nothing else. Resolves when the client has gone, at the latest
/// after some seconds. On the event loop's thread.
[[nodiscard]] kj::Promise<void> serveRefusal(EventLoop& loop,
                                             kj::Own<kj::AsyncCapabilityStream> client,
                                             const ProtocolVersions& versions, const Error& reason);

}  // namespace nnburst::device
