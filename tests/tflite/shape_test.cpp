// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Import of operators that change shapes, fill, slice, join and reduce, and of what computes with
/// shapes.

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "tflite_test.h"

namespace nnburst::shape_test {
namespace {

using namespace tflite;
using enum OperationType;
using Operations = std::vector<OperationType>;
using Floats = std::vector<std::vector<float>>;
using Integers = std::vector<std::int32_t>;

constexpr auto kNone = schema::ActivationFunctionType::NONE;
constexpr auto kInt32 = TensorType::INT32;

/// 0, 1, 2 ...
std::vector<float> counting(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0F);
    return values;
}

/// INT64 elements.
Argument longs(const std::vector<std::int64_t>& values) {
    return withContents(tensorOf({static_cast<std::int32_t>(values.size())}, TensorType::INT64),
                        bytesOf(values));
}

/// Output shape and operations of a file.
void expectImports(const FileSpec& file, const Operations& operations, const Dimensions& output) {
    const TfliteModel result = imported(file);
    EXPECT_EQ(operationsOf(result), operations);
    EXPECT_EQ(outputOf(result).dimensions, output);
}

// ---- Shapes

TEST(TfliteShape, squeezesAndExpands) {
    const auto squeeze = [](const std::vector<std::int32_t>& axes) {
        return operatorFile(
            Code::SQUEEZE, {real({1, 3, 1})}, {real({})}, BuiltinOptions::SqueezeOptions,
            [axes](flatbuffers::FlatBufferBuilder& builder) {
                return schema::CreateSqueezeOptions(builder, builder.CreateVector(axes)).Union();
            });
    };
    expectImports(squeeze({-1}), {SQUEEZE}, {1, 3});
    expectImports(squeeze({}), {SQUEEZE}, {3});
    EXPECT_EQ(refusal(squeeze({1})), "operator 0 (SQUEEZE): axis 1 of 1x3x1: must have size 1");
    EXPECT_EQ(refusal(squeeze({5})), "operator 0 (SQUEEZE): axis 5: must be one of 3 dimensions");

    const auto expand = [](std::int32_t axis) {
        return operatorFile(Code::EXPAND_DIMS, {real({2, 3}), intScalar(axis)}, {real({})});
    };
    expectImports(expand(1), {EXPAND_DIMS}, {2, 1, 3});
    expectImports(expand(-1), {EXPAND_DIMS}, {2, 3, 1});
    EXPECT_EQ(refusal(expand(3)), "operator 0 (EXPAND_DIMS): axis 3: must be one of 3 dimensions");
}

TEST(TfliteShape, transposesWithAxesFromTheFront) {
    const auto file = [](const Argument& permutation) {
        return operatorFile(Code::TRANSPOSE, {real({2, 3, 4}), permutation}, {real({})});
    };
    expectImports(file(longs({2, 0, 1})), {TRANSPOSE}, {4, 2, 3});
    EXPECT_EQ(refusal(file(ints({0, 0, 1}))),
              "operator 0 (TRANSPOSE): permutation of 3 axes for 3 dimensions: must have each "
              "once");
    EXPECT_EQ(refusal(file(longs({2, 0, std::int64_t{1} << 40}))),
              "operator 0 (TRANSPOSE): tensor 1 (\"tensor\"): element 2 of INT64: must fit into 32 "
              "bits");
}

TEST(TfliteShape, reshapesToScalarsAsToOneElement) {
    Argument empty = tensorOf({0}, kInt32);
    FileSpec file = operatorFile(Code::RESHAPE, {real({1, 1}), empty}, {real({})});
    file.inputs = {0};
    const TfliteModel result = imported(file);
    EXPECT_EQ(outputOf(result).dimensions, Dimensions{1});
    EXPECT_EQ(valuesOf<std::int32_t>(result, inputAt(result, 1)), Integers{1});
}

TEST(TfliteShape, reshapesToScalarsWhereOptionsSayZero) {
    const auto file = [](const std::vector<std::int32_t>& shape,
                         const std::vector<std::int32_t>& newShape) {
        return operatorFile(
            Code::RESHAPE, {real(shape)}, {real({})}, BuiltinOptions::ReshapeOptions,
            [newShape](flatbuffers::FlatBufferBuilder& builder) {
                return schema::CreateReshapeOptions(builder, builder.CreateVector(newShape))
                    .Union();
            });
    };
    expectImports(file({1, 1}, {0}), {RESHAPE}, {1});
    expectComputes<float, float>(file({1, 1}, {0}), {{5.0F}}, Floats{{5.0F}});
    EXPECT_EQ(refusal(file({2, 2}, {0})),
              "operator 0 (RESHAPE): new shape 1: must have the 4 elements of the input");
}

TEST(TfliteShape, leavesOnlyTheSizeMinusOneOpen) {
    const auto file = [](const Integers& shape) {
        return operatorFile(Code::RESHAPE, {real({2, 2}), ints(shape)}, {real({})});
    };
    expectImports(file({-1, 4}), {RESHAPE}, {1, 4});
    EXPECT_EQ(refusal(file({0, 4})),
              "operator 0 (RESHAPE): new shape 0x4: must have the 4 elements of the input");
    EXPECT_EQ(refusal(file({-2, 4})),
              "operator 0 (RESHAPE): new shape -2x4: must have the 4 elements of the input");
}

/// RESHAPE(x, PACK(SHAPE(x)[0], 6)), as converters write for batches of any size.
FileSpec anyBatchFile() {
    FileSpec file;
    file.codes = {{.code = Code::SHAPE},
                  {.code = Code::STRIDED_SLICE},
                  {.code = Code::PACK},
                  {.code = Code::RESHAPE}};
    file.buffers = {{}, bytesOf(Integers{0}), bytesOf(Integers{1}), bytesOf(Integers{6})};
    file.tensors = {{.shape = {1, 2, 3}, .shapeSignature = {-1, 2, 3}},
                    {.shape = {3}, .type = kInt32},
                    {.shape = {1}, .type = kInt32, .buffer = 1},
                    {.shape = {1}, .type = kInt32, .buffer = 2},
                    {.shape = {}, .type = kInt32},
                    {.shape = {}, .type = kInt32, .buffer = 3},
                    {.shape = {2}, .type = kInt32},
                    {.shape = {1, 6}, .shapeSignature = {-1, 6}}};
    file.operators = {
        {.opcodeIndex = 0, .inputs = {0}, .outputs = {1}},
        {.opcodeIndex = 1,
         .inputs = {1, 2, 3, 3},
         .outputs = {4},
         .optionsType = BuiltinOptions::StridedSliceOptions,
         .options = optionsOf(schema::CreateStridedSliceOptions, 0, 0, 0, 0, 1, false)},
        {.opcodeIndex = 2,
         .inputs = {4, 5},
         .outputs = {6},
         .optionsType = BuiltinOptions::PackOptions,
         .options = optionsOf(schema::CreatePackOptions, 0)},
        {.opcodeIndex = 3, .inputs = {0, 6}, .outputs = {7}}};
    file.inputs = {0};
    file.outputs = {7};
    return file;
}

TEST(TfliteShape, computesWithShapesAtImport) {
    const FileSpec file = anyBatchFile();
    expectImports(file, {RESHAPE}, {1, 6});
    // With open sizes there is no shape to compute with.
    const auto open = importTflite(serialize(file), {.keepsOpenSizes = true});
    ASSERT_FALSE(open);
    EXPECT_EQ(open.error().message,
              "operator 0 (SHAPE): input of shape 0x2x3: must be known, as the HAL has no such "
              "operation");
}

TEST(TfliteShape, givesOpenSizesOfInputsThoseOfTheOptions) {
    FileSpec file = anyBatchFile();
    file.tensors[0].name = "x";
    const TfliteModel result = imported(file, {.inputDimensions = {{"x", {5, 2, 3}}}});
    EXPECT_EQ(operationsOf(result), Operations{RESHAPE});
    EXPECT_EQ(inputAt(result, 0).dimensions, (Dimensions{5, 2, 3}));
    EXPECT_EQ(valuesOf<std::int32_t>(result, inputAt(result, 1)), (Integers{5, 6}));
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{5, 6}));
    const auto messageFor = [&](const InputDimensions& dimensions) {
        const auto refused = importTflite(serialize(file), {.inputDimensions = dimensions});
        return refused ? std::string() : refused.error().message;
    };
    EXPECT_EQ(messageFor({{"x", {5, 2, 4}}}),
              "operator 3 (RESHAPE): new shape 5x6: must have the 40 elements of the input");
    EXPECT_EQ(messageFor({{"x", {5, 6}}}),
              "input 0 of the model: tensor 0 (\"x\") has 3 dimensions: cannot be 5x6");
    EXPECT_EQ(messageFor({{"y", {5, 2, 3}}}),
              "no input \"y\" to give the dimensions 5x2x3: must be one of \"x\"");
}

