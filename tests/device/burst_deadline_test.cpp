// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Whether memory counts as in use after an execution has missed its deadline.

#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <future>
#include <thread>

#include "device/devices.h"
#include "nnburst/fence.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

OptionalTimePoint soon() {
    return TimePoint(std::chrono::steady_clock::now() + 2ms);
}

constexpr std::uint32_t kCount = 4 << 20;

/// out = 1.5 ^ x in one operation that takes many times the deadline of these tests.
Model makeSlowModel() {
    ModelBuilder builder;
    const std::vector<float> base{1.5F};
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {kCount});
    const auto constant =
        builder.addConstant(OperandType::TENSOR_FLOAT32, {1}, std::as_bytes(std::span(base)));
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {kCount});
    builder.addOperation(OperationType::POW, {constant, in}, {out});
    return std::move(*builder.build({in}, {out}));
}

// ---- After the call has returned the memory belongs to the caller

class BurstDeadlineTest : public DeviceTest {
  protected:
    static constexpr std::uint32_t kBytes = kCount * sizeof(float);

    void SetUp() override {
        DeviceTest::SetUp();
        prepared = prepare(makeSlowModel());
        ASSERT_NE(prepared, nullptr);
        burst = std::move(*prepared->configureExecutionBurst({}));
        memory_ = *Mapping::map(*Region::create(2 * std::uint64_t{kBytes}));
        for (std::uint32_t i = 0; i < kCount; ++i) {
            reinterpret_cast<float*>(memory_.data())[i] = static_cast<float>(i % 7);
        }
        request.pools = {memory_.region()};
        request.inputs = {{.location = {.offset = 0, .length = kBytes}}};
        request.outputs = {{.location = {.offset = kBytes, .length = kBytes}}};
    }

    [[nodiscard]] std::byte* outputs() { return memory_.data() + kBytes; }

    /// The execution may end late, or not at all; its outputs stay as they are from here on.
    void expectNoWriteFromHereOn(const Result<>& result) {
        const std::vector<std::byte> after(outputs(), outputs() + kBytes);
        EXPECT_TRUE(result || isMissedDeadline(result.error().status)) << result.error().message;
        EXPECT_FALSE(burst->isMemoryInUse());
        std::this_thread::sleep_for(300ms);  // an execution that still ran would write meanwhile
        EXPECT_EQ(std::memcmp(after.data(), outputs(), kBytes), 0);
    }

    SharedPreparedModel prepared;
    std::unique_ptr<Burst> burst;
    Request request;
    ExecutionOutcome outcome;

  private:
    Mapping memory_;
};

TEST_P(BurstDeadlineTest, nothingIsWrittenAfterAnExecutionHasReturned) {
    expectNoWriteFromHereOn(burst->execute(request, {.deadline = soon()}, outcome));
}

TEST_P(BurstDeadlineTest, nothingIsWrittenAfterASubmissionWasWaitedFor) {
    const Result<Submission> submission = burst->submit(request, {.deadline = soon()});
    ASSERT_TRUE(submission);
    expectNoWriteFromHereOn(burst->wait(*submission, outcome));
}

TEST_P(BurstDeadlineTest, nothingIsWrittenAfterAReusableExecutionHasReturned) {
    const auto reusable = std::move(*burst->createReusableExecution(request, {}));
    ASSERT_TRUE(reusable->compute({}, outcome));
    std::memset(outputs(), 0xEE, kBytes);  // so that it is seen if the second run goes on
    expectNoWriteFromHereOn(reusable->compute(soon(), outcome));
}

TEST_P(BurstDeadlineTest, nothingIsWrittenAfterASingleExecutionHasReturned) {
    expectNoWriteFromHereOn(prepared->executeSynchronously(request, {.deadline = soon()}, outcome));
}

TEST_P(BurstDeadlineTest, nothingIsWrittenAfterTheCallbackOfAnExecution) {
    std::promise<Result<>> ended;
    (void)prepared->execute(
        request, {.deadline = soon()},
        [&](const Result<>& status, const ExecutionOutcome&) { ended.set_value(status); });
    expectNoWriteFromHereOn(ended.get_future().get());
}

