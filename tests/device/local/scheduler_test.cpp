// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The order in which waiting jobs are served, and by how many threads.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <array>
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
#include <utility>
#include <vector>

#include "device/local/scheduler.h"
#include "exec/run/execution_counts.h"
#include "support/eventually.h"
#include "support/failing_allocations.h"
#include "support/sanitizers.h"
#include "system/scheduling.h"
#include "system/thread.h"

namespace nnburst::device {
namespace {

using namespace std::chrono_literals;

constexpr Scheduler::Limits kDefaults;

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

TEST(Scheduler, jobsThatCannotBeRefusedComeInTheOrderOfArrivalAmongTheOthers) {
    OneJobThread thread;
    thread.client.submit(thread.job("1"));
    ASSERT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, thread.job("2")));
    thread.client.submit(thread.job("3"));
    thread.client.submit(thread.job("4"));
    ASSERT_TRUE(thread.client.trySubmit(
        JobKind::CONTROL, {.priority = Priority::HIGH, .deadline = {}}, thread.job("h")));
    ASSERT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, thread.job("5")));
    EXPECT_EQ(thread.finish(), "h12345");
}

/// As where a client with many objects disconnects.
TEST(Scheduler, aClientWithManyJobsGivesOthersTheirTurns) {
    constexpr int kJobs = 20'000;
    OneJobThread thread;
    Scheduler::Client leaving(thread.scheduler);
    Scheduler::Client modest(thread.scheduler);
    int done = 0;
    int doneBeforeModest = 0;
    bool isInOrder = true;
    for (int i = 0; i < kJobs; ++i) {
        leaving.submit([&, i] { isInOrder = isInOrder && done++ == i; });
    }
    ASSERT_TRUE(modest.trySubmit(JobKind::CONTROL, {}, [&] { doneBeforeModest = done; }));
    leaving.submit(thread.job("l"));
    EXPECT_EQ(thread.finish(), "l");
    EXPECT_EQ(done, kJobs);
    EXPECT_TRUE(isInOrder);
    EXPECT_LE(doneBeforeModest, 2);
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
    constexpr std::size_t kThreads = 8;
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    std::atomic<int> running{0};
    std::array<std::promise<void>, 3> served;
    const auto isServed = [](std::promise<void>& job) {
        return job.get_future().wait_for(20s) == std::future_status::ready;
    };
    const std::shared_ptr<Scheduler> scheduler = std::move(*Scheduler::create(
        "test", {.threads = kThreads, .threadsPerClient = 2, .threadsPerUser = kThreads}));
    Scheduler::Client greedy(scheduler);
    Scheduler::Client modest(scheduler);
    for (std::size_t i = 0; i < kThreads; ++i) {
        ASSERT_TRUE(greedy.trySubmit(JobKind::EXECUTION, {}, [&, ended] {
            ++running;
            ended.wait();
        }));
    }
    EXPECT_TRUE(modest.trySubmit(JobKind::EXECUTION, {}, [&] { served[0].set_value(); }));
    EXPECT_TRUE(isServed(served[0]));
    EXPECT_TRUE(modest.trySubmit(JobKind::CONTROL, {}, [&] { served[1].set_value(); }));
    EXPECT_TRUE(isServed(served[1]));
    EXPECT_TRUE(greedy.trySubmit(JobKind::CONTROL, {}, [&] { served[2].set_value(); }));
    EXPECT_TRUE(isServed(served[2]));
    EXPECT_LE(running, 2);
    EXPECT_TRUE(scheduler->isBusy());
    end.set_value();
}

