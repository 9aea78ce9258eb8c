// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/part_model.h"

#include <new>
#include <utility>

#include "burst/burst_errors.h"
#include "runtime/part_burst.h"

namespace nnburst::runtime {

PartModel::PartModel(SharedPreparedModel prepared, HalVersion version, Model interface,
                     std::shared_ptr<Replacement> replacement,
                     std::shared_ptr<ExecutionThreads> threads)
    : prepared_(std::move(prepared)),
      version_(version),
      interface_(std::move(interface)),
      replacement_(std::move(replacement)),
      background_(std::move(threads)) {}

bool PartModel::isMemoryInUse() {
    const system::MutexLock lock(mutex_);
    inUse_.dropAnswered();
    return !inUse_.isEmpty() || prepared_->isMemoryInUse();
}

bool PartModel::usesMemoryInUse(const Request& request) {
    const system::MutexLock lock(mutex_);
    inUse_.dropAnswered();
    return inUse_.isUsedBy(request);
}

Result<> PartModel::waitForMemory(const OptionalTimePoint& deadline) {
    std::vector<std::shared_ptr<Burst>> unanswered;
    {
        const system::MutexLock lock(mutex_);
        unanswered = inUse_.holders();
    }
    for (const std::shared_ptr<Burst>& burst : unanswered) {
        NNBURST_TRY(waitForMemoryOf(*burst, deadline));
    }
    return prepared_->waitForMemory(deadline);
}

void PartModel::keepBurst() {
    if (kept_ != nullptr || !std::exchange(hasExecuted_, true) || isBurstRefused_) {
        return;
    }
    try {
        auto burst = prepared_->configureExecutionBurst({});
        isBurstRefused_ = !burst;
        kept_ = burst ? std::move(*burst) : nullptr;
    } catch (const std::bad_alloc&) {
        // The execution has succeeded all the same. The next one tries again.
    }
}

Result<> PartModel::executeOnDevice(const Request& request, const ExecutionOptions& options,
                                    ExecutionOutcome& outcome) {
    const burst::ExclusiveUse use(keptLock_);
    Burst* const burst = use && !prepared_->isMemoryInUse() ? kept_.get() : nullptr;
    if (burst == nullptr) {
        Result<> result = prepared_->executeSynchronously(request, options, outcome);
        if (result && use) {
            keepBurst();
        }
        if (result || !canReplace(result.error(), options.deadline)) {
            return result;
        }
        return executeOnReplacement(result.error(), request, options, outcome);
    }
    Result<> result = burst->execute(request, options, outcome);
    if (result || !isDeviceFailure(result.error().status)) {
        return result;
    }
    if (burst->isMemoryInUse()) {
        const system::MutexLock lock(mutex_);
        inUse_.add(std::move(kept_), request);
        return result;
    }
    return replacement_ == nullptr || !mayBeRepeated(result.error().status, options.deadline)
               ? result
               : executeOnReplacement(result.error(), request, options, outcome);
}

Result<> PartModel::executeOnReplacement(const Error& why, const Request& request,
                                         const ExecutionOptions& options,
                                         ExecutionOutcome& outcome) {
    const auto model = replacement_->replace(why);
    if (!model) {
        return tl::unexpected<Error>(why);
    }
    replacement_->countExecution();
    return (*model)->executeSynchronously(request, options, outcome);
}

Result<> PartModel::executeSynchronously(const Request& request, const ExecutionOptions& options,
                                         ExecutionOutcome& outcome) {
    if (usesMemoryInUse(request)) {
        return burst::failed(outcome, burst::memoryInUse());
    }
    if (isReplaced()) {
        NNBURST_TRY_ASSIGN(const SharedPreparedModel model, replacement_->model());
        return model->executeSynchronously(request, options, outcome);
    }
    return executeOnDevice(request, options, outcome);
}

Result<> PartModel::execute(const Request& request, const ExecutionOptions& options,
                            ExecutionCallback callback) {
    if (callback && usesMemoryInUse(request)) {
        const Result<> refused = burst::memoryInUse();
        callback(refused, {});
        return refused;
    }
    if (isReplaced()) {
        return executeOnThread(background_, shared_from_this(), interface_, request, options,
                               std::move(callback));
    }
    if (replacement_ == nullptr || !callback) {
        return prepared_->execute(request, options, std::move(callback));
    }
    const auto shared = std::make_shared<ExecutionCallback>(std::move(callback));
    Result<> launched = prepared_->execute(
        request, options,
        [self = shared_from_this(), request, options, shared](const Result<>& status,
                                                              const ExecutionOutcome& outcome) {
            if (status || !self->canReplace(status.error(), options.deadline)) {
                (*shared)(status, outcome);
                return;
            }
            const Result<> submitted = self->background_.run(
                options.deadline,
                [self, request, options, shared, why = status.error()] {
                    ExecutionOutcome its;
                    const Result<> instead = self->executeOnReplacement(why, request, options, its);
                    (*shared)(instead, its);
                },
                [shared, wasLateAtLaunch = device::isPast(options.deadline)] {
                    (*shared)(device::missedBeforeStart("the execution", wasLateAtLaunch), {});
                });
            if (!submitted) {
                (*shared)(status, outcome);
            }
        });
    // The callback, which may come before or after this line, may repeat the execution: it has the
    // result alone.
    return !launched && isDeviceFailure(launched.error().status) ? Result<>() : launched;
}

Result<FencedExecution> PartModel::executeFenced(const Request& request,
                                                 std::span<const int> waitFor,
                                                 const ExecutionOptions& options,
                                                 OptionalTimeoutDuration timeoutAfterFence) {
    if (usesMemoryInUse(request)) {
        return burst::memoryInUse();
    }
    if (supportsFences(version_) && !isReplaced()) {
        auto launched = prepared_->executeFenced(request, waitFor, options, timeoutAfterFence);
        if (launched || !canReplace(launched.error(), options.deadline)) {
            return launched;
        }
    }
    return executeFencedOnThread(background_, shared_from_this(), interface_, request, waitFor,
                                 options, timeoutAfterFence);
}

Result<std::unique_ptr<Burst>> PartModel::configureExecutionBurst(const BurstOptions& options) {
    if (replacement_ == nullptr) {
        return prepared_->configureExecutionBurst(options);
    }
    if (isReplaced()) {
        NNBURST_TRY_ASSIGN(const SharedPreparedModel model, replacement_->model());
        return model->configureExecutionBurst(options);
    }
    auto burst = prepared_->configureExecutionBurst(options);
    if (burst) {
        return std::make_unique<PartBurst>(
            std::make_shared<PartBurstState>(std::move(*burst), replacement_, options));
    }
    if (!canReplace(burst.error(), {})) {
        return burst;
    }
    const auto model = replacement_->replace(burst.error());
    if (!model) {
        return burst;
    }
    return (*model)->configureExecutionBurst(options);
}

}  // namespace nnburst::runtime
