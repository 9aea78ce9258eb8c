// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What an `Engine` is inside src/exec/.

#include <pthreadpool.h>

#include <memory>

#include "exec/compiled_model.h"

namespace nnburst::exec {

/// The one implementation of Engine. Immutable; the thread pool has a lock of its own.
class KernelEngine final : public Engine {
  public:
    KernelEngine(bool usesXnnpack, pthreadpool_t threads) noexcept
        : usesXnnpack_(usesXnnpack), threads_(threads) {}

    [[nodiscard]] bool usesXnnpack() const noexcept { return usesXnnpack_; }
    /// Null for one thread: kernels then run on the calling thread, without system calls.
    [[nodiscard]] pthreadpool_t threads() const noexcept { return threads_.get(); }

  private:
    struct Destroy {
        void operator()(pthreadpool_t threads) const noexcept { pthreadpool_destroy(threads); }
    };

    bool usesXnnpack_;
    std::unique_ptr<struct pthreadpool, Destroy> threads_;
};

}  // namespace nnburst::exec
