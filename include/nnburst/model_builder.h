// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Builds models piece by piece: add operands, then operations, then name inputs and outputs.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Builds the main subgraph of a model; each referenced subgraph is built by a builder of its own
/// (addReferenced). Constants of kReferenceThresholdBytes or more go into one memory pool, which
/// crosses to a driver without a copy; smaller ones are copied into Model::operandValues. The
/// functions that add operands return indices of the main subgraph's operands. Not thread-safe.
class ModelBuilder {
  public:
    static constexpr std::size_t kReferenceThresholdBytes = 4096;

    /// A tensor without a constant value: `build` finds out whether it is an input, an output or a
    /// temporary.
    NNBURST_EXPORT std::uint32_t addTensor(OperandType type, Dimensions dimensions,
                                           float scale = 0.0F, std::int32_t zeroPoint = 0);
    /// A constant tensor with a copy of `bytes`. Per-channel quantised if `extraParams` are
    /// SymmPerChannelQuantParams.
    NNBURST_EXPORT std::uint32_t addConstant(OperandType type, Dimensions dimensions,
                                             std::span<const std::byte> bytes, float scale = 0.0F,
                                             std::int32_t zeroPoint = 0,
                                             OperandExtraParams extraParams = {});
    NNBURST_EXPORT std::uint32_t addScalar(std::int32_t value);  ///< INT32
    NNBURST_EXPORT std::uint32_t addScalar(float value);         ///< FLOAT32
    NNBURST_EXPORT std::uint32_t addScalar(bool value);          ///< BOOL
    /// An optional operand that is left out.
    NNBURST_EXPORT std::uint32_t addOmitted(OperandType type);
    /// A reference to subgraph `referenced`, for IF and WHILE.
    NNBURST_EXPORT std::uint32_t addSubgraphReference(std::uint32_t referenced);

    /// Declares that types of extension `name` have `prefix` in this model.
    NNBURST_EXPORT void addExtension(std::string name, std::uint16_t prefix);

    NNBURST_EXPORT void addOperation(OperationType type, std::vector<std::uint32_t> inputs,
                                     std::vector<std::uint32_t> outputs);

    /// Adds the main subgraph of `subgraph` to the model's referenced subgraphs and returns its
    /// index there. If it refers to subgraphs itself, then by indices of this builder.
    NNBURST_EXPORT std::uint32_t addReferenced(ModelBuilder subgraph,
                                               std::vector<std::uint32_t> inputs,
                                               std::vector<std::uint32_t> outputs);

    /// The declaration of an operand, to look at or to change before `build`.
    [[nodiscard]] NNBURST_EXPORT Operand& operand(std::uint32_t index);

    /// Returns the model with these inputs and outputs, and leaves the builder empty, also if it
    /// fails: RESOURCE_EXHAUSTED_TRANSIENT for lack of shared memory, INVALID_ARGUMENT for
    /// constants of more than 4 GiB together or for what validateModel finds.
    [[nodiscard]] NNBURST_EXPORT Result<Model> build(std::vector<std::uint32_t> inputs,
                                                     std::vector<std::uint32_t> outputs);

  private:
    static constexpr std::size_t kMain = SIZE_MAX;

    struct Constant {
        std::size_t subgraph;  ///< an index into Model::referenced, or kMain
        std::uint32_t operand;
        std::vector<std::byte> bytes;
    };

    [[nodiscard]] Operand& owner(const Constant& constant);
    [[nodiscard]] Result<> placeConstants();
    [[nodiscard]] Result<std::uint64_t> layOut(OperandLifeTime lifetime,
                                               std::uint64_t alignmentBytes);
    void copyConstants(OperandLifeTime lifetime, std::span<std::byte> destination);

    Model model_;
    std::vector<Constant> constants_;
};

}  // namespace nnburst
