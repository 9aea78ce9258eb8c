// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Converts operators of TFLite to operations of the HAL. `findConverter` is the one table of what
/// can be imported; each of its rows names a converter, which sees the operator through an
/// `OperatorImport`. converters.h declares the converters, one family a source file. To import one
/// more operator, add a row to the table, its options to tflite.fbs and, unless an existing
/// converter fits, a converter.

#include <tflite_generated.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/invalid.h"
#include "nnburst/result.h"
#include "nnburst/type_queries.h"
#include "nnburst/types.h"
#include "tflite/tensors.h"
#include "tflite_operations/codes.h"

namespace nnburst::tflite {

class OperatorImport;
struct PlannedOperation;

/// The prefix of the extension org.nnburst.tflite in imported models.
inline constexpr std::uint16_t kExtensionPrefix = 1;

/// An operation of the extension org.nnburst.tflite.
constexpr OperationType extensionOperation(tflite_operations::Code code) noexcept {
    return static_cast<OperationType>((std::uint32_t{kExtensionPrefix} << kExtensionTypeBits) |
                                      static_cast<std::uint32_t>(code));
}

/// Gives a tensor's bytes another type, scale or shape.
inline constexpr OperationType kBitcast = extensionOperation(tflite_operations::Code::BITCAST);

/// How many inputs and outputs an operator has.
struct Arity {
    std::uint32_t minimumInputs;
    std::uint32_t maximumInputs;
    /// Bit i: input i must not be left out. The last bit counts for all further inputs, too.
    std::uint64_t requiredInputs;
    std::uint32_t minimumOutputs = 1;
    std::uint32_t maximumOutputs = 1;

    static constexpr std::uint32_t kAnyNumber = UINT32_MAX;
    static constexpr std::uint64_t kAll = UINT64_MAX;

    /// As many as these, of which none must be left out.
    [[nodiscard]] static constexpr Arity exactly(std::uint32_t inputs,
                                                 std::uint32_t outputs = 1) noexcept {
        return {inputs, inputs, kAll, outputs, outputs};
    }
    /// The same with one output or more.
    [[nodiscard]] constexpr Arity withAnyOutputs() const noexcept {
        return {minimumInputs, maximumInputs, requiredInputs, 1, kAnyNumber};
    }
};

/// A row of the table.
struct Converter {
    schema::BuiltinOperator code;
    Arity arity;
    /// The operation, for converters that serve several; ignored by the others.
    OperationType operation;
    Result<> (*convert)(OperatorImport& operatorImport, OperationType operation);
    /// The values of INT64 outputs fit into 32 bits if those of the inputs do. If not, outputs are
    /// INT64 only where the converter makes them constants.
    bool fitsInt32 = false;
    /// Inputs and outputs may be COMPLEX64.
    bool takesComplex = false;
};

/// The converter of `code`; null if such operators cannot be imported.
[[nodiscard]] const Converter* findConverter(schema::BuiltinOperator code) noexcept;
/// The converter of the custom operator `name`; null if there is none.
[[nodiscard]] const Converter* findCustomConverter(std::string_view name) noexcept;

/// Whether an operator without options of this type has the defaults: TFLite takes 0 for all of
/// them. False where one cannot be 0, such as a stride, and where a default of the file format is
/// not 0.
[[nodiscard]] bool mayBeLeftOut(schema::BuiltinOptions options) noexcept;

/// Options of which all have their defaults.
template <class T>
const T* defaultOptions() noexcept {
    // A table at offset 8. Its first word leads back to its vtable, which has the sizes of both.
    alignas(flatbuffers::uoffset_t) static constexpr std::uint8_t kTable[]{8, 0, 0, 0, 4, 0,
                                                                           4, 0, 4, 0, 0, 0};
    return flatbuffers::GetRoot<T>(kTable);
}

/// One operator, its inputs and outputs resolved to operands.
class OperatorImport {
  public:
    [[nodiscard]] static Result<OperatorImport> resolve(TensorMap& tensors,
                                                        const schema::Operator& declaration,
                                                        const Converter& converter);

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
    /// The bias that is input `index`, or zeros if it is left out, for sums of products of elements
    /// of inputs `factor` and `weights`. It has one dimension, one element for each of `channels`
    /// and the scale of the products. Of channels whose weights have scale 0 in the file, the bias
    /// is 0 if it is quantised: TFLite's kernels multiply it by that scale.
    [[nodiscard]] Result<std::uint32_t> bias(std::size_t index, std::size_t factor,
                                             std::size_t weights, std::uint32_t channels);
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
    /// Declares that the output has no dimensions in TFLite; as an operand it has one of size 1.
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
    void dequantizeHybrid(std::size_t weights);
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
    /// Makes the output, whose shape is known, a constant if inputs 0 and 1 are constants of
    /// integers of the same shape, or one is a single element, and all results of `combine` are
    /// numbers of 32 bits. Returns whether it did so.
    [[nodiscard]] Result<bool> foldIntegers(std::int64_t (*combine)(std::int64_t, std::int64_t));
    /// The same of FLOAT32.
    [[nodiscard]] Result<bool> foldReals(float (*combine)(float, float));
    /// Makes the output, whose shape is known, a constant if input 0 is a constant of FLOAT32.
    [[nodiscard]] Result<bool> foldReals(float (*function)(float));
    /// `operand` repeated to the shape `dimensions`, which must be known and fit.
    [[nodiscard]] Result<std::uint32_t> broadcast(std::uint32_t operand,
                                                  const Dimensions& dimensions);

  private:
    /// A copy of input `index`, a bias that other operators may read, with one dimension and this
    /// scale. The elements `zeros` become 0.
    [[nodiscard]] Result<std::uint32_t> copyOfBias(std::size_t index, float scale,
                                                   std::span<const std::uint32_t> zeros);
    /// Where TFLite takes numbers of 8 bits as they are and the HAL requires one scale: adds a
    /// BITCAST of the first input to the scale of the first output. Returns what has to be copied
    /// afterwards, because further outputs have other scales: from an operand to an output.
    [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> adoptQuantization(
        PlannedOperation& planned);
    /// Adds an operation of the HAL in floating point in place of 16 bits.
    void addInFloat(PlannedOperation planned);
    /// The elements of inputs 0 and 1, whose elements are `a` and `b`, that an operator combines;
    /// nullopt if it repeats more than a single element.
    template <class T>
    [[nodiscard]] std::optional<std::vector<std::pair<T, T>>> pairsOf(
        const std::optional<std::vector<T>>& a, const std::optional<std::vector<T>>& b);
    static constexpr std::uint32_t kLeftOut = UINT32_MAX;

    OperatorImport(TensorMap& tensors, const schema::Operator& declaration)
        : tensors_(&tensors), declaration_(&declaration) {}

    Result<> resolveInputs(const Arity& arity);
    Result<> resolveOutputs(const Arity& arity);
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
