// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One operator of a TFLite file while it is converted: its inputs and outputs as operands, known
/// values, and functions that add what its converter needs to the model. Belongs to one import. Not
/// thread-safe.

#include <tflite_generated.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/invalid.h"
#include "nnburst/result.h"
#include "nnburst/types.h"
#include "tflite/converter_table.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

struct PlannedOperation;

/// Options of which all have their defaults.
template <class T>
const T* defaultOptions() noexcept {
    // A table at offset 8. Its first word leads back to its vtable, which has the sizes of both.
    alignas(flatbuffers::uoffset_t) static constexpr std::uint8_t kTable[]{8, 0, 0, 0, 4, 0,
                                                                           4, 0, 4, 0, 0, 0};
    return flatbuffers::GetRoot<T>(kTable);
}

class OperatorImport {
  public:
    [[nodiscard]] static Result<OperatorImport> resolve(TensorMap& tensors,
                                                        const schema::Operator& declaration,
                                                        const Arity& arity);

    // ---- Inputs and outputs. An index of an input requires has(index).

    [[nodiscard]] std::size_t inputCount() const noexcept { return inputs_.size(); }
    [[nodiscard]] std::size_t outputCount() const noexcept { return outputs_.size(); }
    /// Whether the operator has input `index` and does not leave it out.
    [[nodiscard]] bool has(std::size_t index) const noexcept {
        return index < inputs_.size() && inputs_[index] != kLeftOut;
    }
    /// The operand of input `index`.
    [[nodiscard]] std::uint32_t input(std::size_t index) const noexcept { return inputs_[index]; }
    /// The operand of input `index`; an operand without value if it is left out.
    [[nodiscard]] std::uint32_t optionalInput(std::size_t index, OperandType type);
    [[nodiscard]] std::uint32_t output(std::size_t index = 0) const noexcept {
        return outputs_[index];
    }
    /// Whether an input or output is INT64 in the file.
    [[nodiscard]] bool inputIsInt64(std::size_t index) const;
    [[nodiscard]] bool outputIsInt64(std::size_t index = 0) const;
    /// Refuses outputs of INT64 that the converter has not made constants.
    [[nodiscard]] Result<> requireKnownInt64() const;
    /// Whether an input or output is COMPLEX64 in the file.
    [[nodiscard]] bool inputIsComplex(std::size_t index) const {
        return tensors_->contents().isComplex(inputTensor(index));
    }
    [[nodiscard]] bool outputIsComplex() const {
        return tensors_->contents().isComplex(outputTensor(0));
    }
    /// The declaration of an operand; valid until the next operand is added.
    [[nodiscard]] Operand& operand(std::uint32_t index) {
        return tensors_->builder().operand(index);
    }
    /// The dimensions of input `index`; a size of 0 is unknown, no sizes are an unknown rank.
    [[nodiscard]] const Dimensions& shape(std::size_t index) {
        return operand(input(index)).dimensions;
    }
    [[nodiscard]] OperandType type(std::size_t index) { return operand(input(index)).type; }
    /// Whether the input has no dimensions in the file; as an operand it has one of size 1.
    [[nodiscard]] bool isScalar(std::size_t index) const;
    /// The number of dimensions in the file.
    [[nodiscard]] Result<std::uint32_t> rank(std::size_t index);
    /// Whether it is a tensor of 8 or 16 bits with one scale.
    [[nodiscard]] bool isQuantized(std::uint32_t operand);
    /// Whether input `index` is a tensor of 16 bits with a scale.
    [[nodiscard]] bool has16Bits(std::size_t index) {
        return type(index) == OperandType::TENSOR_QUANT16_SYMM;
    }
    /// Whether both have the same type, scale and zero point.
    [[nodiscard]] bool haveSameQuantization(std::uint32_t a, std::uint32_t b);

    // ---- Known values

