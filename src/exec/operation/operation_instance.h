// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One operation of a graph, with its own views of its operands.

#include <cstdint>
#include <vector>

#include "exec/operation/operation.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// An operation with views of its operands of its own.
struct OperationInstance {
    OperationType type = OperationType::ADD;
    std::vector<OperandView> inputs;
    std::vector<OperandView> outputs;
    bool isRelaxed = false;

    [[nodiscard]] OperationView view() const noexcept { return {type, inputs, outputs, isRelaxed}; }
};

/// The size of an operand whose shape is known; the shape inference has refused larger ones than
/// kMaximumOperandBytes.
[[nodiscard]] std::uint64_t sizeBytes(const OperandView& operand) noexcept;

}  // namespace nnburst::exec
