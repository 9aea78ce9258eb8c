// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The micro-kernels of processors with AVX512-VNNI (F, BW, DQ, VL and VNNI).

#include <immintrin.h>

#include "exec/dot8/mean_of_pixels.h"
#include "exec/dot8/microkernel.h"
#include "exec/dot8/row_bytes.h"

namespace nnburst::exec::dot8 {

// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): offsets of a few vectors

namespace {

constexpr std::size_t kVectorColumns = 16;
constexpr std::size_t kBlockColumns = 64;

/// Four bytes of a row in every lane.
template <Activations kActivations>
[[gnu::always_inline]] inline __m512i broadcast(std::uint32_t four) noexcept {
    if constexpr (kActivations == Activations::SIGNED) {
        four ^= 0x80808080U;
    }
    return _mm512_set1_epi32(static_cast<int>(four));
}

/// The outputs before their zero point is added.
[[gnu::always_inline]] inline __m512i requantize(__m512i sum, __m512 scale,
                                                 const Requantization& to) noexcept {
    const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale);
    const __m512 least = _mm512_max_ps(scaled, _mm512_set1_ps(to.minimum));
    return _mm512_cvtps_epi32(_mm512_min_ps(least, _mm512_set1_ps(to.maximum)));
}

/// Writes the first `columns` of 16 elements.
[[gnu::always_inline]] inline void store16(__m512i outputs, const Requantization& to,
                                           std::size_t columns, std::uint8_t* output) noexcept {
    const __m512i moved = _mm512_add_epi32(outputs, _mm512_set1_epi32(to.zeroPoint));
    const auto mask =
        columns >= kVectorColumns ? __mmask16{0xffff} : static_cast<__mmask16>((1U << columns) - 1);
    _mm_mask_storeu_epi8(output, mask, _mm512_cvtepi32_epi8(moved));
}

/// Writes the first `columns` of 64 elements.
[[gnu::always_inline]] inline void store64(const __m512i* outputs, const Requantization& to,
                                           std::size_t columns, std::uint8_t* output) noexcept {
    const __m512i zeroPoint = _mm512_set1_epi16(static_cast<short>(to.zeroPoint));
    const __m512i low = _mm512_set1_epi16(0xff);
    const __m512i first = _mm512_and_si512(
        _mm512_add_epi16(_mm512_packs_epi32(outputs[0], outputs[1]), zeroPoint), low);
    const __m512i second = _mm512_and_si512(
        _mm512_add_epi16(_mm512_packs_epi32(outputs[2], outputs[3]), zeroPoint), low);
    // Packing works within each 128 bits: quarters of the four vectors follow each other.
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i packed = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(first, second));
    const __mmask64 mask = columns >= kBlockColumns ? ~__mmask64{0} : (__mmask64{1} << columns) - 1;
    _mm512_mask_storeu_epi8(output, mask, packed);
}

/// Makes g++ keep sums in registers throughout the loop before this call: otherwise it stores them
/// in each iteration.
template <int kRows, int kVectors>
[[gnu::always_inline]] inline void keepInRegisters(__m512i (&sums)[kRows][kVectors]) noexcept {
    _Pragma("GCC unroll 16") for (int r = 0; r < kRows; ++r) {
        _Pragma("GCC unroll 16") for (int v = 0; v < kVectors; ++v) {
            __asm__("" : "+v"(sums[r][v]));
        }
    }
}

/// The bias of vector `v`, less the correction of `row`.
template <Activations kActivations>
[[gnu::always_inline]] inline __m512i firstSum(const BlockProduct& product, std::size_t row,
                                               int v) noexcept {
    const __m512i bias = _mm512_loadu_si512(product.bias + v * 16);
    if constexpr (kActivations == Activations::UNSIGNED_CORRECTED) {
        return _mm512_sub_epi32(bias, _mm512_set1_epi32(product.corrections[row]));
    }
    return bias;
}

/// Sums as they are in memory, for the rows of a tile.
template <int kRows, int kVectors>
struct StoredSums {
    alignas(64) std::int32_t values[kRows][kVectors * 16];
};

