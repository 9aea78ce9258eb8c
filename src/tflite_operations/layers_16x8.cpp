// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers with activations of 16 bits and weights of 8, with the arithmetic of TFLite's kernels:
/// output = sum of input * weight, plus bias, times the scale of the products, over that of the
/// output. Images are [batches, height, width, channels].
///
/// All begin with these inputs: the tensor, TENSOR_QUANT16_SYMM; the weights,
/// TENSOR_QUANT8_ASYMM_SIGNED with zero point 0 or TENSOR_QUANT8_SYMM_PER_CHANNEL, whose own scales
/// are not used; their scales, TENSOR_FLOAT32, one or one for each channel of the output; the bias,
/// TENSOR_INT32; BOOL whether sums have 64 bits and the factors that scale them 16, or both 32;
/// INT32 activation (a code of the HAL).

#include <algorithm>
#include <array>
#include <limits>

#include "model/operand_info.h"
#include "tflite_operations/elements.h"
#include "tflite_operations/fixed_point.h"
#include "tflite_operations/windows.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

constexpr std::size_t kFilter = 1;
constexpr std::size_t kScales = 2;
constexpr std::size_t kBias = 3;
constexpr std::size_t kIsWide = 4;
constexpr std::size_t kActivation = 5;
/// The first of the windows: INT32 padding (1: SAME, 2: VALID), strides along width and height,
/// dilations along width and height.
constexpr std::size_t kWindow = 6;
constexpr std::size_t kScalarsOfImages = 5;

