// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A burst whose executions run out of memory at each of their allocations in turn.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "device/hal_models.h"
#include "nnburst/burst.h"
#include "nnburst/model_builder.h"
#include "nnburst/prepared_model.h"
#include "support/failing_allocations.h"

namespace nnburst::test {

/// A RESHAPE by values and a RELU: each new shape is planned anew, which allocates.
class BurstWithoutMemory : public testing::Test {
  protected:
    static Model model() {
        using enum OperandType;
        ModelBuilder builder;
        const auto in = builder.addTensor(TENSOR_FLOAT32, {6});
        const auto shape = builder.addTensor(TENSOR_INT32, {2});
        const auto reshaped = builder.addTensor(TENSOR_FLOAT32, {0, 0});
        const auto out = builder.addTensor(TENSOR_FLOAT32, {0, 0});
        builder.addOperation(OperationType::RESHAPE, {in, shape}, {reshaped});
        builder.addOperation(OperationType::RELU, {reshaped}, {out});
        return *builder.build({in, shape}, {out});
    }

    /// `prepared` is of model().
    explicit BurstWithoutMemory(const SharedPreparedModel& prepared)
        : burst(std::move(*prepared->configureExecutionBurst({.inFlight = 1}))) {
        request.input<float>({1, 2, 3, 4, 5, 6}, {}).input<std::int32_t>({2, 3}, {}).output(24);
        reusable = std::move(*burst->createReusableExecution(request.request, {}));
    }

    /// Lets each allocation of `execute` fail once. After each failure the burst executes again.
    /// `hasMessage` says whether the message of an error is right.
    void expectErrorsOnly(
        const std::function<Result<>()>& execute,
        const std::function<bool(const std::string&)>& hasMessage = [](auto&) { return true; }) {
        for (int count = 0;; ++count) {
            std::int32_t* const shape = request.inputValues<std::int32_t>(1);
            std::swap(shape[0], shape[1]);
            failAllocationAfter(count);
            const Result<> result = execute();
            const bool hasFailed = stopFailingAllocations();
            if (!result) {
                EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
                EXPECT_TRUE(hasMessage(result.error().message)) << result.error().message;
            }
            const Result<> next = reusable->compute({}, outcome);
            ASSERT_TRUE(next) << next.error().message;
            if (!hasFailed) {
                return;
            }
        }
    }

    std::unique_ptr<Burst> burst;
    std::unique_ptr<ReusableExecution> reusable;
    SmallRequest request;
    ExecutionOutcome outcome;
};

}  // namespace nnburst::test
