// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/interruption.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>

namespace nnburst::system {
namespace {

void blockSigurg() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGURG);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool isSigurgBlocked() {
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return ::sigismember(&blocked, SIGURG) == 1;
}

bool isSleepInterrupted() {
    const timespec minute{.tv_sec = 60, .tv_nsec = 0};
    return ::nanosleep(&minute, nullptr) != 0 && errno == EINTR;
}

void handlerOfTheProgram(int /*signal*/) {}

int keepsTheProgramsHandlerAndMask() {
    struct sigaction own {};
    own.sa_handler = handlerOfTheProgram;
    own.sa_flags = SA_RESTART;
    ::sigaction(SIGURG, &own, nullptr);
    blockSigurg();
    { const ScopedInterruption interruption; }
    struct sigaction found {};
    ::sigaction(SIGURG, nullptr, &found);
    if (found.sa_handler != handlerOfTheProgram || (found.sa_flags & SA_RESTART) == 0) {
        return 1;
    }
    return isSigurgBlocked() ? 0 : 2;
}

TEST(ScopedInterruption, leavesTheProgramItsHandlerAndTheThreadItsMask) {
    EXPECT_EXIT(std::_Exit(keepsTheProgramsHandlerAndMask()), testing::ExitedWithCode(0), "");
}

int interruptsAgainAndAgain() {
    blockSigurg();
    for (int i = 0; i < 2; ++i) {
        const ScopedInterruption outer;
        { const ScopedInterruption inner; }
        if (!isSleepInterrupted()) {
            return 1;
        }
    }
    return isSigurgBlocked() ? 0 : 2;
}

TEST(ScopedInterruption, interruptsAThreadThatBlocksItsSignal) {
    EXPECT_EXIT(std::_Exit(interruptsAgainAndAgain()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace nnburst::system
