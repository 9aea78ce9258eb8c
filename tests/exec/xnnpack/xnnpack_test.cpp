// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// XNNPACK's operators against the reference kernels, over seeded sweeps of everything that the
// operations can be asked for, and the arguments on which Debian's XNNPACK aborts or errs.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "exec/reference/dispatch.h"
#include "support/kernel_comparison.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
constexpr auto kUnsigned = OperandType::TENSOR_QUANT8_ASYMM;
constexpr auto kSigned = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
constexpr auto kHalf = OperandType::TENSOR_FLOAT16;
constexpr auto kPerChannel = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;

struct Quantization {
    float scale = 0.0F;
    std::int32_t zeroPoint = 0;
};

Quantization randomQuantization(Random& random, OperandType type, float minimum, float maximum) {
    if (type == kFloat || type == kHalf) {
        return {};
    }
    return {random.real(minimum, maximum),
            type == kUnsigned ? random.integer(0, 255) : random.integer(-128, 127)};
}

std::size_t elementCount(const Dimensions& dimensions) {
    return Shape(dimensions).elementCount();
}

/// Builds models of one operation.
class OperationModel {
  public:
    explicit OperationModel(Random& random) : random_(random) {}

    std::uint32_t tensor(OperandType type, Dimensions dimensions, Quantization quantization) {
        return builder_.addTensor(type, std::move(dimensions), quantization.scale,
                                  quantization.zeroPoint);
    }
    std::uint32_t constant(OperandType type, Dimensions dimensions, Quantization quantization,
                           OperandExtraParams extraParams = {}) {
        const auto bytes = random_.elements(type, elementCount(dimensions));
        return builder_.addConstant(type, std::move(dimensions), bytes, quantization.scale,
                                    quantization.zeroPoint, std::move(extraParams));
    }
    std::vector<std::uint32_t> scalars(const std::vector<std::int32_t>& values) {
        std::vector<std::uint32_t> indexes;
        for (const std::int32_t value : values) {
            indexes.push_back(builder_.addScalar(value));
        }
        return indexes;
    }
    /// A FLOAT16 beside float16 tensors, else a FLOAT32.
    std::uint32_t scalar(OperandType tensorType, float value) {
        const Float16 half(value);
        return tensorType == kHalf ? builder_.addConstant(OperandType::FLOAT16, {},
                                                          std::as_bytes(std::span(&half, 1)))
                                   : builder_.addScalar(value);
    }
    std::uint32_t boolean(bool value) { return builder_.addScalar(value); }
    std::uint32_t integers(const std::vector<std::int32_t>& values) {
        return builder_.addConstant(OperandType::TENSOR_INT32,
                                    {static_cast<std::uint32_t>(values.size())}, bytesOf(values));
    }

    Model build(OperationType type, std::vector<std::uint32_t> inputs,
                const std::vector<std::uint32_t>& arguments, std::vector<std::uint32_t> modelInputs,
                std::uint32_t output) {
        inputs.insert(inputs.end(), arguments.begin(), arguments.end());
        builder_.addOperation(type, std::move(inputs), {output});
        auto model = builder_.build(std::move(modelInputs), {output});
        EXPECT_TRUE(model) << model.error().message;
        return model ? std::move(*model) : Model();
    }

  private:
    Random& random_;
    ModelBuilder builder_;
};

/// The arguments of a convolution or pooling along one axis.
struct Axis {
    std::uint32_t input = 0;
    std::uint32_t window = 0;
    std::int32_t stride = 1;
    std::int32_t dilation = 1;
    std::int32_t before = 0;
    std::int32_t after = 0;

    [[nodiscard]] std::int64_t outputs(std::int32_t scheme) const {
        const std::int64_t extent = std::int64_t{window - 1} * dilation + 1;
        if (scheme == 1) {
            return (std::int64_t{input} + stride - 1) / stride;
        }
        const std::int64_t padded = std::int64_t{input} + (scheme == 0 ? before + after : 0);
        return padded < extent ? 0 : (padded - extent) / stride + 1;
    }
};

Axis randomAxis(Random& random, bool isDilated) {
    Axis axis;
    axis.input = random.size(1, 14);
    axis.window = random.size(1, 5);
    axis.stride = random.integer(1, 4);
    axis.dilation = isDilated ? random.integer(1, 3) : 1;
    const auto largest = static_cast<std::int32_t>(axis.window) - 1;
    axis.before = random.integer(0, largest);
    axis.after = random.integer(0, largest);
    return axis;
}

/// Padding, then strides: the arguments that all spatial operations begin with. Scheme 0 is
/// explicit.
std::vector<std::int32_t> spatialArguments(std::int32_t scheme, const Axis& height,
                                           const Axis& width) {
    std::vector<std::int32_t> arguments;
    if (scheme == 0) {
        arguments = {width.before, width.after, height.before, height.after};
    } else {
        arguments = {scheme};
    }
    arguments.push_back(width.stride);
    arguments.push_back(height.stride);
    return arguments;
}

