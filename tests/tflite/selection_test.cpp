// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Operators that reduce integers or select elements by their value. Results are computed by hand.

#include <gtest/gtest.h>

#include "tflite_test.h"

namespace nnburst {
namespace {

using namespace tflite;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

Argument integers(std::vector<std::int32_t> shape) {
    return tensorOf(std::move(shape), TensorType::INT32);
}

FileSpec reduction(Code code, const Argument& axes, bool keeps, std::vector<std::int32_t> result) {
    return operatorFile(code, {integers({2, 3}), axes}, {integers(std::move(result))},
                        BuiltinOptions::ReducerOptions,
                        optionsOf(schema::CreateReducerOptions, keeps));
}

TEST(TfliteSelection, reducesIntegersExactly) {
    const std::vector<Ints> input{{16777217, 2, -3, 4, -5, 7}};
    const auto expect = [&](Code code, const Ints& result) {
        expectComputes<std::int32_t, std::int32_t>(reduction(code, ints({-1}), false, {2}), input,
                                                   {result});
    };
    expect(Code::SUM, {16777216, 6});
    expect(Code::REDUCE_PROD, {-100663302, -140});
    expect(Code::REDUCE_MIN, {-3, -5});
    expect(Code::REDUCE_MAX, {16777217, 7});
    expect(Code::MEAN, {5592405, 2});
    expectComputes<std::int32_t, std::int32_t>(reduction(Code::SUM, ints({0}), true, {1, 3}), input,
                                               {{16777221, -3, 4}});
}

TEST(TfliteSelection, wrapsSumsAndProductsAround) {
    const std::vector<Ints> input{{INT32_MAX, 1, 0, 65536, 65536, 1}};
    expectComputes<std::int32_t, std::int32_t>(reduction(Code::SUM, ints({1}), false, {2}), input,
                                               {{INT32_MIN, 131073}});
    expectComputes<std::int32_t, std::int32_t>(reduction(Code::REDUCE_PROD, ints({1}), false, {2}),
                                               input, {{0, 0}});
}

TEST(TfliteSelection, ranksTheFirstOfTheSameElementsFirst) {
    const TfliteModel model = imported(operatorFile(Code::TOPK_V2, {real({2, 4}), intScalar(3)},
                                                    {real({2, 3}), integers({2, 3})}));
    // Of both outputs as INT32: 2.0F is 0x40000000.
    const std::vector<Ints> outputs = outputsOfRun<std::int32_t, float>(
        model, {{1.0F, 2.0F, 1.0F, 2.0F, -0.0F, 0.0F, -1.0F, -2.0F}});
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(outputs[1], (Ints{1, 3, 0, 0, 1, 2}));
    EXPECT_EQ(outputs[0][0], 0x40000000);
    EXPECT_EQ(outputs[0][2], 0x3f800000);
}

TEST(TfliteSelection, ranksIntegersAndRefusesTooMany) {
    const auto file = [](std::int32_t k) {
        return operatorFile(Code::TOPK_V2, {integers({3}), intScalar(k)},
                            {integers({k}), integers({k})});
    };
    expectComputes<std::int32_t, std::int32_t>(file(2), {{-5, 7, 7}}, {{7, 7}, {1, 2}});
    const auto tooMany = importTflite(serialize(file(4)));
    ASSERT_TRUE(tooMany) << tooMany.error().message;
    EXPECT_FALSE(exec::CompiledModel::compile(exec::makeEngine(false), resolved(tooMany->model)));
}

TEST(TfliteSelection, refusesAKindOfReductionThatIsNoConstant) {
    TfliteModel model = imported(reduction(Code::SUM, ints({1}), false, {2}));
    const std::uint32_t kind = model.model.main.operations[0].inputs.at(3);
    model.model.main.operands[kind].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
    model.model.main.operands[kind].location = {};
    model.model.main.inputIndexes.push_back(kind);
    const auto compiled = exec::compile(resolved(model.model), false);
    ASSERT_NE(compiled, nullptr);
    const auto resultOf = [&](std::int32_t given) {
        const Ints values{1, 2, 3, 4, 5, 6};
        exec::TestRequest request;
        request.addInput(std::as_bytes(std::span(values)));
        request.addInput(std::as_bytes(std::span(&given, 1)));
        request.addOutput(2 * sizeof(std::int32_t));
        const auto ran = request.run(*compiled);
        return ran ? std::string() : ran.error().message;
    };
    EXPECT_EQ(resultOf(0), "");
    EXPECT_NE(resultOf(5).find("kind 5; must be from 0 to 4"), std::string::npos);
}

TEST(TfliteSelection, raisesIntegersToPowers) {
    expectComputes<std::int32_t, std::int32_t>(
        operatorFile(Code::POW, {integers({4}), integers({4})}, {integers({4})}),
        {{2, -3, 7, 0}, {10, 3, 0, 5}}, {{1024, -27, 1, 0}});
}

// ---- Non-maximum suppression: boxes 0 and 1 overlap by 1/3, box 2 lies apart.

const Floats kBoxes{0, 0, 1, 2, 0, 1, 1, 3, 5, 5, 6, 6, 9, 9, 8, 8};
const Floats kScores{0.6F, 0.9F, 0.3F, 0.1F};

FileSpec suppression(float overlap, float score) {
    return operatorFile(
        Code::NON_MAX_SUPPRESSION_V4,
        {real({4, 4}), real({4}), intScalar(3), reals({}, {overlap}), reals({}, {score})},
        {integers({3}), integers({})});
}

TEST(TfliteSelection, suppressesBoxesThatOverlap) {
    expectComputes<std::int32_t, float>(suppression(0.3F, 0.2F), {kBoxes, kScores},
                                        {{1, 2, 0}, {2}});
    expectComputes<std::int32_t, float>(suppression(0.4F, 0.2F), {kBoxes, kScores},
                                        {{1, 0, 2}, {3}});
    // Corners in any order: box 3 is selected, too.
    expectComputes<std::int32_t, float>(suppression(0.3F, 0.0F), {kBoxes, kScores},
                                        {{1, 2, 3}, {3}});
    expectComputes<std::int32_t, float>(suppression(0.3F, 1.0F), {kBoxes, kScores},
                                        {{0, 0, 0}, {0}});
}

TEST(TfliteSelection, lowersScoresOfBoxesThatOverlap) {
    const auto file = [](std::int32_t maximum) {
        return operatorFile(Code::NON_MAX_SUPPRESSION_V5,
                            {real({4, 4}), real({4}), intScalar(maximum), reals({}, {1.0F}),
                             reals({}, {0.2F}), reals({}, {0.05F})},
                            {integers({maximum}), real({maximum}), integers({})});
    };
    // 0.6 * exp(-10 / 9) is less than the 0.3 of box 2, and less than the threshold.
    const TfliteModel model = imported(file(3));
    const std::vector<Ints> outputs = outputsOfRun<std::int32_t, float>(model, {kBoxes, kScores});
    ASSERT_EQ(outputs.size(), 3U);
    EXPECT_EQ(outputs[0], (Ints{1, 2, 0}));
    EXPECT_EQ(outputs[2], Ints{2});
}

TEST(TfliteSelection, refusesSuppressionWithoutKnownNumber) {
    EXPECT_EQ(refusal(operatorFile(
                  Code::NON_MAX_SUPPRESSION_V4,
                  {real({4, 4}), real({4}), intScalar(0), reals({}, {0.5F}), reals({}, {0.5F})},
                  {integers({3}), integers({})})),
              "operator 0 (NON_MAX_SUPPRESSION_V4): 0 boxes: must be at least 1");
    EXPECT_EQ(
        refusal(operatorFile(Code::NON_MAX_SUPPRESSION_V4,
                             {real({4, 4}), real({4}), intScalar(2), real({}), reals({}, {0.5F})},
                             {integers({2}), integers({})})),
        "operator 0 (NON_MAX_SUPPRESSION_V4): input 3: must be a constant of FLOAT32 with "
        "one element");
}

// ---- Sequences, and vectors of conditions

TEST(TfliteSelection, selectsWholeRowsByAVectorOfConditions) {
    const Argument condition = withContents(tensorOf({2}, TensorType::BOOL), {0, 1});
    expectComputes<float, float>(
        operatorFile(Code::SELECT, {condition, real({2, 2}), real({2, 2})}, {real({2, 2})}),
        {{1, 2, 3, 4}, {5, 6, 7, 8}}, {{5, 6, 3, 4}});
}

TEST(TfliteSelection, movesBlocksOfSequences) {
    const Argument margins = withContents(integers({1, 2}), bytesOf(Ints{1, 0}));
    expectComputes<float, float>(
        operatorFile(Code::SPACE_TO_BATCH_ND, {real({1, 3, 1}), ints({2}), margins},
                     {real({2, 2, 1})}),
        {{1, 2, 3}}, {{0, 2, 1, 3}});
    expectComputes<float, float>(
        operatorFile(Code::BATCH_TO_SPACE_ND, {real({2, 2, 1}), ints({2}), margins},
                     {real({1, 3, 1})}),
        {{0, 2, 1, 3}}, {{1, 2, 3}});
}

TEST(TfliteSelection, fillsWithAComputedValue) {
    expectComputes<float, float>(operatorFile(Code::FILL, {ints({2, 2}), real({})}, {real({2, 2})}),
                                 {{3.5F}}, {{3.5F, 3.5F, 3.5F, 3.5F}});
}

TEST(TfliteSelection, castsStoredNumbersOfInt8) {
    const Argument bytes = quantized({3}, TensorType::INT8, 0.5F, 4);
    expectComputes<float, std::int8_t>(operatorFile(Code::CAST, {bytes}, {real({3})}),
                                       {{-128, 0, 127}}, {{-128.0F, 0.0F, 127.0F}});
    expectComputes<std::int32_t, std::int8_t>(operatorFile(Code::CAST, {bytes}, {integers({3})}),
                                              {{-128, 0, 127}}, {{-128, 0, 127}});
    expectComputes<std::int8_t, float>(operatorFile(Code::CAST, {real({3})}, {bytes}),
                                       {{-1.9F, 0.9F, 100.5F}}, {{-1, 0, 100}});
}

}  // namespace
}  // namespace nnburst
