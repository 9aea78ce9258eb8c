// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The definition of an operation of the HAL: its first version, the check of its operands, its
/// output shapes, and its reference kernel. Each family of operations has its
/// `OperationDefinition`s in one file of src/exec/reference/; reference/operations.h finds them.
/// Validation, supportedOperations, shape inference and the planner all use these definitions.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/operation/time_limit.h"
#include "nnburst/hal_version.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// The largest rank of a tensor. The HAL's operations need at most 6.
inline constexpr std::size_t kMaximumRank = 8;

/// Sizes of a tensor's axes with storage of its own, so that shapes cost no allocation. All sizes
/// are known unless `isFullySpecified` is false; no axes at all on a tensor mean unknown rank only
/// where a model is checked, and a scalar elsewhere.
class Shape {
  public:
    Shape() noexcept = default;
    /// Takes the first kMaximumRank sizes: ShapeInference::visit refuses operations with more.
    explicit Shape(std::span<const std::uint32_t> sizes) noexcept;
    Shape(std::initializer_list<std::uint32_t> sizes) noexcept
        : Shape(std::span<const std::uint32_t>(sizes.begin(), sizes.size())) {}

    [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
    [[nodiscard]] std::uint32_t operator[](std::size_t axis) const noexcept { return sizes_[axis]; }
    [[nodiscard]] std::uint32_t& operator[](std::size_t axis) noexcept { return sizes_[axis]; }
    [[nodiscard]] std::span<const std::uint32_t> sizes() const noexcept {
        return {sizes_.data(), rank_};
    }
    /// No size is 0.
    [[nodiscard]] bool isFullySpecified() const noexcept;
    /// Product of the sizes; 1 for a scalar. No overflow: shapes that overflow are refused before.
    [[nodiscard]] std::size_t elementCount() const noexcept;

    bool operator==(const Shape&) const noexcept = default;

  private:
    std::array<std::uint32_t, kMaximumRank> sizes_{};
    std::uint32_t rank_ = 0;
};

/// An operand as an operation sees it: its type, its shape in this specialisation of the plan, and
/// its bytes as far as they exist.
struct OperandView {
    OperandType type = OperandType::TENSOR_FLOAT32;
    Shape shape;
    float scale = 0.0F;
    std::int32_t zeroPoint = 0;
    /// Null unless the type is TENSOR_QUANT8_SYMM_PER_CHANNEL.
    const SymmPerChannelQuantParams* channelQuant = nullptr;
    /// Of Operand::extraParams; null unless the type is an extension's and has some.
    const std::vector<std::uint8_t>* extensionData = nullptr;
    /// The contents. While a model is checked or planned only constants have them; during a run all
    /// operands do. Null for operands that are omitted.
    std::byte* data = nullptr;
    /// The contents never change after preparation.
    bool isConstant = false;
    /// NO_VALUE in the model, or hasNoValue in the request.
    bool isOmitted = false;

    /// The contents as elements. Shared memory: data that decides an address or a loop's length is
    /// read once, checked, then used.
    template <class T>
    [[nodiscard]] T* as() const noexcept {
        return reinterpret_cast<T*>(data);
    }
    /// The value of a scalar or the first element. Requires data.
    template <class T>
    [[nodiscard]] T scalar() const noexcept {
        return *reinterpret_cast<const T*>(data);
    }
};

/// Computes the products of an 8-bit operation with its weights for its reference kernel, with the
/// same results. Thread-safe.
class MatrixProducts {
  public:
    virtual ~MatrixProducts() = default;

    /// sums[row] = sum over i < depth of (elements[i] - zero point) * (weights[row, i] - zero
    /// point), where `weights` is the index of an input, [rows, depth]. Sums wrap around. False if
    /// `limit`, which may be null, is over: then some sums may be missing.
    [[nodiscard]] virtual bool multiply(std::size_t weights, const std::uint8_t* elements,
                                        std::int32_t* sums, TimeLimit* limit) const noexcept = 0;
};

/// An operation with its operands: the one argument of every function below.
struct OperationView {
    OperationType type = OperationType::ADD;
    std::span<const OperandView> inputs;
    std::span<const OperandView> outputs;
    /// Model::relaxComputationFloat32toFloat16; float32 is always precise enough.
    bool isRelaxed = false;
    /// The time limit of the current run; null outside of runs.
    TimeLimit* timeLimit = nullptr;
    /// Null: the kernel computes its products itself.
    const MatrixProducts* products = nullptr;
    /// Where `check` leaves the first HAL version that allows the operands, as far as
    /// OperationCheck::since says so: also if it ends early because a scalar has no value yet. Null
    /// outside of checks.
    HalVersion* firstVersion = nullptr;
    /// Set to true by `unknownValue`. Null outside of checks.
    bool* isValueUnknown = nullptr;

