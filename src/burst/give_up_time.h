// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How long a client waits for an answer of the driver.

#include <algorithm>
#include <chrono>

#include "nnburst/types.h"
#include "system/time.h"

namespace nnburst::burst {

/// When a client stops waiting for the driver's answer: `grace` after the later of `deadline` and
/// `from`. Never without a deadline.
[[nodiscard]] inline OptionalTimePoint giveUpAt(const OptionalTimePoint& deadline, TimePoint from,
                                                std::chrono::milliseconds grace) noexcept {
    if (!deadline) {
        return std::nullopt;
    }
    return system::saturatingAdd(std::max(*deadline, from), system::saturatingNanoseconds(grace));
}

/// The same for an answer that is awaited from now on.
[[nodiscard]] inline OptionalTimePoint giveUpAt(const OptionalTimePoint& deadline,
                                                std::chrono::milliseconds grace) noexcept {
    return giveUpAt(deadline, std::chrono::steady_clock::now(), grace);
}

/// Interval at which a thread that waits for memory polls for answers. Those over the control plane
/// do not wake it.
inline constexpr std::chrono::milliseconds kAnswerPollInterval{10};

}  // namespace nnburst::burst
