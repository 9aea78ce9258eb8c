// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tensors of one subgraph of a TFLite file as operands. A tensor becomes an operand when the
/// subgraph's inputs or the first operator name it; each is written by one operator, before it is
/// read. What the HAL lacks is replaced:
///
/// - Variable tensors: a model input with the value of the last execution, and a model output with
///   that of this one. Only in the main subgraph.
/// - Tensors without dimensions: one dimension of size 1 (see `isScalar`).
/// - 64-bit integers: 32-bit ones, where the values fit.
/// - Complex numbers: two of FLOAT32 along a last axis (see `isComplex`).
/// - Constants without elements: operands that are left out.
/// - Sparse constants: constants with all their elements.
/// - Constants of INT4: constants of INT8.
/// - Scales of 0, of constants or channels that are all 0: positive ones (see
///   `channelsOfScaleZero`).
///
/// Belongs to one import; the file outlives it. Not thread-safe.

#include <tflite_generated.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "nnburst/model_builder.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst/types.h"
#include "tflite/constant_operands.h"
#include "tflite/file_import.h"
#include "tflite/state_operands.h"
#include "tflite/tensor_contents.h"

namespace nnburst::tflite {

/// Inputs and outputs of a subgraph, as operands.
struct Interface {
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> outputs;
};

/// An input of a subgraph that cannot become an operand, and why.
struct UnsupportedInput {
    std::uint32_t tensor;
    std::string reason;
};

class TensorMap {
  public:
    /// `builder` collects the operands and operations of `graph`.
    TensorMap(FileImport& file, const schema::SubGraph& graph, ModelBuilder& builder, bool isMain);
    TensorMap(const TensorMap&) = delete;
    TensorMap& operator=(const TensorMap&) = delete;

    /// Declares the inputs of the subgraph. Sizes become those of `use`. Where it has none, open
    /// ones become those of the shape in the file, unless they are to stay open. Must be called
    /// first. Returns inputs without an operand, if there are any.
    [[nodiscard]] Result<std::vector<UnsupportedInput>> declareInputs(const SubgraphUse& use);
    /// The shapes of the inputs that the file states: sizes that may be others are 0. None if the
    /// subgraph is imported in place of an operator.
    [[nodiscard]] std::span<const Dimensions> declaredInputs() const noexcept { return declared_; }
    /// Whether a loop that changes sizes runs the subgraph.
    [[nodiscard]] bool keepsOpenSizes() const noexcept { return keepsOpenSizes_; }

    /// The operand that holds the value of `tensor` at the current operator.
    [[nodiscard]] Result<std::uint32_t> read(std::int32_t tensor);
    /// The operand of constant `tensor`, which was read, if no more than one operator reads it;
    /// else a copy, the same one in each call.
    [[nodiscard]] Result<std::uint32_t> ownConstant(std::int32_t tensor);
    /// A new operand for `tensor`, which an operator computes.
    [[nodiscard]] Result<std::uint32_t> define(std::int32_t tensor);
    /// Refuses `tensor`, which was defined, if it is INT64 and its values are not known: they may
    /// need more than 32 bits.
    [[nodiscard]] Result<> requireKnownInt64(std::int32_t tensor) const;
    /// A new operand for the next value of variable tensor `tensor`, which must have been read.
    [[nodiscard]] Result<std::uint32_t> update(std::int32_t tensor);
    /// Makes `operand` the next value of `tensor`, which was read, if it is variable.
    void setNext(std::int32_t tensor, std::uint32_t operand);
    /// Replaces the value of `tensor`, which was defined, by `operand`, or by these integers.
    void redefine(std::int32_t tensor, std::uint32_t operand);
    Result<> redefine(std::int32_t tensor, const std::vector<std::int32_t>& integers);
    /// The same with numbers of FLOAT32, of which there is at least one.
    Result<> redefine(std::int32_t tensor, const std::vector<float>& reals);

    // These require a tensor that was read or defined.

    /// Whether it has no dimensions in the file; as an operand it has one of size 1.
    [[nodiscard]] bool isScalar(std::int32_t tensor) const;
    void setScalar(std::int32_t tensor, bool isScalar);
    /// Whether it is taken for a scalar only because the file states the shapes of other tensors.
    [[nodiscard]] bool isGuessedScalar(std::int32_t tensor) const;
    /// The elements of a constant of integers; nullopt for other tensors and for large ones.
    [[nodiscard]] std::optional<std::vector<std::int32_t>> integers(std::int32_t tensor);
    /// The same of a constant of FLOAT32.
    [[nodiscard]] std::optional<std::vector<float>> reals(std::int32_t tensor);

    [[nodiscard]] TensorContents& contents() noexcept { return contents_; }
    [[nodiscard]] ConstantOperands& constants() noexcept { return constants_; }
    [[nodiscard]] StateOperands& states() noexcept { return states_; }
    [[nodiscard]] ModelBuilder& builder() noexcept { return builder_; }
    [[nodiscard]] FileImport& file() noexcept { return file_; }

    /// The inputs and outputs, with those of the states. Must be called last.
    [[nodiscard]] Result<Interface> finish(std::vector<ModelState>& states);

  private:
    /// The value of a tensor at the current operator.
    struct Value {
        std::uint32_t operand;
        bool isScalar = false;
        /// Set if the values are known although no buffer of the file has them.
        std::optional<std::vector<std::int32_t>> integers{};
        std::optional<std::vector<float>> reals{};
    };

    [[nodiscard]] Result<std::uint32_t> addTensor(std::uint32_t tensor, Source source);
    /// The operand of input `input` of `op`. If `tensor` has another scale or zero point, an
    /// operand with these and the same bytes.
    [[nodiscard]] Result<std::uint32_t> adopt(OperatorImport& op, std::uint32_t input,
                                              std::uint32_t tensor);
    /// Makes the inputs of `op` those of the subgraph, which has as many.
    Result<> adoptInputs(OperatorImport& op);
    void countReaders();
    /// `operand`, or a copy if it cannot be an output: if it is a constant, or in `taken`, the
    /// inputs and outputs so far.
    [[nodiscard]] std::uint32_t asOutput(std::uint32_t operand, std::set<std::uint32_t>& taken);

    FileImport& file_;
    const schema::SubGraph& graph_;
    ModelBuilder& builder_;
    const bool isMain_;
    TensorContents contents_;
    ConstantOperands constants_;
    StateOperands states_;
    bool keepsOpenSizes_ = false;                 ///< as SubgraphUse has it
    std::vector<std::optional<Value>> values_;    ///< of each tensor, if it has one by now
    std::vector<std::uint32_t> readers_;          ///< how often each tensor is read
    std::vector<std::uint32_t> inputs_;           ///< operands of the subgraph's inputs
    std::vector<Dimensions> declared_;            ///< their shapes in the file
    std::map<std::uint32_t, std::uint32_t> own_;  ///< of each tensor, as ownConstant has it
};

}  // namespace nnburst::tflite
