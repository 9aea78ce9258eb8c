// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The Fourier transform of real images, and parts of complex numbers. A complex number is two
/// elements of TENSOR_FLOAT32 along the last axis, the real one first.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "model/operand_info.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

struct Complex {
    double real;
    double imaginary;
};

Complex operator+(Complex a, Complex b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
}
Complex operator-(Complex a, Complex b) {
    return {a.real - b.real, a.imaginary - b.imaginary};
}
Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
}

// ---- RFFT_2D: images [..., height, width], TENSOR_INT32 height and width of the transform, which
// are constant powers of 2: images are cut off, or padded with zeros. Output: [..., height,
// width / 2 + 1, 2], as the rest follows from that.

struct Lengths {
    std::size_t height;
    std::size_t width;
    /// Factors of half a turn.
    [[nodiscard]] std::size_t turns() const {
        return std::max<std::size_t>(std::max(height, width) / 2, 1);
    }
};

Result<Lengths> lengthsOf(Operands inputs) {
    constexpr std::uint64_t kMaximumElements = 1 << 24;
    NNBURST_TRY_ASSIGN(const auto given, constantIntegers(inputs[1], "input 1 (lengths)"));
    if (given.size() != 2) {
        return invalid("{} lengths; must be 2", given.size());
    }
    const auto isPowerOfTwo = [](std::int32_t x) {
        return x > 0 && std::has_single_bit(static_cast<std::uint32_t>(x));
    };
    if (!isPowerOfTwo(given[0]) || !isPowerOfTwo(given[1]) ||
        static_cast<std::uint64_t>(given[0]) * static_cast<std::uint64_t>(given[1]) >
            kMaximumElements) {
        return invalid("lengths {} and {}; must be powers of 2, their product at most {}", given[0],
                       given[1], kMaximumElements);
    }
    return Lengths{.height = static_cast<std::size_t>(given[0]),
                   .width = static_cast<std::size_t>(given[1])};
}

