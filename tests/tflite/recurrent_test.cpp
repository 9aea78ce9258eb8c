// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Import of recurrent operators. LSTM and RNN for one step are in import_test.cpp, too.

#include <gtest/gtest.h>

#include <cmath>

#include "tflite_test.h"

namespace nnburst::recurrent_test {
namespace {

using namespace tflite;
using enum OperationType;
using Operations = std::vector<OperationType>;

constexpr auto kTanh = schema::ActivationFunctionType::TANH;
constexpr auto kRelu = schema::ActivationFunctionType::RELU;
constexpr auto kInt8 = TensorType::INT8;

Argument weights(std::int32_t rows, std::int32_t columns) {
    return reals({rows, columns},
                 std::vector<float>(static_cast<std::size_t>(rows * columns), 0.5F));
}
Argument bias(std::int32_t count) {
    return reals({count}, std::vector<float>(static_cast<std::size_t>(count), 0.0F));
}

/// Appends the weights of one direction of an LSTM from 2 to 3 values, without peephole
/// connections and projection.
void addLstmWeights(std::vector<Argument>& inputs) {
    inputs.insert(inputs.end(), 4, weights(3, 2));
    inputs.insert(inputs.end(), 4, weights(3, 3));
    inputs.insert(inputs.end(), 3, leftOut());
    inputs.insert(inputs.end(), 4, bias(3));
    inputs.insert(inputs.end(), 2, leftOut());
}

TEST(TfliteSvdf, keepsItsState) {
    const auto file = [](std::int32_t rank) {
        return operatorFile(
            Code::SVDF, {real({2, 3}), weights(4, 3), weights(4, 10), leftOut(), variable({2, 40})},
            {real({})}, BuiltinOptions::SVDFOptions,
            optionsOf(schema::CreateSVDFOptions, rank, kRelu));
    };
    const TfliteModel result = imported(file(2));
    EXPECT_EQ(operationsOf(result), Operations{SVDF});
    ASSERT_EQ(result.model.main.operations[0].inputs.size(), 7U);
    EXPECT_EQ(inputAt(result, 3).lifetime, OperandLifeTime::NO_VALUE);
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 5)), 2);  // rank
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 6)), 1);  // RELU
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{2, 2}));
    EXPECT_EQ(outputOf(result, 1).dimensions, (Dimensions{2, 40}));
    EXPECT_EQ(result.model.main.operations[0].outputs[0], result.model.main.outputIndexes[1]);
    EXPECT_EQ(result.states.size(), 1U);
    EXPECT_EQ(refusal(file(0)), "operator 0 (SVDF): rank 0: must be at least 1");
}

TEST(TfliteRnn, readsWeightsOf8UnsignedBitsAsSignedNumbers) {
    const auto file = [](TensorType type) {
        const Argument matrix = withContents(quantized({1, 1}, type, 0.5F, 0), {0xFE});
        return operatorFile(
            Code::RNN, {real({1, 1}), matrix, matrix, bias(1), variable({1, 1})}, {real({1, 1})},
            BuiltinOptions::RNNOptions,
            optionsOf(schema::CreateRNNOptions, schema::ActivationFunctionType::NONE));
    };
    for (const TensorType type : {kInt8, TensorType::UINT8}) {
        expectComputes<float, float>(file(type), {{3.0F}, {4.0F}}, {{-7.0F}, {-7.0F}});
    }
}

FileSpec sequenceLstm(bool isDiagonal = false) {
    std::vector<Argument> inputs{real({1, 4, 2})};
    addLstmWeights(inputs);
    inputs.insert(inputs.end(), 2, variable({1, 3}));
    return operatorFile(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {real({})},
                        BuiltinOptions::UnidirectionalSequenceLSTMOptions,
                        optionsOf(schema::CreateUnidirectionalSequenceLSTMOptions, kTanh, 1.0F,
                                  2.0F, false, isDiagonal));
}

