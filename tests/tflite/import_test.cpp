// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What the importer reads from files and what it refuses, with small files made by the tests.

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tflite_test.h"

namespace nnburst::import_test {
namespace {

using namespace tflite;

/// A CONV_2D of an 8-bit image 1x5x5x1 with two 3x3 filters, without a bias scale.
FileSpec quantizedConvFile() {
    FileSpec file;
    file.codes = {{.code = Code::CONV_2D}};
    file.buffers = {{}, std::vector<std::uint8_t>(18, 7), bytesOf(std::vector<std::int32_t>{1, 2})};
    file.tensors = {
        {.shape = {1, 5, 5, 1}, .type = TensorType::UINT8, .scales = {0.5F}, .zeroPoints = {128}},
        {.shape = {2, 3, 3, 1},
         .type = TensorType::UINT8,
         .buffer = 1,
         .scales = {0.25F},
         .zeroPoints = {10}},
        {.shape = {2}, .type = TensorType::INT32, .buffer = 2},
        {.shape = {}, .type = TensorType::UINT8, .scales = {1.0F}, .zeroPoints = {0}}};
    file.operators = {{.inputs = {0, 1, 2},
                       .outputs = {3},
                       .optionsType = schema::BuiltinOptions::Conv2DOptions,
                       .options = [](flatbuffers::FlatBufferBuilder& builder) {
                           return schema::CreateConv2DOptions(builder, schema::Padding::SAME, 2, 1,
                                                              schema::ActivationFunctionType::RELU6)
                               .Union();
                       }}};
    file.inputs = {0};
    file.outputs = {3};
    return file;
}

/// A FULLY_CONNECTED from 3 to 2 elements, of type `input` with weights of type `weights`.
FileSpec denseFile(TensorType input, TensorType weights) {
    FileSpec file;
    const std::vector<float> scales =
        input == TensorType::FLOAT32 ? std::vector<float>{} : std::vector<float>{1.0F};
    const std::vector<float> weightScales =
        weights == TensorType::FLOAT32 ? std::vector<float>{} : std::vector<float>{0.5F};
    file.codes = {{.code = Code::FULLY_CONNECTED}};
    file.buffers = {{}, std::vector<std::uint8_t>(weights == TensorType::FLOAT32 ? 24 : 6, 0)};
    file.tensors = {{.shape = {4, 3}, .type = input, .scales = scales},
                    {.shape = {2, 3}, .type = weights, .buffer = 1, .scales = weightScales},
                    {.shape = {}, .type = input, .scales = scales}};
    file.operators = {{.inputs = {0, 1, -1},
                       .outputs = {2},
                       .optionsType = schema::BuiltinOptions::FullyConnectedOptions,
                       .options = [](flatbuffers::FlatBufferBuilder& builder) {
                           return schema::CreateFullyConnectedOptions(builder).Union();
                       }}};
    file.inputs = {0};
    file.outputs = {2};
    return file;
}

/// An RNN from 3 to 2 elements whose hidden state is tensor 4.
FileSpec rnnFile() {
    FileSpec file;
    file.codes = {{.code = Code::RNN}};
    file.buffers = {{},
                    bytesOf(std::vector<float>(6, 1.0F)),
                    bytesOf(std::vector<float>(4, 1.0F)),
                    bytesOf(std::vector<float>(2, 1.0F))};
    file.tensors = {{.shape = {1, 3}},
                    {.shape = {2, 3}, .buffer = 1},
                    {.shape = {2, 2}, .buffer = 2},
                    {.shape = {2}, .buffer = 3},
                    {.shape = {1, 2}, .isVariable = true},
                    {.shape = {}, .name = "result"}};
    file.operators = {{.inputs = {0, 1, 2, 3, 4},
                       .outputs = {5},
                       .optionsType = schema::BuiltinOptions::RNNOptions,
                       .options = [](flatbuffers::FlatBufferBuilder& builder) {
                           return schema::CreateRNNOptions(builder).Union();
                       }}};
    file.inputs = {0};
    file.outputs = {5};
    return file;
}

/// An LSTM from 2 to 3 elements without projection. Its input gate has values of its own, or is
/// coupled to the forget gate.
FileSpec lstmFile(bool isCoupled) {
    FileSpec file;
    file.codes = {{.code = Code::LSTM}};
    file.buffers = {{},
                    bytesOf(std::vector<float>(6, 1.0F)),
                    bytesOf(std::vector<float>(9, 1.0F)),
                    bytesOf(std::vector<float>(3, 1.0F))};
    file.tensors = {{.shape = {1, 2}},
                    {.shape = {3, 2}, .buffer = 1},
                    {.shape = {3, 3}, .buffer = 2},
                    {.shape = {3}, .buffer = 3},
                    {.shape = {1, 3}, .isVariable = true},
                    {.shape = {1, 3}, .isVariable = true},
                    {.shape = {}}};
    const std::int32_t inputWeights = isCoupled ? -1 : 1;
    const std::int32_t inputRecurrent = isCoupled ? -1 : 2;
    const std::int32_t inputBias = isCoupled ? -1 : 3;
    file.operators = {
        {.inputs = {0, inputWeights, 1,  1, 1, inputRecurrent, 2, 2, 2, -1, -1, -1, inputBias, 3, 3,
                    3, -1,           -1, 4, 5},
         .outputs = {6},
         .optionsType = schema::BuiltinOptions::LSTMOptions,
         .options = [](flatbuffers::FlatBufferBuilder& builder) {
             return schema::CreateLSTMOptions(builder, schema::ActivationFunctionType::TANH, 50.0F,
                                              2.0F)
                 .Union();
         }}};
    file.inputs = {0};
    file.outputs = {6};
    return file;
}

/// A RESHAPE of 2x6 elements to `shape`, given as option.
FileSpec reshapeFile(const std::vector<std::int32_t>& shape) {
    FileSpec file = addFile();
    file.codes = {{.code = Code::RESHAPE}};
    file.tensors = {{.shape = {2, 6}}, {.shape = {}}};
    file.operators = {
        {.inputs = {0},
         .outputs = {1},
         .optionsType = schema::BuiltinOptions::ReshapeOptions,
         .options = [shape](flatbuffers::FlatBufferBuilder& builder) {
             return schema::CreateReshapeOptions(builder, builder.CreateVector(shape)).Union();
         }}};
    file.inputs = {0};
    file.outputs = {1};
    return file;
}

/// Two inputs: one of shape 3, which the file states, and one of shape 2x1.
FileSpec broadcastFile() {
    FileSpec file = addFile();
    file.tensors = {{.shape = {3}}, {.shape = {2, 1}}, {.shape = {}}};
    return file;
}

TEST(TfliteImport, takesOperandsOperationsAndNames) {
    FileSpec file = addFile();
    file.tensors[0].name = "left";
    file.tensors[2].name = "sum\n";
    const TfliteModel result = imported(file);
    EXPECT_EQ(result.inputNames, (std::vector<std::string>{"left", "tensor"}));
    EXPECT_EQ(result.outputNames, (std::vector<std::string>{"sum?"}));
    EXPECT_TRUE(result.states.empty());
    ASSERT_EQ(result.model.main.operations.size(), 1U);
    EXPECT_EQ(result.model.main.operations[0].type, OperationType::ADD);
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{2, 3}));
}