/// The end of one job allows two: one of another client, as the user is no longer at its limit, and
/// the next one of its own client, of which nothing runs any more.
TEST(Scheduler, aClientOfWhichNothingRunsAnyMoreHasAThreadForItsNextJob) {
    std::promise<void> endAll;
    const std::shared_future<void> allEnded = endAll.get_future().share();
    std::promise<void> endFirst;
    std::array<std::promise<void>, 4> begun;
    const auto waitFor = [](std::promise<void>& job) {
        return job.get_future().wait_for(20s) == std::future_status::ready;
    };
    const std::shared_ptr<Scheduler> scheduler = std::move(*Scheduler::create(
        "test", {.threads = 8, .threadsForOthers = 8, .threadsPerClient = 4, .threadsPerUser = 2}));
    const auto user = std::make_shared<Scheduler::User>();
    Scheduler::Client other(scheduler, user);
    Scheduler::Client client(scheduler, user);
    const auto runUntilTheEnd = [allEnded](std::promise<void>& job) {
        return [&job, allEnded] {
            job.set_value();
            allEnded.wait();
        };
    };
    ASSERT_TRUE(other.trySubmit(JobKind::EXECUTION, {}, runUntilTheEnd(begun[0])));
    ASSERT_TRUE(client.trySubmit(JobKind::EXECUTION, {}, [&] {
        begun[1].set_value();
        endFirst.get_future().wait();
    }));
    EXPECT_TRUE(waitFor(begun[0]));
    EXPECT_TRUE(waitFor(begun[1]));
    ASSERT_TRUE(other.trySubmit(JobKind::EXECUTION, {}, runUntilTheEnd(begun[2])));
    ASSERT_TRUE(client.trySubmit(JobKind::EXECUTION, {}, [&] { begun[3].set_value(); }));
    endFirst.set_value();
    EXPECT_TRUE(waitFor(begun[2]));
    EXPECT_TRUE(waitFor(begun[3]));
    endAll.set_value();
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

/// As above, but the first job to end does so while the scheduler is being destroyed, which only
/// joins the threads that there are.
TEST(Scheduler, startsNoThreadOnceItIsDestroyed) {
    std::promise<void> endFirst;
    std::promise<void> destroy;
    std::array<std::promise<void>, 2> begun;
    std::array<std::promise<void>, 2> ran;
    std::shared_ptr<Scheduler> scheduler = std::move(*Scheduler::create(
        "destroyed",
        {.threads = 8, .threadsForOthers = 8, .threadsPerClient = 4, .threadsPerUser = 2}));
    const auto user = std::make_shared<Scheduler::User>();
    std::optional<Scheduler::Client> first(std::in_place, scheduler, user);
    std::optional<Scheduler::Client> destroyer(std::in_place, scheduler, user);
    ASSERT_TRUE(first->trySubmit(JobKind::EXECUTION, {}, [&] {
        begun[0].set_value();
        endFirst.get_future().wait();
    }));
    ASSERT_TRUE(destroyer->trySubmit(JobKind::EXECUTION, {}, [&] {
        begun[1].set_value();
        destroy.get_future().wait();
        first.reset();
        destroyer.reset();
        scheduler = nullptr;
    }));
    begun[0].get_future().wait();
    begun[1].get_future().wait();
    ASSERT_TRUE(destroyer->trySubmit(JobKind::EXECUTION, {}, [&] { ran[0].set_value(); }));
    ASSERT_TRUE(first->trySubmit(JobKind::EXECUTION, {}, [&] { ran[1].set_value(); }));
    destroy.set_value();
    // The idle thread for control jobs ends when the destruction has begun.
    EXPECT_TRUE(test::eventually([] { return threadsNamed("destroyedc") == 0; }));
    endFirst.set_value();
    for (std::promise<void>& job : ran) {
        EXPECT_EQ(job.get_future().wait_for(20s), std::future_status::ready);
    }
    EXPECT_TRUE(test::eventually([] { return threadsNamed("destroyed") == 0; }));
}

/// A scheduler with 16 threads, all of which have had a job that did `work`.
std::shared_ptr<Scheduler> schedulerWithThreads(
    const std::string& name, std::chrono::milliseconds endAfterIdle,
    const std::function<void()>& work = [] {}) {
    constexpr std::size_t kThreads = 16;
    std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create(name, {.threads = kThreads,
                                            .threadsPerClient = kThreads,
                                            .threadsPerUser = kThreads,
                                            .endAfterIdle = endAfterIdle}));
    Scheduler::Client client(scheduler);
    const auto all = std::make_shared<std::latch>(kThreads);
    for (std::size_t i = 0; i < kThreads; ++i) {
        client.submit([all, work] {
            work();
            all->arrive_and_wait();
        });
    }
    all->wait();
    return scheduler;
}

bool endsThreads(const std::string& name, const std::function<void()>& meanwhile) {
    const auto watchdog = std::chrono::steady_clock::now() + 20s;
    while (threadsNamed(name) > 4) {
        if (std::chrono::steady_clock::now() >= watchdog) {
            return false;
        }
        meanwhile();
    }
    return true;  // a job that finds no idle thread may have started one again
}

