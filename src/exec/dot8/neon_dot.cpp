// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The micro-kernels of arm64 processors with the dot-product instructions of Armv8.2-A (SDOT,
// UDOT).

#include <arm_neon.h>

#include <cstring>

#include "exec/dot8/mean_of_pixels.h"
#include "exec/dot8/microkernel.h"
#include "exec/dot8/row_bytes.h"

namespace nnburst::exec::dot8 {

namespace {

constexpr std::size_t kVectorColumns = 4;
constexpr std::size_t kBlockColumns = 16;
/// Bytes of a row that one register holds: four lanes of four.
constexpr std::size_t kRowBytes = 16;

/// Bytes of a row as SDOT multiplies them.
template <Activations kActivations>
[[gnu::always_inline]] inline int8x16_t toSigned(uint8x16_t bytes) noexcept {
    if constexpr (kActivations == Activations::SIGNED) {
        return vreinterpretq_s8_u8(bytes);
    } else {
        return vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(0x80)));
    }
}

/// The next four bytes of a row, or fewer where it ends, in every lane.
[[gnu::always_inline]] inline uint8x16_t broadcast(const std::uint8_t* bytes,
                                                   std::size_t left) noexcept {
    const std::uint32_t four = left >= sizeof(four) ? loadFour(bytes) : loadRest(bytes, left);
    return vreinterpretq_u8_u32(vdupq_n_u32(four));
}

/// The outputs before their zero point is added.
[[gnu::always_inline]] inline int32x4_t requantize(int32x4_t sum, float32x4_t scale,
                                                   const Requantization& to) noexcept {
    const float32x4_t scaled = vmulq_f32(vcvtq_f32_s32(sum), scale);
    const float32x4_t least = vmaxq_f32(scaled, vdupq_n_f32(to.minimum));
    return vcvtnq_s32_f32(vminq_f32(least, vdupq_n_f32(to.maximum)));
}

/// The elements of eight outputs.
[[gnu::always_inline]] inline uint8x8_t pack(int32x4_t first, int32x4_t second,
                                             const Requantization& to) noexcept {
    const int16x8_t zeroPoint = vdupq_n_s16(static_cast<std::int16_t>(to.zeroPoint));
    const int16x8_t outputs = vmovn_high_s32(vmovn_s32(first), second);
    return vreinterpret_u8_s8(vmovn_s16(vaddq_s16(outputs, zeroPoint)));
}

/// Writes the first `count` of 16 elements.
[[gnu::always_inline]] inline void store(uint8x16_t elements, std::size_t count,
                                         std::uint8_t* output) noexcept {
    if (count >= kBlockColumns) {
        vst1q_u8(output, elements);
        return;
    }
    std::uint8_t stored[kBlockColumns];
    vst1q_u8(stored, elements);
    std::memcpy(output, stored, count);
}

/// The bias of vector `v`, less the correction of `row`.
template <Activations kActivations>
[[gnu::always_inline]] inline int32x4_t firstSum(const BlockProduct& product, std::size_t row,
                                                 int v) noexcept {
    const int32x4_t bias = vld1q_s32(product.bias + v * 4);
    if constexpr (kActivations == Activations::UNSIGNED_CORRECTED) {
        return vsubq_s32(bias, vdupq_n_s32(product.corrections[row]));
    }
    return bias;
}

/// Adds to the sums of each row the products of lane kLane of its activations.
template <int kLane, int kRows, int kVectors>
[[gnu::always_inline]] inline void addLane(const int8x16_t (&activations)[kRows],
                                           const std::int8_t* weights,
                                           int32x4_t (&sums)[kRows][4]) noexcept {
    int8x16_t columns[kVectors];
    _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
        columns[v] = vld1q_s8(weights + v * 16);
    }
    _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
        _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
            sums[r][v] = vdotq_laneq_s32(sums[r][v], columns[v], activations[r], kLane);
        }
    }
}

