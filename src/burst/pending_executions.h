// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The client's table of executions that were handed in and whose results the application does not
/// have yet, and of those that were given up without an answer of the driver, which may still write
/// their outputs. It knows whether one more may be sent.
///
///     FREE -> PREPARED -> SENT -> ENDED -> FREE
///                          |  ^
///                          v  |
///                   UNKNOWN_TO_DRIVER

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "burst/give_up_time.h"
#include "burst/memory_ranges.h"
#include "burst/result_frame.h"
#include "burst/reusable_request.h"
#include "burst/unanswered_outputs.h"
#include "log/assert.h"
#include "nnburst/burst.h"
#include "system/time.h"

namespace nnburst::burst {

/// One execution, from its launch until the application has its result. Reused.
struct PendingExecution {
    enum class State : std::uint8_t {
        FREE,
        PREPARED,           ///< not sent yet
        SENT,               ///< its result is awaited
        UNKNOWN_TO_DRIVER,  ///< the driver does not know the request: to be sent as a whole
        ENDED,              ///< `status` and `*outcome` are its result
    };

    State state = State::FREE;
    Submission submission{};  ///< unset if the execution was not submitted
    /// The serial of the frame whose result is awaited; 0 before it is sent. Never used twice, so
    /// that the late result of an execution that was given up matches no other.
    std::uint64_t serial = 0;
    /// The serial of the last frame that had its whole request.
    std::uint64_t wholeSerial = 0;
    const Request* request = nullptr;
    ReusableRequest* reusable = nullptr;  ///< null unless the request is reusable
    ExecutionOptions options;
    std::uint64_t slotVersion = 0;  ///< of the slots in its frame
    std::uint64_t resultLines = 0;  ///< limit on the lines of its result
    Result<> status;
    ExecutionOutcome* outcome = nullptr;
    TimePoint sentAt;  ///< when it was first sent, if it was submitted and has a deadline

    [[nodiscard]] bool isSubmitted() const noexcept { return submission != Submission{}; }

    /// The time after which its result is no longer waited for: `grace` after the deadline, or
    /// after it was sent if that was later. Nothing without a deadline. One that was not submitted
    /// is awaited at once, and for `grace` at least.
    [[nodiscard]] OptionalTimePoint giveUpAt(std::chrono::milliseconds grace) const noexcept {
        return burst::giveUpAt(options.deadline, isSubmitted() ? sentAt : TimePoint::min(), grace);
    }

    // Only of a submitted execution: what has to live until `wait` has returned its result.
    ExecutionOutcome ownOutcome;
    Request ownRequest;
    std::shared_ptr<ReusableRequest> ownReusable;
    std::vector<MemoryRange> outputs;
};

/// Used by one thread at a time. Allocates nothing in the steady state.
class PendingExecutions {
  public:
    using State = PendingExecution::State;

    /// At most `capacity` executions at a time, whose results go through a queue of
    /// `resultQueueLines` lines.
    PendingExecutions(std::uint32_t capacity, std::uint64_t resultQueueLines)
        : executions_(capacity), resultQueueLines_(resultQueueLines) {}

    [[nodiscard]] std::size_t capacity() const noexcept { return executions_.size(); }

    /// A free one, which stays free until `prepare`; null if there is none.
    [[nodiscard]] PendingExecution* findFree() noexcept {
        for (PendingExecution& execution : executions_) {
            if (execution.state == State::FREE) {
                return &execution;
            }
        }
        return nullptr;
    }

    /// The execution of `submission`; null if its result was given already, or if it was never
    /// submitted.
    [[nodiscard]] PendingExecution* find(Submission submission) noexcept;

    /// The one whose result is awaited under `serial`; null if there is none.
    [[nodiscard]] PendingExecution* findSent(std::uint64_t serial) noexcept {
        for (PendingExecution& execution : executions_) {
            if (execution.serial == serial && execution.state == State::SENT) {
                return &execution;
            }
        }
        return nullptr;
    }

    /// Whether an execution has ended and the application does not have its result yet.
    [[nodiscard]] bool hasEnded() const noexcept {
        return std::any_of(executions_.begin(), executions_.end(),
                           [](const auto& execution) { return execution.state == State::ENDED; });
    }

    /// The first in the table that is in `state`; null if there is none.
    [[nodiscard]] PendingExecution* findFirst(State state) noexcept;

    /// One whose outputs overlap with those of `execution`; null if there is none.
    [[nodiscard]] const PendingExecution* findOverlapping(
        const PendingExecution& execution) const noexcept;

    /// Whether an execution is UNKNOWN_TO_DRIVER.
    [[nodiscard]] bool hasUnknown() const noexcept { return unknownCount_ != 0; }

    /// Whether one of them needs `wait`, which executes it over the control plane: no result is
    /// awaited that would make room for its frame.
    [[nodiscard]] bool isStuck() noexcept {
        return hasUnknown() && findFirst(State::SENT) == nullptr;
    }

    /// Whether `execution` may be sent: no other has to be sent again before it, and the result
    /// queue has room for its result beside all that are still to come. The driver drops a result
    /// that finds no room.
    [[nodiscard]] bool maySend(const PendingExecution& execution) const noexcept {
        return !hasUnknown() && keptLines_ + execution.resultLines <= resultQueueLines_;
    }

