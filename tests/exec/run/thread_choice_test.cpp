// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The choice of the number of threads by measurement. Measured times differ between runs. The tests
// look at the choice that given times lead to, at its limits, and at the results of the model.

#include "exec/run/thread_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "exec/run/engine.h"
#include "exec/run/trial_request.h"
#include "nnburst/builtin_models.h"
#include "support/test_request.h"
#include "system/affinity.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kAutomatic = 0;

TEST(ThreadChoice, triesNoMoreThreadsThanProcessors) {
    using Counts = std::vector<std::uint32_t>;
    EXPECT_EQ(threadCountsToTry(0), Counts{1});
    EXPECT_EQ(threadCountsToTry(1), Counts{1});
    EXPECT_EQ(threadCountsToTry(2), (Counts{1, 2}));
    EXPECT_EQ(threadCountsToTry(3), (Counts{1, 2}));
    EXPECT_EQ(threadCountsToTry(8), (Counts{1, 2, 4, 8}));
    EXPECT_EQ(threadCountsToTry(1000).back(), DriverOptions::kMaximumThreads);
}

/// What a trial takes is charged to no client.
TEST(TrialRequest, takesLittleMemory) {
    const auto trialOf = [](std::uint32_t bytes) {
        ModelBuilder builder;
        const auto x = builder.addTensor(OperandType::TENSOR_QUANT8_ASYMM, {bytes / 2}, 1.0F);
        const auto y = builder.addTensor(OperandType::TENSOR_QUANT8_ASYMM, {bytes / 2}, 1.0F);
        builder.addOperation(OperationType::RELU, {x}, {y});
        const auto compiled = compile(build(builder, {x}, {y}), false);
        EXPECT_TRUE(compiled);
        TrialRequest request;
        return request.make(*compiled);
    };
    EXPECT_TRUE(trialOf(TrialRequest::kMaximumBytes));
    const Result<> refused = trialOf(TrialRequest::kMaximumBytes + 2);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
}

TEST(ThreadChoice, moreThreadsMustBeBetterInEachWay) {
    const LatencySample alone{
        .median = 100us, .high = 200us, .idleMedian = 150us, .idleHigh = 250us};
    const LatencySample better{
        .median = 60us, .high = 150us, .idleMedian = 140us, .idleHigh = 240us};
    EXPECT_TRUE(isWorthIt({.more = better, .fewer = alone}));
    EXPECT_FALSE(isWorthIt({.more = alone, .fewer = alone}));
    LatencySample hardlySooner = better;
    hardlySooner.median = 91us;
    EXPECT_FALSE(isWorthIt({.more = hardlySooner, .fewer = alone}));
    LatencySample laterAtTimes = better;
    laterAtTimes.high = 201us;
    EXPECT_FALSE(isWorthIt({.more = laterAtTimes, .fewer = alone}));
    LatencySample laterAfterRests = better;
    laterAfterRests.idleMedian = 151us;
    EXPECT_FALSE(isWorthIt({.more = laterAfterRests, .fewer = alone}));
    LatencySample muchLaterAfterRests = better;
    muchLaterAfterRests.idleHigh = 251us;
    EXPECT_FALSE(isWorthIt({.more = muchLaterAfterRests, .fewer = alone}));
}

/// The choice if models with one, two, four and eight threads always answer after so many
/// microseconds.
template <int kOne, int kTwo, int kFour, int kEight>
std::optional<LatencyComparison> pretended(CompiledModel& more, CompiledModel& fewer) {
    const auto times = [](const CompiledModel& model) {
        const std::chrono::microseconds time(std::map<std::uint32_t, int>{
            {1, kOne}, {2, kTwo}, {4, kFour}, {8, kEight}}[model.kernelThreads()]);
        return LatencySample{.median = time, .high = time, .idleMedian = time, .idleHigh = time};
    };
    return LatencyComparison{.more = times(more), .fewer = times(fewer)};
}

std::optional<LatencyComparison> unknown(CompiledModel& /*more*/, CompiledModel& /*fewer*/) {
    return std::nullopt;
}

using Comparer = decltype(Engine::Settings::compare);

std::uint32_t threadsChosen(const Model& model, Comparer compare, std::size_t processors = 8) {
    EXPECT_TRUE(makeEngine(true));  // initialises XNNPACK
    const auto compiled = CompiledModel::compile(
        std::make_shared<Engine>(
            Engine::Settings{.threadCounts = threadCountsToTry(processors), .compare = compare}),
        model);
    EXPECT_TRUE(compiled) << compiled.error().message;
    return compiled ? (*compiled)->kernelThreads() : 0;
}

TEST(ThreadChoice, isWhatAnswersSoonest) {
    const Model model = *makeMobileNetV1({.resolution = 96});
    EXPECT_EQ(threadsChosen(model, pretended<1000, 600, 590, 580>), 2U);
    EXPECT_EQ(threadsChosen(model, pretended<1000, 600, 400, 500>), 4U);
    EXPECT_EQ(threadsChosen(model, pretended<1000, 600, 400, 300>), 8U);
    EXPECT_EQ(threadsChosen(model, pretended<1000, 600, 400, 300>, 2), 2U);
    EXPECT_EQ(threadsChosen(model, pretended<1000, 600, 400, 300>, 1), 1U);
}

TEST(ThreadChoice, isOneWhereMoreAreNotKnownToAnswerSooner) {
    const Model model = *makeMobileNetV1({.resolution = 96});
    EXPECT_EQ(threadsChosen(model, pretended<1000, 950, 500, 200>), 1U);
    EXPECT_EQ(threadsChosen(model, unknown), 1U);
}

TEST(ThreadChoice, isACountThatComputesRight) {
    const std::size_t processors = system::usableProcessors().size();
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

TEST(ThreadChoice, isOneWhereThereIsNothingToMeasure) {
    const auto tiny = compile(doubling({4}), true, kAutomatic);
    EXPECT_EQ(tiny->kernelThreads(), 1U) << "no operation is worth sharing";
    const auto dynamic = compile(doubling({0}), true, kAutomatic);
    EXPECT_EQ(dynamic->kernelThreads(), 1U);
    const auto reference = compile(doubling({4}), false, kAutomatic);
    EXPECT_EQ(reference->kernelThreads(), 1U);
    const Comparer fasterAndFaster = pretended<1000, 600, 400, 300>;
    EXPECT_EQ(threadsChosen(doubling({4}), fasterAndFaster), 1U);
    EXPECT_EQ(threadsChosen(doubling({0}), fasterAndFaster), 1U);
    TestRequest request;
    const std::vector<float> values{1, 2, 3, 4};
    request.addInput(bytesOf(values), {4});
    request.addOutput(values.size() * sizeof(float), {4});
    ASSERT_TRUE(request.run(*dynamic));
    EXPECT_EQ(floats(request.output(0)), (std::vector<float>{2, 4, 6, 8}));
}

}  // namespace
}  // namespace nnburst::exec
