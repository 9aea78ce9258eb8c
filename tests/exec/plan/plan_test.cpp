// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/plan.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nnburst::exec {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLongStep{5};

/// Computes for kLongStep, unless its limit is over and it checks that, and writes down how it
/// ended.
class LongStep final : public Step {
  public:
    LongStep(std::string name, bool fillsTable, std::vector<std::string>& log,
             bool checksLimit = true)
        : name_(std::move(name)), fillsTable_(fillsTable), log_(log), checksLimit_(checksLimit) {}

    [[nodiscard]] bool fillsTable() const noexcept override { return fillsTable_; }
    Result<> setUp(std::span<std::byte* const> /*operands*/) override { return {}; }
    Result<> run(TimeLimit& limit) override {
        const Clock::time_point end = Clock::now() + kLongStep;
        while (Clock::now() < end) {
            if (checksLimit_ && limit.isOverAfter(TimeLimit::kWorkPerCheck)) {
                log_.push_back(name_ + " was ended");
                return {};
            }
        }
        log_.push_back(name_ + " was done");
        return {};
    }

  private:
    const std::string name_;
    const bool fillsTable_;
    std::vector<std::string>& log_;
    const bool checksLimit_;
};

using Log = std::vector<std::string>;

/// A plan of three steps, of which the last one fills a table.
class PlanWarmUp : public testing::Test {
  protected:
    PlanWarmUp() {
        plan_.addStep(std::make_unique<LongStep>("first", false, log_), 0, {});
        plan_.addStep(std::make_unique<LongStep>("second", false, log_), 1, {});
        plan_.addStep(std::make_unique<LongStep>("table", true, log_), 2, {});
    }

    /// A warm-up that has the processor all the time; one that loses it leaves steps out.
    void warmUpUndisturbed(const Log& expected) {
        constexpr int kAttempts = 100;
        for (int attempt = 0; attempt < kAttempts && log_ != expected; ++attempt) {
            log_.clear();
            ASSERT_TRUE(plan_.warmUp({}));
        }
    }

    Log log_;
    Plan plan_{AlignedBuffer(), {}, 0};
};

TEST_F(PlanWarmUp, runsEachStepForAMomentAndFillsTables) {
    const Log expected{"first was ended", "second was ended", "table was done"};
    warmUpUndisturbed(expected);
    EXPECT_EQ(log_, expected);
}

TEST_F(PlanWarmUp, onlyFillsTablesAfterALongStep) {
    Plan plan(AlignedBuffer(), {}, 0);
    plan.addStep(std::make_unique<LongStep>("long", false, log_, false), 0, {});
    plan.addStep(std::make_unique<LongStep>("second", false, log_), 1, {});
    plan.addStep(std::make_unique<LongStep>("table", true, log_), 2, {});
    ASSERT_TRUE(plan.warmUp({}));
    EXPECT_EQ(log_, (Log{"long was done", "table was done"}));
    log_.clear();
    ASSERT_TRUE(plan.run({}));
    EXPECT_EQ(log_, (Log{"long was done", "second was done", "table was done"}));
}

TEST_F(PlanWarmUp, leavesNothingBehindThatEndsARun) {
    ASSERT_TRUE(plan_.warmUp({}));
    log_.clear();
    ASSERT_TRUE(plan_.run({}));
    EXPECT_EQ(log_, (Log{"first was done", "second was done", "table was done"}));
}

TEST_F(PlanWarmUp, endsAtItsDeadline) {
    plan_.addStep(std::make_unique<LongStep>("late", true, log_), 3, {});
    const Result<> result = plan_.warmUp({.deadline = Clock::now() + kLongStep / 2});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    EXPECT_TRUE(log_.empty() || !log_.back().starts_with("late"))
        << "no step is run after the deadline";
}

constexpr std::size_t kKeptBytes = 256;

/// Keeps memory from its set-up on.
class KeepingStep final : public Step {
  public:
    explicit KeepingStep(std::size_t bytes = kKeptBytes) : bytesAfterSetUp_(bytes) {}

    [[nodiscard]] std::size_t keptBytes() const noexcept override { return keptBytes_; }
    Result<> setUp(std::span<std::byte* const> /*operands*/) override {
        keptBytes_ = bytesAfterSetUp_;
        return {};
    }
    Result<> run(TimeLimit& /*limit*/) override { return {}; }

  private:
    const std::size_t bytesAfterSetUp_;
    std::size_t keptBytes_ = 0;
};

/// A plan of two steps that keep memory.
class PlanSetUp : public testing::Test {
  protected:
    PlanSetUp() {
        plan_.addStep(std::make_unique<KeepingStep>(), 0, {});
        plan_.addStep(std::make_unique<KeepingStep>(), 1, {});
    }

    Plan plan_{AlignedBuffer(), {}, 0};
};

TEST_F(PlanSetUp, countsWhatStepsKeepAfterwards) {
    EXPECT_EQ(plan_.memoryBytes(), 0U);
    ASSERT_TRUE(plan_.setUp(nullptr, {}));
    EXPECT_EQ(plan_.memoryBytes(), 2 * kKeptBytes);
}

TEST_F(PlanSetUp, isRefusedForStepsThatKeepTooMuchTogether) {
    plan_.addStep(std::make_unique<KeepingStep>(Plan::kMaximumKeptBytes - 2 * kKeptBytes), 2, {});
    plan_.addStep(std::make_unique<KeepingStep>(1), 3, {});
    const Result<> result = plan_.setUp(nullptr, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_TRUE(result.error().message.starts_with("operation 3")) << result.error().message;
}

TEST_F(PlanSetUp, isChargedWithEachStepAndEndsAtTheLimit) {
    Amounts limits;
    limits[Resource::MEMORY] = 2 * kKeptBytes;
    const SharedAccount account = Account::create("client", limits);
    GrowingCharge memory(account.get(), Resource::MEMORY);
    ASSERT_TRUE(plan_.setUp(nullptr, {.planMemory = &memory}));
    EXPECT_EQ(account->usage(Resource::MEMORY).used, 2 * kKeptBytes);
    memory.clear();
    plan_.addStep(std::make_unique<KeepingStep>(1), 2, {});
    const Result<> result = plan_.setUp(nullptr, {.planMemory = &memory});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
}

TEST_F(PlanSetUp, endsBeforeTheNextStepWhenTheRunIsCancelled) {
    const std::atomic<bool> isCancelled{true};
    const Result<> result = plan_.setUp(nullptr, {.isCancelled = &isCancelled});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(plan_.memoryBytes(), 0U);
}

}  // namespace
}  // namespace nnburst::exec
