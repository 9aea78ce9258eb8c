// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "exec/reference/operations.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

/// The version that the operation needs; expects that there is one.
HalVersion versionOf(TestOperation operation) {
    EXPECT_EQ(operation.refusal(), "");
    return operation.minimumVersion;
}

void expectNear(const TestOperand& actual, const std::vector<float>& expected) {
    const auto values = actual.values<float>();
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(values[i], expected[i], 1e-6F) << "element " << i;
    }
}

TestOperation l2Normalization(const TestOperand& input, const TestOperand& output) {
    return {OperationType::L2_NORMALIZATION, {input}, {output}};
}

TEST(L2Normalization, makesSlicesAlongAnyAxisOfLengthOne) {
    TestOperation operation =
        l2Normalization(floats({1, 2, 2}, {3, 4, 0, 3}), tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    expectNear(operation.outputs[0], {0.6F, 0.8F, 0, 1});
    operation.inputs.push_back(scalar(-2));
    ASSERT_EQ(operation.refusal(), "");
    expectNear(operation.outputs[0], {1, 0.8F, 0, 0.6F});
}

/// Expects that an operation computes the same if its axis, the input after the given ones, is left
/// out.
void expectLastAxisIfOmitted(const TestOperation& withoutAxis) {
    TestOperation last = withoutAxis;
    ASSERT_EQ(last.refusal(), "");
    TestOperation operation = withoutAxis;
    operation.inputs.push_back(omitted(INT32));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].data, last.outputs[0].data);
}

TEST(L2Normalization, worksAlongTheLastAxisIfTheAxisIsLeftOut) {
    expectLastAxisIfOmitted(l2Normalization(floats({2, 2}, {3, 4, 6, 10}), tensor(TENSOR_FLOAT32)));
}

TEST(L2Normalization, keepsSlicesOfZeros) {
    TestOperation operation = l2Normalization(floats({1, 3}, {0, 0, 0}), tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    expectNear(operation.outputs[0], {0, 0, 0});
    operation = l2Normalization(quant8({1, 3}, {7, 7, 7}, 1.0F, 7),
                                tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F / 128, 128));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(),
              (std::vector<std::uint8_t>{128, 128, 128}));
}

TEST(L2Normalization, givesUnitsOf128ths) {
    TestOperation operation = l2Normalization(quant8({1, 2}, {13, 14}, 0.5F, 10),
                                              tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F / 128, 128));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(), (std::vector<std::uint8_t>{205, 230}));
    operation = l2Normalization(quant8Signed({3, 1}, {-128, 10, 127}, 3.0F, 10),
                                tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 1.0F / 128, 0));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(), (std::vector<std::int8_t>{-128, 0, 127}));
}

TEST(L2Normalization, needsHal12ForOtherRanksTypesAndAxes) {
    const TestOperand image = floats({1, 1, 1, 1}, {1});
    TestOperation operation = l2Normalization(image, tensor(TENSOR_FLOAT32));
    EXPECT_EQ(versionOf(operation), HalVersion::V1_0);
    operation.inputs.push_back(scalar(3));
    EXPECT_EQ(versionOf(operation), HalVersion::V1_2);
    EXPECT_EQ(versionOf(l2Normalization(floats({1, 1, 1}, {1}), tensor(TENSOR_FLOAT32))),
              HalVersion::V1_2);
    EXPECT_EQ(versionOf(l2Normalization(quant8({1, 1, 1, 1}, {1}, 1.0F, 0),
                                        tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F / 128, 128))),
              HalVersion::V1_2);
}

TEST(L2Normalization, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return l2Normalization(floats({1, 2}, {1, 2}), tensor(TENSOR_FLOAT32));
        },
        {{[](auto& o) {
              o.inputs[0].dimensions = {1, 1, 1, 1, 2};
          },
          "L2_NORMALIZATION input 0 (input): rank 5; must be 1 to 4"},
         {[](auto& o) { o.inputs.push_back(scalar(2)); },
          "L2_NORMALIZATION input 1 (axis): value 2; must be -2 to 1"},
         {[](auto& o) {
              o = l2Normalization(quant8({1, 2}, {1, 2}, 1.0F, 0),
                                  tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F / 128, 0));
          },
          "L2_NORMALIZATION output 0 (output): scale 0.0078125 and zero point 0; must be scale "
          "0.0078125 and zero point 128"}});
}