/// The sums that a tile begins with when the last bytes of a row are less than four: those bytes
/// are in them already. Never inlined: g++ keeps sums in registers only if the code that adds to
/// them is in a function once.
template <Activations kActivations, int kRows, int kVectors>
[[gnu::noinline]] void sumRests(const BlockProduct& product, std::size_t first,
                                StoredSums<kRows, kVectors>& sums) noexcept {
    const std::size_t whole = product.depth / 4;
    const std::int8_t* const weights = product.weights + whole * kVectors * 64;
    for (std::size_t r = 0; r < kRows; ++r) {
        const std::uint8_t* const rest = product.rows + (first + r) * product.rowStride + whole * 4;
        const __m512i x = broadcast<kActivations>(loadRest(rest, product.depth % 4));
        for (int v = 0; v < kVectors; ++v) {
            const __m512i sum = _mm512_dpbusd_epi32(firstSum<kActivations>(product, first + r, v),
                                                    x, _mm512_load_si512(weights + v * 64));
            std::int32_t* const to = sums.values[r] + v * 16;
            _mm512_store_si512(to, sum);
        }
    }
}

/// Rows `first` to first + kRows - 1. With kHasRests the depth is no multiple of 4.
template <Activations kActivations, int kRows, int kVectors, bool kHasRests>
void multiplyTile(const BlockProduct& product, std::size_t first) noexcept {
    __m512i sums[kRows][kVectors];
    if constexpr (kHasRests) {
        StoredSums<kRows, kVectors> stored;
        sumRests<kActivations>(product, first, stored);
        _Pragma("GCC unroll 16") for (int r = 0; r < kRows; ++r) {
            _Pragma("GCC unroll 16") for (int v = 0; v < kVectors; ++v) {
                const std::int32_t* const from = stored.values[r] + v * 16;
                sums[r][v] = _mm512_load_si512(from);
            }
        }
    } else {
        _Pragma("GCC unroll 16") for (int r = 0; r < kRows; ++r) {
            _Pragma("GCC unroll 16") for (int v = 0; v < kVectors; ++v) {
                sums[r][v] =
                    firstSum<kActivations>(product, first + static_cast<std::size_t>(r), v);
            }
        }
    }
    const std::size_t stride = product.rowStride;
    const std::uint8_t* row = product.rows + first * stride;
    const std::int8_t* weights = product.weights;
    for (std::size_t left = product.depth / 4; left != 0; --left) {
        __m512i columns[kVectors];
        _Pragma("GCC unroll 16") for (int v = 0; v < kVectors; ++v) {
            columns[v] = _mm512_load_si512(weights + v * 64);
        }
        _Pragma("GCC unroll 16") for (int r = 0; r < kRows; ++r) {
            const __m512i x =
                broadcast<kActivations>(loadFour(row + static_cast<std::size_t>(r) * stride));
            _Pragma("GCC unroll 16") for (int v = 0; v < kVectors; ++v) {
                sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], x, columns[v]);
            }
        }
        row += 4;
        weights += kVectors * 64;
    }
    keepInRegisters(sums);
    if (product.sums != nullptr) {
        _Pragma("GCC unroll 16") for (int r = 0; r < kRows; ++r) {
            std::int32_t* const to =
                product.sums + (first + static_cast<std::size_t>(r)) * kVectors * 16;
            _Pragma("GCC unroll 16") for (int v = 0; v < kVectors; ++v) {
                _mm512_storeu_si512(to + v * 16, sums[r][v]);
            }
        }
        return;
    }
    __m512 scales[kVectors];
    _Pragma("GCC unroll 16") for (int v = 0; v < kVectors; ++v) {
        scales[v] = _mm512_loadu_ps(product.scales + v * 16);
    }
    const Requantization to = product.requantization;
    _Pragma("GCC unroll 16") for (int r = 0; r < kRows; ++r) {
        std::uint8_t* output =
            product.output + (first + static_cast<std::size_t>(r)) * product.outputStride;
        _Pragma("GCC unroll 16") for (int v = 0; v < kVectors; ++v) {
            sums[r][v] = requantize(sums[r][v], scales[v], to);
        }
        if constexpr (kVectors == 4) {
            store64(sums[r], to, product.columns, output);
        } else {
            _Pragma("GCC unroll 16") for (int v = 0; v < kVectors; ++v) {
                store16(sums[r][v], to, product.columns - static_cast<std::size_t>(v) * 16,
                        output + v * 16);
            }
        }
    }
}

