// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/event_flag.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "spin_until.h"
#include "support/sleeping_threads.h"

namespace nnburst::fmq {
namespace {

using namespace std::chrono_literals;

static_assert(kLongestSleep == 100ms);  // SECURITY.md

TimePoint in(std::chrono::nanoseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

/// Longer than any test: a sleep that is not ended makes the test hang.
constexpr std::chrono::nanoseconds kForever = 1h;

TEST(EventFlag, givesAndClearsTheBitsThatWereSet) {
    EventWord word{};
    EventFlag flag(word);
    flag.wake(0b0110);
    EXPECT_EQ(flag.wait(0b0011, in(1s)), 0b0010U);
    EXPECT_EQ(flag.wait(0b0111, in(1s)), 0b0100U);
    EXPECT_EQ(flag.wait(0b0111, in(1ms)), std::nullopt);
}

TEST(EventFlag, doesNotTakeTheSleepersBitForAnEvent) {
    EventWord word{};
    EventFlag flag(word);
    flag.wake(EventFlag::kSleeping);
    EXPECT_EQ(word.word, 0U);
    EXPECT_EQ(flag.wait(UINT32_MAX, in(1ms)), std::nullopt);
}

TEST(EventFlag, waitsForNothingWithoutABitToWaitFor) {
    EventWord word{};
    EventFlag flag(word, kForever);
    EXPECT_EQ(flag.wait(0, std::nullopt), std::nullopt);
    EXPECT_EQ(flag.wait(EventFlag::kWaiterBits, std::nullopt), std::nullopt);
}

TEST(EventFlag, wakesAWaiterOfAnotherThread) {
    EventWord word{};
    EventFlag flag(word, kForever);
    std::thread waker([&] {
        std::this_thread::sleep_for(20ms);
        flag.wake(1);
    });
    EXPECT_EQ(flag.wait(1, in(30s)), 1U);
    waker.join();
}

TEST(EventFlag, wakesEachOfManyWaitersForItsOwnBit) {
    EventWord word{};
    EventFlag flag(word, kForever);
    std::atomic<int> woken{0};
    std::vector<std::thread> waiters;
    for (std::uint32_t i = 0; i < 4; ++i) {
        waiters.emplace_back([&, i] {
            if (flag.wait(1U << i, in(30s))) {
                ++woken;
            }
        });
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
        std::this_thread::sleep_for(2ms);
        flag.wake(1U << i);
    }
    for (std::thread& waiter : waiters) {
        waiter.join();
    }
    EXPECT_EQ(woken, 4);
}

TEST(EventFlag, wakesAllThatSleepAtOnce) {
    EventWord word{};
    std::atomic<int> announced{0};
    std::atomic<int> woken{0};
    std::vector<std::thread> sleepers;
    for (int i = 0; i < 3; ++i) {
        sleepers.emplace_back([&] {
            EventFlag flag(word, kForever);
            const EventFlag::Announcement announcement = flag.announceSleeper();
            ++announced;
            if (flag.sleep(announcement, in(5s))) {
                ++woken;
            }
        });
    }
    spinUntil([&] { return announced == 3; });
    std::this_thread::sleep_for(20ms);  // most likely they sleep
    EventFlag(word).wakeAnnounced();
    for (std::thread& sleeper : sleepers) {
        sleeper.join();
    }
    EXPECT_EQ(woken, 3);
}

TEST(EventFlag, wakesNoMoreThanTheMostOfThoseThatSleep) {
    EventWord word{};
    const test::SleepingThreads sleepers(word, 12);
    ASSERT_TRUE(sleepers.fallAsleep());
    EventFlag flag(word);
    flag.limitWoken(8);
    flag.wakeAnnounced();
    EXPECT_TRUE(test::eventually([&] { return sleepers.woken() >= 8; }));
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(sleepers.woken(), 8U);
}

TEST(EventFlag, knowsOfASleeperUntilItIsWoken) {
    EventWord word{};
    EventFlag flag(word, kForever);
    const auto hasSleepers = [&word] { return (word.word & EventFlag::kSleeping) != 0; };
    flag.wakeAnnounced();
    EXPECT_FALSE(hasSleepers());
    const EventFlag::Announcement announced = flag.announceSleeper();
    EXPECT_TRUE(hasSleepers());
    flag.wakeAnnounced();
    EXPECT_FALSE(hasSleepers());
    EXPECT_TRUE(flag.sleep(announced, in(20s))) << "it was woken before it slept";
}

TEST(EventFlag, makesAHeavyFenceForEachAnnouncement) {
    if (!hasHeavyFences()) {
        GTEST_SKIP() << "the kernel does not allow membarrier here";
    }
    EventWord word{};
    EventFlag flag(word);
    const std::uint64_t before = heavyFenceCount();
    (void)flag.announceSleeper();
    EXPECT_EQ(heavyFenceCount(), before + 1);
    flag.announceParked();
    EXPECT_EQ(heavyFenceCount(), before + 2);
    flag.wakeAnnounced();
    EXPECT_EQ(heavyFenceCount(), before + 2) << "that is for sleepers";
}

TEST(EventFlag, makesNoHeavyFencesOnceTheyAreLeftToThoseThatWake) {
    if (!hasHeavyFences()) {
        GTEST_SKIP() << "the kernel does not allow membarrier here";
    }
    EventWord word{};
    EventFlag flag(word);
    const auto fencesOfAnAnnouncement = [&flag] {
        const std::uint64_t before = heavyFenceCount();
        flag.publishWaiterCpu();
        (void)flag.announceSleeper();
        return heavyFenceCount() - before;
    };
    EXPECT_EQ(fencesOfAnAnnouncement(), 1U);
    flag.setWakerMakesFences(true);
    EXPECT_EQ(fencesOfAnAnnouncement(), 1U) << "the other side may not know it yet";
    EXPECT_EQ(word.waiter & WaiterState::kHasHeavyFences, 0U);
    EXPECT_EQ(fencesOfAnAnnouncement(), 0U);
    EXPECT_EQ(fencesOfAnAnnouncement(), 0U);

    EventFlag(word).publishWaiterCpu();  // another thread waits meanwhile, with heavy fences
    EXPECT_EQ(fencesOfAnAnnouncement(), 1U);
    EXPECT_EQ(fencesOfAnAnnouncement(), 0U);

    flag.setWakerMakesFences(false);
    EXPECT_EQ(fencesOfAnAnnouncement(), 1U);
    EXPECT_NE(word.waiter & WaiterState::kHasHeavyFences, 0U);
    flag.setWakerMakesFences(true);
    EXPECT_EQ(fencesOfAnAnnouncement(), 1U);
}

TEST(EventFlag, makesNoWakeUpCallWhileNoThreadSleeps) {
    EventWord word{};
    EventFlag flag(word);
    flag.wakeAnnounced();
    flag.wake(1);
    EXPECT_EQ(word.wakeCount, 0U);
}

/// A flag with a doorbell, and whether it was rung.
class Doorbell {
  public:
    Doorbell() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends_), 0); }
    Doorbell(const Doorbell&) = delete;
    Doorbell& operator=(const Doorbell&) = delete;
    ~Doorbell() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    [[nodiscard]] int outside() const noexcept { return ends_[0]; }
    /// Takes what was sent.
    [[nodiscard]] int rings() const noexcept {
        int count = 0;
        char ring = 0;
        while (::recv(ends_[1], &ring, sizeof(ring), 0) == 1) {
            ++count;
        }
        return count;
    }

