// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that take a part of a tensor.

#include <algorithm>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The elements that a STRIDED_SLICE takes along one axis of its input.
struct AxisRange {
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::int32_t stride = 1;
    bool isFromStart = true;  ///< begin is ignored
    bool isToEnd = true;      ///< end is ignored
    bool isDropped = false;   ///< takes the element at begin and removes the axis
};

/// A STRIDED_SLICE with a range for every axis.
struct SliceSpec {
    std::vector<AxisRange> axes;
    std::vector<std::uint32_t> newAxes;  ///< of the result, in order
};

constexpr std::size_t kBegin = 1;
constexpr std::size_t kEnd = 2;
constexpr std::size_t kStrides = 3;

bool bitOf(std::int32_t mask, std::size_t index) {
    return (static_cast<std::uint32_t>(mask) >> index & 1U) != 0;
}

/// The inputs that state ranges: vectors of one length.
struct Entries {
    std::vector<std::int32_t> begins;
    std::vector<std::int32_t> ends;
    std::vector<std::int32_t> strides;
};

Result<Entries> readEntries(const OperatorImport& op) {
    constexpr std::size_t kMaximumEntries = 16;
    Entries result;
    NNBURST_TRY_ASSIGN(result.begins, op.integers(kBegin, "begin"));
    NNBURST_TRY_ASSIGN(result.ends, op.integers(kEnd, "end"));
    NNBURST_TRY_ASSIGN(result.strides, op.integers(kStrides, "strides"));
    const std::size_t count = result.begins.size();
    if (result.ends.size() != count || result.strides.size() != count || count > kMaximumEntries) {
        return invalid("{} begins, {} ends, {} strides: must be the same number, at most {}", count,
                       result.ends.size(), result.strides.size(), kMaximumEntries);
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (result.strides[i] == 0) {
            return invalid("stride {}: must not be 0", result.strides[i]);
        }
    }
    return result;
}

/// Gives each of the `rank` axes its range. An ellipsis stands for all axes without an entry.
Result<SliceSpec> spellOut(const Entries& entries, const schema::StridedSliceOptions& options,
                           std::uint32_t rank) {
    SliceSpec spec;
    const std::size_t count = entries.begins.size();
    std::size_t taken = 0;  // axes with an entry of their own
    std::size_t ellipses = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const bool isEllipsis = bitOf(options.ellipsis_mask(), i);
        ellipses += isEllipsis ? 1 : 0;
        taken += isEllipsis || bitOf(options.new_axis_mask(), i) ? 0 : 1;
    }
    if (taken > rank || ellipses > 1) {
        return invalid("{} entries and {} ellipses for {} dimensions: must be at most {} and 1",
                       taken, ellipses, rank, rank);
    }
    std::uint32_t resultAxis = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (bitOf(options.ellipsis_mask(), i)) {
            spec.axes.resize(spec.axes.size() + rank - taken);
            resultAxis += static_cast<std::uint32_t>(rank - taken);
        } else if (bitOf(options.new_axis_mask(), i)) {
            spec.newAxes.push_back(resultAxis++);
        } else {
            const bool isDropped = bitOf(options.shrink_axis_mask(), i);
            const bool isFirst = isDropped && bitOf(options.begin_mask(), i);
            spec.axes.push_back({.begin = isFirst ? 0 : entries.begins[i],
                                 .end = entries.ends[i],
                                 .stride = entries.strides[i],
                                 .isFromStart = !isDropped && bitOf(options.begin_mask(), i),
                                 .isToEnd = !isDropped && bitOf(options.end_mask(), i),
                                 .isDropped = isDropped});
            resultAxis += isDropped ? 0 : 1;
        }
    }
    spec.axes.resize(rank);
    return spec;
}

/// With the option `offset` an end counts from the begin, as that lies in the axis.
void addBeginsToEnds(SliceSpec& spec, const Dimensions& shape) {
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
        AxisRange& range = spec.axes[axis];
        if (range.isDropped || range.isToEnd) {
            continue;
        }
        const std::int64_t size = shape[axis];
        const bool isForward = range.stride > 0;
        std::int64_t begin = range.begin;
        if (range.isFromStart) {
            begin = isForward ? 0 : size - 1;
        } else if (size != 0) {
            begin = std::clamp<std::int64_t>(begin < 0 ? begin + size : begin, isForward ? 0 : -1,
                                             isForward ? size : size - 1);
        }
        // Below 0 it counts from the back, as ends do.
        const std::int64_t end = begin + range.end;
        range.isToEnd = size == 0 && isForward && begin < 0 && end >= 0;
        range.end = static_cast<std::int32_t>(std::clamp<std::int64_t>(end, INT32_MIN, INT32_MAX));
    }
}