TEST(TfliteImport, takesAFileAtAnyAddress) {
    const std::vector<std::byte> file = serialize(addFile());
    for (std::size_t offset = 0; offset < 16; ++offset) {
        std::vector<std::byte> moved(offset);
        moved.insert(moved.end(), file.begin(), file.end());
        EXPECT_TRUE(importTflite(std::span(moved).subspan(offset)));
    }
}

TEST(TfliteImport, computesTheShapeOfABroadcast) {
    EXPECT_EQ(outputOf(imported(broadcastFile())).dimensions, (Dimensions{2, 3}));
}

TEST(TfliteImport, readsWindowsAndGivesTheBiasTheScaleOfItsProducts) {
    const TfliteModel result = imported(quantizedConvFile());
    EXPECT_EQ(result.model.main.operations.at(0).type, OperationType::CONV_2D);
    EXPECT_EQ(inputAt(result, 0).type, OperandType::TENSOR_QUANT8_ASYMM);
    EXPECT_EQ(inputAt(result, 0).zeroPoint, 128);
    EXPECT_EQ(inputAt(result, 1).scale, 0.25F);
    EXPECT_EQ(inputAt(result, 2).scale, 0.125F);
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 3)), 1);  // SAME
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 4)), 2);  // stride of the width
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 5)), 1);  // stride of the height
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 6)), 3);  // RELU6
    EXPECT_EQ(result.model.main.operations[0].inputs.size(), 7U);
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{1, 5, 3, 2}));
}

TEST(TfliteImport, passesDilationsAfterTheLayout) {
    FileSpec file = quantizedConvFile();
    file.operators[0].options = [](flatbuffers::FlatBufferBuilder& builder) {
        return schema::CreateConv2DOptions(builder, schema::Padding::VALID, 1, 1,
                                           schema::ActivationFunctionType::NONE, 1, 2)
            .Union();
    };
    const TfliteModel result = imported(file);
    ASSERT_EQ(result.model.main.operations.at(0).inputs.size(), 10U);
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 3)), 2);  // VALID
    EXPECT_EQ(valueOf<std::uint8_t>(result, inputAt(result, 7)), 0);  // not NCHW
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 8)), 1);  // of the width
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 9)), 2);  // of the height
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{1, 1, 3, 2}));
}

TEST(TfliteImport, readsSymmetricWeightsPerChannel) {
    FileSpec file = quantizedConvFile();
    for (TensorSpec& tensor : file.tensors) {
        if (tensor.type == TensorType::UINT8) {
            tensor.type = TensorType::INT8;
            tensor.zeroPoints = {0};
        }
    }
    file.tensors[1].scales = {0.5F, 0.25F};
    file.tensors[1].zeroPoints = {0, 0};
    const TfliteModel result = imported(file);
    EXPECT_EQ(inputAt(result, 0).type, OperandType::TENSOR_QUANT8_ASYMM_SIGNED);
    EXPECT_EQ(inputAt(result, 1).type, OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL);
    EXPECT_EQ(std::get<SymmPerChannelQuantParams>(inputAt(result, 1).extraParams),
              (SymmPerChannelQuantParams{.scales = {0.5F, 0.25F}, .channelDim = 0}));
    EXPECT_EQ(inputAt(result, 2).scale, 0.0F);

    file.tensors[1].scales = {0.5F, 0.25F, 1.0F};
    EXPECT_EQ(refusal(file),
              "operator 0 (CONV_2D): tensor 1 (\"tensor\"): 3 scales along dimension 0 of 2x3x3x1: "
              "must be one for each of its indices");
    file.tensors[1].scales = {0.5F, 0.25F};
    file.tensors[1].zeroPoints = {0, 0, 0};
    EXPECT_EQ(refusal(file),
              "operator 0 (CONV_2D): tensor 1 (\"tensor\"): 3 zero points for 2 scales: must be at "
              "most one for each");
}

TEST(TfliteImport, addsABiasOfZerosWhereTheFileHasNone) {
    const TfliteModel result = imported(denseFile(TensorType::UINT8, TensorType::UINT8));
    EXPECT_EQ(inputAt(result, 2).type, OperandType::TENSOR_INT32);
    EXPECT_EQ(inputAt(result, 2).dimensions, (Dimensions{2}));
    EXPECT_EQ(inputAt(result, 2).scale, 0.5F);
    EXPECT_EQ(valueOf<std::int64_t>(result, inputAt(result, 2)), 0);
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{4, 2}));
}