enum class Kind { FLOAT, HALF, UNSIGNED, SIGNED, PER_CHANNEL, UNSIGNED_PER_CHANNEL };

bool isPerChannel(Kind kind) {
    return kind == Kind::PER_CHANNEL || kind == Kind::UNSIGNED_PER_CHANNEL;
}

std::string kindName(const testing::TestParamInfo<Kind>& info) {
    constexpr std::array kNames{"float32", "float16",    "unsigned",
                                "signed",  "perChannel", "unsignedPerChannel"};
    return kNames[static_cast<std::size_t>(info.param)];
}

OperandType elementType(Kind kind) {
    switch (kind) {
        case Kind::FLOAT:
            return kFloat;
        case Kind::HALF:
            return kHalf;
        case Kind::UNSIGNED:
        case Kind::UNSIGNED_PER_CHANNEL:
            return kUnsigned;
        default:
            return kSigned;
    }
}

/// The axes of an image [batches, height, width, channels] in one of the two layouts.
Dimensions image(bool isNchw, std::uint32_t batches, std::uint32_t height, std::uint32_t width,
                 std::uint32_t channels) {
    return isNchw ? Dimensions{batches, channels, height, width}
                  : Dimensions{batches, height, width, channels};
}

class XnnpackSweep : public testing::TestWithParam<Kind> {
  protected:
    /// Compares `make`'s models with the reference, and requires that XNNPACK takes at least
    /// `covered` of 100 of them.
    template <class Make>
    void sweep(int rounds, int covered, Make make) {
        int coveredRounds = 0;
        for (int round = 0; round < rounds; ++round) {
            const auto seed = static_cast<std::uint32_t>(round + 1);
            SCOPED_TRACE("seed " + std::to_string(seed));
            Random random(seed);
            const Model model = make(random);
            coveredRounds += isCoveredByXnnpack(model) ? 1 : 0;
            expectSameAsReference(model, seed);
            if (HasFailure()) {
                return;
            }
        }
        EXPECT_GE(coveredRounds * 100, covered * rounds) << coveredRounds << " of " << rounds;
    }

    OperandType type_ = elementType(GetParam());
};

/// Scales such that outputs spread over their range.
Quantization convolutionOutput(Random& random, OperandType type, std::size_t taps) {
    return randomQuantization(random, type, 0.02F * std::sqrt(static_cast<float>(taps)),
                              0.1F * std::sqrt(static_cast<float>(taps)));
}

class ConvolutionSweep : public XnnpackSweep {
  protected:
    Model makeConvolution(Random& random, bool isDepthwise) const {
        const Kind kind = GetParam();
        OperationModel model(random);
        const std::int32_t scheme = random.integer(0, 2);
        const bool isDilated = random.integer(0, 3) == 0;
        Axis height;
        Axis width;
        do {
            height = randomAxis(random, isDilated);
            width = randomAxis(random, isDilated);
        } while (height.outputs(scheme) < 1 || width.outputs(scheme) < 1);
        const std::uint32_t batches = random.size(1, 3);
        const std::uint32_t inputs = random.size(1, 20);
        const std::uint32_t multiplier = isDepthwise ? random.oneOf({1U, 1U, 2U, 3U}) : 1;
        const std::uint32_t outputs = isDepthwise ? inputs * multiplier : random.size(1, 20);
        const Dimensions filterDimensions =
            isDepthwise ? Dimensions{1, height.window, width.window, outputs}
                        : Dimensions{outputs, height.window, width.window, inputs};

        const Quantization input = randomQuantization(random, type_, 0.01F, 0.1F);
        OperandExtraParams extraParams;
        Quantization filter = randomQuantization(random, type_, 0.01F, 0.1F);
        Quantization bias{input.scale * filter.scale, 0};
        if (kind == Kind::SIGNED) {
            filter.zeroPoint = 0;
        } else if (isPerChannel(kind)) {
            SymmPerChannelQuantParams channels{.channelDim = isDepthwise ? 3U : 0U};
            for (std::uint32_t channel = 0; channel < outputs; ++channel) {
                channels.scales.push_back(random.real(0.01F, 0.1F));
            }
            extraParams = std::move(channels);
            filter = {};
            bias = {};
        }
        const bool isNchw = random.integer(0, 4) == 0;
        const auto x =
            model.tensor(type_, image(isNchw, batches, height.input, width.input, inputs), input);
        const auto w = model.constant(isPerChannel(kind) ? kPerChannel : type_, filterDimensions,
                                      filter, std::move(extraParams));
        const auto b = model.constant(isFloatTensor(type_) ? type_ : OperandType::TENSOR_INT32,
                                      {outputs}, bias);
        const std::size_t taps =
            std::size_t{height.window} * width.window * (isDepthwise ? 1 : inputs);
        const auto y =
            model.tensor(type_,
                         image(isNchw, batches, static_cast<std::uint32_t>(height.outputs(scheme)),
                               static_cast<std::uint32_t>(width.outputs(scheme)), outputs),
                         convolutionOutput(random, type_, taps));
        std::vector<std::int32_t> arguments = spatialArguments(scheme, height, width);
        if (isDepthwise) {
            arguments.push_back(static_cast<std::int32_t>(multiplier));
        }
        arguments.push_back(random.integer(0, 3));
        auto scalars = model.scalars(arguments);
        if (isDilated || isNchw) {
            scalars.push_back(model.boolean(isNchw));
        }
        if (isDilated) {
            const auto dilations = model.scalars({width.dilation, height.dilation});
            scalars.insert(scalars.end(), dilations.begin(), dilations.end());
        }
        return model.build(isDepthwise ? OperationType::DEPTHWISE_CONV_2D : OperationType::CONV_2D,
                           {x, w, b}, scalars, {x}, y);
    }
};

