// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The order in which waiting jobs and executions are served.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "device/local/scheduler.h"
#include "exec/threads/execution_gate.h"

namespace nnburst::device {
namespace {

using namespace std::chrono_literals;
using exec::Urgency;

/// One job thread that is kept busy until the jobs of a test are submitted.
class OneJobThread {
  public:
    OneJobThread()
        : scheduler(std::move(*Scheduler::create("test", {.threads = 1, .threadsPerClient = 1}))),
          client(scheduler) {
        client.submit([this] {
            isKeptBusy_.set_value();
            open_.get_future().wait();
        });
        isKeptBusy_.get_future().wait();  // otherwise it might begin with the job of a test
    }
    /// A test that fails before `finish` ends all the same.
    ~OneJobThread() {
        if (!isOpen_) {
            open_.set_value();
        }
    }

    Job job(std::string name) {
        ++pending_;
        return [this, name = std::move(name)] {
            const std::lock_guard lock(mutex_);
            order_ += name;
            if (--pending_ == 0) {
                done_.set_value();
            }
        };
    }

    /// The names of the jobs in the order in which they were done.
    std::string finish() {
        isOpen_ = true;
        open_.set_value();
        if (pending_ != 0) {
            done_.get_future().wait();
        }
        const std::lock_guard lock(mutex_);
        return order_;
    }

  private:
    std::promise<void> isKeptBusy_;
    std::promise<void> open_;
    bool isOpen_ = false;
    std::promise<void> done_;
    std::atomic<int> pending_{0};
    std::mutex mutex_;
    std::string order_;

  public:  // last: their end waits for the jobs, which use all of the above
    std::shared_ptr<Scheduler> scheduler;
    Scheduler::Client client;
};

TEST(Scheduler, servesHigherPriorityFirst) {
    OneJobThread thread;
    for (const auto& [name, priority] :
         {std::pair("l", Priority::LOW), std::pair("m", Priority::MEDIUM),
          std::pair("h", Priority::HIGH), std::pair("M", Priority::MEDIUM),
          std::pair("H", Priority::HIGH)}) {
        ASSERT_TRUE(thread.client.trySubmit(
            JobKind::CONTROL, {.priority = priority, .deadline = {}}, thread.job(name)));
    }
    EXPECT_EQ(thread.finish(), "hHmMl");
}

TEST(Scheduler, servesDeadlinesFirstWithinAPriority) {
    OneJobThread thread;
    const TimePoint now = std::chrono::steady_clock::now();
    ASSERT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, thread.job("n")));
    ASSERT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {.deadline = now + 2h}, thread.job("2")));
    ASSERT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {.deadline = now + 1h}, thread.job("1")));
    ASSERT_TRUE(thread.client.trySubmit(
        JobKind::CONTROL, {.priority = Priority::HIGH, .deadline = {}}, thread.job("h")));
    EXPECT_EQ(thread.finish(), "h12n");
}

TEST(Scheduler, givesEachClientItsTurn) {
    OneJobThread thread;
    Scheduler::Client greedy(thread.scheduler);
    Scheduler::Client modest(thread.scheduler);
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(greedy.trySubmit(JobKind::CONTROL, {}, thread.job("g")));
    }
    ASSERT_TRUE(modest.trySubmit(JobKind::CONTROL, {}, thread.job("m")));
    ASSERT_TRUE(modest.trySubmit(JobKind::CONTROL, {}, thread.job("m")));
    const std::string order = thread.finish();
    EXPECT_EQ(order, "gmgmgg");
}

TEST(Scheduler, urgentJobsOfOneClientDoNotOvertakeThoseOfAnother) {
    OneJobThread thread;
    Scheduler::Client urgent(thread.scheduler);
    Scheduler::Client modest(thread.scheduler);
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(urgent.trySubmit(JobKind::CONTROL, {.priority = Priority::HIGH, .deadline = {}},
                                     thread.job("u")));
    }
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(modest.trySubmit(JobKind::CONTROL, {.priority = Priority::LOW, .deadline = {}},
                                     thread.job("m")));
    }
    EXPECT_EQ(thread.finish(), "umumuu");
}

