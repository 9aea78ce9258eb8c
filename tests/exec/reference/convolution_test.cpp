// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

/// Arguments of a convolution with explicit padding.
struct Arguments {
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::int32_t top = 0;
    std::int32_t bottom = 0;
    std::int32_t strideWidth = 1;
    std::int32_t strideHeight = 1;
    std::int32_t multiplier = 1;  // of DEPTHWISE_CONV_2D
    std::int32_t activation = 0;
    bool isNchw = false;
    std::int32_t dilationWidth = 1;
    std::int32_t dilationHeight = 1;
};

TestOperation convolution(OperationType type, const TestOperand& input, const TestOperand& filter,
                          const TestOperand& bias, const TestOperand& output,
                          const Arguments& arguments = {}) {
    TestOperation operation{type, {input, filter, bias}, {output}};
    auto& inputs = operation.inputs;
    for (const std::int32_t value :
         {arguments.left, arguments.right, arguments.top, arguments.bottom, arguments.strideWidth,
          arguments.strideHeight}) {
        inputs.push_back(scalar(value));
    }
    if (type == OperationType::DEPTHWISE_CONV_2D) {
        inputs.push_back(scalar(arguments.multiplier));
    }
    inputs.push_back(scalar(arguments.activation));
    inputs.push_back(scalar(arguments.isNchw));
    inputs.push_back(scalar(arguments.dilationWidth));
    inputs.push_back(scalar(arguments.dilationHeight));
    return operation;
}

/// 1x3x3x2 by two filters of 2x2.
TestOperation smallConvolution() {
    return convolution(OperationType::CONV_2D, floats({1, 3, 3, 2}, std::vector<float>(18, 1.0F)),
                       floats({2, 2, 2, 2}, std::vector<float>(16, 1.0F)),
                       floats({2}, {0.0F, 0.5F}), tensor(TENSOR_FLOAT32));
}

TestOperation smallDepthwiseConvolution() {
    return convolution(
        OperationType::DEPTHWISE_CONV_2D, floats({1, 3, 3, 2}, std::vector<float>(18, 1.0F)),
        floats({1, 2, 2, 4}, std::vector<float>(16, 1.0F)), floats({4}, {0.0F, 0.5F, 1.0F, 1.5F}),
        tensor(TENSOR_FLOAT32), {.multiplier = 2});
}

TestOperation quantisedConvolution(const TestOperand& filter, float biasScale) {
    return convolution(
        OperationType::CONV_2D, quant8({1, 1, 2, 2}, {138, 118, 128, 148}, 0.5F, 128), filter,
        int32s({2}, {8, -8}, biasScale), tensor(TENSOR_QUANT8_ASYMM, {}, 0.25F, 100));
}

// ---- Results

TEST(Conv2d, sumsProductsOverTheWindowAndAddsTheBias) {
    TestOperation operation =
        convolution(OperationType::CONV_2D, floats({1, 2, 2, 1}, {1, 2, 3, 4}),
                    floats({2, 2, 2, 1}, {10, 20, 30, 40, -1, 0, 0, 1}), floats({2}, {5, 7}),
                    tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{1, 1, 1, 2}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{305, 10}));
}

TEST(Conv2d, padsAsTheSchemeSame) {
    TestOperation operation = convolution(
        OperationType::CONV_2D, floats({1, 2, 2, 1}, {1, 2, 3, 4}),
        floats({1, 2, 2, 1}, {1, 10, 100, 1000}), floats({1}, {0}), tensor(TENSOR_FLOAT32));
    operation.inputs.erase(operation.inputs.begin() + 3, operation.inputs.end());
    for (const std::int32_t value : {1, 1, 1, 0}) {  // SAME, strides, no activation
        operation.inputs.push_back(scalar(value));
    }
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{1, 2, 2, 1}));
    // The odd row and column of padding come after the image.
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{4321, 402, 43, 4}));
}

