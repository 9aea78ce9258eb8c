// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The constant operands of one subgraph: those of the file and others that the HAL requires, what
/// is known about their elements, and operands in TENSOR_FLOAT32 with the values of others.
///
/// Belongs to one import; the file outlives it. Not thread-safe.

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include "nnburst/model_builder.h"
#include "nnburst/result.h"
#include "nnburst/types.h"
#include "tflite/file_import.h"
#include "tflite/tensor_contents.h"

namespace nnburst::tflite {

class ConstantOperands {
  public:
    /// `builder` collects the operands and operations. All three outlive this.
    ConstantOperands(FileImport& file, TensorContents& contents, ModelBuilder& builder)
        : file_(file), contents_(contents), builder_(builder) {}

    /// The operand of `tensor`, whose contents in the file are `bytes`. An operand that is left out
    /// if there are none. `shape`, unless it is empty, takes the place of that in the file.
    [[nodiscard]] Result<std::uint32_t> readConstant(std::uint32_t tensor,
                                                     std::span<const std::byte> bytes,
                                                     const Dimensions& shape = {});
    /// A constant with the contents of a tensor of another subgraph.
    [[nodiscard]] Result<std::uint32_t> addConstantOf(const schema::Tensor& tensor,
                                                      std::span<const std::byte> bytes);
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
    /// A constant in place of `operand`, whose dimensions it has if there are as many elements.
    [[nodiscard]] Result<std::uint32_t> replaceByConstant(std::uint32_t operand, OperandType type,
                                                          std::uint32_t count,
                                                          std::span<const std::byte> bytes);

    /// The elements of a small constant operand of INT32, or the value of a scalar of INT32 or
    /// BOOL; null if they are not known. Valid until the next operand is added.
    [[nodiscard]] const std::vector<std::int32_t>* valuesOf(std::uint32_t operand) const;
    /// The channels of constant `operand` that have scale 0 in the file: all their elements are 0.
    /// Channel 0 if it has one scale, which is 0.
    [[nodiscard]] std::span<const std::uint32_t> channelsOfScaleZero(std::uint32_t operand) const;
    /// Whether `operand` is a constant, or setFixed was called for it.
    [[nodiscard]] bool isFixed(std::uint32_t operand);
    /// Records that the values of `operand` follow from constants.
    void setFixed(std::uint32_t operand) { fixed_.insert(operand); }
    /// Takes over what `caller`, another subgraph of the same model, knows about `operand`.
    void adopt(ConstantOperands& caller, std::uint32_t operand);

    /// `operand`, or an operand that has its values in TENSOR_FLOAT32.
    [[nodiscard]] std::uint32_t toFloat(std::uint32_t operand);

  private:
    [[nodiscard]] Result<std::uint32_t> readIntegers(std::uint32_t tensor, const Operand& operand,
                                                     std::span<const std::byte> bytes);
    /// Remembers the elements of constant `operand` for `valuesOf`.
    std::uint32_t remembered(std::uint32_t operand, std::span<const std::byte> bytes);

    FileImport& file_;
    TensorContents& contents_;
    ModelBuilder& builder_;
    std::map<std::uint32_t, std::uint32_t> asFloat_;            ///< operands in TENSOR_FLOAT32
    std::set<std::uint32_t> fixed_;                             ///< operands of setFixed
    std::map<std::uint32_t, std::vector<std::int32_t>> small_;  ///< elements of constant operands
    std::map<std::uint32_t, std::vector<std::uint32_t>> unscaled_;  ///< channels of scale 0
};

}  // namespace nnburst::tflite
