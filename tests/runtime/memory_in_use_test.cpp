// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Models of a runtime whose driver does not answer an execution: its outputs count as in use, or
/// its replacement executes.

#include <atomic>
#include <chrono>
#include <future>
#include <new>
#include <thread>

#include "burst/burst_errors.h"
#include "burst/exclusive_use.h"
#include "device/hal_models.h"
#include "nnburst/model_builder.h"
#include "runtime/divided_model.h"
#include "runtime/part_model.h"
#include "runtime_test.h"
#include "support/unused_methods.h"

namespace nnburst::runtime {
namespace {

using enum OperandType;
using test::SmallRequest;

tl::unexpected<Error> unanswered() {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE, "no answer");
}

/// What a driver does, and what it was asked to do.
struct SilentDriver {
    bool isSilent = false;         ///< it does not answer executions of bursts
    bool isSilentToCalls = false;  ///< nor those without a burst
    bool answersLate = false;      ///< after the time for the answer, but writes nothing later
    /// The outputs of those that it did not answer.
    std::atomic<bool> mayWrite{false};
    std::atomic<int> waits{0};     ///< in bursts, for the end of that
    bool mayWriteByCalls = false;  ///< those of executions without a burst
    int executions = 0;            ///< through bursts
    int calls = 0;                 ///< executions without a burst
    int callsBeforeBurst = 0;      ///< those that had ended when the last burst was set up
    bool hasNoMemoryForBursts = false;
    bool callsBackLater = false;  ///< `callback` is kept for the test to call
    ExecutionCallback callback;   ///< of the last asynchronous execution

    Result<> end(ExecutionOutcome& outcome) const {
        outcome.outputShapes = {{.dimensions = {2}, .isSufficient = true}};
        return {};
    }
};

/// A request that was registered with a lost driver.
class LostReusable final : public ReusableExecution {
  public:
    Result<> compute(const OptionalTimePoint& /*deadline*/,
                     ExecutionOutcome& /*outcome*/) override {
        return unanswered();
    }
    Result<Submission> submit(const OptionalTimePoint& /*deadline*/) override {
        return unanswered();
    }
};

class SilentBurst final : public test::UnusedBurst {
  public:
    explicit SilentBurst(SilentDriver& driver) : driver_(driver) {}
    Result<> execute(const Request& /*request*/, const ExecutionOptions& /*options*/,
                     ExecutionOutcome& outcome) override {
        ++driver_.executions;
        if (driver_.isSilent) {
            wasSilent_ = true;
            driver_.mayWrite = !driver_.answersLate;
            return unanswered();
        }
        return driver_.end(outcome);
    }
    Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& /*request*/, const ExecutionOptions& /*options*/) override {
        return std::make_unique<LostReusable>();
    }
    Result<Submission> submit(const Request& /*request*/,
                              const ExecutionOptions& /*options*/) override {
        return unanswered();
    }
    bool isMemoryInUse() override { return wasSilent_ && driver_.mayWrite; }
    Result<> waitForMemory(const OptionalTimePoint& /*deadline*/) override {
        const burst::ExclusiveUse use(isUsed_);
        if (!use) {
            return burst::usedByAnotherThread();
        }
        ++driver_.waits;
        while (isMemoryInUse()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return {};
    }

  private:
    SilentDriver& driver_;
    bool wasSilent_ = false;
    burst::TryLock isUsed_;
};

class SilentModel final : public test::UnusedPreparedModel {
  public:
    explicit SilentModel(SilentDriver& driver) : driver_(driver) {}
    Result<> executeSynchronously(const Request& /*request*/, const ExecutionOptions& /*options*/,
                                  ExecutionOutcome& outcome) override {
        ++driver_.calls;
        if (driver_.isSilentToCalls) {
            driver_.mayWriteByCalls = true;
            return unanswered();
        }
        return driver_.end(outcome);
    }
    /// Calls back with an error, at once or later. Memory is in use only after a callback at once.
    Result<> execute(const Request& /*request*/, const ExecutionOptions& /*options*/,
                     ExecutionCallback callback) override {
        if (driver_.callsBackLater) {
            driver_.callback = std::move(callback);
            return unanswered();
        }
        callback(unanswered(), {});
        driver_.mayWriteByCalls = true;
        return unanswered();
    }
    Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& /*options*/) override {
        driver_.callsBeforeBurst = driver_.calls;
        if (driver_.hasNoMemoryForBursts) {
            throw std::bad_alloc();
        }
        return std::make_unique<SilentBurst>(driver_);
    }
    bool isMemoryInUse() override { return driver_.mayWriteByCalls; }