TEST(TfliteImport, takesTheNewShapeFromTheOptions) {
    const TfliteModel result = imported(reshapeFile({3, -1}));
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{3, 4}));
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 1)), 3);
    EXPECT_EQ(refusal(reshapeFile({5, -1})),
              "operator 0 (RESHAPE): new shape 5x-1: must have the 12 elements of the input");
}

TEST(TfliteImport, makesVariablesInputsAndOutputs) {
    const TfliteModel result = imported(rnnFile());
    ASSERT_EQ(result.states.size(), 1U);
    EXPECT_EQ(result.states[0].input, 1U);
    EXPECT_EQ(result.states[0].output, 1U);
    EXPECT_EQ(result.inputNames.size(), 1U);
    EXPECT_EQ(result.outputNames, std::vector<std::string>{"result"});
    EXPECT_EQ(outputOf(result, 0).dimensions, (Dimensions{1, 2}));
    EXPECT_EQ(outputOf(result, 1).dimensions, (Dimensions{1, 2}));
    const Operation& rnn = result.model.main.operations.at(0);
    EXPECT_EQ(rnn.inputs.at(4), result.model.main.inputIndexes.at(1));
    EXPECT_EQ(rnn.outputs.at(0), result.model.main.outputIndexes.at(1));
}

TEST(TfliteImport, givesAnLstmTheScratchOfItsGates) {
    const TfliteModel result = imported(lstmFile(false));
    const Operation& lstm = result.model.main.operations.at(0);
    ASSERT_EQ(lstm.inputs.size(), 23U);
    ASSERT_EQ(lstm.outputs.size(), 4U);
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 20)), 4);  // TANH
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 21)), 50.0F);     // of the cells
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 22)), 2.0F);      // of the projection
    EXPECT_EQ(operandAt(result, lstm.outputs[0]).dimensions, (Dimensions{1, 12}));
    EXPECT_EQ(lstm.outputs[1], result.model.main.outputIndexes.at(1));
    EXPECT_EQ(lstm.outputs[2], result.model.main.outputIndexes.at(2));
    EXPECT_EQ(lstm.outputs[3], result.model.main.outputIndexes.at(0));

    const TfliteModel coupled = imported(lstmFile(true));
    EXPECT_EQ(inputAt(coupled, 1).lifetime, OperandLifeTime::NO_VALUE);
    EXPECT_EQ(operandAt(coupled, coupled.model.main.operations.at(0).outputs.at(0)).dimensions,
              (Dimensions{1, 9}));
}

TEST(TfliteImport, passesTheNormalisationOfLayersAfterTheClips) {
    FileSpec file = lstmFile(false);
    file.operators[0].inputs.insert(file.operators[0].inputs.end(), {3, 3, 3, 3});
    const TfliteModel result = imported(file);
    ASSERT_EQ(result.model.main.operations.at(0).inputs.size(), 27U);
    EXPECT_EQ(inputAt(result, 26).dimensions, (Dimensions{3}));
    file.operators[0].inputs.resize(25, 3);
    EXPECT_EQ(refusal(file), "operator 0 (LSTM): 25 inputs: must be 5 to 24");
}

TEST(TfliteImport, letsTheSecondReaderOfAVariableSeeItsNewValue) {
    FileSpec file = rnnFile();
    file.tensors.push_back({.shape = {1, 2}});
    file.operators.push_back(file.operators[0]);
    file.codes.push_back({.code = Code::TANH});
    file.operators[1] = {.opcodeIndex = 1, .inputs = {4}, .outputs = {6}};
    file.outputs = {5, 6};
    const TfliteModel result = imported(file);
    EXPECT_EQ(result.model.main.operations.at(1).inputs.at(0),
              result.model.main.operations.at(0).outputs.at(0));
}

TEST(TfliteImport, namesOperatorsThatItDoesNotKnow) {
    FileSpec file = addFile();
    file.codes[0].code = Code::SKIP_GRAM;
    EXPECT_EQ(refusal(file), "operator 0 (SKIP_GRAM) is not supported");
    file.codes[0].code = Code::HASHTABLE_FIND;  // above the codes that older files can hold
    EXPECT_EQ(refusal(file), "operator 0 (HASHTABLE_FIND) is not supported");
    file.codes[0].code = Code::STABLEHLO_DOT_GENERAL;
    EXPECT_EQ(refusal(file), "operator 0 (STABLEHLO_DOT_GENERAL) is not supported");
    file.codes[0] = {.code = Code::CUSTOM, .customName = "Detection\x1b[2J"};
    EXPECT_EQ(refusal(file), "operator 0 (CUSTOM \"Detection?[2J\") is not supported");
    file.codes[0].code = static_cast<Code>(9999);
    EXPECT_EQ(refusal(file), "operator 0 (builtin code 9999) is not supported");
    file.operators[0].opcodeIndex = 1;
    EXPECT_EQ(refusal(file), "operator 0: operator code 1: must be one of 1");
}

TEST(TfliteImport, namesAllOperatorsThatItCannotImport) {
    FileSpec file = addFile();
    file.codes = {{.code = Code::ADD}, {.code = Code::SKIP_GRAM}, {.code = Code::HASHTABLE_FIND}};
    file.tensors.resize(9, {.shape = {2, 3}});
    const OperatorSpec add = file.operators[0];
    const auto withActivation = [&](std::int32_t output) {
        OperatorSpec op = add;
        op.outputs = {output};
        op.options = addOptions(schema::ActivationFunctionType::SIGN_BIT);
        return op;
    };
    OperatorSpec after = add;  // reads what cannot be computed; not a problem of its own
    after.inputs = {3, 4};
    after.outputs = {8};
    file.operators = {add,
                      {.opcodeIndex = 1, .inputs = {2}, .outputs = {3}},
                      withActivation(4),
                      {.opcodeIndex = 2, .inputs = {3}, .outputs = {5}},
                      {.opcodeIndex = 1, .inputs = {2}, .outputs = {6}},
                      withActivation(7),
                      after};
    EXPECT_EQ(refusal(file),
              "5 operators cannot be imported: operator 1 (SKIP_GRAM) is not supported (2 such "
              "operators); operator 2 (ADD): fused activation 5 is not supported (2 such "
              "operators); operator 3 (HASHTABLE_FIND) is not supported");
}

