// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/local_burst.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "burst/exclusive_use.h"
#include "burst/output_ranges.h"
#include "burst/submission_errors.h"
#include "device/local/request_execution.h"
#include "model/outcome.h"
#include "system/mutex.h"

namespace nnburst::device {

/// What the burst and its reusable executions share.
class LocalBurst::State {
  public:
    State(exec::Executable executable, std::uint32_t inFlight)
        : execution_(std::move(executable)), ended_(inFlight) {}

    /// Runs `run`, which overwrites the outcome that it gets, unless another thread is inside.
    template <class Run>
    Result<> execute(ExecutionOutcome& outcome, Run run) {
        const burst::ExclusiveUse use(mutex_);
        if (use && freePlace() != nullptr) {
            return run(execution_, outcome);
        }
        clearOutcome(outcome);
        return use ? burst::tooManyInFlight(ended_.size()) : burst::usedByAnotherThread();
    }

    /// As execute, keeping the result.
    template <class Run>
    Result<Submission> submit(const Request& request, Run run) {
        const burst::ExclusiveUse use(mutex_);
        if (!use) {
            return burst::usedByAnotherThread();
        }
        Ended* const place = freePlace();
        if (place == nullptr) {
            return burst::tooManyInFlight(ended_.size());
        }
        burst::collectOutputs(request, place->outputs);
        for (const Ended& other : ended_) {
            if (other.submission != Submission{} && burst::overlap(place->outputs, other.outputs)) {
                return burst::overlapping(other.submission);
            }
        }
        place->submission = Submission{++lastSubmission_};
        place->status = run(execution_, place->outcome);
        return place->submission;
    }

    Result<> wait(Submission submission, ExecutionOutcome& outcome) {
        const burst::ExclusiveUse use(mutex_);
        if (!use) {
            clearOutcome(outcome);
            return burst::usedByAnotherThread();
        }
        const auto ended = std::find_if(
            ended_.begin(), ended_.end(),
            [submission](const Ended& candidate) { return candidate.submission == submission; });
        if (submission == Submission{} || ended == ended_.end()) {
            clearOutcome(outcome);
            return burst::notInFlight(submission);
        }
        ended->submission = {};
        std::swap(outcome, ended->outcome);
        return std::move(ended->status);
    }

    void forget(const SharedRegion& region) {
        const system::MutexLock lock(mutex_);
        execution_.forget(region);
    }

    [[nodiscard]] const exec::Executable& executable() const noexcept {
        return execution_.executable();
    }

  private:
    /// An execution whose result nobody has asked for yet.
    struct Ended {
        Submission submission{};  ///< none: the place is free
        Result<> status;
        ExecutionOutcome outcome;
        std::vector<burst::MemoryRange> outputs;
    };

    Ended* freePlace() noexcept {
        const auto place = std::find_if(ended_.begin(), ended_.end(), [](const Ended& candidate) {
            return candidate.submission == Submission{};
        });
        return place == ended_.end() ? nullptr : &*place;
    }

    // Held by one call at a time, and by freeMemory, which waits. The compiler's analysis does not
    // follow try-locks: it does not check what the mutex guards, which is all below.
    system::Mutex mutex_;
    RequestExecution execution_;
    std::vector<Ended> ended_;
    std::uint64_t lastSubmission_ = 0;
};

/// Keeps its memory mapped and, where all of it is, its arguments resolved.
class LocalBurst::Reusable final : public ReusableExecution {
  public:
    Reusable(std::shared_ptr<State> state, const Request& request, const ExecutionOptions& options)
        : state_(std::move(state)),
          request_(request),
          options_(options),
          execution_(state_->executable()) {}

    [[nodiscard]] Result<> compute(const OptionalTimePoint& deadline,
                                   ExecutionOutcome& outcome) override {
        return state_->execute(outcome, [&](RequestExecution&, ExecutionOutcome& computed) {
            return run(deadline, computed);
        });
    }

    [[nodiscard]] Result<Submission> submit(const OptionalTimePoint& deadline) override {
        return state_->submit(request_, [&](RequestExecution&, ExecutionOutcome& computed) {
            return run(deadline, computed);
        });
    }

  private:
    Result<> run(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) {
        options_.deadline = deadline;
        const OptionalTimePoint arrival = arrivalTime(options_);
        if (!isBound_) {
            isBound_ = execution_.bind(request_, bindings_);
        }
        return isBound_ ? execution_.executeBound(bindings_, options_, arrival, outcome)
                        : execution_.execute(request_, options_, arrival, outcome);
    }

    const std::shared_ptr<State> state_;
    const Request request_;
    ExecutionOptions options_;
    RequestExecution execution_;
    exec::RequestBindings bindings_;
    bool isBound_ = false;
};

LocalBurst::LocalBurst(exec::Executable executable, std::uint32_t inFlight)
    : state_(std::make_shared<State>(std::move(executable), inFlight)) {}

Result<> LocalBurst::execute(const Request& request, const ExecutionOptions& options,
                             ExecutionOutcome& outcome) {
    return state_->execute(outcome, [&](RequestExecution& execution, ExecutionOutcome& computed) {
        return execution.execute(request, options, arrivalTime(options), computed);
    });
}

Result<std::unique_ptr<ReusableExecution>> LocalBurst::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    return std::make_unique<Reusable>(state_, request, options);
}

Result<Submission> LocalBurst::submit(const Request& request, const ExecutionOptions& options) {
    return state_->submit(request, [&](RequestExecution& execution, ExecutionOutcome& computed) {
        return execution.execute(request, options, arrivalTime(options), computed);
    });
}

Result<> LocalBurst::wait(Submission submission, ExecutionOutcome& outcome) {
    return state_->wait(submission, outcome);
}

void LocalBurst::freeMemory(const SharedRegion& region) {
    state_->forget(region);
}

}  // namespace nnburst::device
