// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tensors of a TFLite file as operands of the model that is being imported. A tensor becomes
/// an operand when the file's inputs or the first operator name it; each is written by one
/// operator, before it is read. Variable tensors, which the HAL does not have, become a model input
/// with the value of the last execution, and a model output with that of this one. Belongs to one
/// import; the file outlives it. Not thread-safe.

#include <tflite_generated.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nnburst/model_builder.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst/types.h"

namespace nnburst::tflite {

/// Several tensors may share one buffer of the file, so that its constants take more memory than
/// the file itself. More than this many times as much is no model but an attack.
inline constexpr std::uint64_t kMaximumExpansion = 16;

/// A name from a file, fit to be shown: short, and without control characters.
[[nodiscard]] std::string printableName(const flatbuffers::String* name);

class TensorMap {
  public:
    /// `fileBytes` is the size of the file; `file` and `graph` are verified.
    TensorMap(const schema::Model& file, const schema::SubGraph& graph, std::uint64_t fileBytes);

    /// Declares the inputs of the file. Before everything else.
    Result<> declareInputs();

    /// The operand that holds the value of `tensor` at this point of the order of execution.
    [[nodiscard]] Result<std::uint32_t> read(std::int32_t tensor);
    /// A new operand for `tensor`, which an operator computes.
    [[nodiscard]] Result<std::uint32_t> define(std::int32_t tensor);
    /// A new operand for the next value of variable tensor `tensor`, which must have been read.
    [[nodiscard]] Result<std::uint32_t> update(std::int32_t tensor);
    /// A constant that the file does not have, but the HAL wants.
    [[nodiscard]] Result<std::uint32_t> addConstant(OperandType type, Dimensions dimensions,
                                                    std::span<const std::byte> bytes,
                                                    float scale = 0.0F);

    /// The contents of a constant tensor; empty if it is not constant. Requires a tensor that was
    /// read.
    [[nodiscard]] std::span<const std::byte> constantBytes(std::int32_t tensor) const;

    [[nodiscard]] ModelBuilder& builder() noexcept { return builder_; }

    /// The model, with names and states. After everything else.
    [[nodiscard]] Result<TfliteModel> finish();

  private:
    /// What a tensor is at this point of the order of execution.
    struct Value {
        std::uint32_t operand;
        bool isComputed = false;  ///< by an operator: not an input, constant or variable
    };
    struct Variable {
        std::uint32_t tensor;
        std::uint32_t input;  ///< operand with the value of the last execution
    };

    /// The declaration of a tensor, checked.
    [[nodiscard]] Result<const schema::Tensor*> find(std::int32_t tensor) const;
    [[nodiscard]] Result<Operand> declare(std::uint32_t tensor) const;
    [[nodiscard]] Result<std::span<const std::byte>> bufferOf(std::uint32_t tensor) const;
    [[nodiscard]] Result<std::uint32_t> readConstant(std::uint32_t tensor,
                                                     std::span<const std::byte> bytes);
    [[nodiscard]] Result<std::uint32_t> addTensor(std::uint32_t tensor);
    Result<> takeConstantBytes(std::uint64_t sizeBytes);
    [[nodiscard]] std::string describe(std::uint32_t tensor) const;
    [[nodiscard]] std::string nameOf(std::int32_t tensor) const;

    const schema::Model& file_;
    const schema::SubGraph& graph_;
    std::uint64_t constantBytesLeft_;
    ModelBuilder builder_;
    std::vector<std::optional<Value>> values_;  ///< of each tensor, if it has one by now
    std::vector<std::uint32_t> inputs_;         ///< operands of the file's inputs
    std::vector<Variable> variables_;
};

}  // namespace nnburst::tflite
