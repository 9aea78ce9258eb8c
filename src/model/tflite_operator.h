// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How operators of TFLite become operations of the HAL. `findConverter` is the one table of what
/// can be imported; each of its rows names a converter, which sees the operator through an
/// `OperatorImport`. The families of converters are in tflite_spatial.cpp, tflite_dense.cpp and
/// tflite_recurrent.cpp. To import one more operator, add a row and, unless it fits one that is
/// there, a converter, and its options to tflite.fbs.

#include <tflite_generated.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "model/invalid.h"
#include "model/tflite_tensors.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::tflite {

/// How many inputs and outputs an operator has.
struct Arity {
    std::uint32_t minimumInputs;
    std::uint32_t maximumInputs;
    /// Bit i: input i must not be left out.
    std::uint32_t requiredInputs;
};

/// One operator, its inputs and outputs resolved to operands.
class OperatorImport {
  public:
    /// Resolves inputs and outputs; each operator that can be imported has one output.
    [[nodiscard]] static Result<OperatorImport> resolve(TensorMap& tensors,
                                                        const schema::Operator& declaration,
                                                        const Arity& arity);

    /// Input `index` is there and not left out.
    [[nodiscard]] bool has(std::size_t index) const noexcept {
        return index < inputs_.size() && inputs_[index] != kLeftOut;
    }
    /// The operand of input `index`. Requires has(index).
    [[nodiscard]] std::uint32_t input(std::size_t index) const noexcept { return inputs_[index]; }
    /// The operand of input `index`, or one that says that it is left out.
    [[nodiscard]] std::uint32_t optionalInput(std::size_t index, OperandType type);
    [[nodiscard]] std::uint32_t output() const noexcept { return output_; }
    /// The declaration of an operand; valid until the next operand is added.
    [[nodiscard]] Operand& operand(std::uint32_t index) {
        return tensors_->builder().operand(index);
    }
    /// The dimensions of input `index`. Requires has(index).
    [[nodiscard]] const Dimensions& shape(std::size_t index) {
        return operand(input(index)).dimensions;
    }
    /// The type of input `index`. Requires has(index).
    [[nodiscard]] OperandType type(std::size_t index) { return operand(input(index)).type; }
    /// The contents of input `index`; empty if it is not constant. Requires has(index).
    [[nodiscard]] std::span<const std::byte> constantBytes(std::size_t index) const;

    /// The operator's options of type T.
    template <class T>
    [[nodiscard]] Result<const T*> options() const {
        const T* options = declaration_->builtin_options_as<T>();
        if (options == nullptr) {
            return invalid("must have {}", schema::EnumNameBuiltinOptions(
                                               schema::BuiltinOptionsTraits<T>::enum_value));
        }
        return options;
    }

    template <class T>
    [[nodiscard]] std::uint32_t scalar(T value) {
        return tensors_->builder().addScalar(value);
    }
    /// A scalar operand with the HAL's code of `activation`: one that the HAL fuses into others.
    [[nodiscard]] Result<std::uint32_t> activation(schema::ActivationFunctionType activation);
    [[nodiscard]] Result<std::uint32_t> constant(OperandType type, Dimensions dimensions,
                                                 std::span<const std::byte> bytes,
                                                 float scale = 0.0F) {
        return tensors_->addConstant(type, std::move(dimensions), bytes, scale);
    }
    /// A tensor that the HAL computes but TFLite does not have.
    [[nodiscard]] std::uint32_t temporary(OperandType type, Dimensions dimensions) {
        return tensors_->builder().addTensor(type, std::move(dimensions));
    }
    /// The bias that is input `index`, or zeros if it is left out, for the sums of products of the
    /// elements of inputs `factor` and `weights`, with one element for each of `channels`. A bias
    /// without a scale gets that of the products.
    [[nodiscard]] Result<std::uint32_t> bias(std::size_t index, std::size_t factor,
                                             std::size_t weights, std::uint32_t channels);
    /// The operand for the next value of the variable tensor that is input `index`.
    [[nodiscard]] Result<std::uint32_t> nextState(std::size_t index);

    /// The dimensions of the output, for files that do not tell. Empty if they cannot be known.
    void inferOutputShape(Dimensions dimensions);
    /// Refuses weights that are quantised while the input is not: TFLite's hybrid kernels quantise
    /// their input as they run, which the HAL does not know.
    Result<> refuseHybrid(std::size_t weights);

    void add(OperationType type, std::vector<std::uint32_t> inputs,
             std::vector<std::uint32_t> outputs) {
        tensors_->builder().addOperation(type, std::move(inputs), std::move(outputs));
    }

  private:
    static constexpr std::uint32_t kLeftOut = UINT32_MAX;

    OperatorImport(TensorMap& tensors, const schema::Operator& declaration)
        : tensors_(&tensors), declaration_(&declaration) {}

    TensorMap* tensors_;
    const schema::Operator* declaration_;
    std::vector<std::uint32_t> inputs_;  ///< operands, or kLeftOut
    std::uint32_t output_ = 0;
};

/// A row of the table.
struct Converter {
    schema::BuiltinOperator code;
    Arity arity;
    /// The operation, for converters that serve several; the others know theirs.
    OperationType operation;
    Result<> (*convert)(OperatorImport& operatorImport, OperationType operation);
};

/// The converter of `code`; null if such operators cannot be imported.
[[nodiscard]] const Converter* findConverter(schema::BuiltinOperator code) noexcept;

// tflite_spatial.cpp
Result<> convertConv2d(OperatorImport& conv, OperationType operation);
Result<> convertDepthwiseConv2d(OperatorImport& conv, OperationType operation);
Result<> convertPool2d(OperatorImport& pool, OperationType operation);

// tflite_dense.cpp
Result<> convertFullyConnected(OperatorImport& dense, OperationType operation);
Result<> convertReshape(OperatorImport& reshape, OperationType operation);
Result<> convertSoftmax(OperatorImport& softmax, OperationType operation);
Result<> convertArithmetic(OperatorImport& arithmetic, OperationType operation);
/// Operations of one operand that keep its shape.
Result<> convertUnary(OperatorImport& unary, OperationType operation);

// tflite_recurrent.cpp
Result<> convertLstm(OperatorImport& lstm, OperationType operation);
Result<> convertRnn(OperatorImport& rnn, OperationType operation);

}  // namespace nnburst::tflite
