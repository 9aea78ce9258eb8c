// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/wait.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <initializer_list>
#include <thread>
#include <utility>

namespace nnburst::fmq {
namespace {

using namespace std::chrono_literals;

TimePoint in(std::chrono::nanoseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

/// RAII: pins the calling thread to the processor on which it runs.
class Pinned {
  public:
    Pinned() {
        ::sched_getaffinity(0, sizeof(before_), &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(::sched_getcpu(), &one);
        ::sched_setaffinity(0, sizeof(one), &one);
    }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    ~Pinned() { ::sched_setaffinity(0, sizeof(before_), &before_); }

  private:
    cpu_set_t before_{};
};

/// Waits spin only where there are several processors.
class WaitThatSpins : public testing::Test {
  protected:
    void SetUp() override {
        if (hasOneProcessor()) {
            GTEST_SKIP() << "this machine has one processor";
        }
    }
};

/// How often a wait of 50 ms tests its condition, which never becomes true.
int pollsInVain(std::optional<EventFlag> peer, const WaitPolicy& policy,
                bool peerNeedsAll = false) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), peer, policy, stats);
    waiter.setPeerNeedsAllProcessors(peerNeedsAll);
    int polls = 0;
    EXPECT_FALSE(waiter.wait({.deadline = {}, .atMost = 50ms}, nullptr, [&] {
        ++polls;
        return false;
    }));
    EXPECT_EQ(stats.stats().waits, 1U);
    EXPECT_EQ(word.word & EventFlag::kSleeping, 0U) << "it still counts as a sleeper";
    return polls;
}

TEST_F(WaitThatSpins, spinsForTheWholeWindow) {
    EXPECT_GT(pollsInVain(std::nullopt, {.spinWindow = 10s}), 1000);
}

TEST_F(WaitThatSpins, spinsForAWindowWithoutAnEnd) {
    using std::chrono::nanoseconds;
    EXPECT_GT(pollsInVain(std::nullopt, {.spinWindow = nanoseconds::max(), .mode = WaitMode::SPIN}),
              1000);
    EXPECT_GT(pollsInVain(std::nullopt, {.spinWindow = nanoseconds::max()}), 1000);
}

/// Permits one spin at a time, if any.
class OneSpin final : public SpinAllowance {
  public:
    explicit OneSpin(bool isFree) : isFree_(isFree) {}
    bool tryBeginSpin() noexcept override {
        ++asked;
        return std::exchange(isFree_, false);
    }
    void endSpin() noexcept override { isFree_ = true; }

    int asked = 0;

  private:
    bool isFree_;
};

/// As pollsInVain, with a waiter that is asked to spin and waits twice.
int pollsInVain(SpinAllowance& allowance) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {.spinWindow = 10s, .mode = WaitMode::SPIN},
                  stats);
    waiter.setSpinAllowance(allowance);
    int polls = 0;
    for (int wait = 0; wait < 2; ++wait) {
        polls = 0;
        EXPECT_FALSE(waiter.wait({.deadline = {}, .atMost = 50ms}, nullptr, [&] {
            ++polls;
            return false;
        }));
    }
    return polls;
}

TEST_F(WaitThatSpins, spinsOnlyWhileItsAllowancePermitsIt) {
    OneSpin permitted(true);
    EXPECT_GT(pollsInVain(permitted), 1000) << "the first wait has not ended its spin";
    EXPECT_EQ(permitted.asked, 2);
    OneSpin forbidden(false);
    EXPECT_LT(pollsInVain(forbidden), 50);
}

TEST(WaitUntil, sleepsAtOnceWithoutAWindow) {
    EXPECT_LT(pollsInVain(std::nullopt, {.spinWindow = 0ns}), 20);
}

TEST(WaitUntil, doesNotSpinAgainstAPeerOnItsOwnProcessor) {
    const Pinned pinned;
    EventWord peerWord{};
    EventFlag peer(peerWord);
    peer.publishWaiterCpu();
    EXPECT_LT(pollsInVain(peer, {.spinWindow = 10s}), 20);
}