TEST_P(ConvolutionSweep, conv2dIsAsTheReference) {
    sweep(250, 90, [this](Random& random) { return makeConvolution(random, false); });
}

TEST_P(ConvolutionSweep, depthwiseConv2dIsAsTheReference) {
    sweep(250, 90, [this](Random& random) { return makeConvolution(random, true); });
}

INSTANTIATE_TEST_SUITE_P(Xnnpack, ConvolutionSweep,
                         testing::Values(Kind::FLOAT, Kind::HALF, Kind::UNSIGNED, Kind::SIGNED,
                                         Kind::PER_CHANNEL, Kind::UNSIGNED_PER_CHANNEL),
                         kindName);

class OperatorSweep : public XnnpackSweep {
  protected:
    Model makePooling(Random& random, OperationType type) const {
        OperationModel model(random);
        const std::int32_t scheme = random.integer(0, 2);
        Axis height;
        Axis width;
        do {
            height = randomAxis(random, false);
            width = randomAxis(random, false);
            if (random.integer(0, 3) == 0) {  // the whole image
                height.window = height.input;
                width.window = width.input;
                height.before = height.after = width.before = width.after = 0;
            }
        } while (height.outputs(scheme) < 1 || width.outputs(scheme) < 1);
        const std::uint32_t batches = random.size(1, 3);
        const std::uint32_t channels = random.size(1, 40);
        const Quantization quantization = randomQuantization(random, type_, 0.005F, 0.1F);
        const bool isNchw = random.integer(0, 4) == 0;
        const auto x = model.tensor(
            type_, image(isNchw, batches, height.input, width.input, channels), quantization);
        const auto y =
            model.tensor(type_,
                         image(isNchw, batches, static_cast<std::uint32_t>(height.outputs(scheme)),
                               static_cast<std::uint32_t>(width.outputs(scheme)), channels),
                         quantization);
        std::vector<std::int32_t> arguments = spatialArguments(scheme, height, width);
        arguments.push_back(static_cast<std::int32_t>(width.window));
        arguments.push_back(static_cast<std::int32_t>(height.window));
        arguments.push_back(random.integer(0, 3));
        auto scalars = model.scalars(arguments);
        if (isNchw) {
            scalars.push_back(model.boolean(true));
        }
        return model.build(type, {x}, scalars, {x}, y);
    }
};

TEST_P(OperatorSweep, averagePool2dIsAsTheReference) {
    // Of quantised images only those without padding are covered, of signed ones whole images.
    // The release of 2024 is not asked for quantised ones: it rounds them otherwise.
    const bool isQuantized = type_ == kUnsigned || type_ == kSigned;
    const int covered = NNBURST_XNNPACK_RELEASE >= 2024 && isQuantized ? 0
                        : GetParam() == Kind::FLOAT                    ? 80
                        : GetParam() == Kind::UNSIGNED                 ? 40
                                                                       : 15;
    sweep(250, covered,
          [this](Random& random) { return makePooling(random, OperationType::AVERAGE_POOL_2D); });
}

TEST_P(OperatorSweep, maxPool2dIsAsTheReference) {
    // The release of 2024 refuses strides that are larger than the window: half of these.
    sweep(250, NNBURST_XNNPACK_RELEASE >= 2024 ? 45 : 80,
          [this](Random& random) { return makePooling(random, OperationType::MAX_POOL_2D); });
}

