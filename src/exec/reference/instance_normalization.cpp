// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// INSTANCE_NORMALIZATION.
//
//     input    [batches, height, width, channels], or NCHW
//     gamma, beta, epsilon   scalars
//     output   of the input's shape
//
//     output = gamma * (input - mean) / sqrt(variance + epsilon) + beta, with mean and variance of
//     each channel of each image

#include <cmath>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/sums.h"

namespace nnburst::exec {

namespace {
namespace instance_normalization {

using enum OperandType;

constexpr std::size_t kGamma = 1;
constexpr std::size_t kBeta = 2;
constexpr std::size_t kEpsilon = 3;
constexpr std::size_t kLayout = 4;

struct Parameters {
    float gamma = 1.0F;
    float beta = 0.0F;
    float epsilon = 0.0F;
    bool isNchw = false;
};

Result<Parameters> readParameters(const OperationView& operation) {
    const OperandType type = operation.inputs[0].type == TENSOR_FLOAT16 ? FLOAT16 : FLOAT32;
    Parameters parameters;
    ScalarReads reads;
    NNBURST_TRY(reads.take(readConstantFloat(operation, kGamma, "gamma", type), parameters.gamma));
    NNBURST_TRY(reads.take(readConstantFloat(operation, kBeta, "beta", type), parameters.beta));
    NNBURST_TRY(
        reads.take(readConstantFloat(operation, kEpsilon, "epsilon", type), parameters.epsilon));
    NNBURST_TRY(reads.take(readLayout(operation, kLayout), parameters.isNchw));
    NNBURST_TRY(reads.result());
    return parameters;
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(5).outputCount(1);
    const OperandCheck input =
        check.input(0, "input").type({TENSOR_FLOAT32, TENSOR_FLOAT16}).rank(4);
    check.output(0, "output").sameTypeAs(input).sameShapeAs(input);
    NNBURST_TRY(check.result());
    NNBURST_TRY(readParameters(operation));
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").rank(4);
    NNBURST_TRY(check.result());
    outputs[0] = operation.inputs[0].shape;
    return {};
}

template <class T>
void normalize(const OperationView& operation, const T* input, T* output, std::size_t count,
               std::size_t stride, const Parameters& parameters) {
    const auto at = [&](std::size_t i) { return static_cast<float>(input[i * stride]); };
    const double mean = sumOfElements(operation, count, at) / static_cast<double>(count);
    const double squares = sumOfElements(
        operation, count, [&](std::size_t i) { return (at(i) - mean) * (at(i) - mean); });
    const double deviation = std::sqrt(squares / static_cast<double>(count) + parameters.epsilon);
    const double factor = parameters.gamma / deviation;
    forEachElement(operation, count, [&](std::size_t i) {
        output[i * stride] =
            static_cast<T>(static_cast<float>((at(i) - mean) * factor + parameters.beta));
    });
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    const OperandView& input = operation.inputs[0];
    const Shape& shape = input.shape;
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    if (shape.elementCount() == 0) {
        return {};
    }
    const std::size_t channels = parameters.isNchw ? shape[1] : shape[3];
    const std::size_t pixels = shape.elementCount() / shape[0] / channels;
    const std::size_t pixelStride = parameters.isNchw ? 1 : channels;
    const std::size_t channelStride = parameters.isNchw ? pixels : 1;
    dispatchFloat(input.type, [&]<class T>() {
        for (std::size_t batch = 0; batch < shape[0]; ++batch) {
            for (std::size_t channel = 0; channel < channels; ++channel) {
                const std::size_t offset = batch * pixels * channels + channel * channelStride;
                normalize(operation, input.as<const T>() + offset,
                          operation.outputs[0].as<T>() + offset, pixels, pixelStride, parameters);
                if (operation.isOutOfTime(pixels)) {
                    return;
                }
            }
        }
    });
    return {};
}

}  // namespace instance_normalization
}  // namespace

constinit const OperationDefinition kInstanceNormalization{
    .type = OperationType::INSTANCE_NORMALIZATION,
    .since = HalVersion::V1_2,
    .check = instance_normalization::check,
    .inferShapes = instance_normalization::inferShapes,
    .run = instance_normalization::run,
};

}  // namespace nnburst::exec
