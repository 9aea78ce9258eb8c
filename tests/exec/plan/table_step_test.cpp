// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Operations by table against the reference kernels, bit for bit.

#include "exec/plan/table_step.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <deque>

#include "exec/dot8/instruction_set.h"
#include "exec/operation/time_limit.h"
#include "exec/reference/operations.h"
#include "exec/reference/reference_step.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

using enum OperationType;
using enum OperandType;

/// An operation with random inputs.
struct Case {
    OperationInstance operation;
    std::deque<std::vector<std::byte>> data;

    void addInput(OperandType type, const Shape& shape, float scale, std::int32_t zeroPoint,
                  Random& random) {
        data.push_back(random.elements(type, shape.elementCount()));
        operation.inputs.push_back(
            {.type = type, .shape = shape, .scale = scale, .zeroPoint = zeroPoint});
        operation.inputs.back().data = data.back().data();
    }
    void addInteger(std::int32_t value) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
        data.emplace_back(bytes, bytes + sizeof(value));
        operation.inputs.push_back({.type = INT32, .isConstant = true});
        operation.inputs.back().data = data.back().data();
    }
    void inferShape() {
        Shape shape;
        ASSERT_TRUE(
            findOperation(operation.type)->inferShapes(operation.view(), std::span(&shape, 1)));
        operation.outputs[0].shape = shape;
    }
    std::vector<std::byte> run(Step& step, TimeLimit limit = TimeLimit()) {
        std::vector<std::byte> output(sizeBytes(operation.outputs[0]));
        std::vector<std::byte*> operands;
        for (const OperandView& input : operation.inputs) {
            operands.push_back(input.data);
        }
        operands.push_back(output.data());
        EXPECT_TRUE(step.setUp(operands));
        EXPECT_TRUE(step.run(limit));
        return output;
    }
};

class TableStepTest : public testing::Test {
  protected:
    void SetUp() override {
        if (dot8::fastestMicrokernels() == nullptr) {
            GTEST_SKIP() << "this processor does not have the instructions";
        }
    }
    static std::unique_ptr<Step> makeStep(const Case& given) {
        auto step = makeTableStep(given.operation, *dot8::fastestMicrokernels());
        EXPECT_TRUE(step) << step.error().message;
        return step ? std::move(*step) : nullptr;
    }
    static void compare(Case& given) {
        given.inferShape();
        const auto step = makeStep(given);
        ASSERT_NE(step, nullptr);
        EXPECT_EQ(given.run(*step), given.run(*makeReferenceStep(given.operation)));
    }
    static std::int32_t zeroPoint(OperandType type, Random& random) {
        return random.integer(0, 255) - (type == TENSOR_QUANT8_ASYMM ? 0 : 128);
    }
};

TEST_F(TableStepTest, computesActivations) {
    Random random(1);
    for (const OperationType type : {HARD_SWISH, LOGISTIC, RELU, RELU1, RELU6, TANH}) {
        for (const OperandType element : {TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}) {
            for (int round = 0; round < 20; ++round) {
                SCOPED_TRACE(std::string(toString(type)) + " round " + std::to_string(round));
                Case given;
                given.operation.type = type;
                given.addInput(element, {random.size(1, 3), random.size(1, 50), random.size(1, 50)},
                               random.real(0.005F, 0.1F), zeroPoint(element, random), random);
                given.operation.outputs.push_back({.type = element,
                                                   .scale = random.real(0.005F, 0.1F),
                                                   .zeroPoint = zeroPoint(element, random)});
                compare(given);
            }
        }
    }
}

TEST_F(TableStepTest, concatenatesTensorsOfOtherScales) {
    for (std::uint32_t round = 0; round < 200; ++round) {
        SCOPED_TRACE(round);
        Random random(round + 1);
        Case given;
        given.operation.type = CONCATENATION;
        const OperandType element = random.oneOf({TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
        const std::uint32_t rank = random.size(1, 4);
        const std::uint32_t axis = random.size(0, rank - 1);
        std::vector<std::uint32_t> sizes(rank);
        for (std::uint32_t& size : sizes) {
            size = random.size(1, 7);
        }
        for (std::uint32_t input = random.size(1, 5); input-- > 0;) {
            sizes[axis] = random.size(32, 121);
            given.addInput(element, Shape(sizes), random.real(0.01F, 0.1F),
                           zeroPoint(element, random), random);
        }
        given.addInteger(static_cast<std::int32_t>(axis));
        given.operation.outputs.push_back({.type = element,
                                           .scale = random.real(0.01F, 0.1F),
                                           .zeroPoint = zeroPoint(element, random)});
        compare(given);
    }
}

TEST_F(TableStepTest, leavesConcatenationsOfShortRowsToTheReference) {
    for (const std::uint32_t channels : {1U, 16U, 64U}) {
        Random random(1);
        Case given;
        given.operation.type = CONCATENATION;
        for (const float scale : {0.5F, 0.25F}) {
            given.addInput(TENSOR_QUANT8_ASYMM, {1, 16, 16, channels}, scale, 3, random);
        }
        given.addInteger(3);
        given.operation.outputs.push_back(
            {.type = TENSOR_QUANT8_ASYMM, .scale = 0.5F, .zeroPoint = 3});
        given.inferShape();
        EXPECT_EQ(makeStep(given) != nullptr, channels == 64) << channels << " channels";
    }
}

TEST_F(TableStepTest, leavesWhatItDoesNotComputeToOthers) {
    Random random(1);
    Case copied;
    copied.operation.type = CONCATENATION;
    copied.addInput(TENSOR_QUANT8_ASYMM, {4}, 0.5F, 3, random);
    copied.addInteger(0);
    copied.operation.outputs.push_back(
        {.type = TENSOR_QUANT8_ASYMM, .shape = {4}, .scale = 0.5F, .zeroPoint = 3});
    EXPECT_EQ(makeStep(copied), nullptr) << "its tensors have the scale of the output";
    Case real;
    real.operation.type = TANH;
    real.addInput(TENSOR_FLOAT32, {4}, 0.0F, 0, random);
    real.operation.outputs.push_back({.type = TENSOR_FLOAT32, .shape = {4}});
    EXPECT_EQ(makeStep(real), nullptr) << "it is of floats";
}

TEST_F(TableStepTest, endsEarlyWhenTheTimeIsOver) {
    Random random(1);
    Case given;
    given.operation.type = HARD_SWISH;
    given.addInput(TENSOR_QUANT8_ASYMM, {1 << 22}, 0.05F, 100, random);
    given.operation.outputs.push_back(
        {.type = TENSOR_QUANT8_ASYMM, .scale = 0.05F, .zeroPoint = 100});
    given.inferShape();
    const auto step = makeStep(given);
    ASSERT_NE(step, nullptr);
    EXPECT_NE(given.run(*step).back(), std::byte{0});
    const auto output = given.run(*step, TimeLimit(std::chrono::steady_clock::now()));
    EXPECT_TRUE(std::all_of(output.end() - 1000, output.end(),
                            [](std::byte byte) { return byte == std::byte{0}; }));
}

}  // namespace
}  // namespace nnburst::exec