TEST_P(OperatorSweep, fullyConnectedIsAsTheReference) {
    sweep(250, 90, [this](Random& random) {
        OperationModel model(random);
        const std::uint32_t batches = random.size(1, 5);
        const std::uint32_t inputs = random.size(1, 90);
        const std::uint32_t units = random.size(1, 40);
        const Quantization input = randomQuantization(random, type_, 0.01F, 0.1F);
        Quantization weights = randomQuantization(random, type_, 0.01F, 0.1F);
        if (type_ == kSigned) {
            weights.zeroPoint = 0;
        }
        // Two or four axes, whose product is batches * inputs.
        const auto x = model.tensor(
            type_, random.flip() ? Dimensions{batches, inputs} : Dimensions{1, batches, 1, inputs},
            input);
        const auto w = model.constant(type_, {units, inputs}, weights);
        const auto b = model.constant(isFloatTensor(type_) ? type_ : OperandType::TENSOR_INT32,
                                      {units}, {input.scale * weights.scale, 0});
        const auto y =
            model.tensor(type_, {batches, units}, convolutionOutput(random, type_, inputs));
        return model.build(OperationType::FULLY_CONNECTED, {x, w, b},
                           model.scalars({random.integer(0, 3)}), {x}, y);
    });
}

TEST_P(OperatorSweep, addIsAsTheReference) {
    sweep(400, 85, [this](Random& random) {
        OperationModel model(random);
        Dimensions shape(random.size(1, 4));
        for (std::uint32_t& size : shape) {
            size = random.size(1, 7);
        }
        Dimensions other = shape;
        if (random.flip()) {  // broadcast
            for (std::uint32_t& size : other) {
                size = random.flip() ? 1 : size;
            }
            other.erase(other.begin(),
                        other.begin() + random.integer(0, 1) * static_cast<int>(other.size() > 1));
        }
        // Scales of inputs over that of the output: from 2^-11, which is refused, to 2^9.
        const auto quantization = [&] {
            return isFloatTensor(type_)
                       ? Quantization{}
                       : Quantization{std::exp2(random.real(-4.0F, 4.0F)),
                                      randomQuantization(random, type_, 1, 2).zeroPoint};
        };
        const auto a = model.tensor(type_, shape, quantization());
        const bool isConstant = random.integer(0, 3) == 0;
        const auto b = isConstant ? model.constant(type_, other, quantization())
                                  : model.tensor(type_, other, quantization());
        const auto y = model.tensor(type_, shape, quantization());
        const std::vector<std::uint32_t> inputs =
            isConstant ? std::vector<std::uint32_t>{a} : std::vector<std::uint32_t>{a, b};
        return model.build(OperationType::ADD, {a, b}, model.scalars({random.integer(0, 3)}),
                           inputs, y);
    });
}

TEST_P(OperatorSweep, softmaxIsAsTheReference) {
    const int covered = isFloatTensor(type_) ? 40 : type_ == kUnsigned ? 90 : 0;
    sweep(250, covered, [this](Random& random) {
        OperationModel model(random);
        const std::uint32_t rows = random.size(1, 5);
        const std::uint32_t channels = random.size(1, 1200);
        const Dimensions shape =
            random.flip() ? Dimensions{rows, channels} : Dimensions{1, rows, 1, channels};
        const auto x = model.tensor(type_, shape, randomQuantization(random, type_, 0.01F, 0.5F));
        const auto y =
            model.tensor(type_, shape,
                         isFloatTensor(type_) ? Quantization{}
                                              : Quantization{0x1p-8F, type_ == kSigned ? -128 : 0});
        const float beta = random.flip() ? 1.0F : random.real(0.1F, 2.0F);
        return model.build(OperationType::SOFTMAX, {x}, {model.scalar(type_, beta)}, {x}, y);
    });
}

INSTANTIATE_TEST_SUITE_P(Xnnpack, OperatorSweep,
                         testing::Values(Kind::FLOAT, Kind::HALF, Kind::UNSIGNED, Kind::SIGNED),
                         kindName);

/// RELU6 of `elements`, whose scale is 0.096.
std::vector<std::uint8_t> relu6Of(const std::vector<std::uint8_t>& elements, bool useXnnpack) {
    Random random(1);
    OperationModel model(random);
    const Dimensions dimensions{static_cast<std::uint32_t>(elements.size())};
    const auto x = model.tensor(kUnsigned, dimensions, {0.096F, 0});
    const auto y = model.tensor(kUnsigned, dimensions, {0.096F, 0});
    const Model relu6 = model.build(OperationType::RELU6, {x}, {}, {x}, y);
    EXPECT_TRUE(isCoveredByXnnpack(relu6));
    const auto compiled = compile(relu6, useXnnpack, 1, false);
    TestRequest request;
    request.addInput(bytesOf(elements));
    request.addOutput(elements.size());
    const auto run = request.run(*compiled);
    EXPECT_TRUE(run) << run.error().message;
    std::vector<std::uint8_t> results(elements.size());
    std::memcpy(results.data(), request.output(0).data(), results.size());
    return results;
}

