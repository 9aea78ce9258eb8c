// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks the operations of a graph in their order, and infers the shapes of all operands as far as
/// the shapes of the inputs are known.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/graph/graph.h"
#include "exec/operation/operation_instance.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// The known shapes and values of a graph's operands. Order of use: `setInputShape` for each input,
/// then `visit` each operation in order. While a graph is prepared or planned, only constants have
/// values; while it is interpreted, `setValue` sets the addresses of all others. The output shapes
/// of IF and WHILE are not inferred: `setShape` sets them after the operation has run.
class ShapeInference {
  public:
    /// Starts with the shapes that the model declares.
    explicit ShapeInference(const Graph& graph);

    /// Sets the shape of the graph's input `input` (an index into inputIndexes). INVALID_ARGUMENT
    /// if it contradicts the declared one.
    [[nodiscard]] Result<> setInputShape(std::size_t input, const Shape& shape, bool isOmitted);

    /// Says that it is known whether the graph's input `input` is left out, though its shape may
    /// not be known yet. Until this or setInputShape is called, a request may leave the input out.
    void setDecided(std::size_t input);

    /// Sets the shape of an operand that was computed. INVALID_ARGUMENT if it contradicts the
    /// declared one, or is too large.
    [[nodiscard]] Result<> setShape(std::uint32_t operand, const Shape& shape);

    /// Sets the address of the value of an operand that is not a constant.
    void setValue(std::uint32_t operand, std::byte* data) noexcept { values_[operand] = data; }

    /// Visits all operations; an error names the operation.
    [[nodiscard]] Result<> visitAll();

    /// Checks the operation with OperationDefinition::check and infers the shapes of its outputs if
    /// all that decides them is known before it runs. If that fails, checks the operation again
    /// without the shapes of the optional inputs that a request may leave out; then the shapes of
    /// the outputs stay unknown. Skips an operation that was folded. Gives the first HAL version
    /// that allows the operation. The error does not say which operation of the graph it is.
    [[nodiscard]] Result<HalVersion> visit(std::size_t operation);

    /// Whether the shapes of the operation's outputs follow from those of its inputs, because all
    /// values that decide them are known, and they do not depend on what a request leaves out.
    /// Requires an operation that was visited.
    [[nodiscard]] bool isDecidedByShapes(std::size_t operation) const;

    /// Whether all sizes of the operand are known.
    [[nodiscard]] bool isKnown(std::uint32_t operand) const noexcept { return known_[operand]; }
    /// Whether the operand is left out: it has neither shape nor value.
    [[nodiscard]] bool isOmitted(std::uint32_t operand) const noexcept { return omitted_[operand]; }
    /// Requires an operand that is known.
    [[nodiscard]] const Shape& shape(std::uint32_t operand) const noexcept {
        return shapes_[operand];
    }
    /// The operand with what is known of it.
    [[nodiscard]] OperandView operand(std::uint32_t index) const;
    /// An operation with its operands.
    [[nodiscard]] OperationInstance operation(std::size_t index) const;

  private:
    /// Forgets what an earlier visit, or the run that followed it, has found of the operands.
    void forget(std::span<const std::uint32_t> operands);
    /// Checks operation `index` and infers the shapes of its outputs, for operands as in `view`.
    Result<HalVersion> infer(std::size_t index, const OperationDefinition& definition,
                             const OperationView& view);
    /// Removes the shapes of optional inputs of `instance`, which is operation `index`, that a
    /// request may still leave out. False if there are none.
    bool removeShapes(std::size_t index, const OperationDefinition& definition,
                      OperationInstance& instance) const;

    const Graph& graph_;
    std::vector<Shape> shapes_;
    std::vector<std::byte*> values_;  // of operands that are no constants, where stated
    std::vector<bool> known_;
    std::vector<bool> omitted_;
    std::vector<bool> undecided_;  // inputs of which it is not known whether a request gives them
};

/// Whether input `input` decides shapes or addresses by its value: it is a scalar or among the
/// definition's valueInputs.
[[nodiscard]] bool isValueInput(const OperationDefinition& definition, std::size_t input,
                                OperandType type) noexcept;

}  // namespace nnburst::exec
