// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Models of a runtime whose driver does not answer an execution: its outputs count as in use.

#include "device/hal_models.h"
#include "runtime/divided_model.h"
#include "runtime/part_model.h"
#include "runtime_test.h"

namespace nnburst::runtime {
namespace {

using enum OperandType;
using test::SmallRequest;

tl::unexpected<Error> notUsed() {
    return failure(ErrorStatus::GENERAL_FAILURE, "not used by a synchronous execution");
}

/// What a driver does, and what it was asked to do.
struct SilentDriver {
    bool isSilent = false;         ///< it does not answer executions of bursts
    bool mayWrite = false;         ///< the outputs of those that it did not answer
    bool mayWriteByCalls = false;  ///< those of executions without a burst
    int executions = 0;            ///< through bursts
    int calls = 0;                 ///< executions without a burst

    Result<> end(ExecutionOutcome& outcome) const {
        outcome.outputShapes = {{.dimensions = {2}, .isSufficient = true}};
        return {};
    }
};

class SilentBurst final : public Burst {
  public:
    explicit SilentBurst(SilentDriver& driver) : driver_(driver) {}
    Result<> execute(const Request& /*request*/, const ExecutionOptions& /*options*/,
                     ExecutionOutcome& outcome) override {
        ++driver_.executions;
        if (driver_.isSilent) {
            wasSilent_ = true;
            driver_.mayWrite = true;
            return failure(ErrorStatus::DEVICE_UNAVAILABLE, "no answer");
        }
        return driver_.end(outcome);
    }
    Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& /*request*/, const ExecutionOptions& /*options*/) override {
        return notUsed();
    }
    Result<Submission> submit(const Request& /*request*/,
                              const ExecutionOptions& /*options*/) override {
        return notUsed();
    }
    Result<> wait(Submission /*submission*/, ExecutionOutcome& /*outcome*/) override {
        return notUsed();
    }
    bool isMemoryInUse() override { return wasSilent_ && driver_.mayWrite; }
    Result<> waitForMemory(const OptionalTimePoint& /*deadline*/) override { return {}; }
    void freeMemory(const SharedRegion& /*region*/) override {}
    BurstWaitStats waitStats() const override { return {}; }

  private:
    SilentDriver& driver_;
    bool wasSilent_ = false;
};

class SilentModel final : public PreparedModel {
  public:
    explicit SilentModel(SilentDriver& driver) : driver_(driver) {}
    Result<> executeSynchronously(const Request& /*request*/, const ExecutionOptions& /*options*/,
                                  ExecutionOutcome& outcome) override {
        ++driver_.calls;
        return driver_.end(outcome);
    }
    Result<> execute(const Request& /*request*/, const ExecutionOptions& /*options*/,
                     ExecutionCallback /*callback*/) override {
        return notUsed();
    }
    Result<FencedExecution> executeFenced(const Request& /*request*/,
                                          std::span<const int> /*waitFor*/,
                                          const ExecutionOptions& /*options*/,
                                          OptionalTimeoutDuration /*timeoutAfterFence*/) override {
        return notUsed();
    }
    Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& /*options*/) override {
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

/// in -> first -> temporary -> second -> out
std::shared_ptr<PreparedModel> makeDivided(const SharedPreparedModel& part) {
    DividedPlan plan;
    plan.interface.main.operands = {floats(OperandLifeTime::SUBGRAPH_INPUT),
                                    floats(OperandLifeTime::SUBGRAPH_OUTPUT)};
    plan.interface.main.inputIndexes = {0};
    plan.interface.main.outputIndexes = {1};
    plan.arenaBytes = 64;
    plan.temporaries = {{.type = TENSOR_FLOAT32,
                         .dimensions = {2},
                         .elementBytes = 4,
                         .location = DataLocation{.length = 8}}};
    const Place between{Place::Kind::TEMPORARY, 0};
    plan.parts = {{.name = "first",
                   .prepared = part,
                   .inputs = {{Place::Kind::MODEL_INPUT, 0}},
                   .outputs = {between}},
                  {.name = "second",
                   .prepared = part,
                   .inputs = {between},
                   .outputs = {{Place::Kind::MODEL_OUTPUT, 0}}}};
    return std::make_shared<DividedModel>(std::move(plan));
}

/// A model on one device, or divided into parts (`true`).
class UnansweredPartTest : public testing::TestWithParam<bool> {
  protected:
    UnansweredPartTest() {
        const auto prepared = std::make_shared<SilentModel>(driver);
        if (GetParam()) {
            model = makeDivided(prepared);
        } else {
            model = std::make_shared<PartModel>(
                prepared, HalVersion::V1_3,
                std::vector<Operand>{floats(OperandLifeTime::SUBGRAPH_OUTPUT)}, nullptr, nullptr);
        }
        request.input<float>({1, 2}, {}).output(8);
        // The first one is no reason to make a burst, the second one is.
        EXPECT_EQ(execute(request), ErrorStatus::NONE);
        EXPECT_EQ(execute(request), ErrorStatus::NONE);
        EXPECT_GT(driver.executions, 0);
    }

    ErrorStatus execute(const SmallRequest& its) {
        ExecutionOutcome outcome;
        const Result<> result = model->executeSynchronously(its.request, {}, outcome);
        EXPECT_EQ(result.has_value(), !outcome.outputShapes.empty());
        return result ? ErrorStatus::NONE : result.error().status;
    }

    SilentDriver driver;
    std::shared_ptr<PreparedModel> model;
    SmallRequest request;
};

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

INSTANTIATE_TEST_SUITE_P(Model, UnansweredPartTest, testing::Bool(), [](const auto& instance) {
    return instance.param ? "divided" : "onOneDevice";
});

}  // namespace
}  // namespace nnburst::runtime