TEST(TfliteSequence, givesTheStatesOfAnLstmAfterItsResult) {
    const TfliteModel result = imported(sequenceLstm());
    EXPECT_EQ(operationsOf(result), Operations{UNIDIRECTIONAL_SEQUENCE_LSTM});
    const Operation& lstm = result.model.main.operations[0];
    ASSERT_EQ(lstm.inputs.size(), 24U);
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 20)), 4);  // TANH
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 21)), 1.0F);
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 22)), 2.0F);
    EXPECT_EQ(valueOf<std::uint8_t>(result, inputAt(result, 23)), 0);  // batches first
    EXPECT_EQ(lstm.outputs, result.model.main.outputIndexes);
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{1, 4, 3}));
    EXPECT_EQ(result.states.size(), 2U);
    EXPECT_EQ(refusal(sequenceLstm(true)),
              "operator 0 (UNIDIRECTIONAL_SEQUENCE_LSTM): diagonal_recurrent_tensors is not "
              "supported");
}

TEST(TfliteSequence, dequantisesHybridWeights) {
    FileSpec file = sequenceLstm();
    file.tensors[1].type = kInt8;
    file.tensors[1].scales = {0.5F};
    file.buffers[file.tensors[1].buffer].resize(6);
    EXPECT_EQ(operationsOf(imported(file)), (Operations{DEQUANTIZE, UNIDIRECTIONAL_SEQUENCE_LSTM}));
}

TEST(TfliteSequence, takesTimeMajorOfAnRnnAsANumber) {
    const TfliteModel result = imported(
        operatorFile(Code::UNIDIRECTIONAL_SEQUENCE_RNN,
                     {real({4, 1, 2}), weights(3, 2), weights(3, 3), bias(3), variable({1, 3})},
                     {real({})}, BuiltinOptions::SequenceRNNOptions,
                     optionsOf(schema::CreateSequenceRNNOptions, true, kRelu)));
    EXPECT_EQ(operationsOf(result), Operations{UNIDIRECTIONAL_SEQUENCE_RNN});
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 5)), 1);  // RELU
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 6)), 1);  // time first
    EXPECT_EQ(outputOf(result).dimensions, (Dimensions{4, 1, 3}));
    EXPECT_EQ(outputOf(result, 1).dimensions, (Dimensions{1, 3}));
}

FileSpec bidirectionalLstm(bool isMerged, std::size_t outputs) {
    std::vector<Argument> inputs{real({4, 1, 2})};
    addLstmWeights(inputs);
    addLstmWeights(inputs);
    inputs.insert(inputs.end(), 4, variable({1, 3}));
    inputs.insert(inputs.end(), 9, leftOut());
    return operatorFile(Code::BIDIRECTIONAL_SEQUENCE_LSTM, inputs,
                        std::vector<Argument>(outputs, real({})),
                        BuiltinOptions::BidirectionalSequenceLSTMOptions,
                        optionsOf(schema::CreateBidirectionalSequenceLSTMOptions, kTanh, 0.0F, 0.0F,
                                  isMerged, true));
}

TEST(TfliteSequence, runsAnLstmInBothDirections) {
    const TfliteModel apart = imported(bidirectionalLstm(false, 2));
    const Operation& lstm = apart.model.main.operations.at(0);
    EXPECT_EQ(lstm.type, BIDIRECTIONAL_SEQUENCE_LSTM);
    ASSERT_EQ(lstm.inputs.size(), 61U);
    EXPECT_EQ(inputAt(apart, 39).lifetime, OperandLifeTime::NO_VALUE);  // auxiliary input
    EXPECT_EQ(valueOf<std::int32_t>(apart, inputAt(apart, 48)), 4);     // TANH
    EXPECT_EQ(valueOf<std::uint8_t>(apart, inputAt(apart, 51)), 0);     // not merged
    EXPECT_EQ(valueOf<std::uint8_t>(apart, inputAt(apart, 52)), 1);     // time first
    EXPECT_EQ(inputAt(apart, 60).lifetime, OperandLifeTime::NO_VALUE);  // normalisation
    EXPECT_EQ(lstm.outputs, apart.model.main.outputIndexes);
    ASSERT_EQ(lstm.outputs.size(), 6U);
    EXPECT_EQ(outputOf(apart, 1).dimensions, (Dimensions{4, 1, 3}));
    EXPECT_EQ(apart.states.size(), 4U);
    const TfliteModel merged = imported(bidirectionalLstm(true, 1));
    EXPECT_EQ(outputOf(merged).dimensions, (Dimensions{4, 1, 6}));
    EXPECT_EQ(refusal(bidirectionalLstm(true, 2)),
              "operator 0 (BIDIRECTIONAL_SEQUENCE_LSTM): 2 outputs: must be 1 with merge_outputs "
              "true");
}

