// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations that copy elements to other places: by index, by axis, or in another order.

#include <algorithm>
#include <array>
#include <cstring>

#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

Result<std::size_t> checkedIndex(std::int32_t index, std::size_t size) {
    if (index < 0 || static_cast<std::size_t>(index) >= size) {
        return invalid("index {}; must be from 0 to {}", index, size - 1);
    }
    return static_cast<std::size_t>(index);
}

// ---- GATHER: values, indices, INT32 axis, INT32 number of the first axes, which both share, that
// are those of batches; output [batches, values before the axis, indices, values after it].

struct GatherSizes {
    std::size_t batches = 1;
    std::size_t outer = 1;
    std::size_t axis = 1;
    std::size_t inner = 1;
    std::size_t indices = 1;
    Dimensions result{};
};

Result<GatherSizes> gatherSizes(Operands inputs) {
    const Sizes values = inputs[0].dimensions;
    const Sizes indices = inputs[1].dimensions;
    NNBURST_TRY_ASSIGN(const std::size_t axis,
                       axisOf(scalarOf<std::int32_t>(inputs[2]), values.size()));
    const auto given = scalarOf<std::int32_t>(inputs[3]);
    const auto shared = static_cast<std::size_t>(given);
    if (given < 0 || shared > axis || shared > indices.size() ||
        !std::equal(indices.begin(), indices.begin() + given, values.begin())) {
        return invalid("{} axes of batches for shapes {} and {} along axis {}; must be the same",
                       given, dimensionsText(values), dimensionsText(indices), axis);
    }
    GatherSizes sizes{.batches = countOf(values.first(shared)),
                      .outer = countOf(values.subspan(shared, axis - shared)),
                      .axis = values[axis],
                      .inner = countOf(values.subspan(axis + 1)),
                      .indices = countOf(indices.subspan(shared))};
    sizes.result.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(axis));
    sizes.result.insert(sizes.result.end(), indices.begin() + given, indices.end());
    sizes.result.insert(sizes.result.end(), values.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                        values.end());
    return sizes;
}

Result<> checkGather(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 4, 1));
    NNBURST_TRY(checkTensor(inputs[0], "input 0"));
    NNBURST_TRY(checkType(inputs[1], "input 1 (indices)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (axis)", {INT32}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (axes of batches)", {INT32}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfGather(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(GatherSizes sizes, gatherSizes(inputs));
    return std::move(sizes.result);
}

Result<> runGather(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const GatherSizes sizes, gatherSizes(run.inputs));
    const std::size_t bytes = sizes.inner * elementBytes(run.inputs[0].type);
    const auto* indices = run.input<std::int32_t>(1);
    std::byte* out = run.outputs[0].data;
    for (std::size_t row = 0; row < sizes.batches * sizes.outer; ++row) {
        const std::byte* values = run.inputs[0].data + row * sizes.axis * bytes;
        const std::int32_t* own = indices + row / sizes.outer * sizes.indices;
        for (std::size_t i = 0; i < sizes.indices; ++i) {
            NNBURST_TRY_ASSIGN(const std::size_t index,
                               checkedIndex(readOnce(own + i), sizes.axis));
            if (copyBytes(run, out, values + index * bytes, bytes)) {
                return {};
            }
            out += bytes;
        }
    }
    return {};
}

// ---- GATHER_ND: values, indices [..., depth]: each row of indices is a place along the first
// `depth` axes of the values.

