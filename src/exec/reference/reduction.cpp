// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// MEAN, REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_SUM.
//
//     input     of rank up to 4
//     axes      INT32 [any]: those to reduce; negative ones count from the last one on
//     keepAxes  BOOL (MEAN: INT32 above 0): reduced axes stay, with size 1
//     output    without the reduced axes, or of shape 1 if all are reduced

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/operations.h"
#include "exec/reference/sums.h"
#include "model/invalid.h"

namespace nnburst::exec {

namespace {
namespace reduction {

using enum OperandType;

constexpr std::size_t kAxes = 1;
constexpr std::size_t kKeepAxes = 2;
constexpr std::size_t kHighestRank = 4;
/// Limit on the axes, of which one may be named many times: they are read before a run, too, where
/// no deadline acts.
constexpr std::size_t kMaximumAxes = 4096;

/// A reduction whose shapes and values are known and go together.
struct Reduction {
    std::array<bool, kHighestRank> isReduced{};
    Shape outputShape;
};

Result<bool> readKeepAxes(const OperationView& operation) {
    if (operation.type == OperationType::MEAN) {
        NNBURST_TRY_ASSIGN(const std::int32_t keep,
                           readConstantInt32(operation, kKeepAxes, "keep axes",
                                             std::numeric_limits<std::int32_t>::min()));
        return keep > 0;
    }
    return readFlag(operation, kKeepAxes, "keep axes");
}

Result<> checkAxisCount(const OperationView& operation) {
    const std::size_t count = operation.inputs[kAxes].shape.elementCount();
    if (count > kMaximumAxes) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("{} input 1 (axes): {} axes; more than {} are not supported",
                                   toString(operation.type), count, kMaximumAxes));
    }
    return {};
}

Result<Reduction> resolve(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").rank(1, kHighestRank);
    check.input(kAxes, "axes").rank(1);
    NNBURST_TRY(check.result());
    NNBURST_TRY(checkAxisCount(operation));
    NNBURST_TRY_ASSIGN(const auto axes, readValues(operation, kAxes, "axes"));
    NNBURST_TRY_ASSIGN(const bool areKept, readKeepAxes(operation));
    const Shape& input = operation.inputs[0].shape;
    const auto rank = static_cast<std::int32_t>(input.rank());
    Reduction reduction;
    for (const std::int32_t axis : axes) {
        if (axis < -rank || axis >= rank) {
            return invalid("{} input 1 (axes): axis {}; must be {} to {}", toString(operation.type),
                           axis, -rank, rank - 1);
        }
        reduction.isReduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
    }
    std::array<std::uint32_t, kHighestRank> sizes{};
    std::size_t outputRank = 0;
    for (std::size_t axis = 0; axis < input.rank(); ++axis) {
        if (!reduction.isReduced[axis]) {
            sizes[outputRank++] = input[axis];
        } else if (areKept) {
            sizes[outputRank++] = 1;
        }
    }
    if (outputRank == 0) {
        sizes[outputRank++] = 1;
    }
    reduction.outputShape = Shape(std::span<const std::uint32_t>(sizes.data(), outputRank));
    return reduction;
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3).outputCount(1);
    OperandCheck input = check.input(0, "input");
    switch (operation.type) {
        case OperationType::REDUCE_ALL:
        case OperationType::REDUCE_ANY:
            input.type({TENSOR_BOOL8});
            break;
        case OperationType::REDUCE_PROD:
        case OperationType::REDUCE_SUM:
            input.type({TENSOR_FLOAT32, TENSOR_FLOAT16});
            break;
        case OperationType::MEAN:
        case OperationType::REDUCE_MAX:
        case OperationType::REDUCE_MIN:
            input.type(
                {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
            break;
        default:
            otherFamily(operation.type);
    }
    input.rank(1, kHighestRank);
    check.input(kAxes, "axes").type({TENSOR_INT32}).rank(1);
    check.input(kKeepAxes, "keep axes")
        .type({operation.type == OperationType::MEAN ? INT32 : BOOL});
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input);
    NNBURST_TRY(check.result());
    NNBURST_TRY(checkAxisCount(operation));
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolve(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Reduction reduction, resolve(operation));
    outputs[0] = reduction.outputShape;
    return {};
}

/// Every output has an accumulator of 8 bytes.
std::size_t scratchBytes(const OperationView& operation) {
    return operation.outputs[0].shape.elementCount() * sizeof(std::int64_t);
}

/// Adds an element to a sum.
struct Addition {
    template <class State, class T>
    State operator()(State sum, T element) const noexcept {
        return sum + static_cast<State>(element);
    }
};

/// Multiplies a product by an element. A product with a zero is 0, as in AOSP's CPU path, also if
/// another element is NaN, or infinite, or made the product overflow.
struct Multiplication {
    template <class T>
    double operator()(double product, T element) const noexcept {
        const auto factor = static_cast<double>(element);
        return product == 0.0 || factor == 0.0 ? 0.0 : product * factor;
    }
};

/// accumulators[o] = accumulate(..., element) over the elements of the input that go to output o,
/// in one pass through the input.
template <class T, class State, class Accumulate>
void accumulateAll(const OperationView& operation, const Reduction& reduction, State* accumulators,
                   Accumulate accumulate) {
    const OperandView& input = operation.inputs[0];
    const Shape& shape = input.shape;
    const std::size_t rank = shape.rank();
    std::array<std::size_t, kHighestRank> strides{};  // in the output; 0 along reduced axes
    std::size_t stride = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
        if (!reduction.isReduced[axis]) {
            strides[axis] = stride;
            stride *= shape[axis];
        }
    }
    const std::size_t rowLength = shape[rank - 1];
    const bool areRowsReduced = reduction.isReduced[rank - 1];
    const T* row = input.as<const T>();
    const T* const end = row + shape.elementCount();
    std::array<std::uint32_t, kHighestRank> index{};
    std::size_t output = 0;
    PartCounter parts(operation);
    for (; row != end; row += rowLength) {
        if (areRowsReduced) {
            forEachPart(operation, rowLength, [&](std::size_t first, std::size_t last) {
                State state = accumulators[output];
                if constexpr (std::is_same_v<Accumulate, Addition>) {
                    state += sumOfTerms<State>(last - first, [&](std::size_t i) {
                        return static_cast<State>(row[first + i]);
                    });
                } else {
                    for (std::size_t i = first; i < last; ++i) {
                        state = accumulate(state, row[i]);
                    }
                }
                accumulators[output] = state;
            });
        } else {
            forEachPart(operation, rowLength, [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) {
                    accumulators[output + i] = accumulate(accumulators[output + i], row[i]);
                }
            });
        }
        if (parts.isOutOfTime(rowLength)) {
            return;
        }
        for (std::size_t axis = rank - 1; axis-- > 0;) {
            output += strides[axis];
            if (++index[axis] < shape[axis]) {
                break;
            }
            index[axis] = 0;
            output -= strides[axis] * shape[axis];
        }
    }
}

