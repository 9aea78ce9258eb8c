// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/scheduling.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <thread>

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
            const ScopedTimeSlice inner(kLongTimeSlice);
            EXPECT_EQ(timeSlice(), kLongTimeSlice);
            const ScopedTimeSlice innermost(kLongTimeSlice);
            EXPECT_EQ(timeSlice(), kLongTimeSlice);
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

TEST(Scheduling, aLowPriorityHasALongTimeSlice) {
    const std::chrono::nanoseconds usual = timeSlice();
    if (usual == 0ns) {
        GTEST_SKIP() << "this Linux has no time slices of threads (since 6.12)";
    }
    {
        const ScopedLowPriority low;
        EXPECT_EQ(timeSlice(), kLongTimeSlice);
        { const ScopedLowPriority again; }
        EXPECT_EQ(timeSlice(), kLongTimeSlice);
    }
    EXPECT_EQ(timeSlice(), usual);
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
    const ScopedTimeSlice slice(kLongTimeSlice);
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
    const ScopedTimeSlice slice(kLongTimeSlice);
    EXPECT_EQ(niceValue(), before);
}

}  // namespace
}  // namespace nnburst::system