TEST(L2Normalization, checksTheTypeOfItsAxisThoughTheRankIsOpen) {
    TestOperation operation = l2Normalization(tensor(TENSOR_FLOAT32), tensor(TENSOR_FLOAT32));
    operation.inputs.push_back(scalar(0));
    EXPECT_TRUE(operation.check());
    operation.inputs[1] = scalar(0.0F);
    const Result<> checked = operation.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message,
              "L2_NORMALIZATION input 1 (axis): type FLOAT32; must be INT32");
}

/// A shape without axes is a shape like any other once shapes are known.
TEST(L2Normalization, infersNoShapeForAnInputWithoutAxes) {
    const std::vector<OperandView> inputs{{.type = TENSOR_FLOAT32, .shape = Shape{}}};
    const std::vector<OperandView> outputs(1);
    std::vector<Shape> shapes(1);
    const auto inferred =
        findOperation(OperationType::L2_NORMALIZATION)
            ->inferShapes(
                {.type = OperationType::L2_NORMALIZATION, .inputs = inputs, .outputs = outputs},
                shapes);
    ASSERT_FALSE(inferred);
    EXPECT_EQ(inferred.error().message, "L2_NORMALIZATION input 0 (input): rank 0; must be 1 to 4");
}

TEST(L2Normalization, addsManySquaresExactly) {
    constexpr std::uint32_t kElements = 100'000;
    TestOperation operation = l2Normalization(
        floats({kElements}, std::vector<float>(kElements, 0.1F)), tensor(TENSOR_FLOAT32));
    ASSERT_EQ(operation.refusal(), "");
    const double expected = 1.0 / std::sqrt(double{kElements});
    EXPECT_NEAR(operation.outputs[0].values<float>()[0], expected, 1e-6 * expected);
}

TestOperation localResponse(const TestOperand& input, std::int32_t radius) {
    return {OperationType::LOCAL_RESPONSE_NORMALIZATION,
            {input, scalar(radius), scalar(1.0F), scalar(2.0F), scalar(0.5F)},
            {tensor(TENSOR_FLOAT32)}};
}

TEST(LocalResponseNormalization, dividesByTheNeighbours) {
    TestOperation operation = localResponse(floats({1, 1, 1, 3}, {0, 2, 2}), 1);
    ASSERT_EQ(operation.refusal(), "");
    expectNear(operation.outputs[0], {0, 2 / std::sqrt(17.0F), 2 / std::sqrt(17.0F)});
    operation.inputs[1] = scalar(0);
    ASSERT_EQ(operation.refusal(), "");
    expectNear(operation.outputs[0], {0, 2.0F / 3, 2.0F / 3});
}

TEST(LocalResponseNormalization, worksAlongTheLastAxisIfTheAxisIsLeftOut) {
    expectLastAxisIfOmitted(localResponse(floats({2, 2}, {3, 4, 6, 10}), 1));
}

TEST(LocalResponseNormalization, takesAnyRadiusAndAxis) {
    TestOperation operation =
        localResponse(floats({2, 2}, {2, 0, 2, 0}), std::numeric_limits<std::int32_t>::max());
    operation.inputs.push_back(scalar(0));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_2);
    expectNear(operation.outputs[0], {2 / std::sqrt(17.0F), 0, 2 / std::sqrt(17.0F), 0});
    operation.inputs[1] = scalar(-1);
    EXPECT_EQ(operation.refusal(),
              "LOCAL_RESPONSE_NORMALIZATION input 1 (radius): value -1; must be at least 0");
}

TEST(LocalResponseNormalization, addsManySquaresExactly) {
    constexpr std::uint32_t kElements = 2'000;
    TestOperation operation =
        localResponse(floats({kElements}, std::vector<float>(kElements, 0.1F)), kElements);
    ASSERT_EQ(operation.refusal(), "");
    const double expected = 0.1 / std::sqrt(1.0 + 2.0 * 0.01 * kElements);
    EXPECT_NEAR(operation.outputs[0].values<float>()[0], expected, 1e-6 * expected);
}

TEST(LocalResponseNormalization, checksTheTypeOfItsAxisThoughTheRankIsOpen) {
    TestOperation operation = localResponse(tensor(TENSOR_FLOAT32), 1);
    operation.inputs.push_back(scalar(0));
    EXPECT_TRUE(operation.check());
    operation.inputs[5] = scalar(0.0F);
    const Result<> checked = operation.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message,
              "LOCAL_RESPONSE_NORMALIZATION input 5 (axis): type FLOAT32; must be INT32");
}

