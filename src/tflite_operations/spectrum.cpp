// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The Fourier transform of real images, parts of complex numbers, and features of sound. A complex
/// number is two elements of TENSOR_FLOAT32 along the last axis, the real one first.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
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

/// Limit on the elements that are transformed at once.
constexpr std::uint64_t kMaximumElements = 1 << 24;

Result<Lengths> lengthsOf(Operands inputs) {
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

/// Sets `turns`, of which there are `count`, to e^(-i pi k / count). True if the run is over.
bool computeTurns(const RunContext& run, Complex* turns, std::size_t count) {
    return forEachElement(run, count, [=](std::size_t k) {
        const double angle =
            -std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
        turns[k] = {.real = std::cos(angle), .imaginary = std::sin(angle)};
    });
}

/// Transforms `count` numbers, a power of 2, that are `step` apart. `turns` are e^(-i pi k /
/// turnCount). True if the run is over.
bool transform(const RunContext& run, Complex* numbers, std::size_t count, std::size_t step,
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

Result<> runRfft2d(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const Lengths lengths, lengthsOf(run.inputs));
    const Sizes sizes = run.inputs[0].dimensions;
    const std::size_t height = sizes[sizes.size() - 2];
    const std::size_t width = sizes[sizes.size() - 1];
    const std::size_t columns = lengths.width / 2 + 1;
    const std::size_t turnCount = lengths.turns();
    auto* turns = reinterpret_cast<Complex*>(run.scratch.data());
    Complex* image = turns + turnCount;
    if (computeTurns(run, turns, turnCount)) {
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

Result<> runReal(const RunContext& run) {
    return mapElements<Pair, float>(run, [](const Pair& x) { return x[0]; });
}

Result<> runImag(const RunContext& run) {
    return mapElements<Pair, float>(run, [](const Pair& x) { return x[1]; });
}

Result<> runComplexAbs(const RunContext& run) {
    return mapElements<Pair, float>(run, [](const Pair& x) { return std::hypot(x[0], x[1]); });
}

// ---- AUDIO_SPECTROGRAM: samples [samples, channels], INT32 samples of a window, INT32 samples
// from one window to the next, BOOL whether magnitudes are squared. Output: [channels, windows,
// frequencies], the magnitudes of the transform of each window, which is multiplied by a periodic
// Hann function and padded with zeros to a power of 2.

struct Frames {
    std::size_t window;
    std::size_t stride;
    std::size_t count;
    [[nodiscard]] std::size_t transformed() const { return std::bit_ceil(window); }
};

Result<Frames> framesOf(Operands inputs) {
    const Sizes sizes = inputs[0].dimensions;
    const auto window = scalarOf<std::int32_t>(inputs[1]);
    const auto stride = scalarOf<std::int32_t>(inputs[2]);
    if (sizes.size() != 2 || window < 2 || stride < 1 ||
        std::cmp_greater(window, std::min<std::uint64_t>(sizes[0], kMaximumElements))) {
        return invalid(
            "samples of shape {} in windows of {} with stride {}; must have 2 dimensions, at least "
            "a window of 2 to {} samples, and a stride of at least 1",
            dimensionsText(sizes), window, stride, kMaximumElements);
    }
    const std::size_t further =
        (sizes[0] - static_cast<std::size_t>(window)) / static_cast<std::size_t>(stride);
    return Frames{.window = static_cast<std::size_t>(window),
                  .stride = static_cast<std::size_t>(stride),
                  .count = further + 1};
}

Result<> checkSpectrogram(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 4, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (window)", {INT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (stride)", {INT32}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (squared)", {BOOL}));
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfSpectrogram(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(const Frames frames, framesOf(inputs));
    return Dimensions{inputs[0].dimensions[1], static_cast<std::uint32_t>(frames.count),
                      static_cast<std::uint32_t>(frames.transformed() / 2 + 1)};
}

/// The factors of half a turn, the numbers of a window, and the factors of the window.
std::size_t scratchOfSpectrogram(Operands inputs) {
    const auto frames = framesOf(inputs);
    return frames
               ? frames->transformed() * 3 / 2 * sizeof(Complex) + frames->window * sizeof(double)
               : 0;
}

Result<> runSpectrogram(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const Frames frames, framesOf(run.inputs));
    const std::size_t channels = run.inputs[0].dimensions[1];
    const bool isSquared = scalarOf<std::uint8_t>(run.inputs[3]) != 0;
    const std::size_t turnCount = frames.transformed() / 2;
    auto* turns = reinterpret_cast<Complex*>(run.scratch.data());
    Complex* numbers = turns + turnCount;
    auto* factors = reinterpret_cast<double*>(numbers + frames.transformed());
    if (computeTurns(run, turns, turnCount) || forEachElement(run, frames.window, [&](auto i) {
            factors[i] = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(i) /
                                              static_cast<double>(frames.window));
        })) {
        return {};
    }
    float* out = run.output<float>();
    for (std::size_t channel = 0; channel < channels; ++channel) {
        const float* in = run.input<float>(0) + channel;
        for (std::size_t frame = 0; frame < frames.count; ++frame) {
            const float* first = in + frame * frames.stride * channels;
            bool isOver = forEachElement(run, frames.transformed(), [&](std::size_t i) {
                numbers[i] = {.real = i < frames.window
                                          ? static_cast<double>(first[i * channels]) * factors[i]
                                          : 0.0,
                              .imaginary = 0.0};
            });
            isOver = isOver || transform(run, numbers, frames.transformed(), 1, turns, turnCount) ||
                     forEachElement(run, turnCount + 1, [&](std::size_t i) {
                         const auto [real, imaginary] = numbers[i];
                         const auto square =
                             static_cast<float>(real * real + imaginary * imaginary);
                         *out++ = isSquared ? square : std::sqrt(square);
                     });
            if (isOver || run.limit.isOverAfter(frames.transformed())) {
                return {};
            }
        }
    }
    return {};
}

// ---- MFCC: spectrograms of squared magnitudes [channels, windows, frequencies], TENSOR_INT32 rate
// of the samples, of one element, FLOAT32 lowest and highest frequency, INT32 bands, INT32
// coefficients of the output: [channels, windows, coefficients], the cosine transform of the
// logarithms of bands. A band is the sum of magnitudes around a frequency: bands have the same
// distance on the mel scale, and their weights fall to 0 at the next ones.

constexpr std::int32_t kMaximumBands = 1024;

struct MelOptions {
    double lowest;
    double highest;
    std::size_t bands;
    std::size_t coefficients;
};

Result<MelOptions> melOptionsOf(Operands inputs) {
    const auto lowest = scalarOf<float>(inputs[2]);
    const auto highest = scalarOf<float>(inputs[3]);
    const auto bands = scalarOf<std::int32_t>(inputs[4]);
    const auto coefficients = scalarOf<std::int32_t>(inputs[5]);
    if (!(lowest >= 0.0F && highest > lowest && highest <= std::numeric_limits<float>::max())) {
        return invalid("frequencies {} to {}; must be at least 0, in ascending order", lowest,
                       highest);
    }
    if (coefficients < 1 || bands < coefficients || bands > kMaximumBands) {
        return invalid("{} coefficients of {} bands; must be at least 1, at most the bands and {}",
                       coefficients, bands, kMaximumBands);
    }
    return MelOptions{.lowest = static_cast<double>(lowest),
                      .highest = static_cast<double>(highest),
                      .bands = static_cast<std::size_t>(bands),
                      .coefficients = static_cast<std::size_t>(coefficients)};
}

Result<> checkMfcc(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 6, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (rate)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (lowest frequency)", {FLOAT32}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (highest frequency)", {FLOAT32}));
    NNBURST_TRY(checkType(inputs[4], "input 4 (bands)", {INT32}));
    NNBURST_TRY(checkType(inputs[5], "input 5 (coefficients)", {INT32}));
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfMfcc(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(const MelOptions options, melOptionsOf(inputs));
    const Sizes sizes = inputs[0].dimensions;
    if (sizes.size() != 3 || sizes[2] < 2 || countOf(inputs[1]) != 1) {
        return invalid(
            "spectrograms of shape {}, rates of {}; must have 3 dimensions, at least 2 "
            "frequencies, and one rate",
            dimensionsText(sizes), dimensionsText(inputs[1].dimensions));
    }
    return Dimensions{sizes[0], sizes[1], static_cast<std::uint32_t>(options.coefficients)};
}

/// What the magnitude of one frequency adds: `weight` of it to a band, and the rest to the next
/// one.
struct MelShare {
    double weight;
    std::int64_t band;  ///< from -1 on
};

/// The shares of the frequencies, the cosines of a turn, and the bands of a window.
std::size_t scratchOfMfcc(Operands inputs) {
    const auto options = melOptionsOf(inputs);
    const Sizes sizes = inputs[0].dimensions;
    return options && !sizes.empty()
               ? sizes.back() * sizeof(MelShare) + 5 * options->bands * sizeof(double)
               : 0;
}

double melOf(double frequency) {
    return 1127.0 * std::log1p(frequency / 700.0);
}

/// The frequencies that count.
struct MelRange {
    std::size_t begin;
    std::size_t end;
};

/// The range of `count` frequencies up to half the rate. The first one, 0, is never in it.
Result<MelRange> melRangeOf(const MelOptions& options, std::int32_t rate, std::size_t count) {
    const double step = 0.5 * static_cast<double>(rate) / static_cast<double>(count - 1);
    if (rate < 1 || options.highest / step >= static_cast<double>(count)) {
        return invalid("rate {} for frequencies up to {}; must be at least twice as high", rate,
                       options.highest);
    }
    return MelRange{.begin = static_cast<std::size_t>(1.5 + options.lowest / step),
                    .end = static_cast<std::size_t>(options.highest / step) + 1};
}

/// Sets the shares of the frequencies in `range`. True if the run is over.
bool computeShares(const RunContext& run, const MelOptions& options, double step, MelRange range,
                   MelShare* shares) {
    const double lowest = melOf(options.lowest);
    const double spacing =
        (melOf(options.highest) - lowest) / static_cast<double>(options.bands + 1);
    const auto centre = [=](std::int64_t band) {
        return lowest + spacing * static_cast<double>(band + 1);
    };
    std::int64_t next = 0;
    return forEachElement(run, range.end, [&](std::size_t i) {
        const double mel = melOf(static_cast<double>(i) * step);
        while (next < static_cast<std::int64_t>(options.bands) && centre(next) < mel) {
            ++next;
        }
        shares[i] = {.weight = (centre(next) - mel) / (centre(next) - centre(next - 1)),
                     .band = next - 1};
    });
}

Result<> runMfcc(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const MelOptions options, melOptionsOf(run.inputs));
    const std::size_t frequencies = run.inputs[0].dimensions[2];
    const std::size_t bandCount = options.bands;
    const auto rate = readOnce(run.input<std::int32_t>(1));
    NNBURST_TRY_ASSIGN(const MelRange range, melRangeOf(options, rate, frequencies));
    const double step = 0.5 * static_cast<double>(rate) / static_cast<double>(frequencies - 1);
    auto* shares = reinterpret_cast<MelShare*>(run.scratch.data());
    auto* cosines = reinterpret_cast<double*>(shares + frequencies);
    const std::size_t turn = 4 * bandCount;
    double* bands = cosines + turn;
    if (computeShares(run, options, step, range, shares) ||
        forEachElement(run, turn, [&](std::size_t i) {
            cosines[i] = std::sqrt(2.0 / static_cast<double>(bandCount)) *
                         std::cos(2.0 * std::numbers::pi * static_cast<double>(i) /
                                  static_cast<double>(turn));
        })) {
        return {};
    }
    const float* in = run.input<float>(0);
    float* out = run.output<float>();
    const std::size_t windows = countOf(run.inputs[0].dimensions.first(2));
    for (std::size_t window = 0; window < windows; ++window, in += frequencies) {
        std::fill_n(bands, bandCount, 0.0);
        const bool isOver = forEachElement(run, range.end, [&](std::size_t i) {
            if (i < range.begin) {
                return;
            }
            const double magnitude = std::sqrt(static_cast<double>(in[i]));
            const auto [weight, band] = shares[i];
            if (band >= 0) {
                bands[band] += weight * magnitude;
            }
            if (band + 1 < static_cast<std::int64_t>(bandCount)) {
                bands[band + 1] += magnitude - weight * magnitude;
            }
        });
        if (isOver || run.limit.isOverAfter(range.end)) {
            return {};
        }
        constexpr double kLeast = 1e-12;
        std::transform(bands, bands + bandCount, bands,
                       [](double band) { return std::log(band < kLeast ? kLeast : band); });
        for (std::size_t i = 0; i < options.coefficients; ++i) {
            double sum = 0.0;
            for (std::size_t j = 0; j < bandCount; ++j) {
                sum += cosines[i * (2 * j + 1) % turn] * bands[j];
            }
            *out++ = static_cast<float>(sum);
            if (run.limit.isOverAfter(bandCount)) {
                return {};
            }
        }
    }
    return {};
}

constexpr std::array kSpectrumOperations{
    OperationDefinition{Code::RFFT_2D, "RFFT_2D", checkRfft2d, shapeOfRfft2d, runRfft2d,
                        scratchOfRfft2d},
    OperationDefinition{Code::REAL, "REAL", checkPart, shapeOfPart, runReal},
    OperationDefinition{Code::IMAG, "IMAG", checkPart, shapeOfPart, runImag},
    OperationDefinition{Code::COMPLEX_ABS, "COMPLEX_ABS", checkPart, shapeOfPart, runComplexAbs},
    OperationDefinition{Code::AUDIO_SPECTROGRAM, "AUDIO_SPECTROGRAM", checkSpectrogram,
                        shapeOfSpectrogram, runSpectrogram, scratchOfSpectrogram},
    OperationDefinition{Code::MFCC, "MFCC", checkMfcc, shapeOfMfcc, runMfcc, scratchOfMfcc},
};

}  // namespace

std::span<const OperationDefinition> spectrumOperations() noexcept {
    return kSpectrumOperations;
}

}  // namespace nnburst::tflite_operations
