// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include <cstddef>
#include <new>
#include <string>

#include "support/exhausted_memory.h"

namespace nnburst::system {
namespace {

sigset_t blockedSignals() {
    sigset_t blocked;
    EXPECT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
    return blocked;
}

TEST(Threads, blockTheSignalsOfTheProcessAndTakeTheirOwnFaults) {
    sigset_t blocked;
    auto thread = startThread("test", [&blocked] { blocked = blockedSignals(); });
    ASSERT_TRUE(thread) << thread.error().message;
    thread->join();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGPROF}) {
        EXPECT_EQ(::sigismember(&blocked, signal), 1) << ::strsignal(signal);
    }
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
        EXPECT_EQ(::sigismember(&blocked, signal), 0) << ::strsignal(signal);
    }
}

TEST(Threads, leaveTheSignalsOfTheirStarterAsTheyAre) {
    auto thread = startThread("test", [] {});
    ASSERT_TRUE(thread) << thread.error().message;
    thread->join();
    const sigset_t blocked = blockedSignals();
    EXPECT_EQ(::sigismember(&blocked, SIGTERM), 0);
}

/// There is no memory for a copy of the thread's name.
int leavesTheSignalsOfAStarterWithoutMemory() {
    const std::string name(std::size_t{64} << 20, 'n');
    test::stopGrowth();
    try {
        (void)startThread(name, [] {});
        return 2;
    } catch (const std::bad_alloc&) {
        const sigset_t blocked = blockedSignals();
        return ::sigismember(&blocked, SIGTERM);
    }
}

TEST(Threads, leaveTheSignalsOfTheirStarterWhereThereIsNoMemoryForThem) {
    EXPECT_EXIT_STATUS(leavesTheSignalsOfAStarterWithoutMemory, 0);
}

}  // namespace
}  // namespace nnburst::system
