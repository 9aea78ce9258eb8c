// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/pending_executions.h"

#include <gtest/gtest.h>

#include "burst/slot_table.h"

namespace nnburst::burst {
namespace {

/// Sends an execution whose frame names slots of `slotVersion`.
PendingExecution& send(PendingExecutions& pending, std::uint64_t serial,
                       std::uint64_t slotVersion) {
    static const Request request;
    static ExecutionOutcome outcome;
    PendingExecution& execution = *pending.findFree();
    PendingExecutions::prepare(execution, request, nullptr, outcome);
    execution.serial = serial;
    execution.slotVersion = slotVersion;
    pending.markSent(execution);
    return execution;
}

TEST(PendingExecutions, knowTheOldestSlotsThatTheDriverMayStillRead) {
    PendingExecutions pending(4, 1000);
    EXPECT_EQ(pending.oldestSlotVersion(), SlotTable::kNothingInFlight);
    (void)send(pending, 1, 5);
    PendingExecution& oldest = send(pending, 2, 3);
    (void)send(pending, 3, 7);
    EXPECT_EQ(pending.oldestSlotVersion(), 3U);
    pending.markEnded(oldest);
    EXPECT_EQ(pending.oldestSlotVersion(), 5U);
}

TEST(PendingExecutions, countThoseThatWereGivenUpUntilALaterResultComes) {
    PendingExecutions pending(4, 1000);
    PendingExecution& first = send(pending, 1, 2);
    pending.giveUp(first);
    pending.markEnded(first);
    (void)send(pending, 2, 4);
    EXPECT_EQ(pending.oldestSlotVersion(), 2U);
    pending.resultArrived(2);
    EXPECT_EQ(pending.oldestSlotVersion(), 4U);
    EXPECT_FALSE(pending.hasGivenUp());
}

TEST(PendingExecutions, areAnsweredByNoResultWhereTheyWentOverTheControlPlane) {
    PendingExecutions pending(4, 1000);
    const auto answered = std::make_shared<std::atomic<bool>>(false);
    PendingExecution& first = send(pending, 1, 2);
    pending.giveUp(UnansweredOutputs::entryOf(*first.request), answered);
    pending.resultArrived(2);
    pending.dropAnswered();
    EXPECT_TRUE(pending.hasGivenUp());
    answered->store(true);
    pending.dropAnswered();
    EXPECT_FALSE(pending.hasGivenUp());
}

TEST(PendingExecutions, keepRoomForTheResultsOfThoseThatWereGivenUp) {
    const std::uint64_t resultLines = longestResultLineCount(0);
    PendingExecutions pending(4, 2 * resultLines);
    PendingExecution& first = send(pending, 1, 0);
    PendingExecution& second = send(pending, 2, 0);
    EXPECT_FALSE(pending.maySend(second));
    pending.giveUp(first);
    pending.markEnded(first);
    EXPECT_FALSE(pending.maySend(second));
    pending.resultArrived(1);
    EXPECT_TRUE(pending.maySend(second));
}

TEST(PendingExecutions, letNoOtherGoBeforeOneThatIsToBeSentAgain) {
    PendingExecutions pending(4, 1000);
    PendingExecution& first = send(pending, 1, 0);
    PendingExecution& second = send(pending, 2, 0);
    pending.markUnknownToDriver(first);
    EXPECT_FALSE(pending.maySend(second));
    pending.markSent(first);
    EXPECT_TRUE(pending.maySend(second));
    pending.markUnknownToDriver(first);
    pending.markEnded(first);
    EXPECT_TRUE(pending.maySend(second));
}

/// Before it is sent, it may wait for room in the queue for as long as others take.
TEST(PendingExecutions, thatWereSubmittedAreAwaitedForTheGraceAfterTheyWereSent) {
    PendingExecutions pending(4, 1000);
    const Request request;
    ExecutionOutcome outcome;
    PendingExecution& execution = *pending.findFree();
    PendingExecutions::prepare(execution, request, nullptr, outcome);
    execution.submission = Submission{1};
    execution.options.deadline = TimePoint();
    const TimePoint before = std::chrono::steady_clock::now();
    pending.markSent(execution);
    EXPECT_GE(execution.giveUpAt(std::chrono::seconds(1)), before + std::chrono::seconds(1));
}

}  // namespace
}  // namespace nnburst::burst
