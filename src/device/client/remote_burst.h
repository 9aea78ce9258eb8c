// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A burst to a driver process: the controller of src/burst, with a control plane over RPC.

#include <memory>

#include "burst/controller.h"
#include "device/client/remote_prepared_model.h"
#include "nnburst/device.h"

namespace nnburst::device {

/// Shares its controller with the connection, which reports its loss and answers the driver's
/// requests for memory until the last execution has ended.
class RemoteBurst final : public Burst {
  public:
    /// Creates the burst in the driver and its controller here.
    [[nodiscard]] static Result<std::unique_ptr<Burst>> create(const PreparedModelHandle& model,
                                                               const BurstOptions& options);

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
    explicit RemoteBurst(std::shared_ptr<burst::Controller> controller) noexcept;

    const std::shared_ptr<burst::Controller> controller_;
};

}  // namespace nnburst::device
