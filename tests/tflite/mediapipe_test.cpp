// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// MediaPipe's custom operators: results computed by hand.

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tflite_test.h"

namespace nnburst::mediapipe_test {
namespace {

using namespace tflite;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

FileSpec customFile(const char* name, const std::vector<Argument>& inputs,
                    const std::vector<Argument>& outputs, std::vector<std::uint8_t> options) {
    FileSpec file = operatorFile(Code::CUSTOM, inputs, outputs);
    file.codes[0].customName = name;
    file.operators[0].customOptions = std::move(options);
    return file;
}

std::vector<std::uint8_t> mapOf(const std::function<void(flexbuffers::Builder&)>& fill) {
    flexbuffers::Builder builder;
    builder.Map([&] { fill(builder); });
    builder.Finish();
    return builder.GetBuffer();
}

void expectNear(const Floats& result, const Floats& expected) {
    ASSERT_EQ(result.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(result[i], expected[i], 1e-5F) << i;
    }
}

TEST(TfliteMediapipe, convolvesTransposedWithBias) {
    // Windows of 2x2 with strides of 2 do not meet. Options: VALID, stride along width and height.
    const FileSpec file =
        customFile("Convolution2DTransposeBias",
                   {real({1, 1, 2, 1}), reals({1, 2, 2, 1}, {1, 2, 3, 4}), reals({1}, {0.5F})},
                   {real({1, 2, 4, 1})}, bytesOf(Ints{2, 2, 2}));
    expectComputes<float, float>(file, {{1, 10}},
                                 {{1.5F, 2.5F, 10.5F, 20.5F, 3.5F, 4.5F, 30.5F, 40.5F}});
    EXPECT_EQ(operationsOf(imported(file)), std::vector{OperationType::TRANSPOSE_CONV_2D});
}

TEST(TfliteMediapipe, cutsAPaddedTransposedConvolution) {
    // Windows of 3 with a stride of 2 over 2 elements reach over 5. Of the last window a stride's
    // length, one element, stays: 1 element is cut, and it is the last one.
    const FileSpec file =
        customFile("Convolution2DTransposeBias",
                   {real({1, 1, 2, 1}), reals({1, 1, 3, 1}, {1, 2, 3}), reals({1}, {0})},
                   {real({1, 1, 4, 1})}, bytesOf(Ints{1, 2, 1}));
    expectComputes<float, float>(file, {{1, 10}}, {{1, 2, 13, 20}});
}

TEST(TfliteMediapipe, refusesOptionsThatLie) {
    const auto message = [](const Ints& options) {
        return refusal(customFile("Convolution2DTransposeBias",
                                  {real({1, 1, 2, 1}), real({1, 1, 3, 1}), real({1})},
                                  {real({1, 1, 4, 1})}, bytesOf(options)));
    };
    const std::string prefix = "operator 0 (CUSTOM \"Convolution2DTransposeBias\"): ";
    EXPECT_EQ(message({1, 2}), prefix + "options of 8 bytes: must be at least 12");
    EXPECT_EQ(message({3, 2, 1}), prefix + "padding 3: must be 1 (SAME) or 2 (VALID)");
    EXPECT_EQ(message({1, 0, 1}),
              prefix +
                  "image of shape 1x1x2x1, filter of 1x1x3x1, strides of 1x0: must have 4 known "
                  "dimensions, and strides of at least 1");
}

TEST(TfliteMediapipe, poolsMaximaWithTheirPlaces) {
    // Options: VALID, strides of 2x2, windows of 2x2, no activation.
    const FileSpec file =
        customFile("MaxPoolingWithArgmax2D", {real({1, 2, 4, 1})},
                   {real({1, 1, 2, 1}), real({1, 1, 2, 1})}, bytesOf(Ints{2, 2, 2, 2, 2, 0}));
    expectComputes<float, float>(file, {{1, 2, 9, 3, 7, 4, 5, 6}},
                                 {{7, 9}, {2.0F + 0.1F, 0.0F + 0.1F}});
    // Of the same maxima the first one counts.
    expectComputes<float, float>(file, {{1, 7, 5, 9, 7, 4, 9, 6}},
                                 {{7, 9}, {1.0F + 0.1F, 1.0F + 0.1F}});
    // Windows of 3 columns and 2 rows.
    const FileSpec wide =
        customFile("MaxPoolingWithArgmax2D", {real({1, 2, 3, 1})},
                   {real({1, 1, 1, 1}), real({1, 1, 1, 1})}, bytesOf(Ints{2, 3, 2, 3, 2, 0}));
    expectComputes<float, float>(wide, {{1, 2, 3, 4, 9, 5}}, {{9}, {4.0F + 0.1F}});
}

TEST(TfliteMediapipe, putsMaximaBackToTheirPlaces) {
    const FileSpec file = customFile("MaxUnpooling2D", {real({1, 1, 2, 1}), real({1, 1, 2, 1})},
                                     {real({1, 2, 4, 1})}, bytesOf(Ints{1, 2, 2, 2, 2, 0}));
    expectComputes<float, float>(file, {{7, 9}, {2.1F, 0.1F}}, {{0, 0, 9, 0, 7, 0, 0, 0}});
    // Places outside of the window are left out.
    expectComputes<float, float>(file, {{7, 9}, {-1.0F, 1e9F}}, {{0, 0, 0, 0, 0, 0, 0, 0}});
    expectComputes<float, float>(file, {{7, 9}, {NAN, INFINITY}}, {{0, 0, 0, 0, 0, 0, 0, 0}});
    const FileSpec high = customFile("MaxUnpooling2D", {real({1, 2, 1, 1}), real({1, 2, 1, 1})},
                                     {real({1, 4, 2, 1})}, bytesOf(Ints{1, 2, 2, 2, 2, 0}));
    expectComputes<float, float>(high, {{7, 9}, {4.1F, 3.1F}}, {{0, 0, 0, 0, 0, 0, 0, 9}});
}

TEST(TfliteMediapipe, transformsImages) {
    const FileSpec file =
        customFile("TransformTensorBilinear", {real({1, 2, 2, 1}), real({1, 4, 4})},
                   {real({1, 2, 2, 1})}, mapOf([](flexbuffers::Builder& options) {
                       options.Int("output_height", 2);
                       options.Int("output_width", 2);
                   }));
    const Floats image{1, 2, 3, 4};
    const Floats identity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    expectComputes<float, float>(file, {image, identity}, {image});
    // Half a pixel to the right: between both columns, then outside.
    Floats shifted = identity;
    shifted[3] = 0.5F;
    expectComputes<float, float>(file, {image, shifted}, {{1.5F, 0, 3.5F, 0}});
    // Half as wide: the centres of the pixels lie at -1/4 and 1/4.
    Floats narrow = identity;
    narrow[0] = 0.5F;
    expectComputes<float, float>(file, {image, narrow}, {{0, 1.25F, 0, 3.25F}});
    // Places that are no numbers lie outside.
    Floats lost = identity;
    lost[3] = NAN;
    lost[7] = 1e30F;
    expectComputes<float, float>(file, {image, lost}, {{0, 0, 0, 0}});
}

TEST(TfliteMediapipe, takesNothingFromBehindTheLastColumn) {
    const FileSpec file =
        customFile("TransformTensorBilinear", {real({1, 2, 2, 1}), real({1, 4, 4})},
                   {real({1, 1, 1, 1})}, mapOf([](flexbuffers::Builder& options) {
                       options.Int("output_height", 1);
                       options.Int("output_width", 1);
                   }));
    // The pixel at the right of the first row, which the first one of the second row follows.
    const Floats matrix{1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    expectComputes<float, float>(file, {{1, 2, INFINITY, 4}, matrix}, {{2}});
}

TEST(TfliteMediapipe, transformsLandmarks) {
    const Floats matrix{2, 0, 0, 10, 0, 3, 0, 20, 0, 0, 1, 0, 0, 0, 0, 1};
    const FileSpec second =
        customFile("TransformLandmarks", {real({1, 2, 3}), real({1, 4, 4})}, {real({1, 2, 3})}, {});
    expectComputes<float, float>(second, {{1, 2, 3, 4, 5, 6}, matrix}, {{12, 26, 3, 18, 35, 6}});
    const FileSpec first = customFile("TransformLandmarks", {real({1, 1, 1, 4}), real({1, 4, 4})},
                                      {real({1, 1, 1, 4})}, mapOf([](flexbuffers::Builder& map) {
                                          map.Int("dimensions", 2);
                                          map.Float("scale", 0.5F);
                                      }));
    expectComputes<float, float>(first, {{1, 2, 3, 4}, matrix}, {{7, 16, 11, 22}});
}

FileSpec matrixFile() {
    return customFile("Landmarks2TransformMatrix", {real({1, 3, 3})}, {real({1, 4, 4})},
                      mapOf([](flexbuffers::Builder& map) {
                          map.TypedVector("subset_idxs", [&map] {
                              map.Int(0);
                              map.Int(1);
                              map.Int(2);
                          });
                          map.Int("left_rotation_idx", 0);
                          map.Int("right_rotation_idx", 1);
                          map.Float("target_rotation_radians", 0.0F);
                          map.Int("output_height", 4);
                          map.Int("output_width", 2);
                          map.Float("scale_x", 1.0F);
                          map.Float("scale_y", 2.0F);
                      }));
}

TEST(TfliteMediapipe, findsTheMatrixOfACutOut) {
    // The landmarks lie in a rectangle from (10, 20) to (14, 26), upright: its middle (12, 23) is
    // that of the cut-out of 2x4 pixels, of which each is 4 / 2 wide and 2 * 6 / 4 high.
    const Floats landmarks{10, 20, 0, 14, 20, 0, 12, 26, 0};
    expectComputes<float, float>(matrixFile(), {landmarks},
                                 {{2, 0, 0, 10, 0, 3, 0, 17, 0, 0, 1, 0, 0, 0, 0, 1}});
}

TEST(TfliteMediapipe, turnsTheCutOutWithTheLandmarks) {
    // The same, turned by 90 degrees: (x, y) became (-y, x).
    const TfliteModel model = imported(matrixFile());
    const Floats landmarks{-20, 10, 0, -20, 14, 0, -26, 12, 0};
    expectNear(outputsOfRun<float, float>(model, {landmarks}).at(0),
               {0, -3, 0, -17, 2, 0, 0, 10, 0, 0, 1, 0, 0, 0, 0, 1});
}

TEST(TfliteMediapipe, findsTheMatrixOfTheFirstVersion) {
    const FileSpec file =
        customFile("Landmarks2TransformMatrix", {real({1, 1, 1, 9})}, {real({1, 4, 4})},
                   mapOf([](flexbuffers::Builder& map) {
                       const auto vector = [&](const char* key, const Ints& values) {
                           map.TypedVector(key, [&] {
                               for (const std::int32_t value : values) {
                                   map.Int(value);
                               }
                           });
                       };
                       vector("subset", {0, 1, 2, 2});
                       vector("input_hw", {41, 21});
                       vector("output_hw", {5, 3});
                       map.Int("dimensions", 3);
                       map.Int("landmarks_range", 20);
                       map.Float("bbox_size_multiplier", 2.0F);
                       map.Int("left_rotation_idx", 0);
                       map.Int("right_rotation_idx", 1);
                   }));
    // The middle (12, 13) of the landmarks, of a range of 20, is (0.2, 0.3) of -1 to 1; the sizes 4
    // and 6 become 0.4 and 0.6. A pixel of the cut-out is 2 / 2 and 2 / 4 of them; the image has
    // 10 and 20 for 1.
    const TfliteModel model = imported(file);
    const Floats landmarks{10, 10, 0, 14, 10, 0, 12, 16, 0};
    expectNear(outputsOfRun<float, float>(model, {landmarks}).at(0),
               {4, 0, 0, 10 * (0.2F - 0.4F) + 10, 0, 6, 0, 20 * (0.3F - 0.6F) + 20, 0, 0, 1, 0, 0,
                0, 0, 1});
}

TEST(TfliteMediapipe, refusesLandmarksThatAreNotThere) {
    FileSpec file = matrixFile();
    file.tensors[0].shape = {1, 2, 3};  // landmark 2 is not there
    const auto small = importTflite(serialize(file));
    ASSERT_TRUE(small);
    const auto compiled =
        exec::CompiledModel::compile(exec::makeEngine(false), resolved(small->model));
    ASSERT_FALSE(compiled);
    EXPECT_NE(
        compiled.error().message.find("landmarks of shape 1x2x3; must be those that the other "
                                      "inputs name, with 3 coordinates"),
        std::string::npos)
        << compiled.error().message;
}

}  // namespace
}  // namespace nnburst::mediapipe_test