/// Writes the elements of one row.
template <int kVectors>
[[gnu::always_inline]] inline void storeRow(const BlockProduct& product, const int32x4_t (&sums)[4],
                                            std::uint8_t* output) noexcept {
    const Requantization to = product.requantization;
    int32x4_t outputs[4];
    _Pragma("GCC unroll 8") for (int v = 0; v < 4; ++v) {
        outputs[v] =
            v < kVectors ? requantize(sums[v], vld1q_f32(product.scales + v * 4), to) : sums[v];
    }
    store(vcombine_u8(pack(outputs[0], outputs[1], to), pack(outputs[2], outputs[3], to)),
          product.columns, output);
}

/// Rows `first` to first + kRows - 1.
template <Activations kActivations, int kRows, int kVectors>
void multiplyTile(const BlockProduct& product, std::size_t first) noexcept {
    constexpr std::size_t kStepBytes = kVectors * 16;  // weights of four bytes of a row
    int32x4_t sums[kRows][4];
    _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
        _Pragma("GCC unroll 8") for (int v = 0; v < 4; ++v) {
            sums[r][v] = v < kVectors ? firstSum<kActivations>(
                                            product, first + static_cast<std::size_t>(r), v)
                                      : vdupq_n_s32(0);
        }
    }
    const std::size_t stride = product.rowStride;
    const std::uint8_t* row = product.rows + first * stride;
    const std::int8_t* weights = product.weights;
    std::size_t left = product.depth;
    int8x16_t activations[kRows];
    for (; left >= kRowBytes; left -= kRowBytes) {
        _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
            activations[r] =
                toSigned<kActivations>(vld1q_u8(row + static_cast<std::size_t>(r) * stride));
        }
        addLane<0, kRows, kVectors>(activations, weights, sums);
        addLane<1, kRows, kVectors>(activations, weights + kStepBytes, sums);
        addLane<2, kRows, kVectors>(activations, weights + 2 * kStepBytes, sums);
        addLane<3, kRows, kVectors>(activations, weights + 3 * kStepBytes, sums);
        row += kRowBytes;
        weights += 4 * kStepBytes;
    }
    while (left != 0) {
        _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
            activations[r] =
                toSigned<kActivations>(broadcast(row + static_cast<std::size_t>(r) * stride, left));
        }
        addLane<0, kRows, kVectors>(activations, weights, sums);
        row += 4;
        weights += kStepBytes;
        left -= left < 4 ? left : 4;
    }
    if (product.sums != nullptr) {
        _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
            std::int32_t* const to =
                product.sums + (first + static_cast<std::size_t>(r)) * kVectors * 4;
            _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
                vst1q_s32(to + v * 4, sums[r][v]);
            }
        }
        return;
    }
    _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
        storeRow<kVectors>(
            product, sums[r],
            product.output + (first + static_cast<std::size_t>(r)) * product.outputStride);
    }
}

constexpr int kTileRows = 4;

/// All rows. The last tile begins earlier where rows are left over: some are computed twice.
template <Activations kActivations, int kVectors>
void multiplyRows(const BlockProduct& product) noexcept {
    const std::size_t count = product.rowCount;
    std::size_t row = 0;
    for (; row + kTileRows <= count; row += kTileRows) {
        multiplyTile<kActivations, kTileRows, kVectors>(product, row);
    }
    if (row == count) {
        return;
    }
    if (count > kTileRows) {
        return multiplyTile<kActivations, kTileRows, kVectors>(product, count - kTileRows);
    }
    for (; row != count; ++row) {
        multiplyTile<kActivations, 1, kVectors>(product, row);
    }
}

template <Activations kActivations>
void multiplyBlock(const BlockProduct& product) noexcept {
    switch ((product.columns + kVectorColumns - 1) / kVectorColumns) {
        case 1:
            return multiplyRows<kActivations, 1>(product);
        case 2:
            return multiplyRows<kActivations, 2>(product);
        case 3:
            return multiplyRows<kActivations, 3>(product);
        default:
            return multiplyRows<kActivations, 4>(product);
    }
}

