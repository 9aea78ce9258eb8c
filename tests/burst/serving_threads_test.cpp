// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The threads that serve bursts.

#include "burst/serving_thread_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <system_error>
#include <thread>

#include "serving_support.h"
#include "support/eventually.h"
#include "support/exhausted_memory.h"
#include "support/lingering_socket.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

/// Served by a function.
class FakeBurst final : public Servable {
  public:
    explicit FakeBurst(std::function<bool(const ServingTurn&)> serve) : serve_(std::move(serve)) {}
    explicit FakeBurst(std::function<bool()> serve)
        : FakeBurst([function = std::move(serve)](const ServingTurn&) { return function(); }) {}
    bool serve(const ServingTurn& turn) noexcept override {
        ++calls;
        return serve_(turn);
    }
    std::atomic<int> calls{0};

  private:
    std::function<bool(const ServingTurn&)> serve_;
};

void ringFromOutside(const UniqueFd& doorbell) {
    const char byte = 1;
    EXPECT_EQ(::send(doorbell.get(), &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL), 1);
}

/// Blocks the threads that serve, until they are released.
struct Hold {
    std::promise<void> go;
    std::shared_future<void> isOver = go.get_future().share();
    std::atomic<int> inside{0};

    [[nodiscard]] std::function<bool()> serve() {
        return [this] {
            ++inside;
            isOver.wait();
            return false;
        };
    }
};

/// Expects that `finish` returns. A test that would hang without it has failed before.
void expectReturns(std::function<void()> finish) {
    const auto finished = std::async(std::launch::async, std::move(finish));
    EXPECT_EQ(finished.wait_for(30s), std::future_status::ready);
}

TEST(ServingThreads, leaveTheProcessorOfABurstThatTheyNoLongerServe) {
    const auto pool = *ServingThreadPool::create();
    BurstPlacement::Assignment* assignment = nullptr;
    FakeBurst served([&assignment] {
        (void)assignment->choose(0);
        return false;
    });
    FakeBurst other([] { return false; });
    const auto otherRegistration = std::move(*ServingThreadPool::add(pool, other));
    const auto registration = std::move(*ServingThreadPool::add(pool, served));
    assignment = &registration.assignment();
    registration.ring();
    ASSERT_TRUE(test::eventually([&] { return served.calls >= 1; }));
    // A burst alone gets no processor.
    ASSERT_TRUE(test::eventually([&] { return !otherRegistration.assignment().choose(0); }));
}

TEST(ServingThreads, endOnceWhereTheirPoolEndsAtTheSameTime) {
    for (int round = 0; round < 1500; ++round) {
        auto pool = *ServingThreadPool::create(1);
        Hold hold;
        FakeBurst served([&pool, serve = hold.serve()] {
            const ServingThreadPool::ScopedClientWait wait(*pool);
            return serve();
        });
        std::vector<ServingThreadPool::Registration> registrations;
        constexpr int kBursts = 16;
        for (int i = 0; i < kBursts; ++i) {
            registrations.push_back(*ServingThreadPool::add(pool, served));
            registrations.back().ring();
        }
        EXPECT_TRUE(test::eventually([&] { return hold.inside == kBursts; }));
        hold.go.set_value();  // from here on there are more threads than allowed
        registrations.clear();
        pool = nullptr;
    }
}

TEST(ServingThreads, endWithTheirPool) {
    auto pool = *ServingThreadPool::create();
    FakeBurst served([] { return false; });
    auto registration = std::move(*ServingThreadPool::add(pool, served));
    registration.ring();
    ASSERT_TRUE(test::eventually([&] { return served.calls >= 1; }));
    expectReturns([&] {
        registration = {};
        pool = nullptr;
    });
}

TEST(ServingThreads, letABurstBeRemovedWhenTheyHaveServedIt) {
    const auto pool = *ServingThreadPool::create();
    Hold hold;
    FakeBurst served(hold.serve());
    auto registration = std::move(*ServingThreadPool::add(pool, served));
    registration.ring();
    EXPECT_TRUE(test::eventually([&] { return hold.inside == 1; }));
    expectReturns([&] {
        auto removed = std::async(std::launch::async, [&] { registration = {}; });
        EXPECT_EQ(removed.wait_for(20ms), std::future_status::timeout);  // it is being served
        hold.go.set_value();
        removed.get();
    });
}