TEST(TfliteImport, namesOperatorsBehindInputsThatItCannotImport) {
    // Reads the text; its result is not a problem of its own. The last operator reads another one.
    FileSpec file = addFile();
    file.codes.push_back({.code = Code::CUSTOM, .customName = "Tokenize"});
    file.codes.push_back({.code = Code::SKIP_GRAM});
    file.tensors[0].type = TensorType::STRING;
    file.tensors.resize(5, {.shape = {2, 3}});
    file.operators[0] = {.opcodeIndex = 1, .inputs = {0}, .outputs = {2}};
    file.operators.push_back(addFile().operators[0]);
    file.operators[1].inputs = {1, 2};
    file.operators[1].outputs = {3};
    file.operators.push_back({.opcodeIndex = 2, .inputs = {1}, .outputs = {4}});
    file.outputs = {3, 4};
    EXPECT_EQ(
        refusal(file),
        "3 inputs and operators cannot be imported: tensor 0 (\"tensor\"): type STRING is not "
        "supported; operator 0 (CUSTOM \"Tokenize\") is not supported; operator 2 (SKIP_GRAM) "
        "is not supported");
}

TEST(TfliteImport, limitsTheReasonsThatItNames) {
    FileSpec file = addFile();
    file.operators.clear();
    for (std::uint32_t i = 0; i < 100; ++i) {
        file.operators.push_back({.opcodeIndex = i + 1});
    }
    const std::string message = refusal(file);
    EXPECT_NE(message.find("operator 63: operator code 64"), std::string::npos) << message;
    EXPECT_NE(message.find("; 36 operators for other reasons"), std::string::npos) << message;
}

FileSpec twoSignaturesFile() {
    FileSpec file = addFile();
    file.codes.push_back({.code = Code::TANH});
    GraphSpec other;
    other.tensors = {{.shape = {4}, .name = "given"}, {.shape = {4}, .name = "computed"}};
    other.operators = {{.opcodeIndex = 1, .inputs = {0}, .outputs = {1}}};
    other.inputs = {0};
    other.outputs = {1};
    file.subgraphs = {other};
    file.signatures = {
        {.key = "add", .inputs = {{"right", 1}, {"left", 0}}, .outputs = {{"sum", 2}}},
        {.key = "squash", .inputs = {{"x", 0}}, .outputs = {{"y", 1}}, .subgraph = 1}};
    return file;
}

TEST(TfliteImport, importsTheSignatureOfAName) {
    const TfliteModel squash = imported(twoSignaturesFile(), {.signature = "squash"});
    EXPECT_EQ(operationsOf(squash), std::vector{OperationType::TANH});
    EXPECT_EQ(squash.inputNames, std::vector<std::string>{"x"});
    EXPECT_EQ(squash.outputNames, std::vector<std::string>{"y"});
    const TfliteModel add = imported(twoSignaturesFile(), {.signature = "add"});
    EXPECT_EQ(add.inputNames, (std::vector<std::string>{"left", "right"}));
    const TfliteModel main = imported(twoSignaturesFile());
    EXPECT_EQ(main.inputNames, (std::vector<std::string>{"tensor", "tensor"}));
}

TEST(TfliteImport, listsTheSignaturesOfAFile) {
    const TfliteModel model = imported(twoSignaturesFile());
    ASSERT_EQ(model.signatures.size(), 2U);
    EXPECT_EQ(model.signatures[0].name, "add");
    EXPECT_EQ(model.signatures[0].inputNames, (std::vector<std::string>{"right", "left"}));
    EXPECT_EQ(model.signatures[1].outputNames, std::vector<std::string>{"y"});
}

TEST(TfliteImport, refusesSignaturesThatTheFileDoesNotHave) {
    FileSpec file = twoSignaturesFile();
    const auto message = [&](const std::string& name) {
        const auto result = importTflite(serialize(file), {.signature = name});
        return result ? std::string() : result.error().message;
    };
    EXPECT_EQ(message("none"), "the file has no signature \"none\"; it has \"add\", \"squash\"");
    file.signatures[1].subgraph = 2;
    EXPECT_EQ(message("squash"), "signature \"squash\" of subgraph 2: must be one of 2");
    file.signatures.clear();
    EXPECT_EQ(message("add"), "the file has no signature \"add\"; it has none");
}

TEST(TfliteImport, namesTheOperatorWhoseOptionsAreMissing) {
    EXPECT_EQ(refusal(operatorFile(Code::SOFTMAX, {real({2, 3})}, {real({2, 3})})),
              "operator 0 (SOFTMAX): must have SoftmaxOptions");
}

TEST(TfliteImport, takesZerosForOptionsThatAreMissing) {
    using Floats = std::vector<std::vector<float>>;
    const Floats x{{1, 2, 3, 4, 5, 6}};
    const Floats pair{x[0], {1, 1, 1, 2, 2, 2}};
    const Argument matrix = real({2, 3});
    expectComputes<float, float>(operatorFile(Code::ADD, {matrix, matrix}, {matrix}), pair,
                                 Floats{{2, 3, 4, 6, 7, 8}});
    expectComputes<float, float>(operatorFile(Code::MEAN, {matrix, ints({1})}, {real({2})}), x,
                                 Floats{{2, 5}});
    expectComputes<float, float>(operatorFile(Code::GATHER, {matrix, ints({1, 0})}, {matrix}), x,
                                 Floats{{4, 5, 6, 1, 2, 3}});
    expectComputes<float, float>(
        operatorFile(Code::CONCATENATION, {matrix, matrix}, {real({4, 3})}), pair,
        Floats{{1, 2, 3, 4, 5, 6, 1, 1, 1, 2, 2, 2}});
    expectComputes<float, float>(
        operatorFile(Code::BATCH_MATMUL, {matrix, real({3, 2})}, {real({2, 2})}), pair,
        Floats{{9, 11, 21, 26}});
    expectComputes<float, float>(operatorFile(Code::SQUEEZE, {real({1, 2, 1, 3})}, {matrix}), x, x);
}

