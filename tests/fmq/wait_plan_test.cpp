// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/wait_plan.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "fmq/shared_wait_stats.h"
#include "fmq/wait_forecast.h"

namespace nnburst::fmq {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr nanoseconds kWindow = 2ms;

WaitForecast forecastOf(std::initializer_list<std::chrono::nanoseconds> durations) {
    WaitForecast forecast;
    for (const std::chrono::nanoseconds duration : durations) {
        forecast.addDuration(duration);
    }
    return forecast;
}

TEST(WaitForecast, plansNothingWithoutExperience) {
    EXPECT_EQ(forecastOf({5ms, 5ms, 5ms}).expect(1ms).sleepUntil, 0ns);
}

TEST(WaitForecast, plansNoSleepForShortWaits) {
    EXPECT_EQ(forecastOf({300us, 300us, 300us, 300us}).expect(1ms).sleepUntil, 0ns);
    EXPECT_GT(forecastOf({300us, 300us, 300us, 300us}).expect(0ns).sleepUntil, 0ns);
}

TEST(WaitForecast, wakesBeforeTheShortestAndSpinsToTheLongest) {
    const WaitForecast::Range plan = forecastOf({5ms, 6ms, 5500us, 7ms}).expect(1ms);
    EXPECT_LT(plan.sleepUntil, 5ms);
    EXPECT_GT(plan.sleepUntil, 4ms);
    EXPECT_GT(plan.spinUntil, 7ms);
}

TEST(WaitForecast, allowsForTheTimeThatWakingTakes) {
    WaitForecast forecast = forecastOf({5ms, 5ms, 5ms, 5ms});
    for (int i = 0; i < 8; ++i) {
        forecast.addWakeLatency(400us);
    }
    EXPECT_LE(forecast.expect(1ms).sleepUntil, 4600us);
}

TEST(WaitForecast, allowsForWakingThatTakesLongNowAndThen) {
    WaitForecast forecast = forecastOf({5ms, 5ms, 5ms, 5ms});
    for (int i = 0; i < 8; ++i) {
        forecast.addWakeLatency(i == 3 ? 400us : 50us);
    }
    EXPECT_LE(forecast.expect(1ms).sleepUntil, 4600us);
}

TEST(WaitForecast, sleepsThroughHalfOfTheWaitHoweverLongWakingTakes) {
    WaitForecast forecast = forecastOf({5ms, 5ms, 5ms, 5ms});
    for (int i = 0; i < 8; ++i) {
        forecast.addWakeLatency(1s);
    }
    EXPECT_EQ(forecast.expect(1ms).sleepUntil, 2500us);
}

TEST(WaitForecast, plansNoSleepWhereTheAlarmWouldComeTooSoon) {
    EXPECT_EQ(forecastOf({1050us, 1050us, 1050us, 1050us}).expect(1ms).sleepUntil, 0ns);
}

TEST(WaitForecast, plansNoSleepAfterAShortWait) {
    WaitForecast forecast;
    for (std::size_t i = 0; i < RecentDurations::kCapacity; ++i) {
        forecast.addDuration(9ms);
    }
    forecast.addDuration(300us);
    EXPECT_EQ(forecast.expect(1ms).sleepUntil, 0ns);
}

TEST(WaitForecast, forgetsWhatWasLongAgo) {
    WaitForecast forecast = forecastOf({1ms, 1ms, 1ms, 1ms});
    for (std::size_t i = 0; i < RecentDurations::kCapacity; ++i) {
        forecast.addDuration(9ms);
    }
    EXPECT_GT(forecast.expect(1ms).sleepUntil, 8ms);
}

TEST(WaitForecast, isNotLedAstrayByOneWaitInMany) {
    WaitForecast forecast;
    for (std::size_t i = 0; i < RecentDurations::kCapacity; ++i) {
        forecast.addDuration(i == 7 ? 1us : 9ms);
    }
    EXPECT_GT(forecast.expect(1ms).sleepUntil, 8ms);
}

TEST(WaitForecast, knowsWhatFewWaitsExceed) {
    EXPECT_EQ(forecastOf({300us, 300us, 300us}).longestUsual(), nanoseconds::max());
    WaitForecast forecast = forecastOf({100us, 300us, 100us, 100us});
    EXPECT_EQ(forecast.longestUsual(), 600us);
    forecast.addDuration(10ms);
    EXPECT_EQ(forecast.longestUsual(), 750us) << "one wait in many";
    for (int i = 0; i < 20; ++i) {
        forecast.addDuration(10ms);
    }
    EXPECT_GT(forecast.longestUsual(), 10ms);
    for (int i = 0; i < 100; ++i) {
        forecast.addDuration(300us);
    }
    EXPECT_LT(forecast.longestUsual(), 700us);
}

// ---- Plans

WaitPlan planFor(WaitMode mode, const ProcessorUse& use, const WaitForecast* forecast = nullptr,
                 nanoseconds limit = nanoseconds::max(), nanoseconds waited = 1h) {
    SpinBudget budget;
    budget.earn(waited, kWindow);
    constexpr bool kIsOneProcessor = false;  // whatever this machine has
    return planWait(rulesOf({.spinWindow = kWindow, .mode = mode}, kIsOneProcessor), use, forecast,
                    budget, limit);
}

const WaitPlan kSleepAtOnce{};
const WaitPlan kSpinFirst{.spinUntil = kWindow, .spinAtMost = kWindow};

TEST(WaitPlan, followsTheModeIfNothingIsKnown) {
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, {}), kSpinFirst);
    EXPECT_EQ(planFor(WaitMode::SPIN, {}), kSpinFirst);
    EXPECT_EQ(planFor(WaitMode::BLOCK, {}), kSleepAtOnce);
}

