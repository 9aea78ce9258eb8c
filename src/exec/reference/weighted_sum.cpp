// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/weighted_sum.h"

#include <fmt/format.h>

#include <cmath>

namespace nnburst::exec {

namespace {

/// The scale of a bias is that of the products it is added to, up to rounding.
bool isProductScale(float biasScale, float inputScale, float weightScale) noexcept {
    constexpr double kTolerance = 1e-6;
    // Rounded to a float like the scale of the bias: a tiny product has few digits, or is 0.
    const double product = inputScale * weightScale;
    return std::abs(product - biasScale) <= kTolerance * std::min<double>(product, biasScale);
}

}  // namespace

void checkSumTypes(OperationCheck& check, const char* weightsName,
                   std::optional<std::uint32_t> channelAxis) {
    using enum OperandType;
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                          TENSOR_QUANT8_ASYMM_SIGNED});
    OperandCheck weights = check.input(1, weightsName);
    OperandCheck bias = check.input(2, "bias");
    const OperandCheck output = check.output(0, "output").sameTypeAs(input);
    if (check.hasFailed()) {
        return;
    }
    const bool isPerChannel = channelAxis && isQuantized8Tensor(input.view().type) &&
                              weights.view().type == TENSOR_QUANT8_SYMM_PER_CHANNEL;
    if (isPerChannel) {
        const std::uint32_t axis = weights.view().channelQuant->channelDim;
        weights.require(axis == *channelAxis, [&] {
            return fmt::format("channel dimension {}; must be {}", axis, *channelAxis);
        });
    } else {
        weights.sameTypeAs(input);
    }
    if (isFloatTensor(input.view().type)) {
        bias.sameTypeAs(input);
        return;
    }
    bias.type({TENSOR_INT32});
    // Before HAL 1.2, the scale of the output had to be larger than that of the products.
    const float productScale = input.view().scale * weights.view().scale;
    check.since(HalVersion::V1_2,
                input.view().type == TENSOR_QUANT8_ASYMM && !(output.view().scale > productScale));
    if (!isPerChannel) {  // otherwise the scales of the channels count, whatever that of the bias
        checkBiasScale(bias, input.view().scale, weights.view().scale);
    }
}

void checkBiasScale(OperandCheck& bias, float inputScale, float weightScale) {
    const float biasScale = bias.view().scale;
    bias.require(isProductScale(biasScale, inputScale, weightScale), [&] {
        return fmt::format("scale {}; must be {}, the product of the scales {} and {}", biasScale,
                           inputScale * weightScale, inputScale, weightScale);
    });
}

void checkChannelScales(OperandCheck& weights, std::uint32_t channels) {
    const SymmPerChannelQuantParams* quant = weights.view().channelQuant;
    weights.require(quant == nullptr || quant->scales.size() == channels, [&] {
        return fmt::format("{} scales; must be {}, one for each output channel",
                           quant->scales.size(), channels);
    });
}

}  // namespace nnburst::exec