TEST(Xnnpack, clampsToTheSameBoundOfAnActivationAsTheReference) {
    std::vector<std::uint8_t> elements;
    std::vector<std::uint8_t> clamped;  // to 6 / 0.096, which is 62.5 as a float
    for (std::uint8_t element = 60; element <= 70; ++element) {
        elements.push_back(element);
        clamped.push_back(std::min<std::uint8_t>(element, 63));
    }
    EXPECT_EQ(relu6Of(elements, false), clamped);
    EXPECT_EQ(relu6Of(elements, true), clamped);
}

// ---- Arguments on which Debian's XNNPACK aborts or errs

/// A 3x3 convolution of a 4x4 image with the given scales.
Model convolutionWithScales(float input, float filter, float output) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kUnsigned, {1, 4, 4, 2}, {input, 100});
    const auto w = model.constant(kUnsigned, {3, 3, 3, 2}, {filter, 100});
    const auto b = model.constant(OperandType::TENSOR_INT32, {3}, {input * filter, 0});
    const auto y = model.tensor(kUnsigned, {1, 4, 4, 3}, {output, 100});
    return model.build(OperationType::CONV_2D, {x, w, b}, model.scalars({1, 1, 1, 0}), {x}, y);
}

TEST(Xnnpack, isNotAskedForRequantisationBelowTwoToTheMinus32) {
    const Model model = convolutionWithScales(0x1p-20F, 0x1p-20F, 1.0F);
    EXPECT_FALSE(isCoveredByXnnpack(model));
    expectSameAsReference(model, 1);
    EXPECT_TRUE(isCoveredByXnnpack(convolutionWithScales(0x1p-16F, 0x1p-16F, 1.0F)));
}

TEST(Xnnpack, isNotAskedForScalesThatOverflowOrVanish) {
    EXPECT_FALSE(isCoveredByXnnpack(convolutionWithScales(1e30F, 1e8F, 1e-30F)));
    EXPECT_FALSE(isCoveredByXnnpack(convolutionWithScales(16.0F, 16.0F, 1.0F)));
    EXPECT_FALSE(isCoveredByXnnpack(convolutionWithScales(1e-40F, 1.0F, 1e-40F)));
}

TEST(Xnnpack, isNotAskedForActivationsOfOneValue) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kUnsigned, {1, 8}, {0.5F, 0});
    const auto z = model.tensor(kUnsigned, {1, 8}, {0.5F, 0});
    const auto y = model.tensor(kUnsigned, {1, 8}, {0.5F, 255});
    // RELU above a zero point of 255 leaves 255 alone.
    const Model one = model.build(OperationType::ADD, {x, z}, model.scalars({1}), {x, z}, y);
    EXPECT_FALSE(isCoveredByXnnpack(one));
    expectSameAsReference(one, 1);
}

TEST(Xnnpack, isNotAskedForAWindowLargerThanItsImage) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kFloat, {1, 2, 2, 1}, {});
    const auto w = model.constant(kFloat, {1, 3, 3, 1}, {});
    const auto b = model.constant(kFloat, {1}, {});
    const auto y = model.tensor(kFloat, {1, 1, 1, 1}, {});
    const Model tooLarge =
        model.build(OperationType::CONV_2D, {x, w, b}, model.scalars({2, 1, 1, 0}), {x}, y);
    const auto compiled = CompiledModel::compile(makeEngine(true), tooLarge);
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(compiled.error().message.find("operation 0"), std::string::npos)
        << compiled.error().message;
}

TEST(Xnnpack, isNotAskedForFewerTransposedOutputsThanTheStride) {
    Random random(1);
    for (const OperandType type : {kFloat, kUnsigned}) {
        OperationModel model(random);
        const bool isFloat = type == kFloat;
        const Quantization quantization = isFloat ? Quantization{} : Quantization{0.5F, 100};
        const auto x = model.tensor(type, {1, 7, 1, 3}, quantization);
        const auto w = model.constant(type, {7, 4, 6, 3}, quantization);
        const auto b = model.constant(isFloat ? kFloat : OperandType::TENSOR_INT32, {7},
                                      isFloat ? Quantization{} : Quantization{0.25F, 0});
        const auto y =
            model.tensor(type, {1, 8, 1, 7}, isFloat ? Quantization{} : Quantization{50.0F, 100});
        std::vector<std::uint32_t> arguments = model.scalars({2, 3, 0, 2, 3, 1, 0});
        arguments.push_back(model.boolean(false));
        const Model few =
            model.build(OperationType::TRANSPOSE_CONV_2D, {x, w, b}, arguments, {x}, y);
        EXPECT_FALSE(isCoveredByXnnpack(few));
        expectSameAsReference(few, 1);
    }
}

