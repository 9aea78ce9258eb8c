// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Fences: descriptors that become readable when something has happened, for
/// PreparedModel::executeFenced. An eventfd, a pipe, a timerfd and a sync_file of a graphics driver
/// are fences; other descriptors may take long to poll or to close. Those that nnburst makes are
/// eventfds with a state of error: Linux has no such thing outside of sync_file, so the largest
/// count stands for it.

#include <cstdint>

#include "nnburst/export.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

enum class FenceState : std::uint8_t {
    PENDING,
    SIGNALED,
    /// What it stands for has failed: an eventfd at its largest count, a descriptor that poll(2)
    /// reports an error of, or one whose other end is gone without a sign.
    FAILED,
};

/// A new fence (eventfd(2), close-on-exec, non-blocking), pending.
[[nodiscard]] NNBURST_EXPORT Result<UniqueFd> makeFence();

/// Signals a fence of makeFence that is pending; others stay as they are. Thread-safe.
NNBURST_EXPORT void signalFence(int fence) noexcept;
/// Signals that what the fence stands for has failed. As signalFence.
NNBURST_EXPORT void failFence(int fence) noexcept;

/// The state of any fence; does not change it. INVALID_ARGUMENT for another descriptor;
/// RESOURCE_EXHAUSTED_TRANSIENT if looking for a failure needs a descriptor and none is free.
[[nodiscard]] NNBURST_EXPORT Result<FenceState> fenceState(int fence);

/// Waits until `fence` is signalled. GENERAL_FAILURE if it fails, MISSED_DEADLINE_TRANSIENT at the
/// deadline; other errors as fenceState.
[[nodiscard]] NNBURST_EXPORT Result<> waitForFence(
    int fence, const OptionalTimePoint& deadline = std::nullopt);

}  // namespace nnburst