Result<> checkLayer(Operands inputs, Operands outputs, std::size_t scalars) {
    NNBURST_TRY(checkCounts(inputs, outputs, kWindow + scalars, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_QUANT16_SYMM}));
    NNBURST_TRY(checkType(inputs[kFilter], "input 1 (weights)",
                          {TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM_PER_CHANNEL}));
    NNBURST_TRY(checkType(inputs[kScales], "input 2 (scales)", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[kBias], "input 3 (bias)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[kIsWide], "input 4 (sums have 64 bits)", {BOOL}));
    for (std::size_t i = kActivation; i < inputs.size(); ++i) {
        NNBURST_TRY(checkType(inputs[i], "activation, padding, stride or dilation", {INT32}));
    }
    if (inputs[kFilter].zeroPoint != 0) {
        return invalid("weights with zero point {}; must be 0", inputs[kFilter].zeroPoint);
    }
    return checkType(outputs[0], "output 0", {TENSOR_QUANT16_SYMM});
}

/// Checks that there are a bias for each of `channels`, and a scale for each or one for all; and
/// the activation.
Result<> checkScaling(Operands inputs, std::size_t channels) {
    NNBURST_TRY(checkActivation(inputs[kActivation]));
    const std::size_t scales = countOf(inputs[kScales]);
    if (countOf(inputs[kBias]) != channels || (scales != 1 && scales != channels)) {
        return invalid("{} biases and {} scales for {} channels; must be one for each",
                       countOf(inputs[kBias]), scales, channels);
    }
    return {};
}

/// What becomes of the sums of products, for each channel of the output.
class Scaling {
  public:
    static std::size_t scratchBytes(std::size_t channels) { return channels * sizeof(Multiplier); }

    /// Keeps the factors in `run.scratch`, which must be large enough.
    Scaling(const RunContext& run, std::size_t channels)
        : factors_(reinterpret_cast<Multiplier*>(run.scratch.data())),
          bias_(run.input<std::int32_t>(kBias)),
          isWide_(scalarOf<std::uint8_t>(run.inputs[kIsWide]) != 0),
          range_(rangeOf(run.inputs[kActivation], run.outputs[0])) {
        const bool isPerChannel = countOf(run.inputs[kScales]) != 1;
        isOver_ = forEachElement(run, channels, [&](std::size_t i) {
            const float scale = run.input<float>(kScales)[isPerChannel ? i : 0];
            factors_[i] =
                multiplierOf(static_cast<double>(run.inputs[0].scale) * static_cast<double>(scale) /
                             static_cast<double>(run.outputs[0].scale));
        });
    }

    /// The run was found to be over while the factors were computed: not all of them are.
    [[nodiscard]] bool isOver() const noexcept { return isOver_; }

    [[nodiscard]] std::int16_t scaled(std::int64_t sum, std::size_t channel) const noexcept {
        sum += bias_[channel];
        if (isWide_) {
            return range_.clamp(multiplyWide(sum, factors_[channel]));
        }
        constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
        constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
        const auto narrow = static_cast<std::int32_t>(std::clamp(sum, kLowest, kHighest));
        return range_.clamp(multiply(narrow, factors_[channel]));
    }

  private:
    Multiplier* factors_;
    const std::int32_t* bias_;
    bool isWide_;
    Range16 range_;
    bool isOver_ = false;
};

/// The sum of `count` products.
std::int64_t sumOfProducts(const std::int16_t* x, const std::int8_t* weights, std::size_t count) {
    constexpr std::size_t kFit = 256;  // products of at most 2^22 fit into 32 bits
    std::int64_t sum = 0;
    for (std::size_t begin = 0; begin < count; begin += kFit) {
        const std::size_t end = std::min(count, begin + kFit);
        std::int32_t part = 0;
        for (std::size_t i = begin; i < end; ++i) {
            part += std::int32_t{x[i]} * std::int32_t{std::int16_t{weights[i]}};
        }
        sum += part;
    }
    return sum;
}

// ---- FULLY_CONNECTED_16X8: input [..., depth], weights [units, depth]; output [..., units]

Result<> checkDense(Operands inputs, Operands outputs) {
    return checkLayer(inputs, outputs, 0);
}

Result<Dimensions> shapeOfDense(Operands inputs, std::size_t /*output*/) {
    const Sizes weights = inputs[kFilter].dimensions;
    Dimensions result = dimensionsOf(inputs[0]);
    if (weights.size() != 2 || result.empty() || result.back() != weights[1]) {
        return invalid("input of shape {}, weights of {}; must have the same last size",
                       dimensionsText(inputs[0].dimensions), dimensionsText(weights));
    }
    NNBURST_TRY(checkScaling(inputs, weights[0]));
    result.back() = weights[0];
    return result;
}

std::size_t scratchOfDense(Operands inputs) {
    return Scaling::scratchBytes(countOf(inputs[kBias]));
}

Result<> runDense(const RunContext& run) {
    const std::size_t units = run.inputs[kFilter].dimensions[0];
    const std::size_t depth = run.inputs[kFilter].dimensions[1];
    const Scaling scaling(run, units);
    if (scaling.isOver()) {
        return {};
    }
    std::int16_t* out = run.output<std::int16_t>();
    const std::size_t rows = countOf(run.outputs[0]) / units;
    PartCounter parts(run);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::int16_t* x = run.input<std::int16_t>(0) + row * depth;
        const auto* weights = run.input<std::int8_t>(kFilter);
        for (std::size_t unit = 0; unit < units; ++unit, weights += depth) {
            *out++ = scaling.scaled(sumOfProducts(x, weights, depth), unit);
            if (parts.isOverAfter(depth + 1)) {
                return {};
            }
        }
    }
    return {};
}

// ---- CONV_2D_16X8: filter [channelsOut, height, width, channelsIn / groups].
// DEPTHWISE_CONV_2D_16X8: filter [1, height, width, channelsOut].

struct Windows {
    Window height;
    Window width;
};

/// The windows that slide over `image`.
Result<Windows> windowsOf(Operands inputs, Sizes image) {
    const Sizes filter = inputs[kFilter].dimensions;
    if (image.size() != 4 || filter.size() != 4) {
        return invalid("image of shape {}, filter of {}; must have 4 dimensions",
                       dimensionsText(image), dimensionsText(filter));
    }
    const auto scalar = [&](std::size_t i) { return scalarOf<std::int32_t>(inputs[kWindow + i]); };
    Windows windows;
    NNBURST_TRY_ASSIGN(windows.width,
                       windowOf(image[2], filter[2], scalar(0), scalar(1), scalar(3)));
    NNBURST_TRY_ASSIGN(windows.height,
                       windowOf(image[1], filter[1], scalar(0), scalar(2), scalar(4)));
    return windows;
}

