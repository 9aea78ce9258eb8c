// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/supervised/supervised_burst.h"

#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "burst/burst_errors.h"
#include "model/outcome.h"

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

tl::unexpected<Error> refused(const Result<>& result, ExecutionOutcome& outcome) {
    clearOutcome(outcome);
    return tl::unexpected<Error>(result.error());
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

void add(BurstWaitStats& sum, const BurstWaitStats& stats) noexcept {
    for (const WaitStat& stat : kWaitStats) {
        stat.set(sum.client, stat.of(sum.client) + stat.of(stats.client));
        stat.set(sum.driver, stat.of(sum.driver) + stat.of(stats.driver));
    }
}

/// A reusable execution that is registered again in each new burst.
class SupervisedReusable final : public ReusableExecution {
  public:
    SupervisedReusable(std::shared_ptr<CurrentBurst> current, Request request,
                       const ExecutionOptions& options)
        : current_(std::move(current)), request_(std::move(request)), options_(options) {}

    Result<> compute(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) override {
        const Use use(current_->lock());
        if (use && current_->isLatest() && generation_ == current_->generation()) {
            return inner_->compute(deadline, outcome);  // the shortest path of all
        }
        if (const Result<> ready = prepare(use, deadline); !ready) {
            return refused(ready, outcome);
        }
        return inner_->compute(deadline, outcome);
    }

    Result<Submission> submit(const OptionalTimePoint& deadline) override {
        const Use use(current_->lock());
        NNBURST_TRY(prepare(use, deadline));
        NNBURST_TRY_ASSIGN(const Submission inner, inner_->submit(deadline));
        current_->noteSubmitted();
        return withGeneration(inner, generation_);
    }

    /// Makes it for the present burst, if it is not.
    Result<> prepare(const Use& use, const OptionalTimePoint& deadline) {
        if (!use) {
            return burst::usedByAnotherThread();
        }
        NNBURST_TRY(current_->takeLatest(deadline));
        if (generation_ != current_->generation()) {
            NNBURST_TRY_ASSIGN(inner_,
                               current_->burst().createReusableExecution(request_, options_));
            generation_ = current_->generation();
        }
        return {};
    }

  private:
    const std::shared_ptr<CurrentBurst> current_;
    const Request request_;
    const ExecutionOptions options_;
    std::unique_ptr<ReusableExecution> inner_;
    std::uint64_t generation_ = 0;
};

}  // namespace

void CurrentBurst::offer(std::shared_ptr<Burst> burst, std::uint64_t generation) {
    const system::MutexLock lock(mutex_);
    if (latest_ != nullptr) {
        add(earlier_, latest_->waitStats());
    }
    latest_.swap(burst);
    latestGeneration_.store(generation, std::memory_order_relaxed);  // read again under the mutex
}

std::shared_ptr<Burst> CurrentBurst::latest() const {
    const system::MutexLock lock(mutex_);
    return latest_;
}

BurstWaitStats CurrentBurst::waitStats() const {
    const system::MutexLock lock(mutex_);
    BurstWaitStats sum = earlier_;
    add(sum, latest_->waitStats());
    return sum;
}

Result<> CurrentBurst::replace(const OptionalTimePoint& deadline) {
    if (supervisor_->driverState() == DriverState::LOST && supervisor_->letsCallsWait()) {
        NNBURST_TRY(supervisor_->awaitDriver(deadline));
    }
    adoptLatest();
    return {};
}

void CurrentBurst::adoptLatest() {
    std::shared_ptr<Burst> before;  // destroyed without the mutex
    const system::MutexLock lock(mutex_);
    const std::uint64_t latest = latestGeneration_.load(std::memory_order_relaxed);
    if (latest != generation_) {
        if (completion_) {
            unwatchCompletion(*burst_, completion_);
        }
        before = std::exchange(burst_, latest_);
        generation_ = latest;
        lostInFlight_ += std::exchange(inFlight_, 0);
        if (completion_) {
            // Without it the next armCompletion fails with the reason.
            (void)watchCompletion(*burst_, completion_);
        }
    }
}

Result<int> CurrentBurst::completionDescriptor() {
    if (!completion_) {
        UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
        NNBURST_TRY(watchCompletion(*burst_, epoll));
        completion_ = std::move(epoll);
    }
    return completion_.get();
}

Result<bool> CurrentBurst::armCompletion() {
    adoptLatest();
    NNBURST_TRY(completionDescriptor());
    if (lostInFlight_ > 0) {
        return true;
    }
    return burst_->armCompletion();
}

Result<> SupervisedBurst::execute(const Request& request, const ExecutionOptions& options,
                                  ExecutionOutcome& outcome) {
    const Use use(current_->lock());
    if (!use) {
        return refused(burst::usedByAnotherThread(), outcome);
    }
    if (const Result<> ready = current_->takeLatest(options.deadline); !ready) {
        return refused(ready, outcome);
    }
    return current_->burst().execute(request, options, outcome);
}

Result<std::unique_ptr<ReusableExecution>> SupervisedBurst::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    const Use use(current_->lock());
    auto reusable = std::make_unique<SupervisedReusable>(current_, request, options);
    NNBURST_TRY(reusable->prepare(use, {}));
    return reusable;
}

Result<Submission> SupervisedBurst::submit(const Request& request,
                                           const ExecutionOptions& options) {
    const Use use(current_->lock());
    if (!use) {
        return burst::usedByAnotherThread();
    }
    NNBURST_TRY(current_->takeLatest(options.deadline));
    NNBURST_TRY_ASSIGN(const Submission inner, current_->burst().submit(request, options));
    current_->noteSubmitted();
    return withGeneration(inner, current_->generation());
}

Result<> SupervisedBurst::wait(Submission submission, ExecutionOutcome& outcome) {
    const Use use(current_->lock());
    if (!use) {
        return refused(burst::usedByAnotherThread(), outcome);
    }
    const Submission inner = withGeneration(submission, current_->generation());
    if (isOfAnother(inner)) {
        current_->noteWaitedForLost();
        return refused(failure(ErrorStatus::DEVICE_UNAVAILABLE,
                               "the driver to which the execution was submitted is lost"),
                       outcome);
    }
    current_->noteWaited();
    return current_->burst().wait(inner, outcome);
}

Result<int> SupervisedBurst::completionDescriptor() {
    const Use use(current_->lock());
    return use ? current_->completionDescriptor() : Result<int>(burst::usedByAnotherThread());
}

Result<bool> SupervisedBurst::armCompletion() {
    const Use use(current_->lock());
    return use ? current_->armCompletion() : Result<bool>(burst::usedByAnotherThread());
}

bool SupervisedBurst::isDone(Submission submission) {
    const Use use(current_->lock());
    if (!use) {
        return false;
    }
    const Submission inner = withGeneration(submission, current_->generation());
    return isOfAnother(inner) || current_->burst().isDone(inner);
}

bool SupervisedBurst::isMemoryInUse() {
    return current_->latest()->isMemoryInUse();
}

Result<> SupervisedBurst::waitForMemory(const OptionalTimePoint& deadline) {
    return current_->latest()->waitForMemory(deadline);
}

void SupervisedBurst::freeMemory(const SharedRegion& region) {
    current_->latest()->freeMemory(region);
}

BurstWaitStats SupervisedBurst::waitStats() const {
    return current_->waitStats();
}

}  // namespace nnburst::device
