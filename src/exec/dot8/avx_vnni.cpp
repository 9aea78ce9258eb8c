// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The micro-kernels of processors with AVX-VNNI (and AVX2) but without AVX-512.

#include <immintrin.h>

#include <cstring>

#include "exec/dot8/mean_of_pixels.h"
#include "exec/dot8/microkernel.h"
#include "exec/dot8/row_bytes.h"

namespace nnburst::exec::dot8 {

// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): offsets of a few vectors

namespace {

constexpr std::size_t kVectorColumns = 8;
constexpr std::size_t kBlockColumns = 16;

/// Four bytes of a row in every lane.
template <Activations kActivations>
[[gnu::always_inline]] inline __m256i broadcast(std::uint32_t four) noexcept {
    if constexpr (kActivations == Activations::SIGNED) {
        four ^= 0x80808080U;
    }
    return _mm256_set1_epi32(static_cast<int>(four));
}

/// The outputs before their zero point is added.
[[gnu::always_inline]] inline __m256i requantize(__m256i sum, __m256 scale,
                                                 const Requantization& to) noexcept {
    const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale);
    const __m256 least = _mm256_max_ps(scaled, _mm256_set1_ps(to.minimum));
    return _mm256_cvtps_epi32(_mm256_min_ps(least, _mm256_set1_ps(to.maximum)));
}

/// Writes the first `count` of 16 elements.
[[gnu::always_inline]] inline void storePacked(__m128i elements, std::size_t count,
                                               std::uint8_t* output) noexcept {
    constexpr std::size_t kElements = 16;
    if (count >= kElements) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(output), elements);
        return;
    }
    alignas(16) std::uint8_t stored[kElements];
    _mm_store_si128(reinterpret_cast<__m128i*>(stored), elements);
    std::memcpy(output, stored, count);
}

/// Writes the first `columns` of 16 elements.
[[gnu::always_inline]] inline void store(__m256i first, __m256i second, const Requantization& to,
                                         std::size_t columns, std::uint8_t* output) noexcept {
    const __m256i zeroPoint = _mm256_set1_epi16(static_cast<short>(to.zeroPoint));
    // Packing works within each 128 bits.
    const __m256i ordered =
        _mm256_permute4x64_epi64(_mm256_packs_epi32(first, second), _MM_SHUFFLE(3, 1, 2, 0));
    const __m256i moved =
        _mm256_and_si256(_mm256_add_epi16(ordered, zeroPoint), _mm256_set1_epi16(0xff));
    storePacked(_mm_packus_epi16(_mm256_castsi256_si128(moved), _mm256_extracti128_si256(moved, 1)),
                columns, output);
}

/// Makes g++ keep sums in registers throughout the loop before this call: otherwise it stores them
/// in each iteration.
template <int kRows, int kVectors>
[[gnu::always_inline]] inline void keepInRegisters(__m256i (&sums)[kRows][kVectors]) noexcept {
    _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
        _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
            __asm__("" : "+x"(sums[r][v]));
        }
    }
}

/// The bias of vector `v`, less the correction of `row`.
template <Activations kActivations>
[[gnu::always_inline]] inline __m256i firstSum(const BlockProduct& product, std::size_t row,
                                               int v) noexcept {
    const __m256i bias = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(product.bias + v * 8));
    if constexpr (kActivations == Activations::UNSIGNED_CORRECTED) {
        return _mm256_sub_epi32(bias, _mm256_set1_epi32(product.corrections[row]));
    }
    return bias;
}

/// Sums as they are in memory, for the rows of a tile.
template <int kRows, int kVectors>
struct StoredSums {
    alignas(32) std::int32_t values[kRows][kVectors * 8];
};

