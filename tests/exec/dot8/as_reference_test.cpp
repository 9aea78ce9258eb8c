// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// 8-bit kernels that give the bits of the reference kernels, on every instruction set that the
// processor has. Operands lie between pages that cannot be touched.

#include <gtest/gtest.h>
#include <pthreadpool.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <numeric>
#include <utility>

#include "exec/dot8/instruction_set.h"
#include "exec/dot8/step_case.h"
#include "exec/reference/operations.h"
#include "exec/reference/reference_step.h"
#include "support/sanitizers.h"

namespace nnburst::exec {
namespace {

using dot8::InstructionSet;

/// An operation with one tensor and arguments.
class UnaryCase {
  public:
    /// A random tensor.
    UnaryCase(OperationType type, OperandType element, const Shape& shape, float scale,
              std::int32_t zeroPoint, Random& random)
        : UnaryCase(type, {.type = element, .shape = shape, .scale = scale, .zeroPoint = zeroPoint},
                    random.elements(element, shape.elementCount())) {}

    /// Bytes of 255.
    UnaryCase(OperationType type, const Shape& shape)
        : UnaryCase(type, {.type = OperandType::TENSOR_QUANT8_ASYMM, .shape = shape, .scale = 1.0F},
                    std::vector<std::byte>(shape.elementCount(), std::byte{255})) {}

    void addIntegers(const Shape& shape, OperandType type, std::vector<std::int32_t> values) {
        constants_.push_back(std::move(values));
        instance_.inputs.push_back({.type = type, .shape = shape, .isConstant = true});
        instance_.inputs.back().data = reinterpret_cast<std::byte*>(constants_.back().data());
    }
    void addInteger(std::int32_t value) { addIntegers({}, OperandType::INT32, {value}); }

    /// Runs our kernel and the reference kernel. False if the operation is not covered.
    bool compare(const dot8::Microkernels& kernels, pthreadpool_t threads) {
        const std::unique_ptr<Step> own = makeOwn(kernels, threads);
        if (own == nullptr) {
            return false;
        }
        const auto reference = makeReferenceStep(instance_);
        TimeLimit limit;
        const std::vector<std::byte> expected = run(*reference, false, limit);
        for (const bool isAtBack : {false, true}) {
            EXPECT_EQ(run(*own, isAtBack, limit), expected);
        }
        return true;
    }

    /// Expects that our kernel computes bytes other than 0, but not the last one if its time is
    /// over.
    void expectEarlyEnd(const dot8::Microkernels& kernels) {
        const std::unique_ptr<Step> own = makeOwn(kernels, nullptr);
        ASSERT_NE(own, nullptr);
        TimeLimit limit;
        EXPECT_NE(run(*own, false, limit).back(), std::byte{0});
        TimeLimit late(std::chrono::steady_clock::now());
        EXPECT_EQ(run(*own, false, late).back(), std::byte{0});
        EXPECT_TRUE(late.isOver());
    }

  private:
    UnaryCase(OperationType type, const OperandView& view, std::vector<std::byte> input)
        : input_(std::move(input)) {
        instance_.type = type;
        instance_.inputs.push_back(view);
        instance_.outputs.push_back(view);
    }

    /// Null if the operation is not covered.
    std::unique_ptr<Step> makeOwn(const dot8::Microkernels& kernels, pthreadpool_t threads) {
        Shape shape;
        const auto inferred =
            findOperation(instance_.type)->inferShapes(instance_.view(), std::span(&shape, 1));
        EXPECT_TRUE(inferred) << inferred.error().message;
        instance_.outputs[0].shape = shape;
        auto own =
            dot8::makeStepAsReference(instance_.view(), {.kernels = &kernels, .threads = threads});
        EXPECT_TRUE(own) << own.error().message;
        return own ? std::move(*own) : nullptr;
    }

