// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The threads among which XNNPACK shares out the work of one operator.

#include <pthreadpool.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::exec {

/// On which processors kernel threads run.
enum class KernelThreadPlacement : std::uint8_t {
    ANYWHERE,
    APART,  ///< each on a processor of its own, if there are enough
};

/// A pool of kernel threads: the calling thread and those that the pool owns. It runs one operator
/// at a time.
class KernelThreads {
  public:
    /// `count` (at least 2) threads, the caller's included, with real-time priority unless that is
    /// 0. APART: each pool thread has a processor of its own, if there are at least `count`.
    /// RESOURCE_EXHAUSTED_TRANSIENT if the system gives no threads.
    [[nodiscard]] static Result<std::shared_ptr<const KernelThreads>> create(
        std::uint32_t count, KernelThreadPlacement placement, std::uint32_t realtimePriority);

    [[nodiscard]] pthreadpool_t pool() const noexcept { return pool_.get(); }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
    /// Processors of the pool's threads; empty if they may run anywhere. The calling thread should
    /// run on another one: it waits milliseconds for a pool thread that has no processor.
    [[nodiscard]] std::span<const std::uint32_t> processors() const noexcept { return processors_; }

  private:
    struct Destroy {
        void operator()(pthreadpool_t pool) const noexcept { pthreadpool_destroy(pool); }
    };

    KernelThreads(pthreadpool_t pool, std::uint32_t count, std::vector<std::uint32_t> processors)
        : pool_(pool), count_(count), processors_(std::move(processors)) {}

    std::unique_ptr<struct pthreadpool, Destroy> pool_;
    std::uint32_t count_;
    std::vector<std::uint32_t> processors_;
};

}  // namespace nnburst::exec
