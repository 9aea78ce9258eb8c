// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Operations with optional inputs that are inputs of the model, with dimensions, and are left out
// by the request: the dimensions mean nothing then.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "exec/reference/test_operation.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

/// A tensor of elements from -1 to 1.
TestOperand randomFloats(const Dimensions& dimensions) {
    TestOperand operand = tensor(TENSOR_FLOAT32, dimensions);
    operand.data = Random(static_cast<std::uint32_t>(dimensions.back()))
                       .elements(TENSOR_FLOAT32, Shape(dimensions).elementCount());
    return operand;
}

/// A tensor that the model declares and the request leaves out.
TestOperand omittedFloats(Dimensions dimensions) {
    TestOperand operand = tensor(TENSOR_FLOAT32, std::move(dimensions));
    operand.isOmitted = true;
    return operand;
}

/// A model with one operation, whose tensors are inputs of the model. Its scalars are constants.
struct OperationModel {
    Model model;
    TestRequest request;
    std::shared_ptr<CompiledModel> compiled;

    explicit OperationModel(const TestOperation& operation) {
        ModelBuilder builder;
        std::vector<std::uint32_t> operands;
        std::vector<std::uint32_t> inputs;
        for (const TestOperand& input : operation.inputs) {
            if (input.isConstant) {
                operands.push_back(builder.addConstant(input.type, {}, input.data));
                continue;
            }
            operands.push_back(builder.addTensor(input.type, input.dimensions));
            inputs.push_back(operands.back());
            if (input.isOmitted) {
                request.omitInput();
            } else {
                request.addInput(input.data);
            }
        }
        std::vector<std::uint32_t> outputs;
        for (const TestOperand& output : operation.outputs) {
            outputs.push_back(builder.addTensor(output.type, output.dimensions));
            request.addOutput(Shape(output.dimensions).elementCount() * elementBytes(output.type));
        }
        builder.addOperation(operation.type, operands, outputs);
        model = build(builder, inputs, outputs);
    }

    /// Empty if the model can be prepared and the request can be run.
    [[nodiscard]] std::string refusal() {
        auto prepared = CompiledModel::compile(makeEngine(true), model);
        if (!prepared) {
            return "not prepared: " + prepared.error().message;
        }
        compiled = *prepared;
        const Result<> run = request.run(*compiled);
        return run ? "" : run.error().message;
    }
};

/// Expects the outputs that the operation has where the model leaves out the inputs (NO_VALUE).
void expectOutputsWithoutOmittedInputs(TestOperation operation) {
    OperationModel model(operation);
    ASSERT_EQ(model.refusal(), "");
    ASSERT_EQ(operation.refusal(), "");
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        const auto actual = model.request.output(output);
        EXPECT_EQ((std::vector<std::byte>{actual.begin(), actual.end()}),
                  operation.outputs[output].data)
            << "output " << output;
    }
}

/// An LSTM of 4 inputs and 5 units, without the input gate and other options.
TestOperation lstmWithoutInputGate() {
    TestOperation operation{OperationType::LSTM, {randomFloats({2, 4}), omittedFloats({5, 4})}, {}};
    auto& inputs = operation.inputs;
    inputs.insert(inputs.end(), 3, randomFloats({5, 4}));
    inputs.push_back(omittedFloats({5, 5}));
    inputs.insert(inputs.end(), 3, randomFloats({5, 5}));
    inputs.insert(inputs.end(), 4, omittedFloats({5}));  // peepholes, bias of the input gate
    inputs.insert(inputs.end(), 3, randomFloats({5}));
    inputs.insert(inputs.end(), {omittedFloats({5, 5}), omittedFloats({5})});  // projection
    inputs.insert(inputs.end(), 2, randomFloats({2, 5}));                      // states
    inputs.insert(inputs.end(), {scalar(4), scalar(0.0F), scalar(0.0F)});
    operation.outputs.push_back(tensor(TENSOR_FLOAT32, {2, 15}));
    operation.outputs.insert(operation.outputs.end(), 3, tensor(TENSOR_FLOAT32, {2, 5}));
    return operation;
}

TEST(OmittedInputs, runAnLstmWithTheScratchBufferOfCoupledGates) {
    expectOutputsWithoutOmittedInputs(lstmWithoutInputGate());
}

TEST(OmittedInputs, areCheckedIfTheRequestGivesThem) {
    TestOperation operation = lstmWithoutInputGate();
    for (const std::size_t input : {1U, 5U, 12U}) {
        operation.inputs[input] = randomFloats(operation.inputs[input].dimensions);
    }
    OperationModel model(operation);
    EXPECT_EQ(model.refusal(),
              "operation 0: LSTM output 0: shape 2x20; must agree with the model's 2x15");
}