TEST(Conv2d, clampsToTheActivation) {
    const auto resultWith = [](std::int32_t activation) {
        TestOperation operation =
            convolution(OperationType::CONV_2D, floats({1, 1, 1, 1}, {1}),
                        floats({4, 1, 1, 1}, {-9, -0.5F, 0.5F, 9}), floats({4}, {0, 0, 0, 0}),
                        tensor(TENSOR_FLOAT32), {.activation = activation});
        EXPECT_EQ(operation.refusal(), "");
        return operation.outputs[0].values<float>();
    };
    EXPECT_EQ(resultWith(0), (std::vector<float>{-9, -0.5F, 0.5F, 9}));
    EXPECT_EQ(resultWith(1), (std::vector<float>{0, 0, 0.5F, 9}));
    EXPECT_EQ(resultWith(2), (std::vector<float>{-1, -0.5F, 0.5F, 1}));
    EXPECT_EQ(resultWith(3), (std::vector<float>{0, 0, 0.5F, 6}));
}

TEST(Conv2d, keepsNanAndInfinity) {
    TestOperation operation =
        convolution(OperationType::CONV_2D, floats({1, 1, 2, 1}, {NAN, INFINITY}),
                    floats({1, 1, 1, 1}, {1}), floats({1}, {0}), tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_TRUE(std::isnan(operation.outputs[0].values<float>()[0]));
    EXPECT_EQ(operation.outputs[0].values<float>()[1], INFINITY);
}

TEST(Conv2d, computesHalvesInFloat) {
    // 2048 + 1 is not a half, the sum of all is.
    TestOperation operation =
        convolution(OperationType::CONV_2D, halves({1, 1, 1, 3}, {2048, 1, 1}),
                    halves({1, 1, 1, 3}, {1, 1, 1}), halves({1}, {0}), tensor(TENSOR_FLOAT16));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(static_cast<float>(operation.outputs[0].values<Float16>()[0]), 2050.0F);
}

TEST(Conv2d, requantisesWithZeroPoints) {
    // Inputs (5, -5), (0, 10) in real numbers; filters (1, 2), (-0.5, 0.5); bias 2 and -2.
    TestOperation operation =
        quantisedConvolution(quant8({2, 1, 1, 2}, {14, 18, 8, 12}, 0.25F, 10), 0.125F);
    operation.inputs[2].data = toBytes<std::int32_t>({16, -16});
    ASSERT_EQ(operation.refusal(), "");
    // Real -3, -7, 22, 3 in steps of 0.25 around 100.
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(),
              (std::vector<std::uint8_t>{88, 72, 188, 112}));
}

TEST(Conv2d, scalesEachOutputChannelByItsFilter) {
    TestOperation operation =
        quantisedConvolution(quant8PerChannel({2, 1, 1, 2}, {4, 8, -1, 1}, {0.25F, 0.5F}, 0), 0.0F);
    operation.inputs[2].data = toBytes<std::int32_t>({16, -8});
    // TFLite gives the bias of a transposed convolution with one channel the scale of its products.
    for (const float biasScale : {0.0F, 0.125F, 3.0F}) {
        operation.inputs[2].scale = biasScale;
        ASSERT_EQ(operation.refusal(), "") << biasScale;
        // The same real numbers as above.
        EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(),
                  (std::vector<std::uint8_t>{88, 72, 188, 112}));
    }
}

TEST(Conv2d, takesSignedInputs) {
    TestOperation operation =
        convolution(OperationType::CONV_2D, quant8Signed({1, 1, 1, 2}, {-118, 127}, 0.5F, -128),
                    quant8Signed({1, 1, 1, 2}, {4, -2}, 0.5F, 0), int32s({1}, {0}, 0.25F),
                    tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 1.0F, 3));
    ASSERT_EQ(operation.refusal(), "");
    // 5 * 2 - 127.5 * 1 = -117.5, ties away from zero: -118; plus 3.
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(), (std::vector<std::int8_t>{-115}));
}

TEST(Conv2d, saturatesQuantisedResults) {
    TestOperation operation =
        quantisedConvolution(quant8({2, 1, 1, 2}, {255, 255, 0, 0}, 0.25F, 10), 0.125F);
    operation.inputs[0].data = toBytes<std::uint8_t>({255, 255, 255, 255});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(),
              (std::vector<std::uint8_t>{255, 0, 255, 0}));
}

