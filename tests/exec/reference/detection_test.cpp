// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "exec/reference/operations.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Boxes of quantised operations, in their units of 1/8.
TestOperand quant16(Dimensions dimensions, const std::vector<std::uint16_t>& values) {
    TestOperand operand = tensor(TENSOR_QUANT16_ASYMM, std::move(dimensions), 0.125F, 0);
    operand.data = toBytes(values);
    return operand;
}

TestOperation transform(const Floats& region, const Floats& deltas, std::int32_t batch = 0) {
    return {OperationType::AXIS_ALIGNED_BBOX_TRANSFORM,
            {floats({1, 4}, region), floats({1, static_cast<std::uint32_t>(deltas.size())}, deltas),
             int32s({1}, {batch}), floats({2, 2}, {100, 50, 10, 10})},
            {tensor(TENSOR_FLOAT32)}};
}

TestOperation moveByHalf() {
    return transform({0, 10, 20, 20}, {0.5F, 0, 0, 0});
}

TEST(AxisAlignedBboxTransform, movesAndClipsEachRegionInItsImage) {
    TestOperation operation = moveByHalf();
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{10, 10, 30, 20}));
    operation.inputs[2] = int32s({1}, {1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{10, 10, 10, 10}));
}

TEST(AxisAlignedBboxTransform, takesNoRegionsAndLimitlessOnes) {
    TestOperation operation = moveByHalf();
    operation.inputs[0] = floats({0, 4}, {});
    operation.inputs[1] = floats({0, 8}, {});
    operation.inputs[2] = int32s({0}, {});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 8}));
    operation = transform({0, 0, 8, 8}, {kInfinity, -kInfinity, 1e30F, 1e30F});
    EXPECT_EQ(operation.refusal(), "");
}

TEST(AxisAlignedBboxTransform, sinceV1_3WithSignedDeltas) {
    TestOperation operation{
        OperationType::AXIS_ALIGNED_BBOX_TRANSFORM,
        {quant16({1, 4}, {0, 0, 80, 80}), quant8Signed({1, 4}, {-128, 0, 0, 0}, 1.0F / 128, 0),
         int32s({1}, {0}), quant16({1, 2}, {800, 800})},
        {tensor(TENSOR_QUANT16_ASYMM, {}, 0.125F, 0)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_3);
    EXPECT_EQ(operation.outputs[0].values<std::uint16_t>(),
              (std::vector<std::uint16_t>{0, 0, 0, 80}));
    operation.inputs[1] = quant8({1, 4}, {128, 128, 128, 128}, 1.0F / 128, 128);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_2);
}

TEST(AxisAlignedBboxTransform, refusesWhatIsInNoImageAndNoRegion) {
    const auto prefix = std::string("AXIS_ALIGNED_BBOX_TRANSFORM input ");
    expectRefusals(
        moveByHalf,
        {
            {[](auto& o) { o.inputs[2] = int32s({1}, {-1}); },
             prefix + "2 (batches): -1 of region 0; must be 0 to 1"},
            {[](auto& o) { o.inputs[2] = int32s({1}, {2}); },
             prefix + "2 (batches): 2 of region 0; must be 0 to 1"},
            {[](auto& o) {
                 o.inputs[0] = floats({1, 4}, {0, 10, 20, 9});
             },
             prefix + "0 (regions): 0, 10, 20, 9 of region 0; must be left, top, right, bottom"},
            {[](auto& o) {
                 o.inputs[0] = floats({1, 4}, {0, 10, NAN, 20});
             },
             prefix + "0 (regions): 0, 10, nan, 20 of region 0; must be left, top, right, bottom"},
            {[](auto& o) {
                 o.inputs[0] = floats({1, 0}, {});
             },
             prefix + "0 (regions): size 0 of axis 1; must be 4, left, top, right, bottom"},
            {[](auto& o) {
                 o.inputs[1] = floats({1, 6}, Floats(6));
             },
             prefix + "1 (deltas): 6 elements a region; must be a multiple of 4"},
            {[](auto& o) {
                 o.inputs[1] = floats({1, 0}, {});
             },
             prefix + "1 (deltas): size 0 of axis 1; must be at least 1"},
        });
}