TEST(InstanceNormalization, normalisesEachChannelInEitherLayout) {
    const auto normalize = [](const TestOperand& input, bool isNchw) {
        TestOperation operation{OperationType::INSTANCE_NORMALIZATION,
                                {input, scalar(2.0F), scalar(10.0F), scalar(0.0F), scalar(isNchw)},
                                {tensor(TENSOR_FLOAT32)}};
        EXPECT_EQ(operation.refusal(), "");
        return operation.outputs[0];
    };
    // Means 2 and 30, deviations 1 and 10.
    expectNear(normalize(floats({1, 1, 2, 2}, {1, 20, 3, 40}), false), {8, 8, 12, 12});
    expectNear(normalize(floats({1, 2, 1, 2}, {1, 3, 20, 40}), true), {8, 12, 8, 12});
    EXPECT_EQ(normalize(floats({0, 2, 1, 2}, {}), true).dimensions, (Dimensions{0, 2, 1, 2}));
}

TEST(InstanceNormalization, keepsDigitsOfLargeImagesFarFromZero) {
    constexpr std::uint32_t kSize = 64;
    constexpr double kPixels = kSize * kSize;
    std::vector<float> image(kSize * kSize);
    for (std::size_t i = 0; i < image.size(); ++i) {
        image[i] = 5.0F + static_cast<float>(i) / kSize / kSize;
    }
    TestOperation operation{OperationType::INSTANCE_NORMALIZATION,
                            {floats({1, kSize, kSize, 1}, image), scalar(1.0F), scalar(0.0F),
                             scalar(0.0F), scalar(false)},
                            {tensor(TENSOR_FLOAT32)}};
    ASSERT_EQ(operation.refusal(), "");
    const double mean = 5.0 + (kPixels - 1) / 2 / kPixels;
    const double deviation = std::sqrt((kPixels * kPixels - 1) / 12) / kPixels;
    const auto actual = operation.outputs[0].values<float>();
    for (std::size_t i = 0; i < image.size(); ++i) {
        ASSERT_NEAR(actual[i], (image[i] - mean) / deviation, 1e-6) << "element " << i;
    }
}

TEST(LogSoftmax, addsManyExponentialsExactly) {
    constexpr std::uint32_t kElements = 500'000;
    std::vector<float> input(kElements, 0.0F);
    double sum = 0.0;
    for (std::size_t i = 0; i < input.size(); ++i) {
        input[i] = -static_cast<float>(i % 2);
        sum += std::exp(static_cast<double>(input[i]));
    }
    TestOperation operation{OperationType::LOG_SOFTMAX,
                            {floats({kElements}, input), scalar(1.0F), scalar(0)},
                            {tensor(TENSOR_FLOAT32)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_NEAR(operation.outputs[0].values<float>()[0], -std::log(sum), 1e-6);
}

TEST(LogSoftmax, givesTheLogarithmEvenWhereTheProbabilityIsNone) {
    TestOperation operation{
        OperationType::LOG_SOFTMAX,
        {floats({2, 2}, {0, 500, std::log(3.0F), 500}), scalar(1.0F), scalar(0)},
        {tensor(TENSOR_FLOAT32)}};
    ASSERT_EQ(operation.refusal(), "");
    expectNear(operation.outputs[0],
               {std::log(0.25F), std::log(0.5F), std::log(0.75F), std::log(0.5F)});
    operation.inputs[0] = floats({1, 2}, {0, 500});
    operation.inputs[2] = scalar(-1);
    operation.outputs[0] = tensor(TENSOR_FLOAT32);
    ASSERT_EQ(operation.refusal(), "");
    expectNear(operation.outputs[0], {-500, 0});
    operation.inputs[2] = omitted(INT32);
    EXPECT_EQ(operation.refusal(), "LOG_SOFTMAX input 2 (axis): left out; must be given");
}

TEST(L2Pool2d, givesTheRootOfTheMeanSquare) {
    // Windows of 2 x 2 with padding SAME: at the edges only what is there counts.
    TestOperation operation{
        OperationType::L2_POOL_2D, {floats({1, 2, 2, 1}, {1, 7, 5, 5})}, {tensor(TENSOR_FLOAT32)}};
    for (const std::int32_t argument : {1, 1, 1, 2, 2, 0}) {
        operation.inputs.push_back(scalar(argument));
    }
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_0);
    expectNear(operation.outputs[0], {5, std::sqrt(37.0F), 5, 5});
    operation.inputs[6] = scalar(3);  // RELU6
    ASSERT_EQ(operation.refusal(), "");
    expectNear(operation.outputs[0], {5, 6, 5, 5});
    operation.inputs[0] = quant8({1, 2, 2, 1}, {1, 2, 3, 4}, 1.0F, 0);
    operation.outputs[0] = tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F, 0);
    EXPECT_EQ(operation.refusal(),
              "L2_POOL_2D input 0 (input): type TENSOR_QUANT8_ASYMM; must be TENSOR_FLOAT32 or "
              "TENSOR_FLOAT16");
}