/// The HAL requires a slice of size 1 for an axis that is dropped.
Result<> limitDropped(SliceSpec& spec, const Dimensions& shape) {
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
        AxisRange& range = spec.axes[axis];
        if (!range.isDropped) {
            continue;
        }
        const auto size = std::int64_t{shape[axis]};
        if (range.begin < 0 && size != 0) {
            range.begin = static_cast<std::int32_t>(
                std::clamp<std::int64_t>(range.begin + size, INT32_MIN, INT32_MAX));
        }
        if (size != 0 && (range.begin < 0 || range.begin >= size)) {
            return invalid("index {} of axis {}: must be one of {}", range.begin, axis, size);
        }
        range.stride = 1;
        range.isToEnd = range.begin == -1 || range.begin == INT32_MAX;
        range.end = range.isToEnd ? 0 : range.begin + 1;
    }
    return {};
}

/// First element and number of elements that a range takes of an axis of known size.
struct Extent {
    std::int64_t begin;
    std::int64_t count;
};

Extent extentOf(const AxisRange& range, std::uint32_t axisSize) {
    const std::int64_t size = axisSize;
    const bool isForward = range.stride > 0;
    const std::int64_t lowest = isForward ? 0 : -1;
    const std::int64_t highest = isForward ? size : size - 1;
    const auto place = [&](std::int32_t given) {
        const std::int64_t fromFront = given < 0 ? given + size : std::int64_t{given};
        return std::clamp(fromFront, lowest, highest);
    };
    const std::int64_t begin = range.isFromStart ? (isForward ? 0 : size - 1) : place(range.begin);
    const std::int64_t end = range.isToEnd ? (isForward ? size : -1) : place(range.end);
    const std::int64_t distance = isForward ? end - begin : begin - end;
    const std::int64_t step = isForward ? range.stride : -std::int64_t{range.stride};
    return {.begin = begin, .count = distance <= 0 ? 0 : (distance + step - 1) / step};
}

/// The shape of the result without new axes. Sizes that are unknown stay unknown.
Dimensions slicedShape(const SliceSpec& spec, const Dimensions& shape) {
    Dimensions result;
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
        if (!spec.axes[axis].isDropped) {
            result.push_back(shape[axis] == 0 ? 0
                                              : static_cast<std::uint32_t>(
                                                    extentOf(spec.axes[axis], shape[axis]).count));
        }
    }
    return result;
}

/// Adds a STRIDED_SLICE of input 0.
Result<> addStridedSlice(OperatorImport& op, const SliceSpec& spec, std::uint32_t result) {
    std::vector<std::int32_t> begins;
    std::vector<std::int32_t> ends;
    std::vector<std::int32_t> strides;
    std::int32_t beginMask = 0;
    std::int32_t endMask = 0;
    std::int32_t shrinkMask = 0;
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
        const AxisRange& range = spec.axes[axis];
        begins.push_back(range.begin);
        ends.push_back(range.end);
        strides.push_back(range.stride);
        beginMask |= range.isFromStart ? 1 << axis : 0;
        endMask |= range.isToEnd ? 1 << axis : 0;
        shrinkMask |= range.isDropped ? 1 << axis : 0;
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t begin, op.constant(begins));
    NNBURST_TRY_ASSIGN(const std::uint32_t end, op.constant(ends));
    NNBURST_TRY_ASSIGN(const std::uint32_t stride, op.constant(strides));
    op.add(OperationType::STRIDED_SLICE,
           {op.input(0), begin, end, stride, op.scalar(beginMask), op.scalar(endMask),
            op.scalar(shrinkMask)},
           {result});
    return {};
}

/// Whether the HAL's STRIDED_SLICE takes begins and ends, of which some are computed, as they are.
bool takesComputed(const OperatorImport& op, const schema::StridedSliceOptions& options) {
    const bool isComputed = !op.knownIntegers(kBegin) || !op.knownIntegers(kEnd);
    return isComputed && op.knownIntegers(kStrides) && options.ellipsis_mask() == 0 &&
           options.new_axis_mask() == 0 && !options.offset();
}

/// Input `index`, which has an entry for each of the first axes, with zeros for the other axes of
/// `rank`.
Result<std::uint32_t> withAllAxes(OperatorImport& op, std::size_t index, std::size_t entries,
                                  std::uint32_t rank) {
    if (entries == rank) {
        return op.input(index);
    }
    const std::vector<std::int32_t> others(rank - entries);
    NNBURST_TRY_ASSIGN(const std::uint32_t zeros, op.constant(others));
    const std::uint32_t result = op.temporary(OperandType::TENSOR_INT32, {rank});
    op.add(OperationType::CONCATENATION, {op.input(index), zeros, op.scalar(std::int32_t{0})},
           {result});
    return result;
}

