// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Import of operators that go element by element, change types, normalise or look up.

#include <gtest/gtest.h>

#include <cmath>

#include "tflite/extension_types.h"
#include "tflite_test.h"

namespace nnburst::elementwise_test {
namespace {

using namespace tflite;
using enum OperationType;
using Operations = std::vector<OperationType>;

constexpr auto kNone = schema::ActivationFunctionType::NONE;
constexpr auto kInt8 = TensorType::INT8;
constexpr auto kUint8 = TensorType::UINT8;

struct Simple {
    Code code;
    OperationType operation;
    std::size_t inputs;
    TensorType input = TensorType::FLOAT32;
    TensorType output = TensorType::FLOAT32;
};

std::ostream& operator<<(std::ostream& stream, const Simple& simple) {
    return stream << schema::EnumNameBuiltinOperator(simple.code);
}

const Simple kSimple[] = {
    {Code::ABS, ABS, 1},
    {Code::EXP, EXP, 1},
    {Code::FLOOR, FLOOR, 1},
    {Code::HARD_SWISH, HARD_SWISH, 1},
    {Code::LOG, LOG, 1},
    {Code::LOGISTIC, LOGISTIC, 1},
    {Code::NEG, NEG, 1},
    {Code::RELU, RELU, 1},
    {Code::RELU6, RELU6, 1},
    {Code::RELU_N1_TO_1, RELU1, 1},
    {Code::RSQRT, RSQRT, 1},
    {Code::SIN, SIN, 1},
    {Code::SQRT, SQRT, 1},
    {Code::TANH, TANH, 1},
    {Code::LOGICAL_NOT, LOGICAL_NOT, 1, TensorType::BOOL, TensorType::BOOL},
    {Code::LOGICAL_AND, LOGICAL_AND, 2, TensorType::BOOL, TensorType::BOOL},
    {Code::LOGICAL_OR, LOGICAL_OR, 2, TensorType::BOOL, TensorType::BOOL},
    {Code::MAXIMUM, MAXIMUM, 2},
    {Code::MINIMUM, MINIMUM, 2},
    {Code::POW, POW, 2},
    {Code::PRELU, PRELU, 2},
    {Code::EQUAL, EQUAL, 2, TensorType::INT32, TensorType::BOOL},
    {Code::NOT_EQUAL, NOT_EQUAL, 2, TensorType::FLOAT32, TensorType::BOOL},
    {Code::GREATER, GREATER, 2, TensorType::FLOAT32, TensorType::BOOL},
    {Code::GREATER_EQUAL, GREATER_EQUAL, 2, TensorType::FLOAT32, TensorType::BOOL},
    {Code::LESS, LESS, 2, TensorType::FLOAT32, TensorType::BOOL},
    {Code::LESS_EQUAL, LESS_EQUAL, 2, TensorType::FLOAT32, TensorType::BOOL},
};

class TfliteSimpleOperator : public testing::TestWithParam<Simple> {};

TEST_P(TfliteSimpleOperator, becomesItsOperationWithTheShapeOfItsInputs) {
    const Simple& simple = GetParam();
    const std::vector<Argument> inputs(simple.inputs, tensorOf({2, 3, 4}, simple.input));
    const TfliteModel result =
        imported(operatorFile(simple.code, inputs, {tensorOf({}, simple.output)}));
    EXPECT_EQ(operationsOf(result), Operations{simple.operation});
    EXPECT_EQ(result.model.main.operations[0].inputs.size(), simple.inputs);
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{2, 3, 4}));
}

INSTANTIATE_TEST_SUITE_P(All, TfliteSimpleOperator, testing::ValuesIn(kSimple),
                         [](const auto& test) {
                             return std::string(schema::EnumNameBuiltinOperator(test.param.code));
                         });