TEST(Conv2d, givesSmallerStepsThanThoseOfTheProductsSinceV1_2) {
    for (const auto type : {OperationType::CONV_2D, OperationType::DEPTHWISE_CONV_2D}) {
        for (const float scale : {0.0625F, 0.125F, 0.25F}) {
            TestOperation operation = convolution(
                type, quant8({1, 1, 1, 1}, {11}, 0.5F, 10), quant8({1, 1, 1, 1}, {102}, 0.25F, 100),
                int32s({1}, {0}, 0.125F), tensor(TENSOR_QUANT8_ASYMM, {}, scale, 100));
            operation.inputs.resize(operation.inputs.size() - 3);  // without layout and dilations
            ASSERT_EQ(operation.refusal(), "");
            EXPECT_EQ(operation.minimumVersion,
                      scale > 0.125F ? HalVersion::V1_0 : HalVersion::V1_2);
            const auto steps = static_cast<std::uint8_t>(0.25F / scale);
            EXPECT_EQ(operation.outputs[0].values<std::uint8_t>()[0], 100 + steps);
        }
    }
}

TEST(Conv2d, takesNoBatchesAtAll) {
    TestOperation operation = smallConvolution();
    operation.inputs[0] = floats({0, 3, 3, 2}, {});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 2, 2, 2}));
}

TEST(DepthwiseConv2d, appliesEachFilterToItsChannel) {
    TestOperation operation =
        convolution(OperationType::DEPTHWISE_CONV_2D, floats({1, 1, 2, 2}, {1, 2, 3, 4}),
                    floats({1, 1, 2, 4}, {1, 10, 100, 1000, 2, 20, 200, 2000}),
                    floats({4}, {1, 2, 3, 4}), tensor(TENSOR_FLOAT32), {.multiplier = 2});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{1, 1, 1, 4}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{8, 72, 1003, 10004}));
}

TEST(DepthwiseConv2d, scalesEachOutputChannelByItsFilter) {
    TestOperation operation =
        convolution(OperationType::DEPTHWISE_CONV_2D, quant8({1, 1, 1, 2}, {138, 118}, 0.5F, 128),
                    quant8PerChannel({1, 1, 1, 2}, {4, 8}, {0.25F, 0.5F}, 3), int32s({2}, {8, 8}),
                    tensor(TENSOR_QUANT8_ASYMM, {}, 0.25F, 100));
    ASSERT_EQ(operation.refusal(), "");
    // 5 * 1 + 1 and -5 * 4 + 2.
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(), (std::vector<std::uint8_t>{124, 28}));
}

/// 1x2 pixels at a stride of 2, by a filter of 1x1.
TestOperation transposeConvolution(const Arguments& arguments) {
    TestOperation operation{
        OperationType::TRANSPOSE_CONV_2D,
        {floats({1, 1, 2, 1}, {1, 2}), floats({1, 1, 1, 1}, {1}), floats({1}, {0.5F})},
        {tensor(TENSOR_FLOAT32)}};
    for (const std::int32_t value :
         {arguments.left, arguments.right, arguments.top, arguments.bottom, 2, 2, 0}) {
        operation.inputs.push_back(scalar(value));
    }
    operation.inputs.push_back(scalar(arguments.isNchw));
    return operation;
}

TEST(TransposeConv2d, goesOnAfterTheLastWindowWithPaddingBelow0) {
    TestOperation wider = transposeConvolution({.right = -1});
    ASSERT_EQ(wider.refusal(), "");
    EXPECT_EQ(wider.outputs[0].dimensions, (Dimensions{1, 1, 4, 1}));
    EXPECT_EQ(wider.outputs[0].values<float>(), (std::vector<float>{1.5F, 0.5F, 2.5F, 0.5F}));
    TestOperation higher = transposeConvolution({.bottom = -1, .isNchw = true});
    higher.inputs[0].dimensions = {1, 1, 1, 2};
    ASSERT_EQ(higher.refusal(), "");
    EXPECT_EQ(higher.outputs[0].dimensions, (Dimensions{1, 1, 2, 3}));
    EXPECT_EQ(higher.outputs[0].values<float>(),
              (std::vector<float>{1.5F, 0.5F, 2.5F, 0.5F, 0.5F, 0.5F}));
}

// ---- All geometries, against the definition

/// A tensor of four axes by the names that the layout gives them.
struct Geometry {
    Dimensions dimensions;
    bool isNchw = false;

