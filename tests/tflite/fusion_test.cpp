// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Groups of operators that are imported as one operation.

#include <gtest/gtest.h>

#include <cmath>

#include "tflite_test.h"

namespace nnburst::fusion_test {
namespace {

using namespace tflite;
using enum OperationType;
using Floats = std::vector<float>;
using Operations = std::vector<OperationType>;

constexpr auto kNone = schema::ActivationFunctionType::NONE;

/// Operators on tensors of 2x3, of which tensor 0 is the input.
class GroupFile {
  public:
    GroupFile() {
        file_.tensors = {{.shape = {2, 3}}};
        file_.inputs = {0};
    }

    std::int32_t constant(std::vector<std::int32_t> shape, const Floats& values) {
        return addConstant({.shape = std::move(shape)}, bytesOf(values));
    }
    std::int32_t integer(std::int32_t value) {
        return addConstant({.shape = {1}, .type = TensorType::INT32}, bytesOf(std::vector{value}));
    }

    /// The tensor that the operator computes.
    std::int32_t add(Code code, std::vector<std::int32_t> inputs,
                     std::vector<std::int32_t> shape = {2, 3}) {
        OperatorSpec op{.opcodeIndex = static_cast<std::uint32_t>(file_.codes.size()),
                        .inputs = std::move(inputs)};
        file_.codes.push_back({.code = code});
        switch (code) {
            case Code::ADD:
                op.optionsType = BuiltinOptions::AddOptions;
                op.options = optionsOf(schema::CreateAddOptions, kNone);
                break;
            case Code::MUL:
                op.optionsType = BuiltinOptions::MulOptions;
                op.options = optionsOf(schema::CreateMulOptions, kNone);
                break;
            case Code::SUB:
                op.optionsType = BuiltinOptions::SubOptions;
                op.options = optionsOf(schema::CreateSubOptions, kNone);
                break;
            case Code::DIV:
                op.optionsType = BuiltinOptions::DivOptions;
                op.options = optionsOf(schema::CreateDivOptions, kNone);
                break;
            case Code::SUM:
            case Code::REDUCE_MAX:
                op.optionsType = BuiltinOptions::ReducerOptions;
                op.options = optionsOf(schema::CreateReducerOptions, true);
                break;
            default:
                break;
        }
        const auto output = static_cast<std::int32_t>(file_.tensors.size());
        file_.tensors.push_back({.shape = std::move(shape)});
        op.outputs = {output};
        file_.operators.push_back(op);
        return output;
    }

    FileSpec withOutputs(std::vector<std::int32_t> outputs) {
        file_.outputs = std::move(outputs);
        return file_;
    }

  private:
    std::int32_t addConstant(TensorSpec tensor, std::vector<std::uint8_t> contents) {
        tensor.buffer = static_cast<std::uint32_t>(file_.buffers.size());
        file_.buffers.push_back(std::move(contents));
        file_.tensors.push_back(std::move(tensor));
        return static_cast<std::int32_t>(file_.tensors.size()) - 1;
    }