/// A product with 3x4 numbers, then RELU. The file states sizes that are out of date for both.
FileSpec outdatedFile(const std::vector<std::int32_t>& input) {
    FileSpec file =
        operatorFile(Code::FULLY_CONNECTED, {real(input), reals({3, 4}, counting(12)), leftOut()},
                     {real({1, 3})}, BuiltinOptions::FullyConnectedOptions,
                     optionsOf(schema::CreateFullyConnectedOptions, kNone,
                               schema::FullyConnectedWeightsFormat::DEFAULT, false));
    file.tensors[0].name = "x";
    file.tensors.push_back({.shape = {7, 3}});
    file.codes.push_back({.code = Code::RELU});
    file.operators.push_back({.opcodeIndex = 1, .inputs = {2}, .outputs = {3}});
    file.outputs = {3};
    return file;
}

TEST(TfliteShape, takesSizesThatFollowFromTheInputsInPlaceOfStatedOnes) {
    const std::vector<float> ones(8, 1.0F);
    const Floats sums{{6, 22, 38, 6, 22, 38}};
    expectComputes<float, float>(outdatedFile({2, 4}), {ones}, sums);
    FileSpec open = outdatedFile({1, 4});
    open.tensors[0].shapeSignature = {-1, 4};
    const TfliteModel resized = imported(open, {.inputDimensions = {{"x", {2, 4}}}});
    EXPECT_EQ(outputOf(resized).dimensions, (Dimensions{2, 3}));
    EXPECT_EQ((outputsOfRun<float, float>(resized, {ones})), sums);
}

TEST(TfliteShape, takesScalarsThatFollowFromTheInputsInPlaceOfStatedShapes) {
    expectComputes<float, float>(
        operatorFile(Code::ADD, {reals({}, {1.0F}), reals({}, {2.0F})}, {real({4})},
                     BuiltinOptions::AddOptions, addOptions()),
        {{0.0F}}, {{3.0F}});
    expectComputes<float, float>(operatorFile(Code::SUM, {real({2, 3}), ints({0, 1})},
                                              {real({1, 1})}, BuiltinOptions::ReducerOptions,
                                              optionsOf(schema::CreateReducerOptions, false)),
                                 {{1, 2, 3, 4, 5, 6}}, {{21}});
}

TEST(TfliteShape, resizesInputsWhoseSizesTheFileStates) {
    const TfliteModel batch = imported(outdatedFile({1, 4}), {.inputDimensions = {{"x", {2, 4}}}});
    EXPECT_EQ(outputOf(batch).dimensions, (Dimensions{2, 3}));

    FileSpec file = operatorFile(
        Code::CONV_2D, {real({1, 4, 4, 2}), reals({3, 1, 1, 2}, {1, 2, 3, 4, 5, 6}), leftOut()},
        {real({1, 4, 4, 3})}, BuiltinOptions::Conv2DOptions,
        optionsOf(schema::CreateConv2DOptions, schema::Padding::SAME, 1, 1, kNone, 1, 1));
    file.tensors[0].name = "x";
    const TfliteModel result = imported(file, {.inputDimensions = {{"x", {2, 8, 8, 2}}}});
    file.tensors[0].shape = {2, 8, 8, 2};
    file.tensors[2].shape = {2, 8, 8, 3};
    const std::vector<std::vector<float>> image{counting(256)};
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{2, 8, 8, 3}));
    EXPECT_EQ((outputsOfRun<float, float>(result, image)),
              (outputsOfRun<float, float>(imported(file), image)));

    // What does not follow from the inputs has sizes that the run finds.
    FileSpec computed =
        operatorFile(Code::RESHAPE, {real({1, 4}), tensorOf({2}, kInt32)}, {real({2, 2})});
    computed.tensors[0].name = "x";
    EXPECT_EQ(outputOf(imported(computed)).dimensions, (Dimensions{2, 2}));
    EXPECT_EQ(outputOf(imported(computed, {.inputDimensions = {{"x", {3, 4}}}})).dimensions,
              (Dimensions{0, 0}));

    FileSpec scalar = operatorFile(Code::ADD, {real({}), real({})}, {real({})},
                                   BuiltinOptions::AddOptions, addOptions());
    scalar.tensors[0].name = "x";
    const auto refused = importTflite(serialize(scalar), {.inputDimensions = {{"x", {2}}}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "input 0 of the model: tensor 0 (\"x\") has 0 dimensions: cannot be 2");
}