/// The sums that a tile begins with when the last bytes of a row are less than four: those bytes
/// are in them already. Never inlined: g++ keeps sums in registers only if the code that adds to
/// them is in a function once.
template <Activations kActivations, int kRows, int kVectors>
[[gnu::noinline]] void sumRests(const BlockProduct& product, std::size_t first,
                                StoredSums<kRows, kVectors>& sums) noexcept {
    const std::size_t whole = product.depth / 4;
    const std::int8_t* const weights = product.weights + whole * kVectors * 32;
    for (std::size_t r = 0; r < kRows; ++r) {
        const std::uint8_t* const rest = product.rows + (first + r) * product.rowStride + whole * 4;
        const __m256i x = broadcast<kActivations>(loadRest(rest, product.depth % 4));
        for (int v = 0; v < kVectors; ++v) {
            const __m256i sum = _mm256_dpbusd_avx_epi32(
                firstSum<kActivations>(product, first + r, v), x,
                _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + v * 32)));
            std::int32_t* const to = sums.values[r] + v * 8;
            _mm256_store_si256(reinterpret_cast<__m256i*>(to), sum);
        }
    }
}

/// Rows `first` to first + kRows - 1. With kHasRests the depth is no multiple of 4.
template <Activations kActivations, int kRows, int kVectors, bool kHasRests>
void multiplyTile(const BlockProduct& product, std::size_t first) noexcept {
    __m256i sums[kRows][2];
    if constexpr (kHasRests) {
        StoredSums<kRows, kVectors> stored;
        sumRests<kActivations>(product, first, stored);
        _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
            _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
                const std::int32_t* const from = stored.values[r] + v * 8;
                sums[r][v] = _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
            }
        }
    } else {
        _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
            _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
                sums[r][v] =
                    firstSum<kActivations>(product, first + static_cast<std::size_t>(r), v);
            }
        }
    }
    if constexpr (kVectors == 1) {
        for (int r = 0; r < kRows; ++r) {
            sums[r][1] = _mm256_setzero_si256();
        }
    }
    const std::size_t stride = product.rowStride;
    const std::uint8_t* row = product.rows + first * stride;
    const std::int8_t* weights = product.weights;
    for (std::size_t left = product.depth / 4; left != 0; --left) {
        __m256i columns[kVectors];
        _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
            columns[v] = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + v * 32));
        }
        _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
            const __m256i x =
                broadcast<kActivations>(loadFour(row + static_cast<std::size_t>(r) * stride));
            _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
                sums[r][v] = _mm256_dpbusd_avx_epi32(sums[r][v], x, columns[v]);
            }
        }
        row += 4;
        weights += kVectors * 32;
    }
    keepInRegisters(sums);
    if (product.sums != nullptr) {
        _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
            std::int32_t* const to =
                product.sums + (first + static_cast<std::size_t>(r)) * kVectors * 8;
            _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + v * 8), sums[r][v]);
            }
        }
        return;
    }
    const Requantization to = product.requantization;
    _Pragma("GCC unroll 8") for (int r = 0; r < kRows; ++r) {
        _Pragma("GCC unroll 8") for (int v = 0; v < kVectors; ++v) {
            sums[r][v] = requantize(sums[r][v], _mm256_loadu_ps(product.scales + v * 8), to);
        }
        store(sums[r][0], sums[r][1], to, product.columns,
              product.output + (first + static_cast<std::size_t>(r)) * product.outputStride);
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
    for (; row + 2 <= count; row += 2) {
        multiplyTile<kActivations, 2, kVectors, kHasRests>(product, row);
    }
    if (row != count) {
        multiplyTile<kActivations, 1, kVectors, kHasRests>(product, row);
    }
}

template <Activations kActivations, bool kHasRests>
void multiplyColumns(const BlockProduct& product) noexcept {
    if (product.columns <= kVectorColumns) {
        return multiplyRows<kActivations, 6, 1, kHasRests>(product);
    }
    return multiplyRows<kActivations, 6, 2, kHasRests>(product);
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

void sumRows(const std::uint8_t* rows, std::size_t rowStride, std::size_t rowCount,
             std::size_t depth, std::int32_t factor, std::int32_t* sums) {
    const __m256i zero = _mm256_setzero_si256();
    for (std::size_t row = 0; row < rowCount; ++row, rows += rowStride) {
        __m256i sum = zero;
        std::size_t k = 0;
        for (; k + 32 <= depth; k += 32) {
            const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows + k));
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, zero));
        }
        alignas(32) std::uint64_t parts[4];
        _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sum);
        std::uint64_t total = parts[0] + parts[1] + parts[2] + parts[3];
        for (; k < depth; ++k) {
            total += rows[k];
        }
        sums[row] = static_cast<std::int32_t>(static_cast<std::uint32_t>(total) *
                                              static_cast<std::uint32_t>(factor));
    }
}