  private:
    int ends_[2]{};
};

TEST(EventFlag, ringsTheDoorbellOnceForASideThatIsParked) {
    EventWord word{};
    EventFlag flag(word);
    const Doorbell doorbell;
    flag.setDoorbell(doorbell.outside());
    flag.wakeAnnounced();
    EXPECT_EQ(doorbell.rings(), 0);
    flag.announceParked();
    flag.wakeAnnounced();
    flag.wakeAnnounced();
    EXPECT_EQ(doorbell.rings(), 1);
    EXPECT_EQ(word.wakeCount, 0U) << "a system call although no thread sleeps";
    flag.announceParked();
    flag.retractParked();
    flag.wakeAnnounced();
    EXPECT_EQ(doorbell.rings(), 0) << "it is not parked any more";
    (void)flag.announceSleeper();
    flag.wakeAnnounced();
    EXPECT_EQ(doorbell.rings(), 0) << "it sleeps";
}

TEST(EventFlag, wakesASleeperBesideASideThatIsParked) {
    EventWord word{};
    EventFlag flag(word, kForever);
    const Doorbell doorbell;
    flag.setDoorbell(doorbell.outside());
    flag.announceParked();
    const EventFlag::Announcement announced = flag.announceSleeper();
    flag.wake(1);
    EXPECT_EQ(doorbell.rings(), 1);
    EXPECT_TRUE(flag.sleep(announced, in(20s)));
}

