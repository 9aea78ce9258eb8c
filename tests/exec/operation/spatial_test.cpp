// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/operation/spatial.h"

#include <gtest/gtest.h>

#include <deque>
#include <limits>

#include "exec/operation/activation.h"

namespace nnburst::exec {
namespace {

/// An operation whose tensors are empty and whose arguments are the given constants.
class Arguments {
  public:
    Arguments(OperationType type, std::size_t tensors, std::vector<std::int32_t> values)
        : type_(type), inputs_(tensors) {
        for (const std::int32_t value : values) {
            add(value);
        }
    }

    Arguments& add(std::int32_t value) {
        values_.push_back(value);
        inputs_.push_back({.type = OperandType::INT32,
                           .data = reinterpret_cast<std::byte*>(&values_.back()),
                           .isConstant = true});
        return *this;
    }
    Arguments& addBool(bool value) {
        add(value ? 1 : 0);
        inputs_.back().type = OperandType::BOOL;
        return *this;
    }
    std::vector<OperandView>& inputs() { return inputs_; }

    [[nodiscard]] OperationView view() const { return {type_, inputs_, {}, false}; }
    [[nodiscard]] Result<SpatialArguments> read(SpatialForm form) const {
        return readSpatialArguments(view(), form);
    }

  private:
    OperationType type_;
    std::deque<std::int32_t> values_;
    std::vector<OperandView> inputs_;
};

TEST(SpatialArguments, readsConvolutionWithExplicitPadding) {
    const auto read =
        Arguments(OperationType::CONV_2D, 3, {1, 2, 3, 4, 5, 6, 3}).read(SpatialForm::CONVOLUTION);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_FALSE(read->implicitPadding);
    EXPECT_EQ(read->width.paddingBefore, 1U);
    EXPECT_EQ(read->width.paddingAfter, 2U);
    EXPECT_EQ(read->height.paddingBefore, 3U);
    EXPECT_EQ(read->height.paddingAfter, 4U);
    EXPECT_EQ(read->width.stride, 5U);
    EXPECT_EQ(read->height.stride, 6U);
    EXPECT_EQ(read->activation, FusedActivationFunc::RELU6);
    EXPECT_FALSE(read->isNchw);
}

TEST(SpatialArguments, tellsImplicitFromExplicitPaddingOfTheSameLength) {
    // Seven scalars: padding scheme, strides, activation, layout, dilations.
    const auto read = Arguments(OperationType::CONV_2D, 3, {1, 2, 3, 0})
                          .addBool(true)
                          .add(4)
                          .add(5)
                          .read(SpatialForm::CONVOLUTION);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->implicitPadding, PaddingScheme::SAME);
    EXPECT_EQ(read->width.stride, 2U);
    EXPECT_EQ(read->height.stride, 3U);
    EXPECT_TRUE(read->isNchw);
    EXPECT_EQ(read->width.dilation, 4U);
    EXPECT_EQ(read->height.dilation, 5U);
}

TEST(SpatialArguments, takesNoPaddingSchemeForValid) {
    const auto read =
        Arguments(OperationType::CONV_2D, 3, {0, 1, 1, 0}).read(SpatialForm::CONVOLUTION);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->implicitPadding, PaddingScheme::VALID);
}

TEST(SpatialArguments, readsDepthwiseConvolution) {
    const auto implicit = Arguments(OperationType::DEPTHWISE_CONV_2D, 3, {2, 1, 1, 7, 1})
                              .read(SpatialForm::DEPTHWISE_CONVOLUTION);
    ASSERT_TRUE(implicit) << implicit.error().message;
    EXPECT_EQ(implicit->depthMultiplier, 7U);
    EXPECT_EQ(implicit->activation, FusedActivationFunc::RELU);
    const auto explicitOne =
        Arguments(OperationType::DEPTHWISE_CONV_2D, 3, {0, 0, 0, 0, 1, 1, 8, 2})
            .addBool(false)
            .add(2)
            .add(3)
            .read(SpatialForm::DEPTHWISE_CONVOLUTION);
    ASSERT_TRUE(explicitOne) << explicitOne.error().message;
    EXPECT_EQ(explicitOne->depthMultiplier, 8U);
    EXPECT_EQ(explicitOne->height.dilation, 3U);
}

TEST(SpatialArguments, readsPooling) {
    const auto read =
        Arguments(OperationType::AVERAGE_POOL_2D, 1, {1, 2, 3, 4, 5, 0}).read(SpatialForm::POOLING);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->width.stride, 2U);
    EXPECT_EQ(read->height.stride, 3U);
    EXPECT_EQ(read->width.window, 4U);
    EXPECT_EQ(read->height.window, 5U);
}

