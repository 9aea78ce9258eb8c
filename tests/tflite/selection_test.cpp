// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Operators that reduce integers or select elements by their value. Results are computed by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "nnburst/extension.h"
#include "tflite/shapes.h"
#include "tflite_test.h"

namespace nnburst::selection_test {
namespace {

using namespace tflite;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

Argument integers(std::vector<std::int32_t> shape) {
    return tensorOf(std::move(shape), TensorType::INT32);
}

FileSpec reduction(Code code, const Argument& axes, bool keeps, std::vector<std::int32_t> result) {
    return operatorFile(code, {integers({2, 3}), axes}, {integers(std::move(result))},
                        BuiltinOptions::ReducerOptions,
                        optionsOf(schema::CreateReducerOptions, keeps));
}

TEST(TfliteSelection, reducesIntegersExactly) {
    const std::vector<Ints> input{{16777217, 2, -3, 4, -5, 7}};
    const auto expect = [&](Code code, const Ints& result) {
        expectComputes<std::int32_t, std::int32_t>(reduction(code, ints({-1}), false, {2}), input,
                                                   {result});
    };
    expect(Code::SUM, {16777216, 6});
    expect(Code::REDUCE_PROD, {-100663302, -140});
    expect(Code::REDUCE_MIN, {-3, -5});
    expect(Code::REDUCE_MAX, {16777217, 7});
    expect(Code::MEAN, {5592405, 2});
    expectComputes<std::int32_t, std::int32_t>(reduction(Code::SUM, ints({0}), true, {1, 3}), input,
                                               {{16777221, -3, 4}});
    // The smallest is above 0, the largest below it.
    expectComputes<std::int32_t, std::int32_t>(reduction(Code::REDUCE_MIN, ints({1}), false, {2}),
                                               {{3, 2, 4, 9, 8, 7}}, {{2, 7}});
    expectComputes<std::int32_t, std::int32_t>(reduction(Code::REDUCE_MAX, ints({1}), false, {2}),
                                               {{-3, -2, -4, -9, -8, -7}}, {{-2, -7}});
}

TEST(TfliteSelection, wrapsSumsAndProductsAround) {
    const std::vector<Ints> input{{INT32_MAX, 1, 0, 65536, 65536, 1}};
    expectComputes<std::int32_t, std::int32_t>(reduction(Code::SUM, ints({1}), false, {2}), input,
                                               {{INT32_MIN, 131073}});
    expectComputes<std::int32_t, std::int32_t>(reduction(Code::REDUCE_PROD, ints({1}), false, {2}),
                                               input, {{0, 0}});
}

TEST(TfliteSelection, ranksTheFirstOfTheSameElementsFirst) {
    const TfliteModel model = imported(operatorFile(Code::TOPK_V2, {real({2, 4}), intScalar(3)},
                                                    {real({2, 3}), integers({2, 3})}));
    // Of both outputs as INT32: 2.0F is 0x40000000.
    const std::vector<Ints> outputs = outputsOfRun<std::int32_t, float>(
        model, {{1.0F, 2.0F, 1.0F, 2.0F, -0.0F, 0.0F, -1.0F, -2.0F}});
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(outputs[1], (Ints{1, 3, 0, 0, 1, 2}));
    EXPECT_EQ(outputs[0][0], 0x40000000);
    EXPECT_EQ(outputs[0][2], 0x3f800000);
}

TEST(TfliteSelection, ranksIntegersAndRefusesTooMany) {
    const auto file = [](std::int32_t k) {
        return operatorFile(Code::TOPK_V2, {integers({3}), intScalar(k)},
                            {integers({k}), integers({k})});
    };
    expectComputes<std::int32_t, std::int32_t>(file(2), {{-5, 7, 7}}, {{7, 7}, {1, 2}});
    const auto tooMany = importTflite(serialize(file(4)));
    ASSERT_TRUE(tooMany) << tooMany.error().message;
    EXPECT_FALSE(exec::CompiledModel::compile(exec::makeEngine(false), resolved(tooMany->model)));
}

TEST(TfliteSelection, ranksNumbersOf16Bits) {
    const TfliteModel model = imported(
        operatorFile(Code::TOPK_V2, {quantized({4}, TensorType::INT16, 0.5F, 0), intScalar(2)},
                     {quantized({2}, TensorType::INT16, 0.5F, 0), integers({2})}));
    const auto outputs = outputsOfRun<std::int16_t, std::int16_t>(model, {{-300, 2, -32768, 300}});
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(outputs[0], (std::vector<std::int16_t>{300, 2}));
    EXPECT_EQ(outputs[1], (std::vector<std::int16_t>{3, 0, 1, 0}));  // halves of INT32
}

TEST(TfliteSelection, refusesAKindOfReductionThatIsNoConstant) {
    TfliteModel model = imported(reduction(Code::SUM, ints({1}), false, {2}));
    const std::uint32_t kind = model.model.main.operations[0].inputs.at(3);
    model.model.main.operands[kind].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
    model.model.main.operands[kind].location = {};
    model.model.main.inputIndexes.push_back(kind);
    const auto compiled = exec::compile(resolved(model.model), false);
    ASSERT_NE(compiled, nullptr);
    const auto resultOf = [&](std::int32_t given) {
        const Ints values{1, 2, 3, 4, 5, 6};
        exec::TestRequest request;
        request.addInput(std::as_bytes(std::span(values)));
        request.addInput(std::as_bytes(std::span(&given, 1)));
        request.addOutput(2 * sizeof(std::int32_t));
        const auto ran = request.run(*compiled);
        return ran ? std::string() : ran.error().message;
    };
    EXPECT_EQ(resultOf(0), "");
    EXPECT_NE(resultOf(5).find("kind 5; must be from 0 to 4"), std::string::npos);
}

TEST(TfliteSelection, raisesIntegersToPowers) {
    expectComputes<std::int32_t, std::int32_t>(
        operatorFile(Code::POW, {integers({4}), integers({4})}, {integers({4})}),
        {{2, -3, 7, 0}, {10, 3, 0, 5}}, {{1024, -27, 1, 0}});
}

// ---- Non-maximum suppression: boxes 0 and 1 overlap by 1/3, box 2 lies apart.

const Floats kBoxes{0, 0, 1, 2, 0, 1, 1, 3, 5, 5, 6, 6, 9, 9, 8, 8};
const Floats kScores{0.6F, 0.9F, 0.3F, 0.1F};

FileSpec suppression(float overlap, float score) {
    return operatorFile(
        Code::NON_MAX_SUPPRESSION_V4,
        {real({4, 4}), real({4}), intScalar(3), reals({}, {overlap}), reals({}, {score})},
        {integers({3}), integers({})});
}

TEST(TfliteSelection, suppressesBoxesThatOverlap) {
    expectComputes<std::int32_t, float>(suppression(0.3F, 0.2F), {kBoxes, kScores},
                                        {{1, 2, 0}, {2}});
    expectComputes<std::int32_t, float>(suppression(0.4F, 0.2F), {kBoxes, kScores},
                                        {{1, 0, 2}, {3}});
    // Corners in any order: box 3 is selected, too.
    expectComputes<std::int32_t, float>(suppression(0.3F, 0.0F), {kBoxes, kScores},
                                        {{1, 2, 3}, {3}});
    expectComputes<std::int32_t, float>(suppression(0.3F, 1.0F), {kBoxes, kScores},
                                        {{0, 0, 0}, {0}});
    // Boxes 0 and 1 overlap by just as much as they may not.
    Floats boxes = kBoxes;
    std::copy_n(Floats{0, 0, 1, 2, 0, 0, 1, 1}.begin(), 8, boxes.begin());
    expectComputes<std::int32_t, float>(suppression(0.5F, 0.2F), {boxes, kScores},
                                        {{1, 2, 0}, {2}});
}

TEST(TfliteSelection, lowersScoresOfBoxesThatOverlap) {
    const auto outputsOf = [](float sigma) {
        const FileSpec file =
            operatorFile(Code::NON_MAX_SUPPRESSION_V5,
                         {real({4, 4}), real({4}), intScalar(3), reals({}, {1.0F}),
                          reals({}, {0.2F}), reals({}, {sigma})},
                         {integers({3}), real({3}), integers({})});
        return outputsOfRun<std::int32_t, float>(imported(file), {kBoxes, kScores});
    };
    // 0.6 * exp(-10 / 9) is less than the 0.3 of box 2, and less than the threshold.
    const std::vector<Ints> dropped = outputsOf(0.05F);
    ASSERT_EQ(dropped.size(), 3U);
    EXPECT_EQ(dropped[0], (Ints{1, 2, 0}));
    EXPECT_EQ(dropped[2], Ints{2});
    // 0.6 * exp(-1 / 9) is not: box 1 lowers it once.
    const std::vector<Ints> lowered = outputsOf(0.5F);
    EXPECT_EQ(lowered.at(0), (Ints{1, 0, 2}));
    EXPECT_NEAR(std::bit_cast<float>(lowered.at(1).at(1)), 0.536904F, 1e-6F);
    EXPECT_EQ(lowered.at(2), Ints{3});
}

TEST(TfliteSelection, refusesSuppressionWithoutKnownNumber) {
    EXPECT_EQ(refusal(operatorFile(
                  Code::NON_MAX_SUPPRESSION_V4,
                  {real({4, 4}), real({4}), intScalar(0), reals({}, {0.5F}), reals({}, {0.5F})},
                  {integers({3}), integers({})})),
              "operator 0 (NON_MAX_SUPPRESSION_V4): 0 boxes: must be at least 1");
    EXPECT_EQ(
        refusal(operatorFile(Code::NON_MAX_SUPPRESSION_V4,
                             {real({4, 4}), real({4}), intScalar(2), real({}), reals({}, {0.5F})},
                             {integers({2}), integers({})})),
        "operator 0 (NON_MAX_SUPPRESSION_V4): input 3: must be a constant of FLOAT32 with "
        "one element");
}

// ---- Sequences, and vectors of conditions

TEST(TfliteSelection, selectsWholeRowsByAVectorOfConditions) {
    const Argument condition = withContents(tensorOf({2}, TensorType::BOOL), {0, 1});
    expectComputes<float, float>(
        operatorFile(Code::SELECT, {condition, real({2, 2}), real({2, 2})}, {real({2, 2})}),
        {{1, 2, 3, 4}, {5, 6, 7, 8}}, {{5, 6, 3, 4}});
}

TEST(TfliteSelection, movesBlocksOfSequences) {
    const Argument margins = withContents(integers({1, 2}), bytesOf(Ints{1, 0}));
    expectComputes<float, float>(
        operatorFile(Code::SPACE_TO_BATCH_ND, {real({1, 3, 1}), ints({2}), margins},
                     {real({2, 2, 1})}),
        {{1, 2, 3}}, {{0, 2, 1, 3}});
    expectComputes<float, float>(
        operatorFile(Code::BATCH_TO_SPACE_ND, {real({2, 2, 1}), ints({2}), margins},
                     {real({1, 3, 1})}),
        {{0, 2, 1, 3}}, {{1, 2, 3}});
}

TEST(TfliteSelection, fillsWithAComputedValue) {
    expectComputes<float, float>(operatorFile(Code::FILL, {ints({2, 2}), real({})}, {real({2, 2})}),
                                 {{3.5F}}, {{3.5F, 3.5F, 3.5F, 3.5F}});
}

TEST(TfliteSelection, castsStoredNumbersOfInt8) {
    const Argument bytes = quantized({3}, TensorType::INT8, 0.5F, 4);
    expectComputes<float, std::int8_t>(operatorFile(Code::CAST, {bytes}, {real({3})}),
                                       {{-128, 0, 127}}, {{-128.0F, 0.0F, 127.0F}});
    expectComputes<std::int32_t, std::int8_t>(operatorFile(Code::CAST, {bytes}, {integers({3})}),
                                              {{-128, 0, 127}}, {{-128, 0, 127}});
    expectComputes<std::int8_t, float>(operatorFile(Code::CAST, {real({3})}, {bytes}),
                                       {{-1.9F, 0.9F, 100.5F}}, {{-1, 0, 100}});
}

TEST(TfliteSelection, castsBytesByTheirBits) {
    const Argument signedBytes = quantized({3}, TensorType::INT8, 0.5F, 4);
    const Argument bytes = quantized({3}, TensorType::UINT8, 0.25F, 3);
    expectComputes<std::uint8_t, std::int8_t>(operatorFile(Code::CAST, {signedBytes}, {bytes}),
                                              {{-1, 0, 127}}, {{255, 0, 127}});
    expectComputes<std::int8_t, std::uint8_t>(operatorFile(Code::CAST, {bytes}, {signedBytes}),
                                              {{200, 0, 127}}, {{-56, 0, 127}});
}

TEST(TfliteSelection, castsConditionsOfALargeImage) {
    constexpr std::size_t kCount = 512 * 512;
    FileSpec file = operatorFile(Code::GREATER, {real({1, 512, 512, 1}), reals({}, {0.5F})},
                                 {tensorOf({1, 512, 512, 1}, TensorType::BOOL)});
    const std::int32_t condition = file.outputs[0];
    const auto result = static_cast<std::int32_t>(file.tensors.size());
    file.tensors.push_back({.shape = {1, 512, 512, 1}});
    file.codes.push_back({.code = Code::CAST});
    file.operators.push_back({.opcodeIndex = 1, .inputs = {condition}, .outputs = {result}});
    file.outputs = {result};
    Floats input(kCount, 0.25F);
    input.back() = 0.75F;
    Floats output(kCount, 0.0F);
    output.back() = 1.0F;
    expectComputes<float, float>(file, {input}, {output});
}

/// The bytes of the largest constant.
std::uint64_t largestConstant(const TfliteModel& imported) {
    std::uint64_t largest = 0;
    for (const Operand& operand : imported.model.main.operands) {
        const bool isConstant = operand.lifetime == OperandLifeTime::CONSTANT_COPY ||
                                operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE;
        largest = isConstant ? std::max<std::uint64_t>(largest, operand.location.length) : largest;
    }
    return largest;
}

TEST(TfliteSelection, selectsFromAnImageWithoutAConstantOfItsSize) {
    const Argument image = real({1, 512, 512, 16});
    for (const Argument& condition :
         {tensorOf({1, 512, 512, 1}, TensorType::BOOL), tensorOf({512, 1}, TensorType::BOOL),
          tensorOf({}, TensorType::BOOL)}) {
        const TfliteModel model =
            imported(operatorFile(Code::SELECT_V2, {condition, image, reals({}, {0.0F})}, {image}));
        EXPECT_LE(largestConstant(model), 64U << 10U);
    }
}

TEST(TfliteSelection, repeatsConditionsAlongAllAxes) {
    const auto file = [](const Argument& condition, const std::vector<std::int32_t>& shape) {
        return operatorFile(Code::SELECT_V2, {condition, real(shape), real(shape)}, {real(shape)});
    };
    const auto select = [&](const std::vector<std::int32_t>& condition,
                            const std::vector<std::int32_t>& shape,
                            const std::vector<std::uint8_t>& values) {
        const TfliteModel model = imported(file(tensorOf(condition, TensorType::BOOL), shape));
        const std::size_t count = elementCount(outputOf(model).dimensions);
        std::vector<std::uint8_t> ones;
        for (std::size_t i = 0; i < count; ++i) {
            const auto bytes = bytesOf(Floats{1.0F});
            ones.insert(ones.end(), bytes.begin(), bytes.end());
        }
        const std::vector<std::uint8_t> zeros(ones.size(), 0);
        return outputsOfRun<float, std::uint8_t>(model, {values, ones, zeros}).at(0);
    };
    EXPECT_EQ(select({2, 1}, {2, 2, 2}, {1, 0}), (Floats{1, 1, 0, 0, 1, 1, 0, 0}));
    EXPECT_EQ(select({2}, {1, 2}, {0, 1}), (Floats{0, 1}));
    EXPECT_EQ(select({2, 1, 2, 1, 1}, {2, 2, 2, 1, 2}, {1, 0, 0, 1}),
              (Floats{1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST(TfliteSelection, castsConditionsOfALargeImageOfSixDimensions) {
    const std::vector<std::int32_t> shape{1, 2, 1, 128, 2, 128};
    const FileSpec file =
        operatorFile(Code::CAST, {tensorOf(shape, TensorType::BOOL)}, {real(shape)});
    const TfliteModel model = imported(file);
    EXPECT_LE(largestConstant(model), 64U << 10U);
    std::vector<std::uint8_t> input(2 * 128 * 2 * 128, 0);
    input[3] = 1;
    Floats output(input.size(), 0.0F);
    output[3] = 1.0F;
    EXPECT_EQ((outputsOfRun<float, std::uint8_t>(model, {input})), std::vector<Floats>{output});
}

TEST(TfliteSelection, castsConditionsOfFiveDimensions) {
    expectComputes<std::int32_t, std::uint8_t>(
        operatorFile(Code::CAST, {tensorOf({1, 2, 1, 2, 1}, TensorType::BOOL)},
                     {integers({1, 2, 1, 2, 1})}),
        {{1, 0, 0, 1}}, {{1, 0, 0, 1}});
}

/// The outputs of a run, and their dimensions.
struct Outputs {
    std::vector<Ints> values;
    std::vector<Dimensions> dimensions;

    bool operator==(const Outputs&) const = default;
};

/// The outputs, of INT32, with room for as many elements as the input has times `factor`.
Outputs outputsOfAnySize(const FileSpec& file, const Ints& input, std::size_t factor) {
    const TfliteModel model = imported(file);
    const auto compiled = exec::compile(resolved(model.model), false);
    exec::TestRequest request;
    request.addInput(std::as_bytes(std::span(input)));
    for (std::size_t i = 0; i < model.model.main.outputIndexes.size(); ++i) {
        request.addOutput(factor * input.size() * sizeof(std::int32_t));
    }
    Outputs result;
    for (int run = 0; run < 2; ++run) {  // the second one finds everything prepared
        result = {};
        const auto ran = request.run(*compiled);
        EXPECT_TRUE(ran) << ran.error().message;
        for (std::size_t i = 0; i < request.outcome().outputShapes.size(); ++i) {
            const Dimensions& dimensions = request.outcome().outputShapes[i].dimensions;
            result.dimensions.push_back(dimensions);
            std::size_t count = 1;
            for (const std::uint32_t size : dimensions) {
                count *= size;
            }
            const auto* elements = reinterpret_cast<const std::int32_t*>(request.output(i).data());
            result.values.emplace_back(elements, elements + count);
        }
    }
    return result;
}

FileSpec whereFile(std::vector<std::int32_t> shape, std::vector<std::int32_t> stated) {
    return operatorFile(Code::WHERE, {integers(std::move(shape))},
                        {tensorOf(std::move(stated), TensorType::INT64)});
}

TEST(TfliteSelection, findsThePlacesOfElements) {
    const FileSpec file = whereFile({2, 3}, {1, 2});
    EXPECT_EQ(outputOf(imported(file)).dimensions, (Dimensions{0, 2}));
    EXPECT_EQ(outputsOfAnySize(file, {0, 5, -1, 0, 0, 7}, 2),
              (Outputs{{{0, 1, 0, 2, 1, 2}}, {{3, 2}}}));
    EXPECT_EQ(outputsOfAnySize(file, {1, 1, 1, 1, 1, 1}, 2),
              (Outputs{{{0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}}, {{6, 2}}}));
    EXPECT_EQ(outputsOfAnySize(file, {0, 0, 0, 0, 0, 0}, 2), (Outputs{{{}}, {{0, 2}}}));
    EXPECT_EQ(refusal(whereFile({}, {0, 0})),
              "operator 0 (WHERE): condition without dimensions: must have at least 1");
}

TEST(TfliteSelection, saysHowManyElementsThereAre) {
    const TfliteModel model = imported(whereFile({3}, {0, 1}));
    const auto compiled = exec::compile(resolved(model.model), false);
    exec::TestRequest request;
    const Ints input{4, 0, 2};
    request.addInput(std::as_bytes(std::span(input)));
    request.addOutput(sizeof(std::int32_t));
    const auto ran = request.run(*compiled);
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    ASSERT_EQ(request.outcome().outputShapes.size(), 1U);
    EXPECT_EQ(request.outcome().outputShapes[0].dimensions, (Dimensions{2, 1}));
}

/// Gathers the elements that are not 0.
FileSpec gatheringFile() {
    FileSpec file;
    file.codes = {{.code = Code::WHERE}, {.code = Code::GATHER_ND}};
    file.tensors = {{.shape = {4}, .type = TensorType::INT32},
                    {.shape = {1, 1}, .type = TensorType::INT64, .shapeSignature = {-1, 1}},
                    {.shape = {1}, .type = TensorType::INT32, .shapeSignature = {-1}}};
    file.operators = {{.opcodeIndex = 0, .inputs = {0}, .outputs = {1}},
                      {.opcodeIndex = 1, .inputs = {0, 1}, .outputs = {2}}};
    file.inputs = {0};
    file.outputs = {2};
    return file;
}

TEST(TfliteSelection, gathersWhatConditionsFind) {
    const FileSpec file = gatheringFile();
    EXPECT_EQ(outputsOfAnySize(file, {0, 8, 0, 9}, 1), (Outputs{{{8, 9}}, {{2}}}));
    EXPECT_EQ(outputsOfAnySize(file, {1, 2, 3, 4}, 1), (Outputs{{{1, 2, 3, 4}}, {{4}}}));
}

TEST(TfliteSelection, averagesWhatConditionsFindAndGivesZeroForNothing) {
    FileSpec file = gatheringFile();
    const Argument axis = ints({0});
    file.codes.push_back({.code = Code::MEAN});
    file.tensors.push_back(axis.tensor);
    file.tensors.back().buffer = static_cast<std::uint32_t>(file.buffers.size());
    file.buffers.push_back(axis.contents);
    file.tensors.push_back({.shape = {1}, .type = TensorType::INT32});
    file.operators.push_back({.opcodeIndex = 2,
                              .inputs = {2, 3},
                              .outputs = {4},
                              .optionsType = BuiltinOptions::ReducerOptions,
                              .options = optionsOf(schema::CreateReducerOptions, true)});
    file.outputs = {4};
    EXPECT_EQ(outputsOfAnySize(file, {0, 8, 0, 10}, 1), (Outputs{{{9}}, {{1}}}));
    EXPECT_EQ(outputsOfAnySize(file, {0, 0, 0, 0}, 1), (Outputs{{{0}}, {{1}}}));
}

TEST(TfliteSelection, findsDifferentElementsInTheOrderInWhichTheyAppear) {
    const auto file = [](std::vector<std::int32_t> shape) {
        return operatorFile(Code::UNIQUE, {integers(shape)}, {integers({}), integers(shape)});
    };
    EXPECT_EQ(outputsOfAnySize(file({7}), {4, -2, 4, 9, -2, 4, 1}, 1),
              (Outputs{{{4, -2, 9, 1}, {0, 1, 0, 2, 1, 0, 3}}, {{4}, {7}}}));
    EXPECT_EQ(outputsOfAnySize(file({3}), {5, 5, 5}, 1), (Outputs{{{5}, {0, 0, 0}}, {{1}, {3}}}));
    EXPECT_EQ(outputsOfAnySize(file({5}), {5, 5, 7, 7, 5}, 1),
              (Outputs{{{5, 7}, {0, 0, 1, 1, 0}}, {{2}, {5}}}));
    const auto model = importTflite(serialize(file({2, 2})));
    ASSERT_TRUE(model) << model.error().message;
    const auto compiled =
        exec::CompiledModel::compile(exec::makeEngine(false), resolved(model->model));
    if (compiled) {  // shapes of such operations are looked at as they run
        exec::TestRequest request;
        const Ints input(4);
        request.addInput(std::as_bytes(std::span(input)));
        request.addOutput(sizeof(std::int32_t) * 4);
        request.addOutput(sizeof(std::int32_t) * 4);
        const auto ran = request.run(**compiled);
        ASSERT_FALSE(ran);
        EXPECT_NE(ran.error().message.find("UNIQUE: elements of shape 2x2; must have one"),
                  std::string::npos)
            << ran.error().message;
    }
}

/// An operation whose output has one element at most, and says that it has two.
class Growing final : public ExtensionOperation {
  public:
    [[nodiscard]] std::uint16_t type() const override { return 1; }
    [[nodiscard]] Result<> check(std::span<const ExtensionOperand> /*inputs*/,
                                 std::span<const ExtensionOperand> /*outputs*/) const override {
        return {};
    }
    [[nodiscard]] Result<Dimensions> outputDimensions(std::span<const ExtensionOperand> /*inputs*/,
                                                      std::size_t /*output*/) const override {
        return Dimensions{1};
    }
    [[nodiscard]] Result<> run(std::span<const ExtensionOperand> /*inputs*/,
                               std::span<const ExtensionOperand> /*outputs*/,
                               std::span<std::byte> /*scratch*/) const override {
        return {};
    }
    [[nodiscard]] bool isShrinking() const override { return true; }
    [[nodiscard]] Result<> runShrinking(std::span<const ExtensionOperand> /*inputs*/,
                                        std::span<const ExtensionOperand> /*outputs*/,
                                        std::span<std::byte> /*scratch*/,
                                        std::span<const std::span<std::uint32_t>> sizes,
                                        ExtensionTimeLimit& /*limit*/) const override {
        sizes[0][0] = 2;
        return {};
    }
};

TEST(TfliteSelection, refusesOutputsOfExtensionsThatGrow) {
    ASSERT_TRUE(registerExtension({.name = "org.nnburst.test.growing",
                                   .operandTypes = {},
                                   .operations = {std::make_shared<Growing>()}}));
    ModelBuilder builder;
    constexpr std::uint16_t kPrefix = 7;
    builder.addExtension("org.nnburst.test.growing", kPrefix);
    const auto input = builder.addTensor(OperandType::TENSOR_INT32, {1});
    const auto output = builder.addTensor(OperandType::TENSOR_INT32, {0});
    builder.addOperation(
        static_cast<OperationType>((std::uint32_t{kPrefix} << kExtensionTypeBits) | 1U), {input},
        {output});
    const auto compiled = exec::compile(resolved(exec::build(builder, {input}, {output})), false);
    ASSERT_NE(compiled, nullptr);
    exec::TestRequest request;
    const Ints value{5};
    request.addInput(std::as_bytes(std::span(value)));
    request.addOutput(2 * sizeof(std::int32_t));
    const auto ran = request.run(*compiled);
    ASSERT_FALSE(ran);
    EXPECT_NE(ran.error().message.find("output 0 has 2 elements along axis 0; must have at most 1"),
              std::string::npos)
        << ran.error().message;
}

}  // namespace
}  // namespace nnburst::selection_test