TEST(TfliteImport, refusesActivationsThatTheHalDoesNotFuse) {
    FileSpec file = addFile();
    file.operators[0].options = addOptions(schema::ActivationFunctionType::SIGN_BIT);
    EXPECT_EQ(refusal(file), "operator 0 (ADD): fused activation 5 is not supported");
}

TEST(TfliteImport, dequantisesTheWeightsOfHybridOperators) {
    const TfliteModel result = imported(denseFile(TensorType::FLOAT32, TensorType::INT8));
    EXPECT_EQ(operationsOf(result),
              (std::vector{OperationType::DEQUANTIZE, OperationType::FULLY_CONNECTED}));
    EXPECT_EQ(inputAt(result, 0).type, OperandType::TENSOR_QUANT8_ASYMM_SIGNED);
    EXPECT_EQ(inputAt(result, 1, 1).type, OperandType::TENSOR_FLOAT32);
    EXPECT_EQ(inputAt(result, 1, 1).dimensions, (Dimensions{2, 3}));
    EXPECT_EQ(inputAt(result, 2, 1).type, OperandType::TENSOR_FLOAT32);
}

// As TFLite's converter wrote them before TFLite had INT8.
TEST(TfliteImport, readsUint8WeightsOfHybridOperatorsAsSignedNumbers) {
    const auto weights = [](std::int64_t zeroPoint) {
        return withContents(quantized({1, 1}, TensorType::UINT8, 0.5F, zeroPoint), {246});
    };
    const auto layer = [&](std::int64_t zeroPoint) {
        return operatorFile(
            Code::FULLY_CONNECTED, {real({1, 1}), weights(zeroPoint), leftOut()}, {real({1, 1})},
            BuiltinOptions::FullyConnectedOptions,
            optionsOf(schema::CreateFullyConnectedOptions, schema::ActivationFunctionType::NONE,
                      schema::FullyConnectedWeightsFormat::DEFAULT, false));
    };
    for (const std::int64_t zeroPoint : {0, 128}) {
        expectComputes<float, float>(layer(zeroPoint), {{1.0F}}, {{-5.0F}});
    }
    // DEQUANTIZE of the same constant reads unsigned numbers.
    FileSpec file = layer(0);
    file.codes.push_back({.code = Code::DEQUANTIZE});
    file.outputs.push_back(static_cast<std::int32_t>(file.tensors.size()));
    file.operators.push_back({.opcodeIndex = 1, .inputs = {1}, .outputs = {file.outputs.back()}});
    file.operators.push_back(file.operators[0]);
    file.tensors.push_back({.shape = {1, 1}});
    file.outputs.push_back(static_cast<std::int32_t>(file.tensors.size()));
    file.operators.back().outputs = {file.outputs.back()};
    file.tensors.push_back({.shape = {1, 1}});
    expectComputes<float, float>(file, {{1.0F}}, {{-5.0F}, {123.0F}, {-5.0F}});
    // All weights are 0.
    file = layer(246);
    file.tensors[1].scales = {0.0F};
    expectComputes<float, float>(file, {{1.0F}}, {{0.0F}});
}

TEST(TfliteImport, letsValuesOf8BitsWithoutScaleStandForThemselves) {
    FileSpec file = addFile();
    for (TensorSpec& tensor : file.tensors) {
        tensor.type = TensorType::UINT8;
    }
    const TfliteModel result = imported(file);
    EXPECT_EQ(inputAt(result, 0).scale, 1.0F);
    EXPECT_EQ(inputAt(result, 0).zeroPoint, 0);
}

TEST(TfliteImport, refusesTypesThatTheHalDoesNotHave) {
    FileSpec file = addFile();
    file.tensors[0].type = TensorType::INT4;
    EXPECT_EQ(refusal(file), "tensor 0 (\"tensor\"): only constants can be INT4");
    file.tensors[0].type = static_cast<TensorType>(99);
    EXPECT_EQ(refusal(file), "tensor 0 (\"tensor\"): type 99 is not supported");
    file.tensors[0].type = TensorType::UINT8;
    file.tensors[0].scales = {1.0F, 2.0F};
    EXPECT_EQ(refusal(file), "tensor 0 (\"tensor\"): 2 scales: must be quantised with one");
    file.tensors[0].scales = {1.0F};
    file.tensors[0].zeroPoints = {std::int64_t{1} << 32};
    EXPECT_EQ(refusal(file),
              "tensor 0 (\"tensor\"): zero point 4294967296: must be 0 to 255 for "
              "TENSOR_QUANT8_ASYMM");
}

