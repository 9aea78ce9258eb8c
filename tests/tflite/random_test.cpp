// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Operators that draw random numbers. The expected numbers are LiteRT's for the same seeds
/// (@litertjs/core 2.5.3).

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tflite_test.h"

namespace nnburst::random_test {
namespace {

using namespace tflite;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

OptionsBuilder seeds(std::int64_t first, std::int64_t second) {
    return optionsOf(schema::CreateRandomOptions, first, second);
}

FileSpec randomFile(Code code, const Ints& shape, std::int64_t first, std::int64_t second) {
    return operatorFile(code, {ints(shape)}, {real(shape)}, BuiltinOptions::RandomOptions,
                        seeds(first, second));
}

/// The numbers that a model draws and how far its generator is then. The model has an input that
/// nothing reads.
struct Drawn {
    Floats numbers;
    Ints state;
};

Drawn draw(const TfliteModel& model, const Ints& state) {
    const auto outputs = outputsOfRun<std::int32_t, std::int32_t>(model, {{0}, state});
    Drawn drawn{.numbers = {}, .state = outputs.at(1)};
    for (const std::int32_t bits : outputs.at(0)) {
        drawn.numbers.push_back(std::bit_cast<float>(bits));
    }
    return drawn;
}

TEST(TfliteRandom, drawsTheUniformNumbersOfTflite) {
    const Floats expected{0.406396746635437F,   0.8575996160507202F,  0.05539584159851074F,
                          0.08587229251861572F, 0.41215360164642334F, 0.036630868911743164F,
                          0.6572133302688599F};
    const TfliteModel model = imported(randomFile(Code::RANDOM_UNIFORM, {7}, 1, 2));
    EXPECT_EQ(draw(model, {0, 0}).numbers, expected);
    const TfliteModel large =
        imported(randomFile(Code::RANDOM_UNIFORM, {2, 3, 5}, 123456789012345, -3));
    const Floats numbers = draw(large, {0, 0}).numbers;
    ASSERT_EQ(numbers.size(), 30U);
    EXPECT_EQ(Floats(numbers.begin(), numbers.begin() + 6),
              (Floats{0.33534932136535645F, 0.9338346719741821F, 0.01616990566253662F,
                      0.4933379888534546F, 0.7159768342971802F, 0.5875157117843628F}));
}

TEST(TfliteRandom, goesOnFromOneExecutionToTheNext) {
    const TfliteModel model = imported(randomFile(Code::RANDOM_UNIFORM, {3}, 1, 2));
    ASSERT_EQ(model.states.size(), 1U);
    EXPECT_EQ(model.states[0].input, 1U);
    EXPECT_EQ(model.states[0].output, 1U);
    const Drawn first = draw(model, {0, 0});
    EXPECT_EQ(first.state, (Ints{1, 0}));
    const Drawn second = draw(model, first.state);
    EXPECT_EQ(second.numbers,
              (Floats{0.41215360164642334F, 0.036630868911743164F, 0.6572133302688599F}));
    EXPECT_EQ(draw(model, {-1, 0}).state, (Ints{0, 1}));
    EXPECT_EQ(draw(model, {5, 7}).state, (Ints{6, 7}));
    EXPECT_NE(draw(model, {5, 7}).numbers, draw(model, {5, 0}).numbers);
}

TEST(TfliteRandom, drawsTheNormalNumbersOfTflite) {
    const Floats expected{-1.0467792749404907F, 0.8397045731544495F, 1.235836386680603F,
                          2.0637853145599365F,  0.3037427067756653F, 1.2963250875473022F,
                          0.4801928997039795F};
    const TfliteModel model = imported(randomFile(Code::RANDOM_STANDARD_NORMAL, {7}, 1, 2));
    const Floats numbers = draw(model, {0, 0}).numbers;
    ASSERT_EQ(numbers.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(numbers[i], expected[i], 1e-6F) << i;
    }
}

TEST(TfliteRandom, drawsFiniteNormalNumbersWhereAUniformOneIsZero) {
    const TfliteModel model = imported(randomFile(Code::RANDOM_STANDARD_NORMAL, {2}, 1, 2));
    const Floats numbers = draw(model, {4'604'918, 0}).numbers;
    ASSERT_EQ(numbers.size(), 2U);
    EXPECT_NEAR(numbers[0], 5.3985F, 1e-4F);
    EXPECT_NEAR(numbers[1], 1.7585F, 1e-4F);
}

TEST(TfliteRandom, givesLogitsThatAreNotFiniteNoSamples) {
    const FileSpec file = operatorFile(Code::MULTINOMIAL, {real({1, 4}), intScalar(6)},
                                       {tensorOf({1, 6}, TensorType::INT64)},
                                       BuiltinOptions::RandomOptions, seeds(7, 0));
    Ints bits;
    for (const float logit : {INFINITY, 0.5F, NAN, -INFINITY}) {
        bits.push_back(std::bit_cast<std::int32_t>(logit));
    }
    const auto outputs = outputsOfRun<std::int32_t, std::int32_t>(imported(file), {bits, {0, 0}});
    EXPECT_EQ(outputs.at(0), Ints(6, 1));
}

TEST(TfliteRandom, drawsTheSamplesOfTflite) {
    Floats logits;
    for (int i = 0; i < 12; ++i) {
        logits.push_back(0.25F * static_cast<float>(i % 7) - 0.5F);
    }
    const FileSpec file = operatorFile(Code::MULTINOMIAL, {real({3, 4}), intScalar(5)},
                                       {tensorOf({3, 5}, TensorType::INT64)},
                                       BuiltinOptions::RandomOptions, seeds(7, 0));
    const TfliteModel model = imported(file);
    Ints bits;
    for (const float logit : logits) {
        bits.push_back(std::bit_cast<std::int32_t>(logit));
    }
    const auto outputs = outputsOfRun<std::int32_t, std::int32_t>(model, {bits, {0, 0}});
    EXPECT_EQ(outputs.at(0), (Ints{0, 3, 3, 3, 3, 0, 1, 1, 2, 1, 3, 2, 3, 3, 2}));
    EXPECT_EQ(outputs.at(1), (Ints{3 * 8 * 2 * 256, 0}));
}

TEST(TfliteRandom, takesOtherSeedsEachTimeIfBothAreZero) {
    const FileSpec file = randomFile(Code::RANDOM_UNIFORM, {8}, 0, 0);
    EXPECT_NE(draw(imported(file), {0, 0}).numbers, draw(imported(file), {0, 0}).numbers);
}

TEST(TfliteRandom, refusesInvalidShapes) {
    EXPECT_EQ(refusal(randomFile(Code::RANDOM_UNIFORM, {2, 0}, 1, 2)),
              "operator 0 (RANDOM_UNIFORM): shape with size 0: must be at least 1");
    EXPECT_EQ(refusal(operatorFile(Code::RANDOM_UNIFORM, {ints({2, -5})}, {real({})},
                                   BuiltinOptions::RandomOptions, seeds(1, 2))),
              "operator 0 (RANDOM_UNIFORM): shape with size -5: must be at least 1");
    const FileSpec open = operatorFile(Code::RANDOM_UNIFORM, {tensorOf({2}, TensorType::INT32)},
                                       {real({})}, BuiltinOptions::RandomOptions, seeds(1, 2));
    EXPECT_EQ(refusal(open),
              "operator 0 (RANDOM_UNIFORM): input 0 (shape): must be a constant of INT32 or INT64 "
              "with at most 1024 elements");
}

}  // namespace
}  // namespace nnburst::random_test