TEST(TfliteSequence, runsAnRnnInBothDirections) {
    std::vector<Argument> inputs{real({4, 1, 2})};
    for (int direction = 0; direction < 2; ++direction) {
        inputs.insert(inputs.end(), {weights(3, 2), weights(3, 3), bias(3), variable({1, 3})});
    }
    inputs.insert(inputs.end(), 3, leftOut());
    const TfliteModel result = imported(
        operatorFile(Code::BIDIRECTIONAL_SEQUENCE_RNN, inputs, {real({}), real({})},
                     BuiltinOptions::BidirectionalSequenceRNNOptions,
                     optionsOf(schema::CreateBidirectionalSequenceRNNOptions, true, kRelu, false)));
    const Operation& rnn = result.model.main.operations.at(0);
    EXPECT_EQ(rnn.type, BIDIRECTIONAL_SEQUENCE_RNN);
    ASSERT_EQ(rnn.inputs.size(), 15U);
    EXPECT_EQ(inputAt(result, 11).lifetime, OperandLifeTime::NO_VALUE);
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 12)), 1);  // RELU
    EXPECT_EQ(valueOf<std::uint8_t>(result, inputAt(result, 13)), 1);  // time first
    EXPECT_EQ(valueOf<std::uint8_t>(result, inputAt(result, 14)), 0);  // not merged
    EXPECT_EQ(rnn.outputs, result.model.main.outputIndexes);
    EXPECT_EQ(result.states.size(), 2U);
}

/// Recurrent operators besides LSTM: one step of one unit, all of whose weights are 1.
std::vector<FileSpec> unitsWith(schema::ActivationFunctionType activation) {
    const Argument one = reals({1, 1}, {1.0F});
    const std::vector<Argument> layer{one, one, bias(1), variable({1, 1})};
    std::vector<Argument> step{real({1, 1})};
    step.insert(step.end(), layer.begin(), layer.end());
    std::vector<Argument> sequence{real({1, 1, 1})};
    sequence.insert(sequence.end(), layer.begin(), layer.end());
    std::vector<Argument> bidirectional = sequence;
    bidirectional.insert(bidirectional.end(), layer.begin(), layer.end());
    bidirectional.insert(bidirectional.end(), 3, leftOut());
    return {
        operatorFile(Code::RNN, step, {real({})}, BuiltinOptions::RNNOptions,
                     optionsOf(schema::CreateRNNOptions, activation)),
        operatorFile(Code::UNIDIRECTIONAL_SEQUENCE_RNN, sequence, {real({})},
                     BuiltinOptions::SequenceRNNOptions,
                     optionsOf(schema::CreateSequenceRNNOptions, true, activation)),
        operatorFile(
            Code::BIDIRECTIONAL_SEQUENCE_RNN, bidirectional, {real({}), real({})},
            BuiltinOptions::BidirectionalSequenceRNNOptions,
            optionsOf(schema::CreateBidirectionalSequenceRNNOptions, true, activation, false)),
        operatorFile(Code::SVDF, {real({1, 1}), one, one, leftOut(), variable({1, 1})}, {real({})},
                     BuiltinOptions::SVDFOptions,
                     optionsOf(schema::CreateSVDFOptions, 1, activation)),
    };
}

