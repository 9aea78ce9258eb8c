// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Broadcasting of two tensors: axes are matched from the last one on. Two sizes match if they are
/// equal or one of them is 1; an axis of size 1 is repeated.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "exec/operation/operation.h"
#include "exec/operation/operation_check.h"
#include "exec/reference/elements.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// The broadcast shape of inputs 0 and 1, whose shapes are known. Sizes 0 and 1 give 0.
/// INVALID_ARGUMENT if the shapes do not match.
[[nodiscard]] Result<Shape> broadcastShape(const OperationView& operation);

/// OperationDefinition::inferShapes of broadcast operations.
[[nodiscard]] Result<> inferBroadcastShape(const OperationView& operation,
                                           std::span<Shape> outputs);

/// Ends a check: requires that the input shapes, if they are known, can be broadcast.
[[nodiscard]] Result<HalVersion> finishBroadcastCheck(const OperationCheck& check,
                                                      const OperationView& operation);

/// The check of an operation with two inputs of one of `types` and an output of the same type.
[[nodiscard]] Result<HalVersion> checkBroadcast(const OperationView& operation,
                                                const char* firstName, const char* secondName,
                                                std::initializer_list<OperandType> types);

/// Checks before a run that the output has the broadcast shape.
[[nodiscard]] Result<> requireBroadcastOutput(const OperationView& operation);

/// How to walk two tensors and their broadcast result together, as rows along the last axis. Axes
/// are merged where both tensors allow it, so that rows are as long as they can be.
class Broadcast {
  public:
    /// `result` is the broadcast shape of `a` and `b`.
    Broadcast(const Shape& a, const Shape& b, const Shape& result) noexcept;

    /// Elements of a row, which lie one after the other in the result.
    [[nodiscard]] std::size_t rowLength() const noexcept { return row_.size; }
    /// Distance between neighbours of a row in `a` and `b`: 1, or 0 if one element is repeated.
    /// Both are 0 only for a row of one element.
    [[nodiscard]] std::size_t strideA() const noexcept { return row_.strideA; }
    [[nodiscard]] std::size_t strideB() const noexcept { return row_.strideB; }

    /// Calls row(offsetA, offsetB, offsetResult) for each row, in the order of the result, until
    /// the run of `operation` is out of time.
    template <class Row>
    void forEachRow(const OperationView& operation, Row&& row) const {
        std::array<std::uint32_t, kMaximumRank> index{};
        std::size_t offsetA = 0;
        std::size_t offsetB = 0;
        PartCounter parts(operation);
        for (std::size_t r = 0; r < rowCount_; ++r) {
            row(offsetA, offsetB, r * row_.size);
            if (parts.isOutOfTime(row_.size)) {
                return;
            }
            for (std::size_t axis = 0; axis < outerRank_; ++axis) {
                const Axis& outer = outer_[axis];
                offsetA += outer.strideA;
                offsetB += outer.strideB;
                if (++index[axis] < outer.size) {
                    break;
                }
                index[axis] = 0;
                offsetA -= outer.strideA * outer.size;
                offsetB -= outer.strideB * outer.size;
            }
        }
    }

  private:
    struct Axis {
        std::size_t size = 1;
        std::size_t strideA = 0;
        std::size_t strideB = 0;
    };

    Axis row_;
    std::size_t rowCount_ = 1;
    std::size_t outerRank_ = 0;
    std::array<Axis, kMaximumRank> outer_{};  ///< the inner ones first
};

/// output = function(input 0, input 1), element by element, of types In, In and Out.
template <class In, class Out, class Function>
void forEachPair(const OperationView& operation, Function&& function) {
    const In* a = operation.inputs[0].as<const In>();
    const In* b = operation.inputs[1].as<const In>();
    Out* output = operation.outputs[0].as<Out>();
    const Broadcast broadcast(operation.inputs[0].shape, operation.inputs[1].shape,
                              operation.outputs[0].shape);
    const std::size_t length = broadcast.rowLength();
    const auto rows = [&](auto strideA, auto strideB) {
        broadcast.forEachRow(operation, [&](std::size_t rowA, std::size_t rowB, std::size_t row) {
            forEachPart(operation, length, [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) {
                    output[row + i] = function(a[rowA + i * strideA], b[rowB + i * strideB]);
                }
            });
        });
    };
    // Constant strides let the compiler vectorise the common cases.
    constexpr std::integral_constant<std::size_t, 0> kRepeated;
    constexpr std::integral_constant<std::size_t, 1> kAdjacent;
    if (broadcast.strideA() == 0) {
        rows(kRepeated, kAdjacent);  // one pair if input 1 is repeated, too
    } else if (broadcast.strideB() == 0) {
        rows(kAdjacent, kRepeated);
    } else {
        rows(kAdjacent, kAdjacent);
    }
}

}  // namespace nnburst::exec
