// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The outputs of executions over the control plane that the driver has not answered in time, and
/// which it may still write.

#include <list>
#include <span>
#include <vector>

#include "burst/control_plane.h"
#include "burst/memory_ranges.h"
#include "nnburst/types.h"

namespace nnburst::burst {

/// Used by one thread at a time.
class UnansweredOutputs {
    struct Execution {
        AnswerFlag answered;
        std::vector<MemoryRange> outputs;
    };

  public:
    /// One execution. Made before the driver is asked for it, because `add` must not fail.
    using Entry = std::list<Execution>;

    [[nodiscard]] static Entry entryOf(const Request& request);

    /// `answered` becomes true when the driver has answered the execution.
    void add(Entry execution, AnswerFlag answered) noexcept;

    [[nodiscard]] bool isEmpty() const noexcept { return executions_.empty(); }

    /// Whether memory of `ranges` is in use.
    [[nodiscard]] bool overlapWith(std::span<const MemoryRange> ranges) const noexcept;

    /// Forgets the executions that were answered meanwhile.
    void dropAnswered() noexcept;

  private:
    std::list<Execution> executions_;
};

}  // namespace nnburst::burst