/// Adds a STRIDED_SLICE with begins and ends that are not constant. It takes axes without an entry
/// as they are. Of an axis that is dropped, the end must be begin + 1 when it runs; TFLite does not
/// read that end.
Result<> addComputedSlice(OperatorImport& op, const schema::StridedSliceOptions& options) {
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    NNBURST_TRY_ASSIGN(std::vector<std::int32_t> strides, op.integers(kStrides, "strides"));
    const std::size_t entries = strides.size();
    if (entries == 0 || entries > rank) {
        return invalid(
            "{} strides for {} dimensions, with begin and end that are not constant: must be at "
            "least 1 and at most one for each",
            entries, rank);
    }
    strides.resize(rank, 1);
    const std::int32_t others = (1 << rank) - (1 << entries);
    const std::int32_t shrinkMask = options.shrink_axis_mask() & ~others;
    const std::int32_t beginMask = options.begin_mask() | others;
    const std::int32_t endMask = (options.end_mask() | others) & ~shrinkMask;
    Dimensions result;
    for (std::uint32_t axis = 0; axis < rank; ++axis) {
        const bool isDense = strides[axis] == 1 || strides[axis] == -1;
        const bool isWhole = isDense && bitOf(beginMask, axis) && bitOf(endMask, axis);
        if (!bitOf(shrinkMask, axis)) {
            result.push_back(isWhole ? op.shape(0)[axis] : 0);
        }
    }
    if (result.empty()) {
        op.inferScalarOutput();
    } else {
        op.inferOutputShape(result);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t begin, withAllAxes(op, kBegin, entries, rank));
    NNBURST_TRY_ASSIGN(const std::uint32_t end, withAllAxes(op, kEnd, entries, rank));
    NNBURST_TRY_ASSIGN(const std::uint32_t stride, op.constant(strides));
    op.add(OperationType::STRIDED_SLICE,
           {op.input(0), begin, end, stride, op.scalar(beginMask), op.scalar(endMask),
            op.scalar(shrinkMask)},
           {op.output()});
    return {};
}

/// Adds a SLICE, which unlike STRIDED_SLICE takes integers. Returns whether it can do the same.
Result<bool> addPlainSlice(OperatorImport& op, const SliceSpec& spec, std::uint32_t result) {
    const Dimensions& shape = op.shape(0);
    std::vector<std::int32_t> begins;
    std::vector<std::int32_t> counts;
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
        const AxisRange& range = spec.axes[axis];
        if (range.stride != 1 || shape[axis] == 0 || shape[axis] > INT32_MAX ||
            (range.isDropped && spec.axes.size() != 1)) {
            return false;
        }
        const Extent extent = extentOf(range, shape[axis]);
        begins.push_back(static_cast<std::int32_t>(extent.begin));
        counts.push_back(static_cast<std::int32_t>(extent.count));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t begin, op.constant(begins));
    NNBURST_TRY_ASSIGN(const std::uint32_t count, op.constant(counts));
    op.add(OperationType::SLICE, {op.input(0), begin, count}, {result});
    return true;
}

/// A slice of a vector of constants, such as a shape.
std::vector<std::int32_t> sliceIntegers(const std::vector<std::int32_t>& values,
                                        const AxisRange& range) {
    const Extent extent = extentOf(range, static_cast<std::uint32_t>(values.size()));
    std::vector<std::int32_t> result;
    for (std::int64_t i = 0; i < extent.count; ++i) {
        result.push_back(values[static_cast<std::size_t>(extent.begin + i * range.stride)]);
    }
    return result;
}

/// The size of each axis of a SLICE; -1 is all that follows the begin.
Result<Dimensions> sliceShape(const Dimensions& shape, const std::vector<std::int32_t>& begins,
                              std::vector<std::int32_t>& sizes) {
    if (begins.size() != shape.size() || sizes.size() != shape.size()) {
        return invalid("{} begins and {} sizes for {} dimensions: must be one for each",
                       begins.size(), sizes.size(), shape.size());
    }
    Dimensions result;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::int64_t rest = std::int64_t{shape[axis]} - begins[axis];
        if (begins[axis] < 0 || sizes[axis] < -1 ||
            (shape[axis] != 0 && std::int64_t{std::max(sizes[axis], 0)} > rest)) {
            return invalid("begin {} and size {} of axis {} of {}: must lie inside", begins[axis],
                           sizes[axis], axis, dimensionsText(shape));
        }
        if (sizes[axis] == -1 && shape[axis] != 0 && rest <= INT32_MAX) {
            sizes[axis] = static_cast<std::int32_t>(rest);
        }
        result.push_back(sizes[axis] == -1 ? 0 : static_cast<std::uint32_t>(sizes[axis]));
    }
    return result;
}

}  // namespace

