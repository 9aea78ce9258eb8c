// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "exec/reference/constant_values.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation reduce(OperationType type, TestOperand input, std::vector<std::int32_t> axes,
                     bool keep) {
    TestOperand output = tensor(input.type, {}, input.scale, input.zeroPoint);
    const auto keepAxes = type == OperationType::MEAN ? scalar(keep ? 1 : 0) : scalar(keep);
    return {type, {std::move(input), constants(axes), keepAxes}, {std::move(output)}};
}

TEST(Reduction, reducesAnyAxes) {
    const TestOperand input = floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    TestOperation sum = reduce(OperationType::REDUCE_SUM, input, {-1, 0}, false);
    ASSERT_EQ(sum.refusal(), "");
    EXPECT_EQ(sum.outputs[0].dimensions, (Dimensions{2}));
    EXPECT_EQ(sum.outputs[0].values<float>(), (std::vector<float>{14, 22}));
    TestOperation product = reduce(OperationType::REDUCE_PROD, input, {1, 1, -2}, true);
    ASSERT_EQ(product.refusal(), "");
    EXPECT_EQ(product.outputs[0].dimensions, (Dimensions{2, 1, 2}));
    EXPECT_EQ(product.outputs[0].values<float>(), (std::vector<float>{3, 8, 35, 48}));
}

/// 100,000 elements, of which a float32 sum loses four digits.
TestOperand tenths(bool areRows) {
    const std::vector<float> values(100'000, 0.1F);
    return areRows ? floats({2, 50'000}, values) : floats({50'000, 2}, values);
}

TEST(Reduction, addsManyElementsExactly) {
    for (const bool areRows : {true, false}) {
        const std::vector<std::int32_t> axes{areRows ? 1 : 0};
        TestOperation sum = reduce(OperationType::REDUCE_SUM, tenths(areRows), axes, false);
        ASSERT_EQ(sum.refusal(), "");
        EXPECT_EQ(sum.outputs[0].values<float>(), (std::vector<float>{5'000, 5'000}));
        TestOperation mean = reduce(OperationType::MEAN, tenths(areRows), axes, false);
        ASSERT_EQ(mean.refusal(), "");
        EXPECT_EQ(mean.outputs[0].values<float>(), (std::vector<float>{0.1F, 0.1F}));
    }
}

TEST(Reduction, givesZeroForAProductWithAZero) {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> overflow(20, 1e30F);
    overflow.push_back(0.0F);
    for (const std::vector<float>& values :
         {overflow, {1e30F, 1e30F, 0.0F}, {0.0F, 1e30F, inf}, {inf, 0.0F}, {nan, 0.0F}}) {
        const Dimensions dimensions{static_cast<std::uint32_t>(values.size())};
        TestOperation product =
            reduce(OperationType::REDUCE_PROD, floats(dimensions, values), {0}, false);
        ASSERT_EQ(product.refusal(), "");
        EXPECT_EQ(product.outputs[0].values<float>(), std::vector<float>{0.0F});
        product = reduce(OperationType::REDUCE_PROD, halves(dimensions, values), {0}, false);
        ASSERT_EQ(product.refusal(), "");
        EXPECT_EQ(static_cast<float>(product.outputs[0].values<Float16>()[0]), 0.0F);
    }
}

TEST(Reduction, givesOneElementIfAllAxesAreReduced) {
    TestOperation mean =
        reduce(OperationType::MEAN, quant8({2, 2}, {1, 2, 2, 2}, 1.0F, 0), {0, 1}, false);
    ASSERT_EQ(mean.refusal(), "");
    EXPECT_EQ(mean.outputs[0].dimensions, (Dimensions{1}));
    EXPECT_EQ(mean.outputs[0].values<std::uint8_t>(), (std::vector<std::uint8_t>{2}));
}

TEST(Reduction, takesTensorsWithoutElements) {
    TestOperation sum = reduce(OperationType::REDUCE_SUM, floats({0, 2}, {}), {0}, false);
    ASSERT_EQ(sum.refusal(), "");
    EXPECT_EQ(sum.outputs[0].values<float>(), (std::vector<float>{0, 0}));
    TestOperation mean = reduce(OperationType::MEAN, floats({3, 0}, {}), {0}, true);
    ASSERT_EQ(mean.refusal(), "");
    EXPECT_EQ(mean.outputs[0].dimensions, (Dimensions{1, 0}));
}

TEST(Reduction, refusesAxesThatAreNotThere) {
    expectRefusals(
        [] {
            return reduce(OperationType::REDUCE_MAX, floats({2, 2}, {1, 2, 3, 4}), {0}, true);
        },
        {{[](TestOperation& op) { op.inputs[1] = constants({2}); },
          "REDUCE_MAX input 1 (axes): axis 2; must be -2 to 1"},
         {[](TestOperation& op) { op.inputs[1] = constants({-3}); },
          "REDUCE_MAX input 1 (axes): axis -3; must be -2 to 1"},
         {[](TestOperation& op) { op.inputs[2] = scalar(1); },
          "REDUCE_MAX input 2 (keep axes): type INT32; must be BOOL"}});
}

TEST(Reduction, takesAtMost4096Axes) {
    const TestOperand input = floats({2, 2}, {1, 2, 3, 4});
    TestOperation sum =
        reduce(OperationType::REDUCE_SUM, input, std::vector<std::int32_t>(4096, 0), false);
    ASSERT_EQ(sum.refusal(), "");
    EXPECT_EQ(sum.outputs[0].values<float>(), (std::vector<float>{4, 6}));

    const std::vector<std::int32_t> tooMany(4097, 0);
    for (const TestOperand& axes : {constants(tooMany), int32s({4097}, tooMany)}) {
        sum.inputs[1] = axes;
        const auto checked = sum.check();
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().status, ErrorStatus::GENERAL_FAILURE);
        EXPECT_EQ(checked.error().message,
                  "REDUCE_SUM input 1 (axes): 4097 axes; more than 4096 are not supported");
    }
}

