// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that reduce axes to one element, or to a few elements.

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/extension_types.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

constexpr std::size_t kAxes = 1;

/// The shape without `axes`; if `keeps`, with size 1 along them.
Dimensions reducedShape(Dimensions shape, const std::vector<std::uint32_t>& axes, bool keeps) {
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        if (keeps) {
            shape[*axis] = 1;
        } else {
            shape.erase(shape.begin() + *axis);
        }
    }
    return shape;
}

/// Infers the shape of the output. Returns whether no axis is reduced.
Result<bool> inferReduction(OperatorImport& op, bool keeps) {
    const Dimensions shape = op.shape(0);
    const auto given = op.knownIntegers(kAxes);
    if (!given || shape.empty()) {
        return false;
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    NNBURST_TRY_ASSIGN(const std::vector<std::uint32_t> axes, op.axes(*given, rank));
    if (rank == 0 || (axes.size() == rank && !keeps)) {
        op.inferScalarOutput();
    } else {
        op.inferOutputShape(reducedShape(shape, axes, keeps));
    }
    return axes.empty();
}

/// Gives the output the values of input 0, in its own scale. For reductions of no axis: the HAL's
/// require at least one.
Result<> forwardValues(OperatorImport& op) {
    if (op.haveSameQuantization(op.input(0), op.output())) {
        return op.forward(op.input(0));
    }
    op.add(OperationType::QUANTIZE, {op.floatInput(0)}, {op.output()});
    return {};
}

/// Adds the reduction, in floating point if the HAL's operation cannot change the quantisation.
Result<> addReduction(OperatorImport& op, OperationType operation, std::uint32_t keeps,
                      bool isFloat) {
    const std::uint32_t input = isFloat ? op.floatInput(0) : op.input(0);
    const std::uint32_t result = isFloat ? op.floatOutput() : op.output();
    op.add(operation, {input, op.input(kAxes), keeps}, {result});
    op.finishFloat(result);
    return {};
}

/// The HAL reduces no integers.
bool addIntegerReduction(OperatorImport& op, OperationType operation, bool keeps) {
    using tflite_operations::Reduction;
    if (op.type(0) != OperandType::TENSOR_INT32) {
        return false;
    }
    const Reduction kind = operation == OperationType::REDUCE_PROD  ? Reduction::PROD
                           : operation == OperationType::REDUCE_MIN ? Reduction::MIN
                           : operation == OperationType::REDUCE_MAX ? Reduction::MAX
                           : operation == OperationType::MEAN       ? Reduction::MEAN
                                                                    : Reduction::SUM;
    op.add(extensionOperation(tflite_operations::Code::REDUCE_INTEGERS),
           {op.input(0), op.input(kAxes), op.scalar(keeps),
            op.scalar(static_cast<std::int32_t>(kind))},
           {op.output()});
    return true;
}

/// Computes the product of constants, such as a shape, at import.
Result<bool> foldProduct(OperatorImport& op) {
    const auto values = op.knownIntegers(0);
    if (!values || op.shape(0).size() != 1 || op.isScalar(0) || !op.knownIntegers(kAxes)) {
        return false;
    }
    std::int64_t product = 1;
    for (const std::int32_t value : *values) {
        product *= value;
        if (!std::in_range<std::int32_t>(product)) {
            return false;
        }
    }
    NNBURST_TRY(op.forwardIntegers({static_cast<std::int32_t>(product)}));
    return true;
}

}  // namespace

/// The HAL's MEAN takes keep_dims as an INT32, the other reductions as a BOOL.
Result<> convertMean(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::ReducerOptions>());
    NNBURST_TRY_ASSIGN(const bool isIdentity, inferReduction(op, options->keep_dims()));
    if (isIdentity) {
        return forwardValues(op);
    }
    if (addIntegerReduction(op, operation, options->keep_dims())) {
        return {};
    }
    const std::uint32_t keeps = op.scalar(std::int32_t{options->keep_dims()});
    return addReduction(op, operation, keeps, !op.haveSameQuantization(op.input(0), op.output()));
}

Result<> convertReduction(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::ReducerOptions>());
    NNBURST_TRY_ASSIGN(const bool isIdentity, inferReduction(op, options->keep_dims()));
    if (isIdentity) {
        return forwardValues(op);
    }
    if (operation == OperationType::REDUCE_PROD) {
        NNBURST_TRY_ASSIGN(const bool isFolded, foldProduct(op));
        if (isFolded) {
            return {};
        }
    }
    if (addIntegerReduction(op, operation, options->keep_dims())) {
        return {};
    }
    const bool isArithmetic =
        operation == OperationType::REDUCE_SUM || operation == OperationType::REDUCE_PROD;
    const bool isFloat = op.isQuantized(op.input(0)) &&
                         (isArithmetic || !op.haveSameQuantization(op.input(0), op.output()));
    return addReduction(op, operation, op.scalar(options->keep_dims()), isFloat);
}

Result<> convertArgMinMax(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t axis, op.integer(1, "axis"));
    const Dimensions shape = op.shape(0);
    if (!shape.empty()) {
        NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
        NNBURST_TRY_ASSIGN(const std::uint32_t fromFront, OperatorImport::axis(axis, rank));
        if (rank == 1) {
            op.inferScalarOutput();
        } else {
            op.inferOutputShape(reducedShape(shape, {fromFront}, false));
        }
    }
    std::uint32_t input = op.input(0);
    if (op.type(0) == OperandType::TENSOR_BOOL8) {  // the HAL takes numbers alone
        input = op.temporary(OperandType::TENSOR_QUANT8_ASYMM, shape);
        op.operand(input).scale = 1.0F;
        op.add(kBitcast, {op.input(0)}, {input});
    }
    op.add(operation, {input, op.scalar(axis)}, {op.output()});
    return {};
}

Result<> convertTopK(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kIndices = 1;
    NNBURST_TRY_ASSIGN(const std::int32_t k, op.integer(1, "k"));
    if (k < 1) {
        return invalid("k {}: must be at least 1", k);
    }
    if (Dimensions shape = op.shape(0); !shape.empty()) {
        shape.back() = static_cast<std::uint32_t>(k);
        op.inferOutputShape(shape);
        op.inferOutputShape(shape, kIndices);
    }
    op.add(operation, {op.input(0), op.scalar(k)}, {op.output(), op.output(kIndices)});
    return {};
}

}  // namespace nnburst::tflite