TEST(TfliteElementwise, computesInFloatingPointWhatTheHalDoesNotQuantise) {
    const Argument input = quantized({4}, kInt8, 0.5F, 3);
    const Argument output = quantized({4}, kInt8, 0.25F, 0);
    for (const Code code : {Code::ABS, Code::EXP, Code::RSQRT, Code::RELU6}) {
        const TfliteModel result = imported(operatorFile(code, {input}, {output}));
        ASSERT_EQ(operationsOf(result).size(), 3U);
        EXPECT_EQ(operationsOf(result).front(), DEQUANTIZE);
        EXPECT_EQ(operationsOf(result).back(), QUANTIZE);
    }
    // Not needed if the scale does not change.
    EXPECT_EQ(operationsOf(imported(operatorFile(Code::RELU6, {input}, {input}))),
              Operations{RELU6});
    EXPECT_EQ(
        operationsOf(imported(operatorFile(Code::SQUARED_DIFFERENCE, {input, input}, {output}))),
        (Operations{DEQUANTIZE, DEQUANTIZE, SUB, MUL, QUANTIZE}));
    EXPECT_EQ(operationsOf(imported(operatorFile(Code::DIV, {input, input}, {output},
                                                 BuiltinOptions::DivOptions,
                                                 optionsOf(schema::CreateDivOptions, kNone)))),
              (Operations{DEQUANTIZE, DEQUANTIZE, DIV, QUANTIZE}));
}

TEST(TfliteElementwise, computesSigmoidsInFloatingPointToScalesThatTheHalDoesNotHave) {
    const Argument input = quantized({4}, kInt8, 0.5F, 0);
    const auto become = [&](Code code, const Argument& output) {
        Argument given = input;
        given.tensor.type = output.tensor.type;
        return operationsOf(imported(operatorFile(code, {given}, {output})));
    };
    EXPECT_EQ(become(Code::TANH, quantized({4}, kInt8, 0x1p-7F, 0)), Operations{TANH});
    EXPECT_EQ(become(Code::TANH, quantized({4}, kUint8, 0x1p-7F, 128)), Operations{TANH});
    EXPECT_EQ(become(Code::LOGISTIC, quantized({4}, kInt8, 0x1p-8F, -128)), Operations{LOGISTIC});
    EXPECT_EQ(become(Code::LOGISTIC, quantized({4}, kUint8, 0x1p-8F, 0)), Operations{LOGISTIC});
    EXPECT_EQ(become(Code::LOGISTIC, quantized({4}, kUint8, 0x1p-7F, 0)),
              (Operations{DEQUANTIZE, LOGISTIC, QUANTIZE}));
    expectComputes<std::int8_t, std::int8_t>(
        operatorFile(Code::TANH, {input}, {quantized({4}, kInt8, 0x1p-6F, 10)}), {{-2, 0, 1, 2}},
        {{-39, 10, 40, 59}});
}

TEST(TfliteElementwise, computesWhatTheHalHasNoOperationFor) {
    using Floats = std::vector<std::vector<float>>;
    expectComputes<float, float>(operatorFile(Code::CEIL, {real({4})}, {real({4})}),
                                 {{-1.5F, -0.5F, 0.5F, 2.0F}}, Floats{{-1.0F, 0.0F, 1.0F, 2.0F}});
    expectComputes<float, float>(operatorFile(Code::RELU_0_TO_1, {real({4})}, {real({4})}),
                                 {{-1.5F, 0.25F, 0.5F, 2.0F}}, Floats{{0.0F, 0.25F, 0.5F, 1.0F}});
    expectComputes<float, float>(operatorFile(Code::SQUARE, {real({3})}, {real({3})}),
                                 {{-1.5F, 0.5F, 3.0F}}, Floats{{2.25F, 0.25F, 9.0F}});
    expectComputes<float, float>(
        operatorFile(Code::SQUARED_DIFFERENCE, {real({3}), real({1})}, {real({3})}),
        {{1.0F, 2.0F, 5.0F}, {2.0F}}, Floats{{1.0F, 0.0F, 9.0F}});
    expectComputes<float, float>(operatorFile(Code::FLOOR_DIV, {real({3}), real({3})}, {real({3})}),
                                 {{7.0F, -7.0F, 6.0F}, {2.0F, 2.0F, 3.0F}},
                                 Floats{{3.0F, -4.0F, 2.0F}});
    expectComputes<float, float>(
        operatorFile(Code::ADD_N, {real({2}), real({2}), real({2})}, {real({2})}),
        {{1.0F, 2.0F}, {10.0F, 20.0F}, {100.0F, 200.0F}}, Floats{{111.0F, 222.0F}});
    const Argument integers = tensorOf({4}, TensorType::INT32);
    expectComputes<std::int32_t, std::int32_t>(
        operatorFile(Code::FLOOR_MOD, {integers, integers}, {integers}),
        {{7, -7, 7, -7}, {3, 3, -3, -3}}, {{1, 2, -2, -1}});
}