Result<> checkGatherNd(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkTensor(inputs[0], "input 0"));
    NNBURST_TRY(checkType(inputs[1], "input 1 (indices)", {TENSOR_INT32}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfGatherNd(Operands inputs, std::size_t /*output*/) {
    const Sizes values = inputs[0].dimensions;
    const Sizes indices = inputs[1].dimensions;
    if (indices.empty() || indices.back() == 0 || indices.back() > values.size()) {
        return invalid("shapes {} and {}; indices must have from 1 to as many axes as the values",
                       dimensionsText(values), dimensionsText(indices));
    }
    Dimensions result(indices.begin(), indices.end() - 1);
    result.insert(result.end(), values.begin() + indices.back(), values.end());
    if (result.empty()) {
        result.push_back(1);
    }
    return result;
}

Result<> runGatherNd(const RunContext& run) {
    const Sizes values = run.inputs[0].dimensions;
    const std::size_t depth = run.inputs[1].dimensions.back();
    const std::size_t inner = countOf(values.subspan(depth));
    const std::size_t bytes = inner * elementBytes(run.inputs[0].type);
    const std::size_t rows = countOf(run.inputs[1]) / depth;
    const auto* indices = run.input<std::int32_t>(1);
    for (std::size_t row = 0; row < rows; ++row) {
        std::size_t at = 0;
        for (std::size_t axis = 0; axis < depth; ++axis) {
            NNBURST_TRY_ASSIGN(const std::size_t index,
                               checkedIndex(readOnce(indices + row * depth + axis), values[axis]));
            at = at * values[axis] + index;
        }
        if (copyBytes(run, run.outputs[0].data + row * bytes, run.inputs[0].data + at * bytes,
                      bytes) ||
            run.limit.isOverAfter(depth)) {
            return {};
        }
    }
    return {};
}

// ---- ONE_HOT: indices, INT32 depth, value where an index is, value elsewhere, INT32 axis at which
// the new axis of size `depth` is; -1 is the last.

Result<> checkOneHot(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 5, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0 (indices)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (depth)", {INT32}));
    NNBURST_TRY(checkTensor(inputs[2], "input 2 (on)"));
    NNBURST_TRY(checkSameType(inputs[2], inputs[3]));
    NNBURST_TRY(checkType(inputs[4], "input 4 (axis)", {INT32}));
    return checkSameType(inputs[2], outputs[0]);
}

Result<Dimensions> shapeOfOneHot(Operands inputs, std::size_t /*output*/) {
    Dimensions result = dimensionsOf(inputs[0]);
    NNBURST_TRY_ASSIGN(const std::size_t axis,
                       axisOf(scalarOf<std::int32_t>(inputs[4]), result.size() + 1));
    const auto depth = scalarOf<std::int32_t>(inputs[1]);
    if (depth < 1 || countOf(inputs[2]) != 1 || countOf(inputs[3]) != 1) {
        return invalid(
            "depth {} with values of shapes {} and {}; must be at least 1, with one "
            "element each",
            depth, dimensionsText(inputs[2].dimensions), dimensionsText(inputs[3].dimensions));
    }
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis),
                  static_cast<std::uint32_t>(depth));
    return result;
}

Result<> runOneHot(const RunContext& run) {
    const Sizes sizes = run.outputs[0].dimensions;
    NNBURST_TRY_ASSIGN(const std::size_t axis,
                       axisOf(scalarOf<std::int32_t>(run.inputs[4]), sizes.size()));
    const std::size_t bytes = elementBytes(run.outputs[0].type);
    const std::size_t inner = countOf(sizes.subspan(axis + 1));
    const std::size_t depth = sizes[axis];
    const std::size_t count = countOf(sizes);
    const auto* indices = run.input<std::int32_t>(0);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t index = indices[i / (depth * inner) * inner + i % inner];
        const bool isOn = static_cast<std::int64_t>(i / inner % depth) == index;
        std::memcpy(run.outputs[0].data + i * bytes, run.inputs[isOn ? 2 : 3].data, bytes);
        if (run.limit.isOverAfter(1)) {
            return {};
        }
    }
    return {};
}

// ---- DYNAMIC_UPDATE_SLICE: the tensor, a part of it, the place where the part begins. Places are
// moved so that the part lies inside.

