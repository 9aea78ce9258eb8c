// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Holds a fenced execution back on its device until its inputs can be copied from buffers of the
/// program: an execution that it depends on may write these. The device waits for the gate's fence
/// instead of the dependencies. For one thread at a time.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "nnapi/status.h"
#include "nnburst/fence.h"
#include "nnburst/unique_fd.h"

namespace nnburst::nnapi {

class StartGate {
  public:
    /// A closed gate. The descriptors of `dependencies` are duplicated.
    [[nodiscard]] static Status create(std::span<const int> dependencies,
                                       std::unique_ptr<StartGate>& gate);
    StartGate(const StartGate&) = delete;
    StartGate& operator=(const StartGate&) = delete;
    /// As cancel().
    ~StartGate() { cancel(); }

    /// The fence that the device waits for, owned by the gate.
    [[nodiscard]] int fence() const noexcept { return fence_.get(); }

    /// Waits until all dependencies are signalled. False if one fails, or if `end`, the fence of
    /// the execution, does not stay pending until then: its deadline or the loss of its driver can
    /// end it.
    [[nodiscard]] bool awaitDependencies(int end) const;
    /// Lets the execution start.
    void open() noexcept { signalFence(fence_.get()); }
    /// Makes the execution fail instead, unless the gate is open.
    void cancel() noexcept { failFence(fence_.get()); }

  private:
    StartGate(UniqueFd fence, std::vector<UniqueFd> dependencies) noexcept
        : fence_(std::move(fence)), dependencies_(std::move(dependencies)) {}

    const UniqueFd fence_;
    const std::vector<UniqueFd> dependencies_;
};

}  // namespace nnburst::nnapi
