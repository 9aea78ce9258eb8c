// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Weights are integers times a scale in both precisions, so that options that differ in precision
// only make the same network. All numbers are computed with operations that IEEE 754 rounds exactly
// (products, quotients, square roots), so that they are the same on every machine.

#include <algorithm>
#include <array>
#include <cmath>

#include "model/invalid.h"
#include "model/seeded_integers.h"
#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"

namespace nnburst {

namespace {

constexpr std::uint32_t kClasses = 1001;
constexpr std::int32_t kWeightLimit = 127;
constexpr float kBiasLimit = 0.1F;

// Arguments of operations.
constexpr std::int32_t kPaddingSame = 1;
constexpr std::int32_t kPaddingValid = 2;

/// The quantisation of a tensor.
struct Quantization {
    float scale;
    std::int32_t zeroPoint;
};

constexpr Quantization kPixels{1.0F / 128.0F, 128};       // [-1, 1)
constexpr Quantization kActivations{6.0F / 255.0F, 0};    // [0, 6], what RELU6 leaves
constexpr Quantization kLinear{16.0F / 255.0F, 128};      // [-8, 8), without activation
constexpr Quantization kLogits{0.25F, 128};               // [-32, 32)
constexpr Quantization kProbabilities{1.0F / 256.0F, 0};  // [0, 1), as the HAL demands of SOFTMAX

/// A square image of one batch, between two layers.
struct Image {
    std::uint32_t operand;
    std::uint32_t size;
    std::uint32_t channels;
    float scale;
};

/// A depthwise convolution of 3x3 with this stride, then a pointwise one to so many channels.
struct Pair {
    std::uint32_t stride;
    std::uint32_t channels;
};

constexpr std::array<Pair, 13> kPairs{{{1, 64},
                                       {2, 128},
                                       {1, 128},
                                       {2, 256},
                                       {1, 256},
                                       {2, 512},
                                       {1, 512},
                                       {1, 512},
                                       {1, 512},
                                       {1, 512},
                                       {1, 512},
                                       {2, 1024},
                                       {1, 1024}}};

/// `count` inverted residual blocks of v2: the first with this stride, all expanded by this factor
/// inside.
struct Bottlenecks {
    std::uint32_t expansion;
    std::uint32_t channels;
    std::uint32_t count;
    std::uint32_t stride;
};

constexpr std::array<Bottlenecks, 7> kBottlenecks{{{1, 16, 1, 1},
                                                   {6, 24, 2, 2},
                                                   {6, 32, 3, 2},
                                                   {6, 64, 4, 2},
                                                   {6, 96, 3, 1},
                                                   {6, 160, 3, 2},
                                                   {6, 320, 1, 1}}};
constexpr std::uint32_t kLastChannels = 1280;

/// Adds layer after layer to a model.
class MobileNetBuilder {
  public:
    MobileNetBuilder(BuiltinPrecision precision, std::uint32_t seed)
        : isQuantized_(precision == BuiltinPrecision::QUANT8), random_(seed) {}

    std::uint32_t addTensor(Dimensions dimensions, const Quantization& quantization) {
        return isQuantized_
                   ? model_.addTensor(OperandType::TENSOR_QUANT8_ASYMM, std::move(dimensions),
                                      quantization.scale, quantization.zeroPoint)
                   : model_.addTensor(OperandType::TENSOR_FLOAT32, std::move(dimensions));
    }

    Image addImage(std::uint32_t size, std::uint32_t channels, const Quantization& quantization) {
        return {addTensor({1, size, size, channels}, quantization), size, channels,
                quantization.scale};
    }

    /// A convolution of kernelSize x kernelSize with RELU6.
    Image addConvolution(const Image& input, std::uint32_t kernelSize, std::uint32_t stride,
                         std::uint32_t channels) {
        const Image output = addImage(input.size / stride, channels, kActivations);
        const float taps = tapsInside(output.size, kernelSize, stride);
        const float fanIn = taps * taps * static_cast<float>(input.channels);
        addConvolution(input, output, kernelSize, stride, weightScale(fanIn),
                       FusedActivationFunc::RELU6);
        return output;
    }