    [[nodiscard]] std::size_t at(std::int64_t b, std::int64_t y, std::int64_t x,
                                 std::int64_t c) const {
        const auto& d = dimensions;
        return static_cast<std::size_t>(isNchw ? ((b * d[1] + c) * d[2] + y) * d[3] + x
                                               : ((b * d[1] + y) * d[2] + x) * d[3] + c);
    }
    [[nodiscard]] std::int64_t height() const { return dimensions[isNchw ? 2 : 1]; }
    [[nodiscard]] std::int64_t width() const { return dimensions[isNchw ? 3 : 2]; }
    [[nodiscard]] std::int64_t channels() const { return dimensions[isNchw ? 1 : 3]; }
};

/// The convolution of an operation that has run, by the formula of the HAL.
std::vector<float> byDefinition(const TestOperation& operation, const Arguments& arguments) {
    const bool isDepthwise = operation.type == OperationType::DEPTHWISE_CONV_2D;
    const Geometry in{operation.inputs[0].dimensions, arguments.isNchw};
    const Geometry filter{operation.inputs[1].dimensions};
    const Geometry out{operation.outputs[0].dimensions, arguments.isNchw};
    const auto input = operation.inputs[0].values<float>();
    const auto weights = operation.inputs[1].values<float>();
    const auto bias = operation.inputs[2].values<float>();
    std::vector<float> result(operation.outputs[0].values<float>().size());
    for (std::int64_t b = 0; b < out.dimensions[0]; ++b) {
        for (std::int64_t y = 0; y < out.height(); ++y) {
            for (std::int64_t x = 0; x < out.width(); ++x) {
                for (std::int64_t c = 0; c < out.channels(); ++c) {
                    double sum = bias[static_cast<std::size_t>(c)];
                    for (std::int64_t t = 0; t < filter.height(); ++t) {
                        for (std::int64_t u = 0; u < filter.width(); ++u) {
                            const std::int64_t iy = y * arguments.strideHeight - arguments.top +
                                                    t * arguments.dilationHeight;
                            const std::int64_t ix = x * arguments.strideWidth - arguments.left +
                                                    u * arguments.dilationWidth;
                            if (iy < 0 || iy >= in.height() || ix < 0 || ix >= in.width()) {
                                continue;
                            }
                            for (std::int64_t k = 0; k < in.channels(); ++k) {
                                if (isDepthwise && k != c / arguments.multiplier) {
                                    continue;
                                }
                                const std::size_t weight =
                                    isDepthwise ? filter.at(0, t, u, c) : filter.at(c, t, u, k);
                                sum += static_cast<double>(input[in.at(b, iy, ix, k)]) *
                                       weights[weight];
                            }
                        }
                    }
                    result[out.at(b, y, x, c)] = static_cast<float>(sum);
                }
            }
        }
    }
    return result;
}

class AnyConvolution : public testing::TestWithParam<OperationType> {};