TEST_F(WaitThatSpins, spinsAgainstAPeerOnAnotherProcessorOrOnNoneThatIsKnown) {
    const Pinned pinned;
    EventWord peerWord{};
    EXPECT_GT(pollsInVain(EventFlag(peerWord), {.spinWindow = 10s}), 1000);
    peerWord.waiter = static_cast<std::uint32_t>(::sched_getcpu()) + 2;
    EXPECT_GT(pollsInVain(EventFlag(peerWord), {.spinWindow = 10s}), 1000);
}

TEST_F(WaitThatSpins, doesNotSpinUnderContentionUnlessToldTo) {
    EventWord peerWord{};
    EventFlag peer(peerWord);
    EXPECT_GT(pollsInVain(peer, {.spinWindow = 10s}), 1000);
    peerWord.waiter |= WaiterState::kContended;
    EXPECT_LT(pollsInVain(peer, {.spinWindow = 10s}), 20);
    EXPECT_GT(pollsInVain(peer, {.spinWindow = 10s, .mode = WaitMode::SPIN}), 1000);
}

TEST(Waiter, saysOnWhichProcessorItIsBeforeItPolls) {
    const Pinned pinned;
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {}, stats);
    EXPECT_TRUE(waiter.wait({}, nullptr, [&] { return EventFlag(word).isOnThisProcessor(); }));
    EXPECT_EQ(stats.stats().waits, 0U) << "it saw it late";
}

TEST(Waiter, saysOnWhichProcessorItIsBeforeItWakesItsPeer) {
    const Pinned pinned;
    EventWord word{};
    EventWord peerWord{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), EventFlag(peerWord), {}, stats);
    waiter.beforeWakingPeer();
    EXPECT_FALSE(EventFlag(word).isOnThisProcessor()) << "the peer does not sleep";
    (void)EventFlag(peerWord).announceSleeper();
    waiter.beforeWakingPeer();
    EXPECT_TRUE(EventFlag(word).isOnThisProcessor());
}

TEST_F(WaitThatSpins, stopsSpinningWhenItsPeerComesToItsProcessor) {
    const Pinned pinned;
    EventWord word{};
    EventWord peerWord{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), EventFlag(peerWord), {.spinWindow = 10s}, stats);
    int polls = 0;
    EXPECT_FALSE(waiter.wait({.deadline = {}, .atMost = 50ms}, nullptr, [&] {
        if (++polls == 100) {
            EventFlag(peerWord).publishWaiterCpu();
        }
        return false;
    }));
    EXPECT_GT(polls, 99);
    EXPECT_LT(polls, 150);
}

TEST(Waiter, doesNotSpinBeyondItsLimit) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {.spinWindow = 20s, .mode = WaitMode::SPIN},
                  stats);
    const TimePoint late = in(5s);
    EXPECT_FALSE(waiter.wait({.deadline = {}, .atMost = 1ms}, nullptr,
                             [&] { return std::chrono::steady_clock::now() > late; }));
}

TEST_F(WaitThatSpins, publishesContentionAndDoesNotSpinItself) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {.spinWindow = 10s}, stats);
    const auto waitInVain = [&] {
        (void)waiter.wait({.deadline = {}, .atMost = 5ms}, nullptr, [] { return false; });
    };
    waiter.setContended(true);
    waitInVain();
    EXPECT_EQ(stats.stats().burnt, 0ns);
    EXPECT_TRUE(EventFlag(word).isContended());
    waiter.setContended(false);
    waitInVain();
    EXPECT_GT(stats.stats().burnt, 0ns);
    EXPECT_FALSE(EventFlag(word).isContended());
}

struct SleepsAndFences {
    std::uint64_t sleeps = 0;
    std::uint64_t heavyFences = 0;
};

