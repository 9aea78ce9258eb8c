// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A prepared model of a driver process, called over a connection.

#include <memory>

#include "burst/control_plane.h"
#include "device/client/remote_handle.h"
#include "nnburst/device.h"

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

    /// The driver's object.
    [[nodiscard]] const PreparedModelHandle& handle() const noexcept { return model_; }

  private:
    PreparedModelHandle model_;
};

/// `request` was refused before the driver saw it: the driver-managed buffers of its outputs lose
/// their contents, as with any failed execution.
void discardOutputs(RemoteHandle<rpc::PreparedModel>& model, const Request& request);

/// Executes `request` over the control plane and waits for the result.
[[nodiscard]] Result<> executeRemotely(RemoteHandle<rpc::PreparedModel>& model,
                                       const Request& request, const ExecutionOptions& options,
                                       ExecutionOutcome& outcome);

/// The same, but waits until `giveUpAt` at most. If there is no answer by then, `unanswered` is
/// fulfilled when it comes, and its result is ignored.
[[nodiscard]] Result<> executeRemotelyUntil(TimePoint giveUpAt,
                                            RemoteHandle<rpc::PreparedModel>& model,
                                            const Request& request, const ExecutionOptions& options,
                                            ExecutionOutcome& outcome,
                                            burst::AnswerFlag& unanswered);

}  // namespace nnburst::device
