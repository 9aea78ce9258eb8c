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
/// long. What it cannot interrupt takes less than this in real models. See
/// BurstOptions::deadlineGrace.
inline constexpr std::chrono::milliseconds kDeadlineGrace{2000};

/// How a burst is to be set up.
struct BurstOptions {
    /// Lines of 56 usable bytes in each queue, a power of two between 16 and 4096. A request with
    /// two operands takes two lines. Longer frames go over the control plane.
    std::uint32_t queueLines = 128;
    /// Executions that may be in flight at a time (Burst::submit): 1 to 64.
    std::uint32_t inFlight = 1;
    WaitPolicy clientWait;  ///< of the thread that calls Burst::execute
    WaitPolicy
        driverWait;  ///< of the driver's thread that serves this burst; the driver may wait less
    /// A call of the burst waits for the driver at most until the deadline of the execution and
    /// this much longer. With no answer by then (the driver is stopped or hangs, or one operation
    /// takes so long) it ends with DEVICE_UNAVAILABLE: see Burst::isMemoryInUse. A negative value
    /// counts as 0. Executions without a deadline are waited for as long as the driver gives signs
    /// of life.
    std::chrono::milliseconds deadlineGrace = kDeadlineGrace;
};

/// The request of an execution in flight, until `Burst::wait` has given its result.
enum class Submission : std::uint64_t {};

/// A request that is executed again and again on one burst, with new contents in the same memory:
/// the common case of streaming. The driver checks and decodes it once; every later computation
/// sends one cache line and gets one back. Results are those of Burst::execute with the same
/// request, in every case. Used by one thread at a time, the one that uses the burst. Keeps the
/// burst and the request's memory alive.
class NNBURST_EXPORT ReusableExecution {
  public:
    virtual ~ReusableExecution() = default;

    /// Executes the request and waits for its end. `outcome` is overwritten in every case.
    [[nodiscard]] virtual Result<> compute(const OptionalTimePoint& deadline,
                                           ExecutionOutcome& outcome) = 0;

    /// Hands the execution in without waiting for it: see Burst::submit.
    [[nodiscard]] virtual Result<Submission> submit(const OptionalTimePoint& deadline) = 0;
};

/// Executes requests of one prepared model through shared memory, in order (HAL 1.2 IBurstContext).
/// In the steady state, with the memory pools known and both sides awake, an execution takes no
/// system call, allocation or copy beside the kernels. A second thread that uses the burst
/// meanwhile gets GENERAL_FAILURE, as the HAL says of one burst object.
class NNBURST_EXPORT Burst {
  public:
    virtual ~Burst() = default;

    /// Executes `request` and waits for its end. `outcome` is overwritten in every case. Same
    /// errors and rules as PreparedModel::executeSynchronously. RESOURCE_EXHAUSTED_TRANSIENT while
    /// as many executions are in flight as may be, or if an input or output overlaps with memory in
    /// use. When it returns, the driver has let go of the outputs, with one exception:
    /// DEVICE_UNAVAILABLE from a driver that did not answer in time (isMemoryInUse).
    [[nodiscard]] virtual Result<> execute(const Request& request, const ExecutionOptions& options,
                                           ExecutionOutcome& outcome) = 0;

    /// Registers `request`, to be executed again and again. The deadline in `options` is not used.
    /// The request is checked when it is executed.
    [[nodiscard]] virtual Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) = 0;

    /// Hands `request` in without waiting for its end. Its outputs belong to the driver until
    /// `wait` has given the result. INVALID_ARGUMENT if they overlap with outputs of an execution
    /// in flight; RESOURCE_EXHAUSTED_TRANSIENT while BurstOptions::inFlight are. Errors of the
    /// execution itself come from `wait`.
    [[nodiscard]] virtual Result<Submission> submit(const Request& request,
                                                    const ExecutionOptions& options) = 0;

    /// Waits for the end of a submitted execution. Each can be waited for once, in any order.
    /// Errors of `execute`; INVALID_ARGUMENT if `submission` is not in flight.
    [[nodiscard]] virtual Result<> wait(Submission submission, ExecutionOutcome& outcome) = 0;

    /// For event loops (poll, epoll, io_uring): a descriptor, owned by the burst, that becomes
    /// readable after `armCompletion` when a result has come or the driver is lost. It may become
    /// readable without a result. A result that was armed for costs the driver a system call,
    /// others cost nothing more. GENERAL_FAILURE if the driver is too old to announce results. Do
    /// not read from it. When the driver is lost it stays readable: watch it once for each
    /// `armCompletion` (EPOLLONESHOT). A driver that hangs does not make it readable: have a timer
    /// for deadlines.
    [[nodiscard]] virtual Result<int> completionDescriptor() {
        return failure(ErrorStatus::GENERAL_FAILURE, "this burst has no completion descriptor");
    }

    /// Makes the completion descriptor unreadable, and readable again, once, when the next result
    /// comes. Returns true, without arming it, if an execution that was not waited for has ended or
    /// the driver is lost: look with `isDone` now. Does not block.
    [[nodiscard]] virtual Result<bool> armCompletion() {
        return failure(ErrorStatus::GENERAL_FAILURE, "this burst has no completion descriptor");
    }

    /// Whether `wait` would return at once: with a result, or with an error, because the driver is
    /// lost, the time for the execution is over, or it is not in flight. False while another thread
    /// is using the burst. Does not block.
    [[nodiscard]] virtual bool isDone(Submission /*submission*/) { return true; }

    /// Whether the driver may still write outputs of executions that ended with DEVICE_UNAVAILABLE
    /// because it had not answered within BurstOptions::deadlineGrace after their deadlines. Their
    /// outputs must not be used until this is false, which it becomes when the driver has answered
    /// after all, or when the connection is lost; requests that use that memory, as input or as
    /// output, are refused meanwhile. True also while another thread is using the burst. Always
    /// false for a burst in this process. Does not block. The burst must live until then, since no
    /// other object knows it. (A connected driver that was stopped when its connection was lost may
    /// end the operation that it was in when it is continued; end that process to be sure.)
    [[nodiscard]] virtual bool isMemoryInUse() = 0;

    /// Waits until no memory is in use. MISSED_DEADLINE_TRANSIENT if some still is at `deadline`;
    /// GENERAL_FAILURE if another thread is using the burst.
    [[nodiscard]] virtual Result<> waitForMemory(const OptionalTimePoint& deadline) = 0;

    /// Tells the driver to forget `region`, which it may still have mapped from earlier executions
    /// (HAL 1.2 IBurstContext::freeMemory). Does not wait for the driver to do so. The region is
    /// fetched again if a request uses it again. Regions whose last handle is dropped are freed
    /// without this call, the next time a new one is used.
    virtual void freeMemory(const SharedRegion& region) = 0;

    /// What waiting has cost both sides so far. The driver's figures are as the driver reports
    /// them. All zero for a burst in this process, which never waits.
    [[nodiscard]] virtual BurstWaitStats waitStats() const = 0;
};

}  // namespace nnburst
