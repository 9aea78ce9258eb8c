// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// SOFTMAX and LOG_SOFTMAX.
//
//     input   any shape, of rank up to 4 for SOFTMAX; slices along one axis are independent of each
//             other
//     output  of the input's shape; quantised in units of 1/256
//
//     SOFTMAX      output[i] = e[i] / sum over k of e[k], where e[i] = exp((input[i] - max) * beta)
//     LOG_SOFTMAX  the logarithm of that

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/slices.h"
#include "exec/reference/sums.h"

namespace nnburst::exec {

namespace {
namespace softmax {

constexpr std::size_t kBeta = 1;
constexpr std::size_t kAxis = 2;

/// The axis as the HAL has it: the last one unless input 2 says so.
Result<std::int32_t> readAxis(const OperationView& operation) {
    if (!operation.has(kAxis)) {
        return -1;
    }
    return readConstantInt32(operation, kAxis, "axis", std::numeric_limits<std::int32_t>::min());
}

std::size_t highestRank(OperationType type) noexcept {
    return type == OperationType::SOFTMAX ? 4 : kMaximumRank;
}

/// The axis counted from the first one. The input's rank is known.
Result<std::size_t> resolveAxis(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t axis, readAxis(operation));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").rank(1, highestRank(operation.type));
    const auto rank = static_cast<std::int32_t>(operation.inputs[0].shape.rank());
    check.require(axis >= -rank && axis < rank, [&] {
        return fmt::format("axis {} (input 2); must be {} to {}", axis, -rank, rank - 1);
    });
    NNBURST_TRY(check.result());
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

Result<float> readBeta(const OperationView& operation) {
    const bool isHalf = operation.inputs[0].type == OperandType::TENSOR_FLOAT16;
    NNBURST_TRY_ASSIGN(const float beta,
                       readConstantFloat(operation, kBeta, "beta",
                                         isHalf ? OperandType::FLOAT16 : OperandType::FLOAT32));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(kBeta, "beta").require(std::isfinite(beta) && beta > 0.0F, [&] {
        return fmt::format("value {}; must be finite and more than 0", beta);
    });
    NNBURST_TRY(check.result());
    return beta;
}

Result<HalVersion> check(const OperationView& operation) {
    using enum OperandType;
    const bool isLog = operation.type == OperationType::LOG_SOFTMAX;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(isLog ? 3 : 2, 3).outputCount(1);
    OperandCheck input = check.input(0, "input");
    if (isLog) {
        input.type({TENSOR_FLOAT32, TENSOR_FLOAT16});
    } else {
        input.type(
            {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    }
    input.rank(1, highestRank(operation.type));
    OperandCheck output = check.output(0, "output").sameTypeAs(input).sameShapeAs(input);
    if (isQuantized8Tensor(output.view().type)) {
        output.quantization(1.0F / 256, quantizedLimits(output.view().type).minimum);
    }
    OperandCheck axis = isLog ? check.input(kAxis, "axis") : check.optionalInput(kAxis, "axis");
    axis.type({INT32});
    NNBURST_TRY(check.result());
    const std::size_t rank = input.view().shape.rank();
    check.since(HalVersion::V1_2, operation.inputs.size() > kAxis || rank == 1 || rank == 3);
    NNBURST_TRY(readBeta(operation));
    NNBURST_TRY(readAxis(operation));
    if (rank != 0) {
        NNBURST_TRY(resolveAxis(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY(resolveAxis(operation));
    outputs[0] = operation.inputs[0].shape;
    return {};
}

template <class T>
void softmaxFloat(const OperationView& operation, const Slices& slices, float beta) {
    const T* input = operation.inputs[0].as<const T>();
    T* output = operation.outputs[0].as<T>();
    const bool isLog = operation.type == OperationType::LOG_SOFTMAX;
    slices.forEach(operation, [&](std::size_t offset) {
        const auto at = [&](std::size_t i) {
            return static_cast<float>(input[offset + i * slices.stride]);
        };
        float maximum = at(0);
        forEachElement(operation, slices.size,
                       [&](std::size_t i) { maximum = std::max(maximum, at(i)); });
        const auto sum =
            static_cast<float>(sumOfElements(operation, slices.size, [&](std::size_t i) {
                return std::exp((at(i) - maximum) * beta);
            }));
        const float logarithm = std::log(sum);
        forEachElement(operation, slices.size, [&](std::size_t i) {
            const float exponent = (at(i) - maximum) * beta;
            output[offset + i * slices.stride] =
                static_cast<T>(isLog ? exponent - logarithm : std::exp(exponent) / sum);
        });
    });
}

/// 256 times `probability`, which is 0 to 1, rounded to the nearest integer, ties upwards.
std::int32_t stepsOf(float probability) noexcept {
    const float steps = 256.0F * probability;
    const auto whole = static_cast<std::int32_t>(steps);
    return whole + static_cast<std::int32_t>(steps - static_cast<float>(whole) >= 0.5F);
}

template <class T>
void softmaxQuantized(const OperationView& operation, const Slices& slices, float beta) {
    const OperandView& given = operation.inputs[0];
    const T* input = given.as<const T>();
    T* output = operation.outputs[0].as<T>();
    const double scaledBeta = static_cast<double>(beta) * given.scale;
    const QuantizedRange limits = quantizedLimits(given.type);
    // 8-bit elements have only 256 differences to the maximum. The first `known` are computed:
    // mostly elements of a slice lie closer together.
    std::array<float, 256> exponentials{};
    std::size_t known = 0;
    const std::size_t stride = slices.stride;
    slices.forEach(operation, [&](std::size_t offset) {
        const T* const from = input + offset;
        T maximum = from[0];
        T minimum = from[0];
        forEachElement(operation, slices.size, [&](std::size_t i) {
            maximum = std::max(maximum, from[i * stride]);
            minimum = std::min(minimum, from[i * stride]);
        });
        // A byte, though the two may have been read from an element that changed in between.
        const auto largest = static_cast<std::uint8_t>(maximum - minimum);
        for (; known <= largest; ++known) {
            exponentials[known] =
                static_cast<float>(std::exp(-static_cast<double>(known) * scaledBeta));
        }
        // A byte is a valid index even if another process has changed the element since.
        const auto exponential = [&](std::size_t i) {
            return exponentials[static_cast<std::uint8_t>(maximum - from[i * stride])];
        };
        float sum = 0.0F;
        forEachElement(operation, slices.size, [&](std::size_t i) { sum += exponential(i); });
        forEachElement(operation, slices.size, [&](std::size_t i) {
            const std::int32_t steps = stepsOf(std::min(1.0F, exponential(i) / sum));
            output[offset + i * stride] =
                static_cast<T>(std::min(steps + limits.minimum, limits.maximum));
        });
    });
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const std::size_t axis, resolveAxis(operation));
    NNBURST_TRY_ASSIGN(const float beta, readBeta(operation));
    const OperandView& input = operation.inputs[0];
    NNBURST_TRY(requireOutputShape(operation, 0, input.shape));
    if (input.shape.elementCount() == 0) {
        return {};
    }
    const Slices slices(input.shape, axis);
    dispatchFloat(input.type, [&]<class T>() { softmaxFloat<T>(operation, slices, beta); });
    dispatchQuantized8(input.type,
                       [&]<class T>() { softmaxQuantized<T>(operation, slices, beta); });
    return {};
}

}  // namespace softmax
}  // namespace

constinit const OperationDefinition kSoftmax{
    .type = OperationType::SOFTMAX,
    .since = HalVersion::V1_0,
    .check = softmax::check,
    .inferShapes = softmax::inferShapes,
    .run = softmax::run,
};

constinit const OperationDefinition kLogSoftmax{
    .type = OperationType::LOG_SOFTMAX,
    .since = HalVersion::V1_2,
    .check = softmax::check,
    .inferShapes = softmax::inferShapes,
    .run = softmax::run,
};

}  // namespace nnburst::exec
