// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What an `Engine` is inside src/exec/.

#include <pthreadpool.h>

#include <memory>

#include "exec/compiled_model.h"
#include "exec/execution_gate.h"

namespace nnburst::exec {

/// The one implementation of Engine. Thread-safe.
class KernelEngine final : public Engine {
  public:
    /// `laneCount` executions run at a time.
    KernelEngine(bool usesXnnpack, pthreadpool_t threads, std::uint32_t laneCount) noexcept
        : usesXnnpack_(usesXnnpack), threads_(threads), gate_(laneCount) {}

    [[nodiscard]] bool usesXnnpack() const noexcept { return usesXnnpack_; }
    /// Null for one thread: kernels then run on the calling thread, without system calls.
    [[nodiscard]] pthreadpool_t threads() const noexcept { return threads_.get(); }
    /// Where executions wait for each other.
    [[nodiscard]] ExecutionGate& gate() const noexcept { return gate_; }

    [[nodiscard]] bool isBusy() const noexcept override {
        return gate_.isBusy() || gate_.waitingCount() != 0;
    }

  private:
    struct Destroy {
        void operator()(pthreadpool_t threads) const noexcept { pthreadpool_destroy(threads); }
    };

    bool usesXnnpack_;
    std::unique_ptr<struct pthreadpool, Destroy> threads_;
    mutable ExecutionGate gate_;
};

}  // namespace nnburst::exec
