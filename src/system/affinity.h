// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Binding of threads to processors.

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace nnburst::system {

/// The processors that the calling thread may run on.
[[nodiscard]] std::vector<std::uint32_t> usableProcessors();

/// Restricts the calling thread to these processors, unless it may run on none of them.
void runOn(std::span<const std::uint32_t> processors) noexcept;

/// Moves the calling thread to `processor`, if it may run there. Linux may move it on.
void moveTo(std::uint32_t processor) noexcept;

/// RAII: keeps the calling thread off these processors until it is destroyed, on the same thread.
/// Does nothing if no other processor would be left.
class ScopedCpuExclusion {
  public:
    explicit ScopedCpuExclusion(std::span<const std::uint32_t> processors) noexcept;
    ~ScopedCpuExclusion();
    ScopedCpuExclusion(const ScopedCpuExclusion&) = delete;
    ScopedCpuExclusion& operator=(const ScopedCpuExclusion&) = delete;

  private:
    cpu_set_t before_{};
    bool isOff_ = false;
};

/// A thread and the processors that it may run on. Another thread can restrict it to one of them
/// before it wakes it. Must not outlive the thread.
class ThreadProcessors {
  public:
    /// Describes the calling thread.
    ThreadProcessors() noexcept;

    [[nodiscard]] const cpu_set_t& all() const noexcept { return processors_; }
    /// From now on the thread runs only on `processor`, one of its processors. Callable by any
    /// thread.
    void narrowTo(std::uint32_t processor) const noexcept;
    /// The thread may run on all of its processors again. Callable by any thread.
    void widen() const noexcept;

  private:
    const pid_t thread_;
    cpu_set_t processors_{};  // none if they cannot be known
};

}  // namespace nnburst::system