TEST_P(AnyConvolution, isTheFormulaOfTheHal) {
    const auto seed = static_cast<std::uint32_t>(testing::UnitTest::GetInstance()->random_seed());
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto upTo = [&](std::int32_t highest) {
        return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(highest + 1));
    };
    const auto size = [&](std::int32_t highest) {
        return static_cast<std::uint32_t>(1 + upTo(highest - 1));
    };
    const auto numbers = [&](const Dimensions& dimensions) {
        std::size_t count = 1;
        for (const std::uint32_t axis : dimensions) {
            count *= axis;
        }
        std::vector<float> values(count);
        for (float& value : values) {
            value = static_cast<float>(upTo(16) - 8);  // sums are exact
        }
        return floats(dimensions, values);
    };
    const bool isDepthwise = GetParam() == OperationType::DEPTHWISE_CONV_2D;
    for (int i = 0; i < 2000; ++i) {
        Arguments arguments{.left = upTo(3),
                            .right = upTo(3),
                            .top = upTo(3),
                            .bottom = upTo(3),
                            .strideWidth = 1 + upTo(2),
                            .strideHeight = 1 + upTo(2),
                            .multiplier = isDepthwise ? 1 + upTo(2) : 1,
                            .isNchw = upTo(1) == 1,
                            .dilationWidth = 1 + upTo(2),
                            .dilationHeight = 1 + upTo(2)};
        const std::uint32_t channels = i % 50 == 0 ? size(150) : size(12);
        const std::uint32_t height = size(7);
        const std::uint32_t width = size(7);
        const std::uint32_t outputs =
            isDepthwise ? channels * static_cast<std::uint32_t>(arguments.multiplier) : size(4);
        const Dimensions input = arguments.isNchw ? Dimensions{size(2), channels, height, width}
                                                  : Dimensions{size(2), height, width, channels};
        const Dimensions filter = isDepthwise ? Dimensions{1, size(3), size(3), outputs}
                                              : Dimensions{outputs, size(3), size(3), channels};
        TestOperation operation =
            convolution(GetParam(), numbers(input), numbers(filter), numbers({outputs}),
                        tensor(TENSOR_FLOAT32), arguments);
        const std::string refusal = operation.refusal();
        if (!refusal.empty()) {
            ASSERT_NE(refusal.find("does not fit into the padded image"), std::string::npos)
                << refusal;
            continue;
        }
        ASSERT_EQ(operation.outputs[0].values<float>(), byDefinition(operation, arguments))
            << "convolution " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(, AnyConvolution,
                         testing::Values(OperationType::CONV_2D, OperationType::DEPTHWISE_CONV_2D),
                         [](const auto& test) { return toString(test.param); });

// ---- Refusals

TEST(Conv2d, refusesOperandsThatBreakARule) {
    const std::vector<Refusal> refusals = {
        {[](auto& o) { o.inputs.resize(6); }, "CONV_2D: 6 inputs; must be 7 to 13"},
        {[](auto& o) { o.inputs.push_back(scalar(1)); }, "CONV_2D: 14 inputs; must be 7 to 13"},
        {[](auto& o) { o.inputs.pop_back(); },
         "CONV_2D: 12 inputs; with explicit padding must be 10, 11 or 13"},
        {[](auto& o) {
             o.inputs.pop_back();
             o.inputs.erase(o.inputs.begin() + 3, o.inputs.begin() + 6);
         },
         "CONV_2D: 9 inputs; with implicit padding must be 7, 8 or 10"},
        {[](auto& o) { o.outputs.clear(); }, "CONV_2D: 0 outputs; must be 1"},
        {[](auto& o) { o.inputs[0].type = TENSOR_INT32; },
         "CONV_2D input 0 (input): type TENSOR_INT32; must be TENSOR_FLOAT32, TENSOR_FLOAT16, "
         "TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED"},
        {[](auto& o) { o.inputs[1].type = TENSOR_FLOAT16; },
         "CONV_2D input 1 (filter): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that of input 0 "
         "(input)"},
        {[](auto& o) {
             o.inputs[1] = quant8PerChannel({2, 2, 2, 2}, {}, {1, 1}, 0);
         },
         "CONV_2D input 1 (filter): type TENSOR_QUANT8_SYMM_PER_CHANNEL; must be TENSOR_FLOAT32, "
         "that of input 0 (input)"},
        {[](auto& o) { o.inputs[2].type = TENSOR_INT32; },
         "CONV_2D input 2 (bias): type TENSOR_INT32; must be TENSOR_FLOAT32, that of input 0 "
         "(input)"},
        {[](auto& o) { o.inputs[2].isOmitted = true; },
         "CONV_2D input 2 (bias): left out; must be given"},
        {[](auto& o) { o.outputs[0].type = TENSOR_FLOAT16; },
         "CONV_2D output 0 (output): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that of input 0 "
         "(input)"},
        {[](auto& o) {
             o.inputs[0].dimensions = {3, 3, 2};
         },
         "CONV_2D input 0 (input): rank 3; must be 4"},
        {[](auto& o) {
             o.inputs[1].dimensions = {2, 2, 2};
         },
         "CONV_2D input 1 (filter): rank 3; must be 4"},
        {[](auto& o) {
             o.inputs[2].dimensions = {2, 1};
         },
         "CONV_2D input 2 (bias): rank 2; must be 1"},
        {[](auto& o) {
             o.outputs[0].dimensions = {1, 2, 2};
         },
         "CONV_2D output 0 (output): rank 3; must be 4"},
        {[](auto& o) {
             o.inputs[1].dimensions = {2, 2, 2, 3};
         },
         "CONV_2D input 1 (filter): size 3 of axis 3; must be 2, the input's channels"},
        {[](auto& o) { o.inputs[2].dimensions = {3}; },
         "CONV_2D input 2 (bias): size 3 of axis 0; must be 2, the filter's output channels"},
        {[](auto& o) {
             o.inputs[0].dimensions = {1, 3, 3, 0};
         },
         "CONV_2D input 0 (input): size 0 of axis 3; must be at least 1"},
        {[](auto& o) {
             o.inputs[1].dimensions = {0, 2, 2, 2};
         },
         "CONV_2D input 1 (filter): size 0 of axis 0; must be at least 1"},
        {[](auto& o) {
             o.inputs[1].dimensions = {2, 0, 2, 2};
         },
         "CONV_2D input 1 (filter): size 0 of axis 1; must be at least 1"},
        {[](auto& o) { o.inputs[4] = scalar(-1); },
         "CONV_2D input 4 (padding right): value -1; must be at least 0"},
        {[](auto& o) { o.inputs[6] = scalar(-1); },
         "CONV_2D input 6 (padding bottom): value -1; must be at least 0"},
        {[](auto& o) { o.inputs[7] = scalar(0); },
         "CONV_2D input 7 (stride width): value 0; must be at least 1"},
        {[](auto& o) { o.inputs[9] = scalar(4); },
         "CONV_2D input 9 (activation): value 4; must be 0 (NONE), 1 (RELU), 2 (RELU1) or 3 "
         "(RELU6)"},
    };
    expectRefusals(smallConvolution, refusals);
}

TEST(Conv2d, refusesQuantisationThatBreaksARule) {
    const auto valid = [] {
        return quantisedConvolution(quant8({2, 1, 1, 2}, {1, 2, 3, 4}, 0.25F, 10), 0.125F);
    };
    const auto perChannel = [](std::vector<float> scales, std::uint32_t channelDim) {
        return quant8PerChannel({2, 1, 1, 2}, {1, 2, 3, 4}, std::move(scales), channelDim);
    };
    const std::vector<Refusal> refusals = {
        {[](auto& o) { o.inputs[1].type = TENSOR_QUANT8_ASYMM_SIGNED; },
         "CONV_2D input 1 (filter): type TENSOR_QUANT8_ASYMM_SIGNED; must be TENSOR_QUANT8_ASYMM, "
         "that of input 0 (input)"},
        {[](auto& o) { o.inputs[2].type = TENSOR_FLOAT32; },
         "CONV_2D input 2 (bias): type TENSOR_FLOAT32; must be TENSOR_INT32"},
        {[](auto& o) { o.inputs[2].scale = 0.25F; },
         "CONV_2D input 2 (bias): scale 0.25; must be 0.125, the product of the scales 0.5 and "
         "0.25"},
        {[&](auto& o) {
             o.inputs[1] = perChannel({1, 1}, 3);
         },
         "CONV_2D input 1 (filter): channel dimension 3; must be 0"},
        {[&](auto& o) {
             o.inputs[1] = perChannel({1, 1, 1}, 0);
             o.inputs[2].scale = 0.0F;
         },
         "CONV_2D input 1 (filter): 3 scales; must be 2, one for each output channel"},
    };
    expectRefusals(valid, refusals);
}

TEST(Conv2d, checksTypesThoughTheValuesOfScalarsAreNotKnown) {
    TestOperation operation = smallConvolution();
    for (auto& input : operation.inputs) {
        input.isConstant = false;
    }
    Result<> checked = operation.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message,
              "CONV_2D input 3 (padding left): its value is not known yet");
    operation.inputs[12] = scalar(1.0F);
    checked = operation.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message,
              "CONV_2D input 12 (dilation height): type FLOAT32; must be INT32");
}

