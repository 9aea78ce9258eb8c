// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What an `Engine` is inside src/exec/.

#include <map>
#include <memory>
#include <mutex>

#include "exec/compiled_model.h"
#include "exec/execution_gate.h"
#include "exec/kernel_threads.h"

namespace nnburst::exec {

/// The one implementation of Engine. Thread-safe.
class KernelEngine final : public Engine {
  public:
    struct Settings {
        bool usesXnnpack = true;
        std::uint32_t threadCount = 1;  ///< of each model; 0: chosen for each
        WorkerPlacement placement = WorkerPlacement::ANYWHERE;
        std::uint32_t realtimePriority = 0;  ///< of workers; 0: as other threads
        std::uint32_t laneCount = 1;         ///< executions that run at a time
    };

    explicit KernelEngine(const Settings& settings) noexcept
        : settings_(settings), gate_(settings.laneCount) {}

    /// Starts the threads that all models have, if their number is given. Once, at first.
    [[nodiscard]] Result<> startThreads();

    /// As Settings::threadCount.
    [[nodiscard]] std::uint32_t threadCount() const noexcept { return settings_.threadCount; }
    /// What runs models with `threadCount` threads. Models with as many share them.
    [[nodiscard]] Result<Kernels> kernels(std::uint32_t threadCount) const;
    /// Where executions wait for each other.
    [[nodiscard]] ExecutionGate& gate() const noexcept { return gate_; }

    [[nodiscard]] bool isBusy() const noexcept override {
        return gate_.isBusy() || gate_.waitingCount() != 0;
    }

  private:
    const Settings settings_;
    Kernels started_;  // to keep them
    mutable ExecutionGate gate_;
    mutable std::mutex mutex_;
    /// By their number; guarded by mutex_.
    mutable std::map<std::uint32_t, std::weak_ptr<const KernelThreads>> threads_;
};

}  // namespace nnburst::exec
