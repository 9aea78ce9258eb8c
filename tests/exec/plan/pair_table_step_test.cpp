// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Operations by tables of pairs against the reference kernels, bit for bit.

#include "exec/plan/pair_table_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <string>

#include "exec/operation/time_limit.h"
#include "exec/reference/operations.h"
#include "exec/reference/reference_step.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

using enum OperationType;
using enum OperandType;

/// An operation on two random tensors.
class PairCase {
  public:
    PairCase(OperationType type, OperandType element, const Shape& a, const Shape& b,
             Random& random) {
        operation_.type = type;
        addInput(element, a, random);
        addInput(element, b, random);
        if (type == ADD || type == MUL || type == SUB) {
            data_.emplace_back(sizeof(std::int32_t), std::byte{1});
            const std::int32_t activation = random.integer(0, 3);
            std::memcpy(data_.back().data(), &activation, sizeof(activation));
            operation_.inputs.push_back({.type = INT32, .isConstant = true});
            operation_.inputs.back().data = data_.back().data();
        }
        const bool isArithmetic = type == ADD || type == MAXIMUM || type == MINIMUM ||
                                  type == MUL || type == PRELU || type == SUB;
        operation_.outputs.push_back({.type = isArithmetic ? element : TENSOR_BOOL8,
                                      .scale = isArithmetic ? random.real(0.01F, 0.1F) : 0.0F,
                                      .zeroPoint = isArithmetic ? zeroPoint(element, random) : 0});
        Shape shape;
        EXPECT_TRUE(findOperation(type)->inferShapes(operation_.view(), std::span(&shape, 1)));
        operation_.outputs[0].shape = shape;
    }

    std::unique_ptr<Step> makeStep() {
        auto step = makePairTableStep(operation_);
        EXPECT_TRUE(step) << step.error().message;
        return step ? std::move(*step) : nullptr;
    }
    std::unique_ptr<Step> makeReference() { return makeReferenceStep(operation_); }

    std::vector<std::byte> run(Step& step, TimeLimit limit = TimeLimit()) {
        std::vector<std::byte> output(sizeBytes(operation_.outputs[0]));
        std::vector<std::byte*> operands;
        for (const OperandView& input : operation_.inputs) {
            operands.push_back(input.data);
        }
        operands.push_back(output.data());
        EXPECT_TRUE(step.setUp(operands));
        EXPECT_TRUE(step.run(limit));
        return output;
    }

  private:
    static std::int32_t zeroPoint(OperandType type, Random& random) {
        return random.integer(0, 255) - (type == TENSOR_QUANT8_ASYMM ? 0 : 128);
    }
    void addInput(OperandType element, const Shape& shape, Random& random) {
        data_.push_back(random.elements(element, shape.elementCount()));
        operation_.inputs.push_back({.type = element,
                                     .shape = shape,
                                     .scale = random.real(0.005F, 0.1F),
                                     .zeroPoint = zeroPoint(element, random)});
        operation_.inputs.back().data = data_.back().data();
    }

    OperationInstance operation_;
    std::deque<std::vector<std::byte>> data_;
};

TEST(PairTableStep, computesWhatTheReferenceKernelsCompute) {
    for (const OperationType type : {ADD, EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, MAXIMUM,
                                     MINIMUM, MUL, NOT_EQUAL, PRELU, SUB}) {
        for (const OperandType element : {TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}) {
            for (const Shape& other :
                 {Shape{2, 129, 257}, Shape{257}, Shape{1, 129, 1}, Shape{1}}) {
                Random random(static_cast<std::uint32_t>(other.elementCount()));
                PairCase given(type, element, Shape{2, 129, 257}, other, random);
                SCOPED_TRACE(std::string(toString(type)) + " with " +
                             std::to_string(other.elementCount()) + " elements");
                const auto step = given.makeStep();
                ASSERT_NE(step, nullptr);
                EXPECT_EQ(given.run(*step), given.run(*given.makeReference()));
            }
        }
    }
}

TEST(PairTableStep, leavesFewElementsAndFloatsToOthers) {
    Random random(1);
    EXPECT_EQ(PairCase(PRELU, TENSOR_QUANT8_ASYMM, {255, 256}, {256}, random).makeStep(), nullptr);
    EXPECT_EQ(PairCase(PRELU, TENSOR_FLOAT32, {256, 256}, {256}, random).makeStep(), nullptr);
    EXPECT_NE(PairCase(PRELU, TENSOR_QUANT8_ASYMM, {256, 256}, {256}, random).makeStep(), nullptr);
}

TEST(PairTableStep, fillsItsTableInTheFirstRunThatHasTheTime) {
    Random random(1);
    PairCase given(ADD, TENSOR_QUANT8_ASYMM, {256, 300}, {300}, random);
    const auto step = given.makeStep();
    ASSERT_NE(step, nullptr);
    TimeLimit late(std::chrono::steady_clock::now());
    ASSERT_TRUE(late.isOverAfter(TimeLimit::kWorkPerCheck));
    const auto output = given.run(*step, late);
    EXPECT_EQ(output, std::vector<std::byte>(output.size()));
    EXPECT_TRUE(step->fillsTable());
    EXPECT_EQ(given.run(*step), given.run(*given.makeReference()));
    EXPECT_FALSE(step->fillsTable());
}

TEST(PairTableStep, saysWhatItKeeps) {
    Random random(1);
    PairCase given(ADD, TENSOR_QUANT8_ASYMM, {256, 300}, {300}, random);
    EXPECT_GE(given.makeStep()->keptBytes(), std::size_t{1} << 16);
}

TEST(PairTableStep, endsEarlyWhenTheTimeIsOver) {
    Random random(1);
    PairCase given(GREATER_EQUAL, TENSOR_QUANT8_ASYMM, {1 << 21}, {1}, random);
    const auto step = given.makeStep();
    ASSERT_NE(step, nullptr);
    const auto all = given.run(*step);
    const auto output = given.run(*step, TimeLimit(std::chrono::steady_clock::now()));
    EXPECT_NE(std::count(all.end() - 1000, all.end(), std::byte{1}), 0);
    EXPECT_EQ(std::count(output.end() - 1000, output.end(), std::byte{1}), 0);
}

}  // namespace
}  // namespace nnburst::exec
