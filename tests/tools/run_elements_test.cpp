// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nnburst_run/elements.h"

namespace nnburst::run {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Operand floats(std::uint32_t count) {
    Operand operand;
    operand.dimensions = {1, count};
    return operand;
}

Operand quantized(std::uint32_t count, float scale, std::int32_t zeroPoint) {
    Operand operand = floats(count);
    operand.type = OperandType::TENSOR_QUANT8_ASYMM;
    operand.scale = scale;
    operand.zeroPoint = zeroPoint;
    return operand;
}

template <class T>
std::span<const std::byte> bytesOf(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

template <class T>
Comparison comparisonOf(const Operand& operand, const std::vector<T>& golden,
                        const std::vector<T>& actual) {
    const auto result = compare(operand, bytesOf(golden), bytesOf(actual));
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : Comparison();
}

TEST(Compare, findsTheLargestDifferenceAndWhereItIs) {
    const Comparison result = comparisonOf<float>(floats(4), {1, 2, 3, 4}, {1, 2.5, 1, 3});
    EXPECT_EQ(result.elements, 4U);
    EXPECT_EQ(result.differing, 3U);
    EXPECT_EQ(result.largestDifference, 2.0);
    EXPECT_EQ(result.largestAt, 2U);
    EXPECT_EQ(result.steps, 1U);
    EXPECT_EQ(result.stepsWithSameTop, 1U);
}

TEST(Compare, countsQuantisedDifferencesInSteps) {
    const Comparison result =
        comparisonOf<std::uint8_t>(quantized(2, 0.125F, 3), {255, 0}, {0, 255});
    EXPECT_EQ(result.largestDifference, 255.0);
    EXPECT_EQ(result.stepsWithSameTop, 0U);
}

TEST(Compare, ranksEachStepOfASequence) {
    const Comparison result =
        comparisonOf<float>(floats(2), {1, 2, 4, 3, 5, 6}, {1, 2, 4, 5, 5, 6});
    EXPECT_EQ(result.steps, 3U);
    EXPECT_EQ(result.stepsWithSameTop, 2U);
}

TEST(Compare, givesNotANumberAnInfiniteDifference) {
    EXPECT_EQ(comparisonOf<float>(floats(1), {kNan}, {1}).largestDifference, kInfinity);
    EXPECT_EQ(comparisonOf<float>(floats(1), {1}, {kNan}).largestDifference, kInfinity);
    EXPECT_EQ(comparisonOf<float>(floats(1), {kNan}, {kNan}).differing, 0U);
    EXPECT_EQ(comparisonOf<float>(floats(1), {kInfinity}, {kInfinity}).differing, 0U);
    EXPECT_EQ(comparisonOf<float>(floats(1), {kInfinity}, {-kInfinity}).largestDifference,
              kInfinity);
}

TEST(Compare, refusesGoldenOutputsOfAnotherSize) {
    const std::vector<float> one{1};
    const std::vector<float> two{1, 2};
    const auto result = compare(floats(2), bytesOf(one), bytesOf(two));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "the golden output has 4 bytes: must have 8, as the output");
    EXPECT_FALSE(compare(floats(1), bytesOf(two), bytesOf(one)));
}

TEST(Compare, refusesTypesThatItDoesNotUnderstand) {
    Operand operand = floats(2);
    operand.type = OperandType::TENSOR_FLOAT16;
    const std::vector<std::uint16_t> values(2);
    EXPECT_FALSE(compare(operand, bytesOf(values), bytesOf(values)));
}

TEST(LargestElements, areInFallingOrderAndEqualOnesByIndex) {
    const std::vector<float> values{1, kNan, 3, 2, 3};
    const auto result = largestElements(floats(5), bytesOf(values), 3);
    ASSERT_TRUE(result);
    ASSERT_EQ(result->size(), 3U);
    EXPECT_EQ((*result)[0].index, 2U);
    EXPECT_EQ((*result)[1].index, 4U);
    EXPECT_EQ((*result)[2].index, 3U);
}

TEST(LargestElements, areDequantised) {
    const std::vector<std::uint8_t> values{10, 20};
    const auto result = largestElements(quantized(2, 0.5F, 4), bytesOf(values), 10);
    ASSERT_TRUE(result);
    ASSERT_EQ(result->size(), 2U);
    EXPECT_EQ((*result)[0].value, 8.0);
    EXPECT_EQ((*result)[1].value, 3.0);
}

TEST(Spread, isThatOfTheNumbers) {
    const std::vector<float> values{NAN, -2.0F, 4.0F, 1.0F};
    const auto result = spreadOf(floats(4), bytesOf(values));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->elements, 4U);
    EXPECT_EQ(result->notNumbers, 1U);
    EXPECT_EQ(result->least, -2.0);
    EXPECT_EQ(result->greatest, 4.0);
    EXPECT_EQ(result->mean, 1.0);
    const std::vector<std::uint8_t> steps{10, 20};
    EXPECT_EQ(spreadOf(quantized(2, 0.5F, 4), bytesOf(steps))->greatest, 8.0);
}

TEST(CountSteps, givesTheNumberThatAllFilesHave) {
    const std::vector<InputFile> files{{"a", 12, 4}, {"b", 6, 2}};
    EXPECT_EQ(countSteps(files), 3U);
}

TEST(CountSteps, refusesFilesThatAreNoMultiple) {
    const std::vector<InputFile> cut{{"a", 11, 4}};
    EXPECT_EQ(countSteps(cut).error().message,
              "a has 11 bytes: must be a multiple of 4, the size of its input");
    const std::vector<InputFile> empty{{"a", 0, 4}};
    EXPECT_FALSE(countSteps(empty));
}

TEST(CountSteps, refusesSequencesOfDifferentLengths) {
    const std::vector<InputFile> files{{"a", 12, 4}, {"b", 4, 2}};
    EXPECT_EQ(countSteps(files).error().message, "b has 2 steps: must be 3, as a");
}

}  // namespace
}  // namespace nnburst::run