TEST(ServingThreads, serveWhenTheDoorbellIsRung) {
    const auto pool = *ServingThreadPool::create();
    FakeBurst served([] { return false; });
    auto registration = std::move(*ServingThreadPool::add(pool, served));
    const UniqueFd doorbell = registration.takeDoorbell();
    EXPECT_EQ(served.calls, 0);
    for (int i = 1; i <= 100; ++i) {
        if (i % 2 == 0) {
            registration.ring();
        } else {
            ringFromOutside(doorbell);
        }
        ASSERT_TRUE(test::eventually([&] { return served.calls >= i; }));
    }
}

TEST(ServingThreads, loseNoRingThatComesWhileTheyServe) {
    const auto pool = *ServingThreadPool::create();
    std::promise<void> entered;
    std::promise<void> leave;
    FakeBurst served([&, first = true]() mutable {
        if (std::exchange(first, false)) {
            entered.set_value();
            leave.get_future().wait();
        }
        return false;
    });
    auto registration = std::move(*ServingThreadPool::add(pool, served));
    const UniqueFd doorbell = registration.takeDoorbell();
    ringFromOutside(doorbell);
    entered.get_future().wait();
    ringFromOutside(doorbell);
    std::this_thread::sleep_for(20ms);  // another thread has most likely been woken by it
    leave.set_value();
    ASSERT_TRUE(test::eventually([&] { return served.calls >= 2; }));
}

/// The client's end gets a datagram for each result that is announced.
TEST(ServingThreads, takeNoAnnouncementThatTheClientReceivesForARing) {
    const auto pool = *ServingThreadPool::create();
    Hold hold;
    FakeBurst served(hold.serve());
    FakeBurst other([] { return false; });
    auto registration = std::move(*ServingThreadPool::add(pool, served));
    const auto otherRegistration = std::move(*ServingThreadPool::add(pool, other));
    const UniqueFd doorbell = registration.takeDoorbell();
    registration.ring();
    EXPECT_TRUE(test::eventually([&] { return hold.inside == 1; }));
    for (int i = 0; i < 100; ++i) {
        char byte = 1;
        ASSERT_EQ(::send(registration.ringBackDescriptor(), &byte, 1, MSG_DONTWAIT), 1);
        ASSERT_EQ(::recv(doorbell.get(), &byte, 1, MSG_DONTWAIT), 1);
    }
    otherRegistration.ring();  // comes after all events of the first burst
    EXPECT_TRUE(test::eventually([&] { return other.calls >= 1; }));
    hold.go.set_value();
    registration = {};
    EXPECT_EQ(served.calls, 1) << "a ring has it served again";
}

/// Unread datagrams count against the buffer of their sender, the driver.
TEST(ServingThreads, serveABurstThatIsRungAlthoughItsClientReadsNoAnnouncements) {
    const auto pool = *ServingThreadPool::create();
    FakeBurst served([] { return false; });
    auto registration = std::move(*ServingThreadPool::add(pool, served));
    const UniqueFd doorbell = registration.takeDoorbell();
    const char byte = 1;
    while (::send(registration.ringBackDescriptor(), &byte, 1, MSG_DONTWAIT) == 1) {
    }
    registration.ring();
    EXPECT_TRUE(test::eventually([&] { return served.calls == 1; }));
}

TEST(ServingThreads, giveEachBurstInUseAThread) {
    constexpr int kBursts = 8;
    const auto pool = *ServingThreadPool::create();
    Hold hold;
    std::vector<std::unique_ptr<FakeBurst>> served;
    std::vector<ServingThreadPool::Registration> registrations;
    for (int i = 0; i < kBursts; ++i) {
        served.push_back(std::make_unique<FakeBurst>(hold.serve()));
        registrations.push_back(std::move(*ServingThreadPool::add(pool, *served.back())));
        registrations.back().ring();
    }
    EXPECT_TRUE(test::eventually([&] { return hold.inside == kBursts; }));
    EXPECT_LE(pool->threadCount(), kBursts + 1U);
    hold.go.set_value();
    registrations.clear();
}

TEST(ServingThreads, endThreadsThatNobodyNeedsButTwo) {
    const auto pool = *ServingThreadPool::create();
    Hold hold;
    FakeBurst first(hold.serve());
    FakeBurst second(hold.serve());
    const auto firstRegistration = std::move(*ServingThreadPool::add(pool, first));
    const auto secondRegistration = std::move(*ServingThreadPool::add(pool, second));
    for (int round = 1; round <= 2; ++round) {
        firstRegistration.ring();
        secondRegistration.ring();
        EXPECT_TRUE(test::eventually([&] { return hold.inside >= 2 * round; }));
        if (round == 1) {
            hold.go.set_value();
        }
        EXPECT_TRUE(test::eventually([&] { return pool->threadCount() == 2; }));
    }
}

