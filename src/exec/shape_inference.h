// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Goes through a graph in the order of its operations, checks each of them and finds the shapes of
/// all operands, as far as the shapes of the inputs are known.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/graph.h"
#include "exec/operation.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// What is known of a graph's operands. Use: state inputs, then visit each operation in order.
class ShapeInference {
  public:
    /// Knows what the model declares.
    explicit ShapeInference(const Graph& graph);

    /// States the shape of the graph's input `input` (an index into inputIndexes), of a request
    /// that bind has checked.
    void stateInput(std::size_t input, const Shape& shape, bool isOmitted);

    /// Visits all operations; the error says which one it is of.
    [[nodiscard]] Result<> visitAll();

    /// Checks the operation with OperationDefinition::check and infers the shapes of its outputs if
    /// those of its inputs are known. Skips one that was folded. The error does not say which
    /// operation of the graph it is.
    [[nodiscard]] Result<> visit(std::size_t operation);

    /// All sizes of the operand are known.
    [[nodiscard]] bool isKnown(std::uint32_t operand) const noexcept { return known_[operand]; }
    /// The operand with what is known of it.
    [[nodiscard]] OperandView operand(std::uint32_t index) const;
    /// An operation with its operands.
    [[nodiscard]] OperationInstance operation(std::size_t index) const;

  private:
    [[nodiscard]] Result<> learn(std::uint32_t operand, const Shape& shape);

    const Graph& graph_;
    std::vector<Shape> shapes_;
    std::vector<bool> known_;
    std::vector<bool> omitted_;
};

}  // namespace nnburst::exec
