// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The order in which the gate admits waiting executions, and which yield to others.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exec/threads/await_waiters.h"
#include "exec/threads/execution_gate.h"
#include "exec/threads/urgency.h"
#include "system/scheduling.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;
using Pass = ExecutionGate::Pass;

TEST(WaitingWork, risesWithTimeSoThatNothingStarves) {
    const TimePoint start{100s};
    const TimePoint later = start + 4 * kPromotionTime;
    const WaitingWork low{.urgency = {.priority = Priority::LOW, .deadline = {}}, .since = start};
    const auto high = [](TimePoint since) {
        return WaitingWork{.urgency = {.priority = Priority::HIGH, .deadline = since},
                           .since = since};
    };
    EXPECT_TRUE(high(start).precedes(low, start));
    EXPECT_TRUE(low.precedes(high(later), later));
}

/// Threads that wait at a gate whose one lane is in use, and the order in which they are admitted.
TEST(ExecutionGate, letsTheMostUrgentInFirst) {
    ExecutionGate gate(1);
    std::vector<RunnerSet> models(4);
    std::mutex mutex;
    std::string order;
    std::vector<std::thread> threads;
    {
        Pass holder(gate, models[0]);
        ASSERT_TRUE(holder.enter({}));
        std::uint32_t waiting = 0;
        for (const auto& [name, priority] :
             {std::pair('l', Priority::LOW), std::pair('m', Priority::MEDIUM),
              std::pair('h', Priority::HIGH)}) {
            threads.emplace_back([&, name = name, priority = priority, model = ++waiting] {
                Pass pass(gate, models[model]);
                EXPECT_TRUE(pass.enter({.priority = priority, .deadline = {}}));
                const std::lock_guard lock(mutex);
                order += name;
            });
        }
        awaitWaiters(gate, 3);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(order, "hml");
}

TEST(ExecutionGate, aRunningExecutionYieldsToAMoreUrgentOne) {
    ExecutionGate gate(1);
    RunnerSet lowModel;
    RunnerSet highModel;
    RunnerSet mediumModel;
    std::atomic<bool> wasIn{false};
    Pass low(gate, lowModel);
    ASSERT_TRUE(low.enter({.priority = Priority::LOW, .deadline = {}}));
    std::thread urgent([&] {
        Pass high(gate, highModel);
        EXPECT_TRUE(high.enter({.priority = Priority::HIGH, .deadline = {}}));
        wasIn = true;
    });
    awaitWaiters(gate, 1);
    EXPECT_FALSE(wasIn);
    while (!wasIn) {
        low.yieldToOthers();
    }
    urgent.join();
    Pass other(gate, lowModel);
    EXPECT_FALSE(other.enter({.deadline = std::chrono::steady_clock::now()}))
        << "the model lock was kept";
    Pass medium(gate, mediumModel);
    EXPECT_FALSE(medium.enter({.deadline = std::chrono::steady_clock::now()}))
        << "the lane was taken back";
}

/// An execution that has yielded keeps its runner, for which one of another client waits. Others of
/// its own client are more urgent.
TEST(ExecutionGate, aRunnerHolderRunsInPlaceOfAClientThatWaitsForItsRunner) {
    ExecutionGate gate(1);
    RunnerSet shared;
    std::vector<RunnerSet> models(2);
    LaneShare hostile;
    LaneShare victim;
    std::mutex mutex;
    std::string order;
    const auto note = [&](char name) {
        const std::lock_guard lock(mutex);
        order += name;
    };
    const auto run = [&](RunnerSet& model, LaneShare& client, char name) {
        Pass pass(gate, model, Pass::Width::ONE_LANE, &client);
        EXPECT_TRUE(pass.enter({.priority = Priority::MEDIUM, .deadline = {}}));
        note(name);
    };
    std::atomic<bool> isRunning{false};
    std::atomic<bool> mayEnd{false};
    std::atomic<bool> hasEntered{false};
    std::thread low([&] {
        Pass pass(gate, shared, Pass::Width::ONE_LANE, &hostile);
        EXPECT_TRUE(pass.enter({.priority = Priority::LOW, .deadline = {}}));
        hasEntered = true;
        while (!isRunning) {
            pass.yieldToOthers();
        }
        note('l');
    });
    while (!hasEntered) {
        std::this_thread::yield();
    }
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
        Pass pass(gate, models[0], Pass::Width::ONE_LANE, &hostile);
        EXPECT_TRUE(pass.enter({.priority = Priority::MEDIUM, .deadline = {}}));
        isRunning = true;
        while (!mayEnd) {
            std::this_thread::yield();
        }
    });
    while (!isRunning) {
        std::this_thread::yield();
    }
    awaitWaiters(gate, 1);  // the execution that has yielded
    threads.emplace_back([&] { run(models[1], hostile, 'm'); });
    awaitWaiters(gate, 2);
    threads.emplace_back([&] { run(shared, victim, 'v'); });
    awaitWaiters(gate, 3);
    mayEnd = true;
    low.join();
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(order, "lvm");
}

