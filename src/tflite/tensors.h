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
/// - Tensors without dimensions: one dimension of size 1 (`isScalar` tells).
/// - 64-bit integers: 32-bit ones, where the values fit.
/// - Complex numbers: two of FLOAT32 along a last axis (`isComplex` tells).
/// - Constants without elements: operands that are left out.
/// - Sparse constants: constants with all their elements.
/// - Constants of INT4: constants of INT8.
/// - Scales of 0, of constants or channels that are all 0: positive ones (`channelsOfScaleZero`
///   tells).
///
/// Belongs to one import; the file outlives it. Not thread-safe.

#include <tflite_generated.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "nnburst/model_builder.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst/types.h"
#include "tflite/file_import.h"

namespace nnburst::tflite {

/// The number of entries of a vector that may be absent.
template <class T>
std::uint32_t sizeOf(const flatbuffers::Vector<T>* vector) {
    return vector == nullptr ? 0 : vector->size();
}

/// Constants with more elements are data, not shapes or axes: their values are not looked at.
inline constexpr std::size_t kMaximumIntegers = 1024;

/// A name from a file that is safe to print: short, and without control characters.
[[nodiscard]] std::string printableName(const flatbuffers::String* name);

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
    /// A constant with the contents of a tensor of another subgraph.
    [[nodiscard]] Result<std::uint32_t> addConstantOf(const schema::Tensor& tensor,
                                                      std::span<const std::byte> bytes);
    /// Adds a state that no tensor has: an input of the model of the type and shape of `value`,
    /// which must be known. Returns its number.
    [[nodiscard]] Result<std::size_t> addState(const Operand& value);
    /// The operand with the value of a state at the current operator.
    [[nodiscard]] std::uint32_t stateValue(std::size_t state) const {
        return variables_[state].next;
    }
    void setStateValue(std::size_t state, std::uint32_t operand) {
        variables_[state].next = operand;
    }
    /// A constant that the HAL requires and the file does not have.
    [[nodiscard]] Result<std::uint32_t> addConstant(OperandType type, Dimensions dimensions,
                                                    std::span<const std::byte> bytes,
                                                    float scale = 0.0F, std::int32_t zeroPoint = 0);
    /// The same with every element equal to `element`.
    [[nodiscard]] Result<std::uint32_t> addRepeated(OperandType type, Dimensions dimensions,
                                                    std::span<const std::byte> element,
                                                    float scale = 0.0F);
    template <class T>
    [[nodiscard]] std::uint32_t addScalar(T value) {
        const std::uint32_t operand = builder_.addScalar(value);
        if constexpr (std::is_integral_v<T>) {
            small_[operand] = {static_cast<std::int32_t>(value)};
        }
        return operand;
    }
    /// The elements of a small constant operand of INT32, or the value of a scalar of INT32 or
    /// BOOL; null if they are not known. Valid until the next operand is added.
    [[nodiscard]] const std::vector<std::int32_t>* valuesOf(std::uint32_t operand) const;
    /// The channels of constant `operand` that have scale 0 in the file: all their elements are 0.
    /// Channel 0 if it has one scale, which is 0.
    [[nodiscard]] std::span<const std::uint32_t> channelsOfScaleZero(std::uint32_t operand) const;
    /// Whether `operand` is a constant, or what setFixed says.
    [[nodiscard]] bool isFixed(std::uint32_t operand);
    /// Says that the values of `operand` follow from constants.
    void setFixed(std::uint32_t operand) { fixed_.insert(operand); }
    /// `operand`, or an operand that has its values in TENSOR_FLOAT32.
    [[nodiscard]] std::uint32_t toFloat(std::uint32_t operand);

    // These require a tensor that was read or defined.

    /// Whether it has no dimensions in the file; as an operand it has one of size 1.
    [[nodiscard]] bool isScalar(std::int32_t tensor) const;
    void setScalar(std::int32_t tensor, bool isScalar);
    /// Whether it is taken for a scalar only because the file states the shapes of other tensors.
    [[nodiscard]] bool isGuessedScalar(std::int32_t tensor) const;
    /// Whether it is INT64 in the file.
    [[nodiscard]] bool isInt64(std::int32_t tensor) const;
    /// Whether it is COMPLEX64 in the file.
    [[nodiscard]] bool isComplex(std::int32_t tensor) const;
    /// The contents of a constant as the file has them; empty if it is not constant.
    [[nodiscard]] std::span<const std::byte> constantBytes(std::int32_t tensor);
    /// The elements of a constant of integers; nullopt for other tensors and for large ones.
    [[nodiscard]] std::optional<std::vector<std::int32_t>> integers(std::int32_t tensor);
    /// The same of a constant of FLOAT32.
    [[nodiscard]] std::optional<std::vector<float>> reals(std::int32_t tensor);

    /// Scale and zero point of a tensor that no operator reads or writes.
    [[nodiscard]] Result<Operand> quantization(std::int32_t tensor) const;

    [[nodiscard]] ModelBuilder& builder() noexcept { return builder_; }
    [[nodiscard]] FileImport& file() noexcept { return file_; }

