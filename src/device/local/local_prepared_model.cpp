// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/local_prepared_model.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "burst/channel.h"
#include "device/local/launched_request.h"
#include "device/local/local_burst.h"
#include "device/local/single_execution.h"
#include "model/callback_check.h"
#include "model/version_rules.h"

namespace nnburst::device {

namespace {

std::uint64_t nextPreparedModel() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);  // only uniqueness matters
}

}  // namespace

LocalPreparedModel::LocalPreparedModel(exec::Executable executable,
                                       std::shared_ptr<Scheduler::Client> scheduler,
                                       std::shared_ptr<FenceWaiter> waiter) noexcept
    : executable_([&] {
          executable.preparedModel = nextPreparedModel();
          return std::move(executable);
      }()),
      scheduler_(std::move(scheduler)),
      waiter_(std::move(waiter)) {}

Result<> LocalPreparedModel::executeSynchronously(const Request& request,
                                                  const ExecutionOptions& options,
                                                  ExecutionOutcome& outcome) {
    return executeOnce(executable_, request, options, exec::arrivalTime(options), outcome);
}

Result<> LocalPreparedModel::execute(const Request& request, const ExecutionOptions& options,
                                     ExecutionCallback callback) {
    if (const Result<> checked = checkCallback(callback); !checked) {
        discardOutputs(bufferOutputs(request));
        return checked;
    }
    const auto shared = std::make_shared<ExecutionCallback>(std::move(callback));
    Result<> submitted = submit(request, options, shared);
    if (!submitted) {
        (*shared)(submitted, ExecutionOutcome());
    }
    return submitted;
}

Result<> LocalPreparedModel::submit(const Request& request, const ExecutionOptions& options,
                                    const std::shared_ptr<ExecutionCallback>& callback) {
    auto launched = LaunchedRequest::create(executable_, request, options, LaunchKind::AT_ONCE);
    if (!launched) {
        return knownTo(executable_.version, Result<>(tl::unexpected<Error>(launched.error())));
    }
    Result<> submitted = scheduler_->trySubmit(
        JobKind::EXECUTION, urgencyOf(options),
        [launched = *launched, options, arrival = exec::arrivalTime(options), callback] {
            ExecutionOutcome outcome;
            const Result<> status = launched->run(options, arrival, outcome);
            (*callback)(status, outcome);
        },
        [launched = *launched, wasLateAtLaunch = isPast(options.deadline), callback] {
            launched->fail();
            (*callback)(missedBeforeStart("the execution", wasLateAtLaunch), {});
        });
    return knownTo(executable_.version, std::move(submitted));
}

void LocalPreparedModel::discardOutputs(std::span<const BufferOutput> outputs) const {
    exec::discardOutputs(executable_, outputs);
}

Result<FencedExecution> LocalPreparedModel::executeFenced(
    const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
    OptionalTimeoutDuration timeoutAfterFence) {
    NNBURST_TRY_ASSIGN(const auto end, launch(request, waitFor, options, timeoutAfterFence));
    NNBURST_TRY_ASSIGN(UniqueFd fence, UniqueFd::duplicate(end->fence()));
    return FencedExecution{.fence = std::move(fence),
                           .callback = [end, waiter = waiter_](Timing& launched, Timing& fenced) {
                               return end->info(launched, fenced);
                           }};
}

Result<std::shared_ptr<FencedEnd>> LocalPreparedModel::launch(
    const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
    OptionalTimeoutDuration timeoutAfterFence) {
    if (!supportsFences(executable_.version)) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("executeFenced: HAL {} does not have it", toString(executable_.version)));
    }
    return launchFenced(executable_, scheduler_, *waiter_, request, waitFor, options,
                        timeoutAfterFence);
}

Result<std::unique_ptr<Burst>> LocalPreparedModel::configureExecutionBurst(
    const BurstOptions& options) {
    // There are no queues and no waits: only options that hold for every device are checked.
    NNBURST_TRY(burst::checkQueueLines(options.queueLines));
    NNBURST_TRY(burst::checkInFlight(options.inFlight));
    return std::make_unique<LocalBurst>(executable_, options.inFlight);
}

}  // namespace nnburst::device