TEST(ExecutionGate, chargesTheWaitingClientWhileARunnerHolderRunsInItsPlace) {
    ExecutionGate gate(1);
    RunnerSet shared;
    RunnerSet own;
    std::array<LaneShare, 3> clients;  // the first one comes first if all have used the same
    std::atomic<bool> wasIn{false};
    std::vector<std::thread> threads;
    {
        Pass running(gate, shared, Pass::Width::ONE_LANE, &clients[2]);
        ASSERT_TRUE(running.enter({}));
        threads.emplace_back([&] {
            Pass blocked(gate, shared, Pass::Width::ONE_LANE, &clients[0]);
            EXPECT_TRUE(blocked.enter({}));
        });
        awaitWaiters(gate, 1);
        threads.emplace_back([&] {
            Pass other(gate, own, Pass::Width::ONE_LANE, &clients[1]);
            EXPECT_TRUE(other.enter({}));
            wasIn = true;
        });
        awaitWaiters(gate, 2);
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!wasIn && std::chrono::steady_clock::now() < end) {
            running.yieldToOthers();
        }
        EXPECT_TRUE(wasIn);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

/// The running execution has looked for others long before one waited for its runner.
TEST(ExecutionGate, chargesTheWaitingClientOnlySinceItHasWaited) {
    ExecutionGate gate(1);
    RunnerSet shared;
    std::vector<RunnerSet> own(2);
    std::array<LaneShare, 3> clients;
    std::mutex mutex;
    std::string order;
    std::atomic<bool> wasIn{false};
    std::vector<std::thread> threads;
    const auto run = [&](RunnerSet& model, LaneShare& client, char name) {
        threads.emplace_back([&, name] {
            Pass pass(gate, model, Pass::Width::ONE_LANE, &client);
            EXPECT_TRUE(pass.enter({}));
            const std::lock_guard lock(mutex);
            order += name;
        });
    };
    {
        Pass running(gate, shared, Pass::Width::ONE_LANE, &clients[2]);
        ASSERT_TRUE(running.enter({}));
        std::thread ofSameClient([&] {
            Pass late(gate, own[0], Pass::Width::ONE_LANE, &clients[2]);
            EXPECT_FALSE(late.enter({.deadline = std::chrono::steady_clock::now() + 100ms}));
        });
        awaitWaiters(gate, 1);
        running.yieldToOthers();
        ofSameClient.join();
        run(shared, clients[0], 'b');  // blocked
        awaitWaiters(gate, 1);
        threads.emplace_back([&] {
            Pass other(gate, own[0], Pass::Width::ONE_LANE, &clients[1]);
            EXPECT_TRUE(other.enter({}));
            awaitWaiters(gate, 3);
            std::this_thread::sleep_for(20ms);  // which it has used from now on
            wasIn = true;
        });
        awaitWaiters(gate, 2);
        std::thread next([&] {
            while (gate.waitingCount() != 2 || gate.delayedCount() != 4) {
                std::this_thread::yield();  // until the running execution waits
            }
            Pass pass(gate, own[1], Pass::Width::ONE_LANE, &clients[1]);
            EXPECT_TRUE(pass.enter({}));
            const std::lock_guard lock(mutex);
            order += 'n';
        });
        threads.push_back(std::move(next));
        while (!wasIn) {
            running.yieldToOthers();
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(order, "bn");
}

/// Executions of one client wait at a gate with one lane; then one of another client comes.
TEST(ExecutionGate, urgentExecutionsOfOneClientDoNotOvertakeThoseOfAnother) {
    constexpr std::size_t kUrgent = 20;
    ExecutionGate gate(1);
    LaneShare urgentShare;
    LaneShare modestShare;
    std::vector<RunnerSet> models(kUrgent + 2);
    std::mutex mutex;
    std::string order;
    std::vector<std::thread> threads;
    const auto start = [&](std::size_t model, LaneShare& share, Priority priority, char name) {
        threads.emplace_back([&, model, priority, name] {
            Pass pass(gate, models[model], Pass::Width::ONE_LANE, &share);
            EXPECT_TRUE(pass.enter({.priority = priority, .deadline = {}}));
            const std::lock_guard lock(mutex);
            order += name;
        });
    };
    {
        Pass holder(gate, models[0], Pass::Width::ONE_LANE, &urgentShare);
        ASSERT_TRUE(holder.enter({.priority = Priority::HIGH, .deadline = {}}));
        for (std::size_t i = 1; i <= kUrgent; ++i) {
            start(i, urgentShare, Priority::HIGH, 'u');
        }
        awaitWaiters(gate, kUrgent);
        start(kUrgent + 1, modestShare, Priority::LOW, 'm');
        awaitWaiters(gate, kUrgent + 1);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_LE(order.find('m'), 1U) << order;
}

/// Many clients of one user wait at a gate with one lane; then the only client of another user
/// comes.
TEST(ExecutionGate, manyClientsOfOneUserDoNotOvertakeThatOfAnother) {
    constexpr std::size_t kClients = 20;
    ExecutionGate gate(1);
    const auto manyShare = std::make_shared<LaneShare>();
    std::vector<std::unique_ptr<LaneShare>> shares;
    for (std::size_t i = 0; i <= kClients; ++i) {
        shares.push_back(std::make_unique<LaneShare>(manyShare));
    }
    LaneShare other(std::make_shared<LaneShare>());
    std::vector<RunnerSet> models(kClients + 2);
    std::mutex mutex;
    std::string order;
    std::vector<std::thread> threads;
    const auto start = [&](std::size_t model, LaneShare& share, char name) {
        threads.emplace_back([&, model, name] {
            Pass pass(gate, models[model], Pass::Width::ONE_LANE, &share);
            EXPECT_TRUE(pass.enter({}));
            const std::lock_guard lock(mutex);
            order += name;
        });
    };
    {
        Pass holder(gate, models[0], Pass::Width::ONE_LANE, shares[0].get());
        ASSERT_TRUE(holder.enter({}));
        for (std::size_t i = 1; i <= kClients; ++i) {
            start(i, *shares[i], 'm');
        }
        awaitWaiters(gate, kClients);
        start(kClients + 1, other, 'o');
        awaitWaiters(gate, kClients + 1);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_LE(order.find('o'), 1U) << order;
}

TEST(ExecutionGate, aRunningExecutionYieldsToOtherClients) {
    ExecutionGate gate(1);
    LaneShare urgentShare;
    LaneShare modestShare;
    RunnerSet urgentModel;
    RunnerSet modestModel;
    std::atomic<bool> wasIn{false};
    Pass urgent(gate, urgentModel, Pass::Width::ONE_LANE, &urgentShare);
    ASSERT_TRUE(urgent.enter({.priority = Priority::HIGH, .deadline = {}}));
    std::thread other([&] {
        Pass modest(gate, modestModel, Pass::Width::ONE_LANE, &modestShare);
        EXPECT_TRUE(modest.enter({.priority = Priority::LOW, .deadline = {}}));
        wasIn = true;
    });
    while (!wasIn) {
        urgent.yieldToOthers();
    }
    other.join();
}

/// An execution runs for `time` while one of another client waits. None if it took much longer.
std::optional<bool> isInterruptedWithin(std::chrono::microseconds time) {
    using Clock = std::chrono::steady_clock;
    ExecutionGate gate(1);
    LaneShare runningShare;
    LaneShare waitingShare;
    std::vector<RunnerSet> models(2);
    std::atomic<Clock::time_point> arrival{};
    std::atomic<bool> wasIn{false};
    std::optional<Pass> running(std::in_place, gate, models[0], Pass::Width::ONE_LANE,
                                &runningShare);
    EXPECT_TRUE(running->enter({}));
    std::thread other([&] {
        Pass waiting(gate, models[1], Pass::Width::ONE_LANE, &waitingShare);
        arrival = Clock::now();
        EXPECT_TRUE(waiting.enter({}));
        wasIn = true;
    });
    awaitWaiters(gate, 1);
    while (Clock::now() - arrival.load() < time) {
        running->yieldToOthers();
    }
    const bool wasInterrupted = wasIn;
    const bool isInTime = Clock::now() - arrival.load() < time + 50us;
    running.reset();
    other.join();
    return isInTime ? std::optional(wasInterrupted) : std::nullopt;
}

TEST(ExecutionGate, aShortExecutionIsNotInterruptedForAClientThatHasUsedAsMuch) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
        if (const std::optional<bool> isInterrupted = isInterruptedWithin(300us)) {
            EXPECT_FALSE(*isInterrupted);
            return;
        }
    }
    GTEST_SKIP() << "the machine is too busy";
}

TEST(ExecutionGate, anExecutionThatHasWaitedYieldsToOtherClients) {
    using Clock = std::chrono::steady_clock;
    ExecutionGate gate(1);
    LaneShare holderShare;
    LaneShare waitedShare;
    LaneShare otherShare;
    std::vector<RunnerSet> models(3);
    std::optional<Pass> holder(std::in_place, gate, models[0], Pass::Width::ONE_LANE, &holderShare);
    ASSERT_TRUE(holder->enter({}));
    std::atomic<bool> isRunning{false};
    std::atomic<bool> hasEnded{false};
    std::thread waited([&] {
        Pass pass(gate, models[1], Pass::Width::ONE_LANE, &waitedShare);
        EXPECT_TRUE(pass.enter({}));
        isRunning = true;
        while (!hasEnded) {
            pass.yieldToOthers();
        }
    });
    awaitWaiters(gate, 1);
    holder.reset();
    while (!isRunning) {
        std::this_thread::yield();
    }
    {
        Pass other(gate, models[2], Pass::Width::ONE_LANE, &otherShare);
        EXPECT_TRUE(other.enter({.deadline = TimePoint(Clock::now()) + 20s}));
    }
    hasEnded = true;
    waited.join();
}

/// Two lanes: a client has one of them and wants the other, too, which another client has.
TEST(ExecutionGate, aClientThatRunsOnALaneDoesNotInterruptAnotherForASecondOne) {
    ExecutionGate gate(2);
    LaneShare greedyShare;
    LaneShare modestShare;
    std::vector<RunnerSet> models(3);
    std::optional<Pass> greedy(std::in_place, gate, models[0], Pass::Width::ONE_LANE, &greedyShare);
    ASSERT_TRUE(greedy->enter({}));
    Pass modest(gate, models[1], Pass::Width::ONE_LANE, &modestShare);
    ASSERT_TRUE(modest.enter({}));
    std::atomic<bool> wasIn{false};
    std::thread second([&] {
        Pass more(gate, models[2], Pass::Width::ONE_LANE, &greedyShare);
        EXPECT_TRUE(more.enter({}));
        wasIn = true;
    });
    awaitWaiters(gate, 1);
    greedy->yieldToOthers();  // counts its time from here on at the latest
    const auto end = std::chrono::steady_clock::now() + 5ms;
    while (std::chrono::steady_clock::now() < end) {
        modest.yieldToOthers();
    }
    EXPECT_FALSE(wasIn);
    greedy.reset();
    second.join();
}

/// Whether an execution is let in before its deadline; it stays in for the life of the pass.
[[nodiscard]] bool isLetIn(Pass& pass) {
    return pass.enter({.deadline = TimePoint(std::chrono::steady_clock::now()) + 50ms}).has_value();
}

/// A gate with one lane, whose execution does not yield, and the clients of two users.
class GateThatIsHeld : public testing::Test {
  protected:
    GateThatIsHeld() { EXPECT_TRUE(holder->enter({})); }

    ExecutionGate gate{1, 1ms};
    std::vector<RunnerSet> models{4};
    std::shared_ptr<LaneShare> user = std::make_shared<LaneShare>();
    LaneShare holding{user};
    LaneShare second{user};
    LaneShare third{user};
    LaneShare other{std::make_shared<LaneShare>()};
    std::optional<Pass> holder{std::in_place, gate, models[0], Pass::Width::ONE_LANE, &holding};
};

TEST_F(GateThatIsHeld, admitsTheNextBesideAnExecutionThatDoesNotYield) {
    for (int time = 0; time < 2; ++time) {
        Pass beside(gate, models[1], Pass::Width::ONE_LANE, &other);
        EXPECT_TRUE(beside.enter({.deadline = TimePoint(std::chrono::steady_clock::now()) + 20s}));
        std::this_thread::sleep_for(10ms);  // nobody waits: the gate does not check any more
    }
}

/// A thread of the gate checks for executions that have waited for too long. Waiting ones sleep.
TEST_F(GateThatIsHeld, admitsNoIneligibleWaiterWithoutALane) {
    std::thread([&] {
        Pass ofTheSameModel(gate, models[0], Pass::Width::ONE_LANE, &other);
        rusage before{};
        rusage after{};
        ::getrusage(RUSAGE_THREAD, &before);
        EXPECT_FALSE(isLetIn(ofTheSameModel));
        ::getrusage(RUSAGE_THREAD, &after);
        EXPECT_LT(after.ru_nvcsw - before.ru_nvcsw, 20) << "of 50 checks";
    }).join();
}

TEST_F(GateThatIsHeld, letsOneOfAUserInBesideOthersAtATime) {
    {
        Pass beside(gate, models[1], Pass::Width::ONE_LANE, &second);
        EXPECT_TRUE(beside.enter({}));
        Pass more(gate, models[2], Pass::Width::ONE_LANE, &third);
        EXPECT_FALSE(isLetIn(more));
        Pass ofAnother(gate, models[3], Pass::Width::ONE_LANE, &other);
        EXPECT_TRUE(ofAnother.enter({}));
    }
    Pass later(gate, models[2], Pass::Width::ONE_LANE, &third);
    EXPECT_TRUE(later.enter({}));
}

TEST_F(GateThatIsHeld, letsNoneInBesideAnotherOfItsClient) {
    std::atomic<bool> wasIn{false};
    std::thread ofNobody([&] {
        Pass pass(gate, models[1]);
        EXPECT_TRUE(pass.enter({}));
        wasIn = true;
    });
    while (!wasIn) {
        holder->yieldToOthers();  // is counted once another one has waited
    }
    ofNobody.join();
    Pass own(gate, models[1], Pass::Width::ONE_LANE, &holding);
    EXPECT_FALSE(isLetIn(own));
}

/// Until then the execution that it would yield to could not run either.
TEST_F(GateThatIsHeld, anExtraExecutionYieldsOnceALaneIsFree) {
    Pass beside(gate, models[1], Pass::Width::ONE_LANE, &second);
    ASSERT_TRUE(beside.enter({}));
    std::atomic<bool> wasIn{false};
    std::thread newcomer([&] {
        Pass pass(gate, models[2], Pass::Width::ONE_LANE, &third);
        EXPECT_TRUE(pass.enter({}));
        wasIn = true;
    });
    awaitWaiters(gate, 1);
    const auto end = std::chrono::steady_clock::now() + 10ms;
    while (std::chrono::steady_clock::now() < end) {
        beside.yieldToOthers();
    }
    EXPECT_FALSE(wasIn);
    holder.reset();
    while (!wasIn) {
        beside.yieldToOthers();
    }
    newcomer.join();
}

TEST_F(GateThatIsHeld, letsNoneInThatNeedsAllLanesOrHasNoClient) {
    Pass wide(gate, models[1], Pass::Width::ALL_LANES, &other);
    EXPECT_FALSE(isLetIn(wide));
    Pass ofNobody(gate, models[2]);
    EXPECT_FALSE(isLetIn(ofNobody));
}

TEST_F(GateThatIsHeld, letsNoneInWithoutARunner) {
    Pass ofTheSameModel(gate, models[0], Pass::Width::ONE_LANE, &other);
    EXPECT_FALSE(isLetIn(ofTheSameModel));
}

/// A gate with one lane, at which nobody becomes overdue. An execution of `busy` holds the lane and
/// was admitted after another one of `busy` had used the lane for 5 ms.
class GateOfABusyClient : public testing::Test {
  protected:
    explicit GateOfABusyClient(std::uint32_t lanes = 1) : gate(lanes, 1h) {}

    /// The lane is held until `end`.
    void begin() {
        std::optional<Pass> first(std::in_place, gate, models[0], Pass::Width::ONE_LANE, &busy);
        ASSERT_TRUE(first->enter({}));
        holder = std::thread([this] {
            Pass pass(gate, models[1], Pass::Width::ONE_LANE, &busy);
            EXPECT_TRUE(pass.enter({}));
            isHeld = true;
            while (!isOver) {
                if (yields) {
                    pass.yieldToOthers();
                    niceOfHolder = ::getpriority(PRIO_PROCESS, 0);
                }
                std::this_thread::sleep_for(100us);
            }
        });
        awaitWaiters(gate, 1);
        std::this_thread::sleep_for(5ms);
        first.reset();
        while (!isHeld) {
            std::this_thread::yield();
        }
    }
    void end() {
        isOver = true;
        holder.join();
    }

    ExecutionGate gate;
    std::vector<RunnerSet> models{4};
    std::shared_ptr<LaneShare> user = std::make_shared<LaneShare>();
    LaneShare busy{user};
    LaneShare modest{user};
    LaneShare ofAnotherUser{std::make_shared<LaneShare>()};
    std::thread holder;
    std::atomic<bool> isHeld{false};
    std::atomic<bool> isOver{false};
    std::atomic<bool> yields{false};
    std::atomic<int> niceOfHolder{0};
};

TEST_F(GateOfABusyClient, letsThoseInAtOnceThatHaveUsedLess) {
    begin();
    for (LaneShare* client : {&modest, &ofAnotherUser}) {
        Pass pass(gate, models[2], Pass::Width::ONE_LANE, client);
        EXPECT_TRUE(isLetIn(pass));
    }
    Pass own(gate, models[2], Pass::Width::ONE_LANE, &busy);
    EXPECT_FALSE(isLetIn(own));
    end();
}

TEST_F(GateOfABusyClient, letsTheSameOneInAgainAndAgain) {
    begin();
    for (int times = 0; times < 3; ++times) {
        Pass pass(gate, models[2], Pass::Width::ONE_LANE, &modest);
        EXPECT_TRUE(isLetIn(pass));
        std::this_thread::sleep_for(2ms);  // more than it may have saved
    }
    end();
}

/// An execution without a client may not be extra.
TEST_F(GateOfABusyClient, skipsAWaiterThatIsNotEligibleForAdmissionWithoutALane) {
    begin();
    std::thread ofNobody([&] {
        Pass pass(gate, models[2]);
        EXPECT_TRUE(pass.enter({}));
    });
    awaitWaiters(gate, 1);
    {
        Pass pass(gate, models[3], Pass::Width::ONE_LANE, &modest);
        EXPECT_TRUE(isLetIn(pass));
    }
    EXPECT_EQ(gate.waitingCount(), 1U);
    end();
    ofNobody.join();
}

/// The same with a second lane, which an execution holds that never checks the gate.
class GateOfOneThatDoesNotCheck : public GateOfABusyClient {
  protected:
    GateOfOneThatDoesNotCheck() : GateOfABusyClient(2) { EXPECT_TRUE(unseen.enter({})); }

    LaneShare another;
    RunnerSet modelOfAnother;
    Pass unseen{gate, modelOfAnother, Pass::Width::ONE_LANE, &another};
};

TEST_F(GateOfOneThatDoesNotCheck, letsTheSameOneInAgainAndAgain) {
    begin();
    for (int times = 0; times < 3; ++times) {
        const auto start = std::chrono::steady_clock::now();
        Pass pass(gate, models[2], Pass::Width::ONE_LANE, &ofAnotherUser);
        EXPECT_TRUE(isLetIn(pass));
        if (times != 0) {  // it was admitted last
            EXPECT_GE(std::chrono::steady_clock::now() - start, 200us) << "others may have checked";
        }
    }
    end();
}

/// The other user's execution was admitted last.
TEST_F(GateOfABusyClient, letsNoneInOfAUserThatHasUsedMore) {
    begin();
    std::atomic<bool> isAnotherIn{false};
    std::atomic<bool> isAnotherOver{false};
    std::thread another([&] {
        Pass pass(gate, models[2], Pass::Width::ALL_LANES, &ofAnotherUser);
        EXPECT_TRUE(pass.enter({}));
        isAnotherIn = true;
        while (!isAnotherOver) {
            std::this_thread::sleep_for(100us);
        }
    });
    awaitWaiters(gate, 1);
    std::this_thread::sleep_for(100ms);  // by which its user has used more than the other
    end();
    while (!isAnotherIn) {
        std::this_thread::yield();
    }
    Pass pass(gate, models[3], Pass::Width::ONE_LANE, &modest);
    EXPECT_FALSE(isLetIn(pass));
    isAnotherOver = true;
    another.join();
}

TEST_F(GateOfABusyClient, itsExecutionHasALowPriorityBesideOneThatWasLetIn) {
    const int usual = ::getpriority(PRIO_PROCESS, 0);
    begin();
    std::optional<Pass> beside(std::in_place, gate, models[2], Pass::Width::ONE_LANE, &modest);
    EXPECT_TRUE(isLetIn(*beside));
    yields = true;
    const auto watchdog = std::chrono::steady_clock::now() + 1s;
    while (niceOfHolder == usual && std::chrono::steady_clock::now() < watchdog) {
        std::this_thread::sleep_for(100us);
    }
    const bool isLow = niceOfHolder != usual;
    beside.reset();
    end();
    const system::ScopedLowPriority low;
    EXPECT_EQ(isLow, ::getpriority(PRIO_PROCESS, 0) != usual);
}

/// At a gate with one lane a client comes first, and again after another one has used much.
TEST(ExecutionGate, aClientThatComesBackHasSavedLittle) {
    using Clock = std::chrono::steady_clock;
    ExecutionGate gate(1);
    LaneShare busyShare;
    LaneShare idleShare;
    LaneShare otherShare;
    std::vector<RunnerSet> models(5);
    std::optional<Pass> busy(std::in_place, gate, models[0], Pass::Width::ONE_LANE, &busyShare);
    ASSERT_TRUE(busy->enter({}));
    std::thread other([&] {
        Pass pass(gate, models[1], Pass::Width::ONE_LANE, &otherShare);
        EXPECT_TRUE(pass.enter({}));
        awaitWaiters(gate, 1);
    });
    awaitWaiters(gate, 1);
    std::this_thread::sleep_for(100ms);  // which it uses
    busy.reset();
    // An upper bound of what its second execution uses.
    const auto start = Clock::now();
    busy.emplace(gate, models[0], Pass::Width::ONE_LANE, &busyShare);
    ASSERT_TRUE(busy->enter({}));
    other.join();
    busy.reset();
    const auto second = Clock::now() - start;

    std::string order;  // the one lane guards it
    std::vector<std::thread> threads;
    std::optional<Pass> holder(std::in_place, gate, models[1], Pass::Width::ONE_LANE, &otherShare);
    ASSERT_TRUE(holder->enter({}));
    for (std::size_t model = 2; model < 5; ++model) {
        const bool isIdle = model != 4;
        threads.emplace_back([&, model, isIdle] {
            Pass pass(gate, models[model], Pass::Width::ONE_LANE, isIdle ? &idleShare : &busyShare);
            EXPECT_TRUE(pass.enter({}));
            if (order.empty()) {
                std::this_thread::sleep_for(second + 5ms);
            }
            order += isIdle ? 'i' : 'b';
        });
    }
    awaitWaiters(gate, 3);
    holder.reset();
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(order, "ibi");
}

}  // namespace
}  // namespace nnburst::exec
