// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/supervised/supervised_burst.h"

#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "burst/burst_errors.h"
#include "burst/wait_stats_sum.h"

namespace nnburst::device {

namespace {

using Use = burst::ExclusiveUse<burst::TryLock>;

/// A submission of the application: that of the driver's burst, whose serial numbers stay below
/// 2^48, with the generation of the driver above it.
constexpr unsigned kGenerationShift = 48;

Submission withGeneration(Submission inner, std::uint64_t generation) {
    return static_cast<Submission>(static_cast<std::uint64_t>(inner) ^ generation
                                                                           << kGenerationShift);
}

/// Whether `inner` was submitted to another driver than the one whose generation was removed from
/// it.
bool isOfAnother(Submission inner) noexcept {
    return static_cast<std::uint64_t>(inner) >> kGenerationShift != 0;
}

/// Makes `epoll` readable when the completion descriptor of `burst` is.
Result<> watchCompletion(Burst& burst, const UniqueFd& epoll) {
    NNBURST_TRY_ASSIGN(const int descriptor, burst.completionDescriptor());
    epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
    if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, descriptor, &event) != 0 && errno != EEXIST) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            std::string("cannot make the completion descriptor: ") + std::strerror(errno));
    }
    return {};
}

/// Undoes watchCompletion. Reusable executions that were not used since may keep `burst`, and its
/// descriptor stays readable after the loss of its driver.
void unwatchCompletion(Burst& burst, const UniqueFd& epoll) {
    if (const Result<int> descriptor = burst.completionDescriptor()) {
        (void)::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, *descriptor, nullptr);
    }
}

/// A reusable execution that is registered again in each new burst.
class SupervisedReusable final : public ReusableExecution {
  public:
    SupervisedReusable(std::shared_ptr<RestoredBurst> burst, Request request,
                       const ExecutionOptions& options)
        : burst_(std::move(burst)), request_(std::move(request)), options_(options) {}

    Result<> compute(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) override {
        const Use use(burst_->lock());
        if (use && burst_->isUpToDate() && generation_ == burst_->generation()) {
            return inner_->compute(deadline, outcome);  // the shortest path of all
        }
        if (const Result<> ready = prepare(use, deadline); !ready) {
            return burst::failed(outcome, ready);
        }
        return inner_->compute(deadline, outcome);
    }

    Result<Submission> submit(const OptionalTimePoint& deadline) override {
        const Use use(burst_->lock());
        NNBURST_TRY(prepare(use, deadline));
        NNBURST_TRY_ASSIGN(const Submission inner, inner_->submit(deadline));
        burst_->noteSubmitted();
        return withGeneration(inner, generation_);
    }

    /// Makes it for the burst of the current driver, if it is not.
    Result<> prepare(const Use& use, const OptionalTimePoint& deadline) {
        if (!use) {
            return burst::usedByAnotherThread();
        }
        NNBURST_TRY(burst_->updateWithin(deadline));
        if (generation_ != burst_->generation()) {
            NNBURST_TRY_ASSIGN(inner_, burst_->burst().createReusableExecution(request_, options_));
            generation_ = burst_->generation();
        }
        return {};
    }

  private:
    const std::shared_ptr<RestoredBurst> burst_;
    const Request request_;
    const ExecutionOptions options_;
    std::unique_ptr<ReusableExecution> inner_;
    std::uint64_t generation_ = 0;
};

}  // namespace

void RestoredBurst::setRestored(std::shared_ptr<Burst> burst, std::uint64_t generation) {
    const system::MutexLock lock(mutex_);
    if (restored_ != nullptr) {
        burst::add(earlier_, restored_->waitStats());
    }
    restored_.swap(burst);
    restoredGeneration_.store(generation, std::memory_order_relaxed);  // read again under the mutex
}

std::shared_ptr<Burst> RestoredBurst::restored() const {
    const system::MutexLock lock(mutex_);
    return restored_;
}

BurstWaitStats RestoredBurst::waitStats() const {
    const system::MutexLock lock(mutex_);
    BurstWaitStats sum = earlier_;
    burst::add(sum, restored_->waitStats());
    return sum;
}

