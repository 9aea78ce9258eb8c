// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The outputs of executions through bursts that the driver has not answered, and which it may
/// still write.

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "burst/burst_errors.h"
#include "burst/give_up_time.h"
#include "burst/memory_ranges.h"
#include "nnburst/burst.h"

namespace nnburst::runtime {

/// Burst::waitForMemory for several threads at a time: while one of them waits in the burst, or
/// looks at it, the others try again.
[[nodiscard]] inline Result<> waitForMemoryOf(Burst& burst, const OptionalTimePoint& deadline) {
    while (true) {
        Result<> waited = burst.waitForMemory(deadline);
        if (waited || waited.error().status != ErrorStatus::GENERAL_FAILURE) {
            return waited;
        }
        const TimePoint now = std::chrono::steady_clock::now();
        if (deadline && now >= *deadline) {
            return burst::memoryStillInUse();
        }
        std::this_thread::sleep_until(
            std::min(deadline.value_or(TimePoint::max()), now + burst::kAnswerPollInterval));
    }
}

/// A `Holder` has the burst, or the bursts, of an execution; only it knows whether the driver has
/// answered (`isMemoryInUse`, `waitForMemory`). Used by one thread at a time.
template <class Holder>
class MemoryInUse {
  public:
    /// The execution of `request` has ended without an answer.
    void add(std::shared_ptr<Holder> holder, const Request& request) {
        Execution& execution = executions_.emplace_back();
        execution.holder = std::move(holder);
        burst::collectOutputRanges(request, execution.outputs);
    }

    /// Forgets the executions that were answered meanwhile.
    void dropAnswered() {
        std::erase_if(executions_, [](const Execution& execution) {
            return !execution.holder->isMemoryInUse();
        });
    }

    [[nodiscard]] bool isEmpty() const noexcept { return executions_.empty(); }

    /// Whether an input or output of `request` overlaps with memory in use.
    [[nodiscard]] bool isUsedBy(const Request& request) const {
        if (executions_.empty()) {
            return false;
        }
        const std::vector<burst::MemoryRange> memory = burst::memoryOf(request);
        return std::any_of(executions_.begin(), executions_.end(), [&](const Execution& execution) {
            return burst::overlap(memory, execution.outputs);
        });
    }

    [[nodiscard]] std::vector<std::shared_ptr<Holder>> holders() const {
        std::vector<std::shared_ptr<Holder>> holders;
        for (const Execution& execution : executions_) {
            holders.push_back(execution.holder);
        }
        return holders;
    }

  private:
    struct Execution {
        std::shared_ptr<Holder> holder;
        std::vector<burst::MemoryRange> outputs;
    };
    std::vector<Execution> executions_;
};

}  // namespace nnburst::runtime