/// Boxes of `classes` classes; those of one region are the same.
TestOperation limitBoxes(const Dimensions& shape, const Floats& scores, const Floats& regions,
                         const Ints& batches, std::int32_t limit, std::int32_t kernel = 0) {
    Floats boxes;
    for (std::size_t region = 0; region < shape[0]; ++region) {
        for (std::size_t c = 0; c < shape[1]; ++c) {
            const auto first = regions.begin() + static_cast<std::ptrdiff_t>(4 * region);
            boxes.insert(boxes.end(), first, first + 4);
        }
    }
    return {OperationType::BOX_WITH_NMS_LIMIT,
            {floats(shape, scores), floats({shape[0], shape[1] * 4}, boxes),
             int32s({shape[0]}, batches), scalar(0.1F), scalar(limit), scalar(kernel), scalar(0.5F),
             scalar(1.0F), scalar(0.2F)},
            {tensor(TENSOR_FLOAT32), tensor(TENSOR_FLOAT32), tensor(TENSOR_INT32),
             tensor(TENSOR_INT32)}};
}

/// Three that do not overlap.
const Floats kApart{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};

TestOperation twoClasses() {
    return limitBoxes({2, 3}, {0, 0.6F, 0.9F, 0, 0.8F, 0.7F}, kApart, {0, 0}, 3);
}

TEST(BoxWithNmsLimit, givesTheBestOfAllClassesInTheOrderOfClasses) {
    TestOperation operation = twoClasses();
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.8F, 0.9F, 0.7F}));
    EXPECT_EQ(operation.outputs[2].values<std::int32_t>(), (Ints{1, 2, 2}));
    EXPECT_EQ(operation.outputs[1].values<float>(), (Floats{2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(BoxWithNmsLimit, prefersFirstClassesAmongEqualScores) {
    TestOperation operation =
        limitBoxes({3, 3}, {0, 0.5F, 0.5F, 0, 0.5F, 0.5F, 0, 0.5F, 0.5F}, kApart, {0, 0, 0}, 4);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[2].values<std::int32_t>(), (Ints{1, 1, 1, 2}));
    EXPECT_EQ(operation.outputs[1].values<float>(),
              (Floats{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 0, 1, 1}));
}

TEST(BoxWithNmsLimit, limitsEachRunOfABatchByItself) {
    TestOperation operation =
        limitBoxes({3, 2}, {0, 0.5F, 0, 0.6F, 0, 0.7F}, kApart, {-1, 7, -1}, 1);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[3].values<std::int32_t>(), (Ints{-1, 7, -1}));
    operation = limitBoxes({3, 2}, {0, 0.5F, 0, 0.6F, 0, 0.7F}, kApart, {3, 3, 3}, 1);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.7F}));
}

TEST(BoxWithNmsLimit, hasNoLimitBelowZero) {
    for (const std::int32_t limit : {-1, std::numeric_limits<std::int32_t>::min()}) {
        TestOperation operation = twoClasses();
        operation.inputs[4] = scalar(limit);
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[1].dimensions, (Dimensions{4, 4}));
    }
}

TEST(BoxWithNmsLimit, lowersScoresOfOverlappingBoxes) {
    const Floats half{0, 0, 2, 1, 0, 0, 1, 1};
    TestOperation operation = limitBoxes({2, 2}, {0, 0.9F, 0, 0.8F}, half, {0, 0}, -1, 1);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.9F, 0.4F}));
    operation.inputs[8] = scalar(0.45F);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.9F}));
}

TEST(BoxWithNmsLimit, givesEmptyOutputsForEmptyInputs) {
    const auto expectNone = [](TestOperation operation) {
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0}));
        EXPECT_EQ(operation.outputs[1].dimensions, (Dimensions{0, 4}));
    };
    expectNone(limitBoxes({0, 2}, {}, {}, {}, -1));
    expectNone(limitBoxes({1, 2}, {0, 0.9F}, kApart, {0}, 0));
    expectNone(limitBoxes({1, 2}, {0, NAN}, kApart, {0}, -1));
    TestOperation operation = twoClasses();
    operation.inputs[3] = scalar(NAN);
    expectNone(operation);
}

