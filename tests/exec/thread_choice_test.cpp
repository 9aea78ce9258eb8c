// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The number of threads that is left to measurement. What is measured differs from run to run; that
// the choice is one of those allowed, and computes right, does not.

#include "exec/thread_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "exec/kernel_threads.h"
#include "exec/model_runner.h"
#include "nnburst/builtin_models.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kAutomatic = 0;

TEST(ThreadChoice, triesNoMoreThreadsThanProcessors) {
    using Counts = std::vector<std::uint32_t>;
    EXPECT_EQ(threadCountsToTry(0), Counts{});
    EXPECT_EQ(threadCountsToTry(1), Counts{});
    EXPECT_EQ(threadCountsToTry(2), Counts{2});
    EXPECT_EQ(threadCountsToTry(3), Counts{2});
    EXPECT_EQ(threadCountsToTry(8), (Counts{2, 4, 8}));
    EXPECT_EQ(threadCountsToTry(1000).back(), Engine::kMaximumThreads);
}

TEST(ThreadChoice, quantilesAreTimesThatWereMeasured) {
    std::vector<std::chrono::nanoseconds> times{40ns, 10ns, 30ns, 20ns};
    EXPECT_EQ(quantile(times, 0.0), 10ns);
    EXPECT_EQ(quantile(times, 0.5), 20ns);
    EXPECT_EQ(quantile(times, 0.51), 30ns);
    EXPECT_EQ(quantile(times, 1.0), 40ns);
}

TEST(ThreadChoice, moreThreadsMustBeBetterInEachWay) {
    const AnswerTimes alone{.median = 100us, .high = 200us, .idleMedian = 150us, .idleHigh = 250us};
    const AnswerTimes better{.median = 60us, .high = 150us, .idleMedian = 140us, .idleHigh = 240us};
    EXPECT_TRUE(isWorthIt(better, alone));
    EXPECT_FALSE(isWorthIt(alone, alone));
    AnswerTimes hardlySooner = better;
    hardlySooner.median = 91us;
    EXPECT_FALSE(isWorthIt(hardlySooner, alone));
    AnswerTimes laterAtTimes = better;
    laterAtTimes.high = 201us;
    EXPECT_FALSE(isWorthIt(laterAtTimes, alone));
    AnswerTimes laterAfterRests = better;
    laterAfterRests.idleMedian = 151us;
    EXPECT_FALSE(isWorthIt(laterAfterRests, alone));
    AnswerTimes muchLaterAfterRests = better;
    muchLaterAfterRests.idleHigh = 251us;
    EXPECT_FALSE(isWorthIt(muchLaterAfterRests, alone));
}

TEST(ThreadChoice, isACountThatComputesRight) {
    const std::size_t processors = usableProcessors().size();
    for (const auto precision : {BuiltinPrecision::FLOAT32, BuiltinPrecision::QUANT8}) {
        const Model model = *makeMobileNetV1({.resolution = 128, .precision = precision});
        const auto alone = compile(model, true);
        const auto chosen = compile(model, true, kAutomatic);
        ASSERT_TRUE(alone && chosen);
        EXPECT_EQ(alone->kernelThreads(), 1U);
        EXPECT_GE(chosen->kernelThreads(), 1U);
        EXPECT_LE(chosen->kernelThreads(), processors);
        TestRequest expected = randomRequest(*alone, 11);
        TestRequest request = randomRequest(*chosen, 11);
        ASSERT_TRUE(expected.run(*alone));
        ASSERT_TRUE(request.run(*chosen));
        EXPECT_TRUE(std::equal(request.output(0).begin(), request.output(0).end(),
                               expected.output(0).begin(), expected.output(0).end()));
    }
}

/// output = input + input, with the dimensions that requests give.
Model doubling(const Dimensions& dimensions) {
    ModelBuilder builder;
    const auto input = builder.addTensor(OperandType::TENSOR_FLOAT32, dimensions);
    const auto sum = builder.addTensor(OperandType::TENSOR_FLOAT32, dimensions);
    builder.addOperation(OperationType::ADD, {input, input, builder.addScalar(0)}, {sum});
    return build(builder, {input}, {sum});
}

TEST(ThreadChoice, isOneWhereThereIsNothingToMeasure) {
    const auto tiny = compile(doubling({4}), true, kAutomatic);
    EXPECT_EQ(tiny->kernelThreads(), 1U) << "no operation is worth sharing";
    const auto dynamic = compile(doubling({0}), true, kAutomatic);
    EXPECT_EQ(dynamic->kernelThreads(), 1U);
    const auto reference = compile(doubling({4}), false, kAutomatic);
    EXPECT_EQ(reference->kernelThreads(), 1U);
    TestRequest request;
    const std::vector<float> values{1, 2, 3, 4};
    request.addInput(bytesOf(values), {4});
    request.addOutput(values.size() * sizeof(float), {4});
    ASSERT_TRUE(request.run(*dynamic));
    EXPECT_EQ(floats(request.output(0)), (std::vector<float>{2, 4, 6, 8}));
}

TEST(ThreadChoice, aModelThatCannotBeAskedIsNotSooner) {
    const auto known = compile(doubling({4}), true);
    const auto unknown = compile(doubling({0}), true);
    EXPECT_FALSE(answersSooner(*known, *unknown));
    EXPECT_FALSE(answersSooner(*unknown, *known));
}

}  // namespace
}  // namespace nnburst::exec