TEST(TfliteRecurrent, computesTanh) {
    for (const FileSpec& file : unitsWith(kTanh)) {
        const TfliteModel result = imported(file);
        ASSERT_EQ(result.model.main.operations.size(), 1U);
        SCOPED_TRACE(toString(result.model.main.operations[0].type));
        std::vector<std::vector<float>> inputs(1 + result.states.size(), std::vector<float>{0.0F});
        inputs[0] = {1.0F};
        const auto outputs = outputsOfRun<float>(result, inputs);
        ASSERT_EQ(outputs.size(), result.model.main.outputIndexes.size());
        EXPECT_NEAR(outputs[0].at(0), 0.7615942F, 1e-6F);
    }
}

TEST(TfliteRecurrent, refusesActivationsThatTheHalDoesNotHave) {
    for (const FileSpec& file : unitsWith(schema::ActivationFunctionType::SIGN_BIT)) {
        EXPECT_NE(refusal(file).find("fused activation 5 is not supported"), std::string::npos);
    }
}

// ---- The basic kernel of LSTM

/// One input and two cells: rows of 3 weights, of which the last two are for the last output.
FileSpec basicLstm(bool isFloat, std::vector<std::int32_t> biasShape = {8}) {
    std::vector<Argument> inputs;
    std::vector<Argument> outputs;
    if (isFloat) {
        std::vector<float> values(24);
        std::vector<float> biases(8);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i);
            biases[i / 3] = static_cast<float>(i / 3);
        }
        inputs = {real({1, 1}), variable({1, 2}), reals({8, 3}, values),
                  reals(std::move(biasShape), biases), variable({1, 2})};
        outputs = std::vector<Argument>(4, real({}));
    } else {
        std::vector<std::uint8_t> values(24);
        std::vector<std::int32_t> biases(8);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<std::uint8_t>(i);
            biases[i / 3] = static_cast<std::int32_t>(i / 3);
        }
        Argument lastOutput = quantized({1, 2}, TensorType::UINT8, 0x1p-7F, 128);
        Argument lastCells = quantized({1, 2}, TensorType::INT16, 0x1p-11F, 0);
        lastOutput.tensor.isVariable = true;
        lastCells.tensor.isVariable = true;
        constexpr float kWeightScale = 0x1p-8F;
        inputs = {quantized({1, 1}, TensorType::UINT8, 0x1p-7F, 128), lastOutput,
                  withContents(quantized({8, 3}, TensorType::UINT8, kWeightScale, 100), values),
                  withContents(quantized(std::move(biasShape), TensorType::INT32, 0x1p-15F, 0),
                               bytesOf(biases)),
                  lastCells};
        outputs = {quantized({1, 2}, TensorType::UINT8, 0x1p-7F, 128),
                   quantized({1, 2}, TensorType::INT16, 0x1p-11F, 0),
                   quantized({1, 3}, TensorType::UINT8, 0x1p-7F, 128),
                   quantized({1, 8}, TensorType::INT16, 0x1p-11F, 0)};
    }
    FileSpec file = operatorFile(
        Code::LSTM, inputs, outputs, BuiltinOptions::LSTMOptions,
        optionsOf(schema::CreateLSTMOptions, kTanh, 0.0F, 0.0F, schema::LSTMKernelType::BASIC));
    file.outputs.resize(1);
    return file;
}