TEST(BoxWithNmsLimit, survivesScoresAndParametersOutOfAllBounds) {
    const Floats same{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (const std::int32_t kernel : {0, 1, 2}) {
        for (const float extreme : {-kInfinity, -1.0F, 0.0F, kInfinity, NAN}) {
            TestOperation operation =
                limitBoxes({3, 2}, {0, kInfinity, 0, 0.8F, 0, 0.7F}, same, {0, 0, 0}, -1, kernel);
            for (const std::size_t parameter : {3, 6, 7, 8}) {
                operation.inputs[parameter] = scalar(extreme);
            }
            EXPECT_EQ(operation.refusal(), "");
            for (const float score : operation.outputs[0].values<float>()) {
                EXPECT_FALSE(std::isnan(score));
            }
        }
    }
}

/// One region of three classes: a candidate of class 1, and a box of class 2 whose corners are in
/// the wrong order.
TestOperation reversedBox(float scoreOfReversed) {
    TestOperation operation = limitBoxes({1, 3}, {0, 0.9F, scoreOfReversed}, {0, 0, 1, 1}, {0}, -1);
    operation.inputs[1] = floats({1, 12}, {0, 0, 1, 1, 0, 0, 2, 2, 5, 5, 1, 1});
    operation.inputs[3] = scalar(0.3F);
    operation.inputs[8] = scalar(0.3F);
    return operation;
}

/// The same with scores of 8 bits.
TestOperation reversedBox8(std::uint8_t scoreOfReversed) {
    TestOperation operation = reversedBox(0.0F);
    operation.inputs[0] = quant8({1, 3}, {0, 9, scoreOfReversed}, 0.1F, 0);
    operation.inputs[1] = quant16({1, 12}, {0, 0, 8, 8, 0, 0, 16, 16, 40, 40, 8, 8});
    operation.outputs[0] = tensor(TENSOR_QUANT8_ASYMM, {}, 0.1F, 0);
    operation.outputs[1] = tensor(TENSOR_QUANT16_ASYMM, {}, 0.125F, 0);
    return operation;
}

TEST(BoxWithNmsLimit, doesNotLookAtBoxesThatCannotBeTaken) {
    TestOperation operation = reversedBox(0.0F);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.9F}));
    EXPECT_EQ(operation.outputs[1].values<float>(), (Floats{0, 0, 2, 2}));
    EXPECT_EQ(operation.outputs[2].values<std::int32_t>(), (Ints{1}));
    EXPECT_EQ(operation.outputs[3].values<std::int32_t>(), (Ints{0}));
    operation = reversedBox8(0);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<std::uint8_t>(), (std::vector<std::uint8_t>{9}));
    EXPECT_EQ(operation.outputs[1].values<std::uint16_t>(),
              (std::vector<std::uint16_t>{0, 0, 16, 16}));
}

TEST(BoxWithNmsLimit, refusesReversedCandidates) {
    const std::string message =
        "BOX_WITH_NMS_LIMIT input 1 (regions): 5, 5, 1, 1 of region 0 and class 2; must be left, "
        "top, right, bottom";
    EXPECT_EQ(reversedBox(0.5F).refusal(), message);
    EXPECT_EQ(reversedBox8(5).refusal(), message);
}

TEST(BoxWithNmsLimit, refusesReversedBoxesAmongTheFirstOfAnImage) {
    const auto withBackground = [](const Ints& batches) {
        TestOperation operation =
            limitBoxes({2, 2}, {0, 0.9F, 0, 0.8F}, {0, 0, 1, 1, 2, 2, 3, 3}, batches, -1);
        operation.inputs[1] = floats({2, 8}, {0, 0, 1, 1, 0, 0, 1, 1, 5, 5, 1, 1, 2, 2, 3, 3});
        return operation;
    };
    // It is the third box of an image of two regions, or the first one of an image.
    EXPECT_EQ(withBackground({0, 0}).refusal(), "");
    EXPECT_EQ(withBackground({0, 1}).refusal(),
              "BOX_WITH_NMS_LIMIT input 1 (regions): 5, 5, 1, 1 of region 1 and class 0; must be "
              "left, top, right, bottom");
}

TEST(BoxWithNmsLimit, refusesOperandsThatBreakARule) {
    const auto prefix = std::string("BOX_WITH_NMS_LIMIT input ");
    expectRefusals(
        twoClasses,
        {
            {[](auto& o) { o.inputs[5] = scalar(3); }, prefix + "5 (kernel): 3; must be 0 to 2"},
            {[](auto& o) {
                 o.inputs[0] = floats({2, 1}, {0, 0});
             },
             prefix + "0 (scores): 1 class; must be more than the background"},
            {[](auto& o) {
                 o.inputs[1] = floats({2, 0}, {});
             },
             prefix + "1 (regions): size 0 of axis 1; must be 12, 4 for each class"},
            {[](auto& o) { o.inputs[2] = int32s({1}, {0}); },
             prefix + "2 (batches): size 1 of axis 0; must be 2, the number of regions"},
            {[](auto& o) { o.inputs[1].data = toBytes(Floats(24, NAN)); },
             prefix + "1 (regions): nan, nan, nan, nan of region 0 and class 0; must be left, top, "
                      "right, bottom"},
            {[](auto& o) { o.inputs[3] = scalar(Float16(0.1F)); },
             prefix + "3 (score threshold): type FLOAT16; must be FLOAT32"},
            {[](auto& o) {
                 o.inputs[0] = quant8({2, 3}, {0, 0, 0, 0, 0, 0}, 0.1F, 0);
             },
             prefix + "1 (regions): type TENSOR_FLOAT32; must be TENSOR_QUANT16_ASYMM"},
        });
}

