// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The latency of models. No test expects a certain time: times differ between runs.

#include "exec/run/latency_sample.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <new>
#include <thread>
#include <utility>

#include "nnburst/builtin_models.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;

/// Runs a function.
class FakeModel final : public CompiledModel {
  public:
    explicit FakeModel(std::function<Result<>(const ExecutionOptions&)> onRun)
        : onRun_(std::move(onRun)) {}

    int runs = 0;

    std::span<const Operand> inputs() const noexcept override { return {&operand_, 1}; }
    std::span<const Operand> outputs() const noexcept override { return {&operand_, 1}; }
    Contention contention() const noexcept override { return {}; }
    bool releaseIfIdle() override { return false; }
    Result<> bind(std::span<const RequestArgument> /*inputs*/,
                  std::span<const RequestArgument> /*outputs*/, std::span<const PoolView> /*pools*/,
                  RequestBindings& /*bindings*/) const override {
        return {};
    }
    Result<> run(RequestBindings& /*bindings*/, const Caller& /*caller*/,
                 const ExecutionOptions& options, ExecutionOutcome& /*outcome*/) override {
        ++runs;
        return onRun_(options);
    }

  private:
    const Operand operand_{.type = OperandType::TENSOR_INT32, .dimensions = {1}};
    const std::function<Result<>(const ExecutionOptions&)> onRun_;
};

/// Each execution takes as long.
FakeModel taking(std::chrono::milliseconds time) {
    return FakeModel([time](const ExecutionOptions& /*options*/) {
        std::this_thread::sleep_for(time);
        return Result<>();
    });
}

TEST(LatencySample, quantilesAreTimesThatWereMeasured) {
    std::vector<std::chrono::nanoseconds> times{40ns, 10ns, 30ns, 20ns};
    EXPECT_EQ(quantile(times, 0.0), 10ns);
    EXPECT_EQ(quantile(times, 0.5), 20ns);
    EXPECT_EQ(quantile(times, 0.51), 30ns);
    EXPECT_EQ(quantile(times, 1.0), 40ns);
}

TEST(LatencySample, areThoseOfBothModels) {
    const Model model = *makeMobileNetV1({.width = 1.0F, .resolution = 224});
    const auto more = compile(model, true, 2);
    const auto fewer = compile(model, true, 1);
    const auto times = compareLatencies(*more, *fewer);
    ASSERT_TRUE(times);
    for (const LatencySample& side : {times->more, times->fewer}) {
        EXPECT_GT(side.median, 0ns);
        EXPECT_GE(side.high, side.median);
        EXPECT_GE(side.idleHigh, side.idleMedian);
    }
}

TEST(LatencySample, areNotKnownOfAModelThatCannotBeAsked) {
    const auto known = compile(doubling({4}), true);
    const auto unknown = compile(doubling({0}), true);
    EXPECT_FALSE(compareLatencies(*known, *unknown));
    EXPECT_FALSE(compareLatencies(*unknown, *known));
}

TEST(LatencySample, ofASlowModelTakeFewExecutions) {
    FakeModel more = taking(50ms);
    FakeModel fewer = taking(210ms);
    const auto times = compareLatencies(more, fewer);
    ASSERT_TRUE(times);
    EXPECT_GE(times->fewer.median, 200ms);
    EXPECT_EQ(fewer.runs, 5) << "twice at first, once after a rest, twice back to back";
    EXPECT_EQ(more.runs, 4);
}

TEST(LatencySample, ofAModelThatTakesTooLongAreThoseOfExecutionsThatEndEarly) {
    std::atomic<bool> hasDeadline{true};
    FakeModel endless([&](const ExecutionOptions& options) {
        hasDeadline = hasDeadline && options.deadline.has_value();
        std::this_thread::sleep_for(300ms);  // of 0.8 s
        return Result<>(failure(ErrorStatus::MISSED_DEADLINE_PERSISTENT, "too late"));
    });
    FakeModel other = taking(1ms);
    const auto times = compareLatencies(other, endless);
    EXPECT_TRUE(hasDeadline);
    ASSERT_TRUE(times);
    EXPECT_LT(times->more.median, times->fewer.median);
    EXPECT_EQ(endless.runs, 5);
}

TEST(LatencySample, areNotKnownWhereThereIsNoMemoryToRun) {
    FakeModel model(
        [](const ExecutionOptions& /*options*/) -> Result<> { throw std::bad_alloc(); });
    FakeModel other = taking(1ms);
    EXPECT_FALSE(compareLatencies(model, other));
    EXPECT_FALSE(compareLatencies(other, model));
}

}  // namespace
}  // namespace nnburst::exec
