// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The operands of IF and WHILE (HAL 1.3). Their definitions (reference/control_flow.cpp) check the
/// operands alone, graph/control_flow_check.h compares them with the subgraphs that they run, and
/// run/interpreter.h runs these.
///
///     IF     inputs: condition (BOOL8 of one element), then, else (SUBGRAPH), inputs of both
///            outputs: those of the subgraph that is run
///     WHILE  inputs: condition, body (SUBGRAPH), state that is an output too, state that is not,
///            values that stay
///            outputs: the first part of the state after the last iteration
///            condition(state, values) gives BOOL8 of one element; body(state, values) the state

#include <cstddef>
#include <cstdint>

namespace nnburst::exec {

/// How deep IF and WHILE may be nested: each level needs some of the thread's stack.
inline constexpr std::uint32_t kMaximumNesting = 64;

/// The most operations that one execution may run if each loop ends after one iteration: 2^24.
/// Subgraphs that run others several times double with each level, so a small model can ask for
/// work without end. So many operations take a second or more. Loops have time limits.
inline constexpr std::uint64_t kMaximumExpandedOperations = std::uint64_t{1} << 24;

/// The first inputs of IF: the condition and two subgraphs. Those of WHILE: two subgraphs.
inline constexpr std::size_t kIfSubgraphInputs = 3;
inline constexpr std::size_t kWhileSubgraphInputs = 2;

/// A truth value that another process may write to: read once.
[[nodiscard]] inline bool readCondition(const std::byte* data) noexcept {
    return *reinterpret_cast<const volatile std::uint8_t*>(data) != 0;
}

}  // namespace nnburst::exec
