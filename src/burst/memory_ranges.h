// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory that requests read and write, to find out whether two of them overlap.

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/types.h"

namespace nnburst::burst {

/// Memory of one request argument.
struct MemoryRange {
    std::uint64_t memory = 0;  ///< the region's id, or the buffer's token
    bool isToken = false;
    std::uint64_t begin = 0;  ///< bytes in the region
    std::uint64_t end = 0;

    /// A driver-managed buffer is written and read as a whole.
    [[nodiscard]] bool overlaps(const MemoryRange& other) const noexcept {
        const bool isSame = isToken == other.isToken && memory == other.memory;
        return isSame && (isToken || (begin < other.end && other.begin < end));
    }
};

/// Appends the memory of `arguments`, which are some of `request`. Arguments that name no pool are
/// left to the check of the request.
inline void appendRanges(const Request& request, const std::vector<RequestArgument>& arguments,
                         std::vector<MemoryRange>& ranges) {
    for (const RequestArgument& argument : arguments) {
        if (argument.hasNoValue || argument.location.poolIndex >= request.pools.size()) {
            continue;
        }
        const RequestPool& pool = request.pools[argument.location.poolIndex];
        if (const auto* token = std::get_if<BufferToken>(&pool)) {
            ranges.push_back({.memory = static_cast<std::uint64_t>(*token), .isToken = true});
        } else if (const SharedRegion& region = std::get<SharedRegion>(pool)) {
            ranges.push_back(
                {.memory = region->id(),
                 .begin = argument.location.offset,
                 .end = std::uint64_t{argument.location.offset} + argument.location.length});
        }
    }
}

/// The memory of the inputs and outputs of `request`.
[[nodiscard]] inline std::vector<MemoryRange> memoryOf(const Request& request) {
    std::vector<MemoryRange> ranges;
    appendRanges(request, request.inputs, ranges);
    appendRanges(request, request.outputs, ranges);
    return ranges;
}

/// Replaces `ranges` by the outputs of `request`.
inline void collectOutputRanges(const Request& request, std::vector<MemoryRange>& ranges) {
    ranges.clear();
    appendRanges(request, request.outputs, ranges);
}

[[nodiscard]] inline bool overlap(std::span<const MemoryRange> ours,
                                  std::span<const MemoryRange> theirs) noexcept {
    return std::any_of(ours.begin(), ours.end(), [&](const MemoryRange& range) {
        return std::any_of(theirs.begin(), theirs.end(),
                           [&](const MemoryRange& other) { return other.overlaps(range); });
    });
}

}  // namespace nnburst::burst
