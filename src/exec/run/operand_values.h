// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The operands of a graph that is interpreted: their shapes, and where their bytes are. Both are
/// found while the graph runs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "account/account.h"
#include "exec/graph/graph.h"
#include "exec/graph/shape_inference.h"
#include "exec/operation/time_limit.h"
#include "exec/run/charged_buffer.h"
#include "exec/run/graph_runner.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Used by one thread at a time. Operands are named by their indices in the graph.
class OperandValues {
  public:
    /// `graph` outlives this object.
    explicit OperandValues(const Graph& graph);

    /// The value of `operand` decides shapes, addresses or branches: from now on it is kept in
    /// private memory, also if it is an input of the graph.
    void keepPrivate(std::uint32_t operand) noexcept { values_[operand].isPrivate = true; }
    [[nodiscard]] bool isPrivate(std::uint32_t operand) const noexcept {
        return values_[operand].isPrivate;
    }

    /// Begins a run with these inputs. `outputs`, `timeLimit` and `account`, to which memory is
    /// charged unless it is null, are used until the next call. Where `timeLimit` is over, copies
    /// here and below end early: then the run has to end.
    [[nodiscard]] Result<> begin(std::span<const GraphInput> inputs, GraphOutputs& outputs,
                                 TimeLimit& timeLimit, Account* account);

    [[nodiscard]] ShapeInference& shapes() noexcept { return shapes_; }
    [[nodiscard]] const ShapeInference& shapes() const noexcept { return shapes_; }
    [[nodiscard]] std::byte* data(std::uint32_t operand) const noexcept;
    [[nodiscard]] std::uint64_t sizeBytes(std::uint32_t operand) const;

    /// Makes room for `sizeBytes` in `buffer`, one of the temporaries of this graph.
    /// RESOURCE_EXHAUSTED_PERSISTENT if all of them together need more than kMaximumArenaBytes,
    /// RESOURCE_EXHAUSTED_* at a limit of the account.
    [[nodiscard]] Result<std::byte*> reserveTemporary(ChargedBuffer& buffer,
                                                      std::uint64_t sizeBytes);
    /// Gives the operand memory of its own of this size; as reserveTemporary.
    [[nodiscard]] Result<> reserve(std::uint32_t operand, std::uint64_t sizeBytes);
    /// Gives an operand whose shape is known memory: that of the graph's output, if it is one and
    /// its value need not be private, else its own.
    [[nodiscard]] Result<> place(std::uint32_t operand);
    /// As `place`, but gives no memory to an output of the graph that does not fit in its argument
    /// and that no operation reads; false for these.
    [[nodiscard]] Result<bool> placeIfNeeded(std::uint32_t operand);
    /// Copies `value` to the memory of an operand, which has been placed.
    void write(std::uint32_t operand, const std::byte* value) const;
    /// Copies an operand from its own memory to the graph's output, if it is one.
    [[nodiscard]] Result<> publish(std::uint32_t operand);

    /// The size of the operands' own memory, and of other temporaries.
    [[nodiscard]] std::uint64_t ownBytes() const noexcept { return ownBytes_; }

    /// Gives the operands' own memory back until the next run.
    void releaseScratch() const noexcept;

  private:
    /// Gives the operand the memory of the graph's output, if it is one, its value need not be
    /// private and there is such memory. Says whether it did.
    [[nodiscard]] Result<bool> placeInOutput(std::uint32_t operand);
    /// Copies the bytes of an operand, or some of them if the time limit of the run is over.
    void copy(std::uint32_t operand, const std::byte* from, std::byte* to) const;

    static constexpr std::uint32_t kNoOutput = UINT32_MAX;

    struct Value {
        std::byte* data = nullptr;
        ChargedBuffer own;
        std::uint32_t output = kNoOutput;  ///< which output of the graph it is
        bool isPrivate = false;
    };

    const Graph& graph_;
    ShapeInference shapes_;
    std::vector<Value> values_;  // one for each operand
    std::uint64_t ownBytes_ = 0;
    GraphOutputs* outputs_ = nullptr;  // of the current run
    TimeLimit* timeLimit_ = nullptr;   // of the current run
    Account* account_ = nullptr;       // of the current run
};

}  // namespace nnburst::exec
