// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executions of a burst that are in flight: sent, and not yet given back to the application.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "burst/reusable_request.h"
#include "nnburst/device.h"

namespace nnburst::burst {

/// Memory that an execution writes.
struct OutputRange {
    std::uint64_t memory = 0;  ///< the region's id, or the buffer's token
    bool isToken = false;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    [[nodiscard]] bool overlaps(const OutputRange& other) const noexcept {
        const bool isSame = isToken == other.isToken && memory == other.memory;
        return isSame && (isToken || (begin < other.end && other.begin < end));
    }
};

/// The outputs of `request`, in place of those in `ranges`. Arguments that name no pool are left to
/// the check of the request.
inline void collectOutputs(const Request& request, std::vector<OutputRange>& ranges) {
    ranges.clear();
    for (const RequestArgument& output : request.outputs) {
        if (output.hasNoValue || output.location.poolIndex >= request.pools.size()) {
            continue;
        }
        const RequestPool& pool = request.pools[output.location.poolIndex];
        if (const auto* token = std::get_if<BufferToken>(&pool)) {
            ranges.push_back({.memory = static_cast<std::uint64_t>(*token), .isToken = true});
        } else if (const SharedRegion& region = std::get<SharedRegion>(pool)) {
            ranges.push_back(
                {.memory = region->id(),
                 .begin = output.location.offset,
                 .end = std::uint64_t{output.location.offset} + output.location.length});
        }
    }
}

/// Whether two executions write the same memory.
[[nodiscard]] inline bool overlap(const std::vector<OutputRange>& ours,
                                  const std::vector<OutputRange>& theirs) noexcept {
    return std::any_of(ours.begin(), ours.end(), [&](const OutputRange& range) {
        return std::any_of(theirs.begin(), theirs.end(),
                           [&](const OutputRange& other) { return other.overlaps(range); });
    });
}

/// What `submit` says of outputs that overlap.
[[nodiscard]] inline tl::unexpected<Error> overlapping(Submission other) {
    return failure(ErrorStatus::INVALID_ARGUMENT,
                   "submit: an output overlaps with one of submission " +
                       std::to_string(static_cast<std::uint64_t>(other)) +
                       ", which is in flight: wait for it first");
}

/// What `submit` says when `count` executions are in flight, which are as many as may be.
[[nodiscard]] inline tl::unexpected<Error> tooManyInFlight(std::size_t count) {
    return failure(
        ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
        std::to_string(count) +
            " executions are in flight on this burst: wait for one, or configure it with "
            "more (BurstOptions::inFlight)");
}

/// What `wait` says of a submission that is not, or no longer, in flight.
[[nodiscard]] inline tl::unexpected<Error> notInFlight(Submission submission) {
    return failure(ErrorStatus::INVALID_ARGUMENT,
                   "wait: submission " + std::to_string(static_cast<std::uint64_t>(submission)) +
                       " is not in flight: each can be waited for once");
}

/// One execution, from its launch until the application has its result. Reused.
struct Flight {
    bool isTaken = false;
    Submission submission{};
    /// Of the frame whose result is awaited; 0 before it is sent. Never used twice, so that a late
    /// result of an execution that was given up matches none.
    std::uint64_t serial = 0;
    const Request* request = nullptr;
    ReusableRequest* reusable = nullptr;
    ExecutionOptions options;
    std::uint64_t slotVersion = 0;  ///< of the slots in its frame
    std::uint64_t resultLines = 0;  ///< kept free for its result
    bool isDone = false;            ///< `status` and `*outcome` are its result
    Result<> status;
    ExecutionOutcome* outcome = nullptr;

    // Of an execution that was submitted: what has to live until its result is given.
    ExecutionOutcome ownOutcome;
    Request ownRequest;
    std::shared_ptr<ReusableRequest> ownReusable;
    std::vector<OutputRange> outputs;
};

}  // namespace nnburst::burst