/// `functions` functions of `bits` bits, all with seeds of their own.
TestOperation lshProjection(std::uint32_t functions, std::uint32_t bits, std::int32_t type) {
    std::vector<float> seeds(std::size_t{functions} * bits);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        seeds[i] = static_cast<float>(i) * 0.37F + 1;
    }
    return {OperationType::LSH_PROJECTION,
            {floats({functions, bits}, seeds), int32s({2, 2}, {12345, 54321, 67890, 9876}),
             omitted(TENSOR_FLOAT32), scalar(type)},
            {tensor(TENSOR_INT32)}};
}

TEST(LshProjection, makesNumbersOfTheBitsOfEachFunction) {
    TestOperation dense = lshProjection(3, 5, 2);
    TestOperation deprecated = lshProjection(3, 5, 1);
    TestOperation sparse = lshProjection(3, 5, 3);
    ASSERT_EQ(dense.refusal(), "");
    ASSERT_EQ(deprecated.refusal(), "");
    ASSERT_EQ(sparse.refusal(), "");
    EXPECT_EQ(dense.minimumVersion, HalVersion::V1_0);
    EXPECT_EQ(sparse.minimumVersion, HalVersion::V1_2);
    const auto bits = dense.outputs[0].values<std::int32_t>();
    ASSERT_EQ(bits.size(), 15U);
    for (std::size_t function = 0; function < 3; ++function) {
        std::int32_t number = 0;
        for (std::size_t bit = 0; bit < 5; ++bit) {
            number = number * 2 + bits[function * 5 + bit];
        }
        EXPECT_EQ(deprecated.outputs[0].values<std::int32_t>()[function], number);
        EXPECT_EQ(sparse.outputs[0].values<std::int32_t>()[function],
                  number + static_cast<std::int32_t>(function) * 32);
    }
}

TEST(LshProjection, weighsItems) {
    TestOperation operation = lshProjection(4, 4, 2);
    ASSERT_EQ(operation.refusal(), "");
    const auto unweighted = operation.outputs[0].values<std::int32_t>();
    operation.inputs[2] = floats({2}, {1, 1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int32_t>(), unweighted);
    operation.inputs[2] = floats({2}, {-1, -1});
    ASSERT_EQ(operation.refusal(), "");
    auto opposite = operation.outputs[0].values<std::int32_t>();
    for (std::int32_t& bit : opposite) {
        bit = 1 - bit;
    }
    EXPECT_EQ(opposite, unweighted);
    operation.inputs[2] = floats({3}, {1, 1, 1});
    EXPECT_EQ(operation.refusal(),
              "LSH_PROJECTION input 2 (weight): size 3 of axis 0; must be 2, the input's items");
    operation.inputs[2] = halves({2}, {1, 1});
    EXPECT_EQ(operation.refusal(),
              "LSH_PROJECTION input 2 (weight): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that "
              "of input 0 (hash)");
}

TEST(LshProjection, refusesMoreBitsThanANumberHas) {
    EXPECT_EQ(lshProjection(1, 32, 3).refusal(), "");
    EXPECT_EQ(lshProjection(4, 30, 3).refusal(), "");
    EXPECT_EQ(lshProjection(5, 30, 3).refusal(),
              "LSH_PROJECTION: 30 bits a function (input 0); must be at most 29 in a sparse "
              "projection of 5 functions");
    EXPECT_EQ(lshProjection(5, 32, 1).refusal(), "");
    EXPECT_EQ(lshProjection(5, 33, 1).refusal(),
              "LSH_PROJECTION: 33 bits a function (input 0); must be at most 32 in a sparse "
              "projection of 5 functions");
    EXPECT_EQ(lshProjection(5, 33, 2).refusal(), "");
    EXPECT_EQ(lshProjection(1, 1, 4).refusal(),
              "LSH_PROJECTION input 3 (type): value 4; must be 1 to 3");
}

}  // namespace
}  // namespace nnburst::exec