Result<> checkUpdateSlice(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 3, 1));
    NNBURST_TRY(checkTensor(inputs[0], "input 0"));
    NNBURST_TRY(checkSameType(inputs[0], inputs[1]));
    NNBURST_TRY(checkType(inputs[2], "input 2 (begin)", {TENSOR_INT32}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfUpdateSlice(Operands inputs, std::size_t /*output*/) {
    const Sizes whole = inputs[0].dimensions;
    const Sizes part = inputs[1].dimensions;
    bool fits = whole.size() == part.size() && countOf(inputs[2]) == whole.size();
    for (std::size_t axis = 0; fits && axis < whole.size(); ++axis) {
        fits = part[axis] <= whole[axis];
    }
    if (!fits) {
        return invalid("part of shape {} for {} at a place of {} axes; must fit",
                       dimensionsText(part), dimensionsText(whole), countOf(inputs[2]));
    }
    return dimensionsOf(inputs[0]);
}

Result<> runUpdateSlice(const RunContext& run) {
    const Sizes whole = run.inputs[0].dimensions;
    const Sizes part = run.inputs[1].dimensions;
    const std::size_t bytes = elementBytes(run.inputs[0].type);
    if (copyBytes(run, run.outputs[0].data, run.inputs[0].data, countOf(whole) * bytes)) {
        return {};
    }
    std::array<std::size_t, 16> begin{};
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
        const std::int32_t given = readOnce(run.input<std::int32_t>(2) + axis);
        begin[axis] = std::min<std::size_t>(static_cast<std::size_t>(std::max(given, 0)),
                                            whole[axis] - part[axis]);
    }
    if (countOf(part) == 0) {
        return {};
    }
    const std::size_t line = whole.empty() ? 1 : part.back();
    const std::size_t lines = countOf(part) / line;
    for (std::size_t i = 0; i < lines; ++i) {
        std::size_t rest = i;
        std::size_t at = whole.empty() ? 0 : begin[whole.size() - 1];
        std::size_t step = whole.empty() ? 1 : whole.back();
        for (std::size_t axis = whole.size(); axis-- > 1;) {
            at += (begin[axis - 1] + rest % part[axis - 1]) * step;
            rest /= part[axis - 1];
            step *= whole[axis - 1];
        }
        if (copyBytes(run, run.outputs[0].data + at * bytes, run.inputs[1].data + i * line * bytes,
                      line * bytes)) {
            return {};
        }
    }
    return {};
}

// ---- REVERSE_SEQUENCE: the tensor, the number of first elements to reverse for each batch, INT32
// axis of the sequence, INT32 axis of the batches.

Result<> checkReverseSequence(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 4, 1));
    NNBURST_TRY(checkTensor(inputs[0], "input 0"));
    NNBURST_TRY(checkType(inputs[1], "input 1 (lengths)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (axis)", {INT32}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (axis of batches)", {INT32}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfReverseSequence(Operands inputs, std::size_t /*output*/) {
    const Sizes sizes = inputs[0].dimensions;
    NNBURST_TRY_ASSIGN(const std::size_t axis,
                       axisOf(scalarOf<std::int32_t>(inputs[2]), sizes.size()));
    NNBURST_TRY_ASSIGN(const std::size_t batchAxis,
                       axisOf(scalarOf<std::int32_t>(inputs[3]), sizes.size()));
    if (axis == batchAxis || countOf(inputs[1]) != sizes[batchAxis]) {
        return invalid(
            "{} lengths along axis {} of {} with batches along axis {}; must be one for "
            "each batch, along another axis",
            countOf(inputs[1]), axis, dimensionsText(sizes), batchAxis);
    }
    return dimensionsOf(inputs[0]);
}

Result<> runReverseSequence(const RunContext& run) {
    const Sizes sizes = run.inputs[0].dimensions;
    NNBURST_TRY_ASSIGN(const std::size_t axis,
                       axisOf(scalarOf<std::int32_t>(run.inputs[2]), sizes.size()));
    NNBURST_TRY_ASSIGN(const std::size_t batchAxis,
                       axisOf(scalarOf<std::int32_t>(run.inputs[3]), sizes.size()));
    // Blocks behind the last of both axes move as a whole.
    const std::size_t last = std::max(axis, batchAxis);
    const std::size_t block = countOf(sizes.subspan(last + 1));
    const std::size_t bytes = block * elementBytes(run.inputs[0].type);
    const std::size_t blocks = countOf(sizes.first(last + 1));
    const std::size_t step = countOf(sizes.subspan(axis + 1)) / block;
    const std::size_t batchStep = countOf(sizes.subspan(batchAxis + 1)) / block;
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::size_t batch = i / batchStep % sizes[batchAxis];
        const std::size_t index = i / step % sizes[axis];
        const std::int32_t length = readOnce(run.input<std::int32_t>(1) + batch);
        if (length < 0 || static_cast<std::size_t>(length) > sizes[axis]) {
            return invalid("length {}; must be from 0 to {}", length, sizes[axis]);
        }
        const auto reversed = static_cast<std::size_t>(length);
        const std::size_t from = index < reversed ? reversed - 1 - index : index;
        if (copyBytes(run, run.outputs[0].data + i * bytes,
                      run.inputs[0].data + (i - index * step + from * step) * bytes, bytes)) {
            return {};
        }
    }
    return {};
}