    /// Whether input `index` is a constant of the file, with elements of its operand's type.
    [[nodiscard]] bool isConstant(std::size_t index);
    /// Whether input `index` is a constant, or was converted from one to floating point.
    [[nodiscard]] bool isFixed(std::size_t index) {
        return tensors_->constants().isFixed(input(index));
    }
    /// The contents of input `index` as the file has them; empty if it is not constant.
    [[nodiscard]] std::span<const std::byte> constantBytes(std::size_t index) const;
    /// The operand of input `index`, a constant of the file, whose declaration may be changed: no
    /// other operator sees that (TensorMap::ownConstant).
    [[nodiscard]] Result<std::uint32_t> ownConstant(std::size_t index) {
        return tensors_->ownConstant(inputTensor(index));
    }
    /// The elements of input `index` if it is a constant of integers, else nullopt.
    [[nodiscard]] std::optional<std::vector<std::int32_t>> knownIntegers(std::size_t index) const;
    /// The same of a constant of FLOAT32.
    [[nodiscard]] std::optional<std::vector<float>> knownReals(std::size_t index) const;
    /// Integers of inputs that must be constant. `what` names the input in the error.
    [[nodiscard]] Result<std::vector<std::int32_t>> integers(std::size_t index,
                                                             const char* what) const;
    /// The one element of input `index`.
    [[nodiscard]] Result<std::int32_t> integer(std::size_t index, const char* what) const;
    /// `axis` counted from the front in a tensor of `rank` dimensions.
    [[nodiscard]] static Result<std::uint32_t> axis(std::int32_t axis, std::uint32_t rank);
    /// The axes that input `index` lists, each of them once, in order.
    [[nodiscard]] Result<std::vector<std::uint32_t>> axes(const std::vector<std::int32_t>& axes,
                                                          std::uint32_t rank) const;

    /// The operator's options of type T; their defaults if it has none and may have none.
    template <class T>
    [[nodiscard]] Result<const T*> options() const {
        const T* options = declaration_->builtin_options_as<T>();
        if (options != nullptr) {
            return options;
        }
        constexpr auto kType = schema::BuiltinOptionsTraits<T>::enum_value;
        if (!mayBeLeftOut(kType)) {
            return invalid("must have {}", schema::EnumNameBuiltinOptions(kType));
        }
        return defaultOptions<T>();
    }
    [[nodiscard]] const schema::Operator& declaration() const noexcept { return *declaration_; }
    [[nodiscard]] TensorMap& tensors() noexcept { return *tensors_; }

    // ---- Operands that TFLite does not have

    template <class T>
    [[nodiscard]] std::uint32_t scalar(T value) {
        return tensors_->constants().addScalar(value);
    }
    /// A floating-point scalar for an operation on input `index`, which must be TENSOR_FLOAT32 or
    /// quantised.
    [[nodiscard]] Result<std::uint32_t> realScalar(float value, std::size_t index);
    /// A scalar operand with the HAL's code of `activation`, which the HAL must be able to fuse.
    [[nodiscard]] Result<std::uint32_t> activation(schema::ActivationFunctionType activation);
    [[nodiscard]] Result<std::uint32_t> constant(OperandType type, Dimensions dimensions,
                                                 std::span<const std::byte> bytes,
                                                 float scale = 0.0F, std::int32_t zeroPoint = 0) {
        return tensors_->constants().addConstant(type, std::move(dimensions), bytes, scale,
                                                 zeroPoint);
    }
    /// A constant of which every element is `value`. All dimensions are known.
    template <class T>
    [[nodiscard]] Result<std::uint32_t> repeated(OperandType type, Dimensions dimensions, T value,
                                                 float scale = 0.0F) {
        return tensors_->constants().addRepeated(type, std::move(dimensions),
                                                 std::as_bytes(std::span(&value, 1)), scale);
    }
    /// A constant of TENSOR_INT32 with one dimension.
    [[nodiscard]] Result<std::uint32_t> constant(std::span<const std::int32_t> values);
    [[nodiscard]] std::uint32_t temporary(OperandType type, Dimensions dimensions) {
        return tensors_->builder().addTensor(type, std::move(dimensions));
    }
    /// A tensor of the type and quantisation of `operand`.
    [[nodiscard]] std::uint32_t temporaryLike(std::uint32_t operand, Dimensions dimensions);
    [[nodiscard]] std::uint32_t omitted(OperandType type) {
        return tensors_->builder().addOmitted(type);
    }
    /// The operand for the next value of the variable tensor that is input `index`.
    [[nodiscard]] Result<std::uint32_t> nextState(std::size_t index);
    /// Makes `operand` the next value of input `index`, if that is a variable tensor.
    void setNextState(std::size_t index, std::uint32_t operand) {
        tensors_->setNext(inputTensor(index), operand);
    }

