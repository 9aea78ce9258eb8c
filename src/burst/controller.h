// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The client's end of a burst (HAL 1.2 names it the burst controller): turns requests into frames,
/// names memory by slots, waits for results.

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "burst/channel.h"
#include "burst/control_plane.h"
#include "burst/exclusive_use.h"
#include "burst/request_exchange.h"
#include "burst/reusable_request.h"
#include "model/version_rules.h"
#include "nnburst/device.h"

namespace nnburst::burst {

/// Life: `create`, send `channel()` to the driver with the callback that serves `getMemories`, then
/// `attach` the control plane, then execute. Shared with its reusable executions, so that the
/// connection can reach it as long as one of them exists. Must not be destroyed while another
/// thread is calling it.
class Controller final : public Burst, public std::enable_shared_from_this<Controller> {
  public:
    /// `driver` is the HAL version of the driver: up to 1.1 its results have no output shapes, and
    /// up to 1.2 it knows no deadlines.
    [[nodiscard]] static Result<std::shared_ptr<Controller>> create(
        const BurstOptions& options, HalVersion driver = kLatestHalVersion);

    /// The region with both queues, for the driver's Server::create.
    [[nodiscard]] const SharedRegion& channel() const noexcept { return exchange_.channel(); }

    /// Before the first execution, once.
    void attach(std::shared_ptr<ClientControlPlane> controlPlane, BurstSetup setup) {
        exchange_.attach(std::move(controlPlane), std::move(setup));
    }

    /// Serves IBurstCallback::getMemories: one region a slot, null for a slot that names none. Any
    /// thread.
    [[nodiscard]] std::vector<SharedRegion> getMemories(std::span<const std::int32_t> slots) {
        return exchange_.getMemories(slots);
    }

    /// The connection is lost: wakes a waiting execution and fails it and all later ones with
    /// DEVICE_UNAVAILABLE. Any thread, does not block.
    void connectionLost() noexcept { exchange_.connectionLost(); }

    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) override;
    [[nodiscard]] Result<Submission> submit(const Request& request,
                                            const ExecutionOptions& options) override;
    [[nodiscard]] Result<> wait(Submission submission, ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<int> completionDescriptor() override;
    [[nodiscard]] Result<bool> armCompletion() override;
    [[nodiscard]] bool isDone(Submission submission) override;
    [[nodiscard]] bool isMemoryInUse() override;
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline) override;
    void freeMemory(const SharedRegion& region) override { exchange_.freeMemory(region); }
    [[nodiscard]] BurstWaitStats waitStats() const override { return exchange_.waitStats(); }

  private:
    class Reusable;

    Controller(Channel channel, FrameQueue::Writer requests, FrameQueue::Reader results,
               const BurstOptions& options, HalVersion driver)
        : names_(supportsReusableExecutions(driver)),
          exchange_(std::move(channel), requests, results, options, driver) {}

    Result<> compute(ReusableRequest& reusable, const OptionalTimePoint& deadline,
                     ExecutionOutcome& outcome);
    /// As compute, without waiting.
    Result<Submission> submit(std::shared_ptr<ReusableRequest> reusable,
                              const OptionalTimePoint& deadline);

    // The calling thread holds lock_. `reusable` is null, or its request is `request`.
    Result<> executeLocked(const Request& request, ReusableRequest* reusable,
                           const ExecutionOptions& options, ExecutionOutcome& outcome);
    Result<Submission> submitLocked(const Request& request,
                                    std::shared_ptr<ReusableRequest> reusable,
                                    const ExecutionOptions& options);
    Result<Submission> trySubmit(const Request& request, std::shared_ptr<ReusableRequest> reusable,
                                 const ExecutionOptions& options);

    ExecutionNames names_;
    TryLock lock_;
    // Used only by the thread that holds lock_, except where the exchange says otherwise.
    std::uint64_t lastSubmission_ = 0;
    RequestExchange exchange_;
};

}  // namespace nnburst::burst
