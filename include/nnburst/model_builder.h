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

/// Collects a model whose main subgraph it builds; others come from builders of their own. Small
/// constants are copied into the model; those of kReferenceThresholdBytes or more go into one
/// memory pool, as drivers like it (they cross to a driver without a copy). Not thread-safe.
/// Indices are those of the main subgraph's operands.
class ModelBuilder {
  public:
    static constexpr std::size_t kReferenceThresholdBytes = 4096;

    /// A tensor without value: input, output or temporary, as `build` finds out.
    NNBURST_EXPORT std::uint32_t addTensor(OperandType type, Dimensions dimensions,
                                           float scale = 0.0F, std::int32_t zeroPoint = 0);
    /// A constant tensor with a copy of `bytes`, or per-channel quantised where `extraParams` say
    /// so.
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

    /// Says that types of extension `name` have `prefix` in this model.
    NNBURST_EXPORT void addExtension(std::string name, std::uint16_t prefix);

    NNBURST_EXPORT void addOperation(OperationType type, std::vector<std::uint32_t> inputs,
                                     std::vector<std::uint32_t> outputs);

    /// Makes the main subgraph of `subgraph`, which refers to subgraphs of this builder alone, one
    /// of the model's referenced subgraphs. Returns its index among these.
    NNBURST_EXPORT std::uint32_t addReferenced(ModelBuilder subgraph,
                                               std::vector<std::uint32_t> inputs,
                                               std::vector<std::uint32_t> outputs);

    /// The declaration of an operand, to look at or to change before `build`.
    [[nodiscard]] NNBURST_EXPORT Operand& operand(std::uint32_t index);

    /// Gives the model with these inputs and outputs, and leaves the builder empty, also if it
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