/// RESHAPE(x, PACK(`code`(SHAPE(x)[index], factor), -1)) of 1x4 elements, with shapes of INT64.
FileSpec shapesOf64Bits(Code code, std::int32_t index, std::int64_t factor,
                        BuiltinOptions optionsType, OptionsBuilder options) {
    constexpr auto kInt64 = TensorType::INT64;
    FileSpec file;
    file.codes = {{.code = Code::SHAPE},
                  {.code = Code::STRIDED_SLICE},
                  {.code = code},
                  {.code = Code::PACK},
                  {.code = Code::RESHAPE}};
    file.buffers = {{},
                    bytesOf(Integers{index}),
                    bytesOf(Integers{index + 1}),
                    bytesOf(Integers{1}),
                    bytesOf(std::vector{factor}),
                    bytesOf(std::vector{std::int64_t{-1}})};
    file.tensors = {{.shape = {1, 4}},
                    {.shape = {2}, .type = kInt64},
                    {.shape = {1}, .type = kInt32, .buffer = 1},
                    {.shape = {1}, .type = kInt32, .buffer = 2},
                    {.shape = {1}, .type = kInt32, .buffer = 3},
                    {.shape = {}, .type = kInt64},
                    {.shape = {}, .type = kInt64, .buffer = 4},
                    {.shape = {}, .type = kInt64},
                    {.shape = {}, .type = kInt64, .buffer = 5},
                    {.shape = {2}, .type = kInt64},
                    {.shape = {}}};
    file.operators = {
        {.opcodeIndex = 0, .inputs = {0}, .outputs = {1}},
        {.opcodeIndex = 1,
         .inputs = {1, 2, 3, 4},
         .outputs = {5},
         .optionsType = BuiltinOptions::StridedSliceOptions,
         .options = optionsOf(schema::CreateStridedSliceOptions, 0, 0, 0, 0, 1, false)},
        {.opcodeIndex = 2,
         .inputs = {5, 6},
         .outputs = {7},
         .optionsType = optionsType,
         .options = std::move(options)},
        {.opcodeIndex = 3,
         .inputs = {7, 8},
         .outputs = {9},
         .optionsType = BuiltinOptions::PackOptions,
         .options = optionsOf(schema::CreatePackOptions, 0)},
        {.opcodeIndex = 4, .inputs = {0, 9}, .outputs = {10}}};
    file.inputs = {0};
    file.outputs = {10};
    return file;
}

TEST(TfliteShape, computesWithShapesOf64BitsAtImport) {
    const auto expectTwoRows = [](Code code, std::int32_t index, std::int64_t factor,
                                  BuiltinOptions optionsType = BuiltinOptions::NONE,
                                  const OptionsBuilder& options = nullptr) {
        expectImports(shapesOf64Bits(code, index, factor, optionsType, options), {RESHAPE}, {2, 2});
    };
    expectTwoRows(Code::MUL, 0, 2, BuiltinOptions::MulOptions,
                  optionsOf(schema::CreateMulOptions, kNone));
    expectTwoRows(Code::ADD, 1, -2, BuiltinOptions::AddOptions, addOptions());
    expectTwoRows(Code::SUB, 1, 2, BuiltinOptions::SubOptions,
                  optionsOf(schema::CreateSubOptions, kNone));
    expectTwoRows(Code::FLOOR_DIV, 1, 2);
    expectImports(shapesOf64Bits(Code::FLOOR_MOD, 1, 3, BuiltinOptions::NONE, nullptr), {RESHAPE},
                  {1, 4});
}

TEST(TfliteShape, multipliesSizesOf64BitsAtImport) {
    // RESHAPE(x, REDUCE_PROD(SHAPE(x)))
    FileSpec file = operatorFile(Code::SHAPE, {real({2, 3})}, {tensorOf({2}, TensorType::INT64)});
    file.codes.push_back({.code = Code::REDUCE_PROD});
    file.codes.push_back({.code = Code::RESHAPE});
    file.buffers.push_back(bytesOf(Integers{0}));
    file.tensors.push_back({.shape = {1}, .type = kInt32, .buffer = 1});
    file.tensors.push_back({.shape = {1}, .type = TensorType::INT64});
    file.tensors.push_back({.shape = {6}});
    file.operators.push_back({.opcodeIndex = 1,
                              .inputs = {1, 2},
                              .outputs = {3},
                              .optionsType = BuiltinOptions::ReducerOptions,
                              .options = optionsOf(schema::CreateReducerOptions, true)});
    file.operators.push_back({.opcodeIndex = 2, .inputs = {0, 3}, .outputs = {4}});
    file.outputs = {4};
    expectImports(file, {RESHAPE}, {6});
}

TEST(TfliteShape, refusesProductsOf64BitsThatAreNotKnown) {
    FileSpec file =
        operatorFile(Code::CAST, {tensorOf({2}, kInt32)}, {tensorOf({2}, TensorType::INT64)});
    file.codes.push_back({.code = Code::MUL});
    file.buffers.push_back(bytesOf(std::vector<std::int64_t>{2, 3}));
    file.tensors.push_back({.shape = {2}, .type = TensorType::INT64, .buffer = 1});
    file.tensors.push_back({.shape = {2}, .type = TensorType::INT64});
    file.operators.push_back({.opcodeIndex = 1,
                              .inputs = {1, 2},
                              .outputs = {3},
                              .optionsType = BuiltinOptions::MulOptions,
                              .options = optionsOf(schema::CreateMulOptions, kNone)});
    file.outputs = {3};
    EXPECT_EQ(
        refusal(file),
        "operator 1 (MUL): tensor 3 (\"tensor\"): type INT64 is not supported where values "
        "may need more than 32 bits, unless TfliteOptions::integersFitInt32 says that they do "
        "not");
    const TfliteModel fitting = imported(file, {.integersFitInt32 = true});
    EXPECT_EQ((outputsOfRun<std::int32_t, std::int32_t>(fitting, {{-1, 5}})),
              (std::vector<Integers>{{-2, 15}}));
}