    /// A depthwise convolution of 3x3 with RELU6.
    Image addDepthwiseConvolution(const Image& input, std::uint32_t stride) {
        constexpr std::uint32_t kKernelSize = 3;
        const Image output = addImage(input.size / stride, input.channels, kActivations);
        const float taps = tapsInside(output.size, kKernelSize, stride);
        const float scale = weightScale(taps * taps);
        const auto filter = addWeights({1, kKernelSize, kKernelSize, input.channels}, scale);
        const auto bias = addBias(input.channels, input.scale * scale);
        const auto step = model_.addScalar(static_cast<std::int32_t>(stride));
        model_.addOperation(
            OperationType::DEPTHWISE_CONV_2D,
            {input.operand, filter, bias, model_.addScalar(kPaddingSame), step, step,
             model_.addScalar(std::int32_t{1}), addActivation(FusedActivationFunc::RELU6)},
            {output.operand});
        return output;
    }

    /// An inverted residual block: pointwise to more channels, depthwise, pointwise without
    /// activation, and the input added where it has the same shape.
    Image addBottleneck(const Image& input, std::uint32_t expansion, std::uint32_t stride,
                        std::uint32_t channels) {
        Image inside = input;
        if (expansion != 1) {
            inside = addConvolution(input, 1, 1, input.channels * expansion);
        }
        inside = addDepthwiseConvolution(inside, stride);
        const Image projected = addImage(inside.size, channels, kLinear);
        addConvolution(inside, projected, 1, 1, weightScale(static_cast<float>(inside.channels)),
                       FusedActivationFunc::NONE);
        if (stride != 1 || channels != input.channels) {
            return projected;
        }
        const Image sum = addImage(projected.size, channels, kLinear);
        model_.addOperation(
            OperationType::ADD,
            {input.operand, projected.operand, addActivation(FusedActivationFunc::NONE)},
            {sum.operand});
        return sum;
    }

    /// The mean of each channel.
    Image addPooling(const Image& input) {
        const Image output = addImage(1, input.channels, kActivations);
        const auto step = model_.addScalar(std::int32_t{1});
        const auto size = model_.addScalar(static_cast<std::int32_t>(input.size));
        model_.addOperation(OperationType::AVERAGE_POOL_2D,
                            {input.operand, model_.addScalar(kPaddingValid), step, step, size, size,
                             addActivation(FusedActivationFunc::NONE)},
                            {output.operand});
        return output;
    }

    /// The classes' probabilities, [1, kClasses].
    std::uint32_t addClassifier(const Image& input) {
        // He's scale would leave all classes nearly equal: 8 bits could not tell them apart.
        constexpr float kContrast = 6.0F;
        const Image logits = addImage(1, kClasses, kLogits);
        addConvolution(input, logits, 1, 1,
                       kContrast * weightScale(static_cast<float>(input.channels)),
                       FusedActivationFunc::NONE);

        const std::array<std::int32_t, 2> shape{1, kClasses};
        const auto row = addTensor({1, kClasses}, kLogits);
        model_.addOperation(OperationType::RESHAPE,
                            {logits.operand, model_.addConstant(OperandType::TENSOR_INT32, {2},
                                                                std::as_bytes(std::span(shape)))},
                            {row});
        const auto probabilities = addTensor({1, kClasses}, kProbabilities);
        model_.addOperation(OperationType::SOFTMAX, {row, model_.addScalar(1.0F)}, {probabilities});
        return probabilities;
    }

    Result<Model> build(std::uint32_t input, std::uint32_t output) {
        return model_.build({input}, {output});
    }

  private:
    /// The number of the kernel's rows (or columns) that lie inside the image, on average over the
    /// output. With SAME padding one lies outside at either end, or at the far end only if the
    /// stride is 2.
    static float tapsInside(std::uint32_t outputSize, std::uint32_t kernelSize,
                            std::uint32_t stride) {
        if (kernelSize == 1) {
            return 1.0F;
        }
        const std::uint32_t outside = stride == 1 ? 2 : 1;
        return static_cast<float>(std::uint64_t{outputSize} * kernelSize - outside) /
               static_cast<float>(outputSize);
    }

    /// He et al., arXiv 1502.01852: weights of variance 2 / fanIn keep the mean square of
    /// activations from layer to layer. Even weights in [-limit, limit] have variance limit^2 / 3.
    static float weightScale(float fanIn) {
        return std::sqrt(6.0F / fanIn) / static_cast<float>(kWeightLimit);
    }

    void addConvolution(const Image& input, const Image& output, std::uint32_t kernelSize,
                        std::uint32_t stride, float scale, FusedActivationFunc activation) {
        const auto filter =
            addWeights({output.channels, kernelSize, kernelSize, input.channels}, scale);
        const auto bias = addBias(output.channels, input.scale * scale);
        const auto step = model_.addScalar(static_cast<std::int32_t>(stride));
        model_.addOperation(OperationType::CONV_2D,
                            {input.operand, filter, bias, model_.addScalar(kPaddingSame), step,
                             step, addActivation(activation)},
                            {output.operand});
    }

