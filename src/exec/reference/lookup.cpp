// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// GATHER, EMBEDDING_LOOKUP and HASHTABLE_LOOKUP: parts of a tensor, chosen by other tensors.
//
//     GATHER            output[..., i..., ...] = input[..., indices[i...], ...]: along one axis,
//                       which the axes of the indices replace
//     EMBEDDING_LOOKUP  output[i, ...] = values[indices[i], ...]
//     HASHTABLE_LOOKUP  output[i, ...] = values[k, ...] where keys[k] = lookups[i], and 0 if no key
//                       is equal; hits[i] is 1 or 0 accordingly; keys ascend
//
// Indices and keys lie in memory that others may write to: each is read once, checked, then used.

#include <algorithm>
#include <array>
#include <limits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/operations.h"
#include "exec/reference/strided_copy.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace lookup {

using enum OperandType;

/// What GATHER and EMBEDDING_LOOKUP do: along `axis` of `values`, those at the indices.
struct Gathering {
    std::size_t valuesInput = 0;
    std::size_t indicesInput = 0;
    std::size_t axis = 0;
    Shape outputShape;
};

Result<Gathering> makeGathering(const OperationView& operation, Gathering gathering) {
    const Shape& values = operation.inputs[gathering.valuesInput].shape;
    const Shape& indices = operation.inputs[gathering.indicesInput].shape;
    if (values.rank() + indices.rank() - 1 > kMaximumRank) {
        return invalid("{} output 0: rank {}; must be at most {}", toString(operation.type),
                       values.rank() + indices.rank() - 1, kMaximumRank);
    }
    std::array<std::uint64_t, kMaximumRank> sizes{};
    auto end = sizes.begin();
    const auto valuesAxis = values.sizes().begin() + static_cast<std::ptrdiff_t>(gathering.axis);
    end = std::copy(values.sizes().begin(), valuesAxis, end);
    end = std::copy(indices.sizes().begin(), indices.sizes().end(), end);
    end = std::copy(valuesAxis + 1, values.sizes().end(), end);
    NNBURST_TRY_ASSIGN(gathering.outputShape,
                       makeOutputShape(operation, 0, std::span(sizes.begin(), end)));
    return gathering;
}

constexpr std::size_t kGatherAxis = 1;
constexpr std::size_t kGatherIndices = 2;

Result<Gathering> resolveGather(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").rank(1, kMaximumRank);
    check.input(kGatherIndices, "indices").rank(1, kMaximumRank);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const std::size_t axis,
                       readAxis(operation, kGatherAxis, operation.inputs[0].shape.rank()));
    return makeGathering(
        operation,
        {.valuesInput = 0, .indicesInput = kGatherIndices, .axis = axis, .outputShape = {}});
}

Result<HalVersion> checkGather(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    check.input(kGatherAxis, "axis").type({INT32});
    check.input(kGatherIndices, "indices").type({TENSOR_INT32});
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input);
    NNBURST_TRY(check.result());
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveGather(operation));
    }
    return check.minimumVersion();
}

void checkEmbeddingShapes(OperationCheck& check) {
    check.input(0, "lookups").rank(1);
    check.input(1, "values").rank(2, kMaximumRank);
}

Result<Gathering> resolveEmbedding(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkEmbeddingShapes(check);
    NNBURST_TRY(check.result());
    return makeGathering(operation,
                         {.valuesInput = 1, .indicesInput = 0, .axis = 0, .outputShape = {}});
}

Result<HalVersion> checkEmbedding(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    check.input(0, "lookups").type({TENSOR_INT32});
    const OperandCheck values = check.input(1, "values")
                                    .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32,
                                           TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    checkEmbeddingShapes(check);
    check.output(0, "output").sameTypeAs(values).sameQuantizationAs(values);
    NNBURST_TRY(check.result());
    const OperandType type = values.view().type;
    check.since(HalVersion::V1_2, type == TENSOR_INT32 || type == TENSOR_QUANT8_ASYMM);
    check.since(HalVersion::V1_3, type == TENSOR_FLOAT16);
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveEmbedding(operation));
    }
    return check.minimumVersion();
}

using Resolve = Result<Gathering> (*)(const OperationView& operation);

template <Resolve resolve>
Result<> inferGathering(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Gathering gathering, resolve(operation));
    outputs[0] = gathering.outputShape;
    return {};
}

template <Resolve resolve>
Result<> runGathering(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Gathering gathering, resolve(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, gathering.outputShape));
    const OperandView& values = operation.inputs[gathering.valuesInput];
    const OperandView& indices = operation.inputs[gathering.indicesInput];
    if (gathering.outputShape.elementCount() == 0) {
        return {};
    }
    const std::size_t axis = gathering.axis;
    const std::uint32_t axisSize = values.shape[axis];
    const std::size_t indexCount = indices.shape.elementCount();
    const std::size_t inner = elementCount(values.shape, axis + 1, values.shape.rank());
    const std::size_t bytes = elementBytes(values.type);
    StridedCopy copy;  // copies what one index chooses
    copy.axis(elementCount(values.shape, 0, axis), static_cast<std::ptrdiff_t>(axisSize * inner),
              static_cast<std::ptrdiff_t>(indexCount * inner));
    copy.axis(inner, 1, 1);
    const std::size_t chosen = gathering.outputShape.elementCount() / indexCount;
    std::byte* to = operation.outputs[0].data;
    PartCounter parts(operation);
    for (std::size_t i = 0; i < indexCount; ++i, to += inner * bytes) {
        const std::int32_t index = indices.as<const volatile std::int32_t>()[i];
        if (index < 0 || static_cast<std::uint32_t>(index) >= axisSize) {
            return invalid("{} input {} (indices): {} at {}; must be at least 0 and below {}",
                           toString(operation.type), gathering.indicesInput, index, i, axisSize);
        }
        copy.run(operation, values.data + static_cast<std::size_t>(index) * inner * bytes, to,
                 bytes);
        if (parts.isOutOfTime(chosen)) {
            return {};
        }
    }
    return {};
}

