// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Between the types of kj and ours.

#include <kj/exception.h>
#include <kj/time.h>

#include <chrono>
#include <cstdint>

#include "nnburst/result.h"

namespace nnburst::device {

/// What an exception of the RPC system means: DEVICE_UNAVAILABLE if the connection is lost.
[[nodiscard]] Error toError(const kj::Exception& exception);

/// The error of `failed` in another type of result. For functions that give promises, where
/// NNBURST_TRY does not compile.
template <class T, class U>
[[nodiscard]] Result<T> failureOf(const Result<U>& failed) {
    return tl::unexpected<Error>(failed.error());
}

/// `duration` as the timers of kj take it.
[[nodiscard]] constexpr kj::Duration toKj(std::chrono::nanoseconds duration) {
    return static_cast<std::int64_t>(duration.count()) * kj::NANOSECONDS;
}

}  // namespace nnburst::device
