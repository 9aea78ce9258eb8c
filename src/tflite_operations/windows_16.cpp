// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations on TENSOR_QUANT16_SYMM that look at several elements for one of the output, with the
/// arithmetic of TFLite's kernels: poolings and softmax.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "tflite_operations/elements.h"
#include "tflite_operations/fixed_point.h"
#include "tflite_operations/windows.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

// ---- AVERAGE_POOL_2D_16, MAX_POOL_2D_16: image, INT32 padding (1: SAME, 2: VALID), strides along
// width and height, width and height of a window, activation (a code of the HAL). Input and output
// have one scale.

constexpr std::size_t kPoolActivation = 1 + kWindowScalars;

Result<> checkPool(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2 + kWindowScalars, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_QUANT16_SYMM}));
    NNBURST_TRY(checkWindowScalars(inputs, 1));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfPool(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(const WindowSizes windows, windowSizes(inputs.subspan(1, kWindowScalars)));
    NNBURST_TRY(checkActivation(inputs[kPoolActivation]));
    return pooledShape(inputs[0], windows);
}

/// The part of the axis that a window covers.
struct Covered {
    std::int64_t begin;
    std::int64_t end;
};

Covered coveredBy(std::int64_t place, std::int64_t stride, std::int64_t window, std::int64_t before,
                  std::int64_t size) {
    const std::int64_t begin = place * stride - before;
    return {.begin = std::max<std::int64_t>(begin, 0), .end = std::min(begin + window, size)};
}

/// `start`, then `combine(sum, element)` for each element, then `finish(sum, count)`.
template <class Combine, class Finish>
Result<> poolWindows(const RunContext& run, std::int64_t start, Combine combine, Finish finish) {
    NNBURST_TRY_ASSIGN(const WindowSizes windows,
                       windowSizes(run.inputs.subspan(1, kWindowScalars)));
    const Sizes in = run.inputs[0].dimensions;
    const Sizes out = run.outputs[0].dimensions;
    const Range16 range = rangeOf(run.inputs[kPoolActivation], run.outputs[0]);
    const bool isSame = windows.padding == 1;
    const std::int64_t top =
        isSame ? paddingBefore(out[1], in[1], windows.strideHeight, windows.height) : 0;
    const std::int64_t left =
        isSame ? paddingBefore(out[2], in[2], windows.strideWidth, windows.width) : 0;
    const std::size_t channels = in[3];
    std::int16_t* result = run.output<std::int16_t>();
    PartCounter parts(run);
    for (std::size_t pixel = 0; pixel < countOf(out.first(3)); ++pixel) {
        const std::size_t batch = pixel / (std::size_t{out[1]} * out[2]);
        const Covered rows = coveredBy(static_cast<std::int64_t>(pixel / out[2] % out[1]),
                                       windows.strideHeight, windows.height, top, in[1]);
        const Covered columns = coveredBy(static_cast<std::int64_t>(pixel % out[2]),
                                          windows.strideWidth, windows.width, left, in[2]);
        const std::int16_t* image = run.input<std::int16_t>(0) + batch * countOf(in.subspan(1));
        const std::int64_t count = (rows.end - rows.begin) * (columns.end - columns.begin);
        for (std::size_t channel = 0; channel < channels; ++channel) {
            std::int64_t sum = start;
            for (std::int64_t y = rows.begin; y < rows.end; ++y) {
                for (std::int64_t x = columns.begin; x < columns.end; ++x) {
                    const std::int64_t place = (y * in[2] + x) * in[3];
                    sum = combine(sum, image[static_cast<std::size_t>(place) + channel]);
                }
                if (parts.isOverAfter(static_cast<std::size_t>(columns.end - columns.begin))) {
                    return {};
                }
            }
            *result++ = range.clamp(static_cast<std::int32_t>(finish(sum, count)));
        }
    }
    return {};
}

Result<> runAveragePool(const RunContext& run) {
    return poolWindows(
        run, 0, [](std::int64_t sum, std::int16_t x) { return sum + x; },
        [](std::int64_t sum, std::int64_t count) {
            return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
        });
}

Result<> runMaxPool(const RunContext& run) {
    return poolWindows(
        run, INT16_MIN,
        [](std::int64_t most, std::int16_t x) { return std::max<std::int64_t>(most, x); },
        [](std::int64_t most, std::int64_t /*count*/) { return most; });
}

// ---- SOFTMAX_16: along the last axis; the tensor, FLOAT32 beta; the output has scale 2^-15.

Result<> checkSoftmax(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_QUANT16_SYMM}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (beta)", {FLOAT32}));
    NNBURST_TRY(checkType(outputs[0], "output 0", {TENSOR_QUANT16_SYMM}));
    if (outputs[0].scale != 0x1p-15F) {
        return invalid("output with scale {}; must be 2^-15", outputs[0].scale);
    }
    return {};
}

Result<Dimensions> shapeOfSoftmax(Operands inputs, std::size_t /*output*/) {
    if (inputs[0].dimensions.empty()) {
        return invalid("input 0 without dimensions; must have at least 1");
    }
    return dimensionsOf(inputs[0]);
}