TEST(TfliteShape, takesRemaindersOf64BitsThatAreNotKnown) {
    // A remainder is smaller than the divisor.
    FileSpec file = operatorFile(Code::CAST, {real({4})}, {tensorOf({4}, TensorType::INT64)});
    file.codes.push_back({.code = Code::FLOOR_MOD});
    file.buffers.push_back(bytesOf(std::vector<std::int64_t>{3}));
    file.tensors.push_back({.shape = {1}, .type = TensorType::INT64, .buffer = 1});
    file.tensors.push_back({.shape = {4}, .type = TensorType::INT64});
    file.operators.push_back({.opcodeIndex = 1, .inputs = {1, 2}, .outputs = {3}});
    file.outputs = {3};
    expectComputes<std::int32_t, float>(file, {{1.0F, -2.5F, 7.0F, 3.0F}}, {{1, 1, 1, 0}});
}

/// Resizes image 0 to the second and third size of itself, which go through floating point.
FileSpec scaledFile(float factor) {
    FileSpec file;
    file.codes = {{.code = Code::SHAPE},
                  {.code = Code::STRIDED_SLICE},
                  {.code = Code::CAST},
                  {.code = Code::MUL},
                  {.code = Code::FLOOR},
                  {.code = Code::CEIL},
                  {.code = Code::RESIZE_NEAREST_NEIGHBOR}};
    file.buffers = {
        {}, bytesOf(Integers{1}), bytesOf(Integers{3}), bytesOf(std::vector<float>{factor})};
    const TensorSpec two{.shape = {2}};
    const TensorSpec integers{.shape = {2}, .type = kInt32};
    file.tensors = {{.shape = {1, 2, 3, 1}},
                    {.shape = {4}, .type = kInt32},
                    {.shape = {1}, .type = kInt32, .buffer = 1},
                    {.shape = {1}, .type = kInt32, .buffer = 2},
                    integers,
                    two,
                    {.shape = {1}, .buffer = 3},
                    two,
                    two,
                    two,
                    integers,
                    {.shape = {}}};
    file.operators = {
        {.opcodeIndex = 0, .inputs = {0}, .outputs = {1}},
        {.opcodeIndex = 1,
         .inputs = {1, 2, 3, 2},
         .outputs = {4},
         .optionsType = BuiltinOptions::StridedSliceOptions,
         .options = optionsOf(schema::CreateStridedSliceOptions, 0, 0, 0, 0, 0, false)},
        {.opcodeIndex = 2, .inputs = {4}, .outputs = {5}},
        {.opcodeIndex = 3,
         .inputs = {5, 6},
         .outputs = {7},
         .optionsType = BuiltinOptions::MulOptions,
         .options = optionsOf(schema::CreateMulOptions, kNone)},
        {.opcodeIndex = 4, .inputs = {7}, .outputs = {8}},
        {.opcodeIndex = 5, .inputs = {8}, .outputs = {9}},
        {.opcodeIndex = 2, .inputs = {9}, .outputs = {10}},
        {.opcodeIndex = 6,
         .inputs = {0, 10},
         .outputs = {11},
         .optionsType = BuiltinOptions::ResizeNearestNeighborOptions,
         .options = optionsOf(schema::CreateResizeNearestNeighborOptions, false, false)}};
    file.inputs = {0};
    file.outputs = {11};
    return file;
}

TEST(TfliteShape, computesWithSizesInFloatingPointAtImport) {
    expectImports(scaledFile(2.0F), {RESIZE_NEAREST_NEIGHBOR}, {1, 4, 6, 1});
    expectImports(scaledFile(1.5F), {RESIZE_NEAREST_NEIGHBOR}, {1, 3, 4, 1});
}

TEST(TfliteShape, keepsSizesOpenIfAskedTo) {
    FileSpec file = addFile();
    for (TensorSpec& tensor : file.tensors) {
        tensor.shape = {1, 3};
        tensor.shapeSignature = {-1, 3};
    }
    EXPECT_EQ(outputOf(imported(file)).dimensions, (Dimensions{1, 3}));
    const TfliteModel open = imported(file, {.keepsOpenSizes = true});
    EXPECT_EQ(inputAt(open, 0).dimensions, (Dimensions{0, 3}));
    EXPECT_EQ(outputOf(open).dimensions, (Dimensions{0, 3}));
}

TEST(TfliteShape, knowsConstantsThatAreForwarded) {
    // RESHAPE(x, REVERSE_V2({2, 3}, no axes)).
    FileSpec file = operatorFile(Code::REVERSE_V2, {ints({2, 3}), tensorOf({0}, kInt32)},
                                 {tensorOf({2}, kInt32)});
    file.codes.push_back({.code = Code::RESHAPE});
    file.tensors.push_back({.shape = {6}});
    file.tensors.push_back({.shape = {2, 3}});
    file.operators.push_back({.opcodeIndex = 1, .inputs = {3, 2}, .outputs = {4}});
    file.inputs = {3};
    file.outputs = {4};
    const TfliteModel result = imported(file);
    EXPECT_EQ(operationsOf(result), Operations{RESHAPE});
    EXPECT_EQ(valuesOf<std::int32_t>(result, inputAt(result, 1)), (Integers{2, 3}));
}

TEST(TfliteShape, givesShapesAndRanksAsConstants) {
    const TfliteModel shape =
        imported(operatorFile(Code::SHAPE, {real({2, 3})}, {tensorOf({2}, TensorType::INT64)}));
    EXPECT_EQ(operationsOf(shape), Operations{CAST});  // an output must be computed
    EXPECT_EQ(valuesOf<std::int32_t>(shape, inputAt(shape, 0)), (Integers{2, 3}));
    const TfliteModel rank =
        imported(operatorFile(Code::RANK, {real({2, 3})}, {tensorOf({}, kInt32)}));
    EXPECT_EQ(valuesOf<std::int32_t>(rank, inputAt(rank, 0)), Integers{2});
    EXPECT_EQ(outputOf(rank).dimensions, Dimensions{1});
}

// ---- Filling

