// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The streams of gRPC that wait for the next request of their clients. Thread-safe.

#include <grpcpp/server_context.h>

#include <mutex>
#include <vector>

namespace nnburst::serve {

class IdleStreams {
  public:
    /// The stream of `context` waits until `remove`. False after `end`: it must not wait.
    [[nodiscard]] bool add(const grpc::ServerContext& context) {
        const std::lock_guard lock(mutex_);
        if (!isEnding_) {
            contexts_.push_back(&context);
        }
        return !isEnding_;
    }
    void remove(const grpc::ServerContext& context) {
        const std::lock_guard lock(mutex_);
        std::erase(contexts_, &context);
    }
    /// Cancels the streams that wait. From now on none waits.
    void end() {
        const std::lock_guard lock(mutex_);
        isEnding_ = true;
        for (const grpc::ServerContext* context : contexts_) {
            context->TryCancel();
        }
    }

  private:
    std::mutex mutex_;
    std::vector<const grpc::ServerContext*> contexts_;  ///< guarded by mutex_
    bool isEnding_ = false;                             ///< guarded by mutex_
};

}  // namespace nnburst::serve