TEST(ServingThreads, takeTurnsWhenThereAreMoreBurstsThanThreads) {
    const auto pool = *ServingThreadPool::create(2);
    std::vector<std::unique_ptr<FakeBurst>> served;
    std::vector<ServingThreadPool::Registration> registrations;
    for (int i = 0; i < 10; ++i) {
        served.push_back(std::make_unique<FakeBurst>([] {
            std::this_thread::sleep_for(1ms);
            return true;  // always has more to do
        }));
        registrations.push_back(std::move(*ServingThreadPool::add(pool, *served.back())));
        registrations.back().ring();
    }
    for (const auto& one : served) {
        ASSERT_TRUE(test::eventually([&] { return one->calls >= 5; }));
    }
    EXPECT_LE(pool->threadCount(), 3U) << "one of them hears doorbells";
    registrations.clear();
}

TEST(ServingThreads, takeTurnsAlsoWithABurstThatIsRungAllTheTime) {
    const auto pool = *ServingThreadPool::create(1);
    UniqueFd doorbell;
    std::atomic<const UniqueFd*> rung{nullptr};
    FakeBurst greedy([&] {
        ringFromOutside(*rung.load());
        std::this_thread::sleep_for(5ms);  // another thread has most likely heard it
        return true;                       // always has more to do
    });
    auto registration = std::move(*ServingThreadPool::add(pool, greedy));
    doorbell = registration.takeDoorbell();
    rung = &doorbell;
    registration.ring();
    ASSERT_TRUE(test::eventually([&] { return greedy.calls >= 2; }));
    FakeBurst other([] { return false; });
    const auto otherRegistration = std::move(*ServingThreadPool::add(pool, other));
    for (int i = 1; i <= 3; ++i) {
        otherRegistration.ring();
        ASSERT_TRUE(test::eventually([&] { return other.calls >= i; }));
    }
}

TEST(ServingThreads, areThereForAClientWhereAnotherKeepsAllThatItMay) {
    const auto pool = *ServingThreadPool::create(2);
    Amounts limits;
    const SharedAccount user = Account::create("user", limits);
    const SharedAccount greedy = Account::create("greedy", limits, user);
    const SharedAccount sibling = Account::create("sibling", limits, user);
    const SharedAccount stranger =
        Account::create("stranger", limits, Account::create("other user", limits));
    Hold hold;
    std::vector<std::unique_ptr<FakeBurst>> served;
    std::vector<ServingThreadPool::Registration> registrations;
    for (int i = 0; i < 5; ++i) {
        served.push_back(std::make_unique<FakeBurst>(hold.serve()));
        registrations.push_back(std::move(*ServingThreadPool::add(pool, *served.back(), greedy)));
        registrations.back().ring();
    }
    EXPECT_TRUE(test::eventually([&] { return hold.inside == 2; }));
    for (const SharedAccount& account : {sibling, stranger}) {
        FakeBurst other([] { return false; });
        const auto registration = std::move(*ServingThreadPool::add(pool, other, account));
        for (int i = 1; i <= 3; ++i) {
            registration.ring();
            EXPECT_TRUE(test::eventually([&] { return other.calls >= i; }));
        }
    }
    EXPECT_EQ(hold.inside, 2);
    hold.go.set_value();
    EXPECT_TRUE(test::eventually([&] { return hold.inside == 5; }));
    registrations.clear();
}

TEST(ServingThreads, areGivenToAllBurstsThatTheEndOfAUserLeavesRoomFor) {
    const auto pool = *ServingThreadPool::create(12);
    const Amounts limits;
    std::array<Hold, 3> holds;
    std::vector<std::unique_ptr<FakeBurst>> served;
    std::vector<ServingThreadPool::Registration> registrations;
    const auto ringBurstsOfUser = [&](Hold& hold, int count) {
        const SharedAccount client =
            Account::create("client", limits, Account::create("user", limits));
        for (int i = 0; i < count; ++i) {
            served.push_back(std::make_unique<FakeBurst>(hold.serve()));
            registrations.push_back(
                std::move(*ServingThreadPool::add(pool, *served.back(), client)));
            registrations.back().ring();
        }
    };
    ringBurstsOfUser(holds[0], 12);
    EXPECT_TRUE(test::eventually([&] { return holds[0].inside == 12; }));
    ringBurstsOfUser(holds[1], 1);
    EXPECT_TRUE(test::eventually([&] { return holds[1].inside == 1; }));
    ringBurstsOfUser(holds[2], 6);
    EXPECT_TRUE(test::eventually([&] { return holds[2].inside == 4; }));  // a third of the threads
    std::this_thread::sleep_for(20ms);  // the other two have most likely been heard
    EXPECT_EQ(holds[2].inside, 4);
    holds[1].go.set_value();
    EXPECT_TRUE(test::eventually([&] { return holds[2].inside == 6; }));  // half of the threads
    holds[0].go.set_value();
    holds[2].go.set_value();
    registrations.clear();
}

