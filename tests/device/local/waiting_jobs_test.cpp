// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Jobs whose client has no free thread: those that end at their deadlines, those that are urgent
/// enough for a thread beside the others, and those of other kinds.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <latch>
#include <memory>
#include <thread>
#include <utility>

#include "device/local/scheduler.h"
#include "exec/threads/urgency.h"
#include "support/eventually.h"

namespace nnburst::device {
namespace {

using namespace std::chrono_literals;

/// All threads of a client for preparations or executions, until this is destroyed.
class TakenThreads {
  public:
    static constexpr std::size_t kThreadsOfClient = 2;

    explicit TakenThreads(JobKind kind, const exec::Urgency& urgency = {})
        : scheduler(std::move(
              *Scheduler::create("test", {.threads = 16, .threadsPerClient = kThreadsOfClient}))),
          client(scheduler) {
        std::latch begun(kThreadsOfClient);
        for (std::size_t i = 0; i < kThreadsOfClient; ++i) {
            EXPECT_TRUE(client.trySubmit(kind, urgency, [&begun, opened = opened_] {
                begun.count_down();
                opened.wait();
            }));
        }
        begun.wait();
    }
    ~TakenThreads() { open_.set_value(); }

    /// A job that keeps its thread until this is destroyed, too. `begun` counts it.
    Job keepingItsThread(std::atomic<int>& begun) {
        return [&begun, opened = opened_] {
            ++begun;
            opened.wait();
        };
    }

  private:
    std::promise<void> open_;
    const std::shared_future<void> opened_ = open_.get_future().share();

