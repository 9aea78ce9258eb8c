// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// TOPK_V2.
//
//     input    any shape
//     k        INT32, at most the size of the last axis
//     values   the input's shape with k as the last size: the k largest of each row, descending
//     indices  INT32, of the same shape: where they were
//
// Of equal elements the one with the larger index comes first, as the HAL has it.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/partial_order.h"

namespace nnburst::exec {

namespace {
namespace top_k {

using enum OperandType;

constexpr std::size_t kK = 1;

Result<Shape> computeOutputShape(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t k, readConstantInt32(operation, kK, "k", 1));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    const OperandCheck input = check.input(0, "input").rank(1, kMaximumRank);
    NNBURST_TRY(check.result());
    Shape shape = input.view().shape;
    std::uint32_t& last = shape[shape.rank() - 1];
    check.require(static_cast<std::uint32_t>(k) <= last, [&] {
        return fmt::format("k {} (input 1); must be at most {}, the size of the last axis", k,
                           last);
    });
    NNBURST_TRY(check.result());
    last = static_cast<std::uint32_t>(k);
    return shape;
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(2);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT16, TENSOR_FLOAT32, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED})
                                   .rank(1, kMaximumRank);
    check.input(kK, "k").type({INT32});
    check.output(0, "values").sameTypeAs(input).sameQuantizationAs(input);
    check.output(1, "indices").type({TENSOR_INT32});
    NNBURST_TRY(check.result());
    NNBURST_TRY(readConstantInt32(operation, kK, "k", 1));
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(computeOutputShape(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    outputs[0] = shape;
    outputs[1] = shape;
    return {};
}

/// An element of a row. Keys are integers in the order of the elements. NaN has a key, too, because
/// sorting needs a total order.
struct Entry {
    std::int32_t key = 0;
    std::int32_t index = 0;

    /// Comes before `other` in the output.
    bool operator<(const Entry& other) const noexcept {
        return key != other.key ? key > other.key : index > other.index;
    }
};

/// Turns the bits of a float into an integer that compares as the float does, or back.
std::int32_t flipped(std::int32_t bits) noexcept {
    return bits < 0 ? bits ^ 0x7FFFFFFF : bits;
}

template <class T>
struct Key {
    static std::int32_t of(T element) noexcept { return element; }
    static T element(std::int32_t key) noexcept { return static_cast<T>(key); }
};

template <class T>
struct FloatKey {
    static std::int32_t of(T element) noexcept {
        return flipped(std::bit_cast<std::int32_t>(static_cast<float>(element) + 0.0F));
    }
    static T element(std::int32_t key) noexcept {
        return static_cast<T>(std::bit_cast<float>(flipped(key)));
    }
};

/// Memory for a copy of one row, because another process may change the input while it is sorted.
std::size_t scratchBytes(const OperationView& operation) {
    const Shape& input = operation.inputs[0].shape;
    return std::size_t{input[input.rank() - 1]} * sizeof(Entry);
}

template <class T, class Key>
void findTop(const OperationView& operation, Entry* entries) {
    const Shape& shape = operation.inputs[0].shape;
    const std::size_t rowLength = shape[shape.rank() - 1];
    const std::size_t k = operation.outputs[0].shape[shape.rank() - 1];
    const std::size_t rows = rowLength == 0 ? 0 : shape.elementCount() / rowLength;
    const T* row = operation.inputs[0].as<const T>();
    T* values = operation.outputs[0].as<T>();
    auto* indices = operation.outputs[1].as<std::int32_t>();
    for (std::size_t r = 0; r < rows; ++r, row += rowLength) {
        forEachElement(operation, rowLength, [&](std::size_t i) {
            entries[i] = {Key::of(row[i]), static_cast<std::int32_t>(i)};
        });
        sortFirst(operation, entries, entries + k, entries + rowLength, std::less<>());
        forEachElement(operation, k, [&](std::size_t i) {
            *values++ = Key::element(entries[i].key);
            *indices++ = entries[i].index;
        });
        if (operation.isOutOfTime(rowLength)) {
            return;
        }
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    NNBURST_TRY(requireOutputShape(operation, 1, shape));
    auto* entries = reinterpret_cast<Entry*>(scratch.data());
    const OperandType type = operation.inputs[0].type;
    if (type == TENSOR_INT32) {
        findTop<std::int32_t, Key<std::int32_t>>(operation, entries);
    }
    dispatchFloat(type, [&]<class T>() { findTop<T, FloatKey<T>>(operation, entries); });
    dispatchQuantized8(type, [&]<class T>() { findTop<T, Key<T>>(operation, entries); });
    return {};
}

}  // namespace top_k
}  // namespace

constinit const OperationDefinition kTopkV2{
    .type = OperationType::TOPK_V2,
    .since = HalVersion::V1_2,
    .check = top_k::check,
    .inferShapes = top_k::inferShapes,
    .scratchBytes = top_k::scratchBytes,
    .run = top_k::run,
};

}  // namespace nnburst::exec
