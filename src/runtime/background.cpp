// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/background.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <vector>

#include "device/local/fenced_execution.h"
#include "model/invalid.h"
#include "model/outcome.h"
#include "system/time.h"

namespace nnburst::runtime {

namespace {

using Clock = std::chrono::steady_clock;

/// Executions that run at the same time; others wait for them.
constexpr std::size_t kThreads = 8;

/// An execution that waits for its fences.
struct Fenced {
    std::shared_ptr<device::FencedEnd> end;
    SharedPreparedModel model;
    Request request;
    ExecutionOptions options;
    OptionalTimeoutDuration timeoutAfterFence;

    void run(const Result<>& signalled) {
        if (!signalled) {
            end->give(signalled, {}, {});
            return;
        }
        if (timeoutAfterFence) {
            const TimePoint last = system::saturatingAdd(Clock::now(), *timeoutAfterFence);
            options.deadline = options.deadline ? std::min(*options.deadline, last) : last;
        }
        ExecutionOutcome outcome;
        Result<> status = model->executeSynchronously(request, options, outcome);
        clearAfterFailure(status, outcome);
        end->give(std::move(status), outcome.timing, outcome.timing);
    }
};

}  // namespace

Result<std::shared_ptr<Background>> Background::create() {
    NNBURST_TRY_ASSIGN(std::shared_ptr<device::Scheduler> scheduler,
                       device::Scheduler::create("nnburst-run", {.threads = kThreads,
                                                                 .threadsPerClient = kThreads,
                                                                 .threadsPerUser = kThreads}));
    return std::shared_ptr<Background>(new Background(std::move(scheduler)));
}

Result<> Background::run(const OptionalTimePoint& deadline, device::Job job) const {
    return jobs_->trySubmit(device::JobKind::EXECUTION,
                            {.priority = Priority::MEDIUM, .deadline = deadline}, std::move(job));
}

Result<> Background::runAfter(std::vector<UniqueFd> fences, const OptionalTimePoint& deadline,
                              std::function<void(const Result<>& signalled)> job) {
    const auto shared = std::make_shared<std::function<void(const Result<>&)>>(std::move(job));
    const auto submit = [jobs = jobs_, deadline, shared](const Result<>& signalled) {
        const auto trySubmit = [&]() -> Result<> {
            try {
                return jobs->trySubmit(device::JobKind::EXECUTION,
                                       {.priority = Priority::MEDIUM, .deadline = deadline},
                                       [shared, signalled] { (*shared)(signalled); });
            } catch (const std::bad_alloc&) {
                return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, "out of memory");
            }
        };
        if (const Result<> submitted = trySubmit(); !submitted) {
            (*shared)(submitted);
        }
    };
    if (fences.empty()) {
        submit({});
        return {};
    }
    return fences_.wait(std::move(fences), deadline, submit);
}

Result<> executeOnThread(const std::shared_ptr<Background>& background, SharedPreparedModel model,
                         const Request& request, const ExecutionOptions& options,
                         ExecutionCallback callback) {
    if (!callback) {
        return invalid("execute without a callback: give one, or use executeSynchronously");
    }
    const auto shared = std::make_shared<ExecutionCallback>(std::move(callback));
    Result<> submitted =
        background->run(options.deadline, [model = std::move(model), request, options, shared] {
            ExecutionOutcome outcome;
            const Result<> status = model->executeSynchronously(request, options, outcome);
            clearAfterFailure(status, outcome);
            (*shared)(status, outcome);
        });
    if (!submitted) {
        (*shared)(submitted, {});
    }
    return submitted;
}

Result<FencedExecution> executeFencedOnThread(const std::shared_ptr<Background>& background,
                                              SharedPreparedModel model,
                                              std::span<const Operand> outputs,
                                              const Request& request, std::span<const int> waitFor,
                                              const ExecutionOptions& options,
                                              OptionalTimeoutDuration timeoutAfterFence) {
    NNBURST_TRY(device::checkOutputDimensions(outputs, request));
    NNBURST_TRY_ASSIGN(std::vector<UniqueFd> fences, device::duplicateFences(waitFor));
    NNBURST_TRY_ASSIGN(auto end, device::FencedEnd::create());
    NNBURST_TRY_ASSIGN(UniqueFd fence, UniqueFd::duplicate(end->fence()));
    const auto fenced = std::make_shared<Fenced>(Fenced{.end = end,
                                                        .model = std::move(model),
                                                        .request = request,
                                                        .options = options,
                                                        .timeoutAfterFence = timeoutAfterFence});
    NNBURST_TRY(
        background->runAfter(std::move(fences), options.deadline,
                             [fenced](const Result<>& signalled) { fenced->run(signalled); }));
    return FencedExecution{
        .fence = std::move(fence),
        .callback = [end](Timing& launched, Timing& its) { return end->info(launched, its); }};
}

}  // namespace nnburst::runtime
