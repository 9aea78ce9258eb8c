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

/// Processors that the calling thread may run on.
[[nodiscard]] std::vector<std::uint32_t> usableProcessors();

/// The calling thread runs on these processors alone, unless it may run on none of them.
void runOn(std::span<const std::uint32_t> processors) noexcept;

/// The calling thread stays off these processors until this is dropped, on the same thread; unless
/// none would be left.
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
