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

/// After this long in the queue work rises by one priority, without limit: whatever comes, it is
/// done one day.
inline constexpr std::chrono::milliseconds kPromotionTime{1000};

/// Work that waits.
struct WaitingWork {
    Urgency urgency;
    TimePoint since;
    /// Among work of the same urgency the smaller number goes first: the order of arrival, or what
    /// is fair to those who brought it.
    std::uint64_t turn = 0;

    /// The priority that it has risen to.
    [[nodiscard]] std::int64_t level(TimePoint now) const noexcept {
        return static_cast<std::int64_t>(urgency.priority) + (now - since) / kPromotionTime;
    }

    /// Higher priority first, then the earlier deadline, then its turn.
    [[nodiscard]] bool precedes(const WaitingWork& other, TimePoint now) const noexcept {
        const std::int64_t ours = level(now);
        const std::int64_t theirs = other.level(now);
        if (ours != theirs) {
            return ours > theirs;
        }
        const TimePoint ourEnd = urgency.deadline.value_or(TimePoint::max());
        const TimePoint theirEnd = other.urgency.deadline.value_or(TimePoint::max());
        return ourEnd != theirEnd ? ourEnd < theirEnd : turn < other.turn;
    }
};

}  // namespace nnburst::exec