TEST(TfliteElementwise, makesLeakyReluPreluWithOneSlope) {
    const auto file = [](const Argument& tensor, float alpha) {
        return operatorFile(Code::LEAKY_RELU, {tensor}, {tensor}, BuiltinOptions::LeakyReluOptions,
                            optionsOf(schema::CreateLeakyReluOptions, alpha));
    };
    const TfliteModel floats = imported(file(real({2, 2}), 0.25F));
    EXPECT_EQ(operationsOf(floats), Operations{PRELU});
    EXPECT_EQ(valueOf<float>(floats, inputAt(floats, 1)), 0.25F);
    expectComputes<float, float>(file(real({2}), 0.25F), {{-4.0F, 4.0F}}, {{-1.0F, 4.0F}});
    for (const float alpha : {0.25F, -0.25F, 0.0F}) {
        for (const TensorType type : {kInt8, kUint8}) {
            const TfliteModel result = imported(file(quantized({2}, type, 0.5F, 7), alpha));
            const Operand& slope = inputAt(result, 1);
            const std::int32_t value = type == kInt8 ? valueOf<std::int8_t>(result, slope)
                                                     : valueOf<std::uint8_t>(result, slope);
            EXPECT_EQ(slope.scale * static_cast<float>(value - slope.zeroPoint), alpha);
        }
    }
    EXPECT_EQ(refusal(file(real({2}), std::nanf(""))),
              "operator 0 (LEAKY_RELU): alpha nan: must be finite");
}

TEST(TfliteElementwise, repeatsWhatASelectionHasTooLittleOf) {
    const Argument condition = tensorOf({}, TensorType::BOOL);
    const TfliteModel result = imported(
        operatorFile(Code::SELECT_V2, {condition, real({2, 3}), real({3})}, {real({2, 3})}));
    EXPECT_EQ(operationsOf(result),
              (Operations{LOGICAL_OR, LOGICAL_OR, EXPAND_DIMS, TILE, SELECT}));
    EXPECT_EQ(valuesOf<std::int32_t>(result, inputAt(result, 1, 3)),
              (std::vector<std::int32_t>{2, 1}));
    EXPECT_EQ(refusal(operatorFile(Code::SELECT,
                                   {tensorOf({3}, TensorType::BOOL), real({2, 3}), real({2, 3})},
                                   {real({2, 3})})),
              "operator 0 (SELECT): condition of shape 3 for 2x3 and 2x3: must have the same "
              "shape, or that of the first axis");
}

TEST(TfliteElementwise, clampsIntegersAfterwards) {
    using enum schema::ActivationFunctionType;
    using Ints = std::vector<std::int32_t>;
    const Argument integers = tensorOf({4}, TensorType::INT32);
    const std::vector<Ints> inputs{{-7, 7, 20, -1}, {2, 2, 2, 2}};
    const auto divided = [&](schema::ActivationFunctionType activation) {
        return operatorFile(Code::DIV, {integers, integers}, {integers}, BuiltinOptions::DivOptions,
                            optionsOf(schema::CreateDivOptions, activation));
    };
    expectComputes<std::int32_t, std::int32_t>(divided(RELU), inputs, {{0, 3, 10, 0}});
    expectComputes<std::int32_t, std::int32_t>(divided(RELU6), inputs, {{0, 3, 6, 0}});
    const auto sum = [&](schema::ActivationFunctionType activation) {
        return operatorFile(Code::ADD, {integers, integers}, {integers}, BuiltinOptions::AddOptions,
                            addOptions(activation));
    };
    expectComputes<std::int32_t, std::int32_t>(sum(RELU_N1_TO_1), inputs, {{-1, 1, 1, 1}});
    EXPECT_EQ(refusal(sum(TANH)), "operator 0 (ADD): fused activation 4 is not supported");
}