TEST(Conv2d, hasDefaultsForLayoutAndDilations) {
    TestOperation given = smallConvolution();
    ASSERT_EQ(given.refusal(), "");
    TestOperation operation = smallConvolution();
    operation.inputs[10] = omitted(BOOL);
    operation.inputs[11] = omitted(INT32);
    operation.inputs[12] = omitted(INT32);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].data, given.outputs[0].data);
    operation.inputs[12] = omitted(FLOAT32);
    EXPECT_EQ(operation.refusal(),
              "CONV_2D input 12 (dilation height): type FLOAT32; must be INT32");
    operation.inputs[12] = scalar(1);
    EXPECT_EQ(operation.refusal(),
              "CONV_2D inputs 11 and 12 (dilations): one is left out; must be both or none");
}

TEST(GroupedConv2d, mustHaveALayout) {
    const auto grouped = [](std::size_t inputs) {
        TestOperation operation = smallConvolution();
        operation.type = OperationType::GROUPED_CONV_2D;
        operation.inputs.insert(operation.inputs.begin() + 9, scalar(1));
        operation.inputs.resize(inputs);
        return operation.refusal();
    };
    EXPECT_EQ(grouped(12), "");
    EXPECT_EQ(grouped(11), "GROUPED_CONV_2D: 11 inputs; with explicit padding must be 12");
}

