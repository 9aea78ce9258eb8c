// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include "supervisor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "driver_usage.h"

namespace nnburst::stress {
namespace {

using namespace std::chrono_literals;

CaseResult resultOf(const std::function<CaseResult()>& body,
                    std::chrono::milliseconds bound = 60s) {
    return runInProcess({"case", "", [body](std::chrono::milliseconds) { return body(); }}, 1ms,
                        bound);
}

TEST(Supervisor, givesWhatACaseMeasured) {
    const CaseResult result = resultOf([] {
        CaseResult measured;
        measured.alone = {.executions = 10, .p99Us = 2};
        measured.beside = {.executions = 10, .p99Us = 6, .firstFailure = "\xff quoted \""};
        measured.after.memoryBytes = 7;
        measured.notes = "counted";
        return measured;
    });
    EXPECT_EQ(result.outcome, Outcome::SUCCESS);
    EXPECT_EQ(result.ratio(), 3.0);
    EXPECT_EQ(result.after.memoryBytes, 7U);
    EXPECT_EQ(result.notes, "counted");
}

TEST(Supervisor, givesTheReasonOfAFailure) {
    const CaseResult result = resultOf([] {
        CaseResult failed;
        failed.fail(Outcome::FAILURE, "first");
        failed.fail(Outcome::FAILURE, "second");
        return failed;
    });
    EXPECT_EQ(result.outcome, Outcome::FAILURE);
    EXPECT_EQ(result.reason, "first");
}

TEST(Supervisor, callsACaseThatEndsByASignalACrash) {
    const CaseResult result = resultOf([]() -> CaseResult {
        ::kill(::getpid(), SIGKILL);
        ::pause();
        return {};
    });
    EXPECT_EQ(result.outcome, Outcome::CRASH);
}

TEST(Supervisor, callsACaseThatDoesNotEndAHang) {
    const CaseResult result = resultOf(
        []() -> CaseResult {
            while (true) {
                ::pause();
            }
        },
        50ms);
    EXPECT_EQ(result.outcome, Outcome::HANG);
}

TEST(CaseResult, keepsTheReasonOfTheWorstOutcome) {
    CaseResult result;
    result.fail(Outcome::FAILURE, "a wrong result");
    result.fail(Outcome::CRASH, "a crash");
    result.fail(Outcome::HANG, "a hang");
    EXPECT_EQ(result.outcome, Outcome::CRASH);
    EXPECT_EQ(result.reason, "a crash");
}

TEST(Usage, ofThisProcessIsWhatItHolds) {
    const Usage before = usageOf(::getpid());
    EXPECT_GT(before.memoryBytes, 0U);
    EXPECT_GE(before.threads, 1U);
    const int fd = ::dup(0);
    EXPECT_EQ(usageOf(::getpid()).descriptors, before.descriptors + 1);
    ::close(fd);
}

TEST(Usage, exceedsWhatItWasByMoreThanItsSlackOnly) {
    const Usage before{.memoryBytes = 100 << 20, .descriptors = 10};
    Usage after = before;
    after.memoryBytes += (10 << 20) + kMemorySlackBytes;
    after.descriptors += kCountSlack;
    EXPECT_EQ(excess(before, after), "");
    after.descriptors += 1;
    EXPECT_NE(excess(before, after).find("descriptors 10 -> 19, at most 18"), std::string::npos);
    after.memoryBytes += 1;
    EXPECT_NE(excess(before, after).find("memory bytes"), std::string::npos);
}

}  // namespace
}  // namespace nnburst::stress
