// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The pool itself: who does the work, when workers sleep, and what that costs.

#include "exec/pool/thread_pool.h"

#include <gtest/gtest.h>
#include <immintrin.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "support/sanitizers.h"
#include "support/system_call_counter.h"

namespace nnburst::exec {
namespace {

/// The system ends this program where one of its tests, also of other files, waits for ever.
class Watchdog final : public testing::EmptyTestEventListener {
  public:
    void OnTestStart(const testing::TestInfo& /*test*/) override { ::alarm(kSeconds); }
    void OnTestEnd(const testing::TestInfo& /*test*/) override { ::alarm(0); }

  private:
    static constexpr unsigned kSeconds = 60;
};

[[maybe_unused]] const bool hasWatchdog = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new Watchdog);
    return true;
}();

/// Counts how often each index was done.
struct Counts {
    explicit Counts(std::size_t count) : done(count) {}

    static void add(const void* counts, std::size_t /*thread*/, std::size_t begin,
                    std::size_t end) {
        auto& done = static_cast<const Counts*>(counts)->done;
        for (std::size_t i = begin; i < end; ++i) {
            ++done[i];  // plain, so that race detectors see an index that two threads do
        }
    }

    [[nodiscard]] bool eachIs(int number) const {
        return std::all_of(done.begin(), done.end(), [&](int one) { return one == number; });
    }

    mutable std::vector<int> done;
};

TEST(ThreadPool, doesEachIndexOnceWhetherWorkersSpinOrSleep) {
    std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same on every run
    for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
        const auto pool = ThreadPool::create(threads);
        ASSERT_NE(pool, nullptr);
        for (int operation = 0; operation < 300; ++operation) {
            const Counts counts(random() % 40);
            pool->run(counts.done.size(), &Counts::add, &counts, false);
            ASSERT_TRUE(counts.eachIs(1)) << threads << " threads, operation " << operation;
            if (operation % 50 == 0) {
                std::this_thread::sleep_for(2 * ThreadPool::kSpinTime);
            }
        }
    }
}

/// A task that is done when all threads are in it. Only the first operator of a pool is certain to
/// have all threads: later ones are done by the caller alone if a worker loses its processor.
struct Meeting {
    static void attend(const void* meeting, std::size_t thread, std::size_t /*begin*/,
                       std::size_t /*end*/) {
        const auto& self = *static_cast<const Meeting*>(meeting);
        self.threads.fetch_or(1U << thread);
        self.present.fetch_add(1);
        while (self.present.load() < self.expected) {
            std::this_thread::yield();
        }
    }

    int expected;
    mutable std::atomic<unsigned> threads{0};
    mutable std::atomic<int> present{0};
};

TEST(ThreadPool, givesEachThreadAnIndexOfItsOwn) {
    for (int times = 0; times < 20; ++times) {
        const auto pool = ThreadPool::create(3);
        const Meeting meeting{.expected = 3};
        pool->run(3, &Meeting::attend, &meeting, false);
        EXPECT_EQ(meeting.threads.load(), 0b111U);
    }
}

TEST(ThreadPool, doesTheWorkOfATaskOnTheThreadOfThatTask) {
    /// Work of which both threads have some at the same time.
    struct Inner {
        static void run(const void* inner, std::size_t thread, std::size_t begin, std::size_t end) {
            const auto& self = *static_cast<const Inner*>(inner);
            if (begin == 0) {
                Meeting::attend(&self.meeting, thread, begin, end);
            }
            Counts::add(&self.counts, thread, begin, end);
        }
        const Meeting& meeting;
        Counts counts;
    };
    struct Outer {
        static void run(const void* outer, std::size_t thread, std::size_t begin, std::size_t end) {
            const auto& self = *static_cast<const Outer*>(outer);
            Meeting::attend(&self.meeting, thread, begin, end);
            const Inner inner{self.innerMeeting, Counts(1000)};
            self.pool.run(1000, &Inner::run, &inner, false);
            if (!inner.counts.eachIs(1)) {
                self.isRight = false;
            }
        }
        ThreadPool& pool;
        Meeting meeting{.expected = 2};
        Meeting innerMeeting{.expected = 2};
        mutable std::atomic<bool> isRight{true};
    };
    const auto pool = ThreadPool::create(2);
    const Outer outer{*pool};
    pool->run(2, &Outer::run, &outer, false);
    EXPECT_TRUE(outer.isRight);
}