/// sum * fraction / 2^31 * 2^(leftShift - rightShift), as SumRow says, of 8 sums.
[[gnu::always_inline]] inline __m256i scaleSums(__m256i sums, __m256i fractions, __m256i leftShifts,
                                                __m256i rightShifts) noexcept {
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i largest = _mm256_set1_epi32(INT32_MAX);
    const __m256i smallest = _mm256_set1_epi32(INT32_MIN);
    const __m256i isOver = _mm256_cmpgt_epi32(sums, _mm256_srav_epi32(largest, leftShifts));
    const __m256i isUnder = _mm256_cmpgt_epi32(_mm256_srav_epi32(smallest, leftShifts), sums);
    __m256i shifted = _mm256_blendv_epi8(_mm256_sllv_epi32(sums, leftShifts), largest, isOver);
    shifted = _mm256_blendv_epi8(shifted, smallest, isUnder);
    // Products of 64 bits, of the even and of the odd lanes; bits 31 to 62 of each are the result.
    const __m256i half = _mm256_set1_epi64x(std::int64_t{1} << 30);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(shifted, fractions), half);
    const __m256i odd = _mm256_add_epi64(
        _mm256_mul_epi32(_mm256_srli_epi64(shifted, 32), _mm256_srli_epi64(fractions, 32)), half);
    const __m256i product =
        _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
    const __m256i restBits = _mm256_sub_epi32(_mm256_sllv_epi32(one, rightShifts), one);
    const __m256i rest = _mm256_and_si256(product, restBits);
    // A rest of a half is rounded away from zero.
    const __m256i mostOfHalf =
        _mm256_add_epi32(_mm256_srli_epi32(restBits, 1), _mm256_srli_epi32(product, 31));
    return _mm256_sub_epi32(_mm256_srav_epi32(product, rightShifts),
                            _mm256_cmpgt_epi32(rest, mostOfHalf));
}

void requantizeSums(const SumRow& given) {
    constexpr std::size_t kLanes = 8;
    const SumRow row = given;  // a copy: outputs are bytes, which could be those of `given`
    const __m256i minimum = _mm256_set1_epi32(row.minimum - row.zeroPoint);
    const __m256i maximum = _mm256_set1_epi32(row.maximum - row.zeroPoint);
    const __m256i zeroPoint = _mm256_set1_epi32(row.zeroPoint);
    for (std::size_t i = 0; i < row.count; i += kLanes) {
        const std::size_t count = row.count - i < kLanes ? row.count - i : kLanes;
        const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                                                _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        const auto load = [&](const std::int32_t* from) __attribute__((always_inline)) {
            return _mm256_maskload_epi32(from + i, mask);
        };
        const __m256i steps = scaleSums(load(row.sums), load(row.fractions), load(row.leftShifts),
                                        load(row.rightShifts));
        const __m256i clamped = _mm256_min_epi32(_mm256_max_epi32(steps, minimum), maximum);
        const __m256i bytes =
            _mm256_and_si256(_mm256_add_epi32(clamped, zeroPoint), _mm256_set1_epi32(0xff));
        const __m128i words =
            _mm_packus_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
        storePacked(_mm_packus_epi16(words, words), count, row.output + i);
    }
}

constexpr std::size_t kDepthwiseLanes = 16;

template <bool kSigned>
[[gnu::always_inline]] inline __m256i loadWords(const std::uint8_t* bytes) noexcept {
    const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    return kSigned ? _mm256_cvtepi8_epi16(loaded) : _mm256_cvtepu8_epi16(loaded);
}

