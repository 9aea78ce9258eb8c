// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether a thread may occupy a processor with spinning, beside others of its process.

namespace nnburst::fmq {

/// Asked by the one thread that waits, each time before it spins for longer than a microsecond.
/// Does not block.
class SpinAllowance {
  public:
    virtual ~SpinAllowance() = default;

    /// If true, the thread may spin until it calls endSpin.
    [[nodiscard]] virtual bool tryBeginSpin() noexcept = 0;
    virtual void endSpin() noexcept = 0;
};

}  // namespace nnburst::fmq
