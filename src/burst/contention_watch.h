// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether the executions of one burst contend with others for processors.

#include <cstdint>

#include "exec/run/compiled_model.h"

namespace nnburst::burst {

/// Used by the thread that serves the burst.
class ContentionWatch {
  public:
    /// To be called after each execution, with what the model says then.
    void addExecution(const exec::Contention& contention) noexcept {
        if (contention.delayedCount != delayedCount_ || contention.isCrowded) {
            delayedCount_ = contention.delayedCount;
            executionsLeft_ = kExecutionsUntilUncontended;
        } else if (executionsLeft_ > 0) {
            --executionsLeft_;
        }
    }

    /// True while executions have to wait for each other, or so many run at a time that spinning
    /// clients would take their processors, and for kExecutionsUntilUncontended executions after
    /// that.
    [[nodiscard]] bool isContended() const noexcept { return executionsLeft_ > 0; }

  private:
    static constexpr int kExecutionsUntilUncontended = 16;

    std::uint32_t delayedCount_ = 0;  // as of the last look
    int executionsLeft_ = 0;          // until contention is considered over
};

}  // namespace nnburst::burst
