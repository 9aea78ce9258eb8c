// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/local_burst.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "burst/flight.h"
#include "device/local/request_execution.h"

namespace nnburst::device {

/// What the burst and its reusable executions share.
class LocalBurst::State {
  public:
    State(exec::Executable executable, std::uint32_t inFlight)
        : execution_(std::move(executable)), ended_(inFlight) {}

    /// Runs `run`, which overwrites the outcome that it gets, unless another thread is inside.
    template <class Run>
    Result<> execute(ExecutionOutcome& outcome, Run run) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (lock && freePlace() != nullptr) {
            return run(execution_, outcome);
        }
        outcome.outputShapes.clear();
        outcome.timing = {};
        return lock ? burst::tooManyInFlight(ended_.size()) : occupied();
    }

    /// As execute, keeping the result.
    template <class Run>
    Result<Submission> submit(const Request& request, Run run) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) {
            return occupied();
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
        const std::lock_guard lock(mutex_);
        const auto ended = std::find_if(
            ended_.begin(), ended_.end(),
            [submission](const Ended& candidate) { return candidate.submission == submission; });
        if (submission == Submission{} || ended == ended_.end()) {
            outcome.outputShapes.clear();
            outcome.timing = {};
            return burst::notInFlight(submission);
        }
        ended->submission = {};
        std::swap(outcome, ended->outcome);
        return std::move(ended->status);
    }

    void forget(const SharedRegion& region) {
        const std::lock_guard lock(mutex_);
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
        std::vector<burst::OutputRange> outputs;
    };

    static tl::unexpected<Error> occupied() {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "another thread is executing on this burst; a burst belongs to one thread "
                       "at a time");
    }

    Ended* freePlace() noexcept {
        const auto place = std::find_if(ended_.begin(), ended_.end(), [](const Ended& candidate) {
            return candidate.submission == Submission{};
        });
        return place == ended_.end() ? nullptr : &*place;
    }

    std::mutex mutex_;
    RequestExecution execution_;  // guarded by mutex_, as all below
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
