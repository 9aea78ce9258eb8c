// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The client's end of a burst (HAL 1.2 names it the burst controller): turns requests into frames,
/// names memory by slots, waits for results.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "burst/control_plane.h"
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
    ~Controller() override;

    /// The region with both queues, for the driver's Server::create.
    [[nodiscard]] const SharedRegion& channel() const noexcept;

    /// What the driver has said of its end.
    struct Peer {
        UniqueFd doorbell;  ///< Server::takeDoorbell
        /// Whether the driver can announce results over the doorbell (Burst::armCompletion).
        bool ringsBack = true;
        /// Kernel threads of the driver. If they need all processors, the client sleeps instead of
        /// spinning.
        std::uint32_t kernelThreads = 1;
    };

    /// Before the first execution, once.
    void attach(std::shared_ptr<ClientControlPlane> controlPlane, Peer peer);

    /// Serves IBurstCallback::getMemories: one region a slot, null for a slot that names none. Any
    /// thread.
    [[nodiscard]] std::vector<SharedRegion> getMemories(std::span<const std::int32_t> slots) const;

    /// The connection is lost: wakes a waiting execution and fails it and all later ones with
    /// DEVICE_UNAVAILABLE. Any thread, does not block.
    void connectionLost() noexcept;

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
    void freeMemory(const SharedRegion& region) override;
    [[nodiscard]] BurstWaitStats waitStats() const override;

  private:
    class Impl;
    class Reusable;
    explicit Controller(std::unique_ptr<Impl> impl) noexcept;
    const std::unique_ptr<Impl> impl_;
};

}  // namespace nnburst::burst