/// All rows. The last tile begins earlier where rows are left over: some are computed twice.
template <Activations kActivations, int kRows, int kVectors, bool kHasRests>
void multiplyRows(const BlockProduct& product) noexcept {
    const std::size_t count = product.rowCount;
    std::size_t row = 0;
    for (; row + kRows <= count; row += kRows) {
        multiplyTile<kActivations, kRows, kVectors, kHasRests>(product, row);
    }
    if (row == count) {
        return;
    }
    if (count > kRows) {
        return multiplyTile<kActivations, kRows, kVectors, kHasRests>(product, count - kRows);
    }
    for (; row + 4 <= count; row += 4) {
        multiplyTile<kActivations, 4, kVectors, kHasRests>(product, row);
    }
    for (; row + 2 <= count; row += 2) {
        multiplyTile<kActivations, 2, kVectors, kHasRests>(product, row);
    }
    if (row != count) {
        multiplyTile<kActivations, 1, kVectors, kHasRests>(product, row);
    }
}

template <Activations kActivations, bool kHasRests>
void multiplyColumns(const BlockProduct& product) noexcept {
    switch ((product.columns + kVectorColumns - 1) / kVectorColumns) {
        case 1:
            return multiplyRows<kActivations, 12, 1, kHasRests>(product);
        case 2:
            return multiplyRows<kActivations, 12, 2, kHasRests>(product);
        case 3:
            return multiplyRows<kActivations, 8, 3, kHasRests>(product);
        default:
            return multiplyRows<kActivations, 6, 4, kHasRests>(product);
    }
}

template <Activations kActivations>
void multiplyBlock(const BlockProduct& product) noexcept {
    return product.depth % 4 == 0 ? multiplyColumns<kActivations, false>(product)
                                  : multiplyColumns<kActivations, true>(product);
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

/// Eight 64-bit parts of the sum of a row's bytes.
[[gnu::always_inline]] inline __m512i sumParts(const std::uint8_t* row,
                                               std::size_t depth) noexcept {
    const __m512i zero = _mm512_setzero_si512();
    __m512i sum = zero;
    std::size_t k = 0;
    for (; k + 64 <= depth; k += 64) {
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(_mm512_loadu_si512(row + k), zero));
    }
    if (const std::size_t rest = depth - k; rest != 0) {
        const __m512i last = _mm512_maskz_loadu_epi8((__mmask64{1} << rest) - 1, row + k);
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(last, zero));
    }
    return sum;
}

void sumRows(const std::uint8_t* rows, std::size_t rowStride, std::size_t rowCount,
             std::size_t depth, std::int32_t factor, std::int32_t* sums) {
    std::size_t row = 0;
    // Parts are below 2^32: those of two rows lie in one word, those of four are added together.
    for (; row + 4 <= rowCount; row += 4, rows += 4 * rowStride) {
        const __m512i first = _mm512_add_epi64(
            sumParts(rows, depth), _mm512_slli_epi64(sumParts(rows + rowStride, depth), 32));
        const __m512i second =
            _mm512_add_epi64(sumParts(rows + 2 * rowStride, depth),
                             _mm512_slli_epi64(sumParts(rows + 3 * rowStride, depth), 32));
        const __m512i four = _mm512_add_epi32(_mm512_unpacklo_epi64(first, second),
                                              _mm512_unpackhi_epi64(first, second));
        const __m256i half =
            _mm256_add_epi32(_mm512_castsi512_si256(four), _mm512_extracti64x4_epi64(four, 1));
        const __m128i total =
            _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(sums + row),
                         _mm_mullo_epi32(total, _mm_set1_epi32(factor)));
    }
    for (; row < rowCount; ++row, rows += rowStride) {
        const auto total =
            static_cast<std::uint32_t>(_mm512_reduce_add_epi64(sumParts(rows, depth)));
        sums[row] = static_cast<std::int32_t>(total * static_cast<std::uint32_t>(factor));
    }
}

