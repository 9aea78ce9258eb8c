// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// L2_NORMALIZATION and LOCAL_RESPONSE_NORMALIZATION.
//
//     input   any shape of rank up to 4; slices along one axis, the last one unless `axis` says
//             otherwise, are independent of each other
//     output  of the input's shape; quantised in units of 1/128
//
//     L2_NORMALIZATION              output[i] = input[i] / sqrt(sum over k of input[k]^2)
//     LOCAL_RESPONSE_NORMALIZATION  output[i] = input[i] / (bias + alpha * sum of input[k]^2)^beta,
//                                   over the k at most `radius` from i

#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/slices.h"
#include "exec/reference/sums.h"

namespace nnburst::exec {

namespace {
namespace normalization {

using enum OperandType;

constexpr std::size_t kRadius = 1;
constexpr std::size_t kBias = 2;
constexpr std::size_t kAlpha = 3;
constexpr std::size_t kBeta = 4;
constexpr std::size_t kHighestRank = 4;

/// The index of the optional axis, which is the last input.
std::size_t axisInput(OperationType type) noexcept {
    return type == OperationType::L2_NORMALIZATION ? 1 : 5;
}

/// The axis counted from the first one. The input's rank is known.
Result<std::size_t> resolveAxis(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").rank(1, kHighestRank);
    NNBURST_TRY(check.result());
    const std::size_t rank = operation.inputs[0].shape.rank();
    const std::size_t index = axisInput(operation.type);
    if (!operation.has(index)) {
        return rank - 1;
    }
    return readAxis(operation, index, rank);
}

struct Parameters {
    std::size_t radius = 0;
    float bias = 0.0F;
    float alpha = 0.0F;
    float beta = 0.0F;
};

Result<Parameters> readParameters(const OperationView& operation) {
    const OperandType type = operation.inputs[0].type == TENSOR_FLOAT16 ? FLOAT16 : FLOAT32;
    Parameters parameters;
    ScalarReads reads;
    NNBURST_TRY(reads.take(readConstantInt32(operation, kRadius, "radius", 0), parameters.radius));
    NNBURST_TRY(reads.take(readConstantFloat(operation, kBias, "bias", type), parameters.bias));
    NNBURST_TRY(reads.take(readConstantFloat(operation, kAlpha, "alpha", type), parameters.alpha));
    NNBURST_TRY(reads.take(readConstantFloat(operation, kBeta, "beta", type), parameters.beta));
    NNBURST_TRY(reads.result());
    return parameters;
}

Result<HalVersion> check(const OperationView& operation) {
    const bool isL2 = operation.type == OperationType::L2_NORMALIZATION;
    const std::size_t axis = axisInput(operation.type);
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(axis, axis + 1).outputCount(1);
    OperandCheck input = check.input(0, "input");
    if (isL2) {
        input.type(
            {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    } else {
        input.type({TENSOR_FLOAT32, TENSOR_FLOAT16});
    }
    input.rank(1, kHighestRank);
    OperandCheck output = check.output(0, "output").sameTypeAs(input).sameShapeAs(input);
    if (isQuantized8Tensor(output.view().type)) {
        output.quantization(1.0F / 128, quantizedLimits(output.view().type).minimum + 128);
    }
    check.optionalInput(axis, "axis").type({INT32});
    NNBURST_TRY(check.result());
    const std::size_t rank = input.view().shape.rank();
    check.since(HalVersion::V1_2, operation.inputs.size() > axis || (rank != 0 && rank < 4) ||
                                      input.view().type == TENSOR_QUANT8_ASYMM);
    if (!isL2) {
        NNBURST_TRY(readParameters(operation));
    }
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
void normalizeFloat(const OperationView& operation, const Slices& slices) {
    constexpr float kSmallestNorm = 1e-6F;
    const T* input = operation.inputs[0].as<const T>();
    T* output = operation.outputs[0].as<T>();
    slices.forEach(operation, [&](std::size_t offset) {
        const auto at = [&](std::size_t i) {
            return static_cast<float>(input[offset + i * slices.stride]);
        };
        const double sum = sumOfElements(operation, slices.size,
                                         [&](std::size_t i) { return double{at(i)} * at(i); });
        const float norm = std::max(static_cast<float>(std::sqrt(sum)), kSmallestNorm);
        forEachElement(operation, slices.size, [&](std::size_t i) {
            output[offset + i * slices.stride] = static_cast<T>(at(i) / norm);
        });
    });
}

template <class T>
void normalizeQuantized(const OperationView& operation, const Slices& slices) {
    const T* input = operation.inputs[0].as<const T>();
    T* output = operation.outputs[0].as<T>();
    const std::int32_t zeroPoint = operation.inputs[0].zeroPoint;
    const QuantizedRange limits = quantizedLimits(operation.inputs[0].type);
    slices.forEach(operation, [&](std::size_t offset) {
        const auto at = [&](std::size_t i) {
            return input[offset + i * slices.stride] - zeroPoint;
        };
        std::int64_t sum = 0;
        forEachElement(operation, slices.size, [&](std::size_t i) {
            const std::int64_t value = at(i);
            sum += value * value;
        });
        const float inverse = sum == 0 ? 0.0F : 128.0F / std::sqrt(static_cast<float>(sum));
        forEachElement(operation, slices.size, [&](std::size_t i) {
            // Clamped before the conversion: another process may have changed the element.
            const float steps = std::clamp(static_cast<float>(at(i)) * inverse, -128.0F, 127.0F);
            output[offset + i * slices.stride] = static_cast<T>(
                std::min(static_cast<std::int32_t>(std::lround(steps)) + limits.minimum + 128,
                         limits.maximum));
        });
    });
}

template <class T>
void normalizeLocally(const OperationView& operation, const Slices& slices,
                      const Parameters& parameters) {
    const T* input = operation.inputs[0].as<const T>();
    T* output = operation.outputs[0].as<T>();
    slices.forEach(operation, [&](std::size_t offset) {
        const auto at = [&](std::size_t i) {
            return static_cast<float>(input[offset + i * slices.stride]);
        };
        for (std::size_t i = 0; i < slices.size; ++i) {
            const std::size_t first = i - std::min(i, parameters.radius);
            const std::size_t last = std::min(slices.size - 1, i + parameters.radius);
            const auto sum =
                static_cast<float>(sumOfElements(operation, last - first + 1, [&](std::size_t k) {
                    return double{at(first + k)} * at(first + k);
                }));
            const float divisor =
                std::pow(parameters.bias + parameters.alpha * sum, parameters.beta);
            output[offset + i * slices.stride] = static_cast<T>(at(i) / divisor);
            if (operation.isOutOfTime(last - first + 1)) {
                return;
            }
        }
    });
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const std::size_t axis, resolveAxis(operation));
    const OperandView& input = operation.inputs[0];
    NNBURST_TRY(requireOutputShape(operation, 0, input.shape));
    if (input.shape.elementCount() == 0) {
        return {};
    }
    const Slices slices(input.shape, axis);
    if (operation.type == OperationType::LOCAL_RESPONSE_NORMALIZATION) {
        NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
        dispatchFloat(input.type,
                      [&]<class T>() { normalizeLocally<T>(operation, slices, parameters); });
        return {};
    }
    dispatchFloat(input.type, [&]<class T>() { normalizeFloat<T>(operation, slices); });
    dispatchQuantized8(input.type, [&]<class T>() { normalizeQuantized<T>(operation, slices); });
    return {};
}

constexpr OperationDefinition kFamily{.type = OperationType::L2_NORMALIZATION,
                                      .since = HalVersion::V1_0,
                                      .check = check,
                                      .inferShapes = inferShapes,
                                      .run = run};

}  // namespace normalization
}  // namespace

constinit const OperationDefinition kL2Normalization = normalization::kFamily;
constinit const OperationDefinition kLocalResponseNormalization =
    normalization::kFamily.with(OperationType::LOCAL_RESPONSE_NORMALIZATION, HalVersion::V1_0);

}  // namespace nnburst::exec
