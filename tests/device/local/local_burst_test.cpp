// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Bursts in this process without memory for an execution.

#include <gtest/gtest.h>

#include <functional>

#include "device/hal_models.h"
#include "nnburst/device.h"
#include "nnburst/model_builder.h"
#include "support/failing_allocations.h"

namespace nnburst::test {
namespace {

using enum OperandType;

/// A RESHAPE by values and a RELU: each new shape is planned anew, which allocates.
class LocalBurstTest : public testing::Test {
  protected:
    LocalBurstTest() {
        ModelBuilder builder;
        const auto in = builder.addTensor(TENSOR_FLOAT32, {6});
        const auto shape = builder.addTensor(TENSOR_INT32, {2});
        const auto reshaped = builder.addTensor(TENSOR_FLOAT32, {0, 0});
        const auto out = builder.addTensor(TENSOR_FLOAT32, {0, 0});
        builder.addOperation(OperationType::RESHAPE, {in, shape}, {reshaped});
        builder.addOperation(OperationType::RELU, {reshaped}, {out});
        const auto device = *makeLocalDevice();
        const auto prepared = *prepareModel(*device, *builder.build({in, shape}, {out}));
        burst = std::move(*prepared->configureExecutionBurst({.inFlight = 1}));
        request.input<float>({1, 2, 3, 4, 5, 6}, {}).input<std::int32_t>({2, 3}, {}).output(24);
        reusable = std::move(*burst->createReusableExecution(request.request, {}));
    }

    /// Lets each allocation of `execute` fail once. After each failure the burst executes again.
    void expectErrorsOnly(const std::function<Result<>()>& execute) {
        for (int count = 0;; ++count) {
            std::int32_t* const shape = request.inputValues<std::int32_t>(1);
            std::swap(shape[0], shape[1]);
            failAllocationAfter(count);
            const Result<> result = execute();
            const bool hasFailed = stopFailingAllocations();
            if (!result) {
                EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
                EXPECT_EQ(result.error().message, "out of memory") << count;
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

TEST_F(LocalBurstTest, givesAnErrorIfAnAllocationOfAnExecutionFails) {
    expectErrorsOnly([&] { return burst->execute(request.request, {}, outcome); });
}

TEST_F(LocalBurstTest, givesAnErrorIfAnAllocationOfAReusableExecutionFails) {
    expectErrorsOnly([&] { return reusable->compute({}, outcome); });
}

TEST_F(LocalBurstTest, keepsItsRoomIfAnAllocationOfASubmissionFails) {
    expectErrorsOnly([&]() -> Result<> {
        NNBURST_TRY_ASSIGN(const Submission submission, reusable->submit({}));
        return burst->wait(submission, outcome);
    });
}

}  // namespace
}  // namespace nnburst::test