TEST(TfliteFill, padsWithTheValueOfItsType) {
    const Argument paddings = withContents(tensorOf({2, 2}, kInt32), bytesOf(Integers{1, 0, 0, 2}));
    expectImports(operatorFile(Code::PAD, {real({2, 3}), paddings}, {real({})}), {PAD}, {3, 5});
    const TfliteModel floats = imported(
        operatorFile(Code::PADV2, {real({2, 3}), paddings, reals({}, {2.5F})}, {real({3, 5})}));
    EXPECT_EQ(inputAt(floats, 2).type, OperandType::FLOAT32);
    EXPECT_EQ(valueOf<float>(floats, inputAt(floats, 2)), 2.5F);
    const Argument tensor = quantized({2, 3}, TensorType::INT8, 0.5F, 1);
    Argument value = withContents(quantized({}, TensorType::INT8, 0.5F, 1), {0xFE});
    const TfliteModel quantised = imported(operatorFile(
        Code::PADV2, {tensor, paddings, value}, {quantized({3, 5}, TensorType::INT8, 0.5F, 1)}));
    EXPECT_EQ(valueOf<std::int32_t>(quantised, inputAt(quantised, 2)), -2);
    value.tensor.zeroPoints = {2};
    EXPECT_EQ(refusal(operatorFile(Code::PADV2, {tensor, paddings, value}, {tensor})),
              "operator 0 (PADV2): input 2 (value): must have the scale and zero point of the "
              "input");
    EXPECT_EQ(refusal(operatorFile(Code::PAD, {real({2, 3}), ints({1, 0})}, {real({})})),
              "operator 0 (PAD): 2 paddings for 2 dimensions: must be 2 for each");
    EXPECT_EQ(refusal(operatorFile(Code::PAD, {real({2}), ints({1, -1})}, {real({})})),
              "operator 0 (PAD): paddings 1 and -1: must be at least 0");
}

TEST(TfliteFill, mirrorsBySlices) {
    const auto file = [](const Integers& paddings, schema::MirrorPadMode mode,
                         const std::vector<std::int32_t>& shape) {
        return operatorFile(
            Code::MIRROR_PAD,
            {real(shape),
             withContents(tensorOf({static_cast<std::int32_t>(shape.size()), 2}, kInt32),
                          bytesOf(paddings))},
            {real({})}, BuiltinOptions::MirrorPadOptions,
            optionsOf(schema::CreateMirrorPadOptions, mode));
    };
    using schema::MirrorPadMode;
    expectComputes<float, float>(file({2, 1}, MirrorPadMode::REFLECT, {3}), {{0, 1, 2}},
                                 Floats{{2, 1, 0, 1, 2, 1}});
    expectComputes<float, float>(file({3, 1}, MirrorPadMode::SYMMETRIC, {3}), {{0, 1, 2}},
                                 Floats{{2, 1, 0, 0, 1, 2, 2}});
    expectComputes<float, float>(file({1, 0, 0, 1}, MirrorPadMode::REFLECT, {2, 2}), {{0, 1, 2, 3}},
                                 Floats{{2, 3, 2, 0, 1, 0, 2, 3, 2}});
    EXPECT_EQ(refusal(file({3, 0}, MirrorPadMode::REFLECT, {3})),
              "operator 0 (MIRROR_PAD): paddings 3 and 0 of axis 0 of 3: must be at most its known "
              "size");
}

TEST(TfliteFill, tilesFillsAndRepeats) {
    expectImports(operatorFile(Code::TILE, {real({2, 3}), longs({2, 1})}, {real({})}), {TILE},
                  {4, 3});
    EXPECT_EQ(refusal(operatorFile(Code::TILE, {real({2, 3}), ints({2})}, {real({})})),
              "operator 0 (TILE): 1 multiples for 2 dimensions: must be one for each");
    EXPECT_EQ(refusal(operatorFile(Code::TILE, {real({2}), ints({0})}, {real({})})),
              "operator 0 (TILE): multiple 0 of axis 0: must be at least 1");

    expectImports(operatorFile(Code::FILL, {ints({2, 3}), reals({}, {1.5F})}, {real({})}), {FILL},
                  {2, 3});
    EXPECT_EQ(refusal(operatorFile(Code::FILL, {ints({2}), real({2})}, {real({})})),
              "operator 0 (FILL): input 1 (value): must have one element");
    expectImports(operatorFile(Code::ZEROS_LIKE, {real({2, 3})}, {real({})}), {FILL}, {2, 3});

    const FileSpec broadcast =
        operatorFile(Code::BROADCAST_TO, {real({2, 1}), ints({2, 2, 3})}, {real({})});
    expectImports(broadcast, {EXPAND_DIMS, TILE}, {2, 2, 3});
    expectComputes<float, float>(broadcast, {{1, 2}}, Floats{{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}});
    EXPECT_EQ(refusal(operatorFile(Code::BROADCAST_TO, {real({2}), ints({3})}, {real({})})),
              "operator 0 (BROADCAST_TO): shape 2: must be one that can be repeated to 3");
}

// ---- Slices

TEST(TfliteSlice, saysAllSizes) {
    const auto file = [](const Integers& begin, const Integers& size) {
        return operatorFile(Code::SLICE, {real({4, 5}), ints(begin), ints(size)}, {real({})});
    };
    const TfliteModel result = imported(file({1, 2}, {-1, 2}));
    EXPECT_EQ(valuesOf<std::int32_t>(result, inputAt(result, 2)), (Integers{3, 2}));
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{3, 2}));
    EXPECT_EQ(refusal(file({3, 0}, {2, 1})),
              "operator 0 (SLICE): begin 3 and size 2 of axis 0 of 4x5: must lie inside");
}

struct StridedCase {
    const char* name;
    std::vector<std::int32_t> shape;
    Integers begin;
    Integers end;
    Integers strides;
    std::vector<std::int32_t> masks;  ///< begin, end, ellipsis, new axis, shrink, offset
    Dimensions result;
    std::vector<float> values;  ///< of an input 0, 1, 2 ...
};

std::ostream& operator<<(std::ostream& stream, const StridedCase& c) {
    return stream << c.name;
}

