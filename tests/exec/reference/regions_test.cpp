// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

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

/// The same with the largest feature of each bin.
TestOperation poolRegion(TestOperation operation) {
    operation.type = OperationType::ROI_POOLING;
    operation.inputs.erase(operation.inputs.begin() + 7, operation.inputs.begin() + 9);
    return operation;
}

constexpr float kStep = 0.25F;  // of 8-bit features
constexpr std::int32_t kZeroPoint = 100;

/// An operation on float32 with features of `type`.
TestOperation withFeatures(OperandType type, TestOperation operation) {
    auto& inputs = operation.inputs;
    const std::vector<float> features = inputs[0].values<float>();
    const std::vector<float> regions = inputs[1].values<float>();
    const auto stepsOf = [](const std::vector<float>& values, float scale, std::int32_t zeroPoint) {
        std::vector<std::int32_t> steps(values.size());
        std::transform(values.begin(), values.end(), steps.begin(), [&](float value) {
            return static_cast<std::int32_t>(std::lround(value / scale)) + zeroPoint;
        });
        return steps;
    };
    if (type == TENSOR_FLOAT16) {
        inputs[0] = halves(inputs[0].dimensions, features);
        inputs[1] = halves(inputs[1].dimensions, regions);
        for (const std::size_t ratio : {5U, 6U}) {
            inputs[ratio] = scalar(Float16(inputs[ratio].values<float>()[0]));
        }
    } else if (type == TENSOR_QUANT8_ASYMM) {
        const auto bytes = stepsOf(features, kStep, kZeroPoint);
        inputs[0] = quant8(inputs[0].dimensions, {bytes.begin(), bytes.end()}, kStep, kZeroPoint);
        constexpr float kRegionScale = 0.125F;
        const auto eighths = stepsOf(regions, kRegionScale, 0);
        inputs[1] = tensor(TENSOR_QUANT16_ASYMM, inputs[1].dimensions, kRegionScale);
        inputs[1].data = toBytes(std::vector<std::uint16_t>(eighths.begin(), eighths.end()));
    }
    operation.outputs[0] = tensor(type, {}, inputs[0].scale, inputs[0].zeroPoint);
    return operation;
}

/// The first element of the output of a run.
float resultOf(TestOperation operation) {
    EXPECT_EQ(operation.refusal(), "");
    const TestOperand& output = operation.outputs[0];
    if (output.data.empty()) {
        return std::numeric_limits<float>::quiet_NaN();
    }
    switch (output.type) {
        case TENSOR_FLOAT16:
            return static_cast<float>(output.values<Float16>()[0]);
        case TENSOR_QUANT8_ASYMM:
            return static_cast<float>(output.values<std::uint8_t>()[0] - kZeroPoint) * kStep;
        default:
            return output.values<float>()[0];
    }
}

constexpr OperandType kFeatureTypes[] = {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM};

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
                operation = poolRegion(std::move(operation));
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

TEST(RoiAlign, takesSamplesBeyondTheFeaturesFromTheLastOnes) {
    for (const OperandType type : kFeatureTypes) {
        SCOPED_TRACE(toString(type));
        for (const bool isNchw : {false, true}) {
            const auto resultIn = [&](std::vector<float> region, std::int32_t samplesX) {
                TestOperation operation = alignRegion(std::move(region), 0);
                if (isNchw) {
                    operation.inputs[0].dimensions = {1, 1, 2, 2};
                }
                operation.inputs[8] = scalar(samplesX);
                operation.inputs[9] = scalar(isNchw);
                return resultOf(withFeatures(type, std::move(operation)));
            };
            EXPECT_EQ(resultIn({2, 2, 2, 2}, 0), 4.0F);
            // Columns 1.75 and 2.25, rows 0.5 and 1.5.
            EXPECT_EQ(resultIn({1.5F, 0, 2, 2}, 2), 3.5F);
            // Columns 0.5 and 1.5, row 2.5.
            EXPECT_EQ(resultIn({0, 2, 2, 2}, 2), 3.75F);
        }
    }
}

TEST(RoiAlign, looksOnceAtSamplesBeyondTheFeatures) {
    TestOperation operation = alignRegion({2, 2, 2, 2}, 0);
    for (const std::size_t samples : {7U, 8U}) {
        operation.inputs[samples] = scalar(std::numeric_limits<std::int32_t>::max());
    }
    EXPECT_NEAR(resultOf(std::move(operation)), 4.0F, 1e-5F);
}

/// A row (or column) of 41 features, 1 each, of an image that is 512 long, and a region from its
/// start to `end`. The ratio of the sizes is rounded.
TestOperation alignRowTo(float end, bool isColumn) {
    constexpr std::uint32_t kFeatures = 41;
    const std::vector<float> region =
        isColumn ? std::vector<float>{0, 0, 1, end} : std::vector<float>{0, 0, end, 1};
    TestOperation operation = alignRegion(region, 0);
    operation.inputs[0] =
        floats(isColumn ? Dimensions{1, kFeatures, 1, 1} : Dimensions{1, 1, kFeatures, 1},
               std::vector<float>(kFeatures, 1.0F));
    operation.inputs[isColumn ? 5 : 6] = scalar(512.0F / static_cast<float>(kFeatures));
    return operation;
}

