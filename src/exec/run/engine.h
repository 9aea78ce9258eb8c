// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The implementation of `Engine`, for use inside src/exec/.

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "exec/plan/kernels.h"
#include "exec/run/compiled_model.h"
#include "exec/run/latency_sample.h"
#include "exec/threads/execution_gate.h"
#include "exec/threads/kernel_threads.h"
#include "system/mutex.h"

namespace nnburst::exec {

/// The one implementation of Engine. Thread-safe.
class KernelEngine final : public Engine {
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

    explicit KernelEngine(Settings settings)
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

    [[nodiscard]] const PackedFor& packedFor() const noexcept override { return packedFor_; }
    [[nodiscard]] bool isBusy() const noexcept override {
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

/// Engines come from Engine::create, which gives no other kind.
[[nodiscard]] inline const KernelEngine& kernelEngine(const Engine& engine) noexcept {
    return static_cast<const KernelEngine&>(engine);
}

}  // namespace nnburst::exec
