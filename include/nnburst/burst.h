// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A `Burst` executes requests of one prepared model with the least latency, through queues in
/// shared memory; a `ReusableExecution` is a request that is registered once and computed often.

#include <chrono>
#include <cstdint>
#include <memory>

#include "nnburst/execution.h"
#include "nnburst/export.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"
#include "nnburst/wait_policy.h"
#include "nnburst/wait_stats.h"

namespace nnburst {

/// How long after the deadline of an execution a burst waits for the driver's answer. A driver ends
/// an execution soon after its deadline: between two operations, and inside most of those that take
/// long. Operations that it cannot interrupt take less than this in real models. See
/// BurstOptions::deadlineGrace.
inline constexpr std::chrono::milliseconds kDeadlineGrace{2000};

/// Limits on BurstOptions::queueLines. A queue of kMinimumQueueLines holds any result of a model
/// with up to eight outputs.
inline constexpr std::uint32_t kMinimumQueueLines = 16;
inline constexpr std::uint32_t kMaximumQueueLines = 4096;
/// Limit on executions in flight on one burst.
inline constexpr std::uint32_t kMaximumInFlight = 64;
/// Limit on the reusable executions that a driver remembers for one burst at a time.
inline constexpr std::uint32_t kMaximumReusableExecutions = 64;

/// How a burst is to be set up.
struct BurstOptions {
    /// Lines of 56 usable bytes in each queue, a power of two between kMinimumQueueLines and
    /// kMaximumQueueLines. A request with two operands takes two lines. Longer frames go over the
    /// control plane.
    std::uint32_t queueLines = 128;
    /// Executions that may be in flight at a time (Burst::submit): 1 to kMaximumInFlight.
    std::uint32_t inFlight = 1;
    /// How the thread that calls Burst::execute waits for results.
    WaitPolicy clientWait;
    /// How the driver's thread that serves this burst waits for requests; it may spin less.
    WaitPolicy driverWait;
    /// A call of the burst waits for the driver at most until the deadline of the execution plus
    /// this time. Without an answer by then (the driver is stopped or hangs, or one operation takes
    /// longer) it ends with DEVICE_UNAVAILABLE: see Burst::isMemoryInUse. A negative value counts
    /// as 0. Without a deadline it waits as long as the driver's control plane answers.
    std::chrono::milliseconds deadlineGrace = kDeadlineGrace;
};

/// Identifies an execution in flight: from `Burst::submit` until `Burst::wait` has returned its
/// result.
enum class Submission : std::uint64_t {};

/// A request that is executed again and again on one burst, with new contents in the same memory:
/// the common case of streaming. The driver checks and decodes it once; each later computation
/// sends one cache line and gets one back. Results and errors are those of Burst::execute with the
/// same request. A burst and its reusable executions are used by one thread at a time. Keeps the
/// burst and the request's memory alive.
class NNBURST_EXPORT ReusableExecution {
  public:
    virtual ~ReusableExecution() = default;

    /// Executes the request and waits for its end. `outcome` is overwritten in every case.
    [[nodiscard]] virtual Result<> compute(const OptionalTimePoint& deadline,
                                           ExecutionOutcome& outcome) = 0;

    /// Starts the execution without waiting for its end: see Burst::submit.
    [[nodiscard]] virtual Result<Submission> submit(const OptionalTimePoint& deadline) = 0;
};

/// Executes requests of one prepared model through shared memory, in order (HAL 1.2 IBurstContext).
/// In the steady state, with the memory pools known and both sides awake, an execution takes no
/// system call, allocation or copy beside the kernels. Used by one thread at a time: a call during
/// a call of another thread fails with GENERAL_FAILURE, as the HAL requires.
class NNBURST_EXPORT Burst {
  public:
    virtual ~Burst() = default;

    /// Executes `request` and waits for its end. `outcome` is overwritten in every case. Same
    /// errors and rules as PreparedModel::executeSynchronously. RESOURCE_EXHAUSTED_TRANSIENT while
    /// BurstOptions::inFlight executions are in flight, or if an input or output overlaps memory in
    /// use (isMemoryInUse). When it returns, the driver no longer accesses the outputs, except
    /// after DEVICE_UNAVAILABLE because the driver did not answer in time.
    [[nodiscard]] virtual Result<> execute(const Request& request, const ExecutionOptions& options,
                                           ExecutionOutcome& outcome) = 0;