TEST_P(BurstDeadlineTest, nothingIsWrittenAfterTheFenceOfAnExecutionIsSignalled) {
    const auto execution = prepared->executeFenced(request, {}, {.deadline = soon()}, {});
    ASSERT_TRUE(execution) << execution.error().message;
    (void)waitForFence(execution->fence.get(), std::chrono::steady_clock::now() + kWatchdog);
    Timing timing;
    expectNoWriteFromHereOn(execution->callback(timing, timing));
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(BurstDeadlineTest);

// ---- A driver that does not answer

class StoppedDriverTest : public testing::Test {
  protected:
    void SetUp() override {
        device_ = driver_.connect();
        const auto prepared = prepareModel(*device_, makeAddModel());
        ASSERT_TRUE(prepared) << prepared.error().message;
        auto configured = (*prepared)->configureExecutionBurst(
            BurstOptions{.queueLines = 16, .inFlight = 2, .deadlineGrace = 50ms});
        ASSERT_TRUE(configured) << configured.error().message;
        burst = std::move(*configured);
        ASSERT_TRUE(burst->execute(add.request, {}, outcome));
    }
    void TearDown() override { driver_.signal(SIGCONT); }

    void stop() {
        driver_.signal(SIGSTOP);
        ASSERT_TRUE(eventually([&] { return isStopped(driver_.pid()); }));
    }

    void expectMemoryInUseUntilTheDriverContinues(const Result<>& result) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << result.error().message;
        EXPECT_TRUE(burst->isMemoryInUse());
        const Result<> refused = burst->execute(add.request, {}, outcome);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
            << refused.error().message;
        const Result<> waited = burst->waitForMemory(soon());
        ASSERT_FALSE(waited);
        EXPECT_EQ(waited.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);

        driver_.signal(SIGCONT);
        const Result<> free =
            burst->waitForMemory(TimePoint(std::chrono::steady_clock::now() + kWatchdog));
        ASSERT_TRUE(free) << free.error().message;
        EXPECT_FALSE(burst->isMemoryInUse());
        add.out()[3] = -1.0F;
        const Result<> served = burst->execute(add.request, {}, outcome);
        EXPECT_TRUE(served) << served.error().message;
        EXPECT_EQ(add.out()[3], 13.0F);
    }

    std::unique_ptr<Burst> burst;
    AddRequest add;
    ExecutionOutcome outcome;

  private:
    DriverProcess driver_;
    SharedDevice device_;
};

TEST_F(StoppedDriverTest, keepsTheMemoryOfAnExecutionUntilItContinues) {
    stop();
    expectMemoryInUseUntilTheDriverContinues(
        burst->execute(add.request, {.deadline = soon()}, outcome));
}

TEST_F(StoppedDriverTest, keepsTheMemoryOfASubmissionUntilItContinues) {
    stop();
    const Result<Submission> submission = burst->submit(add.request, {.deadline = soon()});
    ASSERT_TRUE(submission);
    expectMemoryInUseUntilTheDriverContinues(burst->wait(*submission, outcome));
}

TEST_F(StoppedDriverTest, keepsTheMemoryOfAReusableExecutionUntilItContinues) {
    const auto reusable = std::move(*burst->createReusableExecution(add.request, {}));
    ASSERT_TRUE(reusable->compute({}, outcome));
    stop();
    expectMemoryInUseUntilTheDriverContinues(reusable->compute(soon(), outcome));
}

TEST_F(StoppedDriverTest, keepsTheMemoryOfAnExecutionOverTheControlPlaneUntilItContinues) {
    add.request.pools.resize(120, add.request.pools[0]);  // no frame of this queue holds so many
    ASSERT_TRUE(burst->execute(add.request, {}, outcome));
    stop();
    expectMemoryInUseUntilTheDriverContinues(
        burst->execute(add.request, {.deadline = soon()}, outcome));
}

TEST_F(StoppedDriverTest, keepsNoMemoryOnceItIsTakenForGone) {
    stop();
    ASSERT_FALSE(burst->execute(add.request, {.deadline = soon()}, outcome));
    EXPECT_TRUE(burst->isMemoryInUse());
    EXPECT_TRUE(burst->waitForMemory({}));
    EXPECT_FALSE(burst->isMemoryInUse());
    const Result<> later = burst->execute(add.request, {}, outcome);
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

}  // namespace
}  // namespace nnburst::test
