// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Prepared models, bursts and reusable executions whose methods all refuse. Tests derive from them
/// and define the methods that they need.

#include <memory>
#include <span>

#include "nnburst/burst.h"
#include "nnburst/prepared_model.h"
#include "nnburst/result.h"

namespace nnburst::test {

[[nodiscard]] inline tl::unexpected<Error> unusedMethod() {
    return failure(ErrorStatus::GENERAL_FAILURE, "this test does not use the method");
}

class UnusedReusableExecution : public ReusableExecution {
  public:
    [[nodiscard]] Result<> compute(const OptionalTimePoint& /*deadline*/,
                                   ExecutionOutcome& /*outcome*/) override {
        return unusedMethod();
    }
    [[nodiscard]] Result<Submission> submit(const OptionalTimePoint& /*deadline*/) override {
        return unusedMethod();
    }
};

class UnusedBurst : public Burst {
  public:
    [[nodiscard]] Result<> execute(const Request& /*request*/, const ExecutionOptions& /*options*/,
                                   ExecutionOutcome& /*outcome*/) override {
        return unusedMethod();
    }
    [[nodiscard]] Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& /*request*/, const ExecutionOptions& /*options*/) override {
        return unusedMethod();
    }
    [[nodiscard]] Result<Submission> submit(const Request& /*request*/,
                                            const ExecutionOptions& /*options*/) override {
        return unusedMethod();
    }
    [[nodiscard]] Result<> wait(Submission /*submission*/, ExecutionOutcome& /*outcome*/) override {
        return unusedMethod();
    }
    [[nodiscard]] bool isMemoryInUse() override { return false; }
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& /*deadline*/) override {
        return {};
    }
    void freeMemory(const SharedRegion& /*region*/) override {}
    [[nodiscard]] BurstWaitStats waitStats() const override { return {}; }
};

class UnusedPreparedModel : public PreparedModel {
  public:
    [[nodiscard]] Result<> executeSynchronously(const Request& /*request*/,
                                                const ExecutionOptions& /*options*/,
                                                ExecutionOutcome& /*outcome*/) override {
        return unusedMethod();
    }
    [[nodiscard]] Result<> execute(const Request& /*request*/, const ExecutionOptions& /*options*/,
                                   ExecutionCallback /*callback*/) override {
        return unusedMethod();
    }
    [[nodiscard]] Result<FencedExecution> executeFenced(
        const Request& /*request*/, std::span<const int> /*waitFor*/,
        const ExecutionOptions& /*options*/,
        OptionalTimeoutDuration /*timeoutAfterFence*/) override {
        return unusedMethod();
    }
    [[nodiscard]] Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& /*options*/) override {
        return unusedMethod();
    }
};

}  // namespace nnburst::test