TEST(WaitPlan, sleepsAtOnceInAnyModeWhereThereIsOneProcessor) {
    const WaitForecast forecast = forecastOf({5ms, 5ms, 5ms, 5ms});
    for (const WaitModeName& mode : kWaitModes) {
        EXPECT_EQ(planWait(rulesOf({.spinWindow = kWindow, .mode = mode.mode}, true), {}, &forecast,
                           SpinBudget(), nanoseconds::max()),
                  kSleepAtOnce)
            << mode.name;
    }
}

TEST(WaitPlan, doesNotSpinBesideThePeerInAnyMode) {
    for (const WaitModeName& mode : kWaitModes) {
        EXPECT_EQ(planFor(mode.mode, {.isPeerHere = true}), kSleepAtOnce) << mode.name;
    }
}

TEST(WaitPlan, leavesTheProcessorsToOthersOnlyWhereItAdapts) {
    for (const ProcessorUse use :
         {ProcessorUse{.isContended = true}, ProcessorUse{.peerNeedsAll = true}}) {
        EXPECT_EQ(planFor(WaitMode::ADAPTIVE, use), kSleepAtOnce);
        EXPECT_EQ(planFor(WaitMode::SPIN, use), kSpinFirst);
        EXPECT_EQ(planFor(WaitMode::BLOCK, use), kSleepAtOnce);
    }
}

TEST(WaitPlan, setsAnAlarmInLongWaitsOnlyWhereItAdapts) {
    const WaitForecast forecast = forecastOf({5ms, 5ms, 5ms, 5ms});
    const WaitForecast::Range expected = forecast.expect(kLongWait);
    ASSERT_GT(expected.sleepUntil, 0ns);
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, {}, &forecast),
              (WaitPlan{.sleepUntil = expected.sleepUntil,
                        .spinUntil = expected.spinUntil,
                        .spinAtMost = kWindow}));
    EXPECT_EQ(planFor(WaitMode::SPIN, {}, &forecast), kSpinFirst);
    EXPECT_EQ(planFor(WaitMode::BLOCK, {}, &forecast), kSleepAtOnce);
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, {.isContended = true}, &forecast), kSleepAtOnce);
}

TEST(WaitPlan, setsAnAlarmInShortWaitsWhereThePeerNeedsAllProcessors) {
    const WaitForecast forecast = forecastOf({300us, 300us, 300us, 300us});
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, {}, &forecast), kSpinFirst);
    EXPECT_GT(planFor(WaitMode::ADAPTIVE, {.peerNeedsAll = true}, &forecast).sleepUntil, 0ns);
    EXPECT_EQ(planFor(WaitMode::SPIN, {.peerNeedsAll = true}, &forecast), kSpinFirst);
}