TEST(RoiAlign, takesRegionsThatEndAtTheEdgeOfAnImageWhoseRatioIsRounded) {
    for (const OperandType type : kFeatureTypes) {
        SCOPED_TRACE(toString(type));
        for (const bool isColumn : {false, true}) {
            EXPECT_NEAR(resultOf(withFeatures(type, alignRowTo(512, isColumn))), 1.0F, 1e-5F);
            EXPECT_EQ(resultOf(withFeatures(type, poolRegion(alignRowTo(512, isColumn)))), 1.0F);
        }
    }
}

TEST(RoiAlign, refusesRegionsThatEndBeyondTheEdgeOfTheImage) {
    for (const bool isColumn : {false, true}) {
        for (TestOperation operation :
             {alignRowTo(513, isColumn), poolRegion(alignRowTo(513, isColumn))}) {
            EXPECT_NE(operation.refusal().find("input 1 (regions)"), std::string::npos);
        }
    }
}

TEST(RoiPooling, multipliesByTheReciprocalOfTheRatioBeforeItRounds) {
    std::vector<float> features(18);
    std::iota(features.begin(), features.end(), 0.0F);
    TestOperation operation = alignRegion({635.5F, 0, 635.5F, 1}, 0);
    operation.inputs[0] = floats({1, 1, 18, 1}, features);
    operation.inputs[6] = scalar(41.0F);
    operation = poolRegion(std::move(operation));
    // 635.5 / 41 is 15.5; the product with the float nearest to 1 / 41 is less.
    for (const OperandType type : {TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM}) {
        EXPECT_EQ(resultOf(withFeatures(type, operation)), 15.0F) << toString(type);
    }
}

TEST(RoiAlign, multipliesByTheReciprocalOfTheRatioBeforeItChoosesSamples) {
    TestOperation operation = alignRegion({0, 0, 21, 1}, 0);
    operation.inputs[0] = floats({1, 1, 4, 1}, {0, 0, 0, 8});
    operation.inputs[6] = scalar(7.0F);
    // The product with the float nearest to 1 / 7 is more than 3: a bin of four samples, of which
    // the last one lies at 2.625.
    EXPECT_NEAR(resultOf(std::move(operation)), 1.25F, 1e-5F);
}

TEST(RoiAlign, refusesRatiosThatNoPositionCanBeDividedBy) {
    using Limits = std::numeric_limits<float>;
    for (const bool isAlign : {true, false}) {
        for (const std::size_t ratio : {5U, 6U}) {
            for (const float value :
                 {0.0F, -1.0F, Limits::quiet_NaN(), Limits::infinity(), Limits::denorm_min()}) {
                TestOperation operation = alignRegion({0, 0, 0, 0}, 0);
                operation.inputs[ratio] = scalar(value);
                if (!isAlign) {
                    operation = poolRegion(std::move(operation));
                }
                const std::string refusal = operation.refusal();
                EXPECT_NE(refusal.find("must be more than 0 and finite, and have a finite "
                                       "reciprocal"),
                          std::string::npos)
                    << value << ": " << refusal;
            }
        }
    }
}

/// A heatmap with its largest element in the middle, and the half of it to the right.
TestOperation findPeak(OperandType type, bool isNchw) {
    const auto given = type == TENSOR_FLOAT16 ? halves : floats;
    return {OperationType::HEATMAP_MAX_KEYPOINT,
            {given(isNchw ? Dimensions{1, 1, 3, 3} : Dimensions{1, 3, 3, 1},
                   {0, 0, 0, 0, 0.01F, 0.005F, 0, 0, 0}),
             given({1, 4}, {0, 0, 90, 90}), scalar(isNchw)},
            {tensor(type), tensor(type)}};
}

TEST(HeatmapMaxKeypoint, refinesFlatPeaksOfFloat32Alone) {
    for (const bool isNchw : {false, true}) {
        TestOperation half = findPeak(TENSOR_FLOAT16, isNchw);
        ASSERT_EQ(half.refusal(), "");
        EXPECT_EQ(static_cast<float>(half.outputs[0].values<Float16>()[0]),
                  static_cast<float>(Float16(0.01F)));
        EXPECT_EQ(static_cast<float>(half.outputs[1].values<Float16>()[0]), 45.0F);
        EXPECT_EQ(static_cast<float>(half.outputs[1].values<Float16>()[1]), 45.0F);

        TestOperation single = findPeak(TENSOR_FLOAT32, isNchw);
        ASSERT_EQ(single.refusal(), "");
        EXPECT_NEAR(single.outputs[0].values<float>()[0], 0.0102F, 1e-4F);
        EXPECT_NEAR(single.outputs[1].values<float>()[0], 50.0F, 1e-3F);
        EXPECT_NEAR(single.outputs[1].values<float>()[1], 45.0F, 1e-3F);
    }
}

}  // namespace
}  // namespace nnburst::exec