    /// Outputs are 0 before.
    std::vector<std::byte> run(Step& step, bool isAtBack, TimeLimit& limit) {
        const GuardedMemory input(input_.size());
        const GuardedMemory output(sizeBytes(instance_.outputs[0]));
        const AlignedBuffer scratch = *AlignedBuffer::allocate(step.scratchBytes());
        std::byte* const from = isAtBack ? input.back() : input.front();
        std::byte* const to = isAtBack ? output.back() : output.front();
        std::memcpy(from, input_.data(), input_.size());
        std::vector<std::byte*> operands;
        for (const OperandView& operand : instance_.inputs) {
            operands.push_back(operand.data);
        }
        operands[0] = from;
        operands.push_back(to);
        if (step.scratchBytes() != 0) {
            operands.push_back(scratch.data());
        }
        EXPECT_TRUE(step.setUp(operands));
        EXPECT_TRUE(step.run(limit));
        return {to, to + sizeBytes(instance_.outputs[0])};
    }

    OperationInstance instance_;
    std::vector<std::byte> input_;
    std::deque<std::vector<std::int32_t>> constants_;
};

class Dot8AsReference : public testing::TestWithParam<InstructionSet> {
  protected:
    void SetUp() override {
        kernels_ = dot8::microkernels(GetParam());
        if (kernels_ == nullptr) {
            GTEST_SKIP() << "this processor does not have the instructions";
        }
    }

    static pthreadpool_t threads(Random& random) {
        static const std::unique_ptr<struct pthreadpool, decltype(&pthreadpool_destroy)> pool(
            pthreadpool_create(2), &pthreadpool_destroy);
        return random.flip() ? pool.get() : nullptr;
    }
    static UnaryCase makeCase(OperationType type, const Shape& shape, Random& random) {
        const bool isUnsigned = random.flip();
        return {
            type,
            isUnsigned ? OperandType::TENSOR_QUANT8_ASYMM : OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
            shape,
            random.real(0.005F, 0.1F),
            random.integer(0, 255) - (isUnsigned ? 0 : 128),
            random};
    }

    static constexpr int kRounds = test::kHasSanitizer ? 100 : 500;