const StridedCase kStrided[] = {
    {"plain", {3, 4}, {1, 1}, {3, 4}, {1, 2}, {0, 0, 0, 0, 0, 0}, {2, 2}, {5, 7, 9, 11}},
    {"fewerEntriesThanAxes", {3, 2}, {1}, {2}, {1}, {0, 0, 0, 0, 0, 0}, {1, 2}, {2, 3}},
    {"masks", {4}, {3}, {1}, {1}, {1, 1, 0, 0, 0, 0}, {4}, {0, 1, 2, 3}},
    {"backwards", {4}, {-1}, {-4}, {-1}, {0, 0, 0, 0, 0, 0}, {3}, {3, 2, 1}},
    {"backwardsToTheStart", {4}, {0}, {0}, {-2}, {1, 1, 0, 0, 0, 0}, {2}, {3, 1}},
    {"dropsAnAxis", {3, 4}, {-1, 1}, {0, 3}, {1, 1}, {0, 0, 0, 0, 1, 0}, {2}, {9, 10}},
    {"dropsAllAxes", {3, 4}, {1, 2}, {0, 0}, {1, 1}, {0, 0, 0, 0, 3, 0}, {1}, {6}},
    {"ellipsis", {2, 2, 2}, {0, 1}, {0, 2}, {1, 1}, {0, 0, 1, 0, 0, 0}, {2, 2, 1}, {1, 3, 5, 7}},
    {"newAxis", {2, 2}, {0, 1}, {0, 2}, {1, 1}, {0, 0, 0, 1, 0, 0}, {1, 1, 2}, {2, 3}},
    {"newAxisOfAScalar", {3}, {1, 0}, {2, 0}, {1, 1}, {0, 0, 0, 2, 1, 0}, {1}, {1}},
    {"offset", {5}, {1}, {2}, {1}, {0, 0, 0, 0, 0, 1}, {2}, {1, 2}},
    {"offsetUpToTheLast", {5}, {-3}, {3}, {1}, {0, 0, 0, 0, 0, 1}, {3}, {2, 3, 4}},
    {"offsetFromTheBack", {5}, {-3}, {2}, {1}, {0, 0, 0, 0, 0, 1}, {2}, {2, 3}},
    {"offsetBeyondTheLast", {5}, {-2}, {9}, {1}, {0, 0, 0, 0, 0, 1}, {2}, {3, 4}},
    {"offsetOfABeginBeforeTheFirst", {5}, {-7}, {3}, {1}, {0, 0, 0, 0, 0, 1}, {3}, {0, 1, 2}},
    {"offsetOfAMaskedBegin", {5}, {3}, {2}, {1}, {1, 0, 0, 0, 0, 1}, {2}, {0, 1}},
    {"offsetBackwards", {5}, {3}, {-2}, {-1}, {0, 0, 0, 0, 0, 1}, {2}, {3, 2}},
    {"offsetToAnEndFromTheBack", {5}, {0}, {-1}, {1}, {0, 0, 0, 0, 0, 1}, {4}, {0, 1, 2, 3}},
    {"dropsAMaskedAxis", {4, 2}, {2, 0}, {3, 2}, {1, 1}, {1, 0, 0, 0, 1, 0}, {2}, {0, 1}},
};

class TfliteStridedSlice : public testing::TestWithParam<StridedCase> {};

TEST_P(TfliteStridedSlice, takesWhatItsInputsAndMasksSay) {
    const StridedCase& c = GetParam();
    const FileSpec file = operatorFile(
        Code::STRIDED_SLICE, {real(c.shape), ints(c.begin), ints(c.end), ints(c.strides)},
        {real({})}, BuiltinOptions::StridedSliceOptions,
        optionsOf(schema::CreateStridedSliceOptions, c.masks[0], c.masks[1], c.masks[2], c.masks[3],
                  c.masks[4], c.masks[5] != 0));
    EXPECT_EQ(outputOf(imported(file)).dimensions, c.result);
    const auto count = std::accumulate(c.shape.begin(), c.shape.end(), 1, std::multiplies<>());
    expectComputes<float, float>(file, {counting(static_cast<std::size_t>(count))},
                                 Floats{c.values});
}