Result<> checkConv(Operands inputs, Operands outputs) {
    return checkLayer(inputs, outputs, kScalarsOfImages);
}

Dimensions imageOf(const Windows& windows, std::uint32_t batches, std::uint32_t channels) {
    return {batches, static_cast<std::uint32_t>(windows.height.out),
            static_cast<std::uint32_t>(windows.width.out), channels};
}

Result<Dimensions> shapeOfConv(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(const Windows windows, windowsOf(inputs, inputs[0].dimensions));
    const Sizes image = inputs[0].dimensions;
    const Sizes filter = inputs[kFilter].dimensions;
    if (filter[3] == 0 || image[3] == 0 || image[3] % filter[3] != 0 ||
        filter[0] % (image[3] / filter[3]) != 0) {
        return invalid("image of shape {}, filter of {}; must have the same channels, or groups",
                       dimensionsText(image), dimensionsText(filter));
    }
    NNBURST_TRY(checkScaling(inputs, filter[0]));
    return imageOf(windows, image[0], filter[0]);
}

/// The sum for one channel of one pixel of the output. `image` and `filter` begin at their first
/// row; the pixel's channels begin at `channel`. Ends early when `parts` is over.
std::int64_t sumOfWindow(PartCounter& parts, const Windows& windows, std::int64_t y, std::int64_t x,
                         const std::int16_t* image, const std::int8_t* filter,
                         std::int64_t channels, std::int64_t depth) {
    constexpr std::int64_t kTapsAtOnce = 256;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < windows.height.size; ++i) {
        const std::int64_t row = windows.height.begin(y) + i * windows.height.dilation;
        if (parts.isOverAfter(0)) {
            return sum;
        }
        if (row < 0 || row >= windows.height.in) {
            continue;
        }
        for (std::int64_t begin = 0; begin < windows.width.size; begin += kTapsAtOnce) {
            const std::int64_t end = std::min(begin + kTapsAtOnce, windows.width.size);
            for (std::int64_t j = begin; j < end; ++j) {
                const std::int64_t column = windows.width.begin(x) + j * windows.width.dilation;
                if (column >= 0 && column < windows.width.in) {
                    sum += sumOfProducts(image + (row * windows.width.in + column) * channels,
                                         filter + (i * windows.width.size + j) * depth,
                                         static_cast<std::size_t>(depth));
                }
            }
            if (parts.isOverAfter(static_cast<std::size_t>((end - begin) * depth))) {
                return sum;
            }
        }
    }
    return sum;
}

Result<> runConv(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const Windows windows, windowsOf(run.inputs, run.inputs[0].dimensions));
    const Sizes image = run.inputs[0].dimensions;
    const Sizes filter = run.inputs[kFilter].dimensions;
    const Scaling scaling(run, filter[0]);
    if (scaling.isOver()) {
        return {};
    }
    const std::size_t perFilter = countOf(filter.subspan(1));
    const std::size_t perGroup = filter[0] / (image[3] / filter[3]);
    std::int16_t* out = run.output<std::int16_t>();
    PartCounter parts(run);
    for (std::size_t batch = 0; batch < image[0]; ++batch) {
        const std::int16_t* first = run.input<std::int16_t>(0) + batch * countOf(image.subspan(1));
        for (std::int64_t y = 0; y < windows.height.out; ++y) {
            for (std::int64_t x = 0; x < windows.width.out; ++x) {
                for (std::size_t channel = 0; channel < filter[0]; ++channel) {
                    const std::size_t group = channel / perGroup;
                    const std::int64_t sum = sumOfWindow(
                        parts, windows, y, x, first + group * filter[3],
                        run.input<std::int8_t>(kFilter) + channel * perFilter, image[3], filter[3]);
                    *out++ = scaling.scaled(sum, channel);
                    if (parts.isOverAfter(1)) {
                        return {};
                    }
                }
            }
        }
    }
    return {};
}

