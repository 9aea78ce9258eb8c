// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/local_burst.h"

#include <new>
#include <utility>

#include "burst/burst_errors.h"
#include "burst/ended_executions.h"
#include "burst/exclusive_use.h"
#include "device/local/region_mappings.h"
#include "exec/run/burst_registration.h"
#include "exec/run/execution_session.h"
#include "model/outcome.h"
#include "model/request_check.h"
#include "system/mutex.h"
#include "system/time.h"

namespace nnburst::device {

/// What the burst and its reusable executions share.
class LocalBurst::State {
  public:
    State(exec::Executable executable, std::uint32_t inFlight)
        : registration_(executable), session_(std::move(executable)), ended_(inFlight) {
        registration_.makeRunner();
    }

    /// Calls `run`, which overwrites the outcome that it is given, unless another thread is using
    /// the burst.
    template <class Run>
    Result<> execute(ExecutionOutcome& outcome, Run run) {
        const burst::ExclusiveUse use(mutex_);
        if (!use || !ended_.hasRoom()) {
            clearOutcome(outcome);
            return use ? ended_.noRoom() : burst::usedByAnotherThread();
        }
        try {
            return run(outcome);
        } catch (const std::bad_alloc&) {
            return burst::failed(outcome, burst::outOfMemory());
        }
    }

    /// As execute, keeping the result.
    template <class Run>
    Result<Submission> submit(const Request& request, Run run) {
        const burst::ExclusiveUse use(mutex_);
        if (!use) {
            return burst::usedByAnotherThread();
        }
        return ended_.add(request, run);
    }

    Result<> wait(Submission submission, ExecutionOutcome& outcome) {
        const burst::ExclusiveUse use(mutex_);
        if (!use) {
            return burst::failed(outcome, burst::usedByAnotherThread());
        }
        return ended_.take(submission, outcome);
    }

    /// As LocalBurst.
    Result<int> completionDescriptor() {
        const burst::ExclusiveUse use(mutex_);
        if (!use) {
            return burst::usedByAnotherThread();
        }
        return ended_.completionDescriptor();
    }

    Result<bool> hasEnded() {
        const burst::ExclusiveUse use(mutex_);
        if (!use) {
            return burst::usedByAnotherThread();
        }
        return !ended_.isEmpty();
    }

    /// To be called by `run` of execute and submit.
    Result<> runOnce(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) {
        RequestRegions memory(mappings_, request);
        return session_.run({request.inputs, request.outputs}, memory, options,
                            exec::arrivalTime(options), outcome);
    }

    void freeMemory(const SharedRegion& region) {
        const system::MutexLock lock(mutex_);
        mappings_.unmap(region);
    }

    [[nodiscard]] const exec::Executable& executable() const noexcept {
        return session_.executable();
    }

  private:
    // Held by one call at a time, and by freeMemory, which waits. The compiler's analysis does not
    // follow try-locks: it does not check what the mutex guards, which is all below.
    system::Mutex mutex_;
    RegionMappings mappings_;
    const exec::BurstRegistration registration_;
    exec::ExecutionSession session_;
    burst::EndedExecutions ended_;
};

/// Keeps its memory mapped and, where all of it is, its arguments resolved.
class LocalBurst::Reusable final : public ReusableExecution {
  public:
    Reusable(std::shared_ptr<State> state, const Request& request, const ExecutionOptions& options)
        : state_(std::move(state)),
          request_(request),
          options_(options),
          session_(state_->executable()) {}

    [[nodiscard]] Result<> compute(const OptionalTimePoint& deadline,
                                   ExecutionOutcome& outcome) override {
        return state_->execute(outcome,
                               [&](ExecutionOutcome& computed) { return run(deadline, computed); });
    }

    [[nodiscard]] Result<Submission> submit(const OptionalTimePoint& deadline) override {
        return state_->submit(request_,
                              [&](ExecutionOutcome& computed) { return run(deadline, computed); });
    }

  private:
    Result<> run(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) {
        system::copyByParts(deadline, options_.deadline);
        if (isBound_) {
            return session_.runBound(bindings_, options_, outcome);
        }
        const exec::RequestArguments arguments{request_.inputs, request_.outputs};
        RequestRegions memory(mappings_, request_);
        Result<> result =
            session_.run(arguments, memory, options_, exec::arrivalTime(options_), outcome);
        isBound_ = session_.bind(arguments, bindings_);
        return result;
    }

    const std::shared_ptr<State> state_;
    const Request request_;
    ExecutionOptions options_;
    RegionMappings mappings_;
    exec::ExecutionSession session_;
    exec::RequestBindings bindings_;  // into request_ and mappings_
    bool isBound_ = false;
};

LocalBurst::LocalBurst(exec::Executable executable, std::uint32_t inFlight)
    : state_(std::make_shared<State>(std::move(executable), inFlight)) {}

Result<> LocalBurst::execute(const Request& request, const ExecutionOptions& options,
                             ExecutionOutcome& outcome) {
    return state_->execute(outcome, [&](ExecutionOutcome& computed) {
        return state_->runOnce(request, options, computed);
    });
}

Result<std::unique_ptr<ReusableExecution>> LocalBurst::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    NNBURST_TRY(checkMeasure(options.measure));
    return std::make_unique<Reusable>(state_, request, options);
}

Result<Submission> LocalBurst::submit(const Request& request, const ExecutionOptions& options) {
    return state_->submit(request, [&](ExecutionOutcome& computed) {
        return state_->runOnce(request, options, computed);
    });
}

Result<> LocalBurst::wait(Submission submission, ExecutionOutcome& outcome) {
    return state_->wait(submission, outcome);
}

Result<int> LocalBurst::completionDescriptor() {
    return state_->completionDescriptor();
}

Result<bool> LocalBurst::armCompletion() {
    return state_->hasEnded();
}

void LocalBurst::freeMemory(const SharedRegion& region) {
    state_->freeMemory(region);
}

}  // namespace nnburst::device