/// Of waits in a row for the side that waits on `peerWord`, until there are two sleeps.
SleepsAndFences fencesOfWaits(WaitMode mode, bool isContended, EventWord& peerWord) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), EventFlag(peerWord), {.spinWindow = 100us, .mode = mode}, stats);
    waiter.setContended(isContended);
    const auto waitUntilSleeps = [&](std::uint64_t sleeps) {
        while (stats.stats().sleeps < sleeps) {
            (void)waiter.wait({.deadline = {}, .atMost = 2ms}, nullptr, [] { return false; });
        }
    };
    waitUntilSleeps(1);  // in which a change becomes known
    const std::uint64_t sleepsBefore = stats.stats().sleeps;
    const std::uint64_t fencesBefore = heavyFenceCount();
    waitUntilSleeps(sleepsBefore + 2);
    return {.sleeps = stats.stats().sleeps - sleepsBefore,
            .heavyFences = heavyFenceCount() - fencesBefore};
}

TEST_F(WaitThatSpins, makesNoHeavyFencesWhereItSleepsInEachWait) {
    if (!hasHeavyFences()) {
        GTEST_SKIP() << "the kernel does not allow membarrier here";
    }
    EventWord elsewhere{};
    EXPECT_EQ(fencesOfWaits(WaitMode::BLOCK, false, elsewhere).heavyFences, 0U);
    EXPECT_EQ(fencesOfWaits(WaitMode::ADAPTIVE, true, elsewhere).heavyFences, 0U);
    const SleepsAndFences adaptive = fencesOfWaits(WaitMode::ADAPTIVE, false, elsewhere);
    EXPECT_EQ(adaptive.heavyFences, adaptive.sleeps);
    const SleepsAndFences spinning = fencesOfWaits(WaitMode::SPIN, true, elsewhere);
    EXPECT_EQ(spinning.heavyFences, spinning.sleeps);

    const Pinned pinned;
    EventWord here{};
    EventFlag(here).publishWaiterCpu();
    EXPECT_EQ(fencesOfWaits(WaitMode::ADAPTIVE, false, here).heavyFences, 0U);
    EXPECT_EQ(fencesOfWaits(WaitMode::SPIN, false, here).heavyFences, 0U);
}

TEST_F(WaitThatSpins, makesHeavyFencesAgainOnceItNeedNotSleepInEachWait) {
    if (!hasHeavyFences()) {
        GTEST_SKIP() << "the kernel does not allow membarrier here";
    }
    const Pinned pinned;
    EventWord word{};
    EventWord peerWord{};
    EventFlag(peerWord).publishWaiterCpu();
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), EventFlag(peerWord), {.spinWindow = 10s}, stats);
    (void)waiter.wait({.deadline = {}, .atMost = 1ms}, nullptr, [] { return false; });
    EXPECT_EQ(word.waiter & WaiterState::kHasHeavyFences, 0U);
    const std::uint64_t sleeps = stats.stats().sleeps;
    EXPECT_GT(sleeps, 0U);

    peerWord.waiter = static_cast<std::uint32_t>(::sched_getcpu()) + 2;  // the peer has moved
    for (int wait = 0; wait < 2; ++wait) {
        int looks = 0;
        EXPECT_TRUE(waiter.wait({}, nullptr, [&looks] { return ++looks == 5; }));
    }
    EXPECT_NE(word.waiter & WaiterState::kHasHeavyFences, 0U);
    EXPECT_EQ(stats.stats().sleeps, sleeps) << "it has slept, which publishes the same";
}

TEST(Waiter, makesOneHeavyFenceWhereItParksAgainAndAgain) {
    if (!hasHeavyFences()) {
        GTEST_SKIP() << "the kernel does not allow membarrier here";
    }
    EventWord word{};
    EventFlag(word).publishWaiterCpu();  // as a wait before has left it
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {}, stats);
    const std::uint64_t before = heavyFenceCount();
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(waiter.park([] { return false; }));
    }
    EXPECT_EQ(heavyFenceCount(), before + 1) << "the first, which the publisher may not know yet";
    EXPECT_EQ(word.waiter & WaiterState::kHasHeavyFences, 0U);
}