TEST(Scheduler, countsHowLongJobsHaveWaited) {
    OneJobThread thread;
    ASSERT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, thread.job("a")));
    std::this_thread::sleep_for(5ms);
    (void)thread.finish();
    const system::DurationHistogram waits = thread.client.waitsOfAll(JobKind::CONTROL);
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

constexpr std::uint64_t kStackBytes = std::uint64_t{8} << 20;

/// Private memory that this process has mapped, also where none is present.
std::uint64_t mappedBytes() {
    std::ifstream status("/proc/self/status");
    std::string name;
    std::uint64_t kibibytes = 0;
    while (status >> name) {
        if (name == "VmData:") {
            status >> kibibytes;
        }
    }
    return kibibytes << 10;
}

TEST(Scheduler, threadsThatHaveEndedKeepNoStacks) {
    if (test::kHasSanitizer) {
        GTEST_SKIP() << "sanitizers keep memory of threads";
    }
    constexpr int kThreads = 24;
    const std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create("test", {.threads = kThreads,
                                              .threadsPerClient = kThreads,
                                              .threadsPerUser = kThreads,
                                              .endAfterIdle = 20ms}));
    Scheduler::Client client(scheduler);
    const std::uint64_t before = mappedBytes();
    std::latch together(kThreads + 1);
    for (int i = 0; i < kThreads; ++i) {
        client.submit([&together] { together.arrive_and_wait(); });
    }
    const std::uint64_t withAll = mappedBytes();
    together.arrive_and_wait();
    if (withAll < before + (kThreads - 8) * kStackBytes) {
        GTEST_SKIP() << "threads have stacks of less than 8 MiB (ulimit -s)";
    }
    // The C library keeps 40 MiB of stacks for later threads.
    EXPECT_TRUE(test::eventually([&] { return mappedBytes() < before + 8 * kStackBytes; }));
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

/// That of this process if it may not set a nice value back.
int lowNice() {
    const system::ScopedLowPriority scope;
    return ::getpriority(PRIO_PROCESS, 0);
}

/// The nice value of a job while another one of its client waits.
int niceOfOneOfSeveral(Scheduler::Client& client) {
    std::promise<void> begin;
    std::promise<int> nice;
    client.submit([&begin] { begin.get_future().wait(); });
    client.submit([&nice] { nice.set_value(::getpriority(PRIO_PROCESS, 0)); });
    std::promise<void> done;
    client.submit([&done] { done.set_value(); });
    begin.set_value();
    done.get_future().wait();
    return nice.get_future().get();
}

/// Makes `client` active.
void runOneJob(Scheduler::Client& client) {
    std::promise<void> done;
    client.submit([&done] { done.set_value(); });
    done.get_future().wait();
}

TEST(Scheduler, jobsOfAClientWithSeveralHaveLowPriorityWhileAnotherIsActive) {
    const int usual = ::getpriority(PRIO_PROCESS, 0);
    const int low = lowNice();
    if (low == usual) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
    const std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create("test", {.threads = 1, .threadsPerClient = 1}));
    Scheduler::Client client(scheduler);
    EXPECT_EQ(niceOfOneOfSeveral(client), usual);
    {
        Scheduler::Client other(scheduler);
        EXPECT_EQ(niceOfOneOfSeveral(client), usual) << "the other one has done nothing yet";
        EXPECT_TRUE(test::eventually([&] {
            runOneJob(other);
            return niceOfOneOfSeveral(client) == low;
        }));
        EXPECT_TRUE(test::eventually([&] { return niceOfOneOfSeveral(client) == usual; }))
            << "the other one is no longer active";
        EXPECT_TRUE(test::eventually([&] {
            runOneJob(other);
            return niceOfOneOfSeveral(client) == low;
        }));
    }
    EXPECT_EQ(niceOfOneOfSeveral(client), usual);
}