TEST(SpatialArguments, refusesValuesOutsideTheirRanges) {
    const auto refuses = [](std::vector<std::int32_t> values) {
        return !Arguments(OperationType::CONV_2D, 3, std::move(values))
                    .read(SpatialForm::CONVOLUTION);
    };
    EXPECT_FALSE(refuses({1, 1, 1, 0}));
    EXPECT_TRUE(refuses({-1, 1, 1, 0})) << "padding scheme -1";
    EXPECT_TRUE(refuses({3, 1, 1, 0})) << "padding scheme 3";
    EXPECT_TRUE(refuses({1, 0, 1, 0})) << "stride 0";
    EXPECT_TRUE(refuses({1, 1, -1, 0})) << "negative stride";
    EXPECT_TRUE(refuses({1, 1, 1, 4})) << "activation 4";
    EXPECT_TRUE(refuses({1, 1, 1, -1})) << "activation -1";
    EXPECT_TRUE(refuses({-1, 0, 0, 0, 1, 1, 0})) << "negative padding";
    EXPECT_TRUE(refuses({1, 1, 1})) << "too few";
    EXPECT_TRUE(refuses({0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0})) << "too many";
}

TEST(SpatialArguments, refusesArgumentsThatAreNotConstant) {
    Arguments arguments(OperationType::CONV_2D, 3, {1, 1, 1, 0});
    arguments.inputs()[4].data = nullptr;
    const auto read = arguments.read(SpatialForm::CONVOLUTION);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("input 4 (stride width)"), std::string::npos)
        << read.error().message;
}

Result<SpatialWindow> slide(const AxisArguments& axis, std::optional<PaddingScheme> scheme,
                            std::uint32_t input, std::uint32_t window) {
    Arguments operation(OperationType::CONV_2D, 2, {});
    operation.inputs()[0].shape = Shape{1, input, input, 1};
    operation.inputs()[1].shape = Shape{1, window, window, 1};
    SpatialArguments arguments;
    arguments.implicitPadding = scheme;
    arguments.height = axis;
    arguments.width = axis;
    return slideWindow(operation.view(), arguments);
}

TEST(SlidingWindow, samePaddingGivesInputOverStrideAndPutsTheOddElementAfter) {
    const auto window = slide({.stride = 2}, PaddingScheme::SAME, 128, 3);
    ASSERT_TRUE(window) << window.error().message;
    EXPECT_EQ(window->height.outputSize, 64U);
    EXPECT_EQ(window->height.paddingBefore, 0U);
    EXPECT_EQ(window->height.paddingAfter, 1U);
}

TEST(SlidingWindow, samePaddingOfAWindowSmallerThanTheStride) {
    // Debian's XNNPACK computes this one wrongly when it pads by itself.
    const auto window = slide({.stride = 3}, PaddingScheme::SAME, 4, 2);
    ASSERT_TRUE(window) << window.error().message;
    EXPECT_EQ(window->height.outputSize, 2U);
    EXPECT_EQ(window->height.paddingBefore, 0U);
    EXPECT_EQ(window->height.paddingAfter, 1U);
}

TEST(SlidingWindow, agreesWithTheDefinitionOfSameForAllSmallSizes) {
    for (std::uint32_t input = 1; input < 20; ++input) {
        for (std::uint32_t size = 1; size < 6; ++size) {
            for (std::uint32_t stride = 1; stride < 5; ++stride) {
                for (std::uint32_t dilation = 1; dilation < 4; ++dilation) {
                    const auto window = slide({.stride = stride, .dilation = dilation},
                                              PaddingScheme::SAME, input, size);
                    ASSERT_TRUE(window) << window.error().message;
                    ASSERT_EQ(window->height.outputSize, (input + stride - 1) / stride);
                    ASSERT_LE(window->height.paddingBefore, window->height.paddingAfter);
                    ASSERT_LE(window->height.paddingAfter - window->height.paddingBefore, 1U);
                }
            }
        }
    }
}

TEST(SlidingWindow, validPaddingIsNone) {
    const auto window = slide({.stride = 2}, PaddingScheme::VALID, 7, 3);
    ASSERT_TRUE(window);
    EXPECT_EQ(window->height.outputSize, 3U);
    EXPECT_EQ(window->height.begin(2), 4);
}

TEST(SlidingWindow, refusesWindowsLargerThanThePaddedImage) {
    EXPECT_FALSE(slide({}, PaddingScheme::VALID, 3, 4));
    EXPECT_FALSE(slide({.dilation = 3}, PaddingScheme::VALID, 6, 3));
    EXPECT_TRUE(slide({.paddingBefore = 1}, std::nullopt, 3, 4));
}

