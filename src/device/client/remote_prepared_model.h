// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A prepared model of a driver process, called over a connection.

#include <memory>

#include "burst/control_plane.h"
#include "burst/unanswered_outputs.h"
#include "device/client/remote_handle.h"
#include "nnburst/device.h"
#include "system/mutex.h"

namespace nnburst::device {

/// The driver's object, shared by the application's object and by its bursts.
using PreparedModelHandle = std::shared_ptr<RemoteHandle<rpc::PreparedModel>>;

class RemotePreparedModel final : public PreparedModel {
  public:
    /// On the event loop's thread.
    RemotePreparedModel(std::shared_ptr<Connection> connection, rpc::PreparedModel::Client client);

    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& options,
                                                ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionCallback callback) override;
    [[nodiscard]] Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) override;
    [[nodiscard]] Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) override;
    [[nodiscard]] bool isMemoryInUse() override;
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline) override;

    /// The driver's object.
    [[nodiscard]] const PreparedModelHandle& handle() const noexcept { return model_; }

  private:
    /// Whether an input or output of `request` overlaps with memory in `unanswered_`.
    [[nodiscard]] bool usesMemoryInUse(const Request& request);

    PreparedModelHandle model_;
    system::Mutex mutex_;
    /// Of executions that were given up, except those of `execute`, whose callbacks come later.
    burst::UnansweredOutputs unanswered_ NNBURST_GUARDED_BY(mutex_);
};

/// `request` was refused before the driver saw it: the driver-managed buffers of its outputs lose
/// their contents, as with any failed execution. Waits for the answer until `giveUpAt` at most.
void discardOutputs(RemoteHandle<rpc::PreparedModel>& model, const Request& request,
                    const OptionalTimePoint& giveUpAt);

/// Executes `request` over the control plane and waits for the result, until `giveUpAt` at most. If
/// there is no answer by then, `answered` is set as by ClientControlPlane::executeSynchronously.
[[nodiscard]] Result<> executeRemotely(RemoteHandle<rpc::PreparedModel>& model,
                                       const Request& request, const ExecutionOptions& options,
                                       const OptionalTimePoint& giveUpAt, ExecutionOutcome& outcome,
                                       burst::AnswerFlag& answered);

}  // namespace nnburst::device