/// sum * fraction / 2^31 * 2^(leftShift - rightShift), as SumRow says, of 16 sums.
[[gnu::always_inline]] inline __m512i scaleSums(__m512i sums, __m512i fractions, __m512i leftShifts,
                                                __m512i rightShifts) noexcept {
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i largest = _mm512_set1_epi32(INT32_MAX);
    const __m512i smallest = _mm512_set1_epi32(INT32_MIN);
    const __mmask16 isOver = _mm512_cmpgt_epi32_mask(sums, _mm512_srav_epi32(largest, leftShifts));
    const __mmask16 isUnder =
        _mm512_cmplt_epi32_mask(sums, _mm512_srav_epi32(smallest, leftShifts));
    __m512i shifted = _mm512_mask_mov_epi32(_mm512_sllv_epi32(sums, leftShifts), isOver, largest);
    shifted = _mm512_mask_mov_epi32(shifted, isUnder, smallest);
    // Products of 64 bits, of the even and of the odd lanes; bits 31 to 62 of each are the result.
    const __m512i half = _mm512_set1_epi64(std::int64_t{1} << 30);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(shifted, fractions), half);
    const __m512i odd = _mm512_add_epi64(
        _mm512_mul_epi32(_mm512_srli_epi64(shifted, 32), _mm512_srli_epi64(fractions, 32)), half);
    const __m512i product =
        _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 31), _mm512_slli_epi64(odd, 1));
    const __m512i restBits = _mm512_sub_epi32(_mm512_sllv_epi32(one, rightShifts), one);
    const __m512i rest = _mm512_and_si512(product, restBits);
    // A rest of a half is rounded away from zero.
    const __m512i mostOfHalf =
        _mm512_add_epi32(_mm512_srli_epi32(restBits, 1), _mm512_srli_epi32(product, 31));
    const __m512i steps = _mm512_srav_epi32(product, rightShifts);
    return _mm512_mask_add_epi32(steps, _mm512_cmpgt_epi32_mask(rest, mostOfHalf), steps, one);
}

void requantizeSums(const SumRow& given) {
    const SumRow row = given;  // a copy: outputs are bytes, which could be those of `given`
    const __m512i minimum = _mm512_set1_epi32(row.minimum - row.zeroPoint);
    const __m512i maximum = _mm512_set1_epi32(row.maximum - row.zeroPoint);
    const __m512i zeroPoint = _mm512_set1_epi32(row.zeroPoint);
    for (std::size_t i = 0; i < row.count; i += 16) {
        const std::size_t count = row.count - i;
        const auto mask = static_cast<__mmask16>(count >= 16 ? 0xffffU : (1U << count) - 1);
        const __m512i steps = scaleSums(_mm512_maskz_loadu_epi32(mask, row.sums + i),
                                        _mm512_maskz_loadu_epi32(mask, row.fractions + i),
                                        _mm512_maskz_loadu_epi32(mask, row.leftShifts + i),
                                        _mm512_maskz_loadu_epi32(mask, row.rightShifts + i));
        const __m512i clamped = _mm512_min_epi32(_mm512_max_epi32(steps, minimum), maximum);
        _mm512_mask_cvtepi32_storeu_epi8(row.output + i, mask,
                                         _mm512_add_epi32(clamped, zeroPoint));
    }
}

constexpr std::size_t kDepthwiseLanes = 32;

template <bool kSigned>
[[gnu::always_inline]] inline __m512i loadWords(const std::uint8_t* bytes) noexcept {
    const __m256i loaded = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    return kSigned ? _mm512_cvtepi8_epi16(loaded) : _mm512_cvtepu8_epi16(loaded);
}