  public:
    std::shared_ptr<Scheduler> scheduler;
    Scheduler::Client client;
};

TEST(Scheduler, aJobThatHasNotBegunAtItsDeadlineEndsThen) {
    for (const JobKind kind : {JobKind::PREPARATION, JobKind::EXECUTION}) {
        std::atomic<bool> isRun{false};
        std::promise<bool> late;
        TakenThreads taken(kind);
        const auto held = std::make_shared<int>();
        const exec::Urgency urgency{.priority = Priority::LOW,
                                    .deadline = std::chrono::steady_clock::now() + 10ms};
        ASSERT_TRUE(taken.client.trySubmit(
            kind, urgency, [&isRun, held] { isRun = true; },
            [&late, held = std::weak_ptr(held)] { late.set_value(held.use_count() == 1); }));
        auto ended = late.get_future();
        ASSERT_EQ(ended.wait_for(20s), std::future_status::ready);
        EXPECT_TRUE(ended.get()) << "what the job holds is destroyed before";
        EXPECT_FALSE(isRun);
        EXPECT_FALSE(taken.scheduler->isBusy()) << "it waits no longer";
    }
}

TEST(Scheduler, eachJobThatWaitsEndsAtItsOwnDeadline) {
    constexpr std::array kWaits{200ms, 50ms, 100ms};
    std::latch ended(kWaits.size());
    std::atomic<bool> isEarly{false};
    TakenThreads taken(JobKind::EXECUTION);
    const TimePoint now = std::chrono::steady_clock::now();
    for (const auto wait : kWaits) {
        const TimePoint deadline = now + wait;
        ASSERT_TRUE(taken.client.trySubmit(
            JobKind::EXECUTION, {.priority = Priority::LOW, .deadline = deadline}, [] {},
            [&, deadline] {
                isEarly = isEarly || std::chrono::steady_clock::now() < deadline;
                ended.count_down();
            }));
    }
    ended.wait();
    EXPECT_FALSE(isEarly);
}

TEST(Scheduler, aJobThatBeginsBeforeItsDeadlineIsRunOnly) {
    std::atomic<int> lateCount{0};
    const std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create("test", {.threads = 1, .threadsPerClient = 1}));
    Scheduler::Client client(scheduler);
    std::promise<void> run;
    ASSERT_TRUE(client.trySubmit(
        JobKind::EXECUTION, {.deadline = std::chrono::steady_clock::now() + 1h},
        [&run] { run.set_value(); }, [&lateCount] { ++lateCount; }));
    EXPECT_EQ(run.get_future().wait_for(20s), std::future_status::ready);
    EXPECT_EQ(lateCount, 0);
}

TEST(Scheduler, oneJobThatIsMoreUrgentThanAllThatRunHasAThreadBesideThem) {
    std::atomic<int> begun{0};
    std::promise<void> laterRun;
    {
        TakenThreads taken(JobKind::EXECUTION, {.priority = Priority::LOW, .deadline = {}});
        const auto submit = [&](Priority priority, Job job) {
            ASSERT_TRUE(taken.client.trySubmit(
                JobKind::EXECUTION, {.priority = priority, .deadline = {}}, std::move(job)));
        };
        submit(Priority::LOW, taken.keepingItsThread(begun));
        submit(Priority::HIGH, taken.keepingItsThread(begun));
        submit(Priority::HIGH, taken.keepingItsThread(begun));
        EXPECT_TRUE(test::eventually([&] { return begun == 1; }));
        // That of another client runs after those that may.
        Scheduler::Client other(taken.scheduler);
        ASSERT_TRUE(other.trySubmit(JobKind::EXECUTION, {}, [&laterRun] { laterRun.set_value(); }));
        laterRun.get_future().wait();
        EXPECT_EQ(begun, 1);
    }
    EXPECT_EQ(begun, 3);
}

/// The thread of the job that ends takes the one that has waited for long enough to come first. The
/// one behind it is then more urgent than all that run.
TEST(Scheduler, aJobThatIsMoreUrgentThanThoseThatRunOnHasAThreadBesideThem) {
    std::promise<void> endFirst;
    std::promise<void> endOthers;
    const std::shared_future<void> othersEnded = endOthers.get_future().share();
    std::promise<void> run;
    std::latch begun(2);
    const std::shared_ptr<Scheduler> scheduler =
        std::move(*Scheduler::create("test", {.threads = 16, .threadsPerClient = 2}));
    Scheduler::Client client(scheduler);
    const auto submit = [&](Priority priority, Job job) {
        ASSERT_TRUE(client.trySubmit(JobKind::EXECUTION, {.priority = priority, .deadline = {}},
                                     std::move(job)));
    };
    submit(Priority::MEDIUM, [&, firstEnded = endFirst.get_future().share()] {
        begun.count_down();
        firstEnded.wait();
    });
    submit(Priority::LOW, [&begun, othersEnded] {
        begun.count_down();
        othersEnded.wait();
    });
    begun.wait();
    submit(Priority::LOW, [othersEnded] { othersEnded.wait(); });
    std::this_thread::sleep_for(exec::kPromotionTime);
    submit(Priority::MEDIUM, [&run] { run.set_value(); });
    endFirst.set_value();
    EXPECT_EQ(run.get_future().wait_for(20s), std::future_status::ready);
    endOthers.set_value();
}

TEST(Scheduler, controlJobsWaitForNeitherPreparationsNorExecutions) {
    for (const JobKind kind : {JobKind::PREPARATION, JobKind::EXECUTION}) {
        std::promise<void> run;
        TakenThreads taken(kind);
        ASSERT_TRUE(taken.client.trySubmit(JobKind::CONTROL, {}, [&run] { run.set_value(); }));
        EXPECT_EQ(run.get_future().wait_for(20s), std::future_status::ready);
    }
}

TEST(Scheduler, acceptedJobsAreNotRefusedAndTakeNoRoomOfOthers) {
    std::atomic<std::size_t> runCount{0};
    {
        TakenThreads taken(JobKind::EXECUTION);
        for (std::size_t i = 0; i < 2 * Scheduler::Limits().waitingJobs; ++i) {
            ASSERT_TRUE(
                taken.client.submitAccepted(JobKind::EXECUTION, {}, [&runCount] { ++runCount; }));
        }
        EXPECT_TRUE(taken.scheduler->isBusy());
        Scheduler::Client other(taken.scheduler);
        EXPECT_TRUE(other.trySubmit(JobKind::EXECUTION, {}, [] {}));
    }
    EXPECT_EQ(runCount, 2 * Scheduler::Limits().waitingJobs);
}

}  // namespace
}  // namespace nnburst::device
