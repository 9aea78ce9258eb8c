// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/supervised/supervised_burst.h"

#include <utility>

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

tl::unexpected<Error> refused(const Result<>& result, ExecutionOutcome& outcome) {
    clearOutcome(outcome);
    return tl::unexpected<Error>(result.error());
}

/// Makes its reusable execution again in each burst that it meets.
class SupervisedReusable final : public ReusableExecution {
  public:
    SupervisedReusable(std::shared_ptr<BurstSeat> seat, Request request, ExecutionOptions options)
        : seat_(std::move(seat)), request_(std::move(request)), options_(std::move(options)) {}

    Result<> compute(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) override {
        const Use use(seat_->lock());
        if (const Result<> ready = prepare(use, deadline); !ready) {
            return refused(ready, outcome);
        }
        return inner_->compute(deadline, outcome);
    }

    Result<Submission> submit(const OptionalTimePoint& deadline) override {
        const Use use(seat_->lock());
        NNBURST_TRY(prepare(use, deadline));
        NNBURST_TRY_ASSIGN(const Submission inner, inner_->submit(deadline));
        return withGeneration(inner, generation_);
    }

    /// Makes it for the present burst, if it is not.
    Result<> prepare(const Use& use, const OptionalTimePoint& deadline) {
        if (!use) {
            return burst::usedByAnotherThread();
        }
        NNBURST_TRY(seat_->takeLatest(deadline));
        if (generation_ != seat_->generation()) {
            NNBURST_TRY_ASSIGN(inner_, seat_->burst().createReusableExecution(request_, options_));
            generation_ = seat_->generation();
        }
        return {};
    }

  private:
    const std::shared_ptr<BurstSeat> seat_;
    const Request request_;
    const ExecutionOptions options_;
    std::unique_ptr<ReusableExecution> inner_;
    std::uint64_t generation_ = 0;
};

}  // namespace

void BurstSeat::offer(std::shared_ptr<Burst> burst, std::uint64_t generation) {
    const system::MutexLock lock(mutex_);
    latest_.swap(burst);
    latestGeneration_.store(generation, std::memory_order_relaxed);  // read again under the mutex
}

std::shared_ptr<Burst> BurstSeat::latest() const {
    const system::MutexLock lock(mutex_);
    return latest_;
}

Result<> BurstSeat::replace(const OptionalTimePoint& deadline) {
    if (supervisor_->driverState() == DriverState::LOST && supervisor_->hasPatience()) {
        NNBURST_TRY(supervisor_->awaitDriver(deadline));
    }
    adoptLatest();
    return {};
}

void BurstSeat::adoptLatest() {
    std::shared_ptr<Burst> before;  // destroyed without the mutex
    const system::MutexLock lock(mutex_);
    const std::uint64_t latest = latestGeneration_.load(std::memory_order_relaxed);
    if (latest != generation_) {
        before = std::exchange(burst_, latest_);
        generation_ = latest;
    }
}

Result<> SupervisedBurst::execute(const Request& request, const ExecutionOptions& options,
                                  ExecutionOutcome& outcome) {
    const Use use(seat_->lock());
    if (!use) {
        return refused(burst::usedByAnotherThread(), outcome);
    }
    if (const Result<> ready = seat_->takeLatest(options.deadline); !ready) {
        return refused(ready, outcome);
    }
    return seat_->burst().execute(request, options, outcome);
}

Result<std::unique_ptr<ReusableExecution>> SupervisedBurst::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    const Use use(seat_->lock());
    auto reusable = std::make_unique<SupervisedReusable>(seat_, request, options);
    NNBURST_TRY(reusable->prepare(use, {}));
    return reusable;
}

Result<Submission> SupervisedBurst::submit(const Request& request,
                                           const ExecutionOptions& options) {
    const Use use(seat_->lock());
    if (!use) {
        return burst::usedByAnotherThread();
    }
    NNBURST_TRY(seat_->takeLatest(options.deadline));
    NNBURST_TRY_ASSIGN(const Submission inner, seat_->burst().submit(request, options));
    return withGeneration(inner, seat_->generation());
}

Result<> SupervisedBurst::wait(Submission submission, ExecutionOutcome& outcome) {
    const Use use(seat_->lock());
    if (!use) {
        return refused(burst::usedByAnotherThread(), outcome);
    }
    const Submission inner = withGeneration(submission, seat_->generation());
    if (static_cast<std::uint64_t>(inner) >> kGenerationShift != 0) {
        return refused(failure(ErrorStatus::DEVICE_UNAVAILABLE,
                               "the driver to which the execution was submitted is lost"),
                       outcome);
    }
    return seat_->burst().wait(inner, outcome);
}

bool SupervisedBurst::isMemoryInUse() {
    return seat_->latest()->isMemoryInUse();
}

Result<> SupervisedBurst::waitForMemory(const OptionalTimePoint& deadline) {
    return seat_->latest()->waitForMemory(deadline);
}

void SupervisedBurst::freeMemory(const SharedRegion& region) {
    seat_->latest()->freeMemory(region);
}

BurstWaitStats SupervisedBurst::waitStats() const {
    return seat_->latest()->waitStats();
}

}  // namespace nnburst::device