TEST(ServingThreads, areExhaustedOnlyWhereThereAreMoreBurstsThanThreads) {
    const auto pool = *ServingThreadPool::create(2);
    Hold hold;
    FakeBurst served(hold.serve());
    FakeBurst other(hold.serve());
    FakeBurst third(hold.serve());
    const auto registration = std::move(*ServingThreadPool::add(pool, served));
    const auto otherRegistration = std::move(*ServingThreadPool::add(pool, other));
    registration.ring();
    otherRegistration.ring();
    EXPECT_TRUE(test::eventually([&] { return hold.inside == 2; }));
    EXPECT_FALSE(pool->isExhausted());
    {
        const auto thirdRegistration = std::move(*ServingThreadPool::add(pool, third));
        EXPECT_TRUE(pool->isExhausted());
    }
    EXPECT_FALSE(pool->isExhausted());
    hold.go.set_value();
    EXPECT_TRUE(test::eventually([&] { return pool->threadCount() == 2; }));
    EXPECT_FALSE(pool->isExhausted());
}

TEST(ServingThreads, areNotExhaustedByThoseThatWaitForTheirClients) {
    const auto pool = *ServingThreadPool::create(1);
    Hold answered;
    Hold hold;
    FakeBurst served([&] {
        {
            const ServingThreadPool::ScopedClientWait wait(*pool);
            (void)answered.serve()();
        }
        return hold.serve()();
    });
    FakeBurst other([] { return false; });
    const auto registration = std::move(*ServingThreadPool::add(pool, served));
    const auto otherRegistration = std::move(*ServingThreadPool::add(pool, other));
    registration.ring();
    EXPECT_TRUE(test::eventually([&] { return answered.inside == 1; }));
    EXPECT_FALSE(pool->isExhausted());
    answered.go.set_value();
    EXPECT_TRUE(test::eventually([&] { return hold.inside == 1; }));
    EXPECT_TRUE(pool->isExhausted());
    hold.go.set_value();
}

/// Lets the process start no more threads. There is memory for other purposes.
void refuseThreads() {
    void* volatile heap = std::malloc(std::size_t{64} << 10);
    test::stopGrowth();
    try {
        while (true) {
            std::thread([] { ::pause(); }).detach();  // on the stack of a thread that has ended
        }
    } catch (const std::exception&) {  // or there was no memory for its text
    }
    std::free(heap);
}

/// One thread serves a burst that always has more to do, and another burst.
int serveBothBurstsOnOneThread() {
    const auto pool = *ServingThreadPool::create();
    std::atomic<bool> isOver{false};
    FakeBurst greedy([&] {
        while (!pool->isExhausted() && !isOver) {
            std::this_thread::sleep_for(1ms);
        }
        return !isOver;
    });
    FakeBurst other([] { return false; });
    const auto registration = std::move(*ServingThreadPool::add(pool, greedy));
    const auto otherRegistration = std::move(*ServingThreadPool::add(pool, other));
    refuseThreads();
    registration.ring();
    const auto isCalledWithinTime = [](const FakeBurst& burst, int count) {
        return test::eventually([&] { return burst.calls >= count; });
    };
    bool areServed = isCalledWithinTime(greedy, 1);
    for (int i = 1; i <= 3; ++i) {
        otherRegistration.ring();
        areServed = areServed && isCalledWithinTime(other, i) &&
                    isCalledWithinTime(greedy, greedy.calls + 1);
    }
    isOver = true;
    return areServed && pool->threadCount() == 1 ? 0 : 1;
}

TEST(ServingThreads, takeTurnsWhereTheSystemGivesNoMoreOfThem) {
    EXPECT_EXIT_STATUS(serveBothBurstsOnOneThread, 0);
}

