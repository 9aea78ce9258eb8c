// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that add elements at the ends of axes.

#include <algorithm>
#include <bit>
#include <cstring>

#include "model/operand_info.h"
#include "tflite/converters.h"

namespace nnburst::tflite {

namespace {

constexpr std::size_t kPaddings = 1;

/// Elements to add before and after those of one axis.
struct Padding {
    std::int32_t before;
    std::int32_t after;
};

/// The paddings of each axis of input 0.
Result<std::vector<Padding>> paddings(OperatorImport& op, const std::vector<std::int32_t>& values) {
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    if (values.size() != std::size_t{rank} * 2) {
        return invalid("{} paddings for {} dimensions: must be 2 for each", values.size(), rank);
    }
    std::vector<Padding> result;
    for (std::size_t i = 0; i < values.size(); i += 2) {
        if (values[i] < 0 || values[i + 1] < 0) {
            return invalid("paddings {} and {}: must be at least 0", values[i], values[i + 1]);
        }
        result.push_back({values[i], values[i + 1]});
    }
    return result;
}

std::uint32_t paddedSize(std::uint32_t size, Padding padding) {
    const std::uint64_t sum = std::uint64_t{size} + static_cast<std::uint32_t>(padding.before) +
                              static_cast<std::uint32_t>(padding.after);
    return size == 0 || sum > UINT32_MAX ? 0 : static_cast<std::uint32_t>(sum);
}

/// The value to pad with, as the scalar that the HAL requires, quantised like the input.
Result<std::uint32_t> padValue(OperatorImport& op, std::size_t index) {
    const auto bytes = op.constantBytes(index);
    if (bytes.empty() || op.type(index) != op.type(0)) {
        return invalid("input {} (value): must be a constant of the type of the input", index);
    }
    switch (op.type(0)) {
        case OperandType::TENSOR_FLOAT32: {
            float value = 0.0F;
            if (bytes.size() != sizeof value) {
                break;
            }
            std::memcpy(&value, bytes.data(), sizeof value);
            return op.scalar(value);
        }
        case OperandType::TENSOR_QUANT8_ASYMM:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            if (bytes.size() != 1) {
                break;
            }
            if (!op.haveSameQuantization(op.input(0), op.input(index))) {
                return invalid("input {} (value): must have the scale and zero point of the input",
                               index);
            }
            return op.scalar(op.type(0) == OperandType::TENSOR_QUANT8_ASYMM
                                 ? std::to_integer<std::int32_t>(bytes[0])
                                 : std::int32_t{static_cast<std::int8_t>(bytes[0])});
        case OperandType::TENSOR_INT32:
            // PAD_V2 gets the elements as FLOAT32 with the same bytes (hal_limits.h).
            if (const auto values = op.knownIntegers(index); values && values->size() == 1) {
                return op.scalar(std::bit_cast<float>((*values)[0]));
            }
            break;
        case OperandType::TENSOR_BOOL8:
            if (bytes.size() != 1) {
                break;
            }
            return op.scalar(std::to_integer<std::int32_t>(bytes[0]));
        default:
            return invalid("input of type {} is not supported", toString(op.type(0)));
    }
    return invalid("input {} (value): must have one element", index);
}

/// A slice of an axis for MIRROR_PAD, backwards if `stride` is -1. `end` counts from the front; -1
/// is before the first element.
struct AxisSlice {
    std::uint32_t axis;
    std::int32_t begin;
    std::int32_t end;
};

/// Elements begin, begin - 1, ... end + 1 of `operand` along an axis.
Result<std::uint32_t> reversedSlice(OperatorImport& op, std::uint32_t operand, AxisSlice slice) {
    Dimensions shape = op.operand(operand).dimensions;
    std::vector<std::int32_t> begins(shape.size(), 0);
    std::vector<std::int32_t> ends(shape.size(), 0);
    std::vector<std::int32_t> strides(shape.size(), 1);
    const std::int32_t allAxes = (1 << shape.size()) - 1;
    const std::int32_t thisAxis = 1 << slice.axis;
    begins[slice.axis] = slice.begin;
    ends[slice.axis] = std::max(slice.end, 0);
    strides[slice.axis] = -1;
    shape[slice.axis] = static_cast<std::uint32_t>(slice.begin - slice.end);
    NNBURST_TRY_ASSIGN(const std::uint32_t begin, op.constant(begins));
    NNBURST_TRY_ASSIGN(const std::uint32_t end, op.constant(ends));
    NNBURST_TRY_ASSIGN(const std::uint32_t stride, op.constant(strides));
    const std::uint32_t result = op.temporaryLike(operand, shape);
    op.add(OperationType::STRIDED_SLICE,
           {operand, begin, end, stride, op.scalar(allAxes & ~thisAxis),
            op.scalar(slice.end < 0 ? allAxes : allAxes & ~thisAxis), op.scalar(std::int32_t{0})},
           {result});
    return result;
}

}  // namespace

/// PAD, and PADV2 with a value to pad with.
Result<> convertPad(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kValue = 2;
    const Dimensions shape = op.shape(0);
    if (const auto values = op.knownIntegers(kPaddings); values && !shape.empty()) {
        NNBURST_TRY_ASSIGN(const std::vector<Padding> padding, paddings(op, *values));
        Dimensions result;
        for (std::size_t axis = 0; axis < padding.size(); ++axis) {
            result.push_back(paddedSize(shape[axis], padding[axis]));
        }
        op.inferOutputShape(result);
    }
    std::vector<std::uint32_t> inputs{op.input(0), op.input(kPaddings)};
    if (operation == OperationType::PAD_V2) {
        NNBURST_TRY_ASSIGN(const std::uint32_t value, padValue(op, kValue));
        inputs.push_back(value);
    }
    op.add(operation, std::move(inputs), {op.output()});
    return {};
}

/// Joins each axis with slices of itself in reverse order.
Result<> convertMirrorPad(OperatorImport& op, OperationType /*operation*/) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::MirrorPadOptions>());
    const bool isReflect = options->mode() == schema::MirrorPadMode::REFLECT;
    if (!isReflect && options->mode() != schema::MirrorPadMode::SYMMETRIC) {
        return invalid("mode {}: must be REFLECT or SYMMETRIC", static_cast<int>(options->mode()));
    }
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> values, op.integers(kPaddings, "paddings"));
    NNBURST_TRY_ASSIGN(const std::vector<Padding> padding, paddings(op, values));
    // REFLECT does not repeat the edge elements.
    const std::int32_t skipped = isReflect ? 1 : 0;
    const auto isPadded = [](Padding p) { return p.before != 0 || p.after != 0; };
    std::size_t left =
        static_cast<std::size_t>(std::count_if(padding.begin(), padding.end(), isPadded));
    std::uint32_t current = op.input(0);
    for (std::uint32_t axis = 0; axis < padding.size(); ++axis) {
        const auto [before, after] = padding[axis];
        if (!isPadded(padding[axis])) {
            continue;
        }
        Dimensions shape = op.operand(current).dimensions;
        const auto size = static_cast<std::int64_t>(shape[axis]);
        if (size == 0 || size > INT32_MAX || before > size - skipped || after > size - skipped) {
            return invalid("paddings {} and {} of axis {} of {}: must be at most its known size",
                           before, after, axis, dimensionsText(shape));
        }
        const auto last = static_cast<std::int32_t>(size - 1 - skipped);
        std::vector<std::uint32_t> parts;
        if (before != 0) {
            NNBURST_TRY_ASSIGN(
                const std::uint32_t part,
                reversedSlice(op, current,
                              {.axis = axis, .begin = before - 1 + skipped, .end = skipped - 1}));
            parts.push_back(part);
        }
        parts.push_back(current);
        if (after != 0) {
            NNBURST_TRY_ASSIGN(
                const std::uint32_t part,
                reversedSlice(op, current, {.axis = axis, .begin = last, .end = last - after}));
            parts.push_back(part);
        }
        shape[axis] = paddedSize(shape[axis], padding[axis]);
        --left;
        const std::uint32_t next = left == 0 ? op.output() : op.temporaryLike(op.output(), shape);
        if (left == 0) {
            op.inferOutputShape(shape);
        }
        parts.push_back(op.scalar(static_cast<std::int32_t>(axis)));
        op.add(OperationType::CONCATENATION, std::move(parts), {next});
        current = next;
    }
    return current == op.input(0) ? op.forward(current) : Result<>();
}

}  // namespace nnburst::tflite
