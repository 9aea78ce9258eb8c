// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/wait.h"

#include <gtest/gtest.h>
#include <sched.h>

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
int looksInVain(std::optional<EventFlag> peer, std::chrono::nanoseconds spinWindow) {
    EventWord word{};
    int looks = 0;
    EXPECT_FALSE(waitUntil(EventFlag(word), peer, {.spinWindow = spinWindow},
                           {.deadline = {}, .atMost = 50ms}, [&] {
                               ++looks;
                               return false;
                           }));
    return looks;
}

TEST(WaitUntil, spinsForTheWholeWindow) {
    EXPECT_GT(looksInVain(std::nullopt, 10s), 1000);
}

TEST(WaitUntil, sleepsAtOnceWithoutAWindow) {
    EXPECT_LT(looksInVain(std::nullopt, 0ns), 50);
}

TEST(WaitUntil, doesNotSpinAgainstAPeerOnItsOwnProcessor) {
    const Pinned pinned;
    EventWord peerWord{};
    EventFlag peer(peerWord);
    peer.publishProcessor();
    EXPECT_LT(looksInVain(peer, 10s), 100);
}

TEST(WaitUntil, spinsAgainstAPeerOnAnotherProcessorOrOnNoneThatIsKnown) {
    const Pinned pinned;
    EventWord peerWord{};
    EXPECT_GT(looksInVain(EventFlag(peerWord), 10s), 1000);
    peerWord.processor = static_cast<std::uint32_t>(::sched_getcpu()) + 2;
    EXPECT_GT(looksInVain(EventFlag(peerWord), 10s), 1000);
}

TEST(WaitUntil, endsWhenWhatItWaitsForHappensWhileItSleeps) {
    EventWord word{};
    EventFlag flag(word);
    std::atomic<bool> isReady{false};
    std::thread other([&] {
        std::this_thread::sleep_for(20ms);
        isReady.store(true, std::memory_order_seq_cst);
        if (flag.hasSleepers()) {
            flag.wakeSleepers();
        }
    });
    EXPECT_TRUE(waitUntil(flag, std::nullopt, {.spinWindow = 0ns}, {},
                          [&] { return isReady.load(std::memory_order_seq_cst); }));
    other.join();
}

TEST(WaitUntil, looksOnceMoreAfterTheDeadlineHasPassed) {
    EventWord word{};
    EXPECT_TRUE(waitUntil(EventFlag(word), std::nullopt, {.spinWindow = 0ns},
                          {.deadline = SteadyTime{}, .atMost = {}}, [] { return true; }));
}

}  // namespace
}  // namespace nnburst::fmq
