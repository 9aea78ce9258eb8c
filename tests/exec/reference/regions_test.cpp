// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation alignRegion(std::vector<float> region, std::int32_t batch) {
    return {OperationType::ROI_ALIGN,
            {floats({1, 2, 2, 1}, {1, 2, 3, 4}), floats({1, 4}, region), int32s({1}, {batch}),
             scalar(1), scalar(1), scalar(1.0F), scalar(1.0F), scalar(0), scalar(0), scalar(false)},
            {tensor(TENSOR_FLOAT32)}};
}

TEST(RoiAlign, refusesRegionsAndBatchesThatAreNotThere) {
    EXPECT_EQ(alignRegion({0, 0, 2, 2}, 0).refusal(), "");
    EXPECT_EQ(alignRegion({0, 0, 2, 2}, 1).refusal(),
              "ROI_ALIGN input 2 (batches): 1 of region 0; must be 0 to 0");
    EXPECT_EQ(alignRegion({0, 0, 2, 2}, -1).refusal(),
              "ROI_ALIGN input 2 (batches): -1 of region 0; must be 0 to 0");
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::vector<float>& region :
         {std::vector<float>{0, 0, 3, 2}, {-1, 0, 2, 2}, {2, 0, 1, 2}, {nan, 0, 2, 2}}) {
        EXPECT_NE(alignRegion(region, 0).refusal().find("ROI_ALIGN input 1 (regions)"),
                  std::string::npos);
    }
}

TEST(RoiAlign, refusesInfiniteRegionsOfImagesWithoutLimits) {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const bool isAlign : {true, false}) {
        for (const std::vector<float>& region : {std::vector<float>{0, 0, 2, 2},
                                                 {0, 0, infinity, 2},
                                                 {0, 0, 2, infinity},
                                                 {infinity, infinity, infinity, infinity}}) {
            TestOperation operation = alignRegion(region, 0);
            operation.inputs[5] = scalar(std::numeric_limits<float>::max());
            operation.inputs[6] = operation.inputs[5];
            if (!isAlign) {
                operation.type = OperationType::ROI_POOLING;
                operation.inputs.erase(operation.inputs.begin() + 7, operation.inputs.begin() + 9);
            }
            const bool isFinite = region[2] + region[3] < infinity;
            const std::string refusal = operation.refusal();
            EXPECT_EQ(refusal.find("input 1 (regions)") == std::string::npos, isFinite) << refusal;
        }
    }
}

TEST(RoiAlign, takesAnyNumberOfSamplesAndEndsWhenItsRunIsOutOfTime) {
    TestOperation operation = alignRegion({0, 0, 2, 2}, 0);
    operation.inputs[7] = scalar(std::numeric_limits<std::int32_t>::max());
    operation.inputs[8] = operation.inputs[7];
    TimeLimit limit(std::chrono::steady_clock::now());
    operation.timeLimit = &limit;
    const auto run = operation.run();
    EXPECT_TRUE(run) << run.error().message;
    EXPECT_TRUE(limit.isOver());
}

TEST(RoiAlign, looksAtNoSamplesBeyondTheFeatures) {
    TestOperation operation = alignRegion({2, 2, 2, 2}, 0);
    for (const std::size_t samples : {7U, 8U}) {
        operation.inputs[samples] = scalar(std::numeric_limits<std::int32_t>::max());
    }
    EXPECT_EQ(operation.refusal(), "");
}

}  // namespace
}  // namespace nnburst::exec
