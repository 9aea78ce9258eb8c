// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/fenced_execution.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "device/local/launched_request.h"
#include "exec/run/execution_session.h"
#include "log/assert.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/fence.h"
#include "system/time.h"

namespace nnburst::device {

namespace {

using Clock = std::chrono::steady_clock;

/// The fence of an execution. The client's is charged while the client has its capability.
constexpr std::uint64_t kDescriptorsOfFence = 1;

/// The state of a launched execution until its fences are signalled.
struct Launched {
    Charge fences;  // for the fences that it waits for
    std::shared_ptr<FencedEnd> end;
    std::shared_ptr<LaunchedRequest> request;  // dropped before `end` fails its fence
    std::shared_ptr<Scheduler::Client> scheduler;
    ExecutionOptions options;
    OptionalTimeoutDuration timeoutAfterFence;
    OptionalTimePoint launch;  // only if it is measured

    void run(const OptionalTimePoint& signalled) const {
        ExecutionOutcome outcome;
        // The time in the driver is measured from two points below.
        Result<> status = request->run(options, std::nullopt, outcome);
        if (!status) {
            end->give(std::move(status), {}, {});
            return;
        }
        const Timing fenced = exec::timingSince(signalled, outcome.timing);
        end->give({}, exec::timingSince(launch, outcome.timing), fenced);
    }

    /// Ends it without an execution.
    void fail(const Result<>& why) const {
        request->fail();
        end->give(why, {}, {});
    }
};

/// trySubmit or submitAccepted.
using Submit = Result<> (Scheduler::Client::*)(JobKind, const exec::Urgency&, Job, Job);

/// Called when all fences are signalled: queues the execution as a job.
Result<> queue(const std::shared_ptr<Launched>& launched, Submit submit) {
    const OptionalTimePoint signalled = exec::arrivalTime(launched->options);
    if (launched->timeoutAfterFence) {
        const TimePoint end = system::saturatingAdd(Clock::now(), *launched->timeoutAfterFence);
        OptionalTimePoint& deadline = launched->options.deadline;
        deadline = deadline ? std::min(*deadline, end) : end;
    }
    const exec::Urgency urgency{.priority = launched->request->executable().priority,
                                .deadline = launched->options.deadline};
    // Not the job's: it runs on a job thread, and must not be the one that drops the scheduler.
    const std::shared_ptr<Scheduler::Client> scheduler = std::move(launched->scheduler);
    NNBURST_ASSERT(scheduler != nullptr, "a fenced execution is submitted twice");
    return (scheduler.get()->*submit)(
        JobKind::EXECUTION, urgency, [launched, signalled] { launched->run(signalled); },
        [launched, wasLateAtLaunch = isPast(urgency.deadline)] {
            launched->fail(missedBeforeStart("the execution", wasLateAtLaunch));
        });
}

}  // namespace

Result<std::shared_ptr<FencedEnd>> FencedEnd::create(Charge charge) {
    NNBURST_TRY_ASSIGN(UniqueFd fence, makeFence());
    return std::shared_ptr<FencedEnd>(new FencedEnd(std::move(fence), std::move(charge)));
}

FencedEnd::~FencedEnd() {
    failFence(fence_.get());
}

void FencedEnd::give(Result<> status, const Timing& launched, const Timing& fenced) {
    const bool isGood = status.has_value();
    if (!isGood && status.error().status == ErrorStatus::INVALID_ARGUMENT) {
        status.error().status = ErrorStatus::GENERAL_FAILURE;
    }
    const system::MutexLock lock(mutex_);
    NNBURST_ASSERT(!isGiven_, "a fenced execution has ended twice");
    isGiven_ = true;
    status_ = std::move(status);
    launched_ = launched;
    fenced_ = fenced;
    if (isGood) {
        signalFence(fence_.get());
    } else {
        failFence(fence_.get());
    }
}

bool FencedEnd::isGiven() const {
    const system::MutexLock lock(mutex_);
    return isGiven_;
}

Result<> FencedEnd::info(Timing& launched, Timing& fenced) const {
    const system::MutexLock lock(mutex_);
    launched = launched_;
    fenced = fenced_;
    if (!isGiven_) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "the execution has not ended: ask after its fence was signalled");
    }
    return status_;
}