TEST(ThreadPool, servesSeveralCallersAtOnce) {
    const auto pool = ThreadPool::create(2);
    std::vector<std::thread> callers;
    std::atomic<bool> isRight{true};
    for (int caller = 0; caller < 3; ++caller) {
        callers.emplace_back([&] {
            for (int operation = 0; operation < 200; ++operation) {
                const Counts counts(1000);
                pool->run(1000, &Counts::add, &counts, false);
                if (!counts.eachIs(1)) {
                    isRight = false;
                }
            }
        });
    }
    for (std::thread& caller : callers) {
        caller.join();
    }
    EXPECT_TRUE(isRight);
}

TEST(ThreadPool, flushesDenormalsOnAllThreadsIfAskedToAndOnlyMeanwhile) {
    struct Halving {
        static void run(const void* halving, std::size_t thread, std::size_t begin,
                        std::size_t end) {
            const auto& self = *static_cast<const Halving*>(halving);
            self.results[thread] = self.smallestNormal / 2;
            Meeting::attend(&self.meeting, thread, begin, end);
        }
        volatile float smallestNormal = std::numeric_limits<float>::min();
        mutable std::array<float, 2> results{-1, -1};
        Meeting meeting{.expected = 2};
    };
    for (const bool isFlushing : {true, false, true, false}) {
        const auto pool = ThreadPool::create(2);
        const Halving halving;
        pool->run(2, &Halving::run, &halving, isFlushing);
        for (const float result : halving.results) {
            EXPECT_EQ(result == 0, isFlushing);
        }
        EXPECT_GT(halving.smallestNormal / 2, 0) << "on this thread, after the work";
    }
}

TEST(ThreadPool, wakesWorkersThatSleepAndACallerThatSleeps) {
    struct Slow {
        static void run(const void* slow, std::size_t thread, std::size_t begin, std::size_t end) {
            Meeting::attend(&static_cast<const Slow*>(slow)->meeting, thread, begin, end);
            if (thread != 0) {
                std::this_thread::sleep_for(20 * ThreadPool::kSpinTime);
            }
        }
        Meeting meeting{.expected = 2};
    };
    const auto pool = ThreadPool::create(2);
    std::this_thread::sleep_for(20 * ThreadPool::kSpinTime);  // the worker sleeps
    const Slow slow;
    pool->run(2, &Slow::run, &slow, false);
    EXPECT_EQ(slow.meeting.threads.load(), 0b11U);
}

TEST(ThreadPool, makesNoSystemCallsBetweenOperators) {
    if (test::kHasSanitizer) {
        GTEST_SKIP() << "a sanitizer makes system calls of its own";
    }
    constexpr int kOperators = 2000;
    constexpr int kCannotCount = 2;
    const pid_t child = ::fork();
    if (child == 0) {
        const auto pool = ThreadPool::create(2);
        const Counts counts(8);
        const auto run = [&](int times) {
            for (int operation = 0; operation < times; ++operation) {
                pool->run(8, &Counts::add, &counts, false);
            }
        };
        const Meeting meeting{.expected = 2};
        pool->run(2, &Meeting::attend, &meeting, false);  // the worker has started
        run(100);
        if (!test::countAllSystemCallsFromNow()) {
            ::_exit(kCannotCount);
        }
        run(kOperators);
        // Both sides sleep only where the system takes their processors.
        const test::SeccompCounts calls = test::systemCalls();
        ::_exit(calls.futexes + calls.others < kOperators / 4 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kCannotCount) {
        GTEST_SKIP() << "system calls cannot be counted here";
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace nnburst::exec