TEST(Waiter, leavesTheFencesToThePublisherWhereSeveralSleep) {
    EventWord word{};
    SharedWaitStats stats{};
    for (const WaitMode mode : {WaitMode::ADAPTIVE, WaitMode::BLOCK}) {
        Waiter waiter = Waiter::sharing(EventFlag(word), {.spinWindow = 10us, .mode = mode}, stats);
        for (int wait = 0; wait < 2; ++wait) {
            (void)waiter.wait({.deadline = {}, .atMost = 1ms}, nullptr, [] { return false; });
            EXPECT_NE(word.waiter & WaiterState::kProcessor, 0U);
            EXPECT_EQ(word.waiter & WaiterState::kHasHeavyFences, 0U)
                << "another sleeper may not be able to make them";
        }
    }
}

TEST(WaitUntil, endsWhenWhatItWaitsForHappensWhileItSleeps) {
    EventWord word{};
    EventFlag flag(word, 1h);  // nothing but the wake-up ends its sleep
    std::atomic<bool> isReady{false};
    std::thread other([&] {
        std::this_thread::sleep_for(20ms);
        isReady.store(true, std::memory_order_seq_cst);
        flag.wakeAnnounced();
    });
    EXPECT_TRUE(waitUntil(flag, {.spinWindow = 0ns}, {.deadline = in(20s), .atMost = {}},
                          [&] { return isReady.load(std::memory_order_seq_cst); }));
    other.join();
}

TEST(WaitUntil, looksOnceMoreAfterTheDeadlineHasPassed) {
    EventWord word{};
    EXPECT_TRUE(waitUntil(EventFlag(word), {.spinWindow = 0ns},
                          {.deadline = TimePoint{}, .atMost = {}}, [] { return true; }));
}

TEST(Waiter, doesNotSpinWhereItIsToBlock) {
    EXPECT_LT(pollsInVain(std::nullopt, {.spinWindow = 10s, .mode = WaitMode::BLOCK}), 20);
}

/// Waits repeatedly for another thread, which answers `duration` after it was asked.
class PeriodicPeer {
  public:
    explicit PeriodicPeer(std::chrono::nanoseconds duration)
        : thread_([this, duration] {
              for (std::uint32_t turn = 1;; ++turn) {
                  while (asked_.load(std::memory_order_acquire) < turn) {
                      std::this_thread::yield();
                  }
                  if (asked_ == UINT32_MAX) {
                      return;
                  }
                  std::this_thread::sleep_for(duration);
                  done_.store(turn, std::memory_order_release);
                  EventFlag(word).wakeAnnounced();
              }
          }) {}
    ~PeriodicPeer() {
        asked_ = UINT32_MAX;
        thread_.join();
    }
    PeriodicPeer(const PeriodicPeer&) = delete;
    PeriodicPeer& operator=(const PeriodicPeer&) = delete;

    void ask(Waiter& waiter, WaitForecast* forecast) {
        const std::uint32_t turn = asked_.fetch_add(1, std::memory_order_acq_rel) + 1;
        EXPECT_TRUE(waiter.wait({}, forecast,
                                [&] { return done_.load(std::memory_order_acquire) == turn; }));
    }

    EventWord word{};

  private:
    std::atomic<std::uint32_t> asked_{0};
    std::atomic<std::uint32_t> done_{0};
    std::thread thread_;  // last: it uses all of the above
};

/// Waits that slept with an alarm.
std::uint64_t alarmsOf(const WaitStats& stats) {
    return stats.earlyWakes + stats.lateWakes;
}

/// More than any test needs. Not every wait goes as its forecast says: a thread that loses its
/// processor before it waits finds what it waits for there.
constexpr int kMaximumWaits = 2000;

TEST_F(WaitThatSpins, learnsToSleepWithAnAlarmInLongWaits) {
    PeriodicPeer peer(5ms);
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(peer.word), std::nullopt, {.spinWindow = 2ms}, stats);
    WaitForecast forecast;
    for (int turn = 0; turn < kMaximumWaits && alarmsOf(stats.stats()) < 10; ++turn) {
        peer.ask(waiter, &forecast);
    }
    EXPECT_GE(alarmsOf(stats.stats()), 10U);
}

WaitForecast forecastOf(std::initializer_list<std::chrono::nanoseconds> durations) {
    WaitForecast forecast;
    for (const std::chrono::nanoseconds duration : durations) {
        forecast.addDuration(duration);
    }
    return forecast;
}

