// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/plain_microkernels.h"

#include <algorithm>
#include <cmath>

#include "exec/reference/quantized.h"

namespace nnburst::exec {
namespace {

using dot8::Activations;
using dot8::BlockProduct;
using dot8::DepthwiseRow;
using dot8::Requantization;

constexpr std::size_t kVectorColumns = 3;
constexpr std::size_t kBlockColumns = 6;
constexpr std::size_t kDepthwiseLanes = 8;

std::uint8_t requantize(std::uint32_t sum, float scale, const Requantization& to) {
    const float scaled = static_cast<float>(static_cast<std::int32_t>(sum)) * scale;
    const float clamped = std::min(std::max(scaled, to.minimum), to.maximum);
    return static_cast<std::uint8_t>(static_cast<std::int32_t>(std::nearbyint(clamped)) +
                                     to.zeroPoint);
}

/// Sums wrap around: they are computed without signs.
std::uint32_t product(std::int32_t activation, std::int32_t weight) {
    return static_cast<std::uint32_t>(activation) * static_cast<std::uint32_t>(weight);
}

template <bool kMultipliesSigned>
std::int32_t multiplied(std::uint8_t byte, bool isSigned) {
    if (isSigned) {
        return static_cast<std::int8_t>(byte) + (kMultipliesSigned ? 0 : 128);
    }
    return byte - (kMultipliesSigned ? 128 : 0);
}

template <bool kMultipliesSigned>
void multiply(const BlockProduct& block) {
    const std::size_t columns =
        (block.columns + kVectorColumns - 1) / kVectorColumns * kVectorColumns;
    for (std::size_t row = 0; row < block.rowCount; ++row) {
        for (std::size_t column = 0; column < block.columns; ++column) {
            auto sum = static_cast<std::uint32_t>(block.bias[column]);
            if (block.activations == Activations::UNSIGNED_CORRECTED) {
                sum -= static_cast<std::uint32_t>(block.corrections[row]);
            }
            for (std::size_t k = 0; k < block.depth; ++k) {
                sum +=
                    product(multiplied<kMultipliesSigned>(block.rows[row * block.rowStride + k],
                                                          block.activations == Activations::SIGNED),
                            block.weights[(k / 4 * columns + column) * 4 + k % 4]);
            }
            if (block.sums != nullptr) {
                block.sums[row * columns + column] = static_cast<std::int32_t>(sum);
                continue;
            }
            block.output[row * block.outputStride + column] =
                requantize(sum, block.scales[column], block.requantization);
        }
    }
}

template <bool kMultipliesSigned>
void sumRows(const std::uint8_t* rows, std::size_t rowStride, std::size_t rowCount,
             std::size_t depth, std::int32_t factor, std::int32_t* sums) {
    for (std::size_t row = 0; row < rowCount; ++row) {
        std::uint32_t sum = 0;
        for (std::size_t k = 0; k < depth; ++k) {
            sum += product(multiplied<kMultipliesSigned>(rows[row * rowStride + k], false), factor);
        }
        sums[row] = static_cast<std::int32_t>(sum);
    }
}

void convolveDepthwise(const DepthwiseRow& row) {
    for (std::size_t step = 0; step < row.steps; ++step) {
        const std::size_t at = step * row.stride;
        const std::size_t count = step + 1 == row.steps ? row.lastElements : row.elements;
        for (std::size_t i = 0; i < count; ++i) {
            auto sum = static_cast<std::uint32_t>(row.bias[i]);
            for (std::size_t tap = 0; tap < 2 * row.tapPairs; ++tap) {
                const std::uint8_t byte = row.taps[tap][at + i];
                sum += product(row.isSigned ? static_cast<std::int8_t>(byte) : byte,
                               row.weights[(tap / 2 * kDepthwiseLanes + i) * 2 + tap % 2]);
            }
            row.output[at + i] = requantize(sum, row.scales[i], row.requantization);
        }
    }
}

void requantizeSums(const dot8::SumRow& row) {
    for (std::size_t i = 0; i < row.count; ++i) {
        const double factor = std::ldexp(row.fractions[i], row.leftShifts[i] - row.rightShifts[i]);
        const Requantizer requantize(factor * 0x1p-31, row.zeroPoint, {row.minimum, row.maximum});
        row.output[i] = static_cast<std::uint8_t>(requantize(row.sums[i]));
    }
}

template <bool kMultipliesSigned>
constexpr dot8::Microkernels kPlain{.name = "plain",
                                    .vectorColumns = kVectorColumns,
                                    .blockColumns = kBlockColumns,
                                    .tileRows = 5,
                                    .multipliesSigned = kMultipliesSigned,
                                    .depthwiseLanes = kDepthwiseLanes,
                                    .multiply = multiply<kMultipliesSigned>,
                                    .sumRows = sumRows<kMultipliesSigned>,
                                    .requantizeSums = requantizeSums,
                                    .convolveDepthwise = convolveDepthwise,
                                    .meanOfPixels = nullptr,
                                    .lookUp = nullptr};

}  // namespace

const dot8::Microkernels& plainMicrokernels(bool multipliesSigned) {
    return multipliesSigned ? kPlain<true> : kPlain<false>;
}

}  // namespace nnburst::exec