TEST(DepthwiseConv2d, refusesOperandsThatBreakARule) {
    const std::vector<Refusal> refusals = {
        {[](auto& o) { o.inputs.resize(7); }, "DEPTHWISE_CONV_2D: 7 inputs; must be 8 to 14"},
        {[](auto& o) { o.inputs[9] = scalar(3); },
         "DEPTHWISE_CONV_2D input 1 (filter): size 4 of axis 3; must be 6, the input's channels "
         "times the depth multiplier"},
        {[](auto& o) { o.inputs[9] = scalar(INT32_MAX); },
         "DEPTHWISE_CONV_2D input 1 (filter): size 4 of axis 3; must be 4294967294, the input's "
         "channels times the depth multiplier"},
        {[](auto& o) { o.inputs[9] = scalar(0); },
         "DEPTHWISE_CONV_2D input 9 (depth multiplier): value 0; must be at least 1"},
        {[](auto& o) {
             o.inputs[1].dimensions = {2, 2, 1, 4};
         },
         "DEPTHWISE_CONV_2D input 1 (filter): size 2 of axis 0; must be 1, as each filter has a "
         "depth of 1"},
        {[](auto& o) {
             o.inputs[0].dimensions = {1, 3, 3, 3};
             o.inputs[9] = scalar(INT32_MAX);
         },
         "DEPTHWISE_CONV_2D input 1 (filter): 6442450941 channels of output; must be less than "
         "2^32"},
        {[](auto& o) { o.inputs[2].dimensions = {2}; },
         "DEPTHWISE_CONV_2D input 2 (bias): size 2 of axis 0; must be 4, the filter's output "
         "channels"},
    };
    expectRefusals(smallDepthwiseConvolution, refusals);
}

TEST(TransposeConv2d, refusesPaddingBelow0BeforeTheFirstWindow) {
    expectRefusals([] { return transposeConvolution({}); },
                   {
                       {[](auto& o) { o.inputs[3] = scalar(-1); },
                        "TRANSPOSE_CONV_2D input 3 (padding left): value -1; must be at least 0"},
                       {[](auto& o) { o.inputs[5] = scalar(-1); },
                        "TRANSPOSE_CONV_2D input 5 (padding top): value -1; must be at least 0"},
                   });
}

TEST(Conv2d, leavesShapesThatAreNotKnownToThePlanner) {
    TestOperation operation = smallConvolution();
    operation.inputs[0].dimensions = {0, 0, 0, 0};
    EXPECT_TRUE(operation.check());
    operation.inputs[0].dimensions = {};
    operation.inputs[1].dimensions = {0, 2, 2, 0};
    operation.inputs[2].dimensions = {0};
    EXPECT_TRUE(operation.check());
    operation.inputs[0].dimensions = {0, 0, 0, 3};
    operation.inputs[1].dimensions = {0, 2, 2, 2};
    EXPECT_FALSE(operation.check());
}

TEST(Conv2d, refusesToRunIntoAnOutputOfAnotherShape) {
    TestOperation operation = smallConvolution();
    operation.outputShapes = {Shape{1, 2, 2, 1}};
    EXPECT_EQ(operation.refusal(), "CONV_2D output 0: shape 1x2x2x1; must be 1x2x2x2");
}

}  // namespace
}  // namespace nnburst::exec
