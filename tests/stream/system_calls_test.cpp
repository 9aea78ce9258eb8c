// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/system_calls.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace nnburst::tools {
namespace {

void callTimes(int times) {
    for (int i = 0; i < times; ++i) {
        (void)::syscall(SYS_getppid);
    }
}

class CountSystemCalls : public testing::Test {
  protected:
    void SetUp() override {
        const auto traced = countSystemCalls([] { return Result<>(); });
        if (!traced) {
            GTEST_SKIP() << traced.error().message;
        }
    }
};

TEST_F(CountSystemCalls, countsThoseBetweenMarksOfBothProcesses) {
    const auto sections = countSystemCalls([]() -> Result<> {
        markSystemCalls();
        callTimes(12);
        markSystemCalls(77);
        const pid_t child = ::fork();
        if (child == 0) {
            callTimes(30);
            ::_exit(0);
        }
        ::waitpid(child, nullptr, 0);
        markSystemCalls();
        return {};
    });
    ASSERT_TRUE(sections) << sections.error().message;
    ASSERT_EQ(sections->size(), 4U);
    EXPECT_EQ((*sections)[1].own, 12U);
    EXPECT_EQ((*sections)[1].value, 77U);
    EXPECT_EQ((*sections)[1].descendants, 0U);
    EXPECT_GE((*sections)[2].descendants, 30U);
    EXPECT_LT((*sections)[2].own, 30U);
}

TEST_F(CountSystemCalls, givesTheErrorOfWhatItRuns) {
    const auto sections = countSystemCalls(
        [] { return Result<>(failure(ErrorStatus::INVALID_ARGUMENT, "no luck")); });
    ASSERT_FALSE(sections);
    EXPECT_EQ(sections.error().message, "the traced child failed: no luck");
}

TEST_F(CountSystemCalls, saysThatWhatItRunsWasKilled) {
    const auto sections = countSystemCalls([]() -> Result<> {
        ::kill(::getpid(), SIGKILL);
        return {};
    });
    ASSERT_FALSE(sections);
    EXPECT_EQ(sections.error().message, "the traced child failed: it was killed");
}

// As of a program that has replaced a shell with jobs in the background.
TEST_F(CountSystemCalls, leavesOtherChildrenAlone) {
    const pid_t other = ::fork();
    if (other == 0) {
        for (;;) {
            ::pause();
        }
    }
    ASSERT_GT(other, 0);
    const pid_t ended = ::fork();
    if (ended == 0) {
        ::_exit(7);
    }
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT), 0);
    EXPECT_TRUE(countSystemCalls([] { return Result<>(); }));
    int status = 0;
    EXPECT_EQ(::waitpid(ended, &status, 0), ended);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    ::kill(other, SIGKILL);
    EXPECT_EQ(::waitpid(other, &status, 0), other);
    EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace
}  // namespace nnburst::tools