    /// The oldest version of the slot table whose slots are named in frames that the driver may
    /// still read; SlotTable::kNothingInFlight if there is no such frame.
    [[nodiscard]] std::uint64_t oldestSlotVersion() const noexcept;

    // ---- The life of an execution

    /// `request` is that of `reusable`, unless that is null. The caller sets the options.
    static void prepare(PendingExecution& execution, const Request& request,
                        ReusableRequest* reusable, ExecutionOutcome& outcome) noexcept {
        NNBURST_ASSERT(execution.state == State::FREE);
        execution.state = State::PREPARED;
        execution.serial = 0;
        execution.request = &request;
        execution.reusable = reusable;
        execution.resultLines = reusable != nullptr
                                    ? reusable->resultLines
                                    : longestResultLineCount(request.outputs.size());
        execution.outcome = &outcome;
        if (!execution.status) {
            execution.status = {};
        }
    }

    /// Its frame is in the queue: room for its result is kept until that has come.
    void markSent(PendingExecution& execution) noexcept {
        if (execution.state == State::PREPARED) {
            keptLines_ += execution.resultLines;
            if (execution.isSubmitted() && execution.options.deadline) {
                execution.sentAt = std::chrono::steady_clock::now();
            }
        } else {
            NNBURST_ASSERT(execution.state == State::UNKNOWN_TO_DRIVER);
            --unknownCount_;
        }
        execution.state = State::SENT;
    }

    /// The driver did not execute it. The room for its result stays kept.
    void markUnknownToDriver(PendingExecution& execution) noexcept {
        NNBURST_ASSERT(execution.state == State::SENT);
        execution.state = State::UNKNOWN_TO_DRIVER;
        ++unknownCount_;
    }

    /// The outcome has been written, and `status` if it is an error.
    void markEnded(PendingExecution& execution) noexcept {
        if (execution.state != State::PREPARED) {
            NNBURST_ASSERT(execution.state != State::FREE && execution.state != State::ENDED);
            freeLines(execution.resultLines);
        }
        if (execution.state == State::UNKNOWN_TO_DRIVER) {
            --unknownCount_;
        }
        execution.state = State::ENDED;
    }

    void release(PendingExecution& execution) noexcept {
        NNBURST_ASSERT(execution.state == State::ENDED || execution.state == State::PREPARED);
        execution.state = State::FREE;
        execution.submission = {};
        execution.ownReusable = nullptr;
    }

    // ---- Executions that were given up

    /// The driver has not answered `execution`, which is SENT: its outputs are in use from now on.
    /// To be ended next.
    void giveUp(const PendingExecution& execution);

    /// The same of `execution` that went over the control plane: `answered` tells of its answer.
    void giveUp(UnansweredOutputs::Entry execution, AnswerFlag answered) noexcept {
        unanswered_.add(std::move(execution), std::move(answered));
    }

    [[nodiscard]] bool hasGivenUp() const noexcept {
        return !givenUp_.empty() || !unanswered_.isEmpty();
    }

    /// Whether frame `serial` was given up, and its result has not come yet.
    [[nodiscard]] bool isGivenUp(std::uint64_t serial) const noexcept {
        return std::any_of(givenUp_.begin(), givenUp_.end(),
                           [serial](const GivenUp& givenUp) { return givenUp.serial == serial; });
    }

    /// Whether an input or output of `request` overlaps with memory in use.
    [[nodiscard]] bool isMemoryInUse(const Request& request) const;

    /// The result of frame `serial` has come. The driver answers in order: it has ended all earlier
    /// frames.
    void resultArrived(std::uint64_t serial) noexcept {
        if (!givenUp_.empty()) {
            dropGivenUp(serial);
        }
    }
    /// Drops those that were answered over the control plane.
    void dropAnswered() noexcept { unanswered_.dropAnswered(); }
    /// The connection is lost: nothing comes through the queue any more.
    void dropAllGivenUp() noexcept;

  private:
    struct GivenUp {
        std::uint64_t serial = 0;       ///< of its frame
        std::uint64_t resultLines = 0;  ///< kept free
        std::uint64_t slotVersion = 0;
        std::vector<MemoryRange> outputs;
    };

    void freeLines(std::uint64_t lines) noexcept {
        NNBURST_ASSERT(lines <= keptLines_, "{} of {} lines", lines, keptLines_);
        keptLines_ -= lines;
    }
    void dropGivenUp(std::uint64_t serial) noexcept;

    std::vector<PendingExecution> executions_;
    const std::uint64_t resultQueueLines_;
    /// Lines of the result queue for results that are still to come: of executions that are SENT or
    /// UNKNOWN_TO_DRIVER, and of those that were given up.
    std::uint64_t keptLines_ = 0;
    std::uint32_t unknownCount_ = 0;  ///< executions that are UNKNOWN_TO_DRIVER
    std::vector<GivenUp> givenUp_;    ///< their results come through the queue
    UnansweredOutputs unanswered_;
};

}  // namespace nnburst::burst