Result<Dimensions> shapeOfDepthwise(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(const Windows windows, windowsOf(inputs, inputs[0].dimensions));
    const Sizes image = inputs[0].dimensions;
    const Sizes filter = inputs[kFilter].dimensions;
    if (filter[0] != 1 || image[3] == 0 || filter[3] == 0 || filter[3] % image[3] != 0) {
        return invalid("image of shape {}, filter of {}; must have a multiple of its channels",
                       dimensionsText(image), dimensionsText(filter));
    }
    NNBURST_TRY(checkScaling(inputs, filter[3]));
    return imageOf(windows, image[0], filter[3]);
}

/// The sums of all channels of one pixel follow the factors in the scratch memory.
std::size_t scratchOfDepthwise(Operands inputs) {
    return countOf(inputs[kBias]) * (sizeof(Multiplier) + sizeof(std::int64_t));
}

/// Adds the products of one pixel of the image and one of the filter.
void addProducts(const std::int16_t* pixel, const std::int8_t* filter, std::size_t channels,
                 std::size_t perChannel, std::int64_t* sums) {
    if (perChannel == 1) {
        for (std::size_t i = 0; i < channels; ++i) {
            const std::int32_t product = pixel[i] * filter[i];
            sums[i] += product;
        }
        return;
    }
    for (std::size_t i = 0; i < channels; ++i) {
        for (std::size_t j = 0; j < perChannel; ++j) {
            const std::int32_t product = pixel[i] * *filter++;
            *sums++ += product;
        }
    }
}

Result<> runDepthwise(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const Windows windows, windowsOf(run.inputs, run.inputs[0].dimensions));
    const Sizes image = run.inputs[0].dimensions;
    const std::size_t channels = run.inputs[kFilter].dimensions[3];
    const Scaling scaling(run, channels);
    if (scaling.isOver()) {
        return {};
    }
    auto* const sums =
        reinterpret_cast<std::int64_t*>(run.scratch.data() + Scaling::scratchBytes(channels));
    const Window& height = windows.height;
    const Window& width = windows.width;
    std::int16_t* out = run.output<std::int16_t>();
    PartCounter parts(run);
    for (std::int64_t pixel = 0; pixel < image[0] * height.out * width.out; ++pixel) {
        const std::int64_t batch = pixel / (height.out * width.out);
        const std::int64_t y = pixel / width.out % height.out;
        const std::int64_t x = pixel % width.out;
        if (fill(run, sums, channels, std::int64_t{0})) {
            return {};
        }
        for (std::int64_t i = 0; i < height.size * width.size; ++i) {
            if (parts.isOverAfter(channels)) {
                return {};
            }
            const std::int64_t row = height.begin(y) + i / width.size * height.dilation;
            const std::int64_t column = width.begin(x) + i % width.size * width.dilation;
            if (row < 0 || row >= height.in || column < 0 || column >= width.in) {
                continue;
            }
            const std::int64_t place = (batch * height.in + row) * width.in + column;
            addProducts(run.input<std::int16_t>(0) + place * image[3],
                        run.input<std::int8_t>(kFilter) + i * static_cast<std::int64_t>(channels),
                        image[3], channels / image[3], sums);
        }
        if (forEachElement(run, channels, [&](std::size_t channel) {
                *out++ = scaling.scaled(sums[channel], channel);
            })) {
            return {};
        }
    }
    return {};
}

// ---- TRANSPOSE_CONV_2D_16X8: filter [channelsOut, height, width, channelsIn]; behind the windows
// the shape of the output, TENSOR_INT32, which is constant: the windows slide over the output, one
// for each pixel of the image.

constexpr std::size_t kOutputShape = kWindow + kScalarsOfImages;

Result<> checkTransposed(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, kOutputShape + 1, 1));
    NNBURST_TRY(checkType(inputs[kOutputShape], "input 11 (shape of the output)", {TENSOR_INT32}));
    return checkConv(inputs.first(kOutputShape), outputs);
}

