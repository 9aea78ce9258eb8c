// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies of request arguments: gigabytes take seconds, within which an execution has to end when
/// its deadline passes or its client goes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "exec/plan/run_limits.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Copies the arguments of one execution in pieces, between which it checks the limits.
/// MISSED_DEADLINE_PERSISTENT after the deadline, GENERAL_FAILURE once the client has gone. Used by
/// one thread.
class ArgumentCopies {
  public:
    /// `client`, which may be null, must outlive it.
    ArgumentCopies(const OptionalTimePoint& deadline, const ClientShare* client) noexcept
        : limits_{.deadline = deadline,
                  .isCancelled = client == nullptr ? nullptr : &client->isCancelled()},
          timeLimit_(limits_.timeLimit()) {}

    /// As std::memcpy.
    [[nodiscard]] Result<> copy(std::byte* to, const std::byte* from, std::size_t bytes) {
        return inPieces(bytes, [&](std::size_t at, std::size_t piece) {
            std::memcpy(to + at, from + at, piece);
            return Result<>();
        });
    }

    /// As Region::read, with its errors.
    [[nodiscard]] Result<> read(const Region& region, std::uint64_t offset,
                                std::span<std::byte> destination) {
        return inPieces(destination.size(), [&](std::size_t at, std::size_t piece) {
            return region.read(offset + at, destination.subspan(at, piece));
        });
    }

    /// As Region::write, with its errors.
    [[nodiscard]] Result<> write(const Region& region, std::uint64_t offset,
                                 std::span<const std::byte> source) {
        return inPieces(source.size(), [&](std::size_t at, std::size_t piece) {
            return region.write(offset + at, source.subspan(at, piece));
        });
    }

  private:
    static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // some 0.2 ms
    static constexpr std::size_t kBytesPerElement = 16;  // which take as long as one of a kernel

    template <class CopyPiece>
    Result<> inPieces(std::size_t bytes, const CopyPiece& copyPiece) {
        for (std::size_t at = 0; at < bytes; at += kPieceBytes) {
            const std::size_t piece = std::min(kPieceBytes, bytes - at);
            NNBURST_TRY(copyPiece(at, piece));
            if (timeLimit_.isOverAfter(piece / kBytesPerElement)) {
                return limits_.endedInCopies();
            }
        }
        return {};
    }

    const RunLimits limits_;
    TimeLimit timeLimit_;
};

}  // namespace nnburst::exec