// ---- Types

TEST(TfliteTypes, castsHalfPrecisionThatIsDequantised) {
    FileSpec file =
        operatorFile(Code::DEQUANTIZE,
                     {withContents(tensorOf({2}, TensorType::FLOAT16),
                                   bytesOf(std::vector<std::uint16_t>{0x3C00, 0xC000}))},
                     {real({2})});
    const TfliteModel result = imported(file);
    EXPECT_EQ(operationsOf(result), Operations{CAST});
    EXPECT_EQ(inputAt(result, 0).type, OperandType::TENSOR_FLOAT16);
    file.codes.push_back({.code = Code::ADD});
    file.tensors.push_back({.shape = {2}});
    file.operators.push_back({.opcodeIndex = 1,
                              .inputs = {1, 2},
                              .outputs = {3},
                              .optionsType = BuiltinOptions::AddOptions,
                              .options = addOptions()});
    file.outputs = {3};
    expectComputes<float, float>(file, {{10.0F}}, {{11.0F, 8.0F}});
}

TEST(TfliteTypes, dequantisesWeightsPerChannel) {
    Argument weights = withContents(quantized({2, 2}, kInt8, 0.5F, 0), {1, 2, 3, 4});
    weights.tensor.scales = {0.5F, 0.25F};
    weights.tensor.zeroPoints = {};
    const TfliteModel result = imported(operatorFile(Code::DEQUANTIZE, {weights}, {real({2, 2})}));
    EXPECT_EQ(operationsOf(result), Operations{DEQUANTIZE});
    EXPECT_EQ(inputAt(result, 0).type, OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL);
}

TEST(TfliteTypes, requantisesThroughFloatingPoint) {
    const Argument input = quantized({2}, kInt8, 0.5F, 0);
    EXPECT_EQ(operationsOf(imported(operatorFile(Code::QUANTIZE, {real({2})}, {input}))),
              Operations{QUANTIZE});
    EXPECT_EQ(operationsOf(imported(
                  operatorFile(Code::QUANTIZE, {input}, {quantized({2}, kUint8, 0.5F, 128)}))),
              (Operations{DEQUANTIZE, QUANTIZE}));
    EXPECT_EQ(
        refusal(operatorFile(Code::QUANTIZE, {real({2})}, {tensorOf({2}, TensorType::INT32)})),
        "operator 0 (QUANTIZE): output of type TENSOR_INT32 is not supported: must have 8 or "
        "16 bits");
    EXPECT_EQ(
        refusal(operatorFile(Code::DEQUANTIZE, {tensorOf({2}, TensorType::INT32)}, {real({2})})),
        "operator 0 (DEQUANTIZE): input of type TENSOR_INT32 is not supported: must be "
        "quantised to 8 or 16 bits");
}

TEST(TfliteTypes, castsConditionsBySelectionAndComparison) {
    const Argument condition = tensorOf({3}, TensorType::BOOL);
    const FileSpec fromCondition = operatorFile(Code::CAST, {condition}, {real({3})});
    EXPECT_EQ(operationsOf(imported(fromCondition)), Operations{SELECT});
    expectComputes<float, std::uint8_t>(fromCondition, {{0, 1, 1}}, {{0.0F, 1.0F, 1.0F}});
    constexpr std::int32_t kLargest = 16384;  // whose constants take 64 KiB
    const auto fromConditions = [](std::int32_t count) {
        return operationsOf(imported(
            operatorFile(Code::CAST, {tensorOf({count}, TensorType::BOOL)}, {real({count})})));
    };
    EXPECT_EQ(fromConditions(kLargest), Operations{SELECT});
    EXPECT_EQ(fromConditions(kLargest + 1), (Operations{TILE, TILE, SELECT}));
    const FileSpec toCondition = operatorFile(Code::CAST, {real({3})}, {condition});
    EXPECT_EQ(operationsOf(imported(toCondition)), Operations{NOT_EQUAL});
    EXPECT_EQ(operationsOf(imported(
                  operatorFile(Code::CAST, {real({3})}, {tensorOf({3}, TensorType::INT32)}))),
              Operations{CAST});
    EXPECT_EQ(
        operationsOf(imported(operatorFile(Code::CAST, {tensorOf({3}, kUint8)}, {real({3})}))),
        Operations{CAST});
}

