// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "client/burst.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "client/call.h"

namespace nnburst::remote {
namespace {

constexpr std::uint32_t kMaximumInFlight = 64;

tl::unexpected<Error> usedByTwoThreads() {
    return failure(ErrorStatus::GENERAL_FAILURE, "remote burst: another thread is using it");
}

/// The executions of a burst, for the burst and for its reusable executions.
class Executions {
  public:
    Executions(SharedServerConnection connection, std::uint32_t inFlight)
        : connection_(std::move(connection)), inFlight_(inFlight) {}

    Result<Submission> submit(const Request& request, const ExecutionOptions& options) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) {
            return usedByTwoThreads();
        }
        return submitLocked(request, options);
    }

    Result<> wait(Submission submission, ExecutionOutcome& outcome) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) {
            return usedByTwoThreads();
        }
        return waitLocked(submission, outcome);
    }

    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) {
            return usedByTwoThreads();
        }
        outcome.outputShapes.clear();
        outcome.timing = {};
        NNBURST_TRY(checkRoom());
        NNBURST_TRY_ASSIGN(const std::unique_ptr<Call> call,
                           Call::make(connection_, request, options));
        return call->run(outcome);
    }

    bool isDone(Submission submission) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) {
            return false;
        }
        const auto call = calls_.find(submission);
        return call == calls_.end() || call->second->isDone();
    }

  private:
    Result<> checkRoom() const {
        if (calls_.size() >= inFlight_) {
            return failure(
                ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                fmt::format("remote burst: {} executions are in flight, which is the limit",
                            calls_.size()));
        }
        return {};
    }

    Result<Submission> submitLocked(const Request& request, const ExecutionOptions& options) {
        NNBURST_TRY(checkRoom());
        NNBURST_TRY_ASSIGN(std::unique_ptr<Call> call, Call::make(connection_, request, options));
        NNBURST_TRY(call->start());
        const auto submission = static_cast<Submission>(++last_);
        calls_.emplace(submission, std::move(call));
        return submission;
    }

    Result<> waitLocked(Submission submission, ExecutionOutcome& outcome) {
        const auto call = calls_.find(submission);
        if (call == calls_.end()) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("remote burst: execution {} is not in flight",
                                       static_cast<std::uint64_t>(submission)));
        }
        Result<> result = call->second->finish(outcome);
        calls_.erase(call);
        return result;
    }

    const SharedServerConnection connection_;
    const std::uint32_t inFlight_;
    std::mutex mutex_;  ///< held during each call
    std::map<Submission, std::unique_ptr<Call>> calls_;
    std::uint64_t last_ = 0;
};

class ServedReusableExecution final : public ReusableExecution {
  public:
    ServedReusableExecution(std::shared_ptr<Executions> executions, Request request,
                            const ExecutionOptions& options)
        : executions_(std::move(executions)), request_(std::move(request)), options_(options) {}

    Result<> compute(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) override {
        options_.deadline = deadline;
        return executions_->execute(request_, options_, outcome);
    }
    Result<Submission> submit(const OptionalTimePoint& deadline) override {
        options_.deadline = deadline;
        return executions_->submit(request_, options_);
    }

  private:
    const std::shared_ptr<Executions> executions_;
    const Request request_;
    ExecutionOptions options_;
};

class ServedBurst final : public Burst {
  public:
    explicit ServedBurst(std::shared_ptr<Executions> executions)
        : executions_(std::move(executions)) {}

    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) override {
        return executions_->execute(request, options, outcome);
    }
    Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) override {
        return std::make_unique<ServedReusableExecution>(executions_, request, options);
    }
    Result<Submission> submit(const Request& request, const ExecutionOptions& options) override {
        return executions_->submit(request, options);
    }
    Result<> wait(Submission submission, ExecutionOutcome& outcome) override {
        return executions_->wait(submission, outcome);
    }
    bool isDone(Submission submission) override { return executions_->isDone(submission); }
    bool isMemoryInUse() override { return false; }  // outputs are written by `wait` alone
    Result<> waitForMemory(const OptionalTimePoint& /*deadline*/) override { return {}; }
    void freeMemory(const SharedRegion& /*region*/) override {}
    BurstWaitStats waitStats() const override { return {}; }

  private:
    const std::shared_ptr<Executions> executions_;
};

}  // namespace

Result<std::unique_ptr<Burst>> makeBurst(SharedServerConnection connection,
                                         const BurstOptions& options) {
    if (options.inFlight == 0 || options.inFlight > kMaximumInFlight) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("BurstOptions::inFlight is {}: must be 1 to {}",
                                   options.inFlight, kMaximumInFlight));
    }
    return std::make_unique<ServedBurst>(
        std::make_shared<Executions>(std::move(connection), options.inFlight));
}

}  // namespace nnburst::remote