/// Ready `duration` after the start of each wait, without a wake-up. Gives how long they lasted.
std::chrono::nanoseconds waitFor(Waiter& waiter, WaitForecast& forecast,
                                 std::chrono::nanoseconds duration) {
    const TimePoint start = std::chrono::steady_clock::now();
    EXPECT_TRUE(waiter.wait({.deadline = in(20s), .atMost = {}}, &forecast,
                            [&] { return std::chrono::steady_clock::now() >= start + duration; }));
    return std::chrono::steady_clock::now() - start;
}

TEST_F(WaitThatSpins, countsWhetherItsAlarmCameInTime) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {}, stats);
    WaitForecast forecast = forecastOf({20ms, 20ms, 20ms, 20ms});
    (void)waitFor(waiter, forecast, 5ms);
    EXPECT_EQ(stats.stats().lateWakes, 1U);
    EXPECT_EQ(stats.stats().earlyWakes, 0U);
    forecast = forecastOf({20ms, 20ms, 20ms, 20ms});
    (void)waitFor(waiter, forecast, 200ms);
    EXPECT_EQ(stats.stats().lateWakes, 1U);
    EXPECT_EQ(stats.stats().earlyWakes, 1U);
}

TEST_F(WaitThatSpins, spinsAfterAlarmsForASmallPartOfTheTime) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word, 1ms), std::nullopt, {.spinWindow = 4ms}, stats);
    WaitForecast forecast;
    for (std::size_t i = 0; i < RecentDurations::kCapacity; ++i) {
        forecast.addDuration(i % 4 == 0 ? 5ms : 10ms);  // the alarm is set before 5 ms
    }
    std::chrono::nanoseconds waited{};
    std::chrono::nanoseconds spun{};  // after alarms
    for (int i = 0; i < kMaximumWaits && stats.stats().earlyWakes < 16; ++i) {
        const WaitStats before = stats.stats();
        const bool mayStillSpin = spun < waited / kSpinShare;
        waited += waitFor(waiter, forecast, i % 4 == 0 ? 5ms : 10ms);
        const WaitStats after = stats.stats();
        if (alarmsOf(after) > alarmsOf(before)) {
            EXPECT_TRUE(mayStillSpin || after.burnt == before.burnt) << "wait " << i;
            spun += after.burnt - before.burnt;
        }
    }
    EXPECT_GE(stats.stats().earlyWakes, 16U);
    EXPECT_GT(spun, 0ns);
}

TEST_F(WaitThatSpins, leavesTheProcessorsToAPeerThatNeedsThemUnlessItIsToSpin) {
    EXPECT_LT(pollsInVain(std::nullopt, {.spinWindow = 10s}, true), 100);
    EXPECT_GT(pollsInVain(std::nullopt, {.spinWindow = 10s, .mode = WaitMode::SPIN}, true), 1000);
}

TEST(Waiter, endsAtTheEarlierOfItsLimits) {
    using std::chrono::nanoseconds;
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word, 1h), std::nullopt, {.mode = WaitMode::BLOCK}, stats);
    const auto lasts = [&](TimePoint start, TimePoint deadline, nanoseconds atMost) {
        EXPECT_FALSE(
            waiter.wait({.deadline = deadline, .atMost = atMost}, nullptr, [] { return false; }));
        return std::chrono::steady_clock::now() - start;
    };
    const auto expectAMillisecond = [](nanoseconds duration) {
        EXPECT_GE(duration, 1ms);
        EXPECT_LT(duration, 20s);
    };
    const TimePoint start = std::chrono::steady_clock::now();
    expectAMillisecond(lasts(start, start + 1ms, 20s));
    expectAMillisecond(lasts(start, start + 20s, 1ms));
    expectAMillisecond(lasts(start, TimePoint::max(), 1ms));
    const TimePoint last = std::chrono::steady_clock::now();
    expectAMillisecond(lasts(last, last + 1ms, nanoseconds::max()));
}

