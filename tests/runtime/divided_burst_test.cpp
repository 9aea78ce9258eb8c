// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Bursts of divided models without memory for an execution.

#include <functional>
#include <utility>

#include "device/hal_models.h"
#include "nnburst/model_builder.h"
#include "runtime/divided_model.h"
#include "runtime_test.h"
#include "support/failing_allocations.h"

namespace nnburst::runtime {
namespace {

using enum OperandType;

/// A RESHAPE by values and a RELU on another device: each new shape makes a new request.
class DividedBurstTest : public testing::Test {
  protected:
    DividedBurstTest() {
        ModelBuilder builder;
        const auto in = builder.addTensor(TENSOR_FLOAT32, {6});
        const auto shape = builder.addTensor(TENSOR_INT32, {2});
        const auto reshaped = builder.addTensor(TENSOR_FLOAT32, {0, 0});
        const auto out = builder.addTensor(TENSOR_FLOAT32, {0, 0});
        builder.addOperation(OperationType::RESHAPE, {in, shape}, {reshaped});
        builder.addOperation(OperationType::RELU, {reshaped}, {out});
        const auto deviceOf = [](OperationType type) {
            return std::make_shared<FilteredDevice>(
                localDevice(), [type](const Model& model, std::size_t index) {
                    return model.main.operations[index].type == type;
                });
        };
        const auto runtime = runtimeOf({named("reshape", deviceOf(OperationType::RESHAPE)),
                                        named("relu", deviceOf(OperationType::RELU))});
        const auto compiled =
            *runtime->compile(*builder.build({in, shape}, {out}), {.devices = {0, 1}});
        EXPECT_NE(dynamic_cast<const DividedModel*>(compiled.get()), nullptr);
        burst = std::move(*compiled->configureExecutionBurst({.inFlight = 1}));
        request.input<float>({1, 2, 3, 4, 5, 6}, {}).input<std::int32_t>({2, 3}, {}).output(24);
        reusable = std::move(*burst->createReusableExecution(request.request, {}));
    }

    /// Lets each allocation of `execute` fail once. After each failure the burst executes again.
    void expectErrorsOnly(const std::function<Result<>()>& execute) {
        for (int count = 0;; ++count) {
            std::int32_t* const shape = request.inputValues<std::int32_t>(1);
            std::swap(shape[0], shape[1]);
            test::failAllocationAfter(count);
            const Result<> result = execute();
            const bool hasFailed = test::stopFailingAllocations();
            if (!result) {
                EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
                    << count << ": " << result.error().message;
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
    test::SmallRequest request;
    ExecutionOutcome outcome;
};

TEST_F(DividedBurstTest, givesAnErrorIfAnAllocationOfAnExecutionFails) {
    expectErrorsOnly([&] { return burst->execute(request.request, {}, outcome); });
}

TEST_F(DividedBurstTest, givesAnErrorIfAnAllocationOfAReusableExecutionFails) {
    expectErrorsOnly([&] { return reusable->compute({}, outcome); });
}

TEST_F(DividedBurstTest, keepsItsRoomIfAnAllocationOfASubmissionFails) {
    expectErrorsOnly([&]() -> Result<> {
        NNBURST_TRY_ASSIGN(const Submission submission, burst->submit(request.request, {}));
        return burst->wait(submission, outcome);
    });
}

}  // namespace
}  // namespace nnburst::runtime