TEST(Scheduler, jobsOfOneClientLeaveThreadsToOthers) {
    const std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create("test", {.threads = 8, .threadsPerClient = 2}));
    Scheduler::Client greedy(scheduler);
    Scheduler::Client modest(scheduler);
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    std::atomic<int> running{0};
    for (int i = 0; i < 8; ++i) {
        ASSERT_TRUE(greedy.trySubmit(JobKind::EXECUTION, {}, [&, ended] {
            ++running;
            ended.wait();
        }));
    }
    for (const JobKind kind : {JobKind::EXECUTION, JobKind::CONTROL}) {
        std::promise<void> served;
        ASSERT_TRUE(modest.trySubmit(kind, {}, [&] { served.set_value(); }));
        served.get_future().wait();
    }
    std::promise<void> controlled;
    ASSERT_TRUE(greedy.trySubmit(JobKind::CONTROL, {}, [&] { controlled.set_value(); }));
    controlled.get_future().wait();
    EXPECT_LE(running, 2);
    EXPECT_TRUE(scheduler->isBusy());
    end.set_value();
}

/// Threads of this process whose name begins with `name`.
std::size_t threadsNamed(const std::string& name) {
    std::size_t count = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string taskName;
        std::ifstream(task.path() / "comm") >> taskName;
        count += taskName.starts_with(name) ? 1 : 0;
    }
    return count;
}

/// A scheduler with 16 threads, all of which have had a job.
std::shared_ptr<Scheduler> schedulerWithThreads(const std::string& name,
                                                std::chrono::milliseconds endAfterIdle) {
    constexpr std::size_t kThreads = 16;
    std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create(name, {.threads = kThreads,
                                            .threadsPerClient = kThreads,
                                            .threadsPerUser = kThreads,
                                            .endAfterIdle = endAfterIdle}));
    Scheduler::Client client(scheduler);
    const auto all = std::make_shared<std::latch>(kThreads);
    for (std::size_t i = 0; i < kThreads; ++i) {
        client.submit([all] { all->arrive_and_wait(); });
    }
    all->wait();
    return scheduler;
}

bool endsThreads(const std::string& name, const std::function<void()>& meanwhile) {
    const auto watchdog = std::chrono::steady_clock::now() + 20s;
    while (threadsNamed(name) > 4 && std::chrono::steady_clock::now() < watchdog) {
        meanwhile();
    }
    return threadsNamed(name) <= 4;
}

TEST(JobWaits, countsEachWaitInTheFirstBucketThatIsLongEnough) {
    JobWaits waits;
    for (const auto wait : {std::chrono::nanoseconds(0), std::chrono::nanoseconds(1000),
                            std::chrono::nanoseconds(1001), std::chrono::nanoseconds(2000),
                            std::chrono::nanoseconds(2001), std::chrono::nanoseconds(4'000'000),
                            std::chrono::nanoseconds(1h)}) {
        waits.add(wait);
    }
    EXPECT_EQ(waits.counts[0], 2U);   // at most 1 us
    EXPECT_EQ(waits.counts[1], 2U);   // 2 us
    EXPECT_EQ(waits.counts[2], 1U);   // 4 us
    EXPECT_EQ(waits.counts[12], 1U);  // 4.096 ms
    EXPECT_EQ(waits.counts.back(), 1U);
}

TEST(Scheduler, countsHowLongJobsHaveWaited) {
    OneJobThread thread;
    ASSERT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, thread.job("a")));
    std::this_thread::sleep_for(5ms);
    (void)thread.finish();
    const JobWaits waits = thread.client.waitsOfAll(JobKind::CONTROL);
    EXPECT_EQ(std::accumulate(waits.counts.begin(), waits.counts.end(), std::uint64_t{0}), 2U);
    EXPECT_GE(waits.sum, 5ms);
    EXPECT_EQ(thread.scheduler->waits(JobKind::EXECUTION).sum, 0ns);
}

TEST(Scheduler, threadsThatAreIdleEnd) {
    const auto scheduler = schedulerWithThreads("idle", 20ms);
    EXPECT_TRUE(endsThreads("idle", [] { std::this_thread::sleep_for(1ms); }));
    EXPECT_GE(threadsNamed("idle"), 1U);
    std::promise<void> done;
    Scheduler::Client(scheduler).submit([&] { done.set_value(); });
    EXPECT_EQ(done.get_future().wait_for(20s), std::future_status::ready);
}

TEST(Scheduler, threadsThatAreNotNeededEndAlthoughJobsWakeThemInTurn) {
    const auto scheduler = schedulerWithThreads("turns", 200ms);
    Scheduler::Client client(scheduler);
    EXPECT_TRUE(endsThreads("turns", [&] {
        std::promise<void> done;
        client.submit([&] { done.set_value(); });
        done.get_future().wait();
    }));
}

