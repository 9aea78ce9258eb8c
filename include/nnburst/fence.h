// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Fences: descriptors that become readable when something has happened, for
/// PreparedModel::executeFenced. Eventfds, pipes, timerfds and sync_files of graphics drivers are
/// fences; other descriptors are refused, because polling or closing them may take long. A fence
/// can also fail: Linux has an error state for sync_files only, so an eventfd that nnburst makes
/// has failed if its count is the largest one.

#include <cstdint>

#include "nnburst/export.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// What a fence says of the work that it stands for.
enum class FenceState : std::uint8_t {
    PENDING,
    SIGNALED,
    /// The work has failed: an eventfd has its largest count, poll(2) reports an error of the
    /// descriptor, or its other end was closed without signalling.
    FAILED,
};

/// A new fence (eventfd(2), close-on-exec, non-blocking), pending.
[[nodiscard]] NNBURST_EXPORT Result<UniqueFd> makeFence();

/// Signals a fence of makeFence that is pending; others stay as they are. Thread-safe.
NNBURST_EXPORT void signalFence(int fence) noexcept;
/// Signals that the work of a pending fence has failed; otherwise as signalFence.
NNBURST_EXPORT void failFence(int fence) noexcept;

/// The state of any fence; does not change it. INVALID_ARGUMENT for another descriptor;
/// RESOURCE_EXHAUSTED_TRANSIENT if looking for a failure needs a descriptor and none is free.
[[nodiscard]] NNBURST_EXPORT Result<FenceState> fenceState(int fence);

/// Waits until `fence` is signalled. GENERAL_FAILURE if it fails, MISSED_DEADLINE_TRANSIENT at the
/// deadline; other errors as fenceState.
[[nodiscard]] NNBURST_EXPORT Result<> waitForFence(
    int fence, const OptionalTimePoint& deadline = std::nullopt);

}  // namespace nnburst