    FileSpec file_;
};

const Floats kInput{-1.0F, 2.0F, -3.0F, 4.0F, -5.0F, -6.0F};
/// PRELU with factors of 0.5, 0.25 and 0.125 for each column.
const Floats kPrelu{-0.5F, 2.0F, -0.375F, 4.0F, -1.25F, -0.75F};

TEST(TfliteFusion, findsPreluOfTwoRelus) {
    for (const bool isNegatedByOperator : {false, true}) {
        for (const bool isSwapped : {false, true}) {
            GroupFile group;
            const auto positive = group.add(Code::RELU, {0});
            const auto negative = group.add(Code::RELU, {group.add(Code::NEG, {0})});
            const auto factor =
                isNegatedByOperator
                    ? group.add(Code::NEG, {group.constant({1, 3}, {0.5F, 0.25F, 0.125F})}, {1, 3})
                    : group.constant({1, 3}, {-0.5F, -0.25F, -0.125F});
            const auto product = isSwapped ? group.add(Code::MUL, {negative, factor})
                                           : group.add(Code::MUL, {factor, negative});
            const auto sum = isSwapped ? group.add(Code::ADD, {product, positive})
                                       : group.add(Code::ADD, {positive, product});
            const FileSpec file = group.withOutputs({sum});
            EXPECT_EQ(operationsOf(imported(file)), Operations{PRELU});
            expectComputes<float, float>(file, {kInput}, {kPrelu});
        }
    }
}

TEST(TfliteFusion, takesTheShapeOfTheInputInPlaceOfAStatedOne) {
    GroupFile group;
    const auto positive = group.add(Code::RELU, {0});
    const auto negative = group.add(Code::RELU, {group.add(Code::NEG, {0})});
    const auto factor = group.constant({3}, {-0.5F, -0.25F, -0.125F});
    const auto product = group.add(Code::MUL, {factor, negative});
    const auto sum = group.add(Code::ADD, {positive, product}, {1, 3});
    const FileSpec file = group.withOutputs({sum});
    EXPECT_EQ(operationsOf(imported(file)), Operations{PRELU});
    EXPECT_EQ(outputOf(imported(file)).dimensions, (Dimensions{2, 3}));
    expectComputes<float, float>(file, {kInput}, {kPrelu});
}

TEST(TfliteFusion, findsPreluOfAMinimumThatIsWrittenOut) {
    GroupFile group;
    const auto positive = group.add(Code::RELU, {0});
    const auto negative =
        group.add(Code::NEG, {group.add(Code::RELU, {group.add(Code::NEG, {0})})});
    const auto factor = group.constant({3}, {0.5F, 0.25F, 0.125F});
    const auto sum = group.add(Code::ADD, {positive, group.add(Code::MUL, {factor, negative})});
    const FileSpec file = group.withOutputs({sum});
    EXPECT_EQ(operationsOf(imported(file)), Operations{PRELU});
    expectComputes<float, float>(file, {kInput}, {kPrelu});
}

TEST(TfliteFusion, findsPreluOfAnAbsoluteValue) {
    GroupFile group;
    const auto positive = group.add(Code::RELU, {0});
    const auto difference = group.add(Code::SUB, {0, group.add(Code::ABS, {0})});
    const auto factor = group.constant({3}, {0.25F, 0.125F, 0.0625F});
    const auto sum = group.add(Code::ADD, {positive, group.add(Code::MUL, {factor, difference})});
    const FileSpec file = group.withOutputs({sum});
    EXPECT_EQ(operationsOf(imported(file)), Operations{PRELU});
    expectComputes<float, float>(file, {kInput}, {kPrelu});
}

TEST(TfliteFusion, keepsWhatOthersRead) {
    GroupFile group;
    const auto positive = group.add(Code::RELU, {0});
    const auto negative = group.add(Code::RELU, {group.add(Code::NEG, {0})});
    const auto factor = group.constant({3}, {-0.5F, -0.25F, -0.125F});
    const auto sum = group.add(Code::ADD, {positive, group.add(Code::MUL, {factor, negative})});
    EXPECT_EQ(operationsOf(imported(group.withOutputs({sum, positive}))),
              (Operations{RELU, NEG, RELU, MUL, ADD}));
}

TEST(TfliteFusion, leavesOtherGroupsAsTheyAre) {
    GroupFile group;  // the RELUs are of different tensors
    const auto other = group.add(Code::ABS, {0});
    const auto positive = group.add(Code::RELU, {other});
    const auto negative = group.add(Code::RELU, {group.add(Code::NEG, {0})});
    const auto factor = group.constant({3}, {-0.5F, -0.25F, -0.125F});
    const auto sum = group.add(Code::ADD, {positive, group.add(Code::MUL, {factor, negative})});
    EXPECT_EQ(operationsOf(imported(group.withOutputs({sum}))),
              (Operations{ABS, RELU, NEG, RELU, MUL, ADD}));
}

std::int32_t addSoftmax(GroupFile& group, std::int32_t maximumAxis, std::int32_t sumAxis) {
    const auto largest = group.add(Code::REDUCE_MAX, {0, group.integer(maximumAxis)}, {2, 1});
    const auto powers = group.add(Code::EXP, {group.add(Code::SUB, {0, largest})});
    const auto sum = group.add(Code::SUM, {powers, group.integer(sumAxis)},
                               sumAxis == 0 ? std::vector{1, 3} : std::vector{2, 1});
    return group.add(Code::DIV, {powers, sum});
}

TEST(TfliteFusion, findsSoftmax) {
    GroupFile group;
    const TfliteModel model = imported(group.withOutputs({addSoftmax(group, -1, 1)}));
    EXPECT_EQ(operationsOf(model), Operations{SOFTMAX});
    const Floats result =
        outputsOfRun<float, float>(model, {{0.0F, std::log(2.0F), 0.0F, 1.0F, 1.0F, 1.0F}}).at(0);
    const Floats expected{0.25F, 0.5F, 0.25F, 1 / 3.0F, 1 / 3.0F, 1 / 3.0F};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(result[i], expected[i], 1e-6F) << i;
    }
}

TEST(TfliteFusion, leavesReductionsOfOtherAxesAsTheyAre) {
    GroupFile group;
    const TfliteModel model = imported(group.withOutputs({addSoftmax(group, 1, 0)}));
    EXPECT_EQ(operationsOf(model).size(), 5U);
}

}  // namespace
}  // namespace nnburst::fusion_test
