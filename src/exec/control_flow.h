// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// IF and WHILE (HAL 1.3): which subgraphs fit them, and the loop.
///
///     IF     inputs: condition (BOOL8 of one element), then, else (SUBGRAPH), inputs of both
///            outputs: those of the subgraph that is run
///     WHILE  inputs: condition, body (SUBGRAPH), state that is an output too, state that is not,
///            values that stay
///            outputs: the first part of the state after the last turn
///            condition(state, values) gives BOOL8 of one element; body(state, values) the state

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/aligned_buffer.h"
#include "exec/graph_runner.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// How deep IF and WHILE may be nested: each level needs some of the thread's stack.
inline constexpr std::uint32_t kMaximumNesting = 64;

/// The first inputs of IF: the condition and two subgraphs. Those of WHILE: two subgraphs.
inline constexpr std::size_t kIfSubgraphInputs = 3;
inline constexpr std::size_t kWhileSubgraphInputs = 2;

/// The referenced subgraphs that `operation` (IF or WHILE) of `subgraph` runs, by their index: then
/// and else, or condition and body. Requires an operation that its definition has checked.
[[nodiscard]] std::array<std::uint32_t, 2> referencedSubgraphs(const Subgraph& subgraph,
                                                               const Operation& operation);

/// Checks IF or WHILE against the subgraphs that it runs: numbers, types, quantisation and declared
/// dimensions of their inputs and outputs. Requires an operation that its definition has checked,
/// of a valid model.
[[nodiscard]] Result<> checkControlFlow(const Model& model, const Subgraph& subgraph,
                                        const Operation& operation);

/// A truth value that another process may write to: read once.
[[nodiscard]] inline bool readCondition(const std::byte* data) noexcept {
    return *reinterpret_cast<const volatile std::uint8_t*>(data) != 0;
}

/// The turns of one WHILE. Keeps the state of two turns, so that repeated runs allocate nothing.
class Loop {
  public:
    /// Runs `body` as long as `condition` gives true. `values` are the inputs of both, of which the
    /// first are the state; afterwards their state is that of the last turn, in memory of this
    /// object or, without any turn, where it was. MISSED_DEADLINE_PERSISTENT if the turns take
    /// longer than limits.loopTimeout.
    [[nodiscard]] Result<> run(GraphRunner& condition, GraphRunner& body,
                               std::vector<GraphInput>& values, const RunLimits& limits);

    /// Gives back the memory of the state until the next run.
    void releaseScratch() const noexcept;

  private:
    using Buffers = std::vector<GrowingBuffer>;
    class State;
    class Condition;

    Buffers current_;
    Buffers next_;
    std::vector<GraphInput> placed_;  // where the turn at hand puts the state
};

}  // namespace nnburst::exec