  private:
    SilentDriver& driver_;
};

Operand floats(OperandLifeTime lifetime) {
    return {
        .type = TENSOR_FLOAT32, .dimensions = {2}, .numberOfConsumers = 0, .lifetime = lifetime};
}

Model makeInterface() {
    Model interface;
    interface.main.operands = {floats(OperandLifeTime::SUBGRAPH_INPUT),
                               floats(OperandLifeTime::SUBGRAPH_OUTPUT)};
    interface.main.inputIndexes = {0};
    interface.main.outputIndexes = {1};
    return interface;
}

/// in -> first -> temporary -> second -> out
std::shared_ptr<PreparedModel> makeDivided(const SharedPreparedModel& first,
                                           const SharedPreparedModel& second) {
    DividedPlan plan;
    plan.interface = makeInterface();
    plan.arenaBytes = 64;
    plan.temporaries = {{.type = TENSOR_FLOAT32,
                         .dimensions = {2},
                         .elementBytes = 4,
                         .location = DataLocation{.length = 8}}};
    const Place between{Place::Kind::TEMPORARY, 0};
    plan.parts = {{.name = "first",
                   .prepared = first,
                   .inputs = {{Place::Kind::MODEL_INPUT, 0}},
                   .outputs = {between}},
                  {.name = "second",
                   .prepared = second,
                   .inputs = {between},
                   .outputs = {{Place::Kind::MODEL_OUTPUT, 0}}}};
    return std::make_shared<DividedModel>(std::move(plan), std::make_shared<ExecutionThreads>());
}

/// A model on one device, or divided into parts (`true`).
class UnansweredPartTest : public testing::TestWithParam<bool> {
  protected:
    UnansweredPartTest() {
        request.input<float>({1, 2}, {}).output(8);
        // The first one is no reason to make a burst, the second one is.
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(execute(request), ErrorStatus::NONE);
        }
        EXPECT_GT(driver.executions, 0);
    }

    ErrorStatus execute(const SmallRequest& its) {
        ExecutionOutcome outcome;
        const Result<> result = model->executeSynchronously(its.request, {}, outcome);
        EXPECT_EQ(result.has_value(), !outcome.outputShapes.empty());
        return result ? ErrorStatus::NONE : result.error().status;
    }

    [[nodiscard]] std::shared_ptr<PreparedModel> makeModel() {
        const auto prepared = std::make_shared<SilentModel>(driver);
        if (GetParam()) {
            return makeDivided(prepared, prepared);
        }
        return std::make_shared<PartModel>(prepared, HalVersion::V1_3, makeInterface(), nullptr,
                                           std::make_shared<ExecutionThreads>());
    }

    SilentDriver driver;
    std::shared_ptr<PreparedModel> model = makeModel();
    SmallRequest request;
};

/// So that no execution misses its deadline because a burst is set up.
TEST_P(UnansweredPartTest, getsItsBurstAfterItsSecondExecutionAndNotDuringIt) {
    const int parts = GetParam() ? 2 : 1;
    EXPECT_EQ(driver.callsBeforeBurst, 2 * parts);
    EXPECT_EQ(driver.calls, 2 * parts);
}

TEST_P(UnansweredPartTest, executesThoughThereIsNoMemoryForItsBurst) {
    driver.hasNoMemoryForBursts = true;
    model = makeModel();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(execute(request), ErrorStatus::NONE);
    }
}