TEST(TfliteBasicLstm, sharesItsWeightsOutToTheGates) {
    const TfliteModel result = imported(basicLstm(true));
    EXPECT_EQ(result.model.main.operations.at(0).type, LSTM);
    EXPECT_EQ(inputAt(result, 2).dimensions, (Dimensions{2, 1}));
    // The HAL has the forget gate before the cell gate.
    EXPECT_EQ(valuesOf<float>(result, inputAt(result, 1)), (std::vector<float>{0, 3}));
    EXPECT_EQ(valuesOf<float>(result, inputAt(result, 2)), (std::vector<float>{12, 15}));
    EXPECT_EQ(valuesOf<float>(result, inputAt(result, 3)), (std::vector<float>{6, 9}));
    EXPECT_EQ(valuesOf<float>(result, inputAt(result, 8)), (std::vector<float>{19, 20, 22, 23}));
    EXPECT_EQ(valuesOf<float>(result, inputAt(result, 13)), (std::vector<float>{4, 5}));
    EXPECT_EQ(result.states.size(), 2U);
    // The output is also the state of the next step.
    EXPECT_EQ(result.model.main.outputIndexes.size(), 3U);
    EXPECT_EQ(operationsOf(result), (Operations{LSTM, CAST}));

    const TfliteModel quantised = imported(basicLstm(false));
    EXPECT_EQ(quantised.model.main.operations.at(0).type, QUANTIZED_16BIT_LSTM);
    ASSERT_EQ(quantised.model.main.operations[0].inputs.size(), 15U);
    EXPECT_EQ(valuesOf<std::uint8_t>(quantised, inputAt(quantised, 2)),
              (std::vector<std::uint8_t>{14, 17}));
    EXPECT_EQ(inputAt(quantised, 2).zeroPoint, 100);
    EXPECT_EQ(inputAt(quantised, 13).type, OperandType::TENSOR_QUANT16_SYMM);
    EXPECT_EQ(outputOf(quantised).dimensions, (Dimensions{1, 2}));
}

// The HAL's operation multiplies its recurrent weights by the first elements of [input, output].
TEST(TfliteBasicLstm, multipliesTheInputByTheFirstColumnOfQuantisedWeights) {
    FileSpec file = basicLstm(false);
    constexpr std::uint8_t kZeroPoint = 100;
    constexpr std::size_t kWeightOfTheFirstCell = 6;  // of its cell gate, for the input
    file.buffers[1] = std::vector<std::uint8_t>(24, kZeroPoint);
    file.buffers[1][kWeightOfTheFirstCell] = 228;  // 0.5
    file.buffers[2] = bytesOf(std::vector<std::int32_t>(8));
    const auto outputs =
        outputsOfRun<std::uint8_t, std::uint8_t>(imported(file), {{228}, {128, 128}, {0, 0, 0, 0}});
    ASSERT_EQ(outputs.size(), 3U);
    // The input is 100 / 128, and each of the other gates is 1/2.
    const double cell = 0.5 * std::tanh(0.5 * 100 / 128);
    EXPECT_NEAR(outputs[0][0], 128 + 128 * 0.5 * std::tanh(cell), 1.0);
    EXPECT_EQ(outputs[0][1], 128);
}

TEST(TfliteBasicLstm, refusesWeightsThatAreNoConstantsOfTheFile) {
    // The shape of a tensor as bias: a constant in the model, but without bytes in the file.
    FileSpec file = basicLstm(false);
    file.codes.push_back({.code = Code::SHAPE});
    const auto tensor = static_cast<std::int32_t>(file.tensors.size());
    file.tensors.push_back({.shape = {1, 1, 1, 1, 1, 1, 1, 1}});
    file.tensors.push_back({.shape = {8}, .type = TensorType::INT32});
    file.inputs.push_back(tensor);
    file.operators.insert(file.operators.begin(),
                          {.opcodeIndex = 1, .inputs = {tensor}, .outputs = {tensor + 1}});
    file.operators[1].inputs[3] = tensor + 1;
    EXPECT_EQ(refusal(file), "operator 1 (LSTM): weights and bias: must be constant");
}

TEST(TfliteBasicLstm, refusesShapesThatDoNotFit) {
    EXPECT_EQ(refusal(basicLstm(true, {4, 2})),
              "operator 0 (LSTM): weights of shape 8x3, bias of 4x2: must have 4 rows for each "
              "cell, and a "
              "column for each cell and each input");
    FileSpec file = basicLstm(true);
    file.operators[0].outputs.pop_back();
    EXPECT_EQ(refusal(file),
              "operator 0 (LSTM): 5 inputs and 3 outputs of the basic kernel: must "
              "be 5 and 4");
}

// ---- Quantised LSTM

Argument int8Weights(std::int32_t rows, std::int32_t columns) {
    return withContents(quantized({rows, columns}, kInt8, 0.25F, 0),
                        std::vector<std::uint8_t>(static_cast<std::size_t>(rows * columns), 3));
}

