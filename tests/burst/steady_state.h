// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The means by which tests show that executions in the steady state take no system call and no
/// heap allocation. Both ends of a burst run in one forked child, so that one count covers both.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "support/allocation_counter.h"
#include "support/system_call_counter.h"

namespace nnburst::test {

inline constexpr int kExecutions = 2000;

/// Futex calls, and the fences of sleeping threads, are allowed in the few executions in which the
/// machine kept one side from running for longer than the other spins. More of them, and all other
/// calls, would be calls of the path itself.
inline constexpr std::uint64_t kUnluckyExecutions = kExecutions / 10;

/// Waits until all threads of this process but the caller sleep.
inline void waitForSleepOfOthers() {
    const auto isAwake = [](const std::filesystem::directory_entry& thread) {
        std::ifstream file(thread.path() / "stat");
        std::string stat;
        std::getline(file, stat);
        const std::size_t state = stat.rfind(") ") + 2;
        return thread.path().filename() != std::to_string(::gettid()) && stat.size() > state &&
               stat[state] != 'S';
    };
    while (std::ranges::any_of(std::filesystem::directory_iterator("/proc/self/task"), isAwake)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// Client and driver run on processors of their own if there are two: on one they would rightly
/// sleep. A thread starts with the processors of its creator, so the driver's end is made in
/// `onDriversOwn`. Gives the thread its processors back when it is destroyed.
class ProcessorsOfBothEnds {
  public:
    ProcessorsOfBothEnds() {
        CPU_ZERO(&all_);
        EXPECT_EQ(::sched_getaffinity(0, sizeof(all_), &all_), 0);
    }
    ~ProcessorsOfBothEnds() { ::sched_setaffinity(0, sizeof(all_), &all_); }
    ProcessorsOfBothEnds(const ProcessorsOfBothEnds&) = delete;
    ProcessorsOfBothEnds& operator=(const ProcessorsOfBothEnds&) = delete;

    template <class Start>
    void onDriversOwn(Start start) const {
        cpu_set_t driversOwn;
        CPU_ZERO(&driversOwn);
        cpu_set_t others = all_;
        if (CPU_COUNT(&all_) > 1) {
            int first = 0;
            while (!CPU_ISSET(first, &all_)) {
                ++first;
            }
            CPU_SET(first, &driversOwn);
            CPU_CLR(first, &others);
            ::sched_setaffinity(0, sizeof(driversOwn), &driversOwn);
        }
        start();
        ::sched_setaffinity(0, sizeof(others), &others);
    }

  private:
    cpu_set_t all_{};
};

/// Expects that kExecutions, which `executeMany` makes and returns whether it could, take no heap
/// memory after `warmUp`. For programs that link allocation_counter.cpp.
template <class WarmUp, class ExecuteMany>
void expectNoAllocation(WarmUp warmUp, ExecuteMany executeMany) {
    if (!kCountsAllocations) {
        GTEST_SKIP() << "sanitizers bring their own allocator";
    }
    warmUp();
    const std::uint64_t before = allocationCount();
    ASSERT_TRUE(executeMany());
    EXPECT_EQ(allocationCount() - before, 0U);
}

/// Expects that kExecutions, which `executeMany` makes and returns whether it could, take no system
/// call after `warmUp`.
template <class WarmUp, class ExecuteMany>
void expectNoSystemCall(WarmUp warmUp, ExecuteMany executeMany) {
    if (kHasSanitizer) {
        GTEST_SKIP() << "sanitizers make system calls of their own";
    }
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        warmUp();
        if (!countAllSystemCallsFromNow()) {
            ::_exit(77);
        }
        const bool isDone = executeMany();
        const SeccompCounts calls = systemCalls();
        const bool isSilent = calls.others == 0 && calls.futexes <= kUnluckyExecutions &&
                              calls.fences <= kUnluckyExecutions;
        if (!isDone || !isSilent) {
            std::fprintf(stderr, "%llu futex calls, %llu fences, %llu other calls, done %d\n",
                         static_cast<unsigned long long>(calls.futexes),
                         static_cast<unsigned long long>(calls.fences),
                         static_cast<unsigned long long>(calls.others), isDone);
        }
        ::_exit(isDone && isSilent ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == 77) {
        GTEST_SKIP() << "the kernel does not allow seccomp filters here";
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

/// The same of executions that a driver process makes.
template <class WarmUp, class ExecuteMany>
void expectNoSystemCallOfBurst(WarmUp warmUp, ExecuteMany executeMany) {
    cpu_set_t processors;
    ASSERT_EQ(::sched_getaffinity(0, sizeof(processors), &processors), 0);
    if (CPU_COUNT(&processors) == 1) {
        GTEST_SKIP() << "both ends of a burst have the same processor here, so they sleep";
    }
    expectNoSystemCall(std::move(warmUp), std::move(executeMany));
}

}  // namespace nnburst::test
