// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The limit on the time for which a promise of a peer is awaited. On the event loop's thread.

#include <kj/async.h>
#include <kj/time.h>

#include "device/rpc/event_loop.h"

namespace nnburst::device {

/// How long a promise that a peer has sent may take to be resolved.
inline constexpr kj::Duration kResolutionTimeout = 5 * kj::SECONDS;

[[noreturn]] void throwUnresolved();

/// Fails after kResolutionTimeout: to be joined with what waits for a promise of a peer.
template <class T>
[[nodiscard]] kj::Promise<T> resolutionTimeout(EventLoop& loop) {
    return loop.timer().afterDelay(kResolutionTimeout).then([]() -> T { throwUnresolved(); });
}

}  // namespace nnburst::device