template <class T, class State, class Accumulate, class Finish>
void reduce(const OperationView& operation, const Reduction& reduction,
            std::span<std::byte> scratch, State start, Accumulate accumulate, Finish&& finish) {
    auto* accumulators = reinterpret_cast<State*>(scratch.data());
    const OperandView& output = operation.outputs[0];
    const std::size_t count = output.shape.elementCount();
    forEachElement(operation, count, [&](std::size_t i) { accumulators[i] = start; });
    if (operation.inputs[0].shape.elementCount() != 0) {
        accumulateAll<T>(operation, reduction, accumulators, accumulate);
    }
    T* const results = output.as<T>();
    forEachElement(operation, count,
                   [&](std::size_t i) { results[i] = static_cast<T>(finish(accumulators[i])); });
}

/// How many elements of the input go to one of the output.
std::size_t reducedCount(const OperationView& operation) noexcept {
    const std::size_t outputs = operation.outputs[0].shape.elementCount();
    return outputs == 0 ? 0 : operation.inputs[0].shape.elementCount() / outputs;
}

template <class T>
void reduceFloat(const OperationView& operation, const Reduction& reduction,
                 std::span<std::byte> scratch) {
    const auto same = [](float state) { return state; };
    const auto rounded = [](double state) { return static_cast<float>(state); };
    switch (operation.type) {
        case OperationType::MEAN:
            return reduce<T>(operation, reduction, scratch, 0.0, Addition(),
                             [count = static_cast<double>(reducedCount(operation))](double sum) {
                                 return static_cast<float>(sum / count);
                             });
        case OperationType::REDUCE_SUM:
            return reduce<T>(operation, reduction, scratch, 0.0, Addition(), rounded);
        case OperationType::REDUCE_PROD:
            return reduce<T>(operation, reduction, scratch, 1.0, Multiplication(), rounded);
        case OperationType::REDUCE_MAX:
            return reduce<T>(
                operation, reduction, scratch, -std::numeric_limits<float>::infinity(),
                [](float state, T element) { return std::max(state, static_cast<float>(element)); },
                same);
        case OperationType::REDUCE_MIN:
            return reduce<T>(
                operation, reduction, scratch, std::numeric_limits<float>::infinity(),
                [](float state, T element) { return std::min(state, static_cast<float>(element)); },
                same);
        default:
            otherFamily(operation.type);
    }
}