TEST(TfliteTypes, castsConditionsToAndFromBytes) {
    const Argument condition = tensorOf({3}, TensorType::BOOL);
    FileSpec greater = operatorFile(Code::GREATER, {real({3}), reals({}, {0.5F})}, {condition});
    greater.codes.push_back({.code = Code::CAST});
    greater.tensors.push_back({.shape = {3}, .type = kUint8});
    greater.operators.push_back({.opcodeIndex = 1, .inputs = {2}, .outputs = {3}});
    greater.outputs = {3};
    expectComputes<std::uint8_t, float>(greater, {{0.0F, 1.0F, 0.5F}}, {{0, 1, 0}});
    expectComputes<std::int8_t, std::uint8_t>(
        operatorFile(Code::CAST, {condition}, {quantized({3}, kInt8, 0.5F, 4)}), {{0, 1, 1}},
        {{0, 1, 1}});
    for (const std::int64_t zeroPoint : {0, 128}) {
        expectComputes<std::uint8_t, std::uint8_t>(
            operatorFile(Code::CAST, {quantized({3}, kUint8, 0.5F, zeroPoint)}, {condition}),
            {{0, 7, 255}}, {{0, 1, 1}});
    }
}

TEST(TfliteTypes, castsConditionsToAndFrom16Bits) {
    const Argument condition = tensorOf({3}, TensorType::BOOL);
    for (const Argument& numbers :
         {tensorOf({3}, TensorType::INT16), quantized({3}, TensorType::INT16, 0.25F, 0)}) {
        expectComputes<std::int16_t, std::uint8_t>(operatorFile(Code::CAST, {condition}, {numbers}),
                                                   {{0, 1, 1}}, {{0, 1, 1}});
        expectComputes<std::uint8_t, std::int16_t>(operatorFile(Code::CAST, {numbers}, {condition}),
                                                   {{0, 7, -256}}, {{0, 1, 1}});
    }
}

// ---- Normalisation

TEST(TfliteNormalization, passesTheOptions) {
    const TfliteModel logSoftmax =
        imported(operatorFile(Code::LOG_SOFTMAX, {real({2, 3})}, {real({2, 3})}));
    EXPECT_EQ(operationsOf(logSoftmax), Operations{LOG_SOFTMAX});
    EXPECT_EQ(valueOf<float>(logSoftmax, inputAt(logSoftmax, 1)), 1.0F);
    EXPECT_EQ(valueOf<std::int32_t>(logSoftmax, inputAt(logSoftmax, 2)), -1);

    const auto l2 = [](schema::ActivationFunctionType activation) {
        return operatorFile(Code::L2_NORMALIZATION, {real({1, 1, 1, 3})}, {real({1, 1, 1, 3})},
                            BuiltinOptions::L2NormOptions,
                            optionsOf(schema::CreateL2NormOptions, activation));
    };
    EXPECT_EQ(operationsOf(imported(l2(kNone))), Operations{L2_NORMALIZATION});
    EXPECT_EQ(refusal(l2(schema::ActivationFunctionType::RELU)),
              "operator 0 (L2_NORMALIZATION): fused activation 1 is not supported");

    const TfliteModel response = imported(operatorFile(
        Code::LOCAL_RESPONSE_NORMALIZATION, {real({1, 2, 2, 3})}, {real({1, 2, 2, 3})},
        BuiltinOptions::LocalResponseNormalizationOptions,
        optionsOf(schema::CreateLocalResponseNormalizationOptions, 5, 1.0F, 2.0F, 0.5F)));
    EXPECT_EQ(valueOf<std::int32_t>(response, inputAt(response, 1)), 5);
    EXPECT_EQ(valueOf<float>(response, inputAt(response, 2)), 1.0F);
    EXPECT_EQ(valueOf<float>(response, inputAt(response, 3)), 2.0F);
    EXPECT_EQ(valueOf<float>(response, inputAt(response, 4)), 0.5F);
}

