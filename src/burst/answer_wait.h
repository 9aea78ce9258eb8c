// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the client waits for the driver: for a result in the queue, for the loss of the connection,
/// for a sign of life.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "burst/channel.h"
#include "burst/control_plane.h"
#include "burst/pending_executions.h"
#include "burst/result_receiver.h"
#include "fmq/wait.h"
#include "nnburst/device.h"
#include "system/time.h"

namespace nnburst::burst {

/// A client that has sent new memory yields for at most this long: answering the driver's question
/// for it, and executing a small network after that, takes less.
inline constexpr std::chrono::milliseconds kLongestYield{2};

/// Used by one thread at a time, except `connectionLost`, `isLost` and `stats`.
class AnswerWait {
  public:
    /// `channel` and `receiver` outlive the wait.
    AnswerWait(const Channel& channel, const ResultReceiver& receiver, const WaitPolicy& policy)
        : channel_(channel),
          receiver_(receiver),
          waiter_(channel.resultEvent(), channel.requestEvent(), policy, waits_) {
        waiter_.setPeerWorks(true);
    }
    AnswerWait(const AnswerWait&) = delete;
    AnswerWait& operator=(const AnswerWait&) = delete;

    /// To be called once, before the first wait. If the driver's kernels need all processors, this
    /// side sleeps sooner (Waiter::setPeerNeedsAllProcessors).
    void attach(std::shared_ptr<ClientControlPlane> controlPlane, std::uint32_t kernelThreads) {
        controlPlane_ = std::move(controlPlane);
        waiter_.setPeerNeedsAllProcessors(kernelThreads > 1 &&
                                          kernelThreads >= std::thread::hardware_concurrency());
    }

    /// Ends the wait of another thread, and all later ones. Any thread, does not block.
    void connectionLost() noexcept {
        // sync [connection-lost]: ordered before the wake-up
        isLost_.store(true, std::memory_order_seq_cst);
        // The word on which this side sleeps. The queues belong to the driver and the executing
        // thread.
        channel_.resultEvent().wakeSleepers();
    }

    /// Relaxed: only a hint. The next wait orders what came before the loss.
    [[nodiscard]] bool isLost() const noexcept { return isLost_.load(std::memory_order_relaxed); }

    /// The same, ordered after what this thread has stored before (seq_cst) [loss-visible].
    [[nodiscard]] bool isLostInOrder() const noexcept {
        return isLost_.load(std::memory_order_seq_cst);
    }

    /// To be called before a request is sent.
    void beforeSending() noexcept { waiter_.beforeWakingPeer(); }

    /// Waits for a result, or for the loss of the connection, until `deadline`, but at least for
    /// `grace`. Asks for signs of life meanwhile. False if the time is over, or if the driver gave
    /// no sign of life: then `alive` is the error.
    [[nodiscard]] bool awaitResult(const OptionalTimePoint& deadline,
                                   std::chrono::milliseconds grace, fmq::WaitForecast& forecast,
                                   Result<>& alive) {
        const auto hasResult = [this]() noexcept { return hasResultOrIsLost(); };
        const auto isAlive = [&] {
            alive = checkAlive(deadline, std::chrono::steady_clock::now());
            return alive.has_value();
        };
        return waiter_.wait({.deadline = deadline, .atMost = {}, .atLeast = grace}, &forecast,
                            hasResult, fmq::WaitCheck{kPingInterval, isAlive});
    }

    /// The same for at most `duration`, without a question.
    void awaitResultAtMost(const OptionalTimePoint& deadline,
                           std::chrono::nanoseconds duration) noexcept {
        (void)waiter_.wait({.deadline = deadline, .atMost = duration}, nullptr,
                           [this]() noexcept { return hasResultOrIsLost(); });
    }

    /// Asks the driver to ring when the next result has come. False, and it is not asked, if there
    /// is a result already or the connection is lost. `ringsToCome` is as in Waiter::park.
    [[nodiscard]] bool arm(std::uint32_t& ringsToCome) noexcept {
        return waiter_.park([this]() noexcept { return hasResultOrIsLost(); }, &ringsToCome);
    }

    /// If the driver `willFetch` memory from this process before it can answer: waits for the
    /// result for at most kLongestYield without keeping a processor from the thread that is asked.
    void yieldWhileDriverFetches(bool willFetch) const noexcept {
        if (!willFetch) {
            return;
        }
        const TimePoint end = std::chrono::steady_clock::now() + kLongestYield;
        while (!hasResultOrIsLost() && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
        }
    }

    /// The forecast for waits of the kind of `execution`, from earlier ones.
    [[nodiscard]] fmq::WaitForecast& forecastOf(const PendingExecution& execution) noexcept {
        if (execution.isSubmitted()) {
            return pipelineForecast_;
        }
        return execution.reusable != nullptr ? execution.reusable->forecast : forecast_;
    }

    /// Asks whether the driver is alive; without a sign of life the connection counts as lost. Does
    /// nothing if `deadline` comes sooner than the answer might.
    Result<> checkAlive(const OptionalTimePoint& deadline, TimePoint now) {
        if (deadline && system::saturatingDifference(*deadline, now) < kHangTimeout) {
            return {};
        }
        Result<> alive = controlPlane_->checkAlive();
        if (!alive) {
            connectionLost();
        }
        return alive;
    }

    [[nodiscard]] WaitStats stats() const noexcept { return waits_.stats(); }

  private:
    [[nodiscard]] bool hasResultOrIsLost() const noexcept {
        // sync [message-published], [connection-lost]
        return receiver_.hasResult() || isLost_.load(std::memory_order_acquire);
    }

    const Channel& channel_;
    const ResultReceiver& receiver_;
    std::shared_ptr<ClientControlPlane> controlPlane_;
    std::atomic<bool> isLost_{false};
    fmq::SharedWaitStats waits_{};
    fmq::Waiter waiter_;
    fmq::WaitForecast forecast_;          // of plain executions
    fmq::WaitForecast pipelineForecast_;  // of those that were submitted
};

}  // namespace nnburst::burst