/// A quantised LSTM from 2 to 3 values, for one step or for a sequence.
FileSpec quantizedLstmFile(Code code, std::vector<std::int32_t> inputShape, std::int32_t batches,
                           BuiltinOptions optionsType, OptionsBuilder options) {
    const Argument gateBias =
        withContents(tensorOf({3}, TensorType::INT32), bytesOf(std::vector<std::int32_t>(3, 1)));
    Argument outputState = quantized({batches, 3}, kInt8, 0.5F, 2);
    outputState.tensor.isVariable = true;
    Argument cellState = quantized({batches, 3}, TensorType::INT16, 0x1p-11F, 0);
    cellState.tensor.isVariable = true;
    std::vector<Argument> inputs{quantized(std::move(inputShape), kInt8, 0.5F, 1)};
    inputs.insert(inputs.end(), 4, int8Weights(3, 2));
    inputs.insert(inputs.end(), 4, int8Weights(3, 3));
    inputs.insert(inputs.end(), 3, leftOut());
    inputs.insert(inputs.end(), 4, gateBias);
    inputs.insert(inputs.end(), 2, leftOut());
    inputs.insert(inputs.end(), {outputState, cellState});
    FileSpec file = operatorFile(code, inputs, {quantized({}, kInt8, 0.5F, 2)}, optionsType,
                                 std::move(options));
    const auto intermediate = static_cast<std::int32_t>(file.tensors.size());
    file.tensors.push_back({.shape = {}, .type = kInt8, .scales = {0.125F}, .zeroPoints = {-5}});
    file.operators[0].intermediates = std::vector<std::int32_t>(5, intermediate);
    return file;
}

FileSpec quantizedLstm(std::int32_t batches = 1) {
    return quantizedLstmFile(
        Code::LSTM, {batches, 2}, batches, BuiltinOptions::LSTMOptions,
        optionsOf(schema::CreateLSTMOptions, kTanh, 4.0F, 0.0F, schema::LSTMKernelType::FULL));
}

/// Of two batches.
FileSpec quantizedSequence(std::int32_t steps, bool isTimeMajor) {
    using Shape = std::vector<std::int32_t>;
    return quantizedLstmFile(Code::UNIDIRECTIONAL_SEQUENCE_LSTM,
                             isTimeMajor ? Shape{steps, 2, 2} : Shape{2, steps, 2}, 2,
                             BuiltinOptions::UnidirectionalSequenceLSTMOptions,
                             optionsOf(schema::CreateUnidirectionalSequenceLSTMOptions, kTanh, 4.0F,
                                       0.0F, isTimeMajor, false));
}

using Bytes = std::vector<std::int8_t>;

/// The values of two batches at each step as one tensor, whose first axis is that of time or of the
/// batches.
Bytes sequenceOf(const std::vector<Bytes>& steps, bool isTimeMajor) {
    Bytes batches[2];
    for (const Bytes& step : steps) {
        const auto half = step.begin() + static_cast<std::ptrdiff_t>(step.size() / 2);
        Bytes& second = batches[isTimeMajor ? 0 : 1];
        batches[0].insert(batches[0].end(), step.begin(), half);
        second.insert(second.end(), half, step.end());
    }
    batches[0].insert(batches[0].end(), batches[1].begin(), batches[1].end());
    return batches[0];
}

TEST(TfliteQuantizedLstm, takesSymmetricWeightsAndTheScalesInBetween) {
    const TfliteModel result = imported(quantizedLstm());
    EXPECT_EQ(operationsOf(result), Operations{QUANTIZED_LSTM});
    const Operation& lstm = result.model.main.operations.at(0);
    ASSERT_EQ(lstm.inputs.size(), 32U);
    EXPECT_EQ(inputAt(result, 1).type, OperandType::TENSOR_QUANT8_SYMM);
    EXPECT_EQ(inputAt(result, 1).scale, 0.25F);
    EXPECT_EQ(inputAt(result, 9).lifetime, OperandLifeTime::NO_VALUE);
    EXPECT_EQ(inputAt(result, 19).type, OperandType::TENSOR_QUANT16_SYMM);
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 24)), 4.0F);       // clip of the cells
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 26)), 0x1p-12F);   // no normalisation
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 30)), -5);  // of the hidden state
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 31)), 0.125F);
    ASSERT_EQ(lstm.outputs.size(), 3U);
    EXPECT_EQ(lstm.outputs[2], result.model.main.outputIndexes[0]);
    EXPECT_EQ(result.states.size(), 2U);
}