TEST(Scheduler, aJobThatThrowsEndsNoThread) {
    const std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create("test", {.threads = 1, .threadsPerClient = 1}));
    Scheduler::Client client(scheduler);
    client.submit([] { throw std::bad_alloc(); });
    std::promise<void> served;
    client.submit([&] { served.set_value(); });
    served.get_future().wait();
}

TEST(Scheduler, aClientCannotTakeTheRoomOfOthers) {
    OneJobThread thread;
    Scheduler::Client greedy(thread.scheduler);
    for (std::size_t i = 0; i < Scheduler::Client::kMaximumWaitingJobs; ++i) {
        ASSERT_TRUE(greedy.trySubmit(JobKind::CONTROL, {}, [] {}));
    }
    const Result<> refused = greedy.trySubmit(JobKind::CONTROL, {}, [] {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, [] {}));
    EXPECT_TRUE(thread.scheduler->isBusy());
    (void)thread.finish();
}

TEST(Scheduler, theClientsOfOneUserCannotTakeTheRoomOfOthers) {
    OneJobThread thread;
    const auto user = std::make_shared<Scheduler::User>();
    std::vector<std::unique_ptr<Scheduler::Client>> clients;
    std::size_t accepted = 0;
    Result<> last;
    for (int client = 0; client < 4; ++client) {
        clients.push_back(std::make_unique<Scheduler::Client>(thread.scheduler, user));
        for (std::size_t i = 0; i < Scheduler::Client::kMaximumWaitingJobs; ++i) {
            last = clients.back()->trySubmit(JobKind::CONTROL, {}, [] {});
            accepted += last ? 1 : 0;
        }
    }
    EXPECT_EQ(accepted, Scheduler::User::kMaximumWaitingJobs);
    ASSERT_FALSE(last);
    EXPECT_EQ(last.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, [] {}));
    (void)thread.finish();
}

TEST(Scheduler, jobsThatCannotBeRefusedTakeNoRoomOfOthers) {
    OneJobThread thread;
    Scheduler::Client leaving(thread.scheduler);
    for (std::size_t i = 0; i < 2 * Scheduler::kMaximumWaitingJobs; ++i) {
        leaving.submit([] {});
    }
    EXPECT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, [] {}));
    (void)thread.finish();
}

TEST(Scheduler, refusesMoreJobsThanItHasRoomForOfAllClients) {
    constexpr std::size_t kClients =
        Scheduler::kMaximumWaitingJobs / Scheduler::Client::kMaximumWaitingJobs;
    OneJobThread thread;
    std::vector<std::unique_ptr<Scheduler::Client>> clients;
    for (std::size_t client = 0; client < kClients; ++client) {
        clients.push_back(std::make_unique<Scheduler::Client>(thread.scheduler));
        for (std::size_t i = 0; i < Scheduler::Client::kMaximumWaitingJobs; ++i) {
            ASSERT_TRUE(clients.back()->trySubmit(JobKind::CONTROL, {}, [] {}));
        }
    }
    const Result<> refused = thread.client.trySubmit(JobKind::CONTROL, {}, [] {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    (void)thread.finish();
}

TEST(Scheduler, countsOnlyJobsThatWait) {
    const std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create("test", {.threads = 1, .threadsPerClient = 1}));
    Scheduler::Client client(scheduler);
    for (std::size_t i = 0; i <= Scheduler::Client::kMaximumWaitingJobs; ++i) {
        std::promise<void> done;
        ASSERT_TRUE(client.trySubmit(JobKind::CONTROL, {}, [&done] { done.set_value(); }));
        done.get_future().wait();
    }
    EXPECT_FALSE(scheduler->isBusy());
}

TEST(Scheduler, aClientThatComesLaterHasSavedNoTurns) {
    OneJobThread thread;
    Scheduler::Client first(thread.scheduler);
    Scheduler::Client later(thread.scheduler);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(first.trySubmit(JobKind::CONTROL, {}, thread.job("f")));
    }
    std::vector<Job> late{thread.job("l"), thread.job("l"), thread.job("l")};
    ASSERT_TRUE(first.trySubmit(JobKind::CONTROL, {}, [&] {
        for (const Job& job : late) {
            EXPECT_TRUE(later.trySubmit(JobKind::CONTROL, {}, job));
        }
    }));
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(first.trySubmit(JobKind::CONTROL, {}, thread.job("f")));
    }
    EXPECT_EQ(thread.finish(), "ffflflfl");
}

