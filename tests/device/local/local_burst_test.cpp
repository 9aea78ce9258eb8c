// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Bursts in this process without memory for an execution.

#include "device/burst_without_memory.h"
#include "nnburst/device.h"

namespace nnburst::test {
namespace {

class LocalBurstTest : public BurstWithoutMemory {
  protected:
    LocalBurstTest() : BurstWithoutMemory(*prepareModel(**makeLocalDevice(), model())) {}

    void expectErrorsOnly(const std::function<Result<>()>& execute) {
        BurstWithoutMemory::expectErrorsOnly(
            execute, [](const std::string& message) { return message == "out of memory"; });
    }
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
