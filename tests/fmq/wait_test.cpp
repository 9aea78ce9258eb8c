// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/wait.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <initializer_list>
#include <thread>

namespace nnburst::fmq {
namespace {

using namespace std::chrono_literals;

/// Keeps the calling thread on the processor on which it is, for as long as it lives.
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

/// How often a wait of 50 ms looks at what it waits for, if that never happens.
int looksInVain(std::optional<EventFlag> peer, const WaitPolicy& policy) {
    EventWord word{};
    SharedWaitStats record{};
    Waiter waiter(EventFlag(word), peer, policy, record);
    int looks = 0;
    EXPECT_FALSE(waiter.wait({.deadline = {}, .atMost = 50ms}, nullptr, [&] {
        ++looks;
        return false;
    }));
    EXPECT_EQ(record.waits, 1U);
    EXPECT_EQ(word.word & EventFlag::kSleeping, 0U) << "it still counts as a sleeper";
    return looks;
}

TEST(WaitUntil, spinsForTheWholeWindow) {
    EXPECT_GT(looksInVain(std::nullopt, {.spinWindow = 10s}), 1000);
}

TEST(WaitUntil, sleepsAtOnceWithoutAWindow) {
    EXPECT_LT(looksInVain(std::nullopt, {.spinWindow = 0ns}), 50);
}

TEST(WaitUntil, doesNotSpinAgainstAPeerOnItsOwnProcessor) {
    const Pinned pinned;
    EventWord peerWord{};
    EventFlag peer(peerWord);
    peer.publishWaiterCpu();
    EXPECT_LT(looksInVain(peer, {.spinWindow = 10s}), 100);
}

TEST(WaitUntil, spinsAgainstAPeerOnAnotherProcessorOrOnNoneThatIsKnown) {
    const Pinned pinned;
    EventWord peerWord{};
    EXPECT_GT(looksInVain(EventFlag(peerWord), {.spinWindow = 10s}), 1000);
    peerWord.waiter = static_cast<std::uint32_t>(::sched_getcpu()) + 2;
    EXPECT_GT(looksInVain(EventFlag(peerWord), {.spinWindow = 10s}), 1000);
}

TEST(WaitUntil, doesNotSpinUnderContentionUnlessToldTo) {
    EventWord peerWord{};
    EventFlag peer(peerWord);
    EXPECT_GT(looksInVain(peer, {.spinWindow = 10s}), 1000);
    peerWord.waiter |= WaiterState::kContended;
    EXPECT_LT(looksInVain(peer, {.spinWindow = 10s}), 100);
    EXPECT_GT(looksInVain(peer, {.spinWindow = 10s, .mode = WaitMode::SPIN}), 1000);
}

TEST(Waiter, publishesContentionAndDoesNotSpinItself) {
    EventWord word{};
    SharedWaitStats record{};
    Waiter waiter(EventFlag(word), std::nullopt, {.spinWindow = 10s}, record);
    const auto waitInVain = [&] {
        (void)waiter.wait({.deadline = {}, .atMost = 5ms}, nullptr, [] { return false; });
    };
    waiter.setContended(true);
    waitInVain();
    EXPECT_EQ(record.burntNs, 0U);
    EXPECT_TRUE(EventFlag(word).isContended());
    waiter.setContended(false);
    waitInVain();
    EXPECT_GT(record.burntNs, 0U);
    EXPECT_FALSE(EventFlag(word).isContended());
}

TEST(WaitUntil, endsWhenWhatItWaitsForHappensWhileItSleeps) {
    EventWord word{};
    EventFlag flag(word);
    std::atomic<bool> isReady{false};
    std::thread other([&] {
        std::this_thread::sleep_for(20ms);
        isReady.store(true, std::memory_order_seq_cst);
        flag.wakeAnnounced();
    });
    EXPECT_TRUE(waitUntil(flag, {.spinWindow = 0ns}, {},
                          [&] { return isReady.load(std::memory_order_seq_cst); }));
    other.join();
}

TEST(WaitUntil, looksOnceMoreAfterTheDeadlineHasPassed) {
    EventWord word{};
    EXPECT_TRUE(waitUntil(EventFlag(word), {.spinWindow = 0ns},
                          {.deadline = SteadyTime{}, .atMost = {}}, [] { return true; }));
}

TEST(Waiter, doesNotSpinWhereItIsToBlock) {
    EXPECT_LT(looksInVain(std::nullopt, {.spinWindow = 10s, .mode = WaitMode::BLOCK}), 50);
}

/// Waits again and again for what another thread does `duration` after it was asked to.
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

TEST(Waiter, learnsToSleepThroughMostOfALongWait) {
    PeriodicPeer peer(5ms);
    SharedWaitStats record{};
    Waiter waiter(EventFlag(peer.word), std::nullopt, {.spinWindow = 2ms}, record);
    WaitForecast forecast;
    for (int turn = 0; turn < 10; ++turn) {
        peer.ask(waiter, &forecast);
    }
    EXPECT_GT(record.earlyWakes + record.lateWakes, 0U);
    const std::uint64_t burntBefore = record.burntNs;
    for (int turn = 0; turn < 20; ++turn) {
        peer.ask(waiter, &forecast);
    }
    // 20 waits of 5 ms, of which each could have spun for 2 ms.
    EXPECT_LT(record.burntNs - burntBefore, 20'000'000U);
}

TEST(Waiter, sleepsThroughShorterWaitsWhereTheProcessorsAreNeeded) {
    PeriodicPeer peer(500us);
    SharedWaitStats record{};
    Waiter waiter(EventFlag(peer.word), std::nullopt, {.spinWindow = 2ms}, record);
    waiter.leaveProcessors(true);
    WaitForecast forecast;
    for (int turn = 0; turn < 10; ++turn) {
        peer.ask(waiter, &forecast);
    }
    EXPECT_GE(record.sleeps, 10U);
}

WaitForecast forecastOf(std::initializer_list<std::chrono::nanoseconds> durations) {
    WaitForecast forecast;
    for (const std::chrono::nanoseconds duration : durations) {
        forecast.addDuration(duration);
    }
    return forecast;
}

TEST(WaitForecast, plansNothingWithoutExperience) {
    EXPECT_EQ(forecastOf({5ms, 5ms, 5ms}).plan(1ms).sleepUntil, 0ns);
}

TEST(WaitForecast, plansNoSleepForShortWaits) {
    EXPECT_EQ(forecastOf({300us, 300us, 300us, 300us}).plan(1ms).sleepUntil, 0ns);
    EXPECT_GT(forecastOf({300us, 300us, 300us, 300us}).plan(0ns).sleepUntil, 0ns);
}

TEST(WaitForecast, wakesBeforeTheShortestAndSpinsToTheLongest) {
    const WaitForecast::Plan plan = forecastOf({5ms, 6ms, 5500us, 7ms}).plan(1ms);
    EXPECT_LT(plan.sleepUntil, 5ms);
    EXPECT_GT(plan.sleepUntil, 4ms);
    EXPECT_GT(plan.spinUntil, 7ms);
}

TEST(WaitForecast, allowsForTheTimeThatWakingTakes) {
    WaitForecast forecast = forecastOf({5ms, 5ms, 5ms, 5ms});
    for (int i = 0; i < 8; ++i) {
        forecast.addOversleep(400us);
    }
    EXPECT_LE(forecast.plan(1ms).sleepUntil, 4600us);
}

TEST(WaitForecast, forgetsWhatWasLongAgo) {
    WaitForecast forecast = forecastOf({1ms, 1ms, 1ms, 1ms});
    for (std::size_t i = 0; i < RecentDurations::kCapacity; ++i) {
        forecast.addDuration(9ms);
    }
    EXPECT_GT(forecast.plan(1ms).sleepUntil, 8ms);
}

TEST(WaitForecast, isNotLedAstrayByOneWaitInMany) {
    WaitForecast forecast;
    for (std::size_t i = 0; i < RecentDurations::kCapacity; ++i) {
        forecast.addDuration(i == 7 ? 1us : 9ms);
    }
    EXPECT_GT(forecast.plan(1ms).sleepUntil, 8ms);
}

}  // namespace
}  // namespace nnburst::fmq
