// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Rules of the HAL's OutputShape (docs/hal.md), held by every way to execute.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "device/devices.h"
#include "device/hal_models.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

using enum OperandType;

constexpr std::uint32_t kFloat = sizeof(float);

/// Two halves of in[4].
Model makeSplitModel(std::uint32_t count = 4) {
    ModelBuilder builder;
    const auto in = builder.addTensor(TENSOR_FLOAT32, {count});
    const auto axis = builder.addScalar(std::int32_t{0});
    const auto parts = builder.addScalar(std::int32_t{2});
    const auto first = builder.addTensor(TENSOR_FLOAT32, {count / 2});
    const auto second = builder.addTensor(TENSOR_FLOAT32, {count / 2});
    builder.addOperation(OperationType::SPLIT, {in, axis, parts}, {first, second});
    return std::move(*builder.build({in}, {first, second}));
}

/// out = a + b, of a rank that the model leaves open.
Model makeOpenRankModel() {
    ModelBuilder builder;
    const auto a = builder.addTensor(TENSOR_FLOAT32, {2, 2});
    const auto b = builder.addTensor(TENSOR_FLOAT32, {2});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {});
    builder.addOperation(OperationType::ADD, {a, b, builder.addScalar(std::int32_t{0})}, {out});
    return std::move(*builder.build({a, b}, {out}));
}

class HalOutputShapesTest : public ExecutionTest {
  protected:
    void expectShapes(const SmallRequest& small, const std::vector<OutputShape>& shapes) {
        const Result<> result = execute(small.request);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(outcome.outputShapes, shapes);
    }

    void expectTooSmall(const SmallRequest& small, const std::vector<OutputShape>& shapes) {
        const Result<> result = execute(small.request);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE)
            << result.error().message;
        EXPECT_EQ(outcome.outputShapes, shapes);
    }
};

const std::vector<float> kFour{1, 2, 3, 4};
const std::vector<float> kSix{1, 2, 3, 4, 5, 6};

TEST_P(HalOutputShapesTest, areThoseOfTheModelIfItKnowsThem) {
    use(makeAddModel());
    expectService();
}

TEST_P(HalOutputShapesTest, areOneForEachOutput) {
    use(makeSplitModel());
    SmallRequest small;
    small.input(kFour, {}).output(2 * kFloat).output(2 * kFloat);
    expectShapes(small, {{.dimensions = {2}, .isSufficient = true},
                         {.dimensions = {2}, .isSufficient = true}});
    EXPECT_EQ(small.output<float>(1)[1], 4.0F);
}

TEST_P(HalOutputShapesTest, areComputedWhereTheModelLeavesThemOpen) {
    use(makeAddModel(0));
    SmallRequest small;
    small.input(kSix, {6}).input(kSix, {6}).output(6 * kFloat);
    expectShapes(small, {{.dimensions = {6}, .isSufficient = true}});
    EXPECT_EQ(small.output<float>(0)[5], 12.0F);
}

TEST_P(HalOutputShapesTest, areComputedWhereTheRankIsOpen) {
    use(makeOpenRankModel());
    SmallRequest small;
    small.input(kFour, {}).input(std::vector<float>{10, 20}, {}).output(4 * kFloat);
    expectShapes(small, {{.dimensions = {2, 2}, .isSufficient = true}});
    EXPECT_EQ(small.output<float>(0)[3], 24.0F);
}

TEST_P(HalOutputShapesTest, areComputedWhereTheyFollowFromValues) {
    use(makeReshapeModel());
    for (const auto& shape : {std::vector<std::int32_t>{2, 3}, {6, 1}, {-1, 2}}) {
        SmallRequest small;
        small.input(kSix, {}).input(shape, {}).output(6 * kFloat);
        const auto last = static_cast<std::uint32_t>(shape[1]);
        expectShapes(small, {{.dimensions = {6 / last, last}, .isSufficient = true}});
        EXPECT_EQ(small.output<float>(0)[5], 6.0F);
    }
}

TEST_P(HalOutputShapesTest, areThoseOfTheBranchThatRan) {
    use(makeBranchModel());
    for (const std::uint8_t once : {std::uint8_t{1}, std::uint8_t{0}}) {
        SmallRequest small;
        small.input(std::vector<std::uint8_t>{once}, {})
            .input(std::vector<float>{7, 8}, {})
            .output(4 * kFloat);
        expectShapes(small, {{.dimensions = {once == 1 ? 2U : 4U}, .isSufficient = true}});
        EXPECT_EQ(small.output<float>(0)[1], 8.0F);
    }
}

TEST_P(HalOutputShapesTest, sayWhichOutputIsTooSmall) {
    use(makeSplitModel());
    SmallRequest small;
    small.input(kFour, {}).output(2 * kFloat).output(1 * kFloat);
    expectTooSmall(small, {{.dimensions = {2}, .isSufficient = true},
                           {.dimensions = {2}, .isSufficient = false}});
}