/// A function in 512 steps, 2^15 times its values, between which TFLite interpolates. The entries
/// are moved by half of the error that interpolation has in the middle between two of them.
class Interpolation {
  public:
    template <class Function>
    Interpolation(double from, double to, Function function) {
        const double step = (to - from) / kSteps;
        const auto value = [&](double x) { return function(x) * 0x1p15; };
        for (std::size_t i = 0; i < kSteps; ++i) {
            const double x = from + static_cast<double>(i) * step;
            const double begin = std::round(value(x));
            const double line = std::round((value(x + step) + begin) / 2.0);
            const double error = std::round((line - std::round(value(x + step / 2.0))) / 2.0);
            entries_[i] = entry(begin - error);
        }
        entries_[kSteps] = entry(std::round(value(to)));
    }

    /// The value at `place`, from -2^15 at the begin to 2^15 - 1 at the end.
    [[nodiscard]] std::int32_t at(std::int64_t place) const noexcept {
        const auto inside =
            static_cast<std::int32_t>(std::clamp<std::int64_t>(place, INT16_MIN, INT16_MAX));
        const std::int32_t step = 256 + (inside >> 7);
        const auto index = static_cast<std::size_t>(step);
        const std::int32_t slope = entries_[index + 1] - entries_[index];
        return entries_[index] + ((slope * (inside & 0x7F) + 64) >> 7);
    }

  private:
    static constexpr std::size_t kSteps = 512;
    static std::int16_t entry(double value) {
        return static_cast<std::int16_t>(std::clamp(value, -32768.0, 32767.0));
    }
    std::array<std::int16_t, kSteps + 1> entries_{};
};

/// exp(x) from -10 to 0.
const Interpolation& exponential() {
    static const Interpolation table(-10.0, 0.0, [](double x) { return std::exp(x); });
    return table;
}

/// 1 / (1 + x) from 0 to 1.
const Interpolation& reciprocal() {
    static const Interpolation table(0.0, 1.0, [](double x) { return 1.0 / (1.0 + x); });
    return table;
}

/// One row of `count` elements. True if it ended early, as the run is over.
bool softmaxRow(const RunContext& run, const std::int16_t* in, std::int16_t* out, std::size_t count,
                Multiplier factor) {
    std::int16_t largest = INT16_MIN;
    const auto findLargest = [&](std::size_t i) { largest = std::max(largest, in[i]); };
    if (forEachElement(run, count, findLargest)) {
        return true;
    }
    std::uint32_t sum = 0;
    const auto addPower = [&](std::size_t i) {
        // Elements may change meanwhile: none becomes larger than the largest.
        const std::int32_t below = std::min(std::int32_t{readOnce(in + i)} - largest, 0);
        const std::int32_t power =
            exponential().at(std::int64_t{multiply(below, factor)} + INT16_MAX);
        out[i] = static_cast<std::int16_t>(power);
        sum += static_cast<std::uint32_t>(power);
    };
    if (forEachElement(run, count, addPower)) {
        return true;
    }
    const int zeros = std::countl_zero(sum | 1U);
    const auto shifted = static_cast<std::int64_t>(
        ((std::uint64_t{sum} << std::max(zeros - 1, 0)) + (1 << 13)) >> 14);
    // The sum lies from 1 to 2; the table begins at 1.
    const std::int32_t scale = reciprocal().at(shifted - ((1 << 15) + (1 << 16)));
    const int shift = std::max(31 - zeros, 1);
    return forEachElement(run, count, [&](std::size_t i) {
        const std::int64_t scaled =
            (std::int64_t{out[i]} * scale + (std::int64_t{1} << (shift - 1))) >> shift;
        out[i] = static_cast<std::int16_t>(std::clamp<std::int64_t>(scaled, 0, INT16_MAX));
    });
}

Result<> runSoftmax(const RunContext& run) {
    const Multiplier factor =
        multiplierOf(static_cast<double>(run.inputs[0].scale) *
                     static_cast<double>(scalarOf<float>(run.inputs[1])) / (10.0 / 65535.0));
    const std::size_t count = run.inputs[0].dimensions.back();
    const std::size_t rows = countOf(run.inputs[0]) / count;
    for (std::size_t row = 0; row < rows; ++row) {
        if (softmaxRow(run, run.input<std::int16_t>(0) + row * count,
                       run.output<std::int16_t>() + row * count, count, factor) ||
            run.limit.isOverAfter(count)) {
            return {};
        }
    }
    return {};
}

constexpr std::array kWindows16Operations{
    OperationDefinition{Code::AVERAGE_POOL_2D_16, "AVERAGE_POOL_2D_16", checkPool, shapeOfPool,
                        runAveragePool},
    OperationDefinition{Code::MAX_POOL_2D_16, "MAX_POOL_2D_16", checkPool, shapeOfPool, runMaxPool},
    OperationDefinition{Code::SOFTMAX_16, "SOFTMAX_16", checkSoftmax, shapeOfSoftmax, runSoftmax},
};

}  // namespace

std::span<const OperationDefinition> windows16Operations() noexcept {
    return kWindows16Operations;
}

}  // namespace nnburst::tflite_operations
