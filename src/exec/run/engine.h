// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What all models of a driver, or of a device in a process, share: which kernels they use, the
/// kernel threads, and the gate that admits executions.

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "exec/plan/kernels.h"
#include "exec/run/latency_sample.h"
#include "exec/run/packed_model.h"
#include "exec/threads/execution_gate.h"
#include "exec/threads/kernel_threads.h"
#include "nnburst/device.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst::exec {

/// Owned by the device; each compiled model keeps it alive. Thread-safe once it is created.
class Engine {
  public:
    struct Settings {
        bool usesXnnpack = true;
        const dot8::Microkernels* dot8 = nullptr;  ///< null for no kernels of our own
        /// Numbers of threads that a model may have, in the order in which they are tried; at least
        /// one. A model starts with the first and takes each next one that is worth it
        /// (thread_choice.h).
        std::vector<std::uint32_t> threadCounts{1};
        /// Measures whether it is worth it: compareLatencies, except in tests.
        std::optional<LatencyComparison> (*compare)(CompiledModel& more,
                                                    CompiledModel& fewer) = compareLatencies;
        KernelThreadPlacement placement = KernelThreadPlacement::ANYWHERE;
        std::uint32_t realtimePriority = 0;  ///< of kernel threads; 0: as other threads
        std::uint32_t laneCount = 1;         ///< of the gate
        /// What the further runners of one model may take (DriverOptions).
        std::uint64_t concurrencyMemoryBytes = DriverOptions().concurrencyMemoryBytes;
        Profile* profile = nullptr;  ///< of the process, if it has one
    };

    /// Creates threads and reads files of the system: call it before a sandbox closes.
    /// INVALID_ARGUMENT for more than DriverOptions::kMaximumThreads.
    [[nodiscard]] static Result<std::shared_ptr<Engine>> create(
        const DriverOptions& options,
        KernelThreadPlacement placement = KernelThreadPlacement::ANYWHERE);

    explicit Engine(Settings settings)
        : settings_(std::move(settings)),
          packedFor_(packedForOf(settings_)),
          gate_(settings_.laneCount, ExecutionGate::kLongestWait) {}

    /// Starts the threads that all models share from the beginning. Called once, before all others.
    [[nodiscard]] Result<> startThreads();

    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    /// What runs models with `threadCount` threads. Models with as many share them.
    [[nodiscard]] Result<Kernels> kernels(std::uint32_t threadCount) const;
    /// The gate that admits executions.
    [[nodiscard]] ExecutionGate& gate() const noexcept { return gate_; }

    /// What reads packed weights in this engine.
    [[nodiscard]] const PackedFor& packedFor() const noexcept { return packedFor_; }
    /// Whether all lanes are busy, or executions wait.
    [[nodiscard]] bool isBusy() const noexcept {
        return gate_.isBusy() || gate_.waitingCount() != 0;
    }

  private:
    static PackedFor packedForOf(const Settings& settings);

    const Settings settings_;
    const PackedFor packedFor_;
    Kernels started_;  // to keep them
    mutable ExecutionGate gate_;
    mutable system::Mutex mutex_;
    /// By their number.
    mutable std::map<std::uint32_t, std::weak_ptr<const KernelThreads>> threads_
        NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::exec
