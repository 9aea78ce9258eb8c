// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

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

TEST(RoiAlign, refusesMoreSamplesThanItCouldTakeInTime) {
    TestOperation operation = alignRegion({0, 0, 2, 2}, 0);
    operation.inputs[7] = scalar(1 << 30);
    EXPECT_EQ(operation.refusal(),
              "ROI_ALIGN inputs 7 and 8 (samples): 1073741824; at most 4096 are supported");
}

}  // namespace
}  // namespace nnburst::exec
