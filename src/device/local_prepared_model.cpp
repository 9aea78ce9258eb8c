// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local_prepared_model.h"

#include <utility>

#include "device/local_burst.h"
#include "device/request_execution.h"
#include "device/unsupported.h"

namespace nnburst::device {

LocalPreparedModel::LocalPreparedModel(std::shared_ptr<exec::CompiledModel> model,
                                       std::shared_ptr<Scheduler> scheduler) noexcept
    : model_(std::move(model)), scheduler_(std::move(scheduler)) {}

Result<> LocalPreparedModel::executeSynchronously(const Request& request,
                                                  const ExecutionOptions& options,
                                                  ExecutionOutcome& outcome) {
    return RequestExecution(model_).execute(request, options, arrivalTime(options), outcome);
}

Result<> LocalPreparedModel::execute(const Request& request, const ExecutionOptions& options,
                                     ExecutionCallback callback) {
    const auto shared = std::make_shared<ExecutionCallback>(std::move(callback));
    const Result<> submitted = scheduler_->trySubmit([model = model_, request, options,
                                                      arrival = arrivalTime(options), shared] {
        ExecutionOutcome outcome;
        const Result<> status = RequestExecution(model).execute(request, options, arrival, outcome);
        (*shared)(status, outcome);
    });
    if (!submitted) {
        (*shared)(submitted, ExecutionOutcome());
    }
    return submitted;
}

Result<FencedExecution> LocalPreparedModel::executeFenced(
    const Request& /*request*/, std::span<const int> /*waitFor*/,
    const ExecutionOptions& /*options*/, OptionalTimeoutDuration /*timeoutAfterFence*/) {
    return unsupported("executeFenced");
}

Result<std::unique_ptr<Burst>> LocalPreparedModel::configureExecutionBurst(
    const BurstOptions& /*options*/) {
    // The options say how queues are sized and waited for; here nothing is between the two sides.
    return std::make_unique<LocalBurst>(model_);
}

}  // namespace nnburst::device
