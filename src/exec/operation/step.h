// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The interface between the planner and the kernels: one operation of a plan, in the three phases
/// of every kernel library. Creation (by the functions that give steps) packs weights, `setUp`
/// takes the addresses of operands, `run` computes. Steps are used by one thread at a time.

#include <cstddef>
#include <memory>
#include <span>

#include "exec/operation/time_limit.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Whether input `index` of an operation is one that steps may pack: the weights or the bias of a
/// layer. Runs read all other inputs where they lie, even if they are constants.
[[nodiscard]] constexpr bool isPackable(std::size_t index) noexcept {
    return index == 1 || index == 2;
}

class Step {
  public:
    virtual ~Step() = default;

    /// Bytes of scratch memory that a run needs, aligned to a cache line.
    [[nodiscard]] virtual std::size_t scratchBytes() const noexcept { return 0; }

    /// Bytes that the step keeps for itself from run to run: operators of XNNPACK, tables and
    /// converted constants, no scratch memory, and no weights that steps share. A table that steps
    /// share counts for the one that made it. All of them are there after `setUp`.
    [[nodiscard]] virtual std::size_t keptBytes() const noexcept { return 0; }

    /// Whether the next run fills a table that the step keeps, so that it takes longer than later
    /// ones.
    [[nodiscard]] virtual bool fillsTable() const noexcept { return false; }

    /// Whether the inputs of `isPackable`, constants, were packed when the step was created: then
    /// runs do not read them.
    [[nodiscard]] virtual bool hasPackedConstants() const noexcept { return false; }

    /// Whether several kernel threads share the work of a run.
    [[nodiscard]] virtual bool isMultithreaded() const noexcept { return false; }

    /// Takes the addresses of the inputs, then of the outputs (null for those that are omitted),
    /// then of the scratch memory if there is any. Reads and writes none of them. The array stays
    /// where it is for the life of the step. Called before the first run and when an address has
    /// changed; allocates the first time only.
    [[nodiscard]] virtual Result<> setUp(std::span<std::byte* const> operands) = 0;

    /// Computes the outputs. Allocates nothing but an error's message. A long run ends early when
    /// `limit` is over, which its caller has to check.
    [[nodiscard]] virtual Result<> run(TimeLimit& limit) = 0;
};

}  // namespace nnburst::exec
