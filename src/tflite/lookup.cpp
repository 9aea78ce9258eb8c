// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that select elements by index, key, hash or chance.

#include <algorithm>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/extension_types.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The shape of a lookup along the first axis of `values` by the elements of `keys`.
Dimensions lookupShape(const Dimensions& keys, const Dimensions& values) {
    if (values.empty()) {
        return {};
    }
    Dimensions result = values;
    result[0] = sizeAt(keys, 0);
    return result;
}

/// The lookup of constants in a vector of constants, such as a shape.
Result<> gatherIntegers(OperatorImport& op, const std::vector<std::int32_t>& values,
                        const std::vector<std::int32_t>& indices) {
    std::vector<std::int32_t> result;
    for (const std::int32_t index : indices) {
        if (index < 0 || static_cast<std::size_t>(index) >= values.size()) {
            return invalid("index {}: must be one of {} elements", index, values.size());
        }
        result.push_back(values[static_cast<std::size_t>(index)]);
    }
    if (op.isScalar(1)) {
        op.inferScalarOutput();
    } else {
        op.inferOutputShape(op.shape(1));
    }
    return op.forwardIntegers(result);
}

/// GATHER in which each index of the first axes has indices of its own.
Result<> gatherInBatches(OperatorImport& op, std::uint32_t axis, std::int32_t given) {
    const Dimensions values = op.shape(0);
    const Dimensions indices = op.shape(1);
    const std::int64_t batchAxes =
        given < 0 ? given + static_cast<std::int64_t>(indices.size()) : std::int64_t{given};
    if (batchAxes < 0 || batchAxes > axis || std::cmp_greater(batchAxes, indices.size())) {
        return invalid("batch_dims {} with indices of shape {} along axis {}: must be at most both",
                       given, dimensionsText(indices), axis);
    }
    Dimensions result(values.begin(), values.begin() + axis);
    result.insert(result.end(), indices.begin() + batchAxes, indices.end());
    result.insert(result.end(), values.begin() + axis + 1, values.end());
    op.inferOutputShape(result);
    op.add(extensionOperation(tflite_operations::Code::GATHER),
           {op.input(0), indicesOf(op, 1), op.scalar(static_cast<std::int32_t>(axis)),
            op.scalar(static_cast<std::int32_t>(batchAxes))},
           {op.output()});
    return {};
}

}  // namespace

std::uint32_t indicesOf(OperatorImport& op, std::size_t index) {
    if (!op.has16Bits(index)) {
        return op.input(index);
    }
    const Dimensions shape = op.shape(index);
    const std::uint32_t indices = op.temporary(OperandType::TENSOR_INT32, shape);
    castSigned(op, op.input(index), indices);
    return indices;
}

Result<> convertEmbeddingLookup(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kValues = 1;
    const Dimensions shape = lookupShape(op.shape(0), op.shape(kValues));
    op.inferOutputShape(shape);
    const bool isHybrid = op.operand(op.output()).type == OperandType::TENSOR_FLOAT32;
    // A lookup before the conversion to floating point costs less than after it.
    if (isHybrid && op.isQuantized(op.input(kValues))) {
        NNBURST_TRY(op.readAsSigned(kValues));
        const std::uint32_t found = op.temporaryLike(op.input(kValues), shape);
        op.add(operation, {op.input(0), op.input(kValues)}, {found});
        op.add(OperationType::DEQUANTIZE, {found}, {op.output()});
        return {};
    }
    const std::uint32_t values = isHybrid ? op.floatInput(kValues) : op.input(kValues);
    op.add(operation, {op.input(0), values}, {op.output()});
    return {};
}

Result<> convertHashtableLookup(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kValues = 2;
    constexpr std::size_t kHits = 1;
    op.inferOutputShape(lookupShape(op.shape(0), op.shape(kValues)));
    op.inferOutputShape({sizeAt(op.shape(0), 0)}, kHits);
    op.add(operation, {op.input(0), op.input(1), op.input(kValues)},
           {op.output(), op.output(kHits)});
    return {};
}

Result<> convertLshProjection(OperatorImport& op, OperationType operation) {
    // TFLite adds an offset to each signature of a sparse projection, as the HAL's new type does.
    constexpr std::int32_t kHalDense = 2;
    constexpr std::int32_t kHalSparse = 3;
    constexpr std::size_t kHash = 0;
    constexpr std::size_t kWeight = 2;
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::LSHProjectionOptions>());
    const schema::LSHProjectionType type = options->type();
    if (type != schema::LSHProjectionType::SPARSE && type != schema::LSHProjectionType::DENSE) {
        return invalid("type {}: must be SPARSE or DENSE", static_cast<int>(type));
    }
    const bool isDense = type == schema::LSHProjectionType::DENSE;
    const Dimensions& hash = op.shape(kHash);
    const std::uint32_t hashes = sizeAt(hash, 0);
    op.inferOutputShape({isDense ? elementCount(hash) : hashes});
    const std::uint32_t weight = op.optionalInput(kWeight, OperandType::TENSOR_FLOAT32);
    op.add(operation,
           {op.input(kHash), op.input(1), weight, op.scalar(isDense ? kHalDense : kHalSparse)},
           {op.output()});
    return {};
}

Result<> convertGather(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kIndices = 1;
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::GatherOptions>());
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    NNBURST_TRY_ASSIGN(const std::uint32_t axis, OperatorImport::axis(options->axis(), rank));
    if (options->batch_dims() != 0) {
        return gatherInBatches(op, axis, options->batch_dims());
    }
    const auto halAxis = static_cast<std::int32_t>(axis);
    const Dimensions input = op.shape(0);
    const Dimensions indices = op.shape(kIndices);
    if (const auto values = op.knownIntegers(0); values && rank == 1) {
        if (const auto chosen = op.knownIntegers(kIndices)) {
            return gatherIntegers(op, *values, *chosen);
        }
    }
    const std::uint32_t places = indicesOf(op, kIndices);
    Dimensions gathered(input.begin(), input.begin() + axis);
    gathered.insert(gathered.end(), indices.begin(), indices.end());
    gathered.insert(gathered.end(), input.begin() + axis + 1, input.end());
    if (!op.isScalar(kIndices)) {
        op.inferOutputShape(indices.empty() ? Dimensions() : gathered);
        op.add(operation, {op.input(0), op.scalar(halAxis), places}, {op.output()});
        return {};
    }
    // A single index removes its axis in TFLite, but not in the HAL.
    if (rank == 1) {
        op.inferScalarOutput();
        op.add(operation, {op.input(0), op.scalar(halAxis), places}, {op.output()});
        return {};
    }
    const std::uint32_t kept = op.temporaryLike(op.output(), gathered);
    op.add(operation, {op.input(0), op.scalar(halAxis), places}, {kept});
    NNBURST_TRY_ASSIGN(const std::uint32_t dropped, op.constant(std::span(&halAxis, 1)));
    gathered.erase(gathered.begin() + axis);
    op.inferOutputShape(gathered);
    op.add(OperationType::SQUEEZE, {kept, dropped}, {op.output()});
    return {};
}

}  // namespace nnburst::tflite