Result<Dimensions> shapeOfTransposed(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(Dimensions result, constantShape(inputs[kOutputShape]));
    const Sizes image = inputs[0].dimensions;
    const Sizes filter = inputs[kFilter].dimensions;
    NNBURST_TRY_ASSIGN(const Windows windows, windowsOf(inputs, result));
    if (image.size() != 4 || result[0] != image[0] || result[3] != filter[0] ||
        image[3] != filter[3] || windows.height.out != image[1] || windows.width.out != image[2]) {
        return invalid("image of shape {}, filter of {}, output of {}; must go together",
                       dimensionsText(image), dimensionsText(filter), dimensionsText(result));
    }
    NNBURST_TRY(checkScaling(inputs, filter[0]));
    return result;
}

/// The element of the image that goes into element `place` of the output through `tap` of the
/// filter; negative if there is none.
std::int64_t sourceOf(const Window& window, std::int64_t place, std::int64_t tap,
                      std::int64_t count) {
    const std::int64_t begin = place + window.before - tap * window.dilation;
    return begin % window.stride == 0 && begin / window.stride < count ? begin / window.stride : -1;
}

Result<> runTransposed(const RunContext& run) {
    const Sizes image = run.inputs[0].dimensions;
    const Sizes filter = run.inputs[kFilter].dimensions;
    NNBURST_TRY_ASSIGN(const Windows windows, windowsOf(run.inputs, run.outputs[0].dimensions));
    const Scaling scaling(run, filter[0]);
    if (scaling.isOver()) {
        return {};
    }
    const Window& height = windows.height;
    const Window& width = windows.width;
    const std::size_t depth = filter[3];
    const std::size_t perFilter = countOf(filter.subspan(1));
    std::int16_t* out = run.output<std::int16_t>();
    const std::int64_t pixels = image[0] * height.in * width.in;
    PartCounter parts(run);
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        const std::int16_t* first =
            run.input<std::int16_t>(0) +
            static_cast<std::size_t>(pixel / (height.in * width.in)) * countOf(image.subspan(1));
        for (std::size_t channel = 0; channel < filter[0]; ++channel) {
            const auto* weights = run.input<std::int8_t>(kFilter) + channel * perFilter;
            std::int64_t sum = 0;
            for (std::int64_t i = 0; i < height.size * width.size; ++i, weights += depth) {
                if (parts.isOverAfter(depth)) {
                    return {};
                }
                const std::int64_t row =
                    sourceOf(height, pixel / width.in % height.in, i / width.size, image[1]);
                const std::int64_t column =
                    sourceOf(width, pixel % width.in, i % width.size, image[2]);
                if (row >= 0 && column >= 0) {
                    const auto place = static_cast<std::size_t>(row * image[2] + column);
                    sum += sumOfProducts(first + place * depth, weights, depth);
                }
            }
            *out++ = scaling.scaled(sum, channel);
        }
    }
    return {};
}

constexpr std::array kLayers16x8Operations{
    OperationDefinition{Code::FULLY_CONNECTED_16X8, "FULLY_CONNECTED_16X8", checkDense,
                        shapeOfDense, runDense, scratchOfDense},
    OperationDefinition{Code::CONV_2D_16X8, "CONV_2D_16X8", checkConv, shapeOfConv, runConv,
                        scratchOfDense},
    OperationDefinition{Code::DEPTHWISE_CONV_2D_16X8, "DEPTHWISE_CONV_2D_16X8", checkConv,
                        shapeOfDepthwise, runDepthwise, scratchOfDepthwise},
    OperationDefinition{Code::TRANSPOSE_CONV_2D_16X8, "TRANSPOSE_CONV_2D_16X8", checkTransposed,
                        shapeOfTransposed, runTransposed, scratchOfDense},
};

}  // namespace

std::span<const OperationDefinition> layers16x8Operations() noexcept {
    return kLayers16x8Operations;
}

}  // namespace nnburst::tflite_operations