TEST_P(UnansweredPartTest, keepsItsMemoryUntilItIsAnswered) {
    driver.isSilent = true;
    EXPECT_EQ(execute(request), ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_TRUE(model->isMemoryInUse());
    driver.isSilent = false;

    const int executions = driver.executions;
    EXPECT_EQ(execute(request), ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(driver.executions, executions) << "the driver got the request";

    driver.mayWrite = false;
    EXPECT_EQ(execute(request), ErrorStatus::NONE);
    EXPECT_FALSE(model->isMemoryInUse());
}

/// A burst refuses a second thread.
TEST_P(UnansweredPartTest, isWaitedForByOneThreadWhileAnotherWaits) {
    driver.isSilent = true;
    EXPECT_EQ(execute(request), ErrorStatus::DEVICE_UNAVAILABLE);
    auto first = std::async(std::launch::async, [&] { return model->waitForMemory({}); });
    while (driver.waits == 0) {
        std::this_thread::yield();
    }
    const Result<> second = model->waitForMemory(
        TimePoint(std::chrono::steady_clock::now() + std::chrono::milliseconds(5)));
    driver.mayWrite = false;
    EXPECT_TRUE(first.get());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT)
        << second.error().message;
    EXPECT_TRUE(model->waitForMemory({}));
}

TEST_P(UnansweredPartTest, leavesOtherMemoryAlone) {
    driver.isSilent = true;
    EXPECT_EQ(execute(request), ErrorStatus::DEVICE_UNAVAILABLE);
    driver.isSilent = false;
    SmallRequest other;
    other.input<float>({1, 2}, {}).output(8);
    EXPECT_EQ(execute(other), ErrorStatus::NONE);
    EXPECT_EQ(execute(request), ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
}

/// The burst knows nothing of executions without it; the prepared model refuses what uses their
/// outputs.
TEST_P(UnansweredPartTest, withoutABurstLetsThePreparedModelExecute) {
    driver.mayWriteByCalls = true;
    const int executions = driver.executions;
    const int calls = driver.calls;
    EXPECT_EQ(execute(request), ErrorStatus::NONE);
    EXPECT_EQ(driver.executions, executions);
    EXPECT_GT(driver.calls, calls);
}

TEST_P(UnansweredPartTest, keepsItsMemoryFromAsynchronousAndFencedExecutions) {
    driver.isSilent = true;
    EXPECT_EQ(execute(request), ErrorStatus::DEVICE_UNAVAILABLE);
    driver.isSilent = false;
    for (const Way way : {Way::ASYNCHRONOUS, Way::FENCED}) {
        ExecutionOutcome outcome;
        const Result<> result = executeIn(way, *model, request.request, outcome);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
            << result.error().message;
    }
}

/// Parts on two devices, of which the second does not answer.
class UnansweredSecondPartTest : public testing::Test {
  protected:
    UnansweredSecondPartTest() { request.input<float>({1, 2}, {}).output(8); }

    ErrorStatus execute() {
        ExecutionOutcome outcome;
        const Result<> result = model->executeSynchronously(request.request, {}, outcome);
        return result ? ErrorStatus::NONE : result.error().status;
    }

    SilentDriver first;
    SilentDriver second;
    std::shared_ptr<PreparedModel> model =
        makeDivided(std::make_shared<SilentModel>(first), std::make_shared<SilentModel>(second));
    SmallRequest request;
};

TEST_F(UnansweredSecondPartTest, keepsItsMemoryFromTheFirstInABurst) {
    const auto burst = model->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    const auto execute = [&] {
        ExecutionOutcome outcome;
        const Result<> result = (*burst)->execute(request.request, {}, outcome);
        return result ? ErrorStatus::NONE : result.error().status;
    };
    second.isSilent = true;
    EXPECT_EQ(execute(), ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_TRUE((*burst)->isMemoryInUse());
    second.isSilent = false;
    const int executions = first.executions;
    EXPECT_EQ(execute(), ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(first.executions, executions) << "the first driver got the request";
    second.mayWrite = false;
    EXPECT_EQ(execute(), ErrorStatus::NONE);
}

TEST_F(UnansweredSecondPartTest, keepsItsMemoryFromTheFirstWithoutABurst) {
    second.isSilentToCalls = true;
    EXPECT_EQ(execute(), ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_TRUE(model->isMemoryInUse());
    second.isSilentToCalls = false;
    const int calls = first.calls;
    EXPECT_EQ(execute(), ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(first.calls, calls) << "the first driver got the request";
    second.mayWriteByCalls = false;
    EXPECT_EQ(execute(), ErrorStatus::NONE);
}

/// A device that answers only after the deadline of an execution is not lost.
TEST(LatePart, isUsedAgain) {
    SilentDriver driver;
    driver.answersLate = true;
    const auto replacement =
        std::make_shared<Replacement>("a part", test::makeBranchModel(), PrepareOptions(),
                                      localDevice(), std::make_shared<FallbackCounters>());
    const auto model = std::make_shared<PartModel>(std::make_shared<SilentModel>(driver),
                                                   HalVersion::V1_3, makeInterface(), replacement,
                                                   std::make_shared<ExecutionThreads>());
    const auto burst = model->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    SmallRequest request;
    request.input<float>({1, 2}, {}).output(8);
    ExecutionOutcome outcome;
    driver.isSilent = true;
    const ExecutionOptions late{.deadline = TimePoint(std::chrono::nanoseconds(1))};
    EXPECT_FALSE((*burst)->execute(request.request, late, outcome));
    driver.isSilent = false;
    const int executions = driver.executions;
    EXPECT_FALSE(replacement->isPermanent());
    EXPECT_TRUE((*burst)->execute(request.request, {}, outcome));
    EXPECT_EQ(driver.executions, executions + 1);
}

/// A part whose device is lost, with a replacement.
class LostPartTest : public testing::Test {
  protected:
    LostPartTest() { request.input<float>({-1, 2}, {}).output(8); }

    static Model makeRelu() {
        ModelBuilder builder;
        const auto in = builder.addTensor(TENSOR_FLOAT32, {2});
        const auto out = builder.addTensor(TENSOR_FLOAT32, {2});
        builder.addOperation(OperationType::RELU, {in}, {out});
        return std::move(*builder.build({in}, {out}));
    }

    void expectRight() const {
        EXPECT_EQ(request.output<float>(0)[0], 0.0F);
        EXPECT_EQ(request.output<float>(0)[1], 2.0F);
    }

    void expectRight(Burst& burst, const Result<Submission>& submission) const {
        ASSERT_TRUE(submission) << submission.error().message;
        EXPECT_TRUE(replacement->isPermanent());
        ExecutionOutcome outcome;
        const Result<> result = burst.wait(*submission, outcome);
        ASSERT_TRUE(result) << result.error().message;
        expectRight();
    }

    /// Long after the end of the test.
    static TimePoint later() { return std::chrono::steady_clock::now() + std::chrono::minutes(10); }

    SilentDriver driver;
    const std::shared_ptr<Replacement> replacement =
        std::make_shared<Replacement>("a part", makeRelu(), PrepareOptions(), localDevice(),
                                      std::make_shared<FallbackCounters>());
    const std::shared_ptr<PartModel> model = std::make_shared<PartModel>(
        std::make_shared<SilentModel>(driver), HalVersion::V1_3, makeInterface(), replacement,
        std::make_shared<ExecutionThreads>());
    SmallRequest request;
};

TEST_F(LostPartTest, submitsToTheReplacement) {
    const auto burst = model->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    expectRight(**burst, (*burst)->submit(request.request, {.deadline = later()}));
}

TEST_F(LostPartTest, submitsAReusableExecutionToTheReplacement) {
    const auto burst = model->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    const auto reusable = (*burst)->createReusableExecution(request.request, {});
    ASSERT_TRUE(reusable) << reusable.error().message;
    expectRight(**burst, (*reusable)->submit(later()));
}

TEST_F(LostPartTest, givesNoErrorIfTheCallbackGetsTheResultOfTheReplacement) {
    const auto ended = std::make_shared<std::promise<Result<>>>();
    auto future = ended->get_future();
    const Result<> launched = model->execute(
        request.request, {},
        [ended](const Result<>& status, const auto& /*outcome*/) { ended->set_value(status); });
    EXPECT_TRUE(launched);
    EXPECT_TRUE(future.get());
    expectRight();
}

TEST_F(LostPartTest, givesNoErrorIfTheCallbackWillGetTheResultOfTheReplacement) {
    driver.callsBackLater = true;
    std::promise<Result<>> ended;
    const Result<> launched = model->execute(
        request.request, {},
        [&](const Result<>& status, const auto& /*outcome*/) { ended.set_value(status); });
    EXPECT_TRUE(launched);
    driver.callback(unanswered(), {});
    EXPECT_TRUE(ended.get_future().get());
    expectRight();
}

INSTANTIATE_TEST_SUITE_P(Model, UnansweredPartTest, testing::Bool(), [](const auto& instance) {
    return instance.param ? "divided" : "onOneDevice";
});

}  // namespace
}  // namespace nnburst::runtime
