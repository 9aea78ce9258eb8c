// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Bursts of divided models without memory for an execution.

#include "device/burst_without_memory.h"
#include "runtime/divided_model.h"
#include "runtime_test.h"

namespace nnburst::runtime {
namespace {

/// Each operation is on a device of its own.
class DividedBurstTest : public test::BurstWithoutMemory {
  protected:
    DividedBurstTest() : BurstWithoutMemory(divided()) {}

  private:
    static SharedPreparedModel divided() {
        const auto deviceOf = [](OperationType type) {
            return std::make_shared<FilteredDevice>(
                localDevice(), [type](const Model& model, std::size_t index) {
                    return model.main.operations[index].type == type;
                });
        };
        const auto runtime = runtimeOf({named("reshape", deviceOf(OperationType::RESHAPE)),
                                        named("relu", deviceOf(OperationType::RELU))});
        const auto compiled = *runtime->compile(model(), {.devices = {0, 1}});
        EXPECT_NE(dynamic_cast<const DividedModel*>(compiled.get()), nullptr);
        return compiled;
    }
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