INSTANTIATE_TEST_SUITE_P(All, TfliteStridedSlice, testing::ValuesIn(kStrided),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(TfliteSlice, refusesStridesAndIndicesOutOfRange) {
    const auto file = [](const Integers& begin, std::int32_t stride, std::int32_t shrinkMask) {
        return operatorFile(
            Code::STRIDED_SLICE,
            {real({4}), ints(begin), ints(Integers(begin.size(), 1)),
             ints(Integers(begin.size(), stride))},
            {real({})}, BuiltinOptions::StridedSliceOptions,
            optionsOf(schema::CreateStridedSliceOptions, 0, 0, 0, 0, shrinkMask, false));
    };
    EXPECT_EQ(refusal(file({0}, 0, 0)), "operator 0 (STRIDED_SLICE): stride 0: must not be 0");
    EXPECT_EQ(refusal(file({4}, 1, 1)),
              "operator 0 (STRIDED_SLICE): index 4 of axis 0: must be one of 4");
    EXPECT_EQ(refusal(file({0, 0}, 1, 0)),
              "operator 0 (STRIDED_SLICE): 2 entries and 0 ellipses for 1 dimensions: must be at "
              "most 1 and 1");
}

TEST(TfliteSlice, slicesIntegersWithTheOperationThatTakesThem) {
    const FileSpec file =
        operatorFile(Code::STRIDED_SLICE, {tensorOf({4}, kInt32), ints({1}), ints({3}), ints({1})},
                     {tensorOf({}, kInt32)}, BuiltinOptions::StridedSliceOptions,
                     optionsOf(schema::CreateStridedSliceOptions, 0, 0, 0, 0, 0, false));
    expectImports(file, {SLICE}, {2});
    expectComputes<std::int32_t, std::int32_t>(file, {{5, 6, 7, 8}}, {{6, 7}});
}

/// Row i of x: STRIDED_SLICE(x, PACK(i, 0), PACK(i + 1, 0)), of 4x2 elements of this type.
FileSpec computedRowFile(TensorType type) {
    FileSpec file;
    file.codes = {{.code = Code::PACK}, {.code = Code::ADD}, {.code = Code::STRIDED_SLICE}};
    file.buffers = {{}, bytesOf(Integers{0}), bytesOf(Integers{1}), bytesOf(Integers{1, 1})};
    const TensorSpec scalar{.shape = {}, .type = kInt32};
    const TensorSpec pair{.shape = {2}, .type = kInt32};
    file.tensors = {{.shape = {4, 2}, .type = type},
                    scalar,                                       // i
                    {.shape = {}, .type = kInt32, .buffer = 1},   // 0
                    {.shape = {}, .type = kInt32, .buffer = 2},   // 1
                    scalar,                                       // i + 1
                    pair,                                         // begin
                    pair,                                         // end
                    {.shape = {2}, .type = kInt32, .buffer = 3},  // strides
                    {.shape = {2}, .type = type}};
    file.operators = {
        {.opcodeIndex = 1,
         .inputs = {1, 3},
         .outputs = {4},
         .optionsType = BuiltinOptions::AddOptions,
         .options = addOptions()},
        {.inputs = {1, 2},
         .outputs = {5},
         .optionsType = BuiltinOptions::PackOptions,
         .options = optionsOf(schema::CreatePackOptions, 0)},
        {.inputs = {4, 2},
         .outputs = {6},
         .optionsType = BuiltinOptions::PackOptions,
         .options = optionsOf(schema::CreatePackOptions, 0)},
        {.opcodeIndex = 2,
         .inputs = {0, 5, 6, 7},
         .outputs = {8},
         .optionsType = BuiltinOptions::StridedSliceOptions,
         .options = optionsOf(schema::CreateStridedSliceOptions, 0, 2, 0, 0, 1, false)}};
    file.inputs = {0, 1};
    file.outputs = {8};
    return file;
}

TEST(TfliteSlice, takesBeginAndEndThatAreComputed) {
    for (const std::int32_t row : {0, 3}) {
        expectComputes<std::int32_t, std::int32_t>(
            computedRowFile(kInt32), {{0, 1, 2, 3, 4, 5, 6, 7}, {row}}, {{2 * row, 2 * row + 1}});
        const auto first = static_cast<float>(2 * row);
        expectComputes<float, float>(computedRowFile(TensorType::FLOAT32),
                                     {counting(8), {std::bit_cast<float>(row)}},
                                     Floats{{first, first + 1}});
    }
}

/// STRIDED_SLICE(x, begin, end) of 4x2 elements, with these strides.
FileSpec computedSliceFile(const Integers& strides, std::int32_t shrinkMask) {
    const Argument computed =
        tensorOf({static_cast<std::int32_t>(strides.size())}, TensorType::INT32);
    return operatorFile(
        Code::STRIDED_SLICE, {real({4, 2}), computed, computed, ints(strides)}, {real({})},
        BuiltinOptions::StridedSliceOptions,
        optionsOf(schema::CreateStridedSliceOptions, 0, 0, 0, 0, shrinkMask, false));
}

TEST(TfliteSlice, takesAxesWithoutAComputedBeginWhole) {
    FileSpec file = computedSliceFile({1}, 1);
    file.tensors.back().shape = {2};
    for (const std::int32_t row : {0, 3}) {
        const auto first = static_cast<float>(2 * row);
        expectComputes<float, float>(
            file, {counting(8), {std::bit_cast<float>(row)}, {std::bit_cast<float>(row + 1)}},
            Floats{{first, first + 1}});
    }
    EXPECT_EQ(outputOf(imported(computedSliceFile({1}, 0))).dimensions, (Dimensions{0, 2}));
}

TEST(TfliteSlice, refusesComputedBeginsOfMoreAxesThanThereAre) {
    EXPECT_EQ(refusal(computedSliceFile({1, 1, 1}, 0)),
              "operator 0 (STRIDED_SLICE): 3 strides for 2 dimensions, with begin and end that are "
              "not constant: must be at least 1 and at most one for each");
}

TEST(TfliteSlice, reversesWithStridesBackwards) {
    const FileSpec file = operatorFile(Code::REVERSE_V2, {real({2, 3}), ints({-1})}, {real({})});
    expectImports(file, {STRIDED_SLICE}, {2, 3});
    expectComputes<float, float>(file, {{0, 1, 2, 3, 4, 5}}, Floats{{2, 1, 0, 5, 4, 3}});
}

// ---- Joining and taking apart

FileSpec concatenation(const std::vector<Argument>& inputs, std::int32_t axis) {
    return operatorFile(Code::CONCATENATION, inputs, {real({})},
                        BuiltinOptions::ConcatenationOptions,
                        optionsOf(schema::CreateConcatenationOptions, axis, kNone));
}

TEST(TfliteJoin, concatenatesAlongAnAxisFromTheFront) {
    const TfliteModel result = imported(concatenation({real({2, 3}), real({2, 1})}, -1));
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 2)), 1);
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{2, 4}));
    EXPECT_EQ(refusal(concatenation({real({2, 3})}, 2)),
              "operator 0 (CONCATENATION): axis 2: must be one of 2 dimensions");
}

TEST(TfliteJoin, packsAndUnpacks) {
    const auto pack = [](const std::vector<Argument>& inputs, std::int32_t axis) {
        return operatorFile(Code::PACK, inputs, {real({})}, BuiltinOptions::PackOptions,
                            optionsOf(schema::CreatePackOptions, axis));
    };
    const FileSpec two = pack({real({2}), real({2})}, -1);
    expectImports(two, {EXPAND_DIMS, EXPAND_DIMS, CONCATENATION}, {2, 2});
    expectComputes<float, float>(two, {{1, 2}, {3, 4}}, Floats{{1, 3, 2, 4}});
    expectImports(pack({real({}), real({}), real({})}, 0), {CONCATENATION}, {3});
    expectImports(pack({real({2})}, 0), {EXPAND_DIMS}, {1, 2});

    const auto unpack = [](const std::vector<std::int32_t>& shape, std::size_t outputs,
                           std::int32_t axis) {
        return operatorFile(Code::UNPACK, {real(shape)}, std::vector<Argument>(outputs, real({})),
                            BuiltinOptions::UnpackOptions,
                            optionsOf(schema::CreateUnpackOptions, axis));
    };
    expectImports(unpack({2, 3}, 3, 1), {SPLIT, SQUEEZE, SQUEEZE, SQUEEZE}, {2});
    expectComputes<float, float>(unpack({2, 3}, 3, 1), {counting(6)},
                                 Floats{{0, 3}, {1, 4}, {2, 5}});
    expectImports(unpack({2}, 2, 0), {SPLIT}, {1});
    EXPECT_EQ(refusal(unpack({2, 3}, 2, 1)),
              "operator 0 (UNPACK): 2 outputs for axis 1 of 2x3: must be one for each index");
}

TEST(TfliteJoin, splitsWithTheAxisAsItsFirstInput) {
    const auto split = [](std::int32_t count, std::size_t outputs) {
        return operatorFile(Code::SPLIT, {intScalar(1), real({2, 4})},
                            std::vector<Argument>(outputs, real({})), BuiltinOptions::SplitOptions,
                            optionsOf(schema::CreateSplitOptions, count));
    };
    const TfliteModel result = imported(split(2, 2));
    EXPECT_EQ(operationsOf(result), Operations{SPLIT});
    EXPECT_EQ(inputAt(result, 0).dimensions, (Dimensions{2, 4}));
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 1)), 1);
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 2)), 2);
    EXPECT_EQ(outputOf(result, 1).dimensions, (Dimensions{2, 2}));
    EXPECT_EQ(refusal(split(3, 2)),
              "operator 0 (SPLIT): num_splits 3 for 2 outputs: must be the "
              "same");

    const auto splitV = [](const Integers& sizes) {
        return operatorFile(
            Code::SPLIT_V, {real({5}), ints(sizes), intScalar(0)},
            std::vector<Argument>(sizes.size(), real({})), BuiltinOptions::SplitVOptions,
            optionsOf(schema::CreateSplitVOptions, static_cast<std::int32_t>(sizes.size())));
    };
    expectComputes<float, float>(splitV({1, -1, 2}), {counting(5)}, Floats{{0}, {1, 2}, {3, 4}});
    EXPECT_EQ(refusal(splitV({1, 3})),
              "operator 0 (SPLIT_V): sizes of 4 together for axis 0 of 5: must be those of the "
              "axis");
}