void multiply(const BlockProduct& product) {
    switch (product.activations) {
        case Activations::UNSIGNED:
            return multiplyBlock<Activations::UNSIGNED>(product);
        case Activations::UNSIGNED_CORRECTED:
            return multiplyBlock<Activations::UNSIGNED_CORRECTED>(product);
        case Activations::SIGNED:
            return multiplyBlock<Activations::SIGNED>(product);
    }
}

void sumRows(const std::uint8_t* rows, std::size_t rowStride, std::size_t rowCount,
             std::size_t depth, std::int32_t factor, std::int32_t* sums) {
    for (std::size_t row = 0; row < rowCount; ++row, rows += rowStride) {
        uint32x4_t parts = vdupq_n_u32(0);
        std::size_t k = 0;
        for (; k + 16 <= depth; k += 16) {
            parts = vdotq_u32(parts, vld1q_u8(rows + k), vdupq_n_u8(1));
        }
        std::uint32_t total = vaddvq_u32(parts);
        for (; k < depth; ++k) {
            total += rows[k];
        }
        // Of bytes less 128.
        total -= static_cast<std::uint32_t>(depth) * 128;
        sums[row] = static_cast<std::int32_t>(total * static_cast<std::uint32_t>(factor));
    }
}

/// The order of DepthwiseLayout::position() is that of the elements.
inline std::int64_t clampSum(std::int64_t value, std::int64_t minimum,
                             std::int64_t maximum) noexcept {
    value = value < minimum ? minimum : value;
    return value > maximum ? maximum : value;
}

void requantizeSums(const SumRow& given) {
    const SumRow row = given;  // a copy: outputs are bytes, which could be those of `given`
    const std::int64_t minimum = row.minimum - row.zeroPoint;
    const std::int64_t maximum = row.maximum - row.zeroPoint;
    for (std::size_t i = 0; i < row.count; ++i) {
        const std::int64_t shifted = std::int64_t{row.sums[i]} << row.leftShifts[i];
        const std::int64_t saturated = clampSum(shifted, INT32_MIN, INT32_MAX);
        const std::int64_t rounded = (saturated * row.fractions[i] + (std::int64_t{1} << 30)) >> 31;
        // Ties go away from zero here: those of negative numbers downwards.
        const std::int64_t half = (std::int64_t{1} << row.rightShifts[i]) >> 1;
        const std::int64_t downwards = rounded < 0 && half != 0 ? 1 : 0;
        const std::int64_t steps = (rounded + half - downwards) >> row.rightShifts[i];
        row.output[i] =
            static_cast<std::uint8_t>(clampSum(steps, minimum, maximum) + row.zeroPoint);
    }
}

constexpr std::size_t kDepthwiseLanes = 8;

template <bool kSigned>
[[gnu::always_inline]] inline int16x8_t loadWords(const std::uint8_t* bytes) noexcept {
    const uint8x8_t loaded = vld1_u8(bytes);
    return kSigned ? vmovl_s8(vreinterpret_s8_u8(loaded)) : vreinterpretq_s16_u16(vmovl_u8(loaded));
}