[[gnu::always_inline]] inline __m256i loadWeights(const std::int16_t* weights) noexcept {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(weights));
}

template <bool kSigned>
void convolveDepthwiseRow(const DepthwiseRow& row) noexcept {
    const __m256i lowBias = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row.bias));
    const __m256i highBias = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row.bias + 8));
    const __m256 lowScale = _mm256_loadu_ps(row.scales);
    const __m256 highScale = _mm256_loadu_ps(row.scales + 8);
    const Requantization to = row.requantization;
    std::uint8_t* output = row.output;
    std::size_t offset = 0;
    for (std::size_t step = 0; step < row.steps; ++step) {
        __m256i low = lowBias;
        __m256i high = highBias;
        const std::int16_t* weights = row.weights;
        for (std::size_t p = 0; p < row.tapPairs; ++p, weights += 32) {
            const __m256i first = loadWords<kSigned>(row.taps[2 * p] + offset);
            const __m256i second = loadWords<kSigned>(row.taps[2 * p + 1] + offset);
            low = _mm256_dpwssd_avx_epi32(low, _mm256_unpacklo_epi16(first, second),
                                          loadWeights(weights));
            high = _mm256_dpwssd_avx_epi32(high, _mm256_unpackhi_epi16(first, second),
                                           loadWeights(weights + 16));
        }
        low = requantize(low, lowScale, to);
        high = requantize(high, highScale, to);
        // Packing restores the order of the elements.
        const __m256i moved =
            _mm256_and_si256(_mm256_add_epi16(_mm256_packs_epi32(low, high),
                                              _mm256_set1_epi16(static_cast<short>(to.zeroPoint))),
                             _mm256_set1_epi16(0xff));
        storePacked(
            _mm_packus_epi16(_mm256_castsi256_si128(moved), _mm256_extracti128_si256(moved, 1)),
            step + 1 == row.steps ? row.lastElements : row.elements, output);
        offset += row.stride;
        output += row.stride;
    }
}

void convolveDepthwise(const DepthwiseRow& row) {
    return row.isSigned ? convolveDepthwiseRow<true>(row) : convolveDepthwiseRow<false>(row);
}

/// A table of 256 bytes is 16 of 16 bytes: the higher half of an index says in which it is.
void lookUp(const std::uint8_t* table, const std::uint8_t* input, std::size_t count,
            std::uint8_t* output) {
    const auto lookUp32 = [table](__m256i indexes) {
        const __m256i low = _mm256_and_si256(indexes, _mm256_set1_epi8(0x0f));
        const __m256i high = _mm256_andnot_si256(_mm256_set1_epi8(0x0f), indexes);
        __m256i found = _mm256_setzero_si256();
        for (int part = 0; part < 16; ++part) {
            const __m256i sixteen = _mm256_broadcastsi128_si256(
                _mm_load_si128(reinterpret_cast<const __m128i*>(table + 16 * part)));
            const __m256i isHere =
                _mm256_cmpeq_epi8(high, _mm256_set1_epi8(static_cast<char>(16 * part)));
            found =
                _mm256_or_si256(found, _mm256_and_si256(isHere, _mm256_shuffle_epi8(sixteen, low)));
        }
        return found;
    };
    std::size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        const __m256i indexes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(input + i));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(output + i), lookUp32(indexes));
    }
    for (; i < count; ++i) {
        output[i] = table[input[i]];
    }
}

}  // namespace

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)

extern const Microkernels kAvxVnni;
const Microkernels kAvxVnni{.name = "AVX-VNNI",
                            .vectorColumns = kVectorColumns,
                            .blockColumns = kBlockColumns,
                            .tileRows = 6,
                            .multipliesSigned = false,
                            .depthwiseLanes = kDepthwiseLanes,
                            .multiply = multiply,
                            .sumRows = sumRows,
                            .requantizeSums = requantizeSums,
                            .convolveDepthwise = convolveDepthwise,
                            .meanOfPixels = meanOfPixels,
                            .lookUp = lookUp};

}  // namespace nnburst::exec::dot8
