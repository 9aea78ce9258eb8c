// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that normalise along the last axis.

#include "tflite/converters.h"

namespace nnburst::tflite {

Result<> convertSoftmax(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::SoftmaxOptions>());
    op.inferShapeOf(0);
    NNBURST_TRY_ASSIGN(const std::uint32_t beta, op.realScalar(options->beta(), 0));
    op.add(operation, {op.input(0), beta}, {op.output()});
    return {};
}

Result<> convertLogSoftmax(OperatorImport& op, OperationType operation) {
    constexpr float kBeta = 1.0F;
    constexpr std::int32_t kLastAxis = -1;
    op.inferShapeOf(0);
    NNBURST_TRY_ASSIGN(const std::uint32_t beta, op.realScalar(kBeta, 0));
    const std::uint32_t input = op.floatInput(0);
    const std::uint32_t result = op.floatOutput();
    op.add(operation, {input, beta, op.scalar(kLastAxis)}, {result});
    op.finishFloat(result);
    return {};
}

Result<> convertL2Normalization(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::L2NormOptions>());
    if (options->fused_activation_function() != schema::ActivationFunctionType::NONE) {
        return invalid("fused activation {} is not supported",
                       static_cast<int>(options->fused_activation_function()));
    }
    return convertUnary(op, operation);
}

Result<> convertLocalResponseNormalization(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options,
                       op.options<schema::LocalResponseNormalizationOptions>());
    if (options->radius() < 0) {
        return invalid("radius {}: must be at least 0", options->radius());
    }
    op.inferShapeOf(0);
    NNBURST_TRY_ASSIGN(const std::uint32_t bias, op.realScalar(options->bias(), 0));
    op.add(operation,
           {op.input(0), op.scalar(options->radius()), bias, op.scalar(options->alpha()),
            op.scalar(options->beta())},
           {op.output()});
    return {};
}

}  // namespace nnburst::tflite
