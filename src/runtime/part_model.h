// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A part of a model, or all of it, on one device of a runtime. It adds to what the device has
/// prepared: the replacement that stands in when the device fails, and fenced executions on devices
/// whose HAL version does not have them.

#include <memory>
#include <vector>

#include "nnburst/hal_version.h"
#include "nnburst/prepared_model.h"
#include "runtime/background.h"
#include "runtime/replacement.h"

namespace nnburst::runtime {

class PartModel final : public PreparedModel, public std::enable_shared_from_this<PartModel> {
  public:
    /// `outputs` are those of the model that `prepared` was prepared from, by a device of
    /// `version`. `replacement` may be null: then errors of the device are those of this model.
    PartModel(SharedPreparedModel prepared, HalVersion version, std::vector<Operand> outputs,
              std::shared_ptr<Replacement> replacement, std::shared_ptr<Background> background);

    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& options,
                                                ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionCallback callback) override;
    /// An execution that the device has accepted is not repeated if it fails.
    [[nodiscard]] Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) override;
    [[nodiscard]] Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) override;
    [[nodiscard]] bool isMemoryInUse() override { return prepared_->isMemoryInUse(); }
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline) override {
        return prepared_->waitForMemory(deadline);
    }

  private:
    [[nodiscard]] bool isReplaced() const noexcept {
        return replacement_ != nullptr && replacement_->isPermanent();
    }
    [[nodiscard]] bool canReplace(const Error& error) {
        return replacement_ != nullptr && isDeviceFailure(error.status) &&
               !prepared_->isMemoryInUse();
    }
    /// Executes on the replacement what has failed with `why`.
    Result<> executeInstead(const Error& why, const Request& request,
                            const ExecutionOptions& options, ExecutionOutcome& outcome);

    const SharedPreparedModel prepared_;
    const HalVersion version_;
    const std::vector<Operand> outputs_;
    const std::shared_ptr<Replacement> replacement_;
    const std::shared_ptr<Background> background_;
};

}  // namespace nnburst::runtime
