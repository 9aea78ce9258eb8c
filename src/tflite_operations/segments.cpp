// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations that combine the elements of a tensor by segments. Inputs: the tensor, the numbers of
/// the segments of its first elements, INT32 number of segments. Of SEGMENT_SUM the numbers belong
/// to the indices of the first axis and are in order; of the others they have the shape of the
/// first axes, and elements with negative numbers are left out.

#include <algorithm>
#include <array>
#include <limits>

#include "model/operand_info.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

Result<> checkSegments(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 3, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32, TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (segments)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (number of segments)", {INT32}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfSegments(Operands inputs, std::size_t /*output*/) {
    const Sizes data = inputs[0].dimensions;
    const Sizes segments = inputs[1].dimensions;
    const auto count = scalarOf<std::int32_t>(inputs[2]);
    if (segments.empty() || segments.size() > data.size() || count < 1 ||
        !std::equal(segments.begin(), segments.end(), data.begin())) {
        return invalid("{} segments of shape {} for {}; must be at least 1, for its first axes",
                       count, dimensionsText(segments), dimensionsText(data));
    }
    Dimensions result{static_cast<std::uint32_t>(count)};
    const auto rest = data.subspan(segments.size());
    result.insert(result.end(), rest.begin(), rest.end());
    return result;
}

template <class T, class Combine>
Result<> combineSegments(const RunContext& run, T first, bool isOrdered, Combine combine) {
    const std::size_t rows = countOf(run.inputs[1]);
    const std::size_t inner =
        countOf(run.inputs[0].dimensions.subspan(run.inputs[1].dimensions.size()));
    const std::int64_t segments = run.outputs[0].dimensions[0];
    const T* in = run.input<T>(0);
    T* out = run.output<T>();
    if (fill(run, out, countOf(run.outputs[0]), first)) {
        return {};
    }
    std::int32_t before = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::int32_t segment = readOnce(run.input<std::int32_t>(1) + row);
        if (segment >= segments || (isOrdered && segment < before)) {
            return invalid("segment {} after {}; must be less than {}{}", segment, before, segments,
                           isOrdered ? ", in order" : "");
        }
        if (segment < 0) {
            if (run.limit.isOverAfter(1)) {
                return {};
            }
            continue;
        }
        before = segment;
        T* to = out + static_cast<std::size_t>(segment) * inner;
        const bool isOver = forEachElement(
            run, inner, [&](std::size_t i) { to[i] = combine(to[i], in[row * inner + i]); });
        if (isOver || run.limit.isOverAfter(inner)) {
            return {};
        }
    }
    return {};
}

/// Sums and products that do not fit into 32 bits wrap around.
constexpr auto kAdd = [](auto a, auto b) {
    using T = decltype(a);
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    } else {
        return a + b;
    }
};
constexpr auto kMultiply = [](auto a, auto b) {
    using T = decltype(a);
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
    } else {
        return a * b;
    }
};
constexpr auto kMinimum = [](auto a, auto b) { return std::min(a, b); };
constexpr auto kMaximum = [](auto a, auto b) { return std::max(a, b); };

/// `first` gives the value of a segment without elements for a type.
template <class First, class Combine>
Result<> runAny(const RunContext& run, First first, bool isOrdered, Combine combine) {
    return run.inputs[0].type == TENSOR_INT32
               ? combineSegments(run, first(std::int32_t{}), isOrdered, combine)
               : combineSegments(run, first(float{}), isOrdered, combine);
}

constexpr auto kZero = [](auto type) { return decltype(type){0}; };

Result<> runSegmentSum(const RunContext& run) {
    return runAny(run, kZero, true, kAdd);
}

Result<> runSum(const RunContext& run) {
    return runAny(run, kZero, false, kAdd);
}

Result<> runProd(const RunContext& run) {
    return runAny(
        run, [](auto type) { return decltype(type){1}; }, false, kMultiply);
}

Result<> runMin(const RunContext& run) {
    return runAny(
        run, [](auto type) { return std::numeric_limits<decltype(type)>::max(); }, false, kMinimum);
}

Result<> runMax(const RunContext& run) {
    return runAny(
        run, [](auto type) { return std::numeric_limits<decltype(type)>::lowest(); }, false,
        kMaximum);
}

constexpr std::array kSegmentOperations{
    OperationDefinition{Code::SEGMENT_SUM, "SEGMENT_SUM", checkSegments, shapeOfSegments,
                        runSegmentSum},
    OperationDefinition{Code::UNSORTED_SEGMENT_SUM, "UNSORTED_SEGMENT_SUM", checkSegments,
                        shapeOfSegments, runSum},
    OperationDefinition{Code::UNSORTED_SEGMENT_PROD, "UNSORTED_SEGMENT_PROD", checkSegments,
                        shapeOfSegments, runProd},
    OperationDefinition{Code::UNSORTED_SEGMENT_MIN, "UNSORTED_SEGMENT_MIN", checkSegments,
                        shapeOfSegments, runMin},
    OperationDefinition{Code::UNSORTED_SEGMENT_MAX, "UNSORTED_SEGMENT_MAX", checkSegments,
                        shapeOfSegments, runMax},
};

}  // namespace

std::span<const OperationDefinition> segmentOperations() noexcept {
    return kSegmentOperations;
}

}  // namespace nnburst::tflite_operations