TEST(Xnnpack, isNotAskedForTransposedOutputsAfterTheLastWindow) {
    Random random(1);
    for (const OperandType type : {kFloat, kUnsigned, kSigned}) {
        for (const std::uint32_t window : {1U, 2U}) {
            OperationModel model(random);
            const bool isFloat = type == kFloat;
            const Quantization quantization = isFloat ? Quantization{} : Quantization{0.5F, 0};
            const auto x = model.tensor(type, {1, 3, 4, 5}, quantization);
            const auto w = model.constant(type, {6, window, window, 5}, quantization);
            const auto b = model.constant(isFloat ? kFloat : OperandType::TENSOR_INT32, {6},
                                          isFloat ? Quantization{} : Quantization{0.25F, 0});
            const auto y = model.tensor(type, {1, 4 + window + 2, 6 + window + 1, 6},
                                        isFloat ? Quantization{} : Quantization{50.0F, 0});
            std::vector<std::uint32_t> arguments = model.scalars({0, -1, 0, -2, 2, 2, 0});
            arguments.push_back(model.boolean(false));
            const Model longer =
                model.build(OperationType::TRANSPOSE_CONV_2D, {x, w, b}, arguments, {x}, y);
            EXPECT_FALSE(isCoveredByXnnpack(longer));
            expectSameAsReference(longer, 1);
        }
    }
}

TEST(Xnnpack, isNotAskedForMoreTapsThanAnyKernel) {
    for (const auto& [size, window] : {std::pair{20000U, 50U}, std::pair{4000U, 3U}}) {
        Random random(1);
        OperationModel model(random);
        const auto x = model.tensor(kUnsigned, {1, size, size, 1}, {0.5F, 0});
        const auto w = model.constant(kUnsigned, {1, window, window, 1}, {0.5F, 0});
        const auto b = model.constant(OperandType::TENSOR_INT32, {1}, {0.25F, 0});
        const auto y = model.tensor(kUnsigned, {1, size, size, 1}, {1.0F, 0});
        EXPECT_FALSE(isCoveredByXnnpack(
            model.build(OperationType::CONV_2D, {x, w, b}, model.scalars({1, 1, 1, 0}), {x}, y)));
    }
}

/// Whether XNNPACK takes a TRANSPOSE_CONV_2D of one pixel to as many as the filter has.
bool isTransposedConvolutionCovered(std::uint32_t size) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kFloat, {1, 1, 1, 1}, {});
    const auto w = model.constant(kFloat, {1, size, size, 1}, {});
    const auto b = model.constant(kFloat, {1}, {});
    const auto y = model.tensor(kFloat, {1, size, size, 1}, {});
    std::vector<std::uint32_t> arguments = model.scalars({0, 0, 0, 0, 1, 1, 0});
    arguments.push_back(model.boolean(false));
    return isCoveredByXnnpack(
        model.build(OperationType::TRANSPOSE_CONV_2D, {x, w, b}, arguments, {x}, y));
}

/// Whether XNNPACK takes a CONV_2D of two windows of `size` x `size`, which cannot be sliced.
bool isLargeWindowCovered(std::uint32_t size) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kUnsigned, {1, size, size + 1, 1}, {0.5F, 0});
    const auto w = model.constant(kUnsigned, {1, size, size, 1}, {0.5F, 0});
    const auto b = model.constant(OperandType::TENSOR_INT32, {1}, {0.25F, 0});
    const auto y = model.tensor(kUnsigned, {1, 1, 2, 1}, {1.0F, 0});
    return isCoveredByXnnpack(
        model.build(OperationType::CONV_2D, {x, w, b}, model.scalars({2, 1, 1, 0}), {x}, y));
}

/// Whether XNNPACK takes a MAX_POOL_2D of windows of 3x3, which share columns.
bool isMaxPoolCovered(std::uint32_t size) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kFloat, {1, size, size, 1}, {});
    const auto y = model.tensor(kFloat, {1, size - 2, size - 2, 1}, {});
    return isCoveredByXnnpack(
        model.build(OperationType::MAX_POOL_2D, {x}, model.scalars({2, 1, 1, 3, 3, 0}), {x}, y));
}

TEST(Xnnpack, isNotAskedForTablesOfMoreThanOneGibibyte) {
    EXPECT_TRUE(isTransposedConvolutionCovered(48));
    EXPECT_FALSE(isTransposedConvolutionCovered(112));
    EXPECT_TRUE(isLargeWindowCovered(500));
    EXPECT_FALSE(isLargeWindowCovered(2800));
    EXPECT_TRUE(isMaxPoolCovered(2000));
    EXPECT_FALSE(isMaxPoolCovered(7000));
}