TEST(SlidingWindow, sizesNearTheLimitsDoNotOverflow) {
    constexpr std::uint32_t kLargest = std::numeric_limits<std::int32_t>::max();
    EXPECT_FALSE(slide({.dilation = kLargest}, PaddingScheme::VALID, UINT32_MAX, UINT32_MAX));
    EXPECT_FALSE(slide({.dilation = kLargest}, PaddingScheme::SAME, UINT32_MAX, UINT32_MAX));
    EXPECT_FALSE(
        slide({.paddingBefore = kLargest, .paddingAfter = kLargest}, std::nullopt, UINT32_MAX, 1));
    const auto window = slide({.stride = kLargest}, PaddingScheme::SAME, UINT32_MAX, 1);
    ASSERT_TRUE(window) << window.error().message;
    EXPECT_EQ(window->height.outputSize, 3U);
}

TEST(SlidingWindow, refusesPoolingsWhoseWindowLiesInPaddingAlone) {
    EXPECT_FALSE(slide({.window = 2, .paddingBefore = 2}, std::nullopt, 5, 2));
    EXPECT_TRUE(slide({.window = 2, .paddingBefore = 1}, std::nullopt, 5, 2));
}

/// One axis of a TRANSPOSE_CONV_2D with a filter of 1x1.
Result<TransposeConvolution> placeTransposed(std::uint32_t input, std::int32_t stride,
                                             std::int32_t paddingAfter) {
    Arguments operation(OperationType::TRANSPOSE_CONV_2D, 3, {0, 0, 0, paddingAfter, 1, stride, 0});
    operation.addBool(false);
    operation.inputs()[0].shape = Shape{1, input, 1, 1};
    operation.inputs()[1].shape = Shape{1, 1, 1, 1};
    return resolveTransposeConvolution(operation.view());
}

TEST(TransposeConvolution, hasMoreOutputsWithPaddingBelow0AfterThem) {
    const auto placed = placeTransposed(2, 2, -1);
    ASSERT_TRUE(placed) << placed.error().message;
    EXPECT_EQ(placed->height.paddingAfter, -1);
    EXPECT_EQ(placed->height.outputSize, 4U);
    EXPECT_EQ(placed->width.outputSize, 1U);
}

TEST(TransposeConvolution, sizesNearTheLimitsDoNotOverflow) {
    constexpr std::uint32_t kMost = 1U << 31;
    const auto placed = placeTransposed(1, 1, INT32_MIN);
    ASSERT_TRUE(placed) << placed.error().message;
    EXPECT_EQ(placed->height.outputSize, kMost + 1);
    EXPECT_FALSE(placeTransposed(kMost, 1, INT32_MIN));
    EXPECT_FALSE(placeTransposed(UINT32_MAX, INT32_MAX, INT32_MIN));
    EXPECT_FALSE(placeTransposed(1, 1, INT32_MAX));
}

OperandView quantized(OperandType type, float scale, std::int32_t zeroPoint) {
    return {.type = type, .scale = scale, .zeroPoint = zeroPoint};
}

TEST(ActivationRange, isInStepsOfTheOutput) {
    const OperandView output = quantized(OperandType::TENSOR_QUANT8_ASYMM, 0.1F, 10);
    EXPECT_EQ(activationRange(FusedActivationFunc::NONE, output), (QuantizedRange{0, 255}));
    EXPECT_EQ(activationRange(FusedActivationFunc::RELU, output), (QuantizedRange{10, 255}));
    EXPECT_EQ(activationRange(FusedActivationFunc::RELU1, output), (QuantizedRange{0, 20}));
    EXPECT_EQ(activationRange(FusedActivationFunc::RELU6, output), (QuantizedRange{10, 70}));
}

TEST(ActivationRange, isRoundedFromAFloatQuotient) {
    // 6 / 0.096 is 62.5 as a float, and slightly less as a double.
    const OperandView output = quantized(OperandType::TENSOR_QUANT8_ASYMM, 0.096F, 0);
    EXPECT_EQ(activationRange(FusedActivationFunc::RELU6, output), (QuantizedRange{0, 63}));
}

TEST(ActivationRange, staysInTheTypeForAnyScale) {
    for (const float scale : {1e-45F, 1e-30F, 1e30F, std::numeric_limits<float>::max()}) {
        const OperandView output = quantized(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, scale, -128);
        const QuantizedRange range = activationRange(FusedActivationFunc::RELU1, output);
        EXPECT_GE(range.minimum, -128);
        EXPECT_LE(range.maximum, 127);
        EXPECT_LE(range.minimum, range.maximum);
    }
}

}  // namespace
}  // namespace nnburst::exec