// ---- Reductions

FileSpec reduction(Code code, const Argument& input, const Argument& axes, bool keeps,
                   const Argument& output) {
    return operatorFile(code, {input, axes}, {output}, BuiltinOptions::ReducerOptions,
                        optionsOf(schema::CreateReducerOptions, keeps));
}

TEST(TfliteReduction, passesKeepDimsAsTheOperationWantsIt) {
    const TfliteModel mean =
        imported(reduction(Code::MEAN, real({2, 3, 4}), ints({-1, 1}), true, real({})));
    EXPECT_EQ(operationsOf(mean), Operations{MEAN});
    EXPECT_EQ(inputAt(mean, 2).type, OperandType::INT32);
    EXPECT_EQ(outputOf(mean).dimensions, (Dimensions{2, 1, 1}));
    const std::pair<Code, OperationType> reductions[] = {{Code::SUM, REDUCE_SUM},
                                                         {Code::REDUCE_PROD, REDUCE_PROD},
                                                         {Code::REDUCE_MAX, REDUCE_MAX},
                                                         {Code::REDUCE_MIN, REDUCE_MIN}};
    for (const auto& [code, operation] : reductions) {
        const TfliteModel result =
            imported(reduction(code, real({2, 3, 4}), ints({1}), false, real({})));
        EXPECT_EQ(operationsOf(result), Operations{operation});
        EXPECT_EQ(inputAt(result, 2).type, OperandType::BOOL);
        EXPECT_EQ(outputOf(result).dimensions, (Dimensions{2, 4}));
    }
    const Argument condition = tensorOf({2, 3}, TensorType::BOOL);
    expectImports(
        reduction(Code::REDUCE_ALL, condition, ints({0, 1}), false, tensorOf({}, TensorType::BOOL)),
        {REDUCE_ALL}, {1});
    expectImports(
        reduction(Code::REDUCE_ANY, condition, ints({0}), false, tensorOf({}, TensorType::BOOL)),
        {REDUCE_ANY}, {3});
    EXPECT_EQ(refusal(reduction(Code::SUM, real({2}), ints({1}), false, real({}))),
              "operator 0 (SUM): axis 1: must be one of 1 dimensions");
}

TEST(TfliteReduction, averagesInFloatingPointToAnotherScale) {
    const Argument input = quantized({2, 3}, TensorType::INT8, 0.5F, 0);
    expectImports(
        reduction(Code::MEAN, input, ints({1}), false, quantized({2}, TensorType::INT8, 0.25F, 0)),
        {DEQUANTIZE, MEAN, QUANTIZE}, {2});
    expectImports(
        reduction(Code::MEAN, input, ints({1}), false, quantized({2}, TensorType::INT8, 0.5F, 0)),
        {MEAN}, {2});
    expectImports(
        reduction(Code::SUM, input, ints({1}), false, quantized({2}, TensorType::INT8, 0.5F, 0)),
        {DEQUANTIZE, REDUCE_SUM, QUANTIZE}, {2});
}

TEST(TfliteReduction, changesTheScaleWhereNoAxisIsReduced) {
    const Argument noAxes = tensorOf({0}, kInt32);
    for (const Code code : {Code::MEAN, Code::SUM}) {
        FileSpec file = reduction(code, quantized({2}, TensorType::INT8, 0.5F, 0), noAxes, false,
                                  quantized({2}, TensorType::INT8, 0.25F, 1));
        file.inputs.pop_back();
        expectComputes<std::int8_t, std::int8_t>(file, {{3, -4}}, {{7, -7}});
    }
}

TEST(TfliteReduction, findsTheFirstConditionThatHolds) {
    const auto file = [](Code code) {
        return operatorFile(code, {tensorOf({2, 4}, TensorType::BOOL), intScalar(1)},
                            {tensorOf({2}, kInt32)});
    };
    const std::vector<std::uint8_t> conditions{0, 1, 0, 1, 1, 1, 0, 0};
    expectComputes<std::int32_t, std::uint8_t>(file(Code::ARG_MAX), {conditions}, {{1, 0}});
    expectComputes<std::int32_t, std::uint8_t>(file(Code::ARG_MIN), {conditions}, {{0, 2}});
}

TEST(TfliteReduction, givesIndicesOf32Bits) {
    const TfliteModel result = imported(operatorFile(Code::ARG_MAX, {real({2, 3}), intScalar(-1)},
                                                     {tensorOf({2}, TensorType::INT64)}));
    EXPECT_EQ(operationsOf(result), Operations{ARGMAX});
    EXPECT_EQ(outputOf(result).type, OperandType::TENSOR_INT32);
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 1)), -1);
    expectImports(operatorFile(Code::ARG_MIN, {real({3}), intScalar(0)}, {tensorOf({}, kInt32)}),
                  {ARGMIN}, {1});
    const Argument longInts = tensorOf({2}, TensorType::INT64);
    EXPECT_EQ(
        refusal(operatorFile(Code::ADD, {longs({1, 2}), longs({3, INT32_MAX})}, {longInts},
                             BuiltinOptions::AddOptions, addOptions())),
        "operator 0 (ADD): tensor 2 (\"tensor\"): type INT64 is not supported where values "
        "may need more than 32 bits, unless TfliteOptions::integersFitInt32 says that they do "
        "not");
}

TEST(TfliteReduction, takesTheNumberOfTheLargestAsAScalar) {
    const TfliteModel result = imported(operatorFile(Code::TOPK_V2, {real({2, 5}), intScalar(3)},
                                                     {real({}), tensorOf({}, kInt32)}));
    EXPECT_EQ(inputAt(result, 1).type, OperandType::INT32);
    EXPECT_EQ(outputOf(result, 0).dimensions, (Dimensions{2, 3}));
    EXPECT_EQ(outputOf(result, 1).dimensions, (Dimensions{2, 3}));
}

}  // namespace
}  // namespace nnburst::shape_test