/// Needs more memory than there is, so only shapes are inferred.
Result<> inferShapesOf(OperationType type, std::vector<OperandView> inputs, std::size_t outputs) {
    const std::vector<OperandView> outputViews(outputs);
    std::vector<Shape> shapes(outputs);
    return findOperation(type)->inferShapes({type, inputs, outputViews}, shapes);
}

template <class T>
OperandView viewOf(OperandType type, T& value) {
    OperandView view;
    view.type = type;
    view.data = reinterpret_cast<std::byte*>(&value);
    view.isConstant = true;
    return view;
}

OperandView viewOf(OperandType type, const Shape& shape) {
    OperandView view;
    view.type = type;
    view.shape = shape;
    return view;
}

TEST(BoxWithNmsLimit, refusesBoundsThatNoMemoryHolds) {
    float real = 0.0F;
    std::int32_t none = -1;
    std::int32_t hard = 0;
    const auto infer = [&](std::uint32_t regions, std::uint32_t classes, std::uint32_t length) {
        return inferShapesOf(OperationType::BOX_WITH_NMS_LIMIT,
                             {viewOf(TENSOR_QUANT8_ASYMM, Shape{regions, classes}),
                              viewOf(TENSOR_QUANT16_ASYMM, Shape{regions, length}),
                              viewOf(TENSOR_INT32, Shape{regions}), viewOf(FLOAT32, real),
                              viewOf(INT32, none), viewOf(INT32, hard), viewOf(FLOAT32, real),
                              viewOf(FLOAT32, real), viewOf(FLOAT32, real)},
                             4);
    };
    EXPECT_TRUE(infer(1 << 10, 1 << 10, 1 << 12));
    EXPECT_FALSE(infer(1 << 20, 1 << 20, 1 << 22));
    EXPECT_FALSE(infer(1, 1U << 30, 0)) << "a number of elements that wraps around";
}

struct Detection {
    bool isRegular = false;
    std::int32_t limit = 2;
    std::int32_t classesPerDetection = 1;
    std::int32_t detectionsPerClass = 2;
    float scoreThreshold = 0.0F;
    bool hasBackground = false;
};

/// Anchors of width and height 1 around `centres` on the diagonal; nothing moves them.
TestOperation detect(const Floats& centres, const Floats& scores, const Detection& detection) {
    const auto count = static_cast<std::uint32_t>(centres.size());
    Floats anchors;
    for (const float centre : centres) {
        anchors.insert(anchors.end(), {centre, centre, 1, 1});
    }
    const std::uint32_t classes =
        count == 0 ? 2 : static_cast<std::uint32_t>(scores.size()) / count;
    return {
        OperationType::DETECTION_POSTPROCESSING,
        {floats({1, count, classes}, scores), floats({1, count, 5}, Floats(std::size_t{5} * count)),
         floats({count, 4}, anchors), scalar(10.0F), scalar(10.0F), scalar(5.0F), scalar(5.0F),
         scalar(detection.isRegular), scalar(detection.limit),
         scalar(detection.classesPerDetection), scalar(detection.detectionsPerClass),
         scalar(detection.scoreThreshold), scalar(0.5F), scalar(detection.hasBackground)},
        {tensor(TENSOR_FLOAT32), tensor(TENSOR_FLOAT32), tensor(TENSOR_INT32),
         tensor(TENSOR_INT32)}};
}

TestOperation twoOfThree(const Detection& detection = {}) {
    return detect({0.5F, 0.6F, 5}, {0, 0.9F, 0, 0.8F, 0, 0.7F}, detection);
}

