// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/background.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <vector>

#include "device/local/fenced_execution.h"
#include "exec/run/execution_session.h"
#include "model/callback_check.h"
#include "model/invalid.h"
#include "model/outcome.h"
#include "model/request_check.h"
#include "nnburst/validation.h"
#include "system/time.h"

namespace nnburst::runtime {

namespace {

using Clock = std::chrono::steady_clock;

/// Executions of a model that run at the same time; others wait for them.
constexpr std::size_t kThreads = 8;
/// Models that can use all their threads, and wait with all their jobs, at the same time.
constexpr std::size_t kBusyModels = 64;

/// Checks what a launch can check without the device of the model.
Result<> checkLaunch(const Model& interface, const Request& request,
                     const ExecutionOptions& options) {
    NNBURST_TRY(checkMeasure(options.measure));
    NNBURST_TRY(validateRequest(interface, request));
    return refuseBuffers(request);
}

}  // namespace

struct WaitingExecution {
    std::shared_ptr<device::FencedEnd> end;
    SharedPreparedModel model;
    Request request;
    ExecutionOptions options;
    OptionalTimeoutDuration timeoutAfterFence;
    OptionalTimePoint launch;     // these two only if it is measured
    OptionalTimePoint signalled;  // when all fences were

    /// To be called when all fences are signalled.
    void noteSignal() {
        signalled = exec::arrivalTime(options);
        if (timeoutAfterFence) {
            const TimePoint last = system::saturatingAdd(Clock::now(), *timeoutAfterFence);
            options.deadline = options.deadline ? std::min(*options.deadline, last) : last;
        }
    }

    void run() const {
        ExecutionOutcome outcome;
        Result<> status = model->executeSynchronously(request, options, outcome);
        clearAfterFailure(status, outcome);
        const Timing fenced = exec::timingSince(signalled, outcome.timing);
        end->give(std::move(status), exec::timingSince(launch, outcome.timing), fenced);
    }

    /// Ends it without an execution.
    void fail(const Result<>& why) const { end->give(why, {}, {}); }
};

Result<std::shared_ptr<device::Scheduler>> ExecutionThreads::scheduler() {
    const system::MutexLock lock(mutex_);
    if (scheduler_ == nullptr) {
        constexpr std::size_t kWaitingJobs = device::Scheduler::kMaximumWaitingJobsOfProgram;
        // All models are of one program: those with many executions keep their priority.
        NNBURST_TRY_ASSIGN(
            scheduler_,
            device::Scheduler::create("nnburst-run", {.threads = kBusyModels * kThreads,
                                                      .threadsPerClient = kThreads,
                                                      .threadsPerUser = kThreads,
                                                      .waitingJobs = kBusyModels * kWaitingJobs,
                                                      .waitingJobsPerUser = kWaitingJobs,
                                                      .waitingJobsPerClient = kWaitingJobs,
                                                      .lowersPriorities = false}));
    }
    return scheduler_;
}

Result<std::shared_ptr<Background::Jobs>> Background::jobs() {
    const system::MutexLock lock(mutex_);
    if (jobs_ == nullptr) {
        NNBURST_TRY_ASSIGN(std::shared_ptr<device::Scheduler> scheduler, threads_->scheduler());
        jobs_ = std::make_shared<Jobs>(std::move(scheduler));
    }
    return jobs_;
}

Result<> Background::run(const OptionalTimePoint& deadline, device::Job job, device::Job late) {
    NNBURST_TRY_ASSIGN(const std::shared_ptr<Jobs> jobs, this->jobs());
    return jobs->trySubmit(device::JobKind::EXECUTION, {.deadline = deadline}, std::move(job),
                           std::move(late));
}

Result<> Background::runAfter(std::vector<UniqueFd> fences,
                              std::shared_ptr<WaitingExecution> execution) {
    NNBURST_TRY_ASSIGN(std::shared_ptr<Jobs> jobs, this->jobs());
    const auto submit = [jobs = std::move(jobs), execution](const Result<>& signalled) {
        if (!signalled) {
            execution->fail(signalled);
            return;
        }
        execution->noteSignal();
        const auto trySubmit = [&]() -> Result<> {
            try {
                return jobs->trySubmit(
                    device::JobKind::EXECUTION, {.deadline = execution->options.deadline},
                    [execution] { execution->run(); },
                    [execution, wasLateAtLaunch = device::isPast(execution->options.deadline)] {
                        execution->fail(
                            device::missedBeforeStart("the execution", wasLateAtLaunch));
                    });
            } catch (const std::bad_alloc&) {
                return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, "out of memory");
            }
        };
        if (const Result<> submitted = trySubmit(); !submitted) {
            execution->fail(submitted);
        }
    };
    if (fences.empty()) {
        submit({});
        return {};
    }
    return fences_.wait(std::move(fences), execution->options.deadline, submit);
}

Result<> refuseBuffers(const Request& request) {
    for (std::size_t pool = 0; pool < request.pools.size(); ++pool) {
        if (std::holds_alternative<BufferToken>(request.pools[pool])) {
            return invalid(
                "request pool {}: no driver-managed buffer can be used by a model that is divided, "
                "has lost its device, or is on a driver before HAL 1.3",
                pool);
        }
    }
    return {};
}

Result<> executeOnThread(Background& background, SharedPreparedModel model, const Model& interface,
                         const Request& request, const ExecutionOptions& options,
                         ExecutionCallback callback) {
    NNBURST_TRY(checkCallback(callback));
    if (const Result<> checked = checkLaunch(interface, request, options); !checked) {
        callback(checked, {});
        return checked;
    }
    const auto shared = std::make_shared<ExecutionCallback>(std::move(callback));
    Result<> submitted = background.run(
        options.deadline,
        [model = std::move(model), request, options, shared] {
            ExecutionOutcome outcome;
            const Result<> status = model->executeSynchronously(request, options, outcome);
            clearAfterFailure(status, outcome);
            (*shared)(status, outcome);
        },
        [shared, wasLateAtLaunch = device::isPast(options.deadline)] {
            (*shared)(device::missedBeforeStart("the execution", wasLateAtLaunch), {});
        });
    if (!submitted) {
        (*shared)(submitted, {});
    }
    return submitted;
}

Result<FencedExecution> executeFencedOnThread(Background& background, SharedPreparedModel model,
                                              const Model& interface, const Request& request,
                                              std::span<const int> waitFor,
                                              const ExecutionOptions& options,
                                              OptionalTimeoutDuration timeoutAfterFence) {
    const OptionalTimePoint launch = exec::arrivalTime(options);
    NNBURST_TRY(checkLaunch(interface, request, options));
    const std::span outputs =
        std::span(interface.main.operands).last(interface.main.outputIndexes.size());
    NNBURST_TRY(device::checkOutputDimensions(outputs, request));
    NNBURST_TRY_ASSIGN(std::vector<UniqueFd> fences, device::duplicateFences(waitFor));
    NNBURST_TRY_ASSIGN(auto end, device::FencedEnd::create());
    NNBURST_TRY_ASSIGN(UniqueFd fence, UniqueFd::duplicate(end->fence()));
    NNBURST_TRY(background.runAfter(
        std::move(fences),
        std::make_shared<WaitingExecution>(WaitingExecution{.end = end,
                                                            .model = std::move(model),
                                                            .request = request,
                                                            .options = options,
                                                            .timeoutAfterFence = timeoutAfterFence,
                                                            .launch = launch,
                                                            .signalled = {}})));
    return FencedExecution{
        .fence = std::move(fence),
        .callback = [end](Timing& launched, Timing& its) { return end->info(launched, its); }};
}

}  // namespace nnburst::runtime