/// Serves on a thread of `pool` and gives its nice value.
int niceOfThread(const std::shared_ptr<ServingThreadPool>& pool, const SharedAccount& account) {
    std::promise<int> nice;
    FakeBurst burst([&nice, isFirst = true]() mutable {
        if (std::exchange(isFirst, false)) {
            nice.set_value(::getpriority(PRIO_PROCESS, 0));
        }
        return false;
    });
    const auto registration = std::move(*ServingThreadPool::add(pool, burst, account));
    registration.ring();
    return nice.get_future().get();
}

TEST(ServingThreads, ofAClientWithManyHaveALowPriorityBesideAnotherClient) {
    const int usual = ::getpriority(PRIO_PROCESS, 0);
    const int low = lowNice();
    if (low == usual) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
    const auto pool = *ServingThreadPool::create();
    const Amounts limits;
    const SharedAccount user = Account::create("user", limits);
    const SharedAccount many = Account::create("many", limits, user);
    const SharedAccount other = Account::create("other", limits, user);
    Hold hold;
    std::deque<FakeBurst> bursts;
    std::vector<ServingThreadPool::Registration> registrations;
    const auto serveOne = [&](const SharedAccount& account) {
        registrations.push_back(
            std::move(*ServingThreadPool::add(pool, bursts.emplace_back(hold.serve()), account)));
        registrations.back().ring();
    };
    for (std::size_t i = 0; i < ServingShares::kManyServed; ++i) {
        serveOne(many);
    }
    EXPECT_TRUE(test::eventually(
        [&] { return hold.inside == static_cast<int>(ServingShares::kManyServed); }));
    EXPECT_EQ(niceOfThread(pool, many), usual) << "there is no other client";
    serveOne(other);
    EXPECT_TRUE(test::eventually(
        [&] { return hold.inside == static_cast<int>(ServingShares::kManyServed) + 1; }));
    EXPECT_EQ(niceOfThread(pool, many), low);
    EXPECT_EQ(niceOfThread(pool, other), usual);
    hold.go.set_value();
}

TEST(ServingThreads, endTheTurnOfABurstThatBecomesOneOfMany) {
    constexpr int kMany = static_cast<int>(ServingShares::kManyServed);
    const auto pool = *ServingThreadPool::create();
    const Amounts limits;
    const SharedAccount user = Account::create("user", limits);
    const SharedAccount many = Account::create("many", limits, user);
    const SharedAccount other = Account::create("other", limits, user);
    Hold hold;
    std::atomic<bool> isReleased{false};
    FakeBurst busy([&isReleased, isFirst = true](const ServingTurn& turn) mutable {
        const bool isFirstTurn = std::exchange(isFirst, false);
        while (isFirstTurn && !turn.isOver() && !isReleased) {
            std::this_thread::sleep_for(1ms);
        }
        return isFirstTurn;  // has more to do
    });
    std::deque<FakeBurst> held;
    std::vector<ServingThreadPool::Registration> registrations;
    const auto serve = [&](FakeBurst& burst, const SharedAccount& account) {
        registrations.push_back(std::move(*ServingThreadPool::add(pool, burst, account)));
        registrations.back().ring();
    };
    serve(busy, many);
    serve(held.emplace_back(hold.serve()), other);
    for (int i = 1; i < kMany; ++i) {
        serve(held.emplace_back(hold.serve()), many);
    }
    EXPECT_TRUE(test::eventually([&] { return busy.calls == 1 && hold.inside == kMany; }));
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(busy.calls, 1) << "the client does not have many yet";
    serve(held.emplace_back(hold.serve()), many);
    EXPECT_TRUE(test::eventually([&] { return busy.calls >= 2; }));
    isReleased = true;
    hold.go.set_value();
    registrations.clear();
}

TEST(ServingThreads, doNotServeWhatIsRemoved) {
    const auto pool = *ServingThreadPool::create();
    for (int i = 0; i < 200; ++i) {
        std::atomic<bool> isInside{false};
        FakeBurst served([&] {
            isInside = true;
            std::this_thread::yield();
            isInside = false;
            return true;
        });
        auto registration = std::move(*ServingThreadPool::add(pool, served));
        registration.ring();
        if (i % 2 == 0) {
            ASSERT_TRUE(test::eventually([&] { return served.calls > 0; }));
        }
        registration = {};
        const int calls = served.calls;
        EXPECT_FALSE(isInside);
        std::this_thread::yield();
        EXPECT_EQ(served.calls, calls);
    }
}

