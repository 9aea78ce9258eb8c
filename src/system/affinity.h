// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// On which processors threads run.

#include <sched.h>

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

}  // namespace nnburst::system
