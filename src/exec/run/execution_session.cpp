// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/execution_session.h"

#include <fmt/format.h>
#include <new>

#include <algorithm>
#include <string>
#include <utility>

#include "exec/run/buffer_uses.h"
#include "log/assert.h"
#include "log/marks.h"
#include "log/verbose.h"
#include "memory/device_buffer.h"
#include "model/outcome.h"
#include "model/request_check.h"
#include "model/version_rules.h"

namespace nnburst::exec {

Timing timingSince(const OptionalTimePoint& arrival, Timing measured) noexcept {
    if (arrival && measured.timeOnDevice != kTimeNotAvailable) {
        const auto inDriver = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - *arrival);
        measured.timeInDriver = static_cast<std::uint64_t>(inDriver.count());
    }
    return measured;
}

namespace {

std::string outcomeText(const Result<>& result) {
    return result ? "NONE"
                  : fmt::format("{}, {}", toString(result.error().status), result.error().message);
}

/// Null if executions are not counted, or if there is no memory for it.
std::shared_ptr<SessionCounts> countsFor(const Executable& executable) noexcept {
    try {
        return executable.counts ? executable.counts->addSession() : nullptr;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

}  // namespace

ExecutionSession::ExecutionSession(Executable executable) noexcept
    : executable_(std::move(executable)), counts_(countsFor(executable_)) {
    NNBURST_ASSERT(executable_.model != nullptr && executable_.buffers != nullptr,
                   "an executable without a model or without buffers");
}

Result<> ExecutionSession::run(const RequestArguments& request, RequestMemorySource& memory,
                               const ExecutionOptions& options, const OptionalTimePoint& arrival,
                               ExecutionOutcome& outcome) {
    const HalVersion version = executable_.version;
    OptionalTimePoint begin;
    countBegin(begin);
    NNBURST_MARK(execution__begin, this);
    ExecutionOutcome& computed = supportsOutputShapes(version) ? outcome : withheld_;
    Result<> result = knownTo(
        version, resolveAndRunIfMemory(request, memory, knownTo(version, options), computed));
    releaseBuffers();
    if (!result) {
        discardOutputs(request);
    }
    if (&computed != &outcome) {
        clearOutcome(outcome);
        outcome.timing = computed.timing;
    }
    NNBURST_MARK(execution__end, this);
    NNBURST_VLOG(EXECUTION, "{} inputs, {} outputs, {} pools: {}", request.inputs.size(),
                 request.outputs.size(), pools_.size(), outcomeText(result));
    finish(result, begin, arrival, outcome);
    return result;
}

bool ExecutionSession::mayBind() const noexcept {
    return isAllMapped_ && deviceBuffers_.empty() &&
           supportsReusableExecutions(executable_.version);
}

bool ExecutionSession::bind(const RequestArguments& request, RequestBindings& bindings) const {
    return mayBind() &&
           executable_.model->bind(request.inputs, request.outputs, views_, bindings).has_value();
}

Result<> ExecutionSession::runBound(RequestBindings& bindings, const ExecutionOptions& options,
                                    ExecutionOutcome& outcome) {
    OptionalTimePoint arrival;
    if (options.measure == MeasureTiming::YES) {
        arrival = std::chrono::steady_clock::now();  // in place: see system::copyByParts
    }
    OptionalTimePoint begin;
    countBegin(begin);
    NNBURST_MARK(execution__begin, this);
    Result<> result =
        executable_.model->run(bindings, executable_.callerKeepingPass(), options, outcome);
    NNBURST_MARK(execution__end, this);
    NNBURST_VLOG(EXECUTION, "{} inputs, {} outputs, resolved before: {}", bindings.inputs.size(),
                 bindings.outputs.size(), outcomeText(result));
    finish(result, begin, arrival, outcome);
    return result;
}

void ExecutionSession::report(const Result<>& result, const OptionalTimePoint& arrival,
                              ExecutionOutcome& outcome) noexcept {
    if (result) {
        outcome.timing = timingSince(arrival, outcome.timing);
    } else {
        clearAfterFailure(result, outcome);
    }
}

Result<> ExecutionSession::resolveAndRunIfMemory(const RequestArguments& request,
                                                 RequestMemorySource& memory,
                                                 const ExecutionOptions& options,
                                                 ExecutionOutcome& outcome) {
    try {
        return resolveAndRun(request, memory, options, outcome);
    } catch (const std::bad_alloc&) {
        // Takes no memory: the message fits into the string.
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, "out of memory");
    }
}

Result<> ExecutionSession::resolveAndRun(const RequestArguments& request,
                                         RequestMemorySource& memory,
                                         const ExecutionOptions& options,
                                         ExecutionOutcome& outcome) {
    outcome.timing = {};
    NNBURST_TRY(resolve(memory));
    NNBURST_TRY(checkMeasure(options.measure));
    NNBURST_TRY(checkOutputs(request));
    NNBURST_TRY(executable_.model->bind(request.inputs, request.outputs, views_, bindings_));
    return deviceBuffers_.empty() ? runOnMemory(request, options, outcome)
                                  : runOnDeviceBuffers(request, options, outcome);
}

Result<> ExecutionSession::runOnMemory(const RequestArguments& request,
                                       const ExecutionOptions& options, ExecutionOutcome& outcome) {
    if (!isAllMapped_) {
        return runStaged(request, options, outcome);
    }
    const Caller caller =
        deviceBuffers_.empty() ? executable_.callerKeepingPass() : executable_.caller();
    return executable_.model->run(bindings_, caller, options, outcome);
}

Result<> ExecutionSession::runOnDeviceBuffers(const RequestArguments& request,
                                              const ExecutionOptions& options,
                                              ExecutionOutcome& outcome) {
    DeviceBufferAccess access(options.deadline);
    for (const int buffer : deviceBuffers_) {
        NNBURST_TRY(access.begin(buffer));
    }
    NNBURST_TRY(runOnMemory(request, options, outcome));
    return access.end();
}

/// Finds all pools of a request, driver-managed buffers among them.
Result<> ExecutionSession::resolve(RequestMemorySource& memory) {
    isAllMapped_ = false;
    pools_.clear();
    views_.clear();
    deviceBuffers_.clear();
    NNBURST_TRY(memory.resolve(pools_));
    bool isAllMapped = true;
    for (RequestMemory& pool : pools_) {
        if (pool.token && !pool.buffer) {
            NNBURST_TRY_ASSIGN(pool.buffer,
                               executable_.buffers->find(*pool.token, executable_.preparedModel));
        }
        views_.push_back(pool.view);
        if (pool.deviceBuffer >= 0) {
            deviceBuffers_.push_back(pool.deviceBuffer);
        }
        isAllMapped = isAllMapped && pool.view.data != nullptr;
    }
    isAllMapped_ = isAllMapped;
    return {};
}

/// The next execution may come late, and the buffers stay charged while anything holds them.
void ExecutionSession::releaseBuffers() noexcept {
    if (!isAllMapped_) {
        for (RequestMemory& pool : pools_) {
            pool.buffer = nullptr;
        }
    }
}

/// Versions that do not know output shapes want the dimensions of outputs beforehand.
Result<> ExecutionSession::checkOutputs(const RequestArguments& request) const {
    if (supportsOutputShapes(executable_.version)) {
        return {};
    }
    const std::span<const Operand> operands = executable_.model->outputs();
    for (std::size_t i = 0; i < std::min(request.outputs.size(), operands.size()); ++i) {
        NNBURST_TRY(checkOutput(executable_.version, i, operands[i], request.outputs[i]));
    }
    return {};
}

/// An execution of `request`, which may break any rule, has failed.
void ExecutionSession::discardOutputs(const RequestArguments& request) const {
    for (std::uint32_t index = 0; index < request.outputs.size(); ++index) {
        const RequestArgument& argument = request.outputs[index];
        const std::uint32_t pool = argument.location.poolIndex;
        if (!argument.hasNoValue && pool < pools_.size() && pools_[pool].token) {
            const BufferOutput output{.index = index, .token = *pools_[pool].token};
            exec::discardOutputs(executable_, {&output, 1});
        }
    }
}

/// Runs a request of which some arguments lie in memory that is not mapped.
Result<> ExecutionSession::runStaged(const RequestArguments& request,
                                     const ExecutionOptions& options, ExecutionOutcome& outcome) {
    const Caller caller = executable_.caller();
    const RunLimits limits{.deadline = options.deadline,
                           .isCancelled = caller.isCancelled(),
                           .account = caller.account()};
    const StagedArguments::Scope scope(staged_);
    NNBURST_TRY(staged_.attach(executable_, request, pools_, limits, bindings_));
    NNBURST_TRY(executable_.model->run(bindings_, caller, options, outcome));
    return staged_.finish(executable_, bindings_, outcome, limits);
}

}  // namespace nnburst::exec