TEST(ArgExtremum, givesTheFirstOfEqualElements) {
    TestOperation operation{OperationType::ARGMAX,
                            {floats({2, 3}, {1, 3, 3, 5, 4, 5}), scalar(-1)},
                            {tensor(TENSOR_INT32)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int32_t>(), (std::vector<std::int32_t>{1, 0}));
    operation.inputs[0].dimensions = {6};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{1}));
    EXPECT_EQ(operation.outputs[0].values<std::int32_t>(), (std::vector<std::int32_t>{3}));
}

TEST(TopK, sortsWhateverItIsGiven) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    TestOperation operation{OperationType::TOPK_V2,
                            {floats({1, 5}, {-1.0F, nan, 2.0F, -0.0F, 2.0F}), scalar(4)},
                            {tensor(TENSOR_FLOAT32), tensor(TENSOR_INT32)}};
    ASSERT_EQ(operation.refusal(), "");
    // NaN has the bits of the largest number; of equal elements the last one comes first.
    EXPECT_EQ(operation.outputs[1].values<std::int32_t>(), (std::vector<std::int32_t>{1, 4, 2, 3}));
    operation.inputs[1] = scalar(6);
    EXPECT_EQ(operation.refusal(),
              "TOPK_V2: k 6 (input 1); must be at most 5, the size of the last axis");
}

TEST(Cast, saturates) {
    const float inf = std::numeric_limits<float>::infinity();
    TestOperation operation{
        OperationType::CAST,
        {floats({5}, {1.9F, -1.9F, inf, -inf, std::numeric_limits<float>::quiet_NaN()})},
        {tensor(TENSOR_INT32)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int32_t>(),
              (std::vector<std::int32_t>{1, -1, INT32_MAX, INT32_MIN, 0}));
    operation.outputs[0] = tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F, 0);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(),
              (std::vector<std::uint8_t>{1, 0, 255, 0, 0}));
}

TEST(Quantize, saturates) {
    const float inf = std::numeric_limits<float>::infinity();
    TestOperation operation{
        OperationType::QUANTIZE,
        {floats({4}, {inf, -inf, std::numeric_limits<float>::quiet_NaN(), 0.75F})},
        {tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 0.5F, 3)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(),
              (std::vector<std::int8_t>{127, -128, -128, 5}));
}