TEST(TfliteImport, takesInputsOf64BitsAsIntegersOf32) {
    const Argument longs = tensorOf({2}, TensorType::INT64);
    const FileSpec gather =
        operatorFile(Code::GATHER, {reals({3}, {10, 20, 30}), longs}, {real({2})},
                     BuiltinOptions::GatherOptions, optionsOf(schema::CreateGatherOptions, 0, 0));
    const TfliteModel result = imported(gather);
    EXPECT_EQ(operandAt(result, result.model.main.inputIndexes.at(0)).type,
              OperandType::TENSOR_INT32);
    expectComputes<float, std::int32_t>(gather, {{2, 0}}, {{30, 10}});
    expectComputes<float, std::int32_t>(operatorFile(Code::CAST, {longs}, {real({2})}), {{-3, 4}},
                                        {{-3, 4}});
    FileSpec file = addFile();
    for (TensorSpec& tensor : file.tensors) {
        tensor.type = TensorType::INT64;
    }
    EXPECT_EQ(
        refusal(file),
        "operator 0 (ADD): tensor 2 (\"tensor\"): type INT64 is not supported where values "
        "may need more than 32 bits, unless TfliteOptions::integersFitInt32 says that they do "
        "not");
    file = rnnFile();
    file.tensors[4].type = TensorType::INT64;
    EXPECT_EQ(refusal(file),
              "operator 0 (RNN): tensor 4 (\"tensor\"): variable tensors of INT64 are not "
              "supported");
}