TEST(WaitPlan, spinsNotMuchLongerThanTheWorkOfThePeerUsuallyTakes) {
    const ProcessorUse use{.peerWorks = true};
    const WaitForecast forecast = forecastOf({300us, 300us, 300us, 300us});
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, use, &forecast),
              (WaitPlan{.spinUntil = 600us, .spinAtMost = 600us}));
    const WaitForecast ofShortWaits = forecastOf({5us, 5us, 5us, 5us});
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, use, &ofShortWaits).spinAtMost, kShortestSpin);
    const WaitForecast ofLongWaits = forecastOf({10ms, 10ms, 10ms, 10ms, 1us});
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, use, &ofLongWaits), kSpinFirst);

    const WaitForecast ofNone;
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, use, &ofNone), kSpinFirst);
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, use), kSpinFirst);
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, {}, &forecast), kSpinFirst);
    EXPECT_EQ(planFor(WaitMode::SPIN, use, &forecast), kSpinFirst);
    EXPECT_EQ(planFor(WaitMode::BLOCK, use, &forecast), kSleepAtOnce);
}

TEST(WaitPlan, setsNoAlarmAfterTheLimitOfTheWait) {
    const WaitForecast forecast = forecastOf({5ms, 5ms, 5ms, 5ms});
    const nanoseconds alarm = forecast.expect(kLongWait).sleepUntil;
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, {}, &forecast, alarm), kSleepAtOnce);
    EXPECT_EQ(planFor(WaitMode::ADAPTIVE, {}, &forecast, alarm + 1ns).sleepUntil, alarm);
}

TEST(WaitPlan, spinsAfterAnAlarmOnlyAsLongAsWasEarned) {
    const WaitForecast forecast = forecastOf({5ms, 5ms, 5ms, 5ms});
    const auto spinAtMost = [&](nanoseconds waited) {
        return planFor(WaitMode::ADAPTIVE, {}, &forecast, nanoseconds::max(), waited).spinAtMost;
    };
    EXPECT_EQ(spinAtMost(0ns), 0ns);
    EXPECT_EQ(spinAtMost(40ms), 1ms);
    EXPECT_EQ(spinAtMost(1h), kWindow);
}

TEST(WaitPlan, savesNoMoreThanWasAllowed) {
    SpinBudget budget;
    budget.earn(1h, kWindow);
    budget.spend(kWindow);
    EXPECT_EQ(budget.left(), 0ns);
}

TEST(WaitPlan, keepsToABudgetThatWasOverdrawn) {
    SpinBudget budget;
    budget.earn(40ms, kWindow);
    budget.spend(3ms);
    EXPECT_EQ(budget.left(), 0ns);
    budget.earn(40ms, kWindow);
    EXPECT_EQ(budget.left(), 0ns) << "it owes 2 ms and has earned 1 ms";
    budget.earn(80ms, kWindow);
    EXPECT_EQ(budget.left(), 1ms);
}

TEST(WaitModes, haveNamesThatProgramsReadAndPrint) {
    for (const WaitModeName& mode : kWaitModes) {
        EXPECT_EQ(toString(mode.mode), std::string_view(mode.name));
        EXPECT_EQ(waitModeOf(mode.name), mode.mode);
    }
    EXPECT_EQ(waitModeOf("spinning"), std::nullopt);
    EXPECT_EQ(toString(static_cast<WaitMode>(200)), std::string_view("unknown wait mode"));
}

TEST(SharedWaitStats, countEachValueByItself) {
    SharedWaitStats shared{};
    shared.add<&WaitStats::waits>(1);
    shared.add<&WaitStats::sleeps>(2);
    shared.add<&WaitStats::earlyWakes>(3);
    shared.add<&WaitStats::lateWakes>(4);
    shared.add<&WaitStats::burnt>(5);
    shared.add<&WaitStats::burnt>(5);
    const WaitStats stats = shared.stats();
    EXPECT_EQ(stats.waits, 1U);
    EXPECT_EQ(stats.sleeps, 2U);
    EXPECT_EQ(stats.earlyWakes, 3U);
    EXPECT_EQ(stats.lateWakes, 4U);
    EXPECT_EQ(stats.burnt, 10ns);
}

}  // namespace
}  // namespace nnburst::fmq
