// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// In which order work is done that waits for the same thing: a processor, a job thread, a model.

#include <chrono>
#include <cstdint>

#include "nnburst/types.h"

namespace nnburst::exec {

/// How urgent a piece of work is.
struct Urgency {
    Priority priority = Priority::MEDIUM;
    OptionalTimePoint deadline;
};

/// Waiting work rises by one priority after each interval of this length, without limit, so that it
/// is done in the end whatever arrives later.
inline constexpr std::chrono::milliseconds kPromotionTime{1000};

/// Work that waits.
struct WaitingWork {
    Urgency urgency;
    TimePoint since;
    /// The order of arrival: among work of the same urgency the smaller number goes first.
    std::uint64_t arrival = 0;

    /// The priority that the work has risen to.
    [[nodiscard]] std::int64_t level(TimePoint now) const noexcept {
        return static_cast<std::int64_t>(urgency.priority) + (now - since) / kPromotionTime;
    }

    /// Higher priority first, then the earlier deadline, then the earlier arrival.
    [[nodiscard]] bool precedes(const WaitingWork& other, TimePoint now) const noexcept {
        const std::int64_t ours = level(now);
        const std::int64_t theirs = other.level(now);
        if (ours != theirs) {
            return ours > theirs;
        }
        const TimePoint ourEnd = urgency.deadline.value_or(TimePoint::max());
        const TimePoint theirEnd = other.urgency.deadline.value_or(TimePoint::max());
        return ourEnd != theirEnd ? ourEnd < theirEnd : arrival < other.arrival;
    }
};

}  // namespace nnburst::exec
