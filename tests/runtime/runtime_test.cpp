// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime_test.h"

#include <future>

#include "nnburst/fence.h"

namespace nnburst::runtime {

namespace {

constexpr std::chrono::seconds kWatchdog{60};

Result<> executeAsynchronously(PreparedModel& prepared, const Request& request,
                               ExecutionOutcome& outcome) {
    const auto done = std::make_shared<std::promise<std::pair<Result<>, ExecutionOutcome>>>();
    auto future = done->get_future();
    (void)prepared.execute(request, {}, [done](const Result<>& status, const auto& its) {
        done->set_value({status, its});
    });
    if (future.wait_for(kWatchdog) != std::future_status::ready) {
        return failure(ErrorStatus::GENERAL_FAILURE, "the callback has not come");
    }
    auto [status, its] = future.get();
    outcome = std::move(its);
    return status;
}

Result<> executeFenced(PreparedModel& prepared, const Request& request) {
    NNBURST_TRY_ASSIGN(const UniqueFd start, makeFence());
    const int fence = start.get();
    NNBURST_TRY_ASSIGN(const FencedExecution launched,
                       prepared.executeFenced(request, std::span(&fence, 1), {}, {}));
    signalFence(fence);
    if (launched.fence) {
        (void)waitForFence(launched.fence.get(), std::chrono::steady_clock::now() + kWatchdog);
    }
    Timing timing;
    return launched.callback(timing, timing);
}

}  // namespace

Result<> executeIn(Way way, PreparedModel& prepared, const Request& request,
                   ExecutionOutcome& outcome) {
    if (way == Way::SYNCHRONOUS) {
        return prepared.executeSynchronously(request, {}, outcome);
    }
    if (way == Way::ASYNCHRONOUS) {
        return executeAsynchronously(prepared, request, outcome);
    }
    if (way == Way::FENCED) {
        return executeFenced(prepared, request);
    }
    NNBURST_TRY_ASSIGN(const std::unique_ptr<Burst> burst, prepared.configureExecutionBurst({}));
    if (way == Way::BURST) {
        return burst->execute(request, {}, outcome);
    }
    if (way == Way::SUBMITTED) {
        NNBURST_TRY_ASSIGN(const Submission submission, burst->submit(request, {}));
        return burst->wait(submission, outcome);
    }
    NNBURST_TRY_ASSIGN(const auto reusable, burst->createReusableExecution(request, {}));
    NNBURST_TRY(reusable->compute({}, outcome));
    return reusable->compute({}, outcome);
}

}  // namespace nnburst::runtime