Result<> checkOutputDimensions(std::span<const Operand> outputs, const Request& request) {
    if (request.outputs.size() != outputs.size()) {
        return invalid("the request has {} outputs, the model {}", request.outputs.size(),
                       outputs.size());
    }
    for (std::size_t index = 0; index < outputs.size(); ++index) {
        const RequestArgument& argument = request.outputs[index];
        const Dimensions& dimensions =
            argument.dimensions.empty() ? outputs[index].dimensions : argument.dimensions;
        if (!argument.hasNoValue && !isFullySpecified(outputs[index].type, dimensions)) {
            return invalid(
                "output {} of a fenced execution: dimensions {} must all be known from "
                "the model or the request",
                index, dimensionsText(dimensions));
        }
    }
    return {};
}

Result<std::vector<UniqueFd>> duplicateFences(std::span<const int> fences) {
    std::vector<UniqueFd> owned;
    for (const int fence : fences) {
        NNBURST_TRY_ASSIGN(const FenceState state, fenceState(fence));
        if (state == FenceState::FAILED) {
            return invalid("fence {} of {} has failed already: nothing can wait for it",
                           owned.size(), fences.size());
        }
        NNBURST_TRY_ASSIGN(UniqueFd copy, UniqueFd::duplicate(fence));
        owned.push_back(std::move(copy));
    }
    return owned;
}

Result<std::shared_ptr<FencedEnd>> launchFenced(const exec::Executable& executable,
                                                const std::shared_ptr<Scheduler::Client>& scheduler,
                                                FenceWaiter& waiter, const Request& request,
                                                std::span<const int> waitFor,
                                                const ExecutionOptions& options,
                                                OptionalTimeoutDuration timeoutAfterFence) {
    const OptionalTimePoint launch = exec::arrivalTime(options);
    NNBURST_TRY_ASSIGN(
        const auto kept,
        LaunchedRequest::create(executable, request, options,
                                waitFor.empty() ? LaunchKind::AT_ONCE : LaunchKind::AFTER_FENCES));
    NNBURST_TRY(checkOutputDimensions(executable.model->outputs(), request));
    const SharedAccount account =
        executable.client == nullptr ? nullptr : executable.client->account();
    NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account, Resource::DESCRIPTORS, waitFor.size()));
    NNBURST_TRY_ASSIGN(Charge ofEnd, chargeTo(account, Resource::DESCRIPTORS, kDescriptorsOfFence));
    NNBURST_TRY_ASSIGN(std::vector<UniqueFd> fences, duplicateFences(waitFor));
    NNBURST_TRY_ASSIGN(auto end, FencedEnd::create(std::move(ofEnd)));
    const auto launched =
        std::make_shared<Launched>(Launched{.fences = std::move(charge),
                                            .end = end,
                                            .request = kept,
                                            .scheduler = scheduler,
                                            .options = options,
                                            .timeoutAfterFence = timeoutAfterFence,
                                            .launch = launch});
    if (fences.empty()) {
        NNBURST_TRY(queue(launched, &Scheduler::Client::trySubmit));
        return end;
    }
    NNBURST_TRY(
        waiter.wait(std::move(fences), options.deadline, [launched](const Result<>& signalled) {
            // It was accepted at the launch: what is full now refuses only later launches.
            const auto queued = [&]() -> Result<> {
                try {
                    return signalled ? queue(launched, &Scheduler::Client::submitAccepted)
                                     : signalled;
                } catch (const std::bad_alloc&) {
                    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, "out of memory");
                }
            }();
            if (!queued) {
                launched->fail(queued);
            }
        }));
    return end;
}

}  // namespace nnburst::device