TEST(TfliteQuantizedLstm, computesASequenceStepByStep) {
    const std::vector<Bytes> steps{{4, 9, 10, 2}, {12, 20, 15, 15}, {-3, 8, 11, 12}};
    const TfliteModel lstm = imported(quantizedLstm(2));
    std::vector<Bytes> now{{}, Bytes(6), Bytes(12)};  // the result, its state, the cells of 16 bits
    std::vector<Bytes> results;
    for (const Bytes& step : steps) {
        now = outputsOfRun<std::int8_t, std::int8_t>(lstm, {step, now[1], now[2]});
        ASSERT_EQ(now.size(), 3U);
        results.push_back(now[0]);
    }
    EXPECT_NE(results[0], results[2]);
    for (const bool isTimeMajor : {false, true}) {
        const TfliteModel sequence = imported(quantizedSequence(3, isTimeMajor));
        EXPECT_EQ(
            operationsOf(sequence),
            (Operations{SPLIT, SQUEEZE, SQUEEZE, SQUEEZE, QUANTIZED_LSTM, EXPAND_DIMS,
                        QUANTIZED_LSTM, EXPAND_DIMS, QUANTIZED_LSTM, EXPAND_DIMS, CONCATENATION}));
        EXPECT_EQ(outputOf(sequence).dimensions,
                  (isTimeMajor ? Dimensions{3, 2, 3} : Dimensions{2, 3, 3}));
        const auto outputs = outputsOfRun<std::int8_t, std::int8_t>(
            sequence, {sequenceOf(steps, isTimeMajor), Bytes(6), Bytes(12)});
        EXPECT_EQ(outputs, (std::vector<Bytes>{sequenceOf(results, isTimeMajor), now[1], now[2]}));
    }
}

TEST(TfliteQuantizedLstm, limitsTheStepsOfASequence) {
    EXPECT_EQ(refusal(quantizedSequence(1025, false)),
              "operator 0 (UNIDIRECTIONAL_SEQUENCE_LSTM): input of shape 2x1025x2: must have 3 "
              "dimensions, and 1 to 1024 steps along axis 1");
    FileSpec file = quantizedSequence(1024, true);
    for (int i = 0; i < 4; ++i) {
        file.operators.push_back(file.operators[0]);
        file.operators.back().outputs = {static_cast<std::int32_t>(file.tensors.size())};
        file.tensors.push_back({.shape = {}, .type = kInt8, .scales = {0.5F}, .zeroPoints = {2}});
    }
    EXPECT_NE(refusal(file).find("operator 4 (UNIDIRECTIONAL_SEQUENCE_LSTM): constants take more "
                                 "than 16 times the size of the file"),
              std::string::npos);
}

TEST(TfliteQuantizedLstm, refusesWhatTheHalDoesNotKnow) {
    FileSpec file = quantizedLstm();
    file.tensors[1].zeroPoints = {3};
    EXPECT_EQ(
        refusal(file),
        "operator 0 (LSTM): input 1 of type TENSOR_QUANT8_ASYMM_SIGNED, zero point 3: must be "
        "a constant of INT8 with 0");
    file = quantizedLstm();
    file.operators[0].intermediates.pop_back();
    EXPECT_EQ(refusal(file), "operator 0 (LSTM): 4 intermediate tensors: must be 5");
    file = quantizedLstm();
    file.operators[0].intermediates.back() = 99;
    EXPECT_EQ(refusal(file).substr(0, 29), "operator 0 (LSTM): tensor 99:");
}

}  // namespace
}  // namespace nnburst::recurrent_test