TEST(Quantize, roundsToTheNearestWithTiesAwayFromZero) {
    std::vector<float> values;
    for (float steps = -140.0F; steps <= 140.0F; steps += 0.5F) {
        values.insert(values.end(),
                      {std::nextafter(steps, -1000.0F), steps, std::nextafter(steps, 1000.0F)});
    }
    std::vector<std::int8_t> expected;
    for (const float value : values) {
        expected.push_back(
            static_cast<std::int8_t>(std::clamp(std::round(value) + 3.0F, -128.0F, 127.0F)));
    }
    TestOperation operation{OperationType::QUANTIZE,
                            {floats({static_cast<std::uint32_t>(values.size())}, values)},
                            {tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, 1.0F, 3)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int8_t>(), expected);
}

TEST(Div, roundsDownwardsAndSurvivesTheSmallestNumber) {
    TestOperation operation{
        OperationType::DIV,
        {int32s({5}, {7, -7, 7, INT32_MIN, 3}), int32s({5}, {2, 2, -2, -1, 0}), scalar(0)},
        {tensor(TENSOR_INT32)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::int32_t>(),
              (std::vector<std::int32_t>{3, -4, -4, INT32_MIN, 0}));
}

TEST(RandomMultinomial, isTheSameForTheSameSeeds) {
    const auto draw = [](std::int32_t seed) {
        TestOperation operation{OperationType::RANDOM_MULTINOMIAL,
                                {floats({1, 4}, {0, 0, 0, 0}), scalar(64), int32s({2}, {seed, 1})},
                                {tensor(TENSOR_INT32)}};
        EXPECT_EQ(operation.refusal(), "");
        return operation.outputs[0].values<std::int32_t>();
    };
    EXPECT_EQ(draw(7), draw(7));
    EXPECT_NE(draw(7), draw(8));
}

TEST(RandomMultinomial, isDifferentInEachRunForZeroSeeds) {
    const auto draw = [] {
        TestOperation operation{OperationType::RANDOM_MULTINOMIAL,
                                {floats({1, 4}, {0, 0, 0, 0}), scalar(64), int32s({2}, {0, 0})},
                                {tensor(TENSOR_INT32)}};
        EXPECT_EQ(operation.refusal(), "");
        return operation.outputs[0].values<std::int32_t>();
    };
    EXPECT_NE(draw(), draw());
}

TEST(RandomMultinomial, drawsClassesAsOftenAsTheirProbabilitiesSay) {
    constexpr std::int32_t kSamples = 40000;
    const float inf = std::numeric_limits<float>::infinity();
    // Twice the weights 1, 0, 3 and 4; an infinite logarithm of either sign is never drawn.
    const std::vector<float> logits{10, -inf, 10 + std::log(3.0F), inf, 10 + std::log(4.0F)};
    std::vector<float> both = logits;
    both.insert(both.end(), logits.begin(), logits.end());
    TestOperation operation{OperationType::RANDOM_MULTINOMIAL,
                            {floats({2, 5}, both), scalar(kSamples), int32s({2}, {37, 42})},
                            {tensor(TENSOR_INT32)}};
    ASSERT_EQ(operation.refusal(), "");
    const auto drawn = operation.outputs[0].values<std::int32_t>();
    ASSERT_EQ(drawn.size(), std::size_t{2} * kSamples);
    EXPECT_FALSE(std::equal(drawn.begin(), drawn.begin() + kSamples, drawn.begin() + kSamples));
    for (const auto batch : {drawn.begin(), drawn.begin() + kSamples}) {
        for (const auto& [drawnClass, share] : std::vector<std::pair<int, double>>{
                 {0, 0.125}, {1, 0}, {2, 0.375}, {3, 0}, {4, 0.5}}) {
            const auto count = std::count(batch, batch + kSamples, drawnClass);
            EXPECT_NEAR(static_cast<double>(count) / kSamples, share, 0.01) << drawnClass;
        }
    }
}

TEST(RandomMultinomial, survivesWhatIsNoProbability) {
    const float inf = std::numeric_limits<float>::infinity();
    TestOperation operation{OperationType::RANDOM_MULTINOMIAL,
                            {floats({1, 3}, {inf, -inf, std::numeric_limits<float>::quiet_NaN()}),
                             scalar(16), int32s({2}, {1, 1})},
                            {tensor(TENSOR_INT32)}};
    ASSERT_EQ(operation.refusal(), "");
    for (const std::int32_t chosen : operation.outputs[0].values<std::int32_t>()) {
        EXPECT_GE(chosen, 0);
        EXPECT_LT(chosen, 3);
    }
}

}  // namespace
}  // namespace nnburst::exec