Result<> checkRfft2d(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (lengths)", {TENSOR_INT32}));
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfRfft2d(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(const Lengths lengths, lengthsOf(inputs));
    Dimensions result = dimensionsOf(inputs[0]);
    if (result.size() < 2) {
        return invalid("images of shape {}; must have at least 2 dimensions",
                       dimensionsText(result));
    }
    result[result.size() - 2] = static_cast<std::uint32_t>(lengths.height);
    result[result.size() - 1] = static_cast<std::uint32_t>(lengths.width / 2 + 1);
    result.push_back(2);
    return result;
}

/// The factors of half a turn, then the elements of one image.
std::size_t scratchOfRfft2d(Operands inputs) {
    const auto lengths = lengthsOf(inputs);
    return lengths ? (lengths->turns() + lengths->height * lengths->width) * sizeof(Complex) : 0;
}

/// Transforms `count` numbers, a power of 2, that are `step` apart. `turns` are e^(-i pi k /
/// turnCount). True if the run is over.
bool transform(const Run& run, Complex* numbers, std::size_t count, std::size_t step,
               const Complex* turns, std::size_t turnCount) {
    std::size_t reversed = 0;
    bool isOver = forEachElement(run, count, [&](std::size_t i) {
        if (i < reversed) {
            std::swap(numbers[i * step], numbers[reversed * step]);
        }
        // The bits of i + 1 in reversed order.
        std::size_t bit = count / 2;
        for (; (reversed & bit) != 0; bit /= 2) {
            reversed ^= bit;
        }
        reversed |= bit;
    });
    for (std::size_t half = 1; half < count && !isOver; half *= 2) {
        isOver = forEachElement(run, count / 2, [&](std::size_t i) {
            const std::size_t k = i & (half - 1);
            Complex& low = numbers[(2 * i - k) * step];
            Complex& high = numbers[(2 * i - k + half) * step];
            const Complex turned = high * turns[k * (turnCount / half)];
            high = low - turned;
            low = low + turned;
        });
    }
    return isOver || run.limit.isOverAfter(count * std::bit_width(count));
}

Result<> runRfft2d(const Run& run) {
    NNBURST_TRY_ASSIGN(const Lengths lengths, lengthsOf(run.inputs));
    const Sizes sizes = run.inputs[0].dimensions;
    const std::size_t height = sizes[sizes.size() - 2];
    const std::size_t width = sizes[sizes.size() - 1];
    const std::size_t columns = lengths.width / 2 + 1;
    const std::size_t turnCount = lengths.turns();
    auto* turns = reinterpret_cast<Complex*>(run.scratch.data());
    Complex* image = turns + turnCount;
    if (forEachElement(run, turnCount, [&](std::size_t k) {
            const double angle =
                -std::numbers::pi * static_cast<double>(k) / static_cast<double>(turnCount);
            turns[k] = {.real = std::cos(angle), .imaginary = std::sin(angle)};
        })) {
        return {};
    }
    const float* in = run.input<float>(0);
    float* out = run.output<float>();
    const std::size_t images = countOf(sizes.first(sizes.size() - 2));
    for (std::size_t i = 0; i < images; ++i, in += height * width) {
        for (std::size_t y = 0; y < lengths.height; ++y) {
            Complex* row = image + y * lengths.width;
            const bool isOver = forEachElement(run, lengths.width, [&](std::size_t x) {
                const bool isInside = y < height && x < width;
                row[x] = {.real = isInside ? static_cast<double>(in[y * width + x]) : 0.0,
                          .imaginary = 0.0};
            });
            if (isOver || transform(run, row, lengths.width, 1, turns, turnCount)) {
                return {};
            }
        }
        for (std::size_t x = 0; x < columns; ++x) {
            if (transform(run, image + x, lengths.height, lengths.width, turns, turnCount)) {
                return {};
            }
        }
        for (std::size_t y = 0; y < lengths.height; ++y) {
            const bool isOver = forEachElement(run, columns, [&](std::size_t x) {
                const Complex& number = image[y * lengths.width + x];
                *out++ = static_cast<float>(number.real);
                *out++ = static_cast<float>(number.imaginary);
            });
            if (isOver || run.limit.isOverAfter(columns)) {
                return {};
            }
        }
    }
    return {};
}

// ---- REAL, IMAG, COMPLEX_ABS: complex numbers [..., 2].

Result<> checkPart(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 1, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfPart(Operands inputs, std::size_t /*output*/) {
    Dimensions result = dimensionsOf(inputs[0]);
    if (result.size() < 2 || result.back() != 2) {
        return invalid("complex numbers of shape {}; must have 2 elements along a last axis",
                       dimensionsText(result));
    }
    result.pop_back();
    return result;
}

using Pair = std::array<float, 2>;

Result<> runReal(const Run& run) {
    return mapElements<Pair, float>(run, [](const Pair& x) { return x[0]; });
}

Result<> runImag(const Run& run) {
    return mapElements<Pair, float>(run, [](const Pair& x) { return x[1]; });
}

Result<> runComplexAbs(const Run& run) {
    return mapElements<Pair, float>(run, [](const Pair& x) { return std::hypot(x[0], x[1]); });
}

constexpr std::array kSpectrumRows{
    Row{Code::RFFT_2D, "RFFT_2D", checkRfft2d, shapeOfRfft2d, runRfft2d, scratchOfRfft2d},
    Row{Code::REAL, "REAL", checkPart, shapeOfPart, runReal},
    Row{Code::IMAG, "IMAG", checkPart, shapeOfPart, runImag},
    Row{Code::COMPLEX_ABS, "COMPLEX_ABS", checkPart, shapeOfPart, runComplexAbs},
};

}  // namespace

std::span<const Row> spectrumRows() noexcept {
    return kSpectrumRows;
}

}  // namespace nnburst::tflite_operations
