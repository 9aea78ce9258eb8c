// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/scheduling.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "system/affinity.h"
#include "system/thread.h"

namespace nnburst::system {
namespace {

using namespace std::chrono_literals;

/// Of the calling thread. Zero where Linux has none for threads.
std::chrono::nanoseconds timeSlice() {
    std::array<std::uint64_t, 6> attributes{};  // sched_attr
    constexpr std::size_t kRuntime = 3;
    EXPECT_EQ(::syscall(SYS_sched_getattr, 0, attributes.data(), sizeof(attributes), 0), 0);
    return std::chrono::nanoseconds(attributes[kRuntime]);
}

int niceValue() {
    return ::getpriority(PRIO_PROCESS, 0);
}

TEST(Scheduling, aTimeSliceLastsUntilItsScopeEnds) {
    const std::chrono::nanoseconds usual = timeSlice();
    if (usual == 0ns) {
        GTEST_SKIP() << "this Linux has no time slices of threads (since 6.12)";
    }
    {
        const ScopedTimeSlice outer(kShortTimeSlice);
        EXPECT_EQ(timeSlice(), kShortTimeSlice);
        {
            const ScopedTimeSlice inner(kBackgroundTimeSlice);
            EXPECT_EQ(timeSlice(), kBackgroundTimeSlice);
            const ScopedTimeSlice innermost(kBackgroundTimeSlice);
            EXPECT_EQ(timeSlice(), kBackgroundTimeSlice);
        }
        EXPECT_EQ(timeSlice(), kShortTimeSlice);
    }
    EXPECT_EQ(timeSlice(), usual);
}

TEST(Scheduling, threadsOfTheLibraryHaveAShortTimeSlice) {
    if (timeSlice() == 0ns) {
        GTEST_SKIP() << "this Linux has no time slices of threads (since 6.12)";
    }
    std::chrono::nanoseconds slice{};
    auto thread = startThread("test", [&slice] { slice = timeSlice(); });
    ASSERT_TRUE(thread) << thread.error().message;
    thread->join();
    EXPECT_EQ(slice, kShortTimeSlice);
}

TEST(Scheduling, aLowPriorityEndsWithItsScope) {
    const int before = niceValue();
    bool isLow = false;
    {
        const ScopedLowPriority low;
        isLow = niceValue() == 10;
    }
    EXPECT_EQ(niceValue(), before);
    if (!isLow) {
        GTEST_SKIP()
            << "this process may not set a nice value back: it has neither CAP_SYS_NICE nor "
               "an RLIMIT_NICE of 20";
    }
}

TEST(Scheduling, aLowPriorityHasATimeSliceOfItsOwn) {
    const std::chrono::nanoseconds usual = timeSlice();
    if (usual == 0ns) {
        GTEST_SKIP() << "this Linux has no time slices of threads (since 6.12)";
    }
    {
        const ScopedLowPriority low;
        EXPECT_EQ(timeSlice(), kBackgroundTimeSlice);
        { const ScopedLowPriority again; }
        EXPECT_EQ(timeSlice(), kBackgroundTimeSlice);
    }
    EXPECT_EQ(timeSlice(), usual);
}

/// Two threads that compute on one processor. Of 200 calls of letOthersRun by one of them:
/// during how many the other ran.
int callsThatLetTheOtherRun(bool hasLowPriority) {
    constexpr int kCalls = 200;
    const std::vector<std::uint32_t> one{usableProcessors().front()};
    std::atomic<bool> isOver{false};
    std::atomic<std::uint64_t> progress{0};
    int letRun = 0;
    std::thread other([&] {
        runOn(one);
        while (!isOver) {
            progress.fetch_add(1);
        }
    });
    std::thread([&] {
        runOn(one);
        std::optional<ScopedLowPriority> low(std::in_place);
        {
            const ScopedTimeSlice slice(kShortTimeSlice);
            const ScopedLowPriority again;
        }
        if (!hasLowPriority) {
            low.reset();
        }
        while (progress == 0) {
        }
        for (int call = 0; call < kCalls; ++call) {
            const auto end = std::chrono::steady_clock::now() + 200us;
            while (std::chrono::steady_clock::now() < end) {
            }
            const std::uint64_t before = progress;
            letOthersRun();
            if (progress != before) {
                ++letRun;
            }
        }
    }).join();
    isOver = true;
    other.join();
    return letRun;
}

TEST(Scheduling, aThreadOfLowPriorityLetsOthersRun) {
    // Beside other programs that compute on that processor they are fewer. Without yielding there
    // is none.
    EXPECT_GE(callsThatLetTheOtherRun(true), 5);
}

TEST(Scheduling, aThreadOfUsualPriorityKeepsItsProcessor) {
    EXPECT_LT(callsThatLetTheOtherRun(false), 5);
}

int policy() {
    return ::sched_getscheduler(0);
}

TEST(Scheduling, aBackgroundPriorityEndsWithItsScopeAndIsNotInherited) {
    const int before = niceValue();
    bool isIdle = false;
    {
        const ScopedBackgroundPriority background;
        isIdle = policy() == SCHED_IDLE;
        {
            const ScopedBackgroundPriority again;
            const ScopedLowPriority low;
        }
        EXPECT_EQ(policy() == SCHED_IDLE, isIdle);
        int started = -1;
        int nice = -1;
        auto thread = startThread("test", [&] {
            started = policy();
            nice = niceValue();
        });
        ASSERT_TRUE(thread) << thread.error().message;
        thread->join();
        EXPECT_EQ(started, SCHED_OTHER);
        EXPECT_EQ(nice, before);
    }
    EXPECT_EQ(policy(), SCHED_OTHER);
    EXPECT_EQ(niceValue(), before);
    if (!isIdle) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
}

TEST(Scheduling, aBackgroundPriorityIsALowOneWhileItGetsTooLittle) {
    std::atomic<bool> isOver{false};
    std::atomic<bool> wasLow{false};
    std::atomic<bool> wasIdleAgain{false};
    const std::vector<std::uint32_t> one{usableProcessors().front()};
    std::thread busy([&] {
        runOn(one);
        while (!isOver) {
        }
    });
    bool isIdle = false;
    std::thread([&] {
        runOn(one);
        const ScopedBackgroundPriority background;
        isIdle = policy() == SCHED_IDLE;
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (isIdle && !wasIdleAgain && std::chrono::steady_clock::now() < end) {
            letOthersRun();
            if (policy() == SCHED_OTHER) {
                EXPECT_EQ(niceValue(), 10);
                wasLow = true;
                isOver = true;  // from here on it gets all of the processor
            } else if (wasLow) {
                wasIdleAgain = true;
            }
        }
    }).join();
    isOver = true;
    busy.join();
    if (!isIdle) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
    EXPECT_TRUE(wasLow);
    EXPECT_TRUE(wasIdleAgain);
}

TEST(Scheduling, aModestPriorityIsHighWhileTheThreadComputesLittle) {
    const int usual = niceValue();
    int high = usual;
    {
        const ScopedHighPriority scope;
        high = niceValue();
    }
    if (high == usual) {
        GTEST_SKIP() << "this process may not lower its nice value";
    }
    ScopedAdaptivePriority priority;
    EXPECT_EQ(niceValue(), high);
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (niceValue() == high && std::chrono::steady_clock::now() < end) {
        priority.look();
    }
    EXPECT_EQ(niceValue(), usual) << "it has computed without a pause";
    while (niceValue() == usual && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(20ms);
        priority.look();
    }
    EXPECT_EQ(niceValue(), high);
}

TEST(Scheduling, aLowPriorityKeepsALowerOne) {
    if (niceValue() != 0) {
        GTEST_SKIP() << "the nice value of this process is " << niceValue();
    }
    ASSERT_EQ(::setpriority(PRIO_PROCESS, 0, 15), 0);
    {
        const ScopedLowPriority low;
        EXPECT_EQ(niceValue(), 15);
    }
    EXPECT_EQ(niceValue(), 15);
    (void)::setpriority(PRIO_PROCESS, 0, 0);  // where it may
}

/// What a new thread, and a thread of the library, find as theirs.
struct StartedThreads {
    int nice = 0;
    std::chrono::nanoseconds slice{};
};

StartedThreads startThreads() {
    StartedThreads found;
    std::thread([&found] { found.nice = niceValue(); }).join();
    auto thread = startThread("test", [&found] { found.slice = timeSlice(); });
    EXPECT_TRUE(thread) << thread.error().message;
    thread->join();
    return found;
}

TEST(Scheduling, aHighPriorityIsOfItsThreadAloneAndEndsWithItsScope) {
    if (niceValue() != 0) {
        GTEST_SKIP() << "the nice value of this process is " << niceValue();
    }
    const ScopedTimeSlice slice(kBackgroundTimeSlice);
    const std::chrono::nanoseconds sliceBefore = timeSlice();
    bool isHigh = false;
    {
        const ScopedHighPriority high;
        isHigh = niceValue() == -10;
        EXPECT_EQ(timeSlice(), sliceBefore);
        const StartedThreads found = startThreads();
        EXPECT_EQ(found.nice, 0);
        if (timeSlice() != 0ns) {
            EXPECT_EQ(found.slice, kShortTimeSlice);
        }
    }
    EXPECT_EQ(niceValue(), 0);
    if (!isHigh) {
        GTEST_SKIP() << "this process may not lower its nice value: it has neither CAP_SYS_NICE "
                        "nor an RLIMIT_NICE of 30";
    }
}

TEST(Scheduling, aHighPriorityKeepsWhatTheUserHasSaid) {
    const ScopedLowPriority low;
    const int before = niceValue();
    if (before == 0) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
    const ScopedHighPriority high;
    EXPECT_EQ(niceValue(), before);
}

/// The nice value of a thread of the library that the calling thread starts.
int niceOfStartedThread() {
    int nice = 0;
    auto thread = startThread("test", [&nice] { nice = niceValue(); });
    EXPECT_TRUE(thread) << thread.error().message;
    thread->join();
    return nice;
}

TEST(Scheduling, startedThreadsDoNotInheritALowPriority) {
    const int before = niceValue();
    {
        const ScopedHighPriority high;
        const ScopedLowPriority low;
        {
            const ScopedLowPriority again;
            EXPECT_EQ(niceOfStartedThread(), before);
        }
        EXPECT_EQ(niceOfStartedThread(), before);
        if (niceValue() == before) {
            GTEST_SKIP() << "this process may not set a nice value back";
        }
    }
    EXPECT_EQ(niceOfStartedThread(), before);
}

TEST(Scheduling, startedThreadsInheritWhatTheUserHasSaid) {
    std::thread([] {
        ASSERT_EQ(::setpriority(PRIO_PROCESS, 0, 15), 0);
        EXPECT_EQ(niceOfStartedThread(), 15);
    }).join();
}

TEST(Scheduling, aTimeSliceKeepsALowPriority) {
    const ScopedLowPriority low;
    const int before = niceValue();
    const ScopedTimeSlice slice(kBackgroundTimeSlice);
    EXPECT_EQ(niceValue(), before);
}

}  // namespace
}  // namespace nnburst::system
