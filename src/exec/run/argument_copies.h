// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies of request arguments: gigabytes take seconds, within which an execution has to yield to
/// others, and to end when its deadline passes or its client goes.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "exec/plan/run_limits.h"
#include "memory/interruptible.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "system/scheduling.h"

namespace nnburst::exec {

/// Copies arguments of one execution in pieces, between which it yields, if `limits` have a pass,
/// and checks the limits. MISSED_DEADLINE_PERSISTENT after the deadline, GENERAL_FAILURE once the
/// client has gone. Used by one thread.
class ArgumentCopies {
  public:
    explicit ArgumentCopies(const RunLimits& limits) noexcept
        : limits_(limits), timeLimit_(limits_.timeLimit()) {}

    /// As std::memcpy.
    [[nodiscard]] Result<> copy(std::byte* to, const std::byte* from, std::size_t bytes) {
        return inPieces(bytes, [&](std::size_t at, std::size_t piece) {
            std::memcpy(to + at, from + at, piece);
            return Result<>();
        });
    }

    /// As Region::read, with its errors. May block, so the caller must not be in a pass of the
    /// gate. In a driver the thread has a low priority from kForeignBytesOfUsualPriority on.
    [[nodiscard]] Result<> read(const Region& region, std::uint64_t offset,
                                std::span<std::byte> destination) {
        beginForeign(destination.size());
        return inPieces(destination.size(), [&](std::size_t at, std::size_t piece) {
            return region.read(offset + at, destination.subspan(at, piece));
        });
    }

    /// As Region::write, with its errors. Otherwise as `read`.
    [[nodiscard]] Result<> write(const Region& region, std::uint64_t offset,
                                 std::span<const std::byte> source) {
        beginForeign(source.size());
        return inPieces(source.size(), [&](std::size_t at, std::size_t piece) {
            return region.write(offset + at, source.subspan(at, piece));
        });
    }

  private:
    /// Limit on what is read or written with the usual priority: about 1 ms. More than the inputs
    /// of most image networks.
    static constexpr std::size_t kForeignBytesOfUsualPriority = std::size_t{4} << 20;

    /// The gate does not limit what `bytes` of foreign memory cost other clients. Without an
    /// account the thread belongs to an application, which has no others.
    void beginForeign(std::size_t bytes) noexcept {
        foreignBytes_ += bytes;
        if (limits_.account != nullptr && foreignBytes_ > kForeignBytesOfUsualPriority &&
            !lowPriority_) {
            lowPriority_.emplace();
        }
    }

    template <class CopyPiece>
    Result<> inPieces(std::size_t bytes, const CopyPiece& copyPiece) {
        Result<> result;
        const bool hasEndedEarly = forEachPiece(
            bytes, [&](std::size_t at, std::size_t piece) { result = copyPiece(at, piece); },
            [&](std::size_t work) { return !result || timeLimit_.isOverAfter(work); });
        if (result && hasEndedEarly) {
            return limits_.endedInCopies();
        }
        return result;
    }

    const RunLimits limits_;
    TimeLimit timeLimit_;
    std::size_t foreignBytes_ = 0;
    std::optional<system::ScopedLowPriority> lowPriority_;
};

}  // namespace nnburst::exec