Result<> convertSlice(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kSize = 2;
    const Dimensions shape = op.shape(0);
    const auto begins = op.knownIntegers(kBegin);
    auto sizes = op.knownIntegers(kSize);
    if (!begins || !sizes || shape.empty()) {
        op.add(operation, {op.input(0), op.input(kBegin), op.input(kSize)}, {op.output()});
        return {};
    }
    NNBURST_TRY_ASSIGN(const Dimensions result, sliceShape(shape, *begins, *sizes));
    op.inferOutputShape(result);
    const auto values = op.knownIntegers(0);
    if (values && shape.size() == 1) {
        const std::int64_t end = std::int64_t{(*begins)[0]} + std::max((*sizes)[0], 0);
        return op.forwardIntegers(sliceIntegers(
            *values, {.begin = (*begins)[0],
                      .end = static_cast<std::int32_t>(std::min<std::int64_t>(end, INT32_MAX)),
                      .isFromStart = false,
                      .isToEnd = (*sizes)[0] < 0}));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t begin, op.constant(*begins));
    NNBURST_TRY_ASSIGN(const std::uint32_t size, op.constant(*sizes));
    op.add(operation, {op.input(0), begin, size}, {op.output()});
    return {};
}

Result<> convertStridedSlice(OperatorImport& op, OperationType /*operation*/) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::StridedSliceOptions>());
    if (takesComputed(op, *options)) {
        return addComputedSlice(op, *options);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    NNBURST_TRY_ASSIGN(const Entries entries, readEntries(op));
    NNBURST_TRY_ASSIGN(SliceSpec spec, spellOut(entries, *options, rank));
    if (options->offset()) {
        addBeginsToEnds(spec, op.shape(0));
    }
    NNBURST_TRY(limitDropped(spec, op.shape(0)));

    Dimensions sliced = slicedShape(spec, op.shape(0));
    Dimensions expanded = sliced;
    for (const std::uint32_t axis : spec.newAxes) {
        expanded.insert(expanded.begin() + axis, 1);
    }
    if (expanded.empty()) {
        op.inferScalarOutput();
    } else {
        op.inferOutputShape(expanded);
    }
    const auto values = op.knownIntegers(0);
    if (values && rank == 1) {
        return op.forwardIntegers(sliceIntegers(*values, spec.axes[0]));
    }
    if (sliced.empty()) {
        sliced = {1};  // a tensor without axes has one of size 1 here
        if (!spec.newAxes.empty()) {
            spec.newAxes.pop_back();
        }
    }
    std::uint32_t current =
        spec.newAxes.empty() ? op.output() : op.temporaryLike(op.output(), sliced);
    bool isPlain = false;
    if (op.type(0) == OperandType::TENSOR_INT32) {
        NNBURST_TRY_ASSIGN(isPlain, addPlainSlice(op, spec, current));
    }
    if (!isPlain) {
        NNBURST_TRY(addStridedSlice(op, spec, current));
    }
    for (std::size_t i = 0; i < spec.newAxes.size(); ++i) {
        const std::uint32_t axis = spec.newAxes[i];
        sliced.insert(sliced.begin() + axis, 1);
        const std::uint32_t next =
            i + 1 == spec.newAxes.size() ? op.output() : op.temporaryLike(op.output(), sliced);
        op.add(OperationType::EXPAND_DIMS, {current, op.scalar(static_cast<std::int32_t>(axis))},
               {next});
        current = next;
    }
    return {};
}

Result<> convertReverse(OperatorImport& op, OperationType /*operation*/) {
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> given, op.integers(1, "axes"));
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    NNBURST_TRY_ASSIGN(const std::vector<std::uint32_t> axes, op.axes(given, rank));
    op.inferShapeOf(0);
    if (axes.empty()) {
        return op.forward(op.input(0));
    }
    SliceSpec spec;
    spec.axes.resize(rank);
    for (const std::uint32_t axis : axes) {
        spec.axes[axis].stride = -1;
    }
    return addStridedSlice(op, spec, op.output());
}

}  // namespace nnburst::tflite
