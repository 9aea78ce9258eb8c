// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/part_burst.h"

#include <algorithm>
#include <utility>

#include "burst/burst_errors.h"

namespace nnburst::runtime {

namespace {

using Use = burst::ExclusiveUse<burst::TryLock>;

/// Bit that is set in submissions to the burst of the replacement. Submissions to the device's
/// burst are smaller numbers.
constexpr std::uint64_t kReplacementBit = std::uint64_t{1} << 63;

bool isOnReplacement(Submission submission) noexcept {
    return (static_cast<std::uint64_t>(submission) & kReplacementBit) != 0;
}

Submission marked(Submission submission) noexcept {
    return static_cast<Submission>(static_cast<std::uint64_t>(submission) | kReplacementBit);
}

Submission unmarked(Submission submission) noexcept {
    return static_cast<Submission>(static_cast<std::uint64_t>(submission) & ~kReplacementBit);
}

/// A reusable execution of the device's burst, and one of the replacement's when it is needed.
class PartReusable final : public ReusableExecution {
  public:
    PartReusable(std::shared_ptr<PartBurstState> state, Request request,
                 const ExecutionOptions& options, std::unique_ptr<ReusableExecution> device)
        : state_(std::move(state)),
          request_(std::move(request)),
          options_(options),
          device_(std::move(device)) {}

    Result<> compute(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) override {
        const Use use(state_->lock());
        if (!use) {
            return burst::failed(outcome, burst::usedByAnotherThread());
        }
        if (!state_->isReplaced() && device_ != nullptr) [[likely]] {
            Result<> result = device_->compute(deadline, outcome);
            if (result || !state_->canReplace(result.error(), deadline)) {
                return result;
            }
            return computeOnReplacement(state_->replace(result.error()), result.error(), deadline,
                                        outcome);
        }
        return computeOnReplacement(state_->makeReplacementBurst(), {}, deadline, outcome);
    }

    Result<Submission> submit(const OptionalTimePoint& deadline) override {
        const Use use(state_->lock());
        if (!use) {
            return burst::usedByAnotherThread();
        }
        if (!state_->isReplaced() && device_ != nullptr) {
            Result<Submission> submission = device_->submit(deadline);
            if (state_->noteSubmission(submission, deadline)) {
                return submission;
            }
        }
        NNBURST_TRY_ASSIGN(Burst* const burst, state_->makeReplacementBurst());
        NNBURST_TRY(makeReplacement(*burst));
        NNBURST_TRY_ASSIGN(const Submission submission, replacement_->submit(deadline));
        return marked(submission);
    }

  private:
    Result<> makeReplacement(Burst& burst) {
        if (replacement_ == nullptr) {
            NNBURST_TRY_ASSIGN(replacement_, burst.createReusableExecution(request_, options_));
        }
        return {};
    }

    /// On `burst`; `why` is the error if there is none.
    Result<> computeOnReplacement(const Result<Burst*>& burst, const Error& why,
                                  const OptionalTimePoint& deadline, ExecutionOutcome& outcome) {
        if (!burst) {
            return burst::failed(outcome,
                                 tl::unexpected<Error>(why.message.empty() ? burst.error() : why));
        }
        if (const Result<> made = makeReplacement(**burst); !made) {
            return burst::failed(outcome, made);
        }
        return replacement_->compute(deadline, outcome);
    }