TEST(DetectionPostprocessing, dropsOverlappingBoxesEvenIfAnyScoreWillDo) {
    for (const bool isRegular : {false, true}) {
        TestOperation operation =
            twoOfThree({.isRegular = isRegular, .limit = 3, .detectionsPerClass = 3});
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.9F, 0.7F, 0}));
        EXPECT_EQ(operation.outputs[1].values<float>(),
                  (Floats{0, 0, 1, 1, 4.5F, 4.5F, 5.5F, 5.5F, 0, 0, 0, 0}));
        EXPECT_EQ(operation.outputs[3].values<std::int32_t>(), (Ints{2}));
    }
}

TEST(DetectionPostprocessing, keepsBoxesWithoutArea) {
    TestOperation operation = detect({1, 1}, {0, 0.9F, 0, 0.8F}, {});
    operation.inputs[2] = floats({2, 4}, {1, 1, 0, 0, 1, 1, 0, 0});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[3].values<std::int32_t>(), (Ints{2}));
}

TEST(DetectionPostprocessing, givesTheBestClassesOfEachBox) {
    TestOperation operation =
        detect({0, 5}, {0, 0.1F, 0.5F, 0.5F, 0, 0.9F, 0.2F, 0.3F}, {.classesPerDetection = 2});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{1, 4}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.9F, 0.3F, 0.5F, 0.5F}));
    EXPECT_EQ(operation.outputs[2].values<std::int32_t>(), (Ints{0, 2, 1, 2}));
    // There are three classes.
    operation = detect({0}, {0, 0.1F, 0.5F, 0.5F},
                       {.limit = 1, .classesPerDetection = 9, .hasBackground = true});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[2].values<std::int32_t>(), (Ints{2, 3, 1, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(operation.outputs[3].values<std::int32_t>(), (Ints{3}));
}

TEST(DetectionPostprocessing, prefersFirstClassesAmongEqualScores) {
    TestOperation operation =
        detect({0, 5}, {0, 0.5F, 0.5F, 0, 0.5F, 0.5F}, {.isRegular = true, .limit = 3});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[2].values<std::int32_t>(), (Ints{0, 0, 1}));
    EXPECT_EQ(operation.outputs[1].values<float>()[8], -0.5F);
}

TEST(DetectionPostprocessing, takesNoAnchorsAndNoNumbers) {
    for (const bool isRegular : {false, true}) {
        TestOperation operation = detect({}, {}, {.isRegular = isRegular});
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0, 0}));
        operation = detect({0, NAN}, {0, NAN, 0, kInfinity}, {.isRegular = isRegular});
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[3].values<std::int32_t>(), (Ints{1}));
    }
}

TEST(DetectionPostprocessing, refusesOperandsThatBreakARule) {
    const auto prefix = std::string("DETECTION_POSTPROCESSING input ");
    const auto valid = [] { return twoOfThree(); };
    const std::int32_t most = std::numeric_limits<std::int32_t>::max();
    expectRefusals(
        valid,
        {
            {[](auto& o) { o.inputs[3] = scalar(0.0F); },
             prefix + "3 (scale y): value 0; must be more than 0"},
            {[](auto& o) { o.inputs[6] = scalar(NAN); },
             prefix + "6 (scale width): value nan; must be more than 0"},
            {[](auto& o) { o.inputs[11] = scalar(-1.0F); },
             prefix + "11 (score threshold): value -1; must be at least 0"},
            {[](auto& o) { o.inputs[12] = scalar(NAN); },
             prefix + "12 (overlap threshold): value nan; must be at least 0"},
            {[](auto& o) { o.inputs[9] = scalar(1.0F); },
             prefix + "9 (classes per detection): type FLOAT32; must be INT32"},
            {[](auto& o) { o.inputs[10] = scalar(1.0F); },
             prefix + "10 (detections per class): type FLOAT32; must be INT32"},
            {[](auto& o) {
                 o.inputs[1] = floats({1, 3, 3}, Floats(9));
             },
             prefix + "1 (deltas): 3 elements an anchor; must be 4 or more"},
            {[](auto& o) {
                 o.inputs[1] = floats({1, 3, 0}, {});
             },
             "DETECTION_POSTPROCESSING: no classes or no deltas; must have at least one of each"},
            {[=](auto& o) {
                 o.inputs[8] = scalar(most);
                 o.inputs[9] = scalar(most);
             },
             "DETECTION_POSTPROCESSING output 0: shape 1x4611686014132420609; "
             "must take at most 4294967295 bytes"},
        });
    // Each kind has a limit of its own.
    TestOperation operation = twoOfThree({.detectionsPerClass = -1});
    EXPECT_EQ(operation.refusal(), "");
    operation = twoOfThree({.isRegular = true, .classesPerDetection = -1});
    EXPECT_EQ(operation.refusal(), "");
    operation = twoOfThree({.classesPerDetection = -1, .detectionsPerClass = -1});
    operation.inputs[7].isConstant = false;
    const Result<> checked = operation.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message, prefix + "7 (regular): its value is not known yet");
}

