// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/plan.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nnburst::exec {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLongStep{5};

/// Computes for kLongStep unless its limit is over, and writes down how it ended.
class LongStep final : public Step {
  public:
    LongStep(std::string name, std::size_t keptBytes, std::vector<std::string>& log)
        : name_(std::move(name)), keptBytes_(keptBytes), log_(log) {}

    [[nodiscard]] std::size_t keptBytes() const noexcept override { return keptBytes_; }
    Result<> setUp(std::span<std::byte* const> /*operands*/) override { return {}; }
    Result<> run(TimeLimit& limit) override {
        const Clock::time_point end = Clock::now() + kLongStep;
        while (Clock::now() < end) {
            if (limit.isOverAfter(TimeLimit::kWorkPerLook)) {
                log_.push_back(name_ + " was ended");
                return {};
            }
        }
        log_.push_back(name_ + " was done");
        return {};
    }

  private:
    const std::string name_;
    const std::size_t keptBytes_;
    std::vector<std::string>& log_;
};

using Log = std::vector<std::string>;

/// A plan of three steps, of which the second one keeps a table.
class PlanWarmUp : public testing::Test {
  protected:
    PlanWarmUp() {
        constexpr std::size_t kTableBytes = 256;
        plan_.addStep(std::make_unique<LongStep>("first", 0, log_), 0, {});
        plan_.addStep(std::make_unique<LongStep>("table", kTableBytes, log_), 1, {});
        plan_.addStep(std::make_unique<LongStep>("last", 0, log_), 2, {});
    }

    Log log_;
    Plan plan_{AlignedBuffer(), {}, 0};
};

TEST_F(PlanWarmUp, runsEachStepForAMomentAndFillsTables) {
    ASSERT_TRUE(plan_.warmUp({}));
    EXPECT_EQ(log_, (Log{"first was ended", "table was done", "last was ended"}));
}

TEST_F(PlanWarmUp, leavesNothingBehindThatEndsARun) {
    ASSERT_TRUE(plan_.warmUp({}));
    log_.clear();
    ASSERT_TRUE(plan_.run({}));
    EXPECT_EQ(log_, (Log{"first was done", "table was done", "last was done"}));
}

TEST_F(PlanWarmUp, endsAtItsDeadline) {
    const Result<> result = plan_.warmUp({.deadline = Clock::now() + kLongStep / 2});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    ASSERT_FALSE(log_.empty());
    EXPECT_NE(log_.back(), "last was ended") << "no step is run after the deadline";
}

}  // namespace
}  // namespace nnburst::exec
