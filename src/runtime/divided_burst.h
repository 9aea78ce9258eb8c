// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The burst of a divided model: a burst for each part. A reusable execution has one for each part
/// whose arguments are fixed. As in a burst of this process, an execution that is submitted runs in
/// the call of `submit`.

#include <memory>

#include "nnburst/burst.h"
#include "runtime/divided_model.h"

namespace nnburst::runtime {

class DividedBurst final : public Burst {
  public:
    [[nodiscard]] static Result<std::unique_ptr<Burst>> create(std::shared_ptr<DividedModel> model,
                                                               const BurstOptions& options);

    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) override;
    [[nodiscard]] Result<Submission> submit(const Request& request,
                                            const ExecutionOptions& options) override;
    [[nodiscard]] Result<> wait(Submission submission, ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<int> completionDescriptor() override;
    [[nodiscard]] Result<bool> armCompletion() override;
    [[nodiscard]] bool isMemoryInUse() override;
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline) override;
    void freeMemory(const SharedRegion& region) override;
    /// The sums over all parts.
    [[nodiscard]] BurstWaitStats waitStats() const override;

  private:
    class State;
    class Reusable;

    explicit DividedBurst(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

    const std::shared_ptr<State> state_;  // shared with its reusable executions
};

}  // namespace nnburst::runtime
