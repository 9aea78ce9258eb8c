// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which operation of a subgraph makes an operand, and which take it.

#include <cstdint>
#include <vector>

#include "nnburst/types.h"

namespace nnburst::runtime {

/// No operation makes the operand.
inline constexpr std::uint32_t kNoOperation = UINT32_MAX;

struct OperandUse {
    std::uint32_t producer = kNoOperation;
    std::vector<std::uint32_t> consumers;  ///< in ascending order, each once
};

/// One entry an operand of `subgraph`, which is valid.
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
