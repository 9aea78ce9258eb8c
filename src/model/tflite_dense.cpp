// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of fully connected layers, and of operators that go element by element.

#include <algorithm>
#include <cstring>

#include "memory/checked_math.h"
#include "model/operand_info.h"
#include "model/tflite_operator.h"

namespace nnburst::tflite {

namespace {

/// The number of elements; 0 if it is unknown, or more than fits.
std::uint32_t elementCount(const Dimensions& dimensions) {
    if (dimensions.empty()) {
        return 0;
    }
    std::uint32_t count = 1;
    for (const std::uint32_t size : dimensions) {
        count = checkedMultiply(count, size).value_or(0);
    }
    return count;
}

/// The shape of an operation on two operands of which axes of size 1 are repeated; empty if it is
/// unknown.
Dimensions broadcast(const Dimensions& a, const Dimensions& b) {
    if (elementCount(a) == 0 || elementCount(b) == 0) {
        return {};
    }
    Dimensions result = a.size() < b.size() ? b : a;
    const Dimensions& shorter = a.size() < b.size() ? a : b;
    const std::size_t offset = result.size() - shorter.size();
    for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
        std::uint32_t& size = result[offset + axis];
        if (size != shorter[axis] && size != 1 && shorter[axis] != 1) {
            return {};
        }
        size = std::max(size, shorter[axis]);
    }
    return result;
}

/// The shape that `elements` elements take; empty if `newShape`, of which one size may be -1, does
/// not fit.
Dimensions reshaped(std::uint32_t elements, const std::vector<std::int32_t>& newShape) {
    Dimensions result;
    std::uint32_t known = 1;
    for (const std::int32_t size : newShape) {
        result.push_back(size < 0 ? 0 : static_cast<std::uint32_t>(size));
        known = checkedMultiply(known, std::max(result.back(), 1U)).value_or(0);
    }
    if (known == 0 || std::count(result.begin(), result.end(), 0U) > 1) {
        return {};
    }
    std::replace(result.begin(), result.end(), 0U, elements / known);
    return elementCount(result) == elements ? result : Dimensions();
}

/// Constant elements of type INT32; empty if input `index` is not constant.
std::vector<std::int32_t> constantInts(const OperatorImport& op, std::size_t index) {
    const auto bytes = op.constantBytes(index);
    std::vector<std::int32_t> values(bytes.size() / sizeof(std::int32_t));
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(std::int32_t));
    }
    return values;
}

Result<schema::ActivationFunctionType> arithmeticActivation(const OperatorImport& arithmetic,
                                                            OperationType operation) {
    const auto activation = [](const auto& options) -> Result<schema::ActivationFunctionType> {
        NNBURST_TRY(options);
        return (*options)->fused_activation_function();
    };
    switch (operation) {
        case OperationType::SUB:
            return activation(arithmetic.options<schema::SubOptions>());
        case OperationType::MUL:
            return activation(arithmetic.options<schema::MulOptions>());
        case OperationType::DIV:
            return activation(arithmetic.options<schema::DivOptions>());
        default:
            return activation(arithmetic.options<schema::AddOptions>());
    }
}

}  // namespace

Result<> convertFullyConnected(OperatorImport& dense, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, dense.options<schema::FullyConnectedOptions>());
    if (options->weights_format() != schema::FullyConnectedWeightsFormat::DEFAULT) {
        return invalid("shuffled weights are not supported");
    }
    NNBURST_TRY(dense.refuseHybrid(1));
    const Dimensions& input = dense.shape(0);
    const Dimensions& weights = dense.shape(1);
    if (weights.size() != 2 || weights[0] == 0 || weights[1] == 0) {
        return invalid("weights of shape {}: must have 2 dimensions", dimensionsText(weights));
    }
    if (options->keep_num_dims() && input.size() != 2) {
        return invalid("keep_num_dims with input of shape {} is not supported",
                       dimensionsText(input));
    }
    const std::uint32_t units = weights[0];
    dense.inferOutputShape({elementCount(input) / weights[1], units});

    NNBURST_TRY_ASSIGN(const std::uint32_t bias, dense.bias(2, 0, 1, units));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       dense.activation(options->fused_activation_function()));
    dense.add(operation, {dense.input(0), dense.input(1), bias, activation}, {dense.output()});
    return {};
}

Result<> convertReshape(OperatorImport& reshape, OperationType operation) {
    if (reshape.has(1)) {
        if (reshape.type(1) != OperandType::TENSOR_INT32) {
            return invalid("new shape of type {}: must be TENSOR_INT32", toString(reshape.type(1)));
        }
        reshape.inferOutputShape(
            reshaped(elementCount(reshape.shape(0)), constantInts(reshape, 1)));
        reshape.add(operation, {reshape.input(0), reshape.input(1)}, {reshape.output()});
        return {};
    }
    NNBURST_TRY_ASSIGN(const auto* options, reshape.options<schema::ReshapeOptions>());
    if (options->new_shape() == nullptr || options->new_shape()->size() == 0) {
        return invalid("must have a new shape, as input or option");
    }
    const std::vector<std::int32_t> newShape(options->new_shape()->begin(),
                                             options->new_shape()->end());
    reshape.inferOutputShape(reshaped(elementCount(reshape.shape(0)), newShape));
    NNBURST_TRY_ASSIGN(
        const std::uint32_t shape,
        reshape.constant(OperandType::TENSOR_INT32, {static_cast<std::uint32_t>(newShape.size())},
                         std::as_bytes(std::span(newShape))));
    reshape.add(operation, {reshape.input(0), shape}, {reshape.output()});
    return {};
}

Result<> convertSoftmax(OperatorImport& softmax, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, softmax.options<schema::SoftmaxOptions>());
    softmax.inferOutputShape(softmax.shape(0));
    softmax.add(operation, {softmax.input(0), softmax.scalar(options->beta())}, {softmax.output()});
    return {};
}

Result<> convertArithmetic(OperatorImport& arithmetic, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto fused, arithmeticActivation(arithmetic, operation));
    arithmetic.inferOutputShape(broadcast(arithmetic.shape(0), arithmetic.shape(1)));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation, arithmetic.activation(fused));
    arithmetic.add(operation, {arithmetic.input(0), arithmetic.input(1), activation},
                   {arithmetic.output()});
    return {};
}

Result<> convertUnary(OperatorImport& unary, OperationType operation) {
    unary.inferOutputShape(unary.shape(0));
    unary.add(operation, {unary.input(0)}, {unary.output()});
    return {};
}

}  // namespace nnburst::tflite