Result<> RestoredBurst::awaitAndUpdate(const OptionalTimePoint& deadline) {
    if (supervisor_->driverState() == DriverState::LOST && supervisor_->letsCallsWait()) {
        NNBURST_TRY(supervisor_->awaitDriver(deadline));
    }
    update();
    return {};
}

void RestoredBurst::update() {
    std::shared_ptr<Burst> before;  // destroyed without the mutex
    const system::MutexLock lock(mutex_);
    const std::uint64_t restored = restoredGeneration_.load(std::memory_order_relaxed);
    if (restored != generation_) {
        if (completion_) {
            unwatchCompletion(*burst_, completion_);
        }
        before = std::exchange(burst_, restored_);
        generation_ = restored;
        lostInFlight_ += std::exchange(inFlight_, 0);
        if (completion_) {
            // Without it the next armCompletion fails with the reason.
            (void)watchCompletion(*burst_, completion_);
        }
    }
}

Result<int> RestoredBurst::completionDescriptor() {
    if (!completion_) {
        UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
        NNBURST_TRY(watchCompletion(*burst_, epoll));
        completion_ = std::move(epoll);
    }
    return completion_.get();
}

Result<bool> RestoredBurst::armCompletion() {
    update();
    NNBURST_TRY(completionDescriptor());
    if (lostInFlight_ > 0) {
        return true;
    }
    return burst_->armCompletion();
}

Result<> SupervisedBurst::execute(const Request& request, const ExecutionOptions& options,
                                  ExecutionOutcome& outcome) {
    const Use use(burst_->lock());
    if (!use) {
        return burst::failed(outcome, burst::usedByAnotherThread());
    }
    if (const Result<> ready = burst_->updateWithin(options.deadline); !ready) {
        return burst::failed(outcome, ready);
    }
    return burst_->burst().execute(request, options, outcome);
}

Result<std::unique_ptr<ReusableExecution>> SupervisedBurst::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    const Use use(burst_->lock());
    auto reusable = std::make_unique<SupervisedReusable>(burst_, request, options);
    NNBURST_TRY(reusable->prepare(use, {}));
    return reusable;
}

Result<Submission> SupervisedBurst::submit(const Request& request,
                                           const ExecutionOptions& options) {
    const Use use(burst_->lock());
    if (!use) {
        return burst::usedByAnotherThread();
    }
    NNBURST_TRY(burst_->updateWithin(options.deadline));
    NNBURST_TRY_ASSIGN(const Submission inner, burst_->burst().submit(request, options));
    burst_->noteSubmitted();
    return withGeneration(inner, burst_->generation());
}

Result<> SupervisedBurst::wait(Submission submission, ExecutionOutcome& outcome) {
    const Use use(burst_->lock());
    if (!use) {
        return burst::failed(outcome, burst::usedByAnotherThread());
    }
    const Submission inner = withGeneration(submission, burst_->generation());
    if (isOfAnother(inner)) {
        burst_->noteWaitedForLost();
        return burst::failed(outcome,
                             failure(ErrorStatus::DEVICE_UNAVAILABLE,
                                     "the driver to which the execution was submitted is lost"));
    }
    burst_->noteWaited();
    return burst_->burst().wait(inner, outcome);
}

Result<int> SupervisedBurst::completionDescriptor() {
    const Use use(burst_->lock());
    return use ? burst_->completionDescriptor() : Result<int>(burst::usedByAnotherThread());
}

Result<bool> SupervisedBurst::armCompletion() {
    const Use use(burst_->lock());
    return use ? burst_->armCompletion() : Result<bool>(burst::usedByAnotherThread());
}

bool SupervisedBurst::isDone(Submission submission) {
    const Use use(burst_->lock());
    if (!use) {
        return false;
    }
    const Submission inner = withGeneration(submission, burst_->generation());
    return isOfAnother(inner) || burst_->burst().isDone(inner);
}

bool SupervisedBurst::isMemoryInUse() {
    return burst_->restored()->isMemoryInUse();
}

Result<> SupervisedBurst::waitForMemory(const OptionalTimePoint& deadline) {
    return burst_->restored()->waitForMemory(deadline);
}

void SupervisedBurst::freeMemory(const SharedRegion& region) {
    burst_->restored()->freeMemory(region);
}

BurstWaitStats SupervisedBurst::waitStats() const {
    return burst_->waitStats();
}

}  // namespace nnburst::device