// ---- Lookups

TEST(TfliteLookup, dequantisesWhatItFound) {
    const Argument ids = tensorOf({3}, TensorType::INT32);
    EXPECT_EQ(operationsOf(
                  imported(operatorFile(Code::EMBEDDING_LOOKUP, {ids, real({5, 2})}, {real({})}))),
              Operations{EMBEDDING_LOOKUP});
    const TfliteModel hybrid = imported(
        operatorFile(Code::EMBEDDING_LOOKUP, {ids, quantized({5, 2}, kInt8, 0.5F, 0)}, {real({})}));
    EXPECT_EQ(operationsOf(hybrid), (Operations{EMBEDDING_LOOKUP, DEQUANTIZE}));
    EXPECT_EQ(outputOf(hybrid).dimensions, (Dimensions{3, 2}));
}

TEST(TfliteLookup, readsBytesOfHybridLookupsAsSignedNumbers) {
    const Argument values = withContents(quantized({2, 2}, kUint8, 0.5F, 0), {1, 2, 0xFF, 0x80});
    expectComputes<float, std::int32_t>(
        operatorFile(Code::EMBEDDING_LOOKUP, {tensorOf({1}, TensorType::INT32), values},
                     {real({1, 2})}),
        {{1}}, {{-0.5F, -64.0F}});
}

TEST(TfliteLookup, givesHitsThatAreNotQuantised) {
    const TfliteModel result = imported(operatorFile(
        Code::HASHTABLE_LOOKUP,
        {tensorOf({4}, TensorType::INT32), tensorOf({3}, TensorType::INT32), real({3, 2})},
        {real({4, 2}), tensorOf({4}, kUint8)}));
    EXPECT_EQ(operationsOf(result), Operations{HASHTABLE_LOOKUP});
    EXPECT_EQ(outputOf(result, 1).type, OperandType::TENSOR_QUANT8_ASYMM);
    EXPECT_EQ(outputOf(result, 1).scale, 1.0F);
}

TEST(TfliteLookup, projectsWithTheHalsCodes) {
    const auto file = [](schema::LSHProjectionType type) {
        return operatorFile(Code::LSH_PROJECTION,
                            {reals({4, 2}, std::vector<float>(8, 0.5F)), real({3, 2}), leftOut()},
                            {tensorOf({}, TensorType::INT32)}, BuiltinOptions::LSHProjectionOptions,
                            optionsOf(schema::CreateLSHProjectionOptions, type));
    };
    const TfliteModel dense = imported(file(schema::LSHProjectionType::DENSE));
    EXPECT_EQ(valueOf<std::int32_t>(dense, inputAt(dense, 3)), 2);
    EXPECT_EQ(inputAt(dense, 2).lifetime, OperandLifeTime::NO_VALUE);
    EXPECT_EQ(outputOf(dense).dimensions, Dimensions{8});
    const TfliteModel sparse = imported(file(schema::LSHProjectionType::SPARSE));
    EXPECT_EQ(valueOf<std::int32_t>(sparse, inputAt(sparse, 3)), 3);
    EXPECT_EQ(outputOf(sparse).dimensions, Dimensions{4});
    EXPECT_EQ(refusal(file(schema::LSHProjectionType::UNKNOWN)),
              "operator 0 (LSH_PROJECTION): type 0: must be SPARSE or DENSE");
}