TEST(WaitingWork, risesWithTimeSoThatNothingStarves) {
    const TimePoint start{100s};
    const TimePoint later = start + 4 * exec::kPromotionTime;
    const exec::WaitingWork low{.urgency = {.priority = Priority::LOW, .deadline = {}},
                                .since = start};
    const auto high = [](TimePoint since) {
        return exec::WaitingWork{.urgency = {.priority = Priority::HIGH, .deadline = since},
                                 .since = since};
    };
    EXPECT_TRUE(high(start).precedes(low, start));
    EXPECT_TRUE(low.precedes(high(later), later));
}

// ---- The gate of executions

TEST(Scheduler, aClientOfWhichNothingRunsHasAThreadBesideAnyNumberOfOthers) {
    const std::shared_ptr<Scheduler> scheduler(*Scheduler::create(
        "test", {.threads = 4, .threadsForOthers = 8, .threadsPerClient = 2, .threadsPerUser = 2}));
    std::promise<void> end;
    const std::shared_future<void> isOver = end.get_future().share();
    std::vector<std::unique_ptr<Scheduler::Client>> clients;
    const auto run = [&](const std::shared_ptr<Scheduler::User>& user, Job job) {
        clients.push_back(std::make_unique<Scheduler::Client>(scheduler, user));
        EXPECT_TRUE(clients.back()->trySubmit(JobKind::EXECUTION, {}, std::move(job)));
    };
    const auto user = std::make_shared<Scheduler::User>();
    const auto otherUser = std::make_shared<Scheduler::User>();
    for (const auto& owner : {user, user, otherUser, otherUser}) {  // all threads are kept
        run(owner, [isOver] { isOver.wait(); });
    }
    for (const auto& owner : {user, std::make_shared<Scheduler::User>()}) {
        std::promise<void> isRun;
        run(owner, [&] { isRun.set_value(); });
        EXPECT_EQ(isRun.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
    }
    end.set_value();
}

TEST(Scheduler, clientsOfOneUserLeaveThreadsToThoseOfOthers) {
    const std::shared_ptr<Scheduler> scheduler = std::move(
        *Scheduler::create("test", {.threads = 4, .threadsPerClient = 2, .threadsPerUser = 3}));
    const auto user = std::make_shared<Scheduler::User>();
    std::promise<void> open;
    const std::shared_future<void> opened = open.get_future().share();
    std::atomic<int> running{0};
    std::vector<std::unique_ptr<Scheduler::Client>> clients;
    for (int i = 0; i < 4; ++i) {
        clients.push_back(std::make_unique<Scheduler::Client>(scheduler, user));
        for (int job = 0; job < 2; ++job) {
            ASSERT_TRUE(clients.back()->trySubmit(JobKind::EXECUTION, {}, [&running, opened] {
                ++running;
                opened.wait();
            }));
        }
    }
    while (running != 3) {
        std::this_thread::yield();
    }
    Scheduler::Client other(scheduler);
    std::promise<void> done;
    ASSERT_TRUE(other.trySubmit(JobKind::EXECUTION, {}, [&done] { done.set_value(); }));
    EXPECT_EQ(done.get_future().wait_for(20s), std::future_status::ready);
    EXPECT_EQ(running, 3);
    open.set_value();
    while (running != 8) {
        std::this_thread::yield();
    }
}

TEST(ExecutionGate, letsAsManyInAsItHasLanes) {
    exec::ExecutionGate gate(2);
    exec::ExecutionGate::RunnerSet a;
    exec::ExecutionGate::RunnerSet b;
    exec::ExecutionGate::RunnerSet c;
    const Urgency soon{.deadline = TimePoint(std::chrono::steady_clock::now()) + 20ms};
    exec::ExecutionGate::Pass first(gate, a);
    ASSERT_TRUE(first.enter({}));
    EXPECT_FALSE(gate.isBusy());
    {
        exec::ExecutionGate::Pass second(gate, b);
        ASSERT_TRUE(second.enter({}));
        EXPECT_TRUE(gate.isBusy());
        exec::ExecutionGate::Pass third(gate, c);
        const Result<> late = third.enter(soon);
        ASSERT_FALSE(late);
        EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    }
    exec::ExecutionGate::Pass again(gate, a);
    EXPECT_FALSE(again.enter(soon)) << "one execution of a model at a time";
    exec::ExecutionGate::Pass third(gate, c);
    EXPECT_TRUE(third.enter({}));
    EXPECT_EQ(gate.waitingCount(), 0U);
    EXPECT_EQ(gate.delayedCount(), 2U);
}

TEST(ExecutionGate, letsAsManyOfAModelInAsItHasRunners) {
    exec::ExecutionGate gate(3);
    exec::ExecutionGate::RunnerSet model;
    const Urgency soon{.deadline = TimePoint(std::chrono::steady_clock::now()) + 20ms};
    std::optional<exec::ExecutionGate::Pass> first(std::in_place, gate, model);
    ASSERT_TRUE(first->enter({}));
    EXPECT_EQ(first->runner(), 0U);
    {
        exec::ExecutionGate::Pass second(gate, model);
        EXPECT_FALSE(second.enter(soon)) << "it has one runner";
    }
    model.add();
    std::optional<exec::ExecutionGate::Pass> second(std::in_place, gate, model);
    ASSERT_TRUE(second->enter({}));
    EXPECT_EQ(second->runner(), 1U) << "the preferred one is in use";
    {
        exec::ExecutionGate::Pass third(gate, model);
        EXPECT_FALSE(third.enter(soon));
    }
    first.reset();
    first.emplace(gate, model);
    ASSERT_TRUE(first->enter({}, 1));
    EXPECT_EQ(first->runner(), 0U);
    first.reset();
    second.reset();
    second.emplace(gate, model);
    ASSERT_TRUE(second->enter({}, 1));
    EXPECT_EQ(second->runner(), 1U) << "the preferred one is free";
}

TEST(ExecutionGate, anExecutionThatLetsOthersPassKeepsItsRunner) {
    exec::ExecutionGate gate(1);
    exec::ExecutionGate::RunnerSet model;
    model.add();
    exec::ExecutionGate::Pass low(gate, model);
    ASSERT_TRUE(low.enter({.priority = Priority::LOW, .deadline = {}}));
    std::uint32_t runner = 0;
    std::thread urgent([&] {
        exec::ExecutionGate::Pass high(gate, model);
        EXPECT_TRUE(high.enter({.priority = Priority::HIGH, .deadline = {}}));
        runner = high.runner();
    });
    while (gate.waitingCount() == 0) {
        std::this_thread::yield();
    }
    low.letOthersPass();  // comes back when the urgent one has left
    urgent.join();
    EXPECT_EQ(low.runner(), 0U);
    EXPECT_EQ(runner, 1U) << "the same model, beside the one that waits";
}

TEST(ExecutionGate, isCrowdedWhenSpinningClientsWouldTakeTheProcessorsOfExecutions) {
    exec::ExecutionGate gate(4);
    std::vector<exec::ExecutionGate::RunnerSet> models(2);
    EXPECT_FALSE(gate.isCrowded());
    exec::ExecutionGate::Pass first(gate, models[0]);
    ASSERT_TRUE(first.enter({}));
    EXPECT_FALSE(gate.isCrowded()) << "two executions and two clients on four processors";
    exec::ExecutionGate::Pass second(gate, models[1]);
    ASSERT_TRUE(second.enter({}));
    EXPECT_TRUE(gate.isCrowded()) << "three of each";
}

TEST(ExecutionGate, whoSpinsIsLetInOrLateLikeOthers) {
    exec::ExecutionGate gate(2);
    exec::ExecutionGate::RunnerSet model;
    for (int i = 0; i < 100; ++i) {
        std::optional<exec::ExecutionGate::Pass> holder(std::in_place, gate, model);
        ASSERT_TRUE(holder->enter({}));
        std::thread next([&] {
            exec::ExecutionGate::Pass late(gate, model);
            EXPECT_FALSE(late.enter({.deadline = std::chrono::steady_clock::now() + 50us}));
            exec::ExecutionGate::Pass pass(gate, model);
            EXPECT_TRUE(pass.enter({}));
        });
        while (gate.delayedCount() != 2 * static_cast<std::uint32_t>(i + 1)) {
            std::this_thread::yield();
        }
        if (i % 10 == 0) {
            std::this_thread::sleep_for(2ms);  // it sleeps by now
        }
        holder.reset();
        next.join();
        EXPECT_EQ(gate.waitingCount(), 0U);
        EXPECT_FALSE(gate.isBusy());
    }
}

TEST(ExecutionGate, aDeadlineBeforeTheStartOfTheClockHasPassed) {
    exec::ExecutionGate gate(1);
    exec::ExecutionGate::RunnerSet model;
    exec::ExecutionGate::Pass holder(gate, model);
    ASSERT_TRUE(holder.enter({}));
    exec::ExecutionGate::Pass late(gate, model);
    EXPECT_FALSE(late.enter({.deadline = TimePoint::min()}));
    EXPECT_EQ(gate.waitingCount(), 0U);
}

TEST(ExecutionGate, letsAnExecutionThatNeedsAllLanesInAlone) {
    using exec::ExecutionGate;
    ExecutionGate gate(2);
    ExecutionGate::RunnerSet narrow;
    ExecutionGate::RunnerSet wide;
    ExecutionGate::RunnerSet late;
    const Urgency soon{.deadline = TimePoint(std::chrono::steady_clock::now()) + 20ms};
    std::atomic<bool> wasIn{false};
    std::thread waiting;
    {
        ExecutionGate::Pass one(gate, narrow);
        ASSERT_TRUE(one.enter({}));
        waiting = std::thread([&] {
            ExecutionGate::Pass all(gate, wide, ExecutionGate::Pass::Width::ALL_LANES);
            EXPECT_TRUE(all.enter({.priority = Priority::HIGH, .deadline = {}}));
            wasIn = true;
        });
        while (gate.waitingCount() != 1 && !wasIn) {
            std::this_thread::yield();
        }
        ExecutionGate::Pass another(gate, late);
        EXPECT_FALSE(another.enter(soon)) << "the more urgent one is not overtaken";
        EXPECT_FALSE(wasIn);
    }
    waiting.join();
    ExecutionGate::Pass all(gate, wide, ExecutionGate::Pass::Width::ALL_LANES);
    ASSERT_TRUE(all.enter({}));
    EXPECT_TRUE(gate.isBusy());
    ExecutionGate::Pass one(gate, narrow);
    EXPECT_FALSE(one.enter(soon));
}

TEST(ExecutionGate, letsOthersInWhenAnExecutionThatNeedsAllLanesGivesUp) {
    using exec::ExecutionGate;
    ExecutionGate gate(2);
    ExecutionGate::RunnerSet first;
    ExecutionGate::RunnerSet wide;
    ExecutionGate::RunnerSet second;
    ExecutionGate::Pass one(gate, first);
    ASSERT_TRUE(one.enter({}));
    const TimePoint soon = std::chrono::steady_clock::now() + 100ms;
    std::thread givingUp([&] {
        ExecutionGate::Pass all(gate, wide, ExecutionGate::Pass::Width::ALL_LANES);
        EXPECT_FALSE(all.enter({.priority = Priority::HIGH, .deadline = soon}));
    });
    while (gate.waitingCount() == 0 && std::chrono::steady_clock::now() < soon) {
        std::this_thread::yield();
    }
    // The first execution runs all the time.
    ExecutionGate::Pass another(gate, second);
    EXPECT_TRUE(another.enter({.deadline = TimePoint(std::chrono::steady_clock::now() + 20s)}));
    givingUp.join();
}

/// Threads that wait at a gate whose one lane is in use, and the order in which they are admitted.
TEST(ExecutionGate, letsTheMostUrgentInFirst) {
    exec::ExecutionGate gate(1);
    std::vector<exec::ExecutionGate::RunnerSet> models(4);
    std::mutex mutex;
    std::string order;
    std::vector<std::thread> threads;
    {
        exec::ExecutionGate::Pass holder(gate, models[0]);
        ASSERT_TRUE(holder.enter({}));
        std::uint32_t waiting = 0;
        for (const auto& [name, priority] :
             {std::pair('l', Priority::LOW), std::pair('m', Priority::MEDIUM),
              std::pair('h', Priority::HIGH)}) {
            threads.emplace_back([&, name = name, priority = priority, model = ++waiting] {
                exec::ExecutionGate::Pass pass(gate, models[model]);
                EXPECT_TRUE(pass.enter({.priority = priority, .deadline = {}}));
                const std::lock_guard lock(mutex);
                order += name;
            });
        }
        while (gate.waitingCount() != 3) {
            std::this_thread::yield();
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(order, "hml");
}

TEST(ExecutionGate, aRunningExecutionMakesWayForAMoreUrgentOne) {
    exec::ExecutionGate gate(1);
    exec::ExecutionGate::RunnerSet lowModel;
    exec::ExecutionGate::RunnerSet highModel;
    exec::ExecutionGate::RunnerSet mediumModel;
    std::atomic<bool> wasIn{false};
    exec::ExecutionGate::Pass low(gate, lowModel);
    ASSERT_TRUE(low.enter({.priority = Priority::LOW, .deadline = {}}));
    std::thread urgent([&] {
        exec::ExecutionGate::Pass high(gate, highModel);
        EXPECT_TRUE(high.enter({.priority = Priority::HIGH, .deadline = {}}));
        wasIn = true;
    });
    while (gate.waitingCount() != 1) {
        std::this_thread::yield();
    }
    EXPECT_FALSE(wasIn);
    while (!wasIn) {
        low.letOthersPass();
    }
    urgent.join();
    exec::ExecutionGate::Pass other(gate, lowModel);
    EXPECT_FALSE(other.enter({.deadline = std::chrono::steady_clock::now()}))
        << "the model lock was kept";
    exec::ExecutionGate::Pass medium(gate, mediumModel);
    EXPECT_FALSE(medium.enter({.deadline = std::chrono::steady_clock::now()}))
        << "the lane was taken back";
}

/// Executions of one client wait at a gate with one lane; then one of another client comes.
TEST(ExecutionGate, urgentExecutionsOfOneClientDoNotOvertakeThoseOfAnother) {
    constexpr std::size_t kUrgent = 20;
    exec::ExecutionGate gate(1);
    exec::ClientShare urgentShare;
    exec::ClientShare modestShare;
    std::vector<exec::ExecutionGate::RunnerSet> models(kUrgent + 2);
    std::mutex mutex;
    std::string order;
    std::vector<std::thread> threads;
    const auto start = [&](std::size_t model, exec::ClientShare& share, Priority priority,
                           char name) {
        threads.emplace_back([&, model, priority, name] {
            exec::ExecutionGate::Pass pass(gate, models[model],
                                           exec::ExecutionGate::Pass::Width::ONE_LANE, &share);
            EXPECT_TRUE(pass.enter({.priority = priority, .deadline = {}}));
            const std::lock_guard lock(mutex);
            order += name;
        });
    };
    {
        exec::ExecutionGate::Pass holder(gate, models[0],
                                         exec::ExecutionGate::Pass::Width::ONE_LANE, &urgentShare);
        ASSERT_TRUE(holder.enter({.priority = Priority::HIGH, .deadline = {}}));
        for (std::size_t i = 1; i <= kUrgent; ++i) {
            start(i, urgentShare, Priority::HIGH, 'u');
        }
        while (gate.waitingCount() != kUrgent) {
            std::this_thread::yield();
        }
        start(kUrgent + 1, modestShare, Priority::LOW, 'm');
        while (gate.waitingCount() != kUrgent + 1) {
            std::this_thread::yield();
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_LE(order.find('m'), 1U) << order;
}

/// Many clients of one user wait at a gate with one lane; then the only client of another user
/// comes.
TEST(ExecutionGate, manyClientsOfOneUserDoNotOvertakeThatOfAnother) {
    using Pass = exec::ExecutionGate::Pass;
    constexpr std::size_t kClients = 20;
    exec::ExecutionGate gate(1);
    const auto manyShare = std::make_shared<exec::ClientShare>();
    std::vector<std::unique_ptr<exec::ClientShare>> shares;
    for (std::size_t i = 0; i <= kClients; ++i) {
        shares.push_back(std::make_unique<exec::ClientShare>(manyShare));
    }
    exec::ClientShare other(std::make_shared<exec::ClientShare>());
    std::vector<exec::ExecutionGate::RunnerSet> models(kClients + 2);
    std::mutex mutex;
    std::string order;
    std::vector<std::thread> threads;
    const auto start = [&](std::size_t model, exec::ClientShare& share, char name) {
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
        while (gate.waitingCount() != kClients) {
            std::this_thread::yield();
        }
        start(kClients + 1, other, 'o');
        while (gate.waitingCount() != kClients + 1) {
            std::this_thread::yield();
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_LE(order.find('o'), 1U) << order;
}

TEST(ExecutionGate, aRunningExecutionMakesWayForOtherClients) {
    exec::ExecutionGate gate(1);
    exec::ClientShare urgentShare;
    exec::ClientShare modestShare;
    exec::ExecutionGate::RunnerSet urgentModel;
    exec::ExecutionGate::RunnerSet modestModel;
    std::atomic<bool> wasIn{false};
    exec::ExecutionGate::Pass urgent(gate, urgentModel, exec::ExecutionGate::Pass::Width::ONE_LANE,
                                     &urgentShare);
    ASSERT_TRUE(urgent.enter({.priority = Priority::HIGH, .deadline = {}}));
    std::thread other([&] {
        exec::ExecutionGate::Pass modest(gate, modestModel,
                                         exec::ExecutionGate::Pass::Width::ONE_LANE, &modestShare);
        EXPECT_TRUE(modest.enter({.priority = Priority::LOW, .deadline = {}}));
        wasIn = true;
    });
    while (!wasIn) {
        urgent.letOthersPass();
    }
    other.join();
}

/// An execution runs for `time` while one of another client waits. None if it took much longer.
std::optional<bool> isInterruptedWithin(std::chrono::microseconds time) {
    using Pass = exec::ExecutionGate::Pass;
    using Clock = std::chrono::steady_clock;
    exec::ExecutionGate gate(1);
    exec::ClientShare runningShare;
    exec::ClientShare waitingShare;
    std::vector<exec::ExecutionGate::RunnerSet> models(2);
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
    while (gate.waitingCount() != 1) {
        std::this_thread::yield();
    }
    while (Clock::now() - arrival.load() < time) {
        running->letOthersPass();
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

TEST(ExecutionGate, anExecutionThatHasWaitedMakesWayForOtherClients) {
    using Pass = exec::ExecutionGate::Pass;
    using Clock = std::chrono::steady_clock;
    exec::ExecutionGate gate(1);
    exec::ClientShare holderShare;
    exec::ClientShare waitedShare;
    exec::ClientShare otherShare;
    std::vector<exec::ExecutionGate::RunnerSet> models(3);
    std::optional<Pass> holder(std::in_place, gate, models[0], Pass::Width::ONE_LANE, &holderShare);
    ASSERT_TRUE(holder->enter({}));
    std::atomic<bool> isRunning{false};
    std::atomic<bool> hasEnded{false};
    std::thread waited([&] {
        Pass pass(gate, models[1], Pass::Width::ONE_LANE, &waitedShare);
        EXPECT_TRUE(pass.enter({}));
        isRunning = true;
        while (!hasEnded) {
            pass.letOthersPass();
        }
    });
    while (gate.waitingCount() != 1) {
        std::this_thread::yield();
    }
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
    using Pass = exec::ExecutionGate::Pass;
    exec::ExecutionGate gate(2);
    exec::ClientShare greedyShare;
    exec::ClientShare modestShare;
    std::vector<exec::ExecutionGate::RunnerSet> models(3);
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
    while (gate.waitingCount() != 1) {
        std::this_thread::yield();
    }
    greedy->letOthersPass();  // counts its time from here on at the latest
    const auto end = std::chrono::steady_clock::now() + 5ms;
    while (std::chrono::steady_clock::now() < end) {
        modest.letOthersPass();
    }
    EXPECT_FALSE(wasIn);
    greedy.reset();
    second.join();
}

/// At a gate with one lane a client comes first, and again after another one has used much.
TEST(ExecutionGate, aClientThatComesBackHasSavedLittle) {
    using Pass = exec::ExecutionGate::Pass;
    using Clock = std::chrono::steady_clock;
    exec::ExecutionGate gate(1);
    exec::ClientShare busyShare;
    exec::ClientShare idleShare;
    exec::ClientShare otherShare;
    std::vector<exec::ExecutionGate::RunnerSet> models(5);
    const auto waitForWaiters = [&](std::uint32_t count) {
        while (gate.waitingCount() != count) {
            std::this_thread::yield();
        }
    };
    std::optional<Pass> busy(std::in_place, gate, models[0], Pass::Width::ONE_LANE, &busyShare);
    ASSERT_TRUE(busy->enter({}));
    std::thread other([&] {
        Pass pass(gate, models[1], Pass::Width::ONE_LANE, &otherShare);
        EXPECT_TRUE(pass.enter({}));
        waitForWaiters(1);
    });
    waitForWaiters(1);
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
    waitForWaiters(3);
    holder.reset();
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(order, "ibi");
}

TEST(ExecutionGate, losesNobodyUnderLoad) {
    exec::ExecutionGate gate(2);
    std::vector<exec::ExecutionGate::RunnerSet> models(3);
    std::vector<int> counts(models.size());  // each guarded by its model lock
    std::atomic<int> inside{0};
    std::atomic<bool> isRight{true};
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 6; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 5000; ++i) {
                const std::size_t model = (thread + static_cast<std::size_t>(i)) % models.size();
                exec::ExecutionGate::Pass pass(gate, models[model]);
                if (!pass.enter({.priority = static_cast<Priority>(i % 3), .deadline = {}})) {
                    isRight = false;
                }
                if (++inside > 2) {
                    isRight = false;
                }
                ++counts[model];
                --inside;
                if (i % 7 == 0) {
                    pass.letOthersPass();
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_TRUE(isRight);
    EXPECT_EQ(counts[0] + counts[1] + counts[2], 6 * 5000);
    EXPECT_FALSE(gate.isBusy());
    EXPECT_EQ(gate.waitingCount(), 0U);
}

}  // namespace
}  // namespace nnburst::device
