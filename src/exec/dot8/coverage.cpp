// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/coverage.h"

#include <algorithm>
#include <cmath>

namespace nnburst::exec::dot8 {

namespace {

bool isNormalScale(float scale) noexcept {
    return scale > 0.0F && std::isnormal(scale);
}

/// As XNNPACK, in whose steps the rest of a model may run.
bool isSumScale(float scale) noexcept {
    return scale >= 0x1p-32F && scale < 256.0F;
}

/// Whether the same filter is packed in every run: filters are found by their operation.
bool hasConstantFilter(const OperationView& operation) noexcept {
    const auto isSettled = [](const OperandView& input) {
        return input.isConstant || input.isOmitted;
    };
    return std::all_of(operation.inputs.begin() + 1, operation.inputs.end(), isSettled);
}

}  // namespace

bool isCovered(const OperationView& operation, QuantizedRange range) noexcept {
    const OperandView& input = operation.inputs[0];
    const OperandView& weights = operation.inputs[1];
    const OperandView& output = operation.outputs[0];
    const bool isUnsigned = input.type == OperandType::TENSOR_QUANT8_ASYMM;
    if ((!isUnsigned && input.type != OperandType::TENSOR_QUANT8_ASYMM_SIGNED) ||
        !hasConstantFilter(operation) || !isNormalScale(input.scale) ||
        !isNormalScale(output.scale) || range.minimum >= range.maximum) {
        return false;
    }
    if (weights.channelQuant != nullptr) {
        const std::vector<float>& scales = weights.channelQuant->scales;
        for (std::size_t channel = 0; channel < scales.size(); ++channel) {
            if (!isNormalScale(scales[channel]) || !isSumScale(sumScale(operation, channel))) {
                return false;
            }
        }
        return true;
    }
    return (isUnsigned || weights.zeroPoint == 0) && isNormalScale(weights.scale) &&
           isSumScale(sumScale(operation, 0));
}

float sumScale(const OperationView& operation, std::size_t channel) noexcept {
    const OperandView& weights = operation.inputs[1];
    const float scale =
        weights.channelQuant != nullptr ? weights.channelQuant->scales[channel] : weights.scale;
    return operation.inputs[0].scale * scale / operation.outputs[0].scale;
}

Requantization requantizationOf(const OperandView& output, QuantizedRange range) noexcept {
    return {.minimum = static_cast<float>(range.minimum - output.zeroPoint),
            .maximum = static_cast<float>(range.maximum - output.zeroPoint),
            .zeroPoint = output.zeroPoint};
}

}  // namespace nnburst::exec::dot8