    /// Registers `request` for repeated execution. The deadline in `options` is ignored: `compute`
    /// and `submit` take one. The request is checked when it is executed. The driver remembers the
    /// first kMaximumReusableExecutions of a burst; further ones, and those with driver-managed
    /// buffers or device buffers, are sent whole each time. INVALID_ARGUMENT for an unknown
    /// MeasureTiming.
    [[nodiscard]] virtual Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) = 0;

    /// Starts an execution of `request` without waiting for its end. Its outputs belong to the
    /// driver until `wait` has returned the result. INVALID_ARGUMENT if they overlap outputs of
    /// another execution in flight; RESOURCE_EXHAUSTED_TRANSIENT while BurstOptions::inFlight
    /// executions are in flight, or without memory. Errors of the execution itself come from
    /// `wait`.
    [[nodiscard]] virtual Result<Submission> submit(const Request& request,
                                                    const ExecutionOptions& options) = 0;

    /// Waits for the end of a submitted execution, at most until BurstOptions::deadlineGrace after
    /// its deadline, or after it was submitted if that was later. Call it once for each, in any
    /// order. Errors of `execute`; INVALID_ARGUMENT if `submission` is not in flight.
    [[nodiscard]] virtual Result<> wait(Submission submission, ExecutionOutcome& outcome) = 0;

    /// For event loops (poll, epoll, io_uring): a descriptor, owned by the burst, that becomes
    /// readable after `armCompletion` when a result has come or the driver is lost. It may become
    /// readable without a result. An armed result costs the driver one system call. Do not read
    /// from the descriptor. After the loss of the driver it stays readable: watch it once for each
    /// `armCompletion` (EPOLLONESHOT). A driver that hangs does not make it readable: use a timer
    /// for deadlines. GENERAL_FAILURE if the driver is too old to announce results.
    [[nodiscard]] virtual Result<int> completionDescriptor() {
        return failure(ErrorStatus::GENERAL_FAILURE, "this burst has no completion descriptor");
    }

    /// Arms the completion descriptor: it is unreadable, and becomes readable once, when the next
    /// result comes. Returns true, without arming it, if an execution in flight has already ended
    /// or the driver is lost: then ask `isDone`. Does not block.
    [[nodiscard]] virtual Result<bool> armCompletion() {
        return failure(ErrorStatus::GENERAL_FAILURE, "this burst has no completion descriptor");
    }

    /// Whether `wait` would return at once: with a result, or with an error because the driver is
    /// lost, the time for the execution is over, or `submission` is not in flight. Also true for an
    /// execution that the driver has forgotten and that does not fit into the queue: `wait` then
    /// executes it. False while another thread is using the burst. Does not block.
    [[nodiscard]] virtual bool isDone(Submission /*submission*/) { return true; }

    /// Whether the driver may still write outputs of executions that ended with DEVICE_UNAVAILABLE
    /// because it had not answered within BurstOptions::deadlineGrace after their deadlines. It
    /// becomes false when the driver answers after all or the connection is lost. Until then, do
    /// not use those outputs and keep the burst: no other object has this information. Requests
    /// that use that memory, as input or as output, are refused meanwhile.
    /// True also while another thread is using the burst. Always false for a burst in this process.
    /// Does not block. A driver of `connect` that was stopped (SIGSTOP) when its connection was
    /// lost finishes its current operation when it is continued: end that process to be sure.
    [[nodiscard]] virtual bool isMemoryInUse() = 0;

    /// Waits until no memory is in use. MISSED_DEADLINE_TRANSIENT if some still is at `deadline`;
    /// GENERAL_FAILURE if another thread is using the burst.
    [[nodiscard]] virtual Result<> waitForMemory(const OptionalTimePoint& deadline) = 0;

    /// Tells the driver to forget `region`, which it may still have mapped from earlier executions
    /// (HAL 1.2 IBurstContext::freeMemory). Does not wait for the driver to do so. The region is
    /// fetched again if a request uses it again. Regions whose last handle was dropped are freed
    /// without this call, when the burst next uses a new region.
    virtual void freeMemory(const SharedRegion& region) = 0;

    /// What waiting has cost both sides so far. The driver's figures are those that the driver
    /// reports, unchecked. All zero for a burst in this process, which never waits.
    [[nodiscard]] virtual BurstWaitStats waitStats() const = 0;
};

}  // namespace nnburst