TEST(OmittedInputs, leaveTheOtherInputsToTheCheckOfTheModel) {
    TestOperation operation = lstmWithoutInputGate();
    operation.inputs[2] = randomFloats({5, 3});
    OperationModel model(operation);
    EXPECT_EQ(model.refusal(),
              "not prepared: operation 0: LSTM input 2 (input-to-forget weights): size 3 of axis "
              "1; must be 4, the size of the input");
}

/// Three steps of two batches in both directions, time major: 4 inputs and 5 units forwards, an
/// auxiliary input of 6 and 3 units backwards.
TestOperation linkedRnn(const Dimensions& forward, const Dimensions& backward) {
    return {OperationType::BIDIRECTIONAL_SEQUENCE_RNN,
            {randomFloats({3, 2, 4}), randomFloats({5, 4}), randomFloats({5, 5}), randomFloats({5}),
             randomFloats({2, 5}), randomFloats({3, 6}), randomFloats({3, 3}), randomFloats({3}),
             randomFloats({2, 3}), randomFloats({3, 2, 6}), omittedFloats(forward),
             omittedFloats(backward), scalar(4), scalar(true), scalar(false)},
            {tensor(TENSOR_FLOAT32, {3, 2, 5}), tensor(TENSOR_FLOAT32, {3, 2, 3})}};
}

TEST(OmittedInputs, linkTheLayersOfAnRnnInParallel) {
    expectOutputsWithoutOmittedInputs(linkedRnn({5, 6}, {3, 6}));
    expectOutputsWithoutOmittedInputs(linkedRnn({5, 4}, {3, 4}));
}

TEST(OmittedInputs, mayBeAnAuxiliaryInputOfAnySize) {
    TestOperation operation = linkedRnn({5, 6}, {3, 6});
    operation.inputs[5] = randomFloats({3, 4});
    operation.inputs[9] = omittedFloats({3, 2, 9});
    expectOutputsWithoutOmittedInputs(operation);
}

/// The same with LSTMs of 5 units, whose auxiliary weights have `auxiliarySize` columns.
TestOperation linkedLstm(std::uint32_t auxiliarySize) {
    TestOperation operation{
        OperationType::BIDIRECTIONAL_SEQUENCE_LSTM, {randomFloats({3, 2, 4})}, {}};
    auto& inputs = operation.inputs;
    for (const std::uint32_t inputSize : {4U, 6U}) {
        inputs.insert(inputs.end(), 4, randomFloats({5, inputSize}));
        inputs.insert(inputs.end(), 4, randomFloats({5, 5}));
        inputs.insert(inputs.end(), 3, omittedFloats({5}));  // peepholes
        inputs.insert(inputs.end(), 4, randomFloats({5}));
        inputs.insert(inputs.end(), {omittedFloats({5, 5}), omittedFloats({5})});  // projection
    }
    inputs.insert(inputs.end(), 4, randomFloats({2, 5}));  // states
    inputs.push_back(randomFloats({3, 2, 6}));
    inputs.insert(inputs.end(), 8, omittedFloats({5, auxiliarySize}));
    inputs.insert(inputs.end(),
                  {scalar(4), scalar(0.0F), scalar(0.0F), scalar(false), scalar(true)});
    operation.outputs.assign(2, tensor(TENSOR_FLOAT32, {3, 2, 5}));
    return operation;
}

TEST(OmittedInputs, linkTheLayersOfAnLstmInParallel) {
    expectOutputsWithoutOmittedInputs(linkedLstm(6));
    expectOutputsWithoutOmittedInputs(linkedLstm(4));
}

TEST(OmittedInputs, leaveTheOtherInputsOfLinkedLayersToTheCheckOfTheModel) {
    TestOperation rnn = linkedRnn({5, 6}, {3, 6});
    rnn.inputs[6] = randomFloats({3, 4});
    EXPECT_EQ(OperationModel(rnn).refusal(),
              "not prepared: operation 0: BIDIRECTIONAL_SEQUENCE_RNN input 6 (recurrent weights): "
              "size 4 of axis 1; must be 3, the number of units (of the weights)");
    TestOperation lstm = linkedLstm(6);
    lstm.inputs[2] = randomFloats({5, 3});
    EXPECT_EQ(OperationModel(lstm).refusal(),
              "not prepared: operation 0: BIDIRECTIONAL_SEQUENCE_LSTM input 2 (input-to-forget "
              "weights): size 3 of axis 1; must be 4, the size of the input");
}

TEST(OmittedInputs, mayBeAWeightOfLshProjectionOfAnyShape) {
    for (const Dimensions& dimensions : {Dimensions{5}, Dimensions{3, 2}}) {
        expectOutputsWithoutOmittedInputs(
            {OperationType::LSH_PROJECTION,
             {randomFloats({3, 7}), int32s({3, 2}, {1, 2, 3, 4, 5, 6}), omittedFloats(dimensions),
              scalar(1)},
             {tensor(TENSOR_INT32, {3})}});
    }
}

}  // namespace
}  // namespace nnburst::exec