// ---- BITCAST: a tensor, and the output's shape unless that is the same. The output may have
// another type with elements of the same size; its bytes are those of the input.

constexpr std::size_t kBitcastShape = 1;

Result<> checkBitcast(Operands inputs, Operands outputs) {
    const std::size_t count = inputs.size() > kBitcastShape ? 2 : 1;
    NNBURST_TRY(checkCounts(inputs, outputs, count, 1));
    NNBURST_TRY(checkTensor(inputs[0], "input 0"));
    NNBURST_TRY(checkTensor(outputs[0], "output"));
    if (count > kBitcastShape) {
        NNBURST_TRY(checkType(inputs[kBitcastShape], "input 1 (shape)", {TENSOR_INT32}));
    }
    if (elementBytes(inputs[0].type) != elementBytes(outputs[0].type)) {
        return invalid("{} to {}; must have elements of the same size", toString(inputs[0].type),
                       toString(outputs[0].type));
    }
    return {};
}

Result<Dimensions> shapeOfBitcast(Operands inputs, std::size_t /*output*/) {
    if (inputs.size() <= kBitcastShape) {
        return dimensionsOf(inputs[0]);
    }
    NNBURST_TRY_ASSIGN(Dimensions result, constantShape(inputs[kBitcastShape]));
    if (countOf(result) != countOf(inputs[0])) {
        return invalid("{} to {}; must have as many elements", dimensionsText(inputs[0].dimensions),
                       dimensionsText(result));
    }
    return result;
}

Result<> runBitcast(const RunContext& run) {
    (void)copyBytes(run, run.outputs[0].data, run.inputs[0].data,
                    countOf(run.inputs[0]) * elementBytes(run.inputs[0].type));
    return {};
}

constexpr std::array kGatherOperations{
    OperationDefinition{Code::GATHER, "GATHER", checkGather, shapeOfGather, runGather},
    OperationDefinition{Code::GATHER_ND, "GATHER_ND", checkGatherNd, shapeOfGatherNd, runGatherNd},
    OperationDefinition{Code::ONE_HOT, "ONE_HOT", checkOneHot, shapeOfOneHot, runOneHot},
    OperationDefinition{Code::DYNAMIC_UPDATE_SLICE, "DYNAMIC_UPDATE_SLICE", checkUpdateSlice,
                        shapeOfUpdateSlice, runUpdateSlice},
    OperationDefinition{Code::REVERSE_SEQUENCE, "REVERSE_SEQUENCE", checkReverseSequence,
                        shapeOfReverseSequence, runReverseSequence},
    OperationDefinition{Code::BITCAST, "BITCAST", checkBitcast, shapeOfBitcast, runBitcast},
};

}  // namespace

std::span<const OperationDefinition> gatherOperations() noexcept {
    return kGatherOperations;
}

}  // namespace nnburst::tflite_operations
