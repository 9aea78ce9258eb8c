// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// On which processors threads run.

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

/// A thread and the processors that it may run on, so that another thread can say where it is to
/// run when it is woken. Must not outlive the thread.
class ThreadProcessors {
  public:
    /// Of the calling thread.
    ThreadProcessors() noexcept;

    [[nodiscard]] const cpu_set_t& all() const noexcept { return processors_; }
    /// From now on it runs on this one of its processors alone. Any thread.
    void narrowTo(std::uint32_t processor) const noexcept;
    /// It may run on all of them again. Any thread.
    void widen() const noexcept;

  private:
    const pid_t thread_;
    cpu_set_t processors_{};  // none if they cannot be known
};

}  // namespace nnburst::system