TEST(Waiter, lastsAsLongAsIsLeastThoughItsDeadlineHasPassed) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word, 1h), std::nullopt, {.mode = WaitMode::BLOCK}, stats);
    const TimePoint start = std::chrono::steady_clock::now();
    EXPECT_FALSE(waiter.wait({.deadline = start - 1s, .atMost = {}, .atLeast = 5ms}, nullptr,
                             [] { return false; }));
    EXPECT_GE(std::chrono::steady_clock::now(), start + 5ms);
}

TEST(Waiter, looksOnceMoreAfterItHasAnnouncedThatItSleeps) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word, 1h), std::nullopt, {.mode = WaitMode::BLOCK}, stats);
    // Becomes true between the last look and the announcement: no wake-up follows.
    EXPECT_TRUE(waiter.wait({.deadline = in(20s), .atMost = {}}, nullptr,
                            [&] { return (word.word & EventFlag::kSleeping) != 0; }));
    EXPECT_EQ(stats.stats().sleeps, 0U);
    EXPECT_EQ(word.word, 0U);
}

TEST(Waiter, looksOnceMoreAfterItHasAnnouncedThatItIsParked) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {}, stats);
    EXPECT_FALSE(waiter.park([&] { return (word.word & EventFlag::kParked) != 0; }));
    EXPECT_EQ(word.word, 0U) << "it would be rung for";
    EXPECT_TRUE(waiter.park([] { return false; }));
    EXPECT_EQ(word.word, EventFlag::kParked);
    WaitForecast forecast;
    waiter.unpark(forecast);
    EXPECT_EQ(word.word, 0U);
}

TEST(Waiter, countsTheRingsThatTheOtherSideHasBeenAskedFor) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {}, stats);
    std::uint32_t rings = 0;
    EXPECT_TRUE(waiter.park([] { return false; }, &rings));
    EXPECT_TRUE(waiter.park([] { return false; }, &rings)) << "it was asked for this one before";
    EXPECT_EQ(rings, 1U);
    EXPECT_FALSE(waiter.park([] { return true; }, &rings));
    EXPECT_EQ(rings, 0U) << "the bit was cleared before the other side saw it";
    const auto hasCome = [&] {
        EventFlag(word).wakeSleepers();
        return true;
    };
    EXPECT_FALSE(waiter.park(hasCome, &rings));
    EXPECT_EQ(rings, 1U) << "the other side was faster, and rings";
}

TEST(Waiter, countsNoRingsToComeAfterOneThatItHasNotAskedFor) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {}, stats);
    std::uint32_t rings = 0;
    EXPECT_TRUE(waiter.park([] { return false; }, &rings));
    rings = 0;  // the other side has rung without clearing the bit
    EXPECT_FALSE(waiter.park([] { return true; }, &rings));
    EXPECT_EQ(rings, 0U);
}

TEST(Waiter, leavesTheBitToOtherSleepersOnItsFlag) {
    EventWord word{};
    SharedWaitStats stats{};
    const auto waitInVain = [&](Waiter waiter) {
        (void)EventFlag(word).announceSleeper();
        (void)waiter.wait({.deadline = {}, .atMost = 1ms}, nullptr, [] { return false; });
        return (word.word & EventFlag::kSleeping) != 0;
    };
    const WaitPolicy policy{.mode = WaitMode::BLOCK};
    EXPECT_TRUE(waitInVain(Waiter::sharing(EventFlag(word), policy, stats)));
    EXPECT_FALSE(waitInVain(Waiter(EventFlag(word), std::nullopt, policy, stats)));
}

TEST(Waiter, learnsHowLongAParkedWaitHasLastedAsAWhole) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {}, stats);
    WaitForecast forecast;
    const TimePoint start = std::chrono::steady_clock::now();
    waiter.unpark(forecast);  // nothing was parked
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(
            waiter.wait({.deadline = {}, .atMost = 20us}, &forecast, [] { return false; }));
        ASSERT_TRUE(waiter.park([] { return false; }));
        std::this_thread::sleep_for(5ms);
        EXPECT_EQ(forecast.expect(0ns).sleepUntil, 0ns) << "too few waits";
        waiter.unpark(forecast);
        waiter.unpark(forecast);  // nothing is parked any more
    }
    EXPECT_GT(forecast.expect(0ns).spinUntil, 5ms);
    EXPECT_LT(forecast.expect(0ns).spinUntil, std::chrono::steady_clock::now() - start);
    EXPECT_EQ(stats.stats().waits, 4U);
}