/// sum / count, rounded to the nearest integer, ties away from 0.
std::int64_t roundedQuotient(std::int64_t sum, std::int64_t count) noexcept {
    return (sum + (sum < 0 ? -count / 2 : count / 2)) / count;
}

template <class T>
void reduceQuantized(const OperationView& operation, const Reduction& reduction,
                     std::span<std::byte> scratch) {
    const auto same = [](std::int32_t state) { return state; };
    const QuantizedRange limits = quantizedLimits(operation.inputs[0].type);
    switch (operation.type) {
        case OperationType::MEAN:
            return reduce<T>(operation, reduction, scratch, std::int64_t{0}, Addition(),
                             [count = static_cast<std::int64_t>(reducedCount(operation)),
                              zeroPoint = operation.inputs[0].zeroPoint](std::int64_t sum) {
                                 return count == 0 ? zeroPoint : roundedQuotient(sum, count);
                             });
        case OperationType::REDUCE_MAX:
            return reduce<T>(
                operation, reduction, scratch, limits.minimum,
                [](std::int32_t state, T element) {
                    return std::max(state, static_cast<std::int32_t>(element));
                },
                same);
        case OperationType::REDUCE_MIN:
            return reduce<T>(
                operation, reduction, scratch, limits.maximum,
                [](std::int32_t state, T element) {
                    return std::min(state, static_cast<std::int32_t>(element));
                },
                same);
        default:
            otherFamily(operation.type);
    }
}

void reduceBool(const OperationView& operation, const Reduction& reduction,
                std::span<std::byte> scratch) {
    const bool isAll = operation.type == OperationType::REDUCE_ALL;
    reduce<std::uint8_t>(
        operation, reduction, scratch, isAll,
        [isAll](bool state, std::uint8_t element) {
            return isAll ? state && element != 0 : state || element != 0;
        },
        [](bool state) { return state ? 1 : 0; });
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const Reduction reduction, resolve(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, reduction.outputShape));
    const OperandType type = operation.inputs[0].type;
    if (type == TENSOR_BOOL8) {
        reduceBool(operation, reduction, scratch);
    }
    dispatchFloat(type, [&]<class T>() { reduceFloat<T>(operation, reduction, scratch); });
    dispatchQuantized8(type, [&]<class T>() { reduceQuantized<T>(operation, reduction, scratch); });
    return {};
}

constexpr OperationDefinition kFamily{.type = OperationType::MEAN,
                                      .since = HalVersion::V1_1,
                                      .valueInputs = inputs(kAxes),
                                      .check = check,
                                      .inferShapes = inferShapes,
                                      .scratchBytes = scratchBytes,
                                      .run = run};

}  // namespace reduction
}  // namespace

constinit const OperationDefinition kMean = reduction::kFamily;
constinit const OperationDefinition kReduceAll =
    reduction::kFamily.with(OperationType::REDUCE_ALL, HalVersion::V1_2);
constinit const OperationDefinition kReduceAny =
    reduction::kFamily.with(OperationType::REDUCE_ANY, HalVersion::V1_2);
constinit const OperationDefinition kReduceMax =
    reduction::kFamily.with(OperationType::REDUCE_MAX, HalVersion::V1_2);
constinit const OperationDefinition kReduceMin =
    reduction::kFamily.with(OperationType::REDUCE_MIN, HalVersion::V1_2);
constinit const OperationDefinition kReduceProd =
    reduction::kFamily.with(OperationType::REDUCE_PROD, HalVersion::V1_2);
constinit const OperationDefinition kReduceSum =
    reduction::kFamily.with(OperationType::REDUCE_SUM, HalVersion::V1_2);

}  // namespace nnburst::exec
