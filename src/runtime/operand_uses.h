// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which operation of a subgraph computes an operand, and which operations read it.

#include <cstdint>
#include <vector>

#include "nnburst/types.h"

namespace nnburst::runtime {

/// Stands for the producer of an operand that no operation computes.
inline constexpr std::uint32_t kNoOperation = UINT32_MAX;

struct OperandUse {
    std::uint32_t producer = kNoOperation;
    std::vector<std::uint32_t> consumers;  ///< in ascending order, each once
};

/// One entry for each operand of `subgraph`, which is valid.
[[nodiscard]] std::vector<OperandUse> operandUses(const Subgraph& subgraph);

/// The operand has a value without any execution: it is a constant, is omitted, or names a
/// subgraph.
[[nodiscard]] constexpr bool isGiven(const Operand& operand) noexcept {
    return operand.lifetime == OperandLifeTime::CONSTANT_COPY ||
           operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE ||
           operand.lifetime == OperandLifeTime::NO_VALUE ||
           operand.lifetime == OperandLifeTime::SUBGRAPH;
}

}  // namespace nnburst::runtime
