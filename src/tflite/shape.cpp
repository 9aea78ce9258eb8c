// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that change or return a tensor's shape and keep its elements.

#include <algorithm>

#include "memory/checked_math.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"
#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The shape that `newShape`, of which one size may be -1, gives `elements` elements; empty if it
/// does not fit.
Dimensions reshaped(std::uint32_t elements, const std::vector<std::int32_t>& newShape) {
    Dimensions result;
    std::uint32_t known = 1;
    for (const std::int32_t size : newShape) {
        if (size < -1 || (size == 0 && elements != 0)) {
            return {};
        }
        result.push_back(size == -1 ? 0 : static_cast<std::uint32_t>(size));
        known = checkedMultiply(known, std::max(result.back(), 1U)).value_or(0);
    }
    if (known == 0 || std::count(result.begin(), result.end(), 0U) > 1) {
        return {};
    }
    if (elements == 0) {
        return result;
    }
    std::replace(result.begin(), result.end(), 0U, elements / known);
    return elementCount(result) == elements ? result : Dimensions();
}

/// The new shape in the options. Without sizes it is that of a scalar, which old converters write
/// as {0}.
Result<std::vector<std::int32_t>> optionalShape(OperatorImport& op) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::ReshapeOptions>());
    const bool isScalar = elementCount(op.shape(0)) == 1;
    if (options->new_shape() == nullptr || (options->new_shape()->size() == 0 && !isScalar)) {
        return invalid("no new shape: must have one, as an input or in the options");
    }
    const auto& shape = *options->new_shape();
    if (shape.size() > kMaximumDimensions) {
        return invalid("new shape of {} dimensions: must be at most {}", shape.size(),
                       kMaximumDimensions);
    }
    if (shape.size() == 1 && shape.Get(0) == 0) {
        return std::vector<std::int32_t>();
    }
    return std::vector<std::int32_t>(shape.begin(), shape.end());
}

/// The output has the elements of the input in `shape`; without sizes it is a scalar.
Result<> reshapeTo(OperatorImport& op, std::vector<std::int32_t> shape) {
    const std::uint32_t elements = elementCount(op.shape(0));
    const bool isScalar = shape.empty();
    if (isScalar) {
        shape = {1};
    }
    const Dimensions result = reshaped(elements, shape);
    if (result.empty() && elements != 0) {
        return invalid("new shape {}: must have the {} elements of the input",
                       fmt::join(shape, "x"), elements);
    }
    if (isScalar) {
        op.inferScalarOutput();
    } else {
        op.inferOutputShape(result);
    }
    if (const auto values = op.knownIntegers(0)) {
        return op.forwardIntegers(*values);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t sizes, op.constant(shape));
    op.add(OperationType::RESHAPE, {op.input(0), sizes}, {op.output()});
    return {};
}

/// Of complex numbers, which have one more axis as an operand: to the shape that the file states.
Result<> reshapeAsStated(OperatorImport& op) {
    const Dimensions shape = op.operand(op.output()).dimensions;
    if (!op.outputIsComplex() || !isKnown(shape)) {
        return invalid("output of shape {}: must be COMPLEX64, and all sizes known",
                       dimensionsText(shape));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t sizes,
                       op.constant(std::vector<std::int32_t>(shape.begin(), shape.end())));
    op.add(OperationType::RESHAPE, {op.input(0), sizes}, {op.output()});
    return {};
}

}  // namespace

Result<> convertReshape(OperatorImport& op, OperationType operation) {
    if (op.inputIsComplex(0)) {
        return reshapeAsStated(op);
    }
    if (!op.has(1)) {
        NNBURST_TRY_ASSIGN(std::vector<std::int32_t> shape, optionalShape(op));
        return reshapeTo(op, std::move(shape));
    }
    if (op.type(1) != OperandType::TENSOR_INT32) {
        return invalid("new shape of type {}: must be TENSOR_INT32", toString(op.type(1)));
    }
    if (auto shape = op.knownIntegers(1)) {
        return reshapeTo(op, *std::move(shape));
    }
    op.add(operation, {op.input(0), op.input(1)}, {op.output()});
    return {};
}