    /// Input `index` exists and is not omitted.
    [[nodiscard]] bool has(std::size_t index) const noexcept {
        return index < inputs.size() && !inputs[index].isOmitted;
    }

    /// For kernels, in their outer loops, after every `work` (multiplications, or elements), which
    /// may be none: each question counts as one more, so a loop that asks in each iteration ends in
    /// time, however little it does. True if the run's deadline has passed: the kernel returns at
    /// once, with or without an error.
    [[nodiscard]] bool isOutOfTime(std::size_t work) const noexcept {
        return timeLimit != nullptr && timeLimit->isOverAfter(work);
    }
};

/// One operation of the HAL.
struct OperationDefinition {
    OperationType type;
    HalVersion since;

    /// The tensors among the inputs (see `inputs`) whose values decide shapes or addresses: axes,
    /// paddings, permutations. Like all scalars they have their values when `inferShapes` and what
    /// follows it is called, in private memory: what was checked stays as it was. Values of other
    /// inputs may be written to by another process at any time.
    std::uint64_t valueInputs = 0;

    /// The tensors among the inputs (see `inputs`) that may be left out. A request may leave out an
    /// input of the model, whose declared dimensions mean nothing then, so `check` may be called
    /// without their shapes.
    std::uint64_t optionalInputs = 0;

    /// Checks number, types, ranks, scales and known values of the operands against the HAL's
    /// section of this operation. Shapes may be unknown in part, and so may the values of
    /// `valueInputs` and of scalars (null data). Gives the first HAL version that allows these
    /// operands (V1_0 if all that have the operation do). INVALID_ARGUMENT says which operand broke
    /// which rule: "CONV_2D input 1 (filter): type TENSOR_INT32; must be ...". GENERAL_FAILURE
    /// (`unknownValue`) if the value of a scalar has to be known to go on: then number and types of
    /// all operands are right, and so are the ranks that do not depend on the value. Any other
    /// GENERAL_FAILURE says that the operation is not supported with these operands.
    Result<HalVersion> (*check)(const OperationView& operation);

    /// Computes the shapes of all outputs from fully known input shapes and values of scalars and
    /// `valueInputs`, into `outputs` (one entry for each output); for operations with
    /// `runShrinking` the largest that they can be. INVALID_ARGUMENT if the input shapes do not go
    /// together. A size may be 0: then there are no elements.
    Result<> (*inferShapes)(const OperationView& operation, std::span<Shape> outputs);

    /// Bytes of scratch memory (aligned to a cache line) that one run needs; null if none. Shapes
    /// are fully known.
    std::size_t (*scratchBytes)(const OperationView& operation) = nullptr;

    /// Computes the outputs, whose data have room for their shapes. Allocates nothing, except for
    /// an error's message. Errors: values that only a run can see, such as an index out of range.
    /// Where an operation can take milliseconds it asks OperationView::isOutOfTime.
    /// Null for an operation with `runShrinking`.
    Result<> (*run)(const OperationView& operation, std::span<std::byte> scratch) = nullptr;

    /// Instead of `run`, for operations that know their output shapes only when they have computed
    /// them: computes the outputs, whose data have room for the shapes that were inferred, and says
    /// in `outputs` what shapes they really have, none of them larger.
    Result<> (*runShrinking)(const OperationView& operation, std::span<std::byte> scratch,
                             std::span<Shape> outputs) = nullptr;

    /// The definition of another operation with the same functions.
    [[nodiscard]] consteval OperationDefinition with(OperationType otherType,
                                                     HalVersion otherSince) const {
        OperationDefinition other = *this;
        other.type = otherType;
        other.since = otherSince;
        return other;
    }
};

/// The set of these inputs, for valueInputs and optionalInputs of an OperationDefinition:
/// `inputs(1, 2)`.
template <class... Index>
[[nodiscard]] consteval std::uint64_t inputs(Index... index) {
    return (std::uint64_t{0} | ... | (std::uint64_t{1} << index));
}

/// Whether the operation is IF or WHILE, which run subgraphs: their definitions have a check only.
[[nodiscard]] constexpr bool isControlFlow(OperationType type) noexcept {
    return type == OperationType::IF || type == OperationType::WHILE;
}

}  // namespace nnburst::exec
