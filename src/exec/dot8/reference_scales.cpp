// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/reference_scales.h"

#include <algorithm>

#include "exec/reference/quantized.h"

namespace nnburst::exec::dot8 {

ReferenceScales::ReferenceScales(const OperationView& operation, QuantizedRange range)
    : range_(range), zeroPoint_(operation.outputs[0].zeroPoint) {
    const OperandView& weights = operation.inputs[1];
    const std::size_t columns = weights.shape[0];
    for (std::size_t column = 0; column < columns; ++column) {
        const float scale =
            weights.channelQuant != nullptr ? weights.channelQuant->scales[column] : weights.scale;
        const double sumScale = static_cast<double>(operation.inputs[0].scale) * scale;
        const QuantizedMultiplier multiplier(sumScale / operation.outputs[0].scale);
        fractions_.push_back(multiplier.fraction());
        leftShifts_.push_back(std::max(multiplier.exponent(), 0));
        rightShifts_.push_back(std::max(-multiplier.exponent(), 0));
    }
}

SumRow ReferenceScales::row(const std::int32_t* sums, std::size_t first, std::size_t count,
                            std::uint8_t* output) const noexcept {
    return {.sums = sums,
            .count = count,
            .fractions = fractions_.data() + first,
            .leftShifts = leftShifts_.data() + first,
            .rightShifts = rightShifts_.data() + first,
            .minimum = range_.minimum,
            .maximum = range_.maximum,
            .zeroPoint = zeroPoint_,
            .output = output};
}

}  // namespace nnburst::exec::dot8
