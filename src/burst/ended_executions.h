// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Submissions of bursts that run each execution while it is submitted.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "burst/output_ranges.h"
#include "burst/submission_errors.h"
#include "nnburst/burst.h"
#include "nnburst/result.h"

namespace nnburst::burst {

/// The results of executions that were submitted and not yet waited for, with the rules of
/// Burst::submit and Burst::wait. One thread at a time.
class EndedExecutions {
  public:
    /// Has room for `capacity` results.
    explicit EndedExecutions(std::uint32_t capacity) : entries_(capacity) {}

    [[nodiscard]] bool isEmpty() const noexcept {
        return std::all_of(entries_.begin(), entries_.end(), isFree);
    }
    [[nodiscard]] bool hasRoom() const noexcept {
        return std::any_of(entries_.begin(), entries_.end(), isFree);
    }
    /// The error of `add` if there is no room.
    [[nodiscard]] tl::unexpected<Error> noRoom() const { return tooManyInFlight(entries_.size()); }

    /// Calls `run`, which runs `request` and overwrites the outcome that it is given, and keeps the
    /// result. RESOURCE_EXHAUSTED_TRANSIENT without room; INVALID_ARGUMENT if an output of
    /// `request` overlaps with one of an execution that was not waited for.
    template <class Run>
    [[nodiscard]] Result<Submission> add(const Request& request, Run run) {
        const auto entry = std::find_if(entries_.begin(), entries_.end(), isFree);
        if (entry == entries_.end()) {
            return noRoom();
        }
        collectOutputs(request, entry->outputs);
        for (const Entry& other : entries_) {
            if (!isFree(other) && overlap(entry->outputs, other.outputs)) {
                return overlapping(other.submission);
            }
        }
        entry->submission = Submission{++lastSubmission_};
        entry->status = run(entry->outcome);
        return entry->submission;
    }

    /// The result and the outcome of a submission, once.
    [[nodiscard]] Result<> take(Submission submission, ExecutionOutcome& outcome) {
        const auto entry =
            std::find_if(entries_.begin(), entries_.end(), [submission](const Entry& candidate) {
                return !isFree(candidate) && candidate.submission == submission;
            });
        if (entry == entries_.end()) {
            return failed(outcome, notInFlight(submission));
        }
        entry->submission = {};
        std::swap(outcome, entry->outcome);
        return std::move(entry->status);
    }

  private:
    struct Entry {
        Submission submission{};  ///< none: the entry is free
        Result<> status;
        ExecutionOutcome outcome;
        std::vector<MemoryRange> outputs;
    };

    static bool isFree(const Entry& entry) noexcept { return entry.submission == Submission{}; }

    std::vector<Entry> entries_;
    std::uint64_t lastSubmission_ = 0;
};

}  // namespace nnburst::burst