TEST(TfliteImport, unpacksWeightsOf4Bits) {
    FileSpec packed = denseFile(TensorType::FLOAT32, TensorType::INT4);
    packed.buffers[1] = {0x78, 0xF1, 0x30};
    FileSpec plain = denseFile(TensorType::FLOAT32, TensorType::INT8);
    plain.buffers[1] = {0xF8, 7, 1, 0xFF, 0, 3};
    const std::vector<std::vector<float>> input{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    const auto expectSame = [&] {
        const auto outputs = outputsOfRun<float>(imported(packed), input);
        EXPECT_EQ(outputs.size(), 1U);
        EXPECT_EQ(outputs, outputsOfRun<float>(imported(plain), input));
    };
    expectSame();
    packed.tensors[1].scales = plain.tensors[1].scales = {0.5F, 0.25F};
    expectSame();
    packed.buffers[1].pop_back();
    EXPECT_EQ(
        refusal(packed),
        "operator 0 (FULLY_CONNECTED): tensor 1 (\"tensor\"): buffer of 2 bytes for 2x3 INT4: "
        "must have a byte for two elements");
}

TEST(TfliteImport, refusesIndicesOutOfRange) {
    FileSpec file = addFile();
    file.operators[0].inputs = {0, 3};
    EXPECT_EQ(refusal(file), "operator 0 (ADD): tensor 3: must be one of 3 tensors");
    file.operators[0].inputs = {0, -2};
    EXPECT_EQ(refusal(file), "operator 0 (ADD): tensor -2: must be one of 3 tensors");
    file = addFile();
    file.outputs = {7};
    EXPECT_EQ(refusal(file), "tensor 7: must be one of 3 tensors");
    file = addFile();
    file.tensors[0].buffer = 9;
    EXPECT_EQ(refusal(file), "tensor 0 (\"tensor\"): buffer 9: must be one of 1");
}

TEST(TfliteImport, refusesMoreInputsThanTensors) {
    FileSpec file = addFile();
    file.inputs = {0, 1, 2, 0};
    EXPECT_EQ(refusal(file), "4 inputs for 3 tensors: must be at most one for each");
}

TEST(TfliteImport, refusesWrongNumbersOfInputsAndOutputs) {
    FileSpec file = addFile();
    file.operators[0].inputs = {0};
    EXPECT_EQ(refusal(file), "operator 0 (ADD): 1 inputs: must be 2 to 2");
    file.operators[0].inputs = {0, -1};
    EXPECT_EQ(refusal(file), "operator 0 (ADD): input 1 is left out: must be given");
    file = addFile();
    file.operators[0].outputs = {};
    EXPECT_EQ(refusal(file), "operator 0 (ADD): 0 outputs: must be 1");
}

TEST(TfliteImport, refusesTensorsThatAreReadBeforeTheyAreWritten) {
    FileSpec file = addFile();
    file.inputs = {0};
    EXPECT_EQ(refusal(file),
              "operator 0 (ADD): tensor 1 (\"tensor\") is read before any operator writes it");
}

TEST(TfliteImport, refusesTensorsThatAreWrittenTwice) {
    FileSpec file = addFile();
    file.operators.push_back(file.operators[0]);
    EXPECT_EQ(refusal(file),
              "operator 1 (ADD): tensor 2 (\"tensor\") is constant, variable or written already: "
              "cannot be an output");
}

TEST(TfliteImport, refusesModelOutputsThatNoOperatorComputes) {
    FileSpec file = addFile();
    file.tensors.push_back({.shape = {2}});
    file.outputs = {3};
    EXPECT_EQ(refusal(file),
              "output 0 of the model: tensor 3 (\"tensor\") is read before any operator writes it");
}

TEST(TfliteImport, copiesOutputsThatTheHalDoesNotAllow) {
    FileSpec file = addFile();
    file.outputs = {2, 0, 2};  // an input, and one output twice
    const TfliteModel result = imported(file);
    EXPECT_EQ(operationsOf(result),
              (std::vector{OperationType::ADD, OperationType::CAST, OperationType::CAST}));
    EXPECT_EQ(result.outputNames.size(), 3U);
    EXPECT_EQ(outputOf(result, 1).dimensions, (Dimensions{2, 3}));
}

TEST(TfliteImport, refusesConstantsOfTheWrongSize) {
    FileSpec file = quantizedConvFile();
    file.buffers[1].pop_back();
    EXPECT_EQ(refusal(file),
              "operator 0 (CONV_2D): tensor 1 (\"tensor\"): buffer of 17 bytes for 2x3x3x1 "
              "TENSOR_QUANT8_ASYMM: must have as many bytes as the tensor");
}

TEST(TfliteImport, refusesStatesThatAreNotVariable) {
    FileSpec file = rnnFile();
    file.tensors[4].isVariable = false;
    file.inputs = {0, 4};
    EXPECT_EQ(refusal(file),
              "operator 0 (RNN): tensor 4 (\"tensor\") is a state: must be variable");
}

TEST(TfliteImport, refusesVariablesThatNeverChange) {
    FileSpec file = addFile();
    file.tensors[1].isVariable = true;
    file.inputs = {0};
    EXPECT_EQ(refusal(file), "tensor 1 (\"tensor\") is variable, but no operator updates it");
}

TEST(TfliteImport, refusesDimensionsOfZeroOrLess) {
    FileSpec file = addFile();
    file.tensors[0].shape = {2, 0};
    EXPECT_EQ(refusal(file), "tensor 0 (\"tensor\"): dimension 1 is 0: must be at least 1");
    file.tensors[0].shape = {-1, 3};
    EXPECT_EQ(refusal(file), "tensor 0 (\"tensor\"): dimension 0 is -1: must be at least 1");
}

TEST(TfliteImport, refusesStridesOfZero) {
    FileSpec file = quantizedConvFile();
    file.operators[0].options = [](flatbuffers::FlatBufferBuilder& builder) {
        return schema::CreateConv2DOptions(builder, schema::Padding::SAME, 0, 1).Union();
    };
    EXPECT_EQ(refusal(file),
              "operator 0 (CONV_2D): window of 3, stride 0, dilation 1: must be at least 1");
}

TEST(TfliteImport, refusesOtherFilesAndVersions) {
    FileSpec file = addFile();
    file.version = 2;
    EXPECT_EQ(refusal(file), "schema version 2: must be 3");
    const std::vector<std::byte> zeros(100);
    EXPECT_EQ(importTflite(zeros).error().message,
              "not a TFLite file: must have the identifier TFL3");
    EXPECT_EQ(importTflite({}).error().message, "not a TFLite file: must have the identifier TFL3");
    EXPECT_EQ(loadTflite("/nonexistent.tflite").error().message,
              "cannot read /nonexistent.tflite: No such file or directory");
    EXPECT_EQ(loadTflite("/").error().message, "cannot read /: Is a directory");
}

TEST(TfliteImport, refusesManyOperatorsThatShareOneListOfInputs) {
    constexpr std::size_t kMany = 1000;
    flatbuffers::FlatBufferBuilder builder;
    const std::vector code{schema::CreateOperatorCode(builder, 0, 0, Code::ADD)};
    const std::vector tensor{schema::CreateTensor(
        builder, builder.CreateVector(std::vector<std::int32_t>{1}), TensorType::FLOAT32)};
    const auto inputs = builder.CreateVector(std::vector<std::int32_t>(kMany, 0));
    const std::vector operators(kMany, schema::CreateOperator(builder, 0, inputs));
    const auto ends = builder.CreateVector(std::vector<std::int32_t>{0});
    const std::vector graph{schema::CreateSubGraph(builder, builder.CreateVector(tensor), ends,
                                                   ends, builder.CreateVector(operators))};
    schema::FinishModelBuffer(builder, schema::CreateModel(builder, 3, builder.CreateVector(code),
                                                           builder.CreateVector(graph)));
    const auto result =
        importTflite(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message,
              "operators have 1000000 inputs, outputs and characters of names: must be at most " +
                  std::to_string(builder.GetSize()) + ", the bytes of the file");
}

/// The error of a file of one subgraph, of which `tensors` and `operators` may share what they
/// have. Tensor 0 is input and output.
std::string refusalOfShared(flatbuffers::FlatBufferBuilder& builder,
                            flatbuffers::Offset<schema::OperatorCode> code,
                            const std::vector<flatbuffers::Offset<schema::Tensor>>& tensors,
                            const std::vector<flatbuffers::Offset<schema::Operator>>& operators) {
    const auto ends = builder.CreateVector(std::vector<std::int32_t>{0});
    const std::vector graph{schema::CreateSubGraph(builder, builder.CreateVector(tensors), ends,
                                                   ends, builder.CreateVector(operators))};
    schema::FinishModelBuffer(
        builder, schema::CreateModel(builder, 3, builder.CreateVector(std::vector{code}),
                                     builder.CreateVector(graph)));
    const auto result =
        importTflite(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
    return result ? std::string() : result.error().message;
}

TEST(TfliteImport, refusesManyOperatorsThatShareTheirOptions) {
    constexpr std::int32_t kMany = 1000;
    flexbuffers::Builder map;
    map.Map([&] {
        map.Int("dimensions", 2);
        map.Key("padding");
        map.Blob(std::vector<std::uint8_t>(63 * 1024));
    });
    map.Finish();
    flatbuffers::FlatBufferBuilder builder;
    const auto options = builder.CreateVector(map.GetBuffer());
    const auto tensor = schema::CreateTensor(
        builder, builder.CreateVector(std::vector<std::int32_t>{1, 4, 2}), TensorType::FLOAT32);
    const std::vector tensors(kMany + 1, tensor);
    const auto inputs = builder.CreateVector(std::vector<std::int32_t>{0, 0});
    std::vector<flatbuffers::Offset<schema::Operator>> operators;
    for (std::int32_t i = 1; i <= kMany; ++i) {
        operators.push_back(schema::CreateOperator(
            builder, 0, inputs, builder.CreateVector(std::vector<std::int32_t>{i}),
            BuiltinOptions::NONE, 0, options));
    }
    const auto code = schema::CreateOperatorCode(
        builder, 0, builder.CreateString("TransformLandmarks"), Code::CUSTOM);
    EXPECT_NE(refusalOfShared(builder, code, tensors, operators).find("constants take more than"),
              std::string::npos);
}

TEST(TfliteImport, refusesManyTensorsThatShareTheirScales) {
    constexpr std::int32_t kMany = 1000;
    constexpr std::int32_t kChannels = 1 << 14;
    flatbuffers::FlatBufferBuilder builder;
    const auto quantization = schema::CreateQuantizationParameters(
        builder, builder.CreateVector(std::vector<float>(kChannels, 0.5F)));
    const auto unscaled = schema::CreateTensor(
        builder, builder.CreateVector(std::vector<std::int32_t>{1}), TensorType::FLOAT32);
    const auto scaled =
        schema::CreateTensor(builder, builder.CreateVector(std::vector<std::int32_t>{kChannels}),
                             TensorType::INT8, 0, 0, quantization);
    std::vector tensors(kMany + 1, scaled);
    tensors[0] = unscaled;
    const auto inputs = builder.CreateVector(std::vector<std::int32_t>{0});
    std::vector<flatbuffers::Offset<schema::Operator>> operators;
    for (std::int32_t i = 1; i <= kMany; ++i) {
        operators.push_back(schema::CreateOperator(
            builder, 0, inputs, builder.CreateVector(std::vector<std::int32_t>{i})));
    }
    const auto code = schema::CreateOperatorCode(builder, 0, 0, Code::QUANTIZE);
    EXPECT_NE(refusalOfShared(builder, code, tensors, operators).find("constants take more than"),
              std::string::npos);
}

/// Tensor 1 is an empty vector: the shape of tensor 0, a scalar. One operator `code` reads it and
/// tensors that hold `others`; its output is the last tensor.
FileSpec emptyVectorFile(Code code, const std::vector<std::vector<std::int32_t>>& others,
                         BuiltinOptions optionsType, OptionsBuilder options) {
    FileSpec file;
    file.codes = {{.code = Code::SHAPE}, {.code = code}};
    file.buffers.push_back(bytesOf(std::vector{1.0F}));
    file.tensors = {{.shape = {}, .buffer = 1}, {.shape = {0}, .type = TensorType::INT32}};
    file.operators = {{.inputs = {0}, .outputs = {1}}};
    OperatorSpec op{
        .opcodeIndex = 1, .inputs = {1}, .optionsType = optionsType, .options = std::move(options)};
    for (const std::vector<std::int32_t>& values : others) {
        op.inputs.push_back(static_cast<std::int32_t>(file.tensors.size()));
        file.tensors.push_back({.shape = {static_cast<std::int32_t>(values.size())},
                                .type = TensorType::INT32,
                                .buffer = static_cast<std::uint32_t>(file.buffers.size())});
        file.buffers.push_back(bytesOf(values));
    }
    op.outputs = {static_cast<std::int32_t>(file.tensors.size())};
    file.tensors.push_back({.shape = {}, .type = TensorType::INT32});
    file.outputs = op.outputs;
    file.operators.push_back(std::move(op));
    file.inputs = {static_cast<std::int32_t>(file.tensors.size())};
    file.tensors.push_back({.shape = {1}});
    return file;
}

TEST(TfliteImport, refusesToJoinInputsOfWhichNoneHasElements) {
    FileSpec file = emptyVectorFile(Code::RESHAPE, {{0, 2}}, BuiltinOptions::NONE, nullptr);
    const std::int32_t reshaped = file.outputs[0];
    const auto joined = static_cast<std::int32_t>(file.tensors.size());
    file.tensors.push_back({.shape = {}, .type = TensorType::INT32});
    file.codes.push_back({.code = Code::CONCATENATION});
    file.operators.push_back({.opcodeIndex = 2,
                              .inputs = {reshaped},
                              .outputs = {joined},
                              .optionsType = BuiltinOptions::ConcatenationOptions,
                              .options = optionsOf(schema::CreateConcatenationOptions, 0,
                                                   schema::ActivationFunctionType::NONE)});
    file.outputs = {joined};
    EXPECT_EQ(refusal(file),
              "operator 2 (CONCATENATION): 1 inputs without elements: one must have some");
}

/// The end of the slice needs more than 31 bits.
TEST(TfliteImport, slicesAnEmptyVectorFarBehindItsEnd) {
    EXPECT_NE(refusal(emptyVectorFile(Code::SLICE, {{INT32_MAX}, {INT32_MAX}}, BuiltinOptions::NONE,
                                      nullptr))
                  .find("has no elements"),
              std::string::npos);
}

TEST(TfliteImport, repeatsAxesOfConstantsThatItSubtracts) {
    const auto integers = [](std::vector<std::int32_t> shape,
                             const std::vector<std::int32_t>& values) {
        return withContents(tensorOf(std::move(shape), TensorType::INT32), bytesOf(values));
    };
    const auto file = [](const Argument& a, const Argument& b, std::vector<std::int32_t> shape) {
        return operatorFile(
            Code::SUB, {a, b}, {tensorOf(std::move(shape), TensorType::INT32)},
            BuiltinOptions::SubOptions,
            optionsOf(schema::CreateSubOptions, schema::ActivationFunctionType::NONE));
    };
    const std::vector<std::vector<float>> unused{{0.0F}};
    expectComputes<std::int32_t, float>(
        file(integers({3, 1}, {0, 1, 2}), integers({1, 3}, {0, 1, 2}), {3, 3}), unused,
        {{0, -1, -2, 1, 0, -1, 2, 1, 0}});
    expectComputes<std::int32_t, float>(
        file(integers({1, 1, 1}, {5}), integers({3}, {0, 1, 2}), {1, 1, 3}), unused, {{5, 4, 3}});
}

TEST(TfliteImport, refusesManyConstantsThatShareOneBuffer) {
    FileSpec file = addFile();
    file.buffers.push_back(std::vector<std::uint8_t>(1 << 20));
    for (std::int32_t i = 0; i < 20; ++i) {
        const auto next = static_cast<std::int32_t>(file.tensors.size());
        file.tensors.push_back({.shape = {1 << 18}, .buffer = 1});
        file.tensors.push_back({.shape = {1 << 18}});
        file.operators.push_back(file.operators[0]);
        file.operators.back().inputs = {next, next};
        file.operators.back().outputs = {next + 1};
    }
    EXPECT_EQ(refusal(file),
              "3 operators cannot be imported: operator 18 (ADD): constants take more than 16 "
              "times the size of the file and 1048576 bytes (3 such operators)");
}

}  // namespace
}  // namespace nnburst::import_test