TEST(Scheduler, executionsThatAreNoJobsMakeAClientActive) {
    const int low = lowNice();
    if (low == ::getpriority(PRIO_PROCESS, 0)) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
    const std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create("test", {.threads = 1, .threadsPerClient = 1}));
    const auto executions = std::make_shared<exec::ExecutionCounts>();
    const std::shared_ptr<exec::SessionCounts> burst = executions->addSession();
    const Scheduler::Client other(scheduler, nullptr, executions);
    Scheduler::Client client(scheduler);
    EXPECT_TRUE(test::eventually([&] {
        burst->add(false, std::nullopt);
        return niceOfOneOfSeveral(client) == low;
    }));
}

TEST(Scheduler, jobsOfAClientThatRunsManyHaveLowPriorityButNotBesideOneThatIsEnding) {
    const int usual = ::getpriority(PRIO_PROCESS, 0);
    const int low = lowNice();
    if (low == usual) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
    const std::shared_ptr<Scheduler> scheduler = std::move(
        *Scheduler::create("test", {.threads = 3, .threadsPerClient = 3, .threadsPerUser = 3}));
    Scheduler::Client other(scheduler);
    runOneJob(other);
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    Scheduler::Client client(scheduler);
    std::vector<int> found;
    for (int i = 0; i < 3; ++i) {
        std::promise<int> nice;
        client.submit([&nice, ended] {
            nice.set_value(::getpriority(PRIO_PROCESS, 0));
            ended.wait();
        });
        found.push_back(nice.get_future().get());
    }
    end.set_value();
    EXPECT_EQ(found, (std::vector{usual, usual, low}));
}

/// The nice value and the policy of a job of `client`, of which no other one waits.
std::pair<int, int> priorityOfOne(Scheduler::Client& client, std::chrono::milliseconds work = 0ms) {
    std::promise<std::pair<int, int>> found;
    client.submit([&found, work] {
        found.set_value({::getpriority(PRIO_PROCESS, 0), ::sched_getscheduler(0)});
        const std::chrono::nanoseconds end = system::processorTimeOfThread() + work;
        while (system::processorTimeOfThread() < end) {
        }
    });
    auto priority = found.get_future().get();
    runOneJob(client);  // the one before it has ended
    return priority;
}

TEST(Scheduler, jobsOfAClientThatHasUsedMuchRunInTheBackgroundBesideAnother) {
    const int usual = ::getpriority(PRIO_PROCESS, 0);
    const int low = lowNice();
    if (low == usual) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
    const std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create("test", {.threads = 1, .threadsPerClient = 1}));
    Scheduler::Client client(scheduler);
    const std::pair usually{usual, SCHED_OTHER};
    EXPECT_EQ(priorityOfOne(client, 100ms), usually);
    EXPECT_EQ(priorityOfOne(client), usually) << "there is no other client";
    Scheduler::Client other(scheduler);
    EXPECT_TRUE(test::eventually([&] {
        (void)priorityOfOne(client, 50ms);
        runOneJob(other);
        return priorityOfOne(client) == std::pair{low, SCHED_IDLE};
    }));
    EXPECT_TRUE(test::eventually([&] {
        runOneJob(other);
        return priorityOfOne(client) == usually;
    })) << "it has used little for a while";
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

TEST(Scheduler, startsNoThreadForWhichItHasNoMemory) {
    bool hasFailed = true;
    for (int allocations = 0; hasFailed; ++allocations) {
        Result<std::unique_ptr<Scheduler>> scheduler;
        test::failAllocationAfter(allocations);
        try {
            scheduler = Scheduler::create("test", {.threads = 1, .threadsPerClient = 1});
        } catch (const std::bad_alloc&) {
        }
        hasFailed = test::stopFailingAllocations();
    }
}

// Whoever waits for the end of the job was told nothing.
TEST(Scheduler, aMissedDeadlineIsToldWithoutMemoryForItsMessage) {
    test::failAllocationAfter(0);
    const auto missed = missedBeforeStart("an execution", false);
    (void)test::stopFailingAllocations();
    EXPECT_EQ(missed.value().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
}

TEST(Scheduler, aThreadEndsWithoutMemory) {
    system::startThread("first", [] {})->join();  // allocates what later threads use at their end
    const auto scheduler = schedulerWithThreads("poor", 20ms, [] { test::failAllocationAfter(0); });
    EXPECT_TRUE(endsThreads("poor", [] { std::this_thread::sleep_for(1ms); }));
}

TEST(Scheduler, aClientCannotTakeTheRoomOfOthers) {
    OneJobThread thread;
    Scheduler::Client greedy(thread.scheduler);
    for (std::size_t i = 0; i < kDefaults.waitingJobsPerClient; ++i) {
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
        for (std::size_t i = 0; i < kDefaults.waitingJobsPerClient; ++i) {
            last = clients.back()->trySubmit(JobKind::CONTROL, {}, [] {});
            accepted += last ? 1 : 0;
        }
    }
    EXPECT_EQ(accepted, kDefaults.waitingJobsPerUser);
    ASSERT_FALSE(last);
    EXPECT_EQ(last.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, [] {}));
    (void)thread.finish();
}

