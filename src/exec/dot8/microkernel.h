// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What one instruction set does: multiplies rows of activations with packed weights. Each set is
/// one source file, compiled with flags of its own; packing, blocking and threads are common to
/// all. So this header has plain structs only: an inline function or a template of a header, when
/// compiled for a processor that has the instructions, could be linked into code for every
/// processor.

#include <cstddef>
#include <cstdint>

namespace nnburst::exec::dot8 {

/// What the bytes of activations are. An instruction multiplies either unsigned or signed bytes of
/// activations (Microkernels::multipliesSigned): the others get 128 added or subtracted.
enum class Activations : std::uint8_t {
    UNSIGNED,
    UNSIGNED_CORRECTED,  ///< unsigned, and each row's sum gets a correction (BlockProduct)
    SIGNED,
};

/// From a 32-bit sum to an element of the output: multiplied by a scale in single precision,
/// clamped, rounded to the nearest (ties to even), moved to the zero point. The same bits as
/// XNNPACK's.
struct Requantization {
    float minimum;  ///< of the output, less its zero point; as `maximum` a whole number
    float maximum;
    std::int32_t zeroPoint;
};

/// Products of rows with one block of columns, the outputs.
///
///     sum[row, column] = bias[column] - correction[row]
///                        + sum over k < depth of row[k] * weights[k, column]
///
/// Here row[k] is what the instruction multiplies (Activations). Sums wrap around. Of a row, bytes
/// 0 to depth - 1 are read. Of an output row, `columns` bytes are written, some of them more than
/// once.
struct BlockProduct {
    const std::uint8_t* rows;
    std::size_t rowStride;
    std::size_t rowCount;
    std::size_t depth;
    const std::int32_t* corrections;  ///< one for each row; read with UNSIGNED_CORRECTED only
    /// [depth / 4 rounded up][columns rounded up to vectorColumns][4], aligned to a cache line,
    /// with zeros where there is no weight.
    const std::int8_t* weights;
    const std::int32_t* bias;  ///< one for each column, as `scales`
    const float* scales;
    std::size_t columns;  ///< 1 to blockColumns
    std::uint8_t* output;
    std::size_t outputStride;
    Requantization requantization;
    Activations activations;
    /// If not null, sums are written here and no outputs: rows one after the other, each with
    /// `columns` rounded up to vectorColumns.
    std::int32_t* sums;
};

/// Outputs of sums with the rounding of the reference kernels (QuantizedMultiplier), which is that
/// of gemmlowp.
///
///     output[i] = zeroPoint + sums[i] * fractions[i] / 2^31 * 2^(leftShifts[i] - rightShifts[i])
///
/// The shift to the left saturates, the product is rounded to the nearest with ties upwards, the
/// shift to the right with ties away from zero.
struct SumRow {
    const std::int32_t* sums;
    std::size_t count;
    const std::int32_t* fractions;    ///< at least 0
    const std::int32_t* leftShifts;   ///< 0 to 31
    const std::int32_t* rightShifts;  ///< 0 to 31
    std::int32_t minimum;             ///< of the output
    std::int32_t maximum;
    std::int32_t zeroPoint;
    std::uint8_t* output;
};

/// A row of the output of a depthwise convolution, in steps of `elements` outputs that have weights
/// of their own: channels of one pixel, or all channels of several pixels.
///
///     sum[step, i] = bias[i] + sum over t < 2 * tapPairs of taps[t][step * stride + i] *
///     weights[t, i]
///
/// Sums wrap around. For each tap and step, depthwiseLanes bytes are read. The last step writes
/// `lastElements` bytes, each other one `elements`.
struct DepthwiseRow {
    const std::uint8_t* const* taps;
    std::size_t tapPairs;
    std::size_t stride;  ///< from a step to the next, of inputs and of outputs
    std::size_t steps;
    std::size_t elements;  ///< 1 to depthwiseLanes
    std::size_t lastElements;
    /// [tapPairs][depthwiseLanes][2], in the order of depthwisePosition, aligned to a cache line,
    /// with zeros where there is no weight.
    const std::int16_t* weights;
    const std::int32_t* bias;  ///< in the order of depthwisePosition, as `scales`
    const float* scales;
    std::uint8_t* output;
    Requantization requantization;
    bool isSigned;  ///< bytes of activations are signed
};

/// The mean of some pixels, channel by channel, rounded to the nearest integer, ties away from 0,
/// and clamped: quotient(n) = (n + taps / 2) / taps for n >= 0, else the same of -n, negative.
struct PixelMean {
    static constexpr std::size_t kMaximumTaps = 2048;  ///< for which the multiplier is exact

    const std::uint8_t* pixels;
    std::size_t rowStride;
    std::size_t pixelStride;
    std::size_t rows;
    std::size_t columns;
    std::size_t channels;
    std::uint32_t multiplier;  ///< 2^31 / taps, rounded up; taps = rows * columns, 1 or more
    std::int32_t minimum;
    std::int32_t maximum;
    std::uint8_t* output;
    bool isSigned;  ///< bytes are signed
};

/// The functions of one instruction set.
struct Microkernels {
    const char* name;
    std::size_t vectorColumns;  ///< columns that one register holds
    std::size_t blockColumns;   ///< a multiple of it
    std::size_t tileRows;   ///< rows that are multiplied together: their number is best a multiple
    bool multipliesSigned;  ///< activations as signed bytes; else as unsigned ones

    std::size_t depthwiseLanes;  ///< a multiple of 8

    void (*multiply)(const BlockProduct& product);
    /// sums[row] = factor * (the sum of the row's bytes 0 to depth - 1, unsigned ones, as
    /// `multiply` multiplies them)
    void (*sumRows)(const std::uint8_t* rows, std::size_t rowStride, std::size_t rowCount,
                    std::size_t depth, std::int32_t factor, std::int32_t* sums);
    void (*requantizeSums)(const SumRow& row);
    void (*convolveDepthwise)(const DepthwiseRow& row);
    void (*meanOfPixels)(const PixelMean& mean);
    /// output[i] = table[input[i]], for i < count; the table has 256 bytes, aligned to 64.
    void (*lookUp)(const std::uint8_t* table, const std::uint8_t* input, std::size_t count,
                   std::uint8_t* output);
};

/// Those that this build has.
extern const Microkernels kAvx512Vnni;
extern const Microkernels kAvxVnni;
extern const Microkernels kNeonDot;

}  // namespace nnburst::exec::dot8