/// With kPairs not 0 their number is known, and weights stay in registers.
template <bool kSigned, int kPairs>
void convolveDepthwiseRow(const DepthwiseRow& row) noexcept {
    constexpr int kHeld = kPairs == 0 ? 1 : kPairs;
    int16x8x2_t held[kHeld];
    if constexpr (kPairs != 0) {
        _Pragma("GCC unroll 8") for (int p = 0; p < kPairs; ++p) {
            held[p] = vld2q_s16(row.weights + p * 16);
        }
    }
    const int32x4_t lowBias = vld1q_s32(row.bias);
    const int32x4_t highBias = vld1q_s32(row.bias + 4);
    const float32x4_t lowScale = vld1q_f32(row.scales);
    const float32x4_t highScale = vld1q_f32(row.scales + 4);
    const Requantization to = row.requantization;
    std::uint8_t* output = row.output;
    std::size_t offset = 0;
    for (std::size_t step = 0; step < row.steps; ++step) {
        int32x4_t low = lowBias;
        int32x4_t high = highBias;
        const auto add = [&](std::size_t pair, const int16x8x2_t& weights)
            __attribute__((always_inline)) {
            const int16x8_t first = loadWords<kSigned>(row.taps[2 * pair] + offset);
            const int16x8_t second = loadWords<kSigned>(row.taps[2 * pair + 1] + offset);
            low = vmlal_s16(low, vget_low_s16(first), vget_low_s16(weights.val[0]));
            high = vmlal_high_s16(high, first, weights.val[0]);
            low = vmlal_s16(low, vget_low_s16(second), vget_low_s16(weights.val[1]));
            high = vmlal_high_s16(high, second, weights.val[1]);
        };
        if constexpr (kPairs != 0) {
            _Pragma("GCC unroll 8") for (int p = 0; p < kPairs; ++p) {
                add(static_cast<std::size_t>(p), held[p]);
            }
        } else {
            for (std::size_t p = 0; p < row.tapPairs; ++p) {
                add(p, vld2q_s16(row.weights + p * 16));
            }
        }
        const uint8x8_t elements =
            pack(requantize(low, lowScale, to), requantize(high, highScale, to), to);
        const std::size_t count = step + 1 == row.steps ? row.lastElements : row.elements;
        if (count >= kDepthwiseLanes) {
            vst1_u8(output, elements);
        } else {
            store(vcombine_u8(elements, elements), count, output);
        }
        offset += row.stride;
        output += row.stride;
    }
}

template <bool kSigned>
void convolveDepthwiseOf(const DepthwiseRow& row) noexcept {
    constexpr int kPairsOf3x3 = 5;
    return row.tapPairs == kPairsOf3x3 ? convolveDepthwiseRow<kSigned, kPairsOf3x3>(row)
                                       : convolveDepthwiseRow<kSigned, 0>(row);
}

void convolveDepthwise(const DepthwiseRow& row) {
    return row.isSigned ? convolveDepthwiseOf<true>(row) : convolveDepthwiseOf<false>(row);
}

/// A table of 256 bytes is four of 64: an index outside of one finds nothing in it.
void lookUp(const std::uint8_t* table, const std::uint8_t* input, std::size_t count,
            std::uint8_t* output) {
    constexpr std::size_t kQuarter = 64;
    uint8x16x4_t quarters[4];
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
        quarters[quarter] = vld1q_u8_x4(table + quarter * kQuarter);
    }
    const uint8x16_t step = vdupq_n_u8(kQuarter);
    std::size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        uint8x16_t indexes = vld1q_u8(input + i);
        uint8x16_t found = vqtbl4q_u8(quarters[0], indexes);
        for (std::size_t quarter = 1; quarter < 4; ++quarter) {
            indexes = vsubq_u8(indexes, step);
            found = vqtbx4q_u8(found, quarters[quarter], indexes);
        }
        vst1q_u8(output + i, found);
    }
    for (; i < count; ++i) {
        output[i] = table[input[i]];
    }
}

}  // namespace

extern const Microkernels kNeonDot;
const Microkernels kNeonDot{.name = "NEON dot product",
                            .vectorColumns = kVectorColumns,
                            .blockColumns = kBlockColumns,
                            .tileRows = kTileRows,
                            .multipliesSigned = true,
                            .depthwiseLanes = kDepthwiseLanes,
                            .multiply = multiply,
                            .sumRows = sumRows,
                            .requantizeSums = requantizeSums,
                            .convolveDepthwise = convolveDepthwise,
                            .meanOfPixels = meanOfPixels,
                            .lookUp = lookUp};

}  // namespace nnburst::exec::dot8
