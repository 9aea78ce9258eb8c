// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations that write elements to places that indices or factors name. What decides the shape of
/// the output is a constant input.

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

/// Where the row of indices `row` points to along the first axes of `sizes`.
Result<std::size_t> placeOf(const std::int32_t* row, std::size_t depth, Sizes sizes) {
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < depth; ++axis) {
        const std::int32_t index = readOnce(row + axis);
        if (index < 0 || std::cmp_greater_equal(index, sizes[axis])) {
            return invalid("index {} along axis {}; must be from 0 to {}", index, axis,
                           sizes[axis] - 1);
        }
        at = at * sizes[axis] + static_cast<std::size_t>(index);
    }
    return at;
}

// ---- SCATTER_ND: indices [..., depth], updates [..., rest], the shape. What is written to the
// same place is added.

Result<> checkScatterNd(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 3, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0 (indices)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (updates)", {TENSOR_FLOAT32, TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (shape)", {TENSOR_INT32}));
    return checkSameType(inputs[1], outputs[0]);
}

Result<Dimensions> shapeOfScatterNd(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(Dimensions result, constantShape(inputs[2]));
    const Sizes indices = inputs[0].dimensions;
    const bool fits = !indices.empty() && indices.back() != 0 && indices.back() <= result.size();
    Dimensions updates;
    if (fits) {
        updates.assign(indices.begin(), indices.end() - 1);
        updates.insert(updates.end(), result.begin() + indices.back(), result.end());
    }
    if (!fits || (updates.empty() ? countOf(inputs[1]) != 1 : updates != dimensionsOf(inputs[1]))) {
        return invalid("indices of shape {} and updates of {} for an output of {}; must fit",
                       dimensionsText(indices), dimensionsText(inputs[1].dimensions),
                       dimensionsText(result));
    }
    return result;
}

template <class T, class Sum>
Result<> scatter(const RunContext& run) {
    const Sizes sizes = run.outputs[0].dimensions;
    const std::size_t depth = run.inputs[0].dimensions.back();
    const std::size_t inner = countOf(sizes.subspan(depth));
    const std::size_t rows = countOf(run.inputs[0]) / depth;
    T* out = run.output<T>();
    const T* updates = run.input<T>(1);
    if (fill(run, out, countOf(sizes), T{})) {
        return {};
    }
    for (std::size_t row = 0; row < rows; ++row) {
        NNBURST_TRY_ASSIGN(const std::size_t at,
                           placeOf(run.input<std::int32_t>(0) + row * depth, depth, sizes));
        const bool isOver = forEachElement(run, inner, [&](std::size_t i) {
            T& place = out[at * inner + i];
            place = static_cast<T>(static_cast<Sum>(place) +
                                   static_cast<Sum>(updates[row * inner + i]));
        });
        if (isOver || run.limit.isOverAfter(inner)) {
            return {};
        }
    }
    return {};
}

Result<> runScatterNd(const RunContext& run) {
    // Unsigned, as sums that do not fit wrap around.
    return run.outputs[0].type == TENSOR_INT32 ? scatter<std::int32_t, std::uint32_t>(run)
                                               : scatter<float, float>(run);
}

// ---- SPARSE_TO_DENSE: indices [count, depth], [count] or one, the shape, the values or one for
// all, the value elsewhere.

Result<> checkSparseToDense(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 4, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0 (indices)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (shape)", {TENSOR_INT32}));
    NNBURST_TRY(checkTensor(inputs[2], "input 2 (values)"));
    NNBURST_TRY(checkSameType(inputs[2], inputs[3]));
    return checkSameType(inputs[2], outputs[0]);
}

Result<Dimensions> shapeOfSparseToDense(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(Dimensions result, constantShape(inputs[1]));
    const Sizes indices = inputs[0].dimensions;
    const std::size_t depth = indices.size() == 2 ? indices[1] : 1;
    const std::size_t values = countOf(inputs[2]);
    if (indices.size() > 2 || depth == 0 || depth != result.size() || countOf(inputs[3]) != 1 ||
        (values != 1 && values != countOf(indices) / depth)) {
        return invalid("indices of shape {} and {} values for an output of {}; must fit",
                       dimensionsText(indices), values, dimensionsText(result));
    }
    return result;
}

