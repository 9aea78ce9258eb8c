// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The outputs of executions over the control plane that the driver has not answered in time, and
/// which it may still write.

#include <chrono>
#include <span>
#include <vector>

#include "burst/control_plane.h"
#include "burst/output_ranges.h"
#include "nnburst/types.h"

namespace nnburst::burst {

/// Until when the answer to an execution over the control plane is awaited: `grace` after its
/// deadline, or after now if that is later. For ever without a deadline.
[[nodiscard]] OptionalTimePoint answerAwaitedUntil(const OptionalTimePoint& deadline,
                                                   std::chrono::milliseconds grace) noexcept;

/// Interval at which a thread that waits for memory polls for answers. Those over the control plane
/// do not wake it.
inline constexpr std::chrono::milliseconds kAnswerPollInterval{10};

/// Used by one thread at a time.
class UnansweredOutputs {
  public:
    /// `answered` becomes true when the driver has answered the execution of `request`.
    void add(const Request& request, AnswerFlag answered);

    [[nodiscard]] bool isEmpty() const noexcept { return executions_.empty(); }

    /// Whether memory of `ranges` is in use.
    [[nodiscard]] bool overlapWith(std::span<const MemoryRange> ranges) const noexcept;

    /// Forgets the executions that were answered meanwhile.
    void dropAnswered() noexcept;

  private:
    struct Execution {
        AnswerFlag answered;
        std::vector<MemoryRange> outputs;
    };
    std::vector<Execution> executions_;
};

}  // namespace nnburst::burst