    /// The inputs and outputs, with those of the states. Must be called last.
    [[nodiscard]] Result<Interface> finish(std::vector<ModelState>& states);
    [[nodiscard]] std::string nameOf(std::int32_t tensor) const;

  private:
    /// The value of a tensor at the current operator.
    struct Value {
        std::uint32_t operand;
        bool isScalar = false;
        /// Set if the values are known although no buffer of the file has them.
        std::optional<std::vector<std::int32_t>> integers{};
        std::optional<std::vector<float>> reals{};
    };
    static constexpr std::uint32_t kNoTensor = UINT32_MAX;

    struct Variable {
        std::uint32_t tensor;  ///< kNoTensor if it is a resource variable
        std::uint32_t input;   ///< operand with the value of the last execution
        std::uint32_t next;    ///< operand with the value now, if it is a resource variable
    };
    /// Where a tensor's value comes from.
    enum class Source : std::uint8_t {
        INPUT,       ///< open sizes have the size that the file says
        OPEN_INPUT,  ///< they stay open
        VARIABLE,
        CONSTANT,
        OPERATOR
    };

    /// The declaration of a tensor, checked against the number of tensors.
    [[nodiscard]] Result<const schema::Tensor*> find(std::int32_t tensor) const;
    [[nodiscard]] Result<Operand> declare(std::uint32_t tensor, Source source) const;
    /// The same with errors that do not name the tensor.
    [[nodiscard]] Result<Operand> operandOf(const schema::Tensor& tensor, Source source) const;
    [[nodiscard]] Result<Dimensions> shapeOf(const schema::Tensor& tensor, Source source) const;
    /// The contents of a tensor's buffer, with all elements; empty if it has none.
    [[nodiscard]] Result<std::span<const std::byte>> bufferOf(std::uint32_t tensor);
    /// The elements of a sparse constant, or one of INT4.
    [[nodiscard]] Result<std::vector<std::byte>> allElements(std::uint32_t tensor,
                                                             std::span<const std::byte> packed);
    [[nodiscard]] Result<std::vector<std::byte>> unpack(const schema::Tensor& declaration,
                                                        std::span<const std::byte> packed);
    [[nodiscard]] Result<std::uint32_t> readConstant(std::uint32_t tensor,
                                                     std::span<const std::byte> bytes);
    [[nodiscard]] Result<std::uint32_t> readIntegers(std::uint32_t tensor, const Operand& operand,
                                                     std::span<const std::byte> bytes);
    [[nodiscard]] Result<std::uint32_t> addTensor(std::uint32_t tensor, Source source);
    /// Makes the inputs of `op` those of the subgraph, which has as many.
    Result<> adoptInputs(OperatorImport& op);
    void countReaders();
    /// A constant in place of `operand`, whose dimensions it has if there are as many elements.
    [[nodiscard]] Result<std::uint32_t> replaceByConstant(std::uint32_t operand, OperandType type,
                                                          std::uint32_t count,
                                                          std::span<const std::byte> bytes);
    /// Remembers the elements of constant `operand` for `valuesOf`.
    std::uint32_t remembered(std::uint32_t operand, std::span<const std::byte> bytes);
    [[nodiscard]] bool isDeclaredScalar(const schema::Tensor& tensor, Source source) const;
    [[nodiscard]] std::string describe(std::uint32_t tensor) const;
    /// `operand`, or a copy if it cannot be an output: if it is a constant, or in `taken`, the
    /// inputs and outputs so far.
    [[nodiscard]] std::uint32_t asOutput(std::uint32_t operand, std::set<std::uint32_t>& taken);

    FileImport& file_;
    const schema::SubGraph& graph_;
    ModelBuilder& builder_;
    bool isMain_;
    bool keepsOpenSizes_ = false;               ///< as SubgraphUse has it
    bool isResized_ = false;                    ///< an input has other sizes than the file states
    bool tellsRanks_ = false;                   ///< the file sets has_rank
    bool tellsShapes_ = false;                  ///< computed tensors have shapes in the file
    std::vector<std::optional<Value>> values_;  ///< of each tensor, if it has one by now
    std::vector<std::uint32_t> readers_;        ///< how often each tensor is read
    std::vector<std::uint32_t> inputs_;         ///< operands of the subgraph's inputs
    std::vector<Dimensions> declared_;          ///< their shapes in the file
    std::map<std::uint32_t, std::uint32_t> asFloat_;  ///< operands in TENSOR_FLOAT32
    std::map<std::uint32_t, std::uint32_t> own_;      ///< of each tensor, as ownConstant has it
    std::set<std::uint32_t> fixed_;                   ///< operands of setFixed
    std::vector<Variable> variables_;
    std::map<std::uint32_t, std::vector<std::int32_t>> small_;  ///< elements of constant operands
    std::map<std::uint32_t, std::vector<std::byte>> dense_;     ///< elements of packed tensors
    std::map<std::uint32_t, std::span<const std::byte>> adopted_;   ///< elements of adopted inputs
    std::map<std::uint32_t, std::vector<std::uint32_t>> unscaled_;  ///< channels of scale 0
};

}  // namespace nnburst::tflite