TEST(Waiter, asksInALongWaitWhetherItIsWorthWaitingAndCountsOneWait) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word, 1h), std::nullopt, {.mode = WaitMode::BLOCK}, stats);
    WaitForecast forecast;
    for (int i = 0; i < 4; ++i) {
        int checks = 0;
        ASSERT_TRUE(waiter.wait(
            {.deadline = in(5s), .atMost = {}}, &forecast, [&] { return checks == 3; },
            WaitCheck{5ms, [&] {
                          ++checks;
                          return true;
                      }}));
    }
    EXPECT_EQ(stats.stats().waits, 4U);
    EXPECT_GE(forecast.expect(0ns).spinUntil, 15ms) << "it has learnt parts of waits";
    int checks = 0;
    EXPECT_FALSE(waiter.wait(
        {.deadline = in(5s), .atMost = {}}, &forecast, [] { return false; },
        WaitCheck{1ms, [&] { return ++checks < 2; }}));
    EXPECT_EQ(checks, 2);
}

TEST_F(WaitThatSpins, asksAlsoWhileItSleepsWithAnAlarm) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word, 1h), std::nullopt, {}, stats);
    WaitForecast forecast = forecastOf({10s, 10s, 10s, 10s});
    int checks = 0;
    EXPECT_FALSE(waiter.wait(
        {}, &forecast, [] { return false; }, WaitCheck{1ms, [&] { return ++checks < 3; }}));
    EXPECT_EQ(checks, 3);
    EXPECT_EQ(alarmsOf(stats.stats()), 0U) << "the alarm came before";
    EXPECT_EQ(stats.stats().waits, 1U);
}

TEST_F(WaitThatSpins, asksAlsoWhileItSpinsAndDoesNotCountTheTimeOfTheQuestion) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word, 1h), std::nullopt, {.spinWindow = 10s, .mode = WaitMode::SPIN},
                  stats);
    int checks = 0;
    std::chrono::nanoseconds asked{};
    const TimePoint start = std::chrono::steady_clock::now();
    EXPECT_FALSE(waiter.wait(
        {}, nullptr, [] { return false; },
        WaitCheck{5ms, [&] {
                      const TimePoint before = std::chrono::steady_clock::now();
                      std::this_thread::sleep_for(1ms);
                      asked += std::chrono::steady_clock::now() - before;
                      return ++checks < 3;
                  }}));
    const std::chrono::nanoseconds lasted = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(checks, 3);
    EXPECT_EQ(stats.stats().sleeps, 0U) << "the spin had ended before";
    EXPECT_GE(stats.stats().burnt, 15ms);
    EXPECT_LE(stats.stats().burnt, lasted - asked);
}

TEST(Waiter, asksNothingInAWaitThatIsShorterThanTheInterval) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {.mode = WaitMode::BLOCK}, stats);
    EXPECT_FALSE(waiter.wait(
        {.deadline = in(2ms), .atMost = {}}, nullptr, [] { return false; },
        WaitCheck{1h, []() -> bool {
                      ADD_FAILURE() << "asked";
                      return false;
                  }}));
}

TEST(Waiter, learnsNothingFromAWaitInVain) {
    EventWord word{};
    SharedWaitStats stats{};
    Waiter waiter(EventFlag(word), std::nullopt, {.mode = WaitMode::BLOCK}, stats);
    WaitForecast forecast;
    for (int i = 0; i < 5; ++i) {
        EXPECT_FALSE(waiter.wait({.deadline = {}, .atMost = 1ms}, &forecast, [] { return false; }));
    }
    EXPECT_EQ(forecast.expect(0ns).sleepUntil, 0ns);
}

}  // namespace
}  // namespace nnburst::fmq