    // ---- Outputs

    /// Sets the dimensions of an output. Sizes that are 0, which are unknown, and dimensions
    /// without sizes, an unknown rank, stay as the file states them: what it states may be out of
    /// date.
    void inferOutputShape(const Dimensions& dimensions, std::size_t output = 0);
    /// Declares that the output has no dimensions in TFLite, whatever the file states; as an
    /// operand it has one of size 1.
    void inferScalarOutput(std::size_t output = 0);
    /// Gives the output the shape of input `index`.
    void inferShapeOf(std::size_t index, std::size_t output = 0);

    /// Declares that the output has no value that other operators could use.
    void leaveOut(std::size_t output) {
        operand(outputs_[output]).lifetime = OperandLifeTime::NO_VALUE;
    }

    // ---- Operations

    /// Adds the operation, in another form if the HAL does not allow its operands (hal_limits.h,
    /// sixteen_bits.h).
    void add(OperationType type, std::vector<std::uint32_t> inputs,
             std::vector<std::uint32_t> outputs);
    /// Input `index`, converted to TENSOR_FLOAT32 if it is quantised or float16.
    [[nodiscard]] std::uint32_t floatInput(std::size_t index) {
        return tensors_->constants().toFloat(input(index));
    }
    /// TFLite's hybrid kernels multiply inputs of floating point with quantised weights. If so,
    /// makes input `weights` TENSOR_FLOAT32.
    Result<> dequantizeHybrid(std::size_t weights);
    /// If input `index` is a constant of UINT8, makes it INT8 with the same bytes and zero point 0:
    /// so TFLite's hybrid kernels read their weights. Its converter wrote such weights before there
    /// was INT8. Leaves constants of scale 0 as they are: their elements stand for 0.
    Result<> readAsSigned(std::size_t index);
    /// The operand that an operation in floating point writes: the output, or if that is quantised
    /// a tensor in TENSOR_FLOAT32, which `finishFloat` quantises. For operations that the HAL has
    /// in floating point only.
    [[nodiscard]] std::uint32_t floatOutput(std::size_t output = 0);
    void finishFloat(std::uint32_t computed, std::size_t output = 0);
    /// Makes `operand` the value of the output, whose type it must have. Adds no operation unless
    /// they have other scales: then the numbers stay the same.
    Result<> forward(std::uint32_t operand, std::size_t output = 0);
    /// Makes the output, of integers, a constant.
    Result<> forwardIntegers(const std::vector<std::int32_t>& values, std::size_t output = 0);
    /// Makes the output, of FLOAT32, a constant.
    Result<> forwardReals(const std::vector<float>& values);
    /// `operand` repeated to the shape `dimensions`, which must be known and fit.
    [[nodiscard]] Result<std::uint32_t> broadcast(std::uint32_t operand,
                                                  const Dimensions& dimensions);

  private:
    static constexpr std::uint32_t kLeftOut = UINT32_MAX;

    OperatorImport(TensorMap& tensors, const schema::Operator& declaration)
        : tensors_(&tensors), declaration_(&declaration) {}

    Result<> resolveInputs(const Arity& arity);
    Result<> resolveOutputs(const Arity& arity);
    /// Where TFLite takes numbers of 8 bits as they are and the HAL requires one scale: adds a
    /// BITCAST of the first input to the scale of the first output. Returns what has to be copied
    /// afterwards, because further outputs have other scales: from an operand to an output.
    [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> adoptQuantization(
        PlannedOperation& planned);
    /// Adds an operation of the HAL in floating point in place of 16 bits.
    void addInFloat(PlannedOperation planned);
    [[nodiscard]] std::int32_t inputTensor(std::size_t index) const {
        return declaration_->inputs()->Get(static_cast<flatbuffers::uoffset_t>(index));
    }
    [[nodiscard]] std::int32_t outputTensor(std::size_t index) const {
        return declaration_->outputs()->Get(static_cast<flatbuffers::uoffset_t>(index));
    }

    TensorMap* tensors_;
    const schema::Operator* declaration_;
    std::vector<std::uint32_t> inputs_;  ///< operands, or kLeftOut
    std::vector<std::uint32_t> outputs_;
};

}  // namespace nnburst::tflite