    const dot8::Microkernels* kernels_ = nullptr;
};

TEST_P(Dot8AsReference, averagesWindows) {
    for (int round = 0; round < kRounds; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        Random random(static_cast<std::uint32_t>(round + 1));
        const std::uint32_t height = random.size(1, 12);
        const std::uint32_t width = random.size(1, 30);
        const auto window = [&](std::uint32_t size) {
            return static_cast<std::int32_t>(random.size(1, std::min(size, 25U)));
        };
        const std::int32_t windowHeight = window(height);
        const std::int32_t windowWidth = window(width);
        UnaryCase given = makeCase(OperationType::AVERAGE_POOL_2D,
                                   {random.size(1, 2), height, width, random.size(1, 200)}, random);
        for (const std::int32_t size : {windowWidth, windowWidth, windowHeight, windowHeight}) {
            given.addInteger(random.integer(0, size - 1));
        }
        given.addInteger(random.integer(1, 3));
        given.addInteger(random.integer(1, 3));
        given.addInteger(windowWidth);
        given.addInteger(windowHeight);
        given.addInteger(random.integer(0, 3));
        ASSERT_TRUE(given.compare(*kernels_, threads(random)));
    }
}

TEST_P(Dot8AsReference, averagesAsManyPixelsAsItCanDivideBy) {
    Random random(1);
    for (const std::uint32_t taps : {1U, 2U, 3U, 255U, 256U, 257U, 258U, 1000U, 2047U, 2048U}) {
        SCOPED_TRACE(taps);
        for (int round = 0; round < 20; ++round) {
            UnaryCase given = makeCase(OperationType::MEAN, {taps, 100}, random);
            given.addIntegers({1}, OperandType::TENSOR_INT32, {0});
            given.addInteger(0);
            ASSERT_TRUE(given.compare(*kernels_, nullptr));
        }
    }
    UnaryCase tooMany = makeCase(OperationType::MEAN, {2049, 4}, random);
    tooMany.addIntegers({1}, OperandType::TENSOR_INT32, {0});
    tooMany.addInteger(0);
    EXPECT_FALSE(tooMany.compare(*kernels_, nullptr));
}

TEST_P(Dot8AsReference, takesMeansOfAxesThatFollowEachOther) {
    int covered = 0;
    for (int round = 0; round < kRounds; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        Random random(static_cast<std::uint32_t>(round + 1));
        UnaryCase given = makeCase(
            OperationType::MEAN,
            {random.size(1, 4), random.size(1, 9), random.size(1, 9), random.size(1, 100)}, random);
        std::vector<std::int32_t> axes;
        for (std::int32_t axis = 0; axis < 4; ++axis) {
            if (random.flip()) {
                axes.push_back(random.flip() ? axis : axis - 4);
            }
        }
        given.addIntegers({static_cast<std::uint32_t>(axes.size())}, OperandType::TENSOR_INT32,
                          axes);
        given.addInteger(random.integer(0, 1));
        covered += given.compare(*kernels_, threads(random)) ? 1 : 0;
    }
    EXPECT_GT(covered, kRounds / 2);
}

TEST_P(Dot8AsReference, endsWithinARowOfWindowsWhenTheTimeIsOver) {
    constexpr std::int32_t kWindow = 64;
    UnaryCase given(OperationType::AVERAGE_POOL_2D, {1, 1, (1 << 20) + kWindow - 1, 1});
    for (const std::int32_t argument : {0, 0, 0, 0, 1, 1, kWindow, 1, 0}) {
        given.addInteger(argument);
    }
    given.expectEarlyEnd(*kernels_);
}

TEST_P(Dot8AsReference, endsWithinAWindowOfManyChannelsWhenTheTimeIsOver) {
    UnaryCase given(OperationType::MEAN, {8, 1 << 20});
    given.addIntegers({1}, OperandType::TENSOR_INT32, {0});
    given.addInteger(0);
    given.expectEarlyEnd(*kernels_);
}

TEST_P(Dot8AsReference, endsBetweenShortRowsWhenTheTimeIsOver) {
    UnaryCase given(OperationType::MEAN, {1 << 20, 2});
    given.addIntegers({1}, OperandType::TENSOR_INT32, {1});
    given.addInteger(0);
    given.expectEarlyEnd(*kernels_);
}

TEST_P(Dot8AsReference, looksUpAnyNumberOfBytes) {
    Random random(1);
    const AlignedBuffer table = *AlignedBuffer::allocate(256);
    const auto* const entries = reinterpret_cast<const std::uint8_t*>(table.data());
    const auto values = random.elements(OperandType::TENSOR_QUANT8_ASYMM, 256);
    std::memcpy(table.data(), values.data(), values.size());
    for (std::size_t count = 0; count < 600; ++count) {
        const auto input = random.elements(OperandType::TENSOR_QUANT8_ASYMM, count);
        const GuardedMemory from(count);
        const GuardedMemory to(count);
        for (const bool isAtBack : {false, true}) {
            auto* const bytes = isAtBack ? from.back() : from.front();
            auto* const found = isAtBack ? to.back() : to.front();
            std::copy(input.begin(), input.end(), bytes);
            kernels_->lookUp(entries, reinterpret_cast<const std::uint8_t*>(bytes), count,
                             reinterpret_cast<std::uint8_t*>(found));
            for (std::size_t i = 0; i < count; ++i) {
                ASSERT_EQ(found[i], table.data()[std::to_integer<std::size_t>(input[i])])
                    << i << " of " << count;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, Dot8AsReference,
                         testing::ValuesIn(dot8::kInstructionSets), testName);

}  // namespace
}  // namespace nnburst::exec