    const std::shared_ptr<PartBurstState> state_;
    const Request request_;
    const ExecutionOptions options_;
    const std::unique_ptr<ReusableExecution> device_;  // null if it could not be made
    std::unique_ptr<ReusableExecution> replacement_;
};

}  // namespace

PartBurstState::PartBurstState(std::unique_ptr<Burst> device,
                               std::shared_ptr<Replacement> replacement,
                               const BurstOptions& options)
    : device_(std::move(device)), replacement_(std::move(replacement)), options_(options) {
    inFlight_.reserve(options.inFlight);
}

Result<Burst*> PartBurstState::makeReplacementBurst() {
    if (owned_ == nullptr) {
        NNBURST_TRY_ASSIGN(const SharedPreparedModel model, replacement_->model());
        NNBURST_TRY_ASSIGN(owned_, model->configureExecutionBurst(options_));
        // sync [burst-replaced]
        replacementBurst_.store(owned_.get(), std::memory_order_release);
    }
    return owned_.get();
}

bool PartBurstState::noteSubmission(const Result<Submission>& submission,
                                    const OptionalTimePoint& deadline) {
    if (submission) {
        inFlight_.push_back({*submission, deadline});
        return true;
    }
    return !canReplaceLost(submission.error(), deadline) || !replace(submission.error());
}

OptionalTimePoint PartBurstState::forgetSubmission(Submission submission) {
    const auto found = std::find_if(
        inFlight_.begin(), inFlight_.end(),
        [submission](const InFlight& execution) { return execution.submission == submission; });
    if (found == inFlight_.end()) {
        return std::nullopt;
    }
    const OptionalTimePoint deadline = found->deadline;
    inFlight_.erase(found);
    return deadline;
}

Result<Burst*> PartBurstState::replace(const Error& why) {
    NNBURST_TRY(replacement_->replace(why));
    NNBURST_TRY_ASSIGN(Burst* const burst, makeReplacementBurst());
    replacement_->countExecution();
    return burst;
}

Result<> PartBurst::execute(const Request& request, const ExecutionOptions& options,
                            ExecutionOutcome& outcome) {
    const Use use(state_->lock());
    if (!use) {
        return burst::failed(outcome, burst::usedByAnotherThread());
    }
    if (!state_->isReplaced()) [[likely]] {
        Result<> result = state_->device().execute(request, options, outcome);
        if (result || !state_->canReplace(result.error(), options.deadline)) {
            return result;
        }
        const auto burst = state_->replace(result.error());
        return burst ? (*burst)->execute(request, options, outcome) : result;
    }
    const auto burst = state_->makeReplacementBurst();
    return burst ? (*burst)->execute(request, options, outcome)
                 : (burst::failed(outcome, tl::unexpected<Error>(burst.error())));
}

Result<std::unique_ptr<ReusableExecution>> PartBurst::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    const Use use(state_->lock());
    if (!use) {
        return burst::usedByAnotherThread();
    }
    std::unique_ptr<ReusableExecution> device;
    if (!state_->isReplaced()) {
        auto made = state_->device().createReusableExecution(request, options);
        if (!made && !state_->canReplace(made.error(), {})) {
            return made;
        }
        device = made ? std::move(*made) : nullptr;
    }
    return std::make_unique<PartReusable>(state_, request, options, std::move(device));
}

Result<Submission> PartBurst::submit(const Request& request, const ExecutionOptions& options) {
    const Use use(state_->lock());
    if (!use) {
        return burst::usedByAnotherThread();
    }
    if (!state_->isReplaced()) {
        Result<Submission> submission = state_->device().submit(request, options);
        if (state_->noteSubmission(submission, options.deadline)) {
            return submission;
        }
    }
    NNBURST_TRY_ASSIGN(Burst* const burst, state_->makeReplacementBurst());
    NNBURST_TRY_ASSIGN(const Submission submission, burst->submit(request, options));
    return marked(submission);
}

Result<> PartBurst::wait(Submission submission, ExecutionOutcome& outcome) {
    const Use use(state_->lock());
    if (!use) {
        return burst::failed(outcome, burst::usedByAnotherThread());
    }
    if (isOnReplacement(submission) && state_->replacementBurst() != nullptr) {
        return state_->replacementBurst()->wait(unmarked(submission), outcome);
    }
    Result<> result = state_->device().wait(submission, outcome);
    const OptionalTimePoint deadline = state_->forgetSubmission(submission);
    if (!result && state_->canReplaceLost(result.error(), deadline)) {
        state_->noteLoss(result.error());
    }
    return result;
}

Result<int> PartBurst::completionDescriptor() {
    const Use use(state_->lock());
    if (!use) {
        return burst::usedByAnotherThread();
    }
    return state_->device().completionDescriptor();
}

Result<bool> PartBurst::armCompletion() {
    const Use use(state_->lock());
    if (!use) {
        return burst::usedByAnotherThread();
    }
    if (state_->isReplaced()) {
        return true;  // what the replacement executes ends before `submit` returns
    }
    return state_->device().armCompletion();
}

bool PartBurst::isDone(Submission submission) {
    const Use use(state_->lock());
    if (!use) {
        return false;
    }
    Burst* const replacement = state_->replacementBurst();
    if (isOnReplacement(submission) && replacement != nullptr) {
        return replacement->isDone(unmarked(submission));
    }
    return state_->device().isDone(submission);
}

bool PartBurst::isMemoryInUse() {
    const Use use(state_->lock());
    return !use || state_->device().isMemoryInUse();
}

Result<> PartBurst::waitForMemory(const OptionalTimePoint& deadline) {
    const Use use(state_->lock());
    return use ? state_->device().waitForMemory(deadline) : Result<>(burst::usedByAnotherThread());
}

void PartBurst::freeMemory(const SharedRegion& region) {
    state_->device().freeMemory(region);
    if (Burst* const replacement = state_->replacementBurst()) {
        replacement->freeMemory(region);
    }
}

}  // namespace nnburst::runtime