TEST(ServingThreads, endWithTheLastBurstAlsoWhenItWasJustRung) {
    for (int i = 0; i < 4000; ++i) {
        const auto pool = *ServingThreadPool::create();
        FakeBurst served([] { return false; });
        const auto registration = std::move(*ServingThreadPool::add(pool, served));
        registration.ring();
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(i % 200);
        while (std::chrono::steady_clock::now() < end) {
        }
    }
}

TEST(ServingThreads, serveABurstOneAtATime) {
    const auto pool = *ServingThreadPool::create(2);
    struct Counted {
        std::atomic<int> inside{0};
        std::atomic<int> most{0};
        FakeBurst burst{[this, more = 0]() mutable {
            most = std::max(most.load(), ++inside);
            std::this_thread::yield();
            --inside;
            return ++more % 3 != 0;
        }};
    };
    std::array<Counted, 4> bursts;
    std::vector<ServingThreadPool::Registration> registrations;
    for (Counted& counted : bursts) {
        registrations.push_back(std::move(*ServingThreadPool::add(pool, counted.burst)));
    }
    for (int i = 0; i < 1'000'000; ++i) {
        registrations[static_cast<std::size_t>(i) % bursts.size()].ring();
        if (i % 100 == 0) {
            std::this_thread::sleep_for(10us);  // most threads have become idle
        }
    }
    registrations.clear();
    for (const Counted& counted : bursts) {
        EXPECT_EQ(counted.most, 1);
    }
}

TEST(ServingThreads, serveOthersWhileAClientRingsConstantlyOrClosesItsEnd) {
    const auto pool = *ServingThreadPool::create();
    FakeBurst served([] { return false; });
    auto registration = std::move(*ServingThreadPool::add(pool, served));
    const auto ringAndExpectToBeServed = [&](const auto& ring) {
        int calls = -1;
        ASSERT_TRUE(test::eventually([&] {  // until all earlier doorbells were handled
            const bool isQuiet = served.calls == std::exchange(calls, served.calls);
            std::this_thread::sleep_for(20ms);
            return isQuiet;
        }));
        ring();
        ASSERT_TRUE(test::eventually([&] { return served.calls > calls; }));
    };
    {
        const UniqueFd doorbell = registration.takeDoorbell();
        const char byte = 1;
        for (int i = 0; i < 100'000; ++i) {
            (void)!::send(doorbell.get(), &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
        ringAndExpectToBeServed([&] { ringFromOutside(doorbell); });
    }
    ringAndExpectToBeServed([&] { registration.ring(); });
}

TEST(ServingThreads, doNotWaitForSocketsThatLingerInADoorbell) {
    const auto pool = *ServingThreadPool::create();
    FakeBurst served([] { return false; });
    auto registration = std::move(*ServingThreadPool::add(pool, served));
    const UniqueFd doorbell = registration.takeDoorbell();
    std::vector<UniqueFd> others;
    others.push_back(test::sendLingering(doorbell.get(), "!"));
    ASSERT_TRUE(test::eventually([&] { return served.calls >= 1; }));
    others.push_back(test::sendLingering(doorbell.get(), "!"));
    auto removed = std::async(std::launch::async, [&] { registration = {}; });
    EXPECT_EQ(removed.wait_for(30s), std::future_status::ready);  // they linger for a minute
}

// A thread that waits for doorbells once closed that of a burst which was gone, with all that the
// client had put into it. Here a thread that serves another burst still knows the burst.
TEST(ServingThreads, leaveTheDoorbellOfARemovedBurstToTheThreadThatRemovesIt) {
    const auto pool = *ServingThreadPool::create(1);
    Hold hold;
    Hold otherHold;
    FakeBurst served(hold.serve());
    FakeBurst other(otherHold.serve());
    auto registration = std::move(*ServingThreadPool::add(pool, served));
    const auto otherRegistration = std::move(*ServingThreadPool::add(pool, other));
    const UniqueFd doorbell = registration.takeDoorbell();
    registration.ring();
    EXPECT_TRUE(test::eventually([&] { return hold.inside == 1; }));
    otherRegistration.ring();
    std::this_thread::sleep_for(20ms);  // most likely it has been heard, and waits
    hold.go.set_value();
    EXPECT_TRUE(test::eventually([&] { return otherHold.inside == 1; }));
    registration = {};
    const char byte = 1;
    const ssize_t sent = ::send(doorbell.get(), &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    const int error = errno;
    EXPECT_EQ(sent, -1);
    EXPECT_EQ(error, ECONNREFUSED) << "the driver's end is open";
    otherHold.go.set_value();
}

}  // namespace
}  // namespace nnburst::burst