Result<> convertSqueeze(OperatorImport& op, OperationType operation) {
    if (op.inputIsComplex(0)) {
        return reshapeAsStated(op);
    }
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::SqueezeOptions>());
    const std::uint32_t count = sizeOf(options->squeeze_dims());
    if (count > kMaximumDimensions) {
        return invalid("{} dimensions to squeeze: must be at most {}", count, kMaximumDimensions);
    }
    const Dimensions shape = op.shape(0);
    if (count == 0 && (shape.empty() || !isKnown(shape))) {
        op.add(operation, {op.input(0), op.omitted(OperandType::TENSOR_INT32)}, {op.output()});
        return {};
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    std::vector<std::int32_t> given;
    for (std::uint32_t i = 0; i < count; ++i) {
        given.push_back(options->squeeze_dims()->Get(i));
    }
    for (std::uint32_t i = 0; count == 0 && i < rank; ++i) {
        if (shape[i] == 1) {
            given.push_back(static_cast<std::int32_t>(i));
        }
    }
    NNBURST_TRY_ASSIGN(const std::vector<std::uint32_t> squeezed, op.axes(given, rank));
    if (squeezed.size() == rank) {
        return reshapeTo(op, {});
    }
    Dimensions result = shape;
    for (auto axis = squeezed.rbegin(); axis != squeezed.rend(); ++axis) {
        if (result[*axis] > 1) {
            return invalid("axis {} of {}: must have size 1", *axis, dimensionsText(shape));
        }
        result.erase(result.begin() + *axis);
    }
    op.inferOutputShape(result);
    if (const auto values = op.knownIntegers(0)) {
        return op.forwardIntegers(*values);
    }
    const std::vector<std::int32_t> axes(squeezed.begin(), squeezed.end());
    if (axes.empty()) {
        return op.forward(op.input(0));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t dropped, op.constant(axes));
    op.add(operation, {op.input(0), dropped}, {op.output()});
    return {};
}

Result<> convertExpandDims(OperatorImport& op, OperationType operation) {
    if (op.inputIsComplex(0)) {
        return reshapeAsStated(op);
    }
    NNBURST_TRY_ASSIGN(const std::int32_t given, op.integer(1, "axis"));
    if (op.isScalar(0)) {
        NNBURST_TRY(OperatorImport::axis(given, 1));
        op.inferOutputShape({1});
        if (const auto values = op.knownIntegers(0)) {
            return op.forwardIntegers(*values);
        }
        return op.forward(op.input(0));
    }
    if (Dimensions result = op.shape(0); !result.empty()) {
        NNBURST_TRY_ASSIGN(
            const std::uint32_t axis,
            OperatorImport::axis(given, static_cast<std::uint32_t>(result.size() + 1)));
        result.insert(result.begin() + axis, 1);
        op.inferOutputShape(result);
    }
    if (const auto values = op.knownIntegers(0)) {
        return op.forwardIntegers(*values);
    }
    op.add(operation, {op.input(0), op.scalar(given)}, {op.output()});
    return {};
}

Result<> convertTranspose(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kPermutation = 1;
    const Dimensions shape = op.shape(0);
    const auto permutation = op.knownIntegers(kPermutation);
    if (permutation && !shape.empty()) {
        NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
        NNBURST_TRY_ASSIGN(const auto axes, op.axes(*permutation, rank));
        if (axes.size() != rank || permutation->size() != rank) {
            return invalid("permutation of {} axes for {} dimensions: must have each once",
                           permutation->size(), rank);
        }
        Dimensions result;
        std::vector<std::int32_t> fromFront;
        for (const std::int32_t given : *permutation) {
            NNBURST_TRY_ASSIGN(const std::uint32_t axis, OperatorImport::axis(given, rank));
            result.push_back(shape[axis]);
            fromFront.push_back(static_cast<std::int32_t>(axis));
        }
        op.inferOutputShape(result);
        if (rank == 0) {
            return op.forward(op.input(0));
        }
        NNBURST_TRY_ASSIGN(const std::uint32_t order, op.constant(fromFront));
        op.add(operation, {op.input(0), order}, {op.output()});
        return {};
    }
    op.add(operation, {op.input(0), op.input(kPermutation)}, {op.output()});
    return {};
}

Result<> convertShape(OperatorImport& op, OperationType /*operation*/) {
    if (op.isScalar(0)) {
        op.inferOutputShape({0});
        return op.forwardIntegers({});
    }
    const Dimensions shape = op.shape(0);
    if (!isKnown(shape)) {
        return invalid("input of shape {}: must be known, as the HAL has no such operation",
                       dimensionsText(shape));
    }
    std::vector<std::int32_t> sizes;
    for (const std::uint32_t size : shape) {
        if (size > INT32_MAX) {
            return invalid("size {}: must fit into 32 bits", size);
        }
        sizes.push_back(static_cast<std::int32_t>(size));
    }
    op.inferOutputShape({static_cast<std::uint32_t>(sizes.size())});
    return op.forwardIntegers(sizes);
}

/// The HAL's RANK returns a scalar, which operations on tensors do not take.
Result<> convertRank(OperatorImport& op, OperationType /*operation*/) {
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    op.inferScalarOutput();
    return op.forwardIntegers({static_cast<std::int32_t>(rank)});
}

}  // namespace nnburst::tflite