TEST(Xnnpack, transposesLargeStridesWithoutATable) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kFloat, {1, 64, 64, 1}, {});
    const auto w = model.constant(kFloat, {1, 16, 16, 1}, {});
    const auto b = model.constant(kFloat, {1}, {});
    const auto y = model.tensor(kFloat, {1, 1024, 1024, 1}, {});
    std::vector<std::uint32_t> arguments = model.scalars({0, 0, 0, 0, 16, 16, 0});
    arguments.push_back(model.boolean(false));
    EXPECT_TRUE(isCoveredByXnnpack(
        model.build(OperationType::TRANSPOSE_CONV_2D, {x, w, b}, arguments, {x}, y)));
}

/// Whether a convolution of 1x1 pixel shares its operator among all sizes of images.
bool isSharedAmongSizes(OperationType type, OperandType element, std::uint32_t channels) {
    Random random(1);
    OperationModel model(random);
    const bool isFloat = element == kFloat;
    const bool isDepthwise = type == OperationType::DEPTHWISE_CONV_2D;
    const auto scaled = [isFloat](float scale) {
        return isFloat ? Quantization{} : Quantization{scale, 0};
    };
    const auto x = model.tensor(element, {1, 4, 5, channels}, scaled(0.5F));
    const auto w =
        model.constant(element, {isDepthwise ? 1U : channels, 1, 1, channels}, scaled(0.5F));
    const auto b =
        model.constant(isFloat ? kFloat : OperandType::TENSOR_INT32, {channels}, scaled(0.25F));
    const auto y = model.tensor(element, {1, 4, 5, channels}, scaled(8.0F));
    const auto arguments =
        model.scalars(isDepthwise ? std::vector{2, 1, 1, 1, 0} : std::vector{2, 1, 1, 0});
    const Model built = model.build(type, {x, w, b}, arguments, {x}, y);
    EXPECT_TRUE(makeEngine(true));  // initialises XNNPACK
    const auto graph = Graph::create(built, built.main);
    EXPECT_TRUE(graph);
    ShapeInference shapes(**graph);
    EXPECT_TRUE(shapes.visit(0));
    xnnpack::OperatorCache operators;
    const OperationInstance operation = shapes.operation(0);
    const auto step = xnnpack::makeStep(operation.view(), {.operators = &operators});
    EXPECT_TRUE(step && *step != nullptr);
    const bool isShared = operators.find({.operation = 0, .height = 0, .width = 0}) != nullptr;
    EXPECT_NE(operators.find({.operation = 0, .height = 4, .width = 5}) != nullptr, isShared);
    return isShared;
}

TEST(Xnnpack, sharesOperatorsAmongSizesOfImagesUnlessTheyMayHaveTables) {
    using enum OperationType;
    for (const OperandType type : {kFloat, kUnsigned, kSigned}) {
        EXPECT_TRUE(isSharedAmongSizes(CONV_2D, type, 8));
        EXPECT_EQ(isSharedAmongSizes(CONV_2D, type, 1), type == kFloat);
        EXPECT_EQ(isSharedAmongSizes(DEPTHWISE_CONV_2D, type, 8), type == kFloat);
    }
}

Model meanOfChannels(std::uint32_t channels, std::uint32_t rows = 8) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kFloat, {1, rows, channels}, {});
    const auto y = model.tensor(kFloat, {1, channels}, {});
    return model.build(OperationType::MEAN, {x, model.integers({1})}, model.scalars({0}), {x}, y);
}

Model averageOfChannels(std::uint32_t channels, std::uint32_t size = 4) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kFloat, {1, size, size, channels}, {});
    const auto y = model.tensor(kFloat, {1, 1, 1, channels}, {});
    const auto window = static_cast<std::int32_t>(size);
    return model.build(OperationType::AVERAGE_POOL_2D, {x},
                       model.scalars({2, 1, 1, window, window, 0}), {x}, y);
}

Model convolutionWithAScaleForEachOf(std::uint32_t channels) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kSigned, {1, 1, 1, 1}, {0.5F, 0});
    const auto w = model.constant(
        kPerChannel, {channels, 1, 1, 1}, {},
        SymmPerChannelQuantParams{.scales = std::vector<float>(channels, 0.5F), .channelDim = 0});
    const auto b = model.constant(OperandType::TENSOR_INT32, {channels}, {});
    const auto y = model.tensor(kSigned, {1, 1, 1, channels}, {8.0F, 0});
    return model.build(OperationType::CONV_2D, {x, w, b}, model.scalars({2, 1, 1, 0}), {x}, y);
}

