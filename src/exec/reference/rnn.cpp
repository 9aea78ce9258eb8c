// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// RNN: one time step.
//
//     input              [batches, inputSize]
//     weights            [units, inputSize]
//     recurrent weights  [units, units]
//     bias               [units]
//     hidden state       [batches, units], in and out; may be updated in place
//     output             [batches, units], equal to the hidden state out
//
//     output[b, u] = activation(sum over i of input[b, i] * weights[u, i]
//                               + sum over v of state[b, v] * recurrentWeights[u, v] + bias[u])

#include "exec/operation/operation_check.h"
#include "exec/reference/cell_activation.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/weighted_sum.h"

namespace nnburst::exec {

namespace {
namespace rnn {

constexpr std::size_t kActivation = 5;

enum Output : std::size_t { kHiddenState = 0, kOutput = 1 };

void checkShapes(OperationCheck& check) {
    constexpr const char* kUnits = "the number of units (of input 1)";
    const OperandCheck input = check.input(0, "input").rank(2);
    const OperandCheck weights =
        check.input(1, "weights").rank(2).notEmpty(0).size(1, input[1], "the size of the input");
    check.input(2, "recurrent weights")
        .rank(2)
        .size(0, weights[0], kUnits)
        .size(1, weights[0], kUnits);
    check.input(3, "bias").rank(1).size(0, weights[0], kUnits);
    check.input(4, "hidden state in")
        .rank(2)
        .size(0, input[0], "the batch size of the input")
        .size(1, weights[0], kUnits);
}

Result<Shape> computeOutputShape(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    return Shape{operation.inputs[0].shape[0], operation.inputs[1].shape[0]};
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(6).outputCount(2);
    const OperandCheck input =
        check.input(0, "input").type({OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16});
    check.input(1, "weights").sameTypeAs(input);
    check.input(2, "recurrent weights").sameTypeAs(input);
    check.input(3, "bias").sameTypeAs(input);
    check.input(4, "hidden state in").sameTypeAs(input);
    checkShapes(check);
    check.output(kHiddenState, "hidden state out").sameTypeAs(input).rank(2);
    check.output(kOutput, "output").sameTypeAs(input).rank(2);
    NNBURST_TRY(check.result());
    NNBURST_TRY(readCellActivation(operation, kActivation));
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(computeOutputShape(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    outputs[kHiddenState] = shape;
    outputs[kOutput] = shape;
    return {};
}

/// Memory for a row of the new state, which is completed before it replaces the old one.
std::size_t scratchBytes(const OperationView& operation) {
    return operation.inputs[1].shape[0] * sizeof(float);
}

template <class T>
void step(const OperationView& operation, CellActivation activation, float* newState) {
    const T* input = operation.inputs[0].as<const T>();
    const T* weights = operation.inputs[1].as<const T>();
    const T* recurrentWeights = operation.inputs[2].as<const T>();
    const T* bias = operation.inputs[3].as<const T>();
    const T* stateIn = operation.inputs[4].as<const T>();
    T* stateOut = operation.outputs[kHiddenState].as<T>();
    T* output = operation.outputs[kOutput].as<T>();
    const std::size_t batches = operation.inputs[0].shape[0];
    const std::size_t inputSize = operation.inputs[0].shape[1];
    const std::size_t units = operation.inputs[1].shape[0];
    for (std::size_t b = 0; b < batches; ++b) {
        for (std::size_t u = 0; u < units; ++u) {
            newState[u] = dotProduct(weights + u * inputSize, input + b * inputSize, inputSize) +
                          dotProduct(recurrentWeights + u * units, stateIn + b * units, units) +
                          static_cast<float>(bias[u]);
            if (operation.isOutOfTime(inputSize + units)) {
                return;
            }
        }
        activate(operation, activation, {newState, units});
        for (std::size_t u = 0; u < units; ++u) {
            const T element = static_cast<T>(newState[u]);
            stateOut[b * units + u] = element;
            output[b * units + u] = element;
        }
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    NNBURST_TRY(requireOutputShape(operation, kHiddenState, shape));
    NNBURST_TRY(requireOutputShape(operation, kOutput, shape));
    NNBURST_TRY_ASSIGN(const CellActivation activation, readCellActivation(operation, kActivation));
    dispatchFloat(operation.inputs[0].type, [&]<class T>() {
        step<T>(operation, activation, reinterpret_cast<float*>(scratch.data()));
    });
    return {};
}

}  // namespace rnn
}  // namespace

constinit const OperationDefinition kRnn{
    .type = OperationType::RNN,
    .since = HalVersion::V1_0,
    .check = rnn::check,
    .inferShapes = rnn::inferShapes,
    .scratchBytes = rnn::scratchBytes,
    .run = rnn::run,
};

}  // namespace nnburst::exec
