// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Submissions of bursts that run each execution while it is submitted.

#include <sys/eventfd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "burst/burst_errors.h"
#include "burst/memory_ranges.h"
#include "nnburst/burst.h"
#include "nnburst/result.h"
#include "nnburst/unique_fd.h"

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
    /// result. RESOURCE_EXHAUSTED_TRANSIENT without room or memory; INVALID_ARGUMENT if an output
    /// of `request` overlaps with one of an execution that was not waited for.
    template <class Run>
    [[nodiscard]] Result<Submission> add(const Request& request, Run run) {
        try {
            return tryAdd(request, run);
        } catch (const std::bad_alloc&) {
            return outOfMemory();
        }
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

    /// Burst::completionDescriptor. Never readable: an execution ends before `submit` returns, so
    /// Burst::armCompletion tells of all that have ended.
    [[nodiscard]] Result<int> completionDescriptor() {
        if (!neverReadable_) {
            neverReadable_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
        }
        if (!neverReadable_) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           "cannot make the completion descriptor: no descriptor is left");
        }
        return neverReadable_.get();
    }

  private:
    struct Entry {
        Submission submission{};  ///< none: the entry is free
        Result<> status;
        ExecutionOutcome outcome;
        std::vector<MemoryRange> outputs;
    };

    static bool isFree(const Entry& entry) noexcept { return entry.submission == Submission{}; }

    template <class Run>
    Result<Submission> tryAdd(const Request& request, Run& run) {
        const auto entry = std::find_if(entries_.begin(), entries_.end(), isFree);
        if (entry == entries_.end()) {
            return noRoom();
        }
        collectOutputRanges(request, entry->outputs);
        for (const Entry& other : entries_) {
            if (!isFree(other) && overlap(entry->outputs, other.outputs)) {
                return overlapping(other.submission);
            }
        }
        entry->status = run(entry->outcome);
        entry->submission = Submission{++lastSubmission_};  // not before: `run` may throw
        return entry->submission;
    }

    std::vector<Entry> entries_;
    std::uint64_t lastSubmission_ = 0;
    UniqueFd neverReadable_;
};

}  // namespace nnburst::burst