/// Two sleepers: the second announces itself between the wake-up of the first and its sleep. The
/// word is then as the first has left it.
TEST(EventFlag, aSecondSleeperDoesNotHideTheWakeUpOfTheFirst) {
    EventWord word{};
    EventFlag flag(word, kForever);
    const EventFlag::Announcement first = flag.announceSleeper();
    flag.wakeAnnounced();
    const EventFlag::Announcement second = flag.announceSleeper();
    EXPECT_TRUE(flag.sleep(first, in(20s)));
    EXPECT_FALSE(flag.sleep(second, in(1ms))) << "it was not woken";
}

TEST(EventFlag, forgetsASleeperThatRetracts) {
    EventWord word{};
    EventFlag flag(word);
    (void)flag.announceSleeper();
    flag.retractSleeper();
    EXPECT_EQ(word.word, 0U);
}

TEST(EventFlag, knowsOnWhichProcessorItsSleeperWasSeen) {
    EventWord word{};
    EventFlag flag(word);
    EXPECT_FALSE(flag.isOnThisProcessor());
    std::thread([&] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(::sched_getcpu(), &one);
        ::sched_setaffinity(0, sizeof(one), &one);
        flag.publishWaiterCpu();
        EXPECT_TRUE(flag.isOnThisProcessor());
    }).join();
    EXPECT_EQ((word.waiter & WaiterState::kHasHeavyFences) != 0, hasHeavyFences());
}

/// Each side stores and then looks, as a publisher and a sleeper do: one must see the other. The
/// announcement comes after a delay that grows with each iteration and begins again, so that it
/// meets the moment at which the publisher has stored and looks.
enum class Announces {
    SLEEP,
    PARK,
    SLEEP_WITH_A_FENCE_OF_ITS_OWN,
    SLEEP_AND_MOSTLY_DELEGATE_FENCES
};

void expectOneToSeeTheOther(Announces announces) {
    // A heavy fence takes long.
    const std::uint32_t turns =
        announces == Announces::SLEEP || announces == Announces::PARK ? 500 : 10'000;
    EventWord word{};
    alignas(kFalseSharingSize) std::atomic<std::uint32_t> published{0};
    alignas(kFalseSharingSize) std::atomic<std::uint32_t> ready{0};
    alignas(kFalseSharingSize) std::atomic<std::uint32_t> turn{0};
    std::thread publisher([&] {
        EventFlag flag(word);
        for (std::uint32_t i = 1; i <= turns; ++i) {
            flag.wakeAnnounced();  // has the word in its cache, so that it is quick to look
            ready.store(2 * i, std::memory_order_release);
            spinUntil([&] { return turn.load(std::memory_order_acquire) == i; });
            published.store(i, std::memory_order_release);
            flag.wakeAnnounced();
            ready.store(2 * i + 1, std::memory_order_release);
        }
    });
    EventFlag flag(word);
    if (announces != Announces::SLEEP_WITH_A_FENCE_OF_ITS_OWN) {
        flag.publishWaiterCpu();
    }
    std::uint32_t missed = 0;
    for (std::uint32_t i = 1; i <= turns; ++i) {
        spinUntil([&] { return ready.load(std::memory_order_acquire) == 2 * i; });
        (void)published.load(std::memory_order_relaxed);  // so that the publisher is slow to store
        turn.store(i, std::memory_order_release);
        for (std::uint32_t delay = 0; delay < i % 512; ++delay) {
            lightFence();  // keeps the loop
        }
        switch (announces) {
            case Announces::SLEEP:
                (void)flag.announceSleeper();
                break;
            case Announces::PARK:
                flag.announceParked();
                break;
            case Announces::SLEEP_AND_MOSTLY_DELEGATE_FENCES:
                flag.setWakerMakesFences(i % 64 != 0);
                flag.publishWaiterCpu();
                (void)flag.announceSleeper();
                break;
            case Announces::SLEEP_WITH_A_FENCE_OF_ITS_OWN:  // as where membarrier is not permitted
                word.word.fetch_or(EventFlag::kSleeping, std::memory_order_seq_cst);
                break;
        }
        const bool seesPublished = published.load(std::memory_order_acquire) == i;
        spinUntil([&] { return ready.load(std::memory_order_acquire) > 2 * i; });
        missed += !seesPublished && (word.word & EventFlag::kWaiterBits) != 0 ? 1 : 0;
        word.word.store(0, std::memory_order_relaxed);
    }
    publisher.join();
    EXPECT_EQ(missed, 0U) << "of " << turns << " wake-ups";
}

