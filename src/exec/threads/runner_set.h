// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which runners of a compiled model are in use, for the execution gate (execution_gate.h).

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nnburst::exec {

/// A runner has operators and memory that only one execution may use at a time. An execution takes
/// a runner together with its lanes. A model has one runner at first. Thread-safe.
class RunnerSet {
  public:
    static constexpr std::uint32_t kMaximumRunners = 64;
    static constexpr std::uint32_t kNone = UINT32_MAX;

    [[nodiscard]] std::uint32_t count() const noexcept {
        // sync [runner-added]
        return count_.load(std::memory_order_acquire);
    }
    /// Whether no runner is free. It may have changed when the call returns.
    [[nodiscard]] bool areAllHeld() const noexcept;
    /// Adds a runner, which must be complete. One thread at a time.
    void add() noexcept;

  private:
    friend class ExecutionGate;

    static constexpr std::size_t kCacheLineBytes = 64;

    /// On a cache line of its own: runners are used by different processors.
    struct alignas(kCacheLineBytes) Runner {
        std::atomic<bool> isHeld{false};
    };

    /// Takes `preferred` or another free runner; kNone if none is free.
    [[nodiscard]] std::uint32_t tryHold(std::uint32_t preferred) noexcept {
        // sync [gate-left]
        return !runners_[preferred].isHeld.exchange(true, std::memory_order_seq_cst) ? preferred
                                                                                     : tryHoldAny();
    }
    [[nodiscard]] std::uint32_t tryHoldAny() noexcept;

    std::array<Runner, kMaximumRunners> runners_;
    std::atomic<std::uint32_t> count_{1};
    /// How many of the next waiters do not spin. Guarded by the gate's mutex.
    std::uint32_t sleepsBeforeNextSpin_ = 0;
};

}  // namespace nnburst::exec