constexpr std::size_t kLookups = 0;
constexpr std::size_t kKeys = 1;
constexpr std::size_t kValues = 2;

void checkHashtableShapes(OperationCheck& check) {
    check.input(kLookups, "lookups").rank(1);
    const OperandCheck keys = check.input(kKeys, "keys").rank(1);
    check.input(kValues, "values").rank(2, kMaximumRank).size(0, keys[0], "one for each key");
}

Result<Shape> hashtableOutputShape(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkHashtableShapes(check);
    NNBURST_TRY(check.result());
    const Shape& values = operation.inputs[kValues].shape;
    std::array<std::uint64_t, kMaximumRank> sizes{};
    std::copy(values.sizes().begin(), values.sizes().end(), sizes.begin());
    sizes[0] = operation.inputs[kLookups].shape[0];
    return makeOutputShape(operation, 0, std::span(sizes.data(), values.rank()));
}

Result<HalVersion> checkHashtable(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3).outputCount(2);
    check.input(kLookups, "lookups").type({TENSOR_INT32});
    check.input(kKeys, "keys").type({TENSOR_INT32});
    const OperandCheck values =
        check.input(kValues, "values").type({TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM});
    checkHashtableShapes(check);
    check.output(0, "output").sameTypeAs(values).sameQuantizationAs(values);
    check.output(1, "hits").type({TENSOR_QUANT8_ASYMM}).rank(1).quantization(1.0F, 0);
    NNBURST_TRY(check.result());
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(hashtableOutputShape(operation));
    }
    return check.minimumVersion();
}

Result<> inferHashtable(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shape shape, hashtableOutputShape(operation));
    outputs[0] = shape;
    outputs[1] = operation.inputs[kLookups].shape;
    return {};
}

/// The position of `wanted` among ascending keys; `count` if it is not there. At most `count` even
/// if keys do not ascend or another process changes them during the search.
std::size_t findKey(const volatile std::int32_t* keys, std::size_t count, std::int32_t wanted) {
    std::size_t first = 0;
    std::size_t last = count;
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        const std::int32_t key = keys[middle];
        if (key == wanted) {
            return middle;
        }
        if (key < wanted) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return count;
}

Result<> runHashtable(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, hashtableOutputShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    NNBURST_TRY(requireOutputShape(operation, 1, operation.inputs[kLookups].shape));
    const OperandView& values = operation.inputs[kValues];
    const auto* lookups = operation.inputs[kLookups].as<const volatile std::int32_t>();
    const auto* keys = operation.inputs[kKeys].as<const volatile std::int32_t>();
    const std::size_t keyCount = operation.inputs[kKeys].shape[0];
    const std::size_t rowBytes = elementCount(shape, 1, shape.rank()) * elementBytes(values.type);
    std::byte* to = operation.outputs[0].data;
    auto* hits = operation.outputs[1].as<std::uint8_t>();
    StridedCopy copy;
    copy.axis(rowBytes, 1, 1);
    constexpr std::array<std::byte, 1> zero{};
    PartCounter parts(operation);
    for (std::size_t i = 0; i < shape[0]; ++i) {
        const std::size_t row = findKey(keys, keyCount, lookups[i]);
        hits[i] = row < keyCount ? 1 : 0;
        if (row < keyCount) {
            copy.run(operation, values.data + row * rowBytes, to + i * rowBytes, 1);
        } else {
            fillElements(operation, to + i * rowBytes, rowBytes, zero.data(), 1);
        }
        if (parts.isOutOfTime(rowBytes)) {
            return {};
        }
    }
    return {};
}

}  // namespace lookup
}  // namespace

constinit const OperationDefinition kGather{
    .type = OperationType::GATHER,
    .since = HalVersion::V1_2,
    .check = lookup::checkGather,
    .inferShapes = lookup::inferGathering<lookup::resolveGather>,
    .run = lookup::runGathering<lookup::resolveGather>,
};

constinit const OperationDefinition kEmbeddingLookup{
    .type = OperationType::EMBEDDING_LOOKUP,
    .since = HalVersion::V1_0,
    .check = lookup::checkEmbedding,
    .inferShapes = lookup::inferGathering<lookup::resolveEmbedding>,
    .run = lookup::runGathering<lookup::resolveEmbedding>,
};

constinit const OperationDefinition kHashtableLookup{
    .type = OperationType::HASHTABLE_LOOKUP,
    .since = HalVersion::V1_0,
    .check = lookup::checkHashtable,
    .inferShapes = lookup::inferHashtable,
    .run = lookup::runHashtable,
};

}  // namespace nnburst::exec
