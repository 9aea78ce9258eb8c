// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converter of products of matrices.

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// A product with one constant matrix is a fully connected layer, which has fast kernels. Its
/// weights are the matrix transposed: [columns, depth].
Result<> addFullyConnected(OperatorImport& op, std::uint32_t x, std::uint32_t y, bool isTransposed,
                           const Dimensions& result, std::uint32_t output) {
    const Dimensions given = op.operand(y).dimensions;
    const Dimensions matrix(given.end() - 2, given.end());
    if (given != matrix) {
        NNBURST_TRY_ASSIGN(const std::uint32_t shape,
                           op.constant(std::vector<std::int32_t>(matrix.begin(), matrix.end())));
        const std::uint32_t reshaped = op.temporaryLike(y, matrix);
        op.add(OperationType::RESHAPE, {y, shape}, {reshaped});
        y = reshaped;
    }
    const std::uint32_t depth = matrix[isTransposed ? 1 : 0];
    const std::uint32_t columns = matrix[isTransposed ? 0 : 1];
    if (!isTransposed) {
        const std::int32_t order[] = {1, 0};
        NNBURST_TRY_ASSIGN(const std::uint32_t permutation, op.constant(order));
        const std::uint32_t weights = op.temporaryLike(y, {columns, depth});
        op.add(OperationType::TRANSPOSE, {y, permutation}, {weights});
        y = weights;
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t bias,
                       op.repeated(OperandType::TENSOR_FLOAT32, {columns}, 0.0F));
    const std::uint32_t activation =
        op.scalar(static_cast<std::int32_t>(FusedActivationFunc::NONE));
    const std::uint32_t rows = elementCount(result) / columns;
    std::uint32_t flatX = x;
    if (op.operand(x).dimensions.size() != 2) {
        const std::int32_t sizes[] = {static_cast<std::int32_t>(rows),
                                      static_cast<std::int32_t>(depth)};
        NNBURST_TRY_ASSIGN(const std::uint32_t shape, op.constant(sizes));
        flatX = op.temporaryLike(x, {rows, depth});
        op.add(OperationType::RESHAPE, {x, shape}, {flatX});
    }
    if (result.size() == 2) {
        op.add(OperationType::FULLY_CONNECTED, {flatX, y, bias, activation}, {output});
        return {};
    }
    const std::uint32_t product = op.temporaryLike(x, {rows, columns});
    op.add(OperationType::FULLY_CONNECTED, {flatX, y, bias, activation}, {product});
    const std::vector<std::int32_t> sizes(result.begin(), result.end());
    NNBURST_TRY_ASSIGN(const std::uint32_t shape, op.constant(sizes));
    op.add(OperationType::RESHAPE, {product, shape}, {output});
    return {};
}

}  // namespace

Result<> convertBatchMatmul(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::BatchMatMulOptions>());
    const Dimensions x = op.shape(0);
    const Dimensions y = op.shape(1);
    if (x.size() < 2 || y.size() < 2) {
        return invalid("shapes {} and {}: must be known and have at least 2 dimensions",
                       dimensionsText(x), dimensionsText(y));
    }
    Dimensions result =
        broadcastShape(Dimensions(x.begin(), x.end() - 2), Dimensions(y.begin(), y.end() - 2));
    if (x.size() == 2 || y.size() == 2) {  // one has no axes of batches
        const Dimensions& longer = x.size() == 2 ? y : x;
        result.assign(longer.begin(), longer.end() - 2);
    }
    result.push_back(x[x.size() - (options->adj_x() ? 1 : 2)]);
    result.push_back(y[y.size() - (options->adj_y() ? 2 : 1)]);
    op.inferOutputShape(result);
    const bool isMatrix = isKnown(y) && elementCount(y) == elementCount({y.end() - 2, y.end()});
    const std::uint32_t a = op.floatInput(0);
    const std::uint32_t b = op.floatInput(1);
    const std::uint32_t computed = op.floatOutput();
    if (isMatrix && op.isFixed(1) && !options->adj_x() && isKnown(result) &&
        elementCount(result) != 0 && elementCount(x) <= INT32_MAX) {
        NNBURST_TRY(addFullyConnected(op, a, b, options->adj_y(), result, computed));
    } else {
        op.add(operation, {a, b, op.scalar(options->adj_x()), op.scalar(options->adj_y())},
               {computed});
    }
    op.finishFloat(computed);
    return {};
}

}  // namespace nnburst::tflite
