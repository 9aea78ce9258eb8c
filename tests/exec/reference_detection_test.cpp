// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <limits>

#include "exec/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

/// Two classes beside the background and three boxes, of which the first two overlap.
TestOperation limitBoxes(const std::vector<float>& scores, std::int32_t limit,
                         std::vector<std::int32_t> batches = {0, 0, 0}) {
    const std::vector<float> box{0, 0, 10, 10};
    const std::vector<float> near{1, 0, 11, 10};
    const std::vector<float> far{50, 50, 60, 60};
    std::vector<float> regions;
    for (const auto& corners : {box, near, far}) {
        for (int c = 0; c < 3; ++c) {
            regions.insert(regions.end(), corners.begin(), corners.end());
        }
    }
    return {OperationType::BOX_WITH_NMS_LIMIT,
            {floats({3, 3}, scores), floats({3, 12}, regions), int32s({3}, batches), scalar(0.1F),
             scalar(limit), scalar(0), scalar(0.5F), scalar(1.0F), scalar(0.05F)},
            {tensor(TENSOR_FLOAT32), tensor(TENSOR_FLOAT32), tensor(TENSOR_INT32),
             tensor(TENSOR_INT32)}};
}

TEST(BoxWithNmsLimit, dropsBoxesThatOverlapBetterOnesOfTheirClass) {
    TestOperation operation = limitBoxes({0, 0.9F, 0.3F, 0, 0.8F, 0.4F, 0, 0.2F, 0}, -1);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{0.9F, 0.2F, 0.4F}));
    EXPECT_EQ(operation.outputs[2].values<std::int32_t>(), (std::vector<std::int32_t>{1, 1, 2}));
    EXPECT_EQ(operation.outputs[1].dimensions, (Dimensions{3, 4}));
}

TEST(BoxWithNmsLimit, keepsTheBestOfEachImage) {
    TestOperation operation = limitBoxes({0, 0.9F, 0.3F, 0, 0.8F, 0.4F, 0, 0.2F, 0}, 1, {4, 4, 7});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{0.9F, 0.2F}));
    EXPECT_EQ(operation.outputs[3].values<std::int32_t>(), (std::vector<std::int32_t>{4, 7}));
}

TEST(BoxWithNmsLimit, givesNothingIfNoScoreIsLargeEnough) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    TestOperation operation = limitBoxes({1, 0, nan, 1, 0.05F, nan, 1, -1, 0}, -1);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0}));
    EXPECT_EQ(operation.outputs[1].dimensions, (Dimensions{0, 4}));
}

TEST(BoxWithNmsLimit, sortsWhatIsNotANumberNowhere) {
    // Boxes without area overlap themselves by 0 / 0.
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::int32_t kernel : {0, 1, 2}) {
        TestOperation operation = limitBoxes({0, 0.9F, nan, 0, 0.8F, nan, 0, 0.7F, 0.2F}, -1);
        operation.inputs[1] = floats({3, 12}, std::vector<float>(36, nan));
        operation.inputs[5] = scalar(kernel);
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_LE(operation.outputs[0].dimensions[0], 6U);
    }
}

TEST(BoxWithNmsLimit, refusesArgumentsThatDoNotGoTogether) {
    expectRefusals(
        [] {
            return limitBoxes({0, 0.9F, 0.3F, 0, 0.8F, 0.4F, 0, 0.2F, 0}, -1);
        },
        {{[](TestOperation& op) { op.inputs[5] = scalar(3); },
          "BOX_WITH_NMS_LIMIT input 5 (kernel): 3; must be 0 to 2"},
         {[](TestOperation& op) { op.inputs[2].dimensions = {2}; },
          "BOX_WITH_NMS_LIMIT input 2 (batches): size 2 of axis 0; must be 3, the number of "
          "regions"},
         {[](TestOperation& op) {
              op.inputs[1].dimensions = {3, 8};
          },
          "BOX_WITH_NMS_LIMIT input 1 (regions): 8 elements a region; must be 4 for each of 3 "
          "classes"}});
}

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

TEST(AxisAlignedBboxTransform, movesScalesAndClips) {
    TestOperation operation{
        OperationType::AXIS_ALIGNED_BBOX_TRANSFORM,
        {floats({1, 4}, {10, 10, 20, 20}), floats({1, 8}, {0.5F, 0, 0, 0, 0, 0, 10, 10}),
         int32s({1}, {0}), floats({1, 2}, {64, 32})},
        {tensor(TENSOR_FLOAT32)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(),
              (std::vector<float>{15, 10, 25, 20, 0, 0, 32, 64}));
    operation.inputs[2] = int32s({1}, {1});
    EXPECT_EQ(operation.refusal(),
              "AXIS_ALIGNED_BBOX_TRANSFORM input 2 (batches): 1 of region 0; must be 0 to 0");
}

}  // namespace
}  // namespace nnburst::exec