Result<> runSparseToDense(const RunContext& run) {
    const Sizes sizes = run.outputs[0].dimensions;
    const Sizes indices = run.inputs[0].dimensions;
    const std::size_t depth = indices.size() == 2 ? indices[1] : 1;
    const std::size_t rows = countOf(indices) / depth;
    const std::size_t bytes = elementBytes(run.outputs[0].type);
    const std::size_t step = countOf(run.inputs[2]) == 1 ? 0 : bytes;
    const std::size_t count = countOf(sizes);
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(run.outputs[0].data + i * bytes, run.inputs[3].data, bytes);
        if (run.limit.isOverAfter(1)) {
            return {};
        }
    }
    for (std::size_t row = 0; row < rows; ++row) {
        NNBURST_TRY_ASSIGN(const std::size_t at,
                           placeOf(run.input<std::int32_t>(0) + row * depth, depth, sizes));
        std::memcpy(run.outputs[0].data + at * bytes, run.inputs[2].data + row * step, bytes);
        if (run.limit.isOverAfter(1)) {
            return {};
        }
    }
    return {};
}

// ---- DILATE: tensor, TENSOR_INT32 a factor for each axis, which must be constant, one element of
// the tensor's type. Elements that follow each other along an axis are as far apart in the output
// as its factor says, with copies of that element between them.

Result<> checkDilate(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 3, 1));
    NNBURST_TRY(checkTensor(inputs[0], "input 0"));
    NNBURST_TRY(checkType(inputs[1], "input 1 (factors)", {TENSOR_INT32}));
    NNBURST_TRY(checkSameType(inputs[0], inputs[2]));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfDilate(Operands inputs, std::size_t /*output*/) {
    Dimensions result = dimensionsOf(inputs[0]);
    NNBURST_TRY_ASSIGN(const auto factors, constantIntegers(inputs[1], "input 1 (factors)"));
    if (factors.size() != result.size() || countOf(inputs[2]) != 1) {
        return invalid("{} factors and {} elements for a tensor of shape {}; must be {} and 1",
                       factors.size(), countOf(inputs[2]), dimensionsText(result), result.size());
    }
    for (std::size_t axis = 0; axis < result.size(); ++axis) {
        const std::int64_t size = (std::int64_t{result[axis]} - 1) * factors[axis] + 1;
        if (factors[axis] < 1 || size > std::numeric_limits<std::int32_t>::max()) {
            return invalid("factor {} for an axis of {}; must be at least 1, the result below 2^31",
                           factors[axis], result[axis]);
        }
        result[axis] = result[axis] == 0 ? 0 : static_cast<std::uint32_t>(size);
    }
    return result;
}

Result<> runDilate(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const auto factors, constantIntegers(run.inputs[1], "input 1 (factors)"));
    const Sizes in = run.inputs[0].dimensions;
    const Sizes out = run.outputs[0].dimensions;
    const std::size_t bytes = elementBytes(run.outputs[0].type);
    const std::size_t count = countOf(out);
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* from = run.inputs[0].data;
        std::size_t rest = i;
        std::size_t step = bytes;
        for (std::size_t axis = in.size(); axis-- > 0;) {
            const std::size_t place = rest % out[axis];
            const auto factor = static_cast<std::size_t>(factors[axis]);
            if (place % factor != 0) {
                from = run.inputs[2].data;
                break;
            }
            from += place / factor * step;
            step *= in[axis];
            rest /= out[axis];
        }
        std::memcpy(run.outputs[0].data + i * bytes, from, bytes);
        if (run.limit.isOverAfter(1)) {
            return {};
        }
    }
    return {};
}

constexpr std::array kScatterOperations{
    OperationDefinition{Code::SCATTER_ND, "SCATTER_ND", checkScatterNd, shapeOfScatterNd,
                        runScatterNd},
    OperationDefinition{Code::SPARSE_TO_DENSE, "SPARSE_TO_DENSE", checkSparseToDense,
                        shapeOfSparseToDense, runSparseToDense},
    OperationDefinition{Code::DILATE, "DILATE", checkDilate, shapeOfDilate, runDilate},
};

}  // namespace

std::span<const OperationDefinition> scatterOperations() noexcept {
    return kScatterOperations;
}

}  // namespace nnburst::tflite_operations