    std::uint32_t addWeights(Dimensions dimensions, float scale) {
        constexpr std::int32_t kZeroPoint = 128;
        std::size_t count = 1;
        for (const std::uint32_t size : dimensions) {
            count *= size;
        }
        if (isQuantized_) {
            std::vector<std::uint8_t> weights(count);
            std::generate(weights.begin(), weights.end(), [&] {
                return static_cast<std::uint8_t>(random_.next(kWeightLimit) + kZeroPoint);
            });
            return model_.addConstant(OperandType::TENSOR_QUANT8_ASYMM, std::move(dimensions),
                                      std::as_bytes(std::span(weights)), scale, kZeroPoint);
        }
        std::vector<float> weights(count);
        std::generate(weights.begin(), weights.end(),
                      [&] { return static_cast<float>(random_.next(kWeightLimit)) * scale; });
        return model_.addConstant(OperandType::TENSOR_FLOAT32, std::move(dimensions),
                                  std::as_bytes(std::span(weights)));
    }

    std::uint32_t addBias(std::uint32_t channels, float scale) {
        const auto limit = static_cast<std::int32_t>(kBiasLimit / scale);
        if (isQuantized_) {
            std::vector<std::int32_t> bias(channels);
            std::generate(bias.begin(), bias.end(), [&] { return random_.next(limit); });
            return model_.addConstant(OperandType::TENSOR_INT32, {channels},
                                      std::as_bytes(std::span(bias)), scale);
        }
        std::vector<float> bias(channels);
        std::generate(bias.begin(), bias.end(),
                      [&] { return static_cast<float>(random_.next(limit)) * scale; });
        return model_.addConstant(OperandType::TENSOR_FLOAT32, {channels},
                                  std::as_bytes(std::span(bias)));
    }

    std::uint32_t addActivation(FusedActivationFunc activation) {
        return model_.addScalar(static_cast<std::int32_t>(activation));
    }

    bool isQuantized_;
    SeededIntegers random_;
    ModelBuilder model_;
};

Result<> checkOptions(float width, std::uint32_t resolution) {
    if (!(width > 0.0F && width <= 4.0F)) {
        return invalid("MobileNet of width {}: must be more than 0 and at most 4", width);
    }
    if (resolution == 0 || resolution % 32 != 0) {
        return invalid("MobileNet of resolution {}: must be a multiple of 32", resolution);
    }
    return {};
}

/// Channels of a network that is wider or narrower by this factor.
auto scaleOf(float width) {
    return [width](std::uint32_t channels) {
        return std::max(8U, static_cast<std::uint32_t>(static_cast<float>(channels) * width));
    };
}

}  // namespace

Result<Model> makeMobileNetV2(const MobileNetV2Options& options) {
    NNBURST_TRY(checkOptions(options.width, options.resolution));
    const auto scaled = scaleOf(options.width);
    MobileNetBuilder builder(options.precision, options.seed);
    const Image input = builder.addImage(options.resolution, 3, kPixels);
    Image image = builder.addConvolution(input, 3, 2, scaled(32));
    for (const auto& [expansion, channels, count, stride] : kBottlenecks) {
        for (std::uint32_t block = 0; block < count; ++block) {
            image =
                builder.addBottleneck(image, expansion, block == 0 ? stride : 1, scaled(channels));
        }
    }
    image = builder.addConvolution(image, 1, 1, std::max(kLastChannels, scaled(kLastChannels)));
    return builder.build(input.operand, builder.addClassifier(builder.addPooling(image)));
}

Result<Model> makeMobileNetV1(const MobileNetV1Options& options) {
    NNBURST_TRY(checkOptions(options.width, options.resolution));
    const auto scaled = scaleOf(options.width);
    MobileNetBuilder builder(options.precision, options.seed);
    const Image input = builder.addImage(options.resolution, 3, kPixels);
    Image image = builder.addConvolution(input, 3, 2, scaled(32));
    for (const auto& [stride, channels] : kPairs) {
        image = builder.addDepthwiseConvolution(image, stride);
        image = builder.addConvolution(image, 1, 1, scaled(channels));
    }
    return builder.build(input.operand, builder.addClassifier(builder.addPooling(image)));
}

}  // namespace nnburst