TEST(TfliteLookup, drawsAsManySamplesAsAConstantSays) {
    const auto file = [](const Argument& samples) {
        return operatorFile(
            Code::MULTINOMIAL, {real({2, 7}), samples}, {tensorOf({}, TensorType::INT64)},
            BuiltinOptions::RandomOptions,
            optionsOf(schema::CreateRandomOptions, std::int64_t{37}, std::int64_t{42}));
    };
    const TfliteModel result = imported(file(intScalar(5)));
    EXPECT_EQ(operationsOf(result),
              Operations{extensionOperation(tflite_operations::Code::MULTINOMIAL)});
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 3)), 5);
    EXPECT_EQ(valuesOf<std::int32_t>(result, inputAt(result, 1)),
              (std::vector<std::int32_t>{37, 0, 42, 0}));
    EXPECT_EQ(outputOf(result).type, OperandType::TENSOR_INT32);
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{2, 5}));
    EXPECT_EQ(refusal(file(tensorOf({}, TensorType::INT32))),
              "operator 0 (MULTINOMIAL): input 1 (number of samples): must be a constant of INT32 "
              "or INT64 with at most 1024 elements");
    EXPECT_EQ(refusal(file(intScalar(0))),
              "operator 0 (MULTINOMIAL): 0 samples: must be at least 1");
}

TEST(TfliteLookup, gathersAnAxisAwayWithOneIndex) {
    const auto file = [](const Argument& indices, std::int32_t axis, std::int32_t batches = 0) {
        return operatorFile(Code::GATHER, {real({2, 3}), indices}, {real({})},
                            BuiltinOptions::GatherOptions,
                            optionsOf(schema::CreateGatherOptions, axis, batches));
    };
    const TfliteModel several = imported(file(ints({2, 0}), -1));
    EXPECT_EQ(operationsOf(several), Operations{GATHER});
    EXPECT_EQ(outputOf(several).dimensions, (Dimensions{2, 2}));
    const FileSpec one = file(intScalar(2), 1);
    EXPECT_EQ(operationsOf(imported(one)), (Operations{GATHER, SQUEEZE}));
    EXPECT_EQ(outputOf(imported(one)).dimensions, Dimensions{2});
    expectComputes<float, float>(one, {{1, 2, 3, 4, 5, 6}}, {{3, 6}});
    EXPECT_EQ(refusal(file(ints({0}), 2)),
              "operator 0 (GATHER): axis 2: must be one of 2 dimensions");
    EXPECT_EQ(refusal(file(ints({0}), 0, 1)),
              "operator 0 (GATHER): batch_dims 1 with indices of shape 1 along axis 0: must be at "
              "most both");
}

TEST(TfliteLookup, gathersByIndicesOf16Bits) {
    using Shorts = std::vector<std::int16_t>;
    const auto shorts = [](std::vector<std::int32_t> shape) {
        return tensorOf(std::move(shape), TensorType::INT16);
    };
    const auto gather = [](const Argument& values, const Argument& indices, std::int32_t batches) {
        return operatorFile(Code::GATHER, {values, indices}, {real({})},
                            BuiltinOptions::GatherOptions,
                            optionsOf(schema::CreateGatherOptions, batches, batches));
    };
    const Argument values = reals({3}, {10, 20, 30});
    expectComputes<float, std::int16_t>(gather(values, shorts({2}), 0), {{2, 0}}, {{30, 10}});
    expectComputes<float, float>(
        gather(real({3}), withContents(shorts({2}), bytesOf(Shorts{2, 0})), 0), {{10, 20, 30}},
        {{30, 10}});
    const Argument rows = reals({2, 2}, {10, 20, 30, 40});
    expectComputes<float, std::int16_t>(gather(rows, shorts({2, 1}), 1), {{1, 0}}, {{20, 30}});
    expectComputes<float, std::int16_t>(
        operatorFile(Code::GATHER_ND, {rows, shorts({2, 2})}, {real({})}), {{1, 0, 0, 1}},
        {{30, 20}});
}

}  // namespace
}  // namespace nnburst::elementwise_test