TEST(Xnnpack, isNotAskedForMoreChannelsThanTheStackHolds) {
    for (const std::uint32_t channels : {1U << 16, (1U << 16) + 1}) {
        const bool isCovered = NNBURST_XNNPACK_RELEASE >= 2024 || channels == 1U << 16;
        EXPECT_EQ(isCoveredByXnnpack(meanOfChannels(channels)), isCovered);
        EXPECT_EQ(isCoveredByXnnpack(averageOfChannels(channels)), isCovered);
        EXPECT_EQ(isCoveredByXnnpack(convolutionWithAScaleForEachOf(channels)), isCovered);
    }
    expectSameAsReference(meanOfChannels((1U << 16) + 1), 1);
}

TEST(Xnnpack, isNotAskedForFloatAveragesThatWouldLoseDigits) {
    for (const std::uint32_t size : {128U, 129U}) {
        EXPECT_EQ(isCoveredByXnnpack(meanOfChannels(8, size * size)), size == 128);
        EXPECT_EQ(isCoveredByXnnpack(averageOfChannels(8, size)), size == 128);
    }
}

TEST(Xnnpack, isNotAskedForPoolingsThatNothingCouldEnd) {
    for (const OperationType type : {OperationType::AVERAGE_POOL_2D, OperationType::MAX_POOL_2D}) {
        for (const std::uint32_t images : {1U, 32U}) {  // 0.1 s and 4 s
            Random random(1);
            OperationModel model(random);
            const auto x = model.tensor(kFloat, {images, 256, 256, 8}, {});
            const auto y = model.tensor(kFloat, {images, 199, 199, 8}, {});
            const auto arguments = model.scalars({2, 1, 1, 58, 58, 0});
            EXPECT_EQ(isCoveredByXnnpack(model.build(type, {x}, arguments, {x}, y)), images == 1);
        }
    }
}

TEST(Xnnpack, isNotAskedForTransposedConvolutionsThatNothingCouldEnd) {
    for (const std::uint32_t images : {1U, 64U}) {  // 0.04 s and 2.6 s
        Random random(1);
        OperationModel model(random);
        const auto x = model.tensor(kFloat, {images, 64, 64, 64}, {});
        const auto w = model.constant(kFloat, {64, 10, 10, 64}, {});
        const auto b = model.constant(kFloat, {64}, {});
        const auto y = model.tensor(kFloat, {images, 73, 73, 64}, {});
        std::vector<std::uint32_t> arguments = model.scalars({0, 0, 0, 0, 1, 1, 0});
        arguments.push_back(model.boolean(false));
        EXPECT_EQ(isCoveredByXnnpack(
                      model.build(OperationType::TRANSPOSE_CONV_2D, {x, w, b}, arguments, {x}, y)),
                  images == 1);
    }
}

TEST(Xnnpack, isNotAskedForWeightsThatAreNotConstant) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kFloat, {2, 3}, {});
    const auto w = model.tensor(kFloat, {4, 3}, {});
    const auto b = model.constant(kFloat, {4}, {});
    const auto y = model.tensor(kFloat, {2, 4}, {});
    const Model open =
        model.build(OperationType::FULLY_CONNECTED, {x, w, b}, model.scalars({0}), {x, w}, y);
    EXPECT_FALSE(isCoveredByXnnpack(open));
    expectSameAsReference(open, 1);
}

TEST(Xnnpack, isNotAskedForFiltersOfConvolutionsThatAreNotConstant) {
    Random random(1);
    OperationModel model(random);
    const auto x = model.tensor(kFloat, {1, 4, 4, 2}, {});
    const auto w = model.tensor(kFloat, {3, 3, 3, 2}, {});
    const auto b = model.constant(kFloat, {3}, {});
    const auto y = model.tensor(kFloat, {1, 4, 4, 3}, {});
    const Model open =
        model.build(OperationType::CONV_2D, {x, w, b}, model.scalars({1, 1, 1, 0}), {x, w}, y);
    EXPECT_FALSE(isCoveredByXnnpack(open));
    expectSameAsReference(open, 1);
}

TEST(Xnnpack, isNotAskedForSignedFiltersWithAZeroPoint) {
    for (const std::int32_t zeroPoint : {0, 3}) {
        Random random(1);
        OperationModel model(random);
        const auto x = model.tensor(kSigned, {1, 4, 4, 2}, {0.5F, 1});
        const auto w = model.constant(kSigned, {3, 3, 3, 2}, {0.5F, zeroPoint});
        const auto b = model.constant(OperandType::TENSOR_INT32, {3}, {0.25F, 0});
        const auto y = model.tensor(kSigned, {1, 4, 4, 3}, {8.0F, 2});
        const Model convolution =
            model.build(OperationType::CONV_2D, {x, w, b}, model.scalars({1, 1, 1, 0}), {x}, y);
        EXPECT_EQ(isCoveredByXnnpack(convolution), zeroPoint == 0);
        expectSameAsReference(convolution, 1);
    }
}

}  // namespace
}  // namespace nnburst::exec
