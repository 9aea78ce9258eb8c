// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/piecewise_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "support/test_request.h"

namespace nnburst::exec {
namespace {

struct Case {
    std::string name;
    OperationType type;
    OperandType elements;
    bool isFirstOne = false;   ///< the first input has one element
    bool isSecondOne = false;  ///< the second input has one element
    bool isConstant = false;   ///< the second input, of float16
};

bool isBinary(OperationType type) {
    return type == OperationType::ADD || type == OperationType::SUB || type == OperationType::MUL;
}

/// The operation on `count` elements, of which a constant begins with that of number `first`.
Model modelOf(const Case& of, std::uint32_t count, std::uint32_t first) {
    const bool isQuantized = of.elements == OperandType::TENSOR_QUANT8_ASYMM;
    ModelBuilder builder;
    const auto tensor = [&](std::uint32_t elements, float scale) {
        return builder.addTensor(of.elements, {elements}, isQuantized ? scale : 0.0F,
                                 isQuantized ? 100 : 0);
    };
    std::vector<std::uint32_t> inputs{tensor(of.isFirstOne ? 1 : count, 0.5F)};
    std::vector<std::uint32_t> arguments = inputs;
    if (of.isConstant) {
        constexpr std::uint32_t kPeriod = 1021;
        std::vector<Float16> values;
        for (std::uint32_t number = first; number < first + count; ++number) {
            values.emplace_back(static_cast<float>(number % kPeriod));
        }
        arguments.push_back(builder.addConstant(of.elements, {count}, bytesOf(values)));
    } else if (isBinary(of.type)) {
        inputs.push_back(tensor(of.isSecondOne ? 1 : count, 0.5F));
        arguments.push_back(inputs.back());
    }
    const auto output = tensor(count, isBinary(of.type) ? 4.0F : 0.5F);
    if (isBinary(of.type)) {
        arguments.push_back(builder.addScalar(0));
    }
    builder.addOperation(of.type, arguments, {output});
    return build(builder, inputs, {output});
}

class PiecewiseStep : public testing::TestWithParam<Case> {};

TEST_P(PiecewiseStep, computesEachElementAsAShortOperationDoes) {
    const std::size_t bytes = elementBytes(GetParam().elements);
    constexpr std::uint32_t kShort = 1000;
    const auto piece = static_cast<std::uint32_t>((256U << 10) / bytes);
    const std::uint32_t count = 5 * piece + 777;
    for (const std::uint32_t threads : {1U, 2U}) {
        const auto whole = compile(modelOf(GetParam(), count, 0), true, threads, false);
        TestRequest request = randomRequest(*whole, 3);
        ASSERT_TRUE(request.run(*whole));
        for (const std::uint32_t first : {0U, piece - kShort / 2, 3 * piece, count - kShort}) {
            const auto part = compile(modelOf(GetParam(), kShort, first), true, 1, false);
            TestRequest ofPart = randomRequest(*part, 4);
            for (std::size_t input = 0; input < ofPart.inputs().size(); ++input) {
                const std::span<std::byte> to = ofPart.input(input);
                const std::size_t at = to.size() == bytes ? 0 : first * bytes;
                std::copy_n(request.input(input).begin() + static_cast<std::ptrdiff_t>(at),
                            to.size(), to.begin());
            }
            ASSERT_TRUE(ofPart.run(*part));
            const auto computed = request.output(0).subspan(first * bytes, kShort * bytes);
            EXPECT_TRUE(std::ranges::equal(computed, ofPart.output(0)))
                << "from element " << first << ", " << threads << " threads";
        }
    }
}

constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
constexpr auto kUnsigned = OperandType::TENSOR_QUANT8_ASYMM;
constexpr auto kHalf = OperandType::TENSOR_FLOAT16;

INSTANTIATE_TEST_SUITE_P(
    Operations, PiecewiseStep,
    testing::Values(Case{"sum", OperationType::ADD, kFloat},
                    Case{"differenceFromOne", OperationType::SUB, kFloat, true, false},
                    Case{"productWithOne", OperationType::MUL, kFloat, false, true},
                    Case{"sumOfBytes", OperationType::ADD, kUnsigned},
                    Case{"productOfBytesWithOne", OperationType::MUL, kUnsigned, false, true},
                    Case{"sumOfHalves", OperationType::ADD, kHalf},
                    Case{"sumOfHalvesAndConstants", OperationType::ADD, kHalf, false, false, true},
                    Case{"logistic", OperationType::LOGISTIC, kFloat},
                    Case{"clampedBytes", OperationType::RELU6, kUnsigned}),
    [](const auto& instance) { return instance.param.name; });

/// ADD of two tensors of `count` floats.
class LongSum {
  public:
    explicit LongSum(std::uint32_t count)
        : numbers_(count, 1.0F), sums_(count), step_(make(count)) {
        EXPECT_NE(step_, nullptr);
        EXPECT_TRUE(step_->setUp(operands_));
    }

    [[nodiscard]] Result<> run(TimeLimit limit) { return step_->run(limit); }
    [[nodiscard]] std::ptrdiff_t computed() const { return std::ranges::count(sums_, 2.0F); }

  private:
    std::unique_ptr<Step> make(std::uint32_t count) {
        const OperandView tensor{.type = kFloat, .shape = Shape{count}};
        const OperandView activation{
            .type = OperandType::INT32, .data = operands_[2], .isConstant = true};
        const std::vector<OperandView> inputs{tensor, tensor, activation};
        const std::vector<OperandView> outputs{tensor};
        auto step = xnnpack::makeStep({OperationType::ADD, inputs, outputs}, {});
        return step ? std::move(*step) : nullptr;
    }
    template <class T>
    static std::byte* bytesOf(T* values) {
        return reinterpret_cast<std::byte*>(values);
    }

    std::vector<float> numbers_;
    std::vector<float> sums_;
    std::int32_t noActivation_ = 0;
    std::array<std::byte*, 4> operands_{bytesOf(numbers_.data()), bytesOf(numbers_.data()),
                                        bytesOf(&noActivation_), bytesOf(sums_.data())};
    std::unique_ptr<Step> step_;
};

TEST(PiecewiseStepLimit, checksItsLimitBetweenPieces) {
    ASSERT_TRUE(xnnpack::initialize());
    constexpr std::uint32_t kPiece = 65536;
    LongSum sum(6 * kPiece + 1);
    int checks = 0;
    const YieldCallback countChecks{[](void* count) noexcept { ++*static_cast<int*>(count); },
                                    &checks};
    ASSERT_TRUE(sum.run(TimeLimit({}, nullptr, countChecks)));
    EXPECT_EQ(checks, 6);
    EXPECT_EQ(sum.computed(), 6 * kPiece + 1);
}

TEST(PiecewiseStepLimit, leavesTheOtherPiecesOutWhenItIsOver) {
    ASSERT_TRUE(xnnpack::initialize());
    constexpr std::uint32_t kPiece = 65536;
    LongSum sum(6 * kPiece + 1);
    const std::atomic<bool> isCancelled{true};
    ASSERT_TRUE(sum.run(TimeLimit({}, &isCancelled)));
    EXPECT_EQ(sum.computed(), kPiece);
}

}  // namespace
}  // namespace nnburst::exec