TEST_P(HalOutputShapesTest, sayWhichIsTooSmallWhereTheyFollowFromValues) {
    use(makeReshapeModel());
    SmallRequest small;
    small.input(kSix, {}).input(std::vector<std::int32_t>{3, 2}, {}).output(5 * kFloat);
    expectTooSmall(small, {{.dimensions = {3, 2}, .isSufficient = false}});

    use(makeBranchModel());
    SmallRequest branch;
    branch.input(std::vector<std::uint8_t>{0}, {})
        .input(std::vector<float>{7, 8}, {})
        .output(2 * kFloat);
    expectTooSmall(branch, {{.dimensions = {4}, .isSufficient = false}});
}

TEST_P(HalOutputShapesTest, sayThatAnOutputIsTooSmallBeforeItIsComputed) {
    constexpr std::int32_t kMany = (1 << 30) - 1;  // floats: with the counts more than 4 GiB
    ModelBuilder builder;
    const auto one = builder.addTensor(OperandType::TENSOR_FLOAT32, {1, 1});
    const auto counts = builder.addTensor(OperandType::TENSOR_INT32, {2});
    const auto many = builder.addTensor(OperandType::TENSOR_FLOAT32, {0, 0});
    builder.addOperation(OperationType::TILE, {one, counts}, {many});
    use(std::move(*builder.build({one, counts}, {many})));
    SmallRequest small;
    small.input(std::vector<float>{1}, {})
        .input(std::vector<std::int32_t>{1, kMany}, {})
        .output(kFloat);
    expectTooSmall(small, {{.dimensions = {1, kMany}, .isSufficient = false}});
}

TEST_P(HalOutputShapesTest, sayThatAnOutputOfKnownSizeIsTooSmall) {
    use(makeAddModel());
    AddRequest add(4, 2 * kFloat);
    const Result<> result = execute(add.request);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_EQ(outcome.outputShapes,
              (std::vector<OutputShape>{{.dimensions = {4}, .isSufficient = false}}));
}

TEST_P(HalOutputShapesTest, sayHowMuchMemoryIsEnough) {
    use(makeReshapeModel());
    const std::vector<std::int32_t> shape{2, 3};
    SmallRequest small;
    small.input(kSix, {}).input(shape, {}).output(kFloat);
    ASSERT_FALSE(execute(small.request));
    ASSERT_EQ(outcome.outputShapes.size(), 1U);
    const Dimensions& needed = outcome.outputShapes[0].dimensions;
    ASSERT_EQ(needed.size(), 2U);

    SmallRequest again;
    again.input(kSix, {}).input(shape, {}).output(needed[0] * needed[1] * kFloat);
    expectShapes(again, {{.dimensions = {2, 3}, .isSufficient = true}});
}

TEST_P(HalOutputShapesTest, leaveTheRestOfALargerOutputAlone) {
    for (const Model& model : {makeSplitModel(), makeSplitModel(0)}) {
        use(model);
        SmallRequest small;
        small.input(kFour, {4}).output(40).output(40);
        expectShapes(small, {{.dimensions = {2}, .isSufficient = true},
                             {.dimensions = {2}, .isSufficient = true}});
        for (const std::size_t output : {0U, 1U}) {
            const auto rest = small.outputBytes(output).subspan(2 * kFloat);
            EXPECT_TRUE(std::ranges::all_of(rest, [](std::byte b) { return b == std::byte{0xEE}; }))
                << output;
        }
    }
}

TEST_P(HalOutputShapesTest, mustAgreeWithTheRequest) {
    use(makeReshapeModel());
    SmallRequest small;
    small.input(kSix, {})
        .input(std::vector<std::int32_t>{2, 3}, {})
        .output(6 * kFloat, Dimensions{3, 2});
    const Result<> result = execute(small.request);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT) << result.error().message;

    small.request.outputs[0].dimensions = {2, 3};
    expectShapes(small, {{.dimensions = {2, 3}, .isSufficient = true}});
}

TEST_P(HalOutputShapesTest, areNotThereAfterOtherErrors) {
    use(makeAddModel());
    expectService();
    AddRequest add;
    add.request.inputs[0].location.poolIndex = 9;
    ASSERT_FALSE(execute(add.request));
    EXPECT_TRUE(outcome.outputShapes.empty());
}

TEST_P(HalOutputShapesTest, anOmittedOutputHasAShape) {
    use(makeSplitModel());
    SmallRequest small;
    small.input(kFour, {}).omittedOutput().output(2 * kFloat);
    expectShapes(small, {{.dimensions = {2}, .isSufficient = true},
                         {.dimensions = {2}, .isSufficient = true}});
    EXPECT_EQ(small.output<float>(1)[0], 3.0F);
}

NNBURST_INSTANTIATE_FOR_ALL_EXECUTIONS(HalOutputShapesTest);

}  // namespace
}  // namespace nnburst::test