TEST(Scheduler, jobsThatCannotBeRefusedTakeNoRoomOfOthers) {
    OneJobThread thread;
    Scheduler::Client leaving(thread.scheduler);
    for (std::size_t i = 0; i < 2 * kDefaults.waitingJobs; ++i) {
        leaving.submit([] {});
    }
    EXPECT_TRUE(thread.client.trySubmit(JobKind::CONTROL, {}, [] {}));
    (void)thread.finish();
}

TEST(Scheduler, refusesMoreJobsThanItHasRoomForOfAllClients) {
    constexpr std::size_t kClients = kDefaults.waitingJobs / kDefaults.waitingJobsPerClient;
    OneJobThread thread;
    std::vector<std::unique_ptr<Scheduler::Client>> clients;
    for (std::size_t client = 0; client < kClients; ++client) {
        clients.push_back(std::make_unique<Scheduler::Client>(thread.scheduler));
        for (std::size_t i = 0; i < kDefaults.waitingJobsPerClient; ++i) {
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
    for (std::size_t i = 0; i <= kDefaults.waitingJobsPerClient; ++i) {
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

TEST(Scheduler, manyClientsOfOneUserDoNotTakeTheThreadsOfUsersThatHaveNone) {
    constexpr std::size_t kThreads = 4;
    constexpr std::size_t kForOthers = 8;
    const std::shared_ptr<Scheduler> scheduler(
        *Scheduler::create("test", {.threads = kThreads,
                                    .threadsForOthers = kForOthers,
                                    .threadsPerClient = 2,
                                    .threadsPerUser = 2}));
    std::promise<void> end;
    const std::shared_future<void> isOver = end.get_future().share();
    std::vector<std::unique_ptr<Scheduler::Client>> clients;
    const auto run = [&](const std::shared_ptr<Scheduler::User>& user, Job job) {
        clients.push_back(std::make_unique<Scheduler::Client>(scheduler, user));
        EXPECT_TRUE(clients.back()->trySubmit(JobKind::EXECUTION, {}, std::move(job)));
    };
    const auto many = std::make_shared<Scheduler::User>();
    std::atomic<std::size_t> running{0};
    for (std::size_t i = 0; i < 3 * kForOthers; ++i) {
        run(many, [&running, isOver] {
            ++running;
            isOver.wait();
        });
    }
    while (running < kThreads + kForOthers / 2) {
        std::this_thread::yield();
    }
    std::promise<void> isRun;
    run(std::make_shared<Scheduler::User>(), [&] { isRun.set_value(); });
    EXPECT_EQ(isRun.get_future().wait_for(20s), std::future_status::ready);
    EXPECT_EQ(running, kThreads + kForOthers / 2);
    end.set_value();
}

TEST(Scheduler, clientsOfOneUserLeaveThreadsToThoseOfOthers) {
    std::promise<void> open;
    const std::shared_future<void> opened = open.get_future().share();
    std::promise<void> done;
    std::atomic<int> running{0};
    const std::shared_ptr<Scheduler> scheduler = std::move(
        *Scheduler::create("test", {.threads = 4, .threadsPerClient = 2, .threadsPerUser = 3}));
    const auto user = std::make_shared<Scheduler::User>();
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
    while (running < 3) {
        std::this_thread::yield();
    }
    Scheduler::Client other(scheduler);
    ASSERT_TRUE(other.trySubmit(JobKind::EXECUTION, {}, [&done] { done.set_value(); }));
    EXPECT_EQ(done.get_future().wait_for(20s), std::future_status::ready);
    EXPECT_EQ(running, 3);
    open.set_value();
    while (running != 8) {
        std::this_thread::yield();
    }
}

}  // namespace
}  // namespace nnburst::device