/// One anchor of width and height 8 at `scores.size()` places 10 apart in a row.
TestOperation propose(const Floats& scores, std::int32_t before, std::int32_t after) {
    const auto width = static_cast<std::uint32_t>(scores.size());
    return {
        OperationType::GENERATE_PROPOSALS,
        {floats({1, 1, width, 1}, scores), floats({1, 1, width, 4}, Floats(std::size_t{4} * width)),
         floats({1, 4}, {0, 0, 8, 8}), floats({1, 2}, {100, 100}), scalar(10.0F), scalar(10.0F),
         scalar(before), scalar(after), scalar(0.5F), scalar(1.0F), scalar(false)},
        {tensor(TENSOR_FLOAT32), tensor(TENSOR_FLOAT32), tensor(TENSOR_INT32)}};
}

TestOperation threeProposals() {
    return propose({0.7F, 0.9F, 0.8F}, 0, 0);
}

TEST(GenerateProposals, hasNoLimitsAtZeroAndBelow) {
    for (const std::int32_t limit : {0, -1, std::numeric_limits<std::int32_t>::min()}) {
        TestOperation operation = propose({0.7F, 0.9F, 0.8F}, limit, limit);
        ASSERT_EQ(operation.refusal(), "");
        EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.9F, 0.8F, 0.7F}));
    }
}

TEST(GenerateProposals, looksAtTheBestBefore) {
    // The best one shrinks to less than the smallest size.
    TestOperation operation = propose({0.7F, 0.9F, 0.8F}, 2, 0);
    operation.inputs[1] = floats({1, 1, 3, 4}, {0, 0, 0, 0, 0, 0, -9, -9, 0, 0, 0, 0});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.8F}));
    EXPECT_EQ(operation.outputs[1].values<float>(), (Floats{20, 0, 28, 8}));
    operation = propose({0.7F, 0.9F, 0.8F}, 2, 1);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (Floats{0.9F}));
}

TEST(GenerateProposals, takesWhatIsNotANumberForTheWorst) {
    TestOperation operation = propose({NAN, 0.9F, -kInfinity}, 2, 0);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>()[0], 0.9F);
    operation = threeProposals();
    operation.inputs[3] = floats({1, 2}, {NAN, NAN});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[1].dimensions, (Dimensions{0, 4}));
}

TEST(GenerateProposals, takesNoImages) {
    TestOperation operation = threeProposals();
    operation.inputs[0] = floats({0, 1, 3, 1}, {});
    operation.inputs[1] = floats({0, 1, 3, 4}, {});
    operation.inputs[3] = floats({0, 2}, {});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[1].dimensions, (Dimensions{0, 4}));
}

TEST(GenerateProposals, refusesOperandsThatBreakARule) {
    const auto prefix = std::string("GENERATE_PROPOSALS input ");
    expectRefusals(
        threeProposals,
        {
            {[](auto& o) {
                 o.inputs[1] = floats({1, 1, 3, 0}, {});
             },
             prefix + "1 (deltas): size 0 of axis 3; must be 4, 4 for each anchor"},
            {[](auto& o) {
                 o.inputs[2] = floats({0, 4}, {});
             },
             prefix + "2 (anchors): size 0 of axis 0; must be 1, the channels of the scores"},
            {[](auto& o) {
                 o.inputs[2] = floats({1, 4}, {0, 0, -1, 8});
             },
             prefix + "2 (anchors): 0, 0, -1, 8 of anchor 0; must be left, top, right, bottom"},
            {[](auto& o) { o.inputs[10] = scalar(true); },
             prefix + "1 (deltas): size 4 of axis 3; must be 1, the width of the scores"},
            {[](auto& o) {
                 o.inputs[3] = floats({2, 2}, {1, 1, 1, 1});
             },
             prefix + "3 (images): size 2 of axis 0; must be 1, the batches"},
        });
}

}  // namespace
}  // namespace nnburst::exec
