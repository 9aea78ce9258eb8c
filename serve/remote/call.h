// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One execution on a server: the request is read and sent, the result is waited for and written.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "nnburst/execution.h"
#include "remote/connection.h"

namespace nnburst::remote {

class Call : public std::enable_shared_from_this<Call> {
  public:
    /// Reads the inputs of `request`. INVALID_ARGUMENT if it does not fit the model.
    [[nodiscard]] static Result<std::shared_ptr<Call>> make(SharedConnection connection,
                                                            const Request& request,
                                                            const ExecutionOptions& options);

    /// Sends the request. `whenDone` is called once, on a thread of gRPC; may be empty.
    void start(std::function<void()> whenDone = {});
    /// `finish` would not block.
    [[nodiscard]] bool isDone() const;
    /// Waits for the end, and writes the outputs and the outcome.
    [[nodiscard]] Result<> finish(ExecutionOutcome& outcome);

  private:
    /// What one attempt needs from gRPC.
    struct Attempt {
        grpc::ClientContext context;
        inference::ModelInferResponse response;
    };

    Call(SharedConnection connection, const Request& request, const ExecutionOptions& options);

    [[nodiscard]] Result<> readInputs();
    void send();
    void receive(const grpc::Status& status);
    [[nodiscard]] Result<> writeOutputs(ExecutionOutcome& outcome) const;

    const SharedConnection connection_;
    const Request request_;  ///< keeps the regions
    const ExecutionOptions options_;
    const std::chrono::steady_clock::time_point start_;
    inference::ModelInferRequest message_;
    std::function<void()> whenDone_;
    std::unique_ptr<Attempt> attempt_;  ///< of gRPC until the call is done
    std::uint32_t retries_ = 0;

    mutable std::mutex mutex_;
    std::condition_variable done_;
    bool isDone_ = false;  ///< guarded by mutex_, as what follows
    grpc::Status status_;
    std::chrono::steady_clock::time_point end_;
};

}  // namespace nnburst::remote