TEST(EventFlag, aSleeperWithHeavyFencesOrItsPublisherSeesTheOther) {
    expectOneToSeeTheOther(Announces::SLEEP);
}

TEST(EventFlag, aSleeperWithoutHeavyFencesOrItsPublisherSeesTheOther) {
    expectOneToSeeTheOther(Announces::SLEEP_WITH_A_FENCE_OF_ITS_OWN);
}

TEST(EventFlag, aSleeperThatMostlyDelegatesFencesOrItsPublisherSeesTheOther) {
    expectOneToSeeTheOther(Announces::SLEEP_AND_MOSTLY_DELEGATE_FENCES);
}

TEST(EventFlag, aSideThatParksOrItsPublisherSeesTheOther) {
    expectOneToSeeTheOther(Announces::PARK);
}

TEST(EventFlag, sleepsNoLongerThanTheLimitWithoutAWakeUpCall) {
    EventWord word{};
    EventFlag flag(word);
    const TimePoint until = in(20s);
    EXPECT_FALSE(flag.sleep(flag.announceSleeper(), until));
    EXPECT_LT(std::chrono::steady_clock::now(), until);
}

/// One thread sets a bit at about the time at which the other begins to wait for it without an end:
/// if bits that are set between a look and the announcement were lost, that one would sleep on.
TEST(EventFlag, losesNoBitsThatAreSetWhileAWaiterAnnouncesItself) {
    constexpr std::uint32_t kTurns = 20'000;
    constexpr int kPolls = 20;  // a second apart, after which a turn that has not ended never will
    EventWord word{};
    alignas(kFalseSharingSize) std::atomic<std::uint32_t> turn{0};
    std::atomic<bool> isStopped{false};
    std::thread waker([&] {
        EventFlag flag(word);
        for (std::uint32_t i = 1; i <= kTurns && !isStopped; ++i) {
            spinUntil([&] { return turn.load(std::memory_order_acquire) == i || isStopped; });
            flag.wake(1);
        }
    });
    std::future<void> waiter = std::async(std::launch::async, [&] {
        EventFlag flag(word, 1min);
        for (std::uint32_t i = 1; i <= kTurns && !isStopped; ++i) {
            turn.store(i, std::memory_order_release);
            for (std::uint32_t delay = 0; delay < i % 512; ++delay) {
                lightFence();  // keeps the loop
            }
            (void)flag.wait(1, std::nullopt);
        }
    });
    std::uint32_t last = 0;
    int polls = 0;
    while (polls < kPolls && waiter.wait_for(1s) != std::future_status::ready) {
        const std::uint32_t now = turn.load(std::memory_order_relaxed);
        polls = now == last ? polls + 1 : 0;
        last = now;
    }
    EXPECT_LT(polls, kPolls) << "it sleeps in turn " << last;
    isStopped = true;
    EventFlag(word).wake(1);
    waker.join();
}

}  // namespace
}  // namespace nnburst::fmq