/// With kPairs not 0 their number is known, and weights stay in registers.
template <bool kSigned, int kPairs>
void convolveDepthwiseRow(const DepthwiseRow& row) noexcept {
    constexpr int kHeld = kPairs == 0 ? 1 : kPairs;
    const std::size_t pairs = kPairs == 0 ? row.tapPairs : static_cast<std::size_t>(kPairs);
    __m512i held[kHeld][2];
    if constexpr (kPairs != 0) {
        _Pragma("GCC unroll 16") for (int p = 0; p < kPairs; ++p) {
            held[p][0] = _mm512_load_si512(row.weights + p * 64);
            held[p][1] = _mm512_load_si512(row.weights + p * 64 + 32);
        }
    }
    const __m512i lowBias = _mm512_loadu_si512(row.bias);
    const __m512i highBias = _mm512_loadu_si512(row.bias + 16);
    const __m512 lowScale = _mm512_loadu_ps(row.scales);
    const __m512 highScale = _mm512_loadu_ps(row.scales + 16);
    const Requantization to = row.requantization;
    const __m512i zeroPoint = _mm512_set1_epi16(static_cast<short>(to.zeroPoint));
    std::uint8_t* output = row.output;
    std::size_t offset = 0;
    for (std::size_t step = 0; step < row.steps; ++step) {
        __m512i low = lowBias;
        __m512i high = highBias;
        const auto add = [&](std::size_t pair, __m512i lowWeights, __m512i highWeights)
            __attribute__((always_inline)) {
            const __m512i first = loadWords<kSigned>(row.taps[2 * pair] + offset);
            const __m512i second = loadWords<kSigned>(row.taps[2 * pair + 1] + offset);
            low = _mm512_dpwssd_epi32(low, _mm512_unpacklo_epi16(first, second), lowWeights);
            high = _mm512_dpwssd_epi32(high, _mm512_unpackhi_epi16(first, second), highWeights);
        };
        if constexpr (kPairs != 0) {
            _Pragma("GCC unroll 16") for (int p = 0; p < kPairs; ++p) {
                add(static_cast<std::size_t>(p), held[p][0], held[p][1]);
            }
        } else {
            for (std::size_t p = 0; p < pairs; ++p) {
                add(p, _mm512_load_si512(row.weights + p * 64),
                    _mm512_load_si512(row.weights + p * 64 + 32));
            }
        }
        low = requantize(low, lowScale, to);
        high = requantize(high, highScale, to);
        // Packing restores the order of the elements.
        const __m512i moved = _mm512_add_epi16(_mm512_packs_epi32(low, high), zeroPoint);
        const std::size_t count = step + 1 == row.steps ? row.lastElements : row.elements;
        const auto mask =
            count >= kDepthwiseLanes ? ~__mmask32{0} : static_cast<__mmask32>((1U << count) - 1);
        _mm256_mask_storeu_epi8(output, mask, _mm512_cvtepi16_epi8(moved));
        offset += row.stride;
        output += row.stride;
    }
}

void convolveDepthwise(const DepthwiseRow& row) {
    constexpr int kPairsOf3x3 = 5;
    if (row.tapPairs == kPairsOf3x3) {
        return row.isSigned ? convolveDepthwiseRow<true, kPairsOf3x3>(row)
                            : convolveDepthwiseRow<false, kPairsOf3x3>(row);
    }
    return row.isSigned ? convolveDepthwiseRow<true, 0>(row) : convolveDepthwiseRow<false, 0>(row);
}

/// A table of 256 bytes is 16 of 16 bytes: the higher half of an index says in which it is.
void lookUp(const std::uint8_t* table, const std::uint8_t* input, std::size_t count,
            std::uint8_t* output) {
    __m512i tables[16];
    for (int i = 0; i < 16; ++i) {
        tables[i] = _mm512_broadcast_i32x4(
            _mm_load_si128(reinterpret_cast<const __m128i*>(table + 16 * i)));
    }
    for (std::size_t i = 0; i < count; i += 64) {
        const __mmask64 mask = count - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (count - i)) - 1;
        const __m512i indexes = _mm512_maskz_loadu_epi8(mask, input + i);
        const __m512i high = _mm512_and_si512(indexes, _mm512_set1_epi8(static_cast<char>(0xf0)));
        const __m512i low = _mm512_and_si512(indexes, _mm512_set1_epi8(0x0f));
        // Four chains of instructions that do not wait for each other.
        __m512i found[4] = {};
        for (int part = 0; part < 16; ++part) {
            const __mmask64 isHere =
                _mm512_cmpeq_epi8_mask(high, _mm512_set1_epi8(static_cast<char>(16 * part)));
            found[part % 4] = _mm512_mask_shuffle_epi8(found[part % 4], isHere, tables[part], low);
        }
        const __m512i all = _mm512_or_si512(_mm512_or_si512(found[0], found[1]),
                                            _mm512_or_si512(found[2], found[3]));
        _mm512_mask_storeu_epi8(output + i, mask, all);
    }
}

}  // namespace

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)

extern const Microkernels kAvx512Vnni;
const Microkernels kAvx512Vnni{.name = "AVX512-VNNI",
                               .vectorColumns = kVectorColumns,
                               .blockColumns = kBlockColumns,
                               .tileRows = 12,
                               .multipliesSigned = false,
                               .depthwiseLanes = kDepthwiseLanes,
                               .multiply = multiply,
                               .sumRows = sumRows,
                               .requantizeSums = requantizeSums,
                               .convolveDepthwise = convolveDepthwise,
                               .meanOfPixels = meanOfPixels,
                               .lookUp = lookUp};

}  // namespace nnburst::exec::dot8
