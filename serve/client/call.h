// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One execution on a server: the request is read and sent, the result is waited for and written.
///
/// Calls of gRPC block, on the caller's thread or on one of the Call. With gRPC's callbacks the
/// last object of a channel could be dropped on a thread of gRPC, which aborts the process.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "client/connection.h"
#include "nnburst/execution.h"

namespace nnburst::remote {

/// A thread that calls `function`. RESOURCE_EXHAUSTED_TRANSIENT if the system has none.
[[nodiscard]] Result<std::thread> startThread(std::function<void()> function);

class Call {
  public:
    /// Reads the inputs of `request`. INVALID_ARGUMENT if it does not fit the model.
    [[nodiscard]] static Result<std::unique_ptr<Call>> make(SharedServerConnection connection,
                                                            const Request& request,
                                                            const ExecutionOptions& options);

    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    /// Cancels an execution that was started and not waited for.
    ~Call();

    /// Executes on the calling thread, and writes the outputs and the outcome.
    [[nodiscard]] Result<> run(ExecutionOutcome& outcome);

    /// Executes on another thread. Errors of startThread.
    [[nodiscard]] Result<> start();
    /// It was started, and `finish` would not block.
    [[nodiscard]] bool isDone() const;
    /// Waits for the end of what was started, and writes the outputs and the outcome.
    [[nodiscard]] Result<> finish(ExecutionOutcome& outcome);

  private:
    Call(SharedServerConnection connection, const Request& request,
         const ExecutionOptions& options);

    [[nodiscard]] Result<> readInputs();
    /// Sends the request, again if a server was lost, and notes the status.
    void send();
    [[nodiscard]] Result<> takeResult(ExecutionOutcome& outcome) const;
    [[nodiscard]] Result<> writeOutputs(ExecutionOutcome& outcome) const;

    const SharedServerConnection connection_;
    const Request request_;  ///< keeps the regions
    const ExecutionOptions options_;
    const std::chrono::steady_clock::time_point start_;
    inference::ModelInferRequest message_;
    std::thread thread_;  ///< of `start`

    // Used by the sending thread until it has ended.
    inference::ModelInferResponse response_;
    grpc::Status status_;
    std::chrono::steady_clock::time_point end_;

    mutable std::mutex mutex_;
    grpc::ClientContext* context_ = nullptr;  ///< of the attempt under way; guarded by mutex_
    bool isCancelled_ = false;                ///< guarded by mutex_
    bool isDone_ = false;                     ///< guarded by mutex_
};

}  // namespace nnburst::remote
