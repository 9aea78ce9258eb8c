// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN.
//
//     input    [time, batches, inputSize] or [batches, time, inputSize]
//     weights  [units, inputSize], recurrent weights [units, units], bias [units] and hidden state
//              [batches, units] of one layer, or of a forward and a backward one
//     auxiliary input and weights [units, auxiliarySize] of both layers: bidirectional only,
//              optional
//     output   [time, batches, units] or [batches, time, units], one for each layer, or both side
//              by side (merged); then, since HAL 1.3, the hidden state of each layer
//
// A step is that of RNN. The backward layer goes through the sequence from its end. An auxiliary
// input without auxiliary weights is the input of the backward layer; with weights it is a second
// input of both layers.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/cell_activation.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/sequence.h"
#include "exec/reference/weighted_sum.h"
#include "model/invalid.h"

namespace nnburst::exec {

namespace {
namespace sequence_rnn {

constexpr std::size_t kNone = SIZE_MAX;

/// Where the tensors of a layer are.
struct Layer {
    std::size_t input = 0;  ///< kNone while it is not known
    std::size_t weights = 1;
    std::size_t auxiliary = kNone;
    std::size_t auxiliaryWeights = kNone;

    [[nodiscard]] std::size_t recurrentWeights() const noexcept { return weights + 1; }
    [[nodiscard]] std::size_t bias() const noexcept { return weights + 2; }
    [[nodiscard]] std::size_t state() const noexcept { return weights + 3; }
};

constexpr std::size_t kBackwardWeights = 5;
constexpr std::size_t kAuxiliary = 9;
constexpr std::size_t kForwardAuxiliaryWeights = 10;
constexpr std::size_t kBackwardAuxiliaryWeights = 11;

bool isBidirectional(const OperationView& operation) noexcept {
    return operation.type == OperationType::BIDIRECTIONAL_SEQUENCE_RNN;
}

std::size_t activationInput(const OperationView& operation) noexcept {
    return isBidirectional(operation) ? 12 : 5;
}

struct Layers {
    Layer forward;
    Layer backward;
    bool isTimeMajor = false;
    bool isMerged = false;
    /// The request may still leave the auxiliary weights out, which changes the layers.
    bool areUndecided = false;

    [[nodiscard]] std::size_t outputs(const OperationView& operation) const noexcept {
        return isBidirectional(operation) && !isMerged ? 2 : 1;
    }
};

/// Whether a request may leave out input `index`, which the model gives: its size is not known.
bool mayBeLeftOut(const OperationView& operation, std::size_t index) noexcept {
    return !isShapeKnown(operation.inputs[index]);
}

Result<Layers> readLayers(const OperationView& operation) {
    Layers layers;
    if (!isBidirectional(operation)) {
        NNBURST_TRY_ASSIGN(const std::int32_t isTimeMajor,
                           readConstantInt32(operation, 6, "time major", 0));
        if (isTimeMajor > 1) {
            return invalid("{} input 6 (time major): value {}; must be 0 or 1",
                           toString(operation.type), isTimeMajor);
        }
        layers.isTimeMajor = isTimeMajor != 0;
        return layers;
    }
    ScalarReads reads;
    NNBURST_TRY(reads.take(readFlag(operation, 13, "time major"), layers.isTimeMajor));
    NNBURST_TRY(reads.take(readFlag(operation, 14, "merged"), layers.isMerged));
    NNBURST_TRY(reads.result());
    layers.backward.weights = kBackwardWeights;
    if (!operation.has(kAuxiliary)) {
        for (const std::size_t index : {kForwardAuxiliaryWeights, kBackwardAuxiliaryWeights}) {
            if (operation.has(index) && !mayBeLeftOut(operation, index)) {
                return invalid("{} input {} (auxiliary weights); must be left out without input {}",
                               toString(operation.type), index, kAuxiliary);
            }
        }
        return layers;
    }
    if (operation.has(kForwardAuxiliaryWeights) || operation.has(kBackwardAuxiliaryWeights)) {
        layers.forward.auxiliary = kAuxiliary;
        layers.forward.auxiliaryWeights = kForwardAuxiliaryWeights;
        layers.backward.auxiliary = kAuxiliary;
        layers.backward.auxiliaryWeights = kBackwardAuxiliaryWeights;
        const auto isOpen = [&](std::size_t index) {
            return operation.has(index) && mayBeLeftOut(operation, index);
        };
        layers.areUndecided = isOpen(kForwardAuxiliaryWeights) || isOpen(kBackwardAuxiliaryWeights);
    } else {
        layers.backward.input = kAuxiliary;
    }
    return layers;
}

void checkRanks(OperationCheck& check, const Layer& layer) {
    check.input(0, "input").rank(3);
    check.optionalInput(layer.input, "input").rank(3);
    check.input(layer.weights, "weights").rank(2);
    check.input(layer.recurrentWeights(), "recurrent weights").rank(2);
    check.input(layer.bias(), "bias").rank(1);
    check.input(layer.state(), "hidden state in").rank(2);
}

void checkLayer(OperationCheck& check, const Layer& layer, bool isTimeMajor) {
    constexpr const char* kUnits = "the number of units (of the weights)";
    checkRanks(check, layer);
    const OperandCheck first = check.input(0, "input");
    OperandCheck input = check.optionalInput(layer.input, "input");
    input.size(0, first[0], "that of the input").size(1, first[1], "that of the input");
    const OperandCheck weights = check.input(layer.weights, "weights")
                                     .notEmpty(0)
                                     .size(1, input[2], "the size of the input");
    check.input(layer.recurrentWeights(), "recurrent weights")
        .size(0, weights[0], kUnits)
        .size(1, weights[0], kUnits);
    check.input(layer.bias(), "bias").size(0, weights[0], kUnits);
    check.input(layer.state(), "hidden state in")
        .size(0, first[isTimeMajor ? 1 : 0], "the batch size of the input")
        .size(1, weights[0], kUnits);
    if (layer.auxiliary != kNone) {
        const OperandCheck auxiliary = check.input(layer.auxiliary, "auxiliary input")
                                           .rank(3)
                                           .size(0, first[0], "that of the input")
                                           .size(1, first[1], "that of the input");
        check.input(layer.auxiliaryWeights, "auxiliary weights")
            .rank(2)
            .size(0, weights[0], kUnits)
            .size(1, auxiliary[2], "the size of the auxiliary input");
    }
}

Result<std::array<Shape, 4>> computeOutputShapes(const OperationView& operation,
                                                 const Layers& layers) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkLayer(check, layers.forward, layers.isTimeMajor);
    if (isBidirectional(operation)) {
        checkLayer(check, layers.backward, layers.isTimeMajor);
    }
    NNBURST_TRY(check.result());
    const Shape& input = operation.inputs[0].shape;
    const std::uint32_t batches = input[layers.isTimeMajor ? 1 : 0];
    const std::uint32_t forwardUnits = operation.inputs[layers.forward.weights].shape[0];
    const Shape forward{input[0], input[1], forwardUnits};
    if (!isBidirectional(operation)) {
        return std::array{forward, Shape{batches, forwardUnits}, Shape{}, Shape{}};
    }
    const std::uint32_t backwardUnits = operation.inputs[layers.backward.weights].shape[0];
    const Shape forwardState{batches, forwardUnits};
    const Shape backwardState{batches, backwardUnits};
    if (!layers.isMerged) {
        return std::array{forward, Shape{input[0], input[1], backwardUnits}, forwardState,
                          backwardState};
    }
    NNBURST_TRY_ASSIGN(
        const Shape merged,
        makeOutputShape(operation, 0,
                        std::array<std::uint64_t, 3>{input[0], input[1],
                                                     std::uint64_t{forwardUnits} + backwardUnits}));
    return std::array{merged, forwardState, backwardState, Shape{}};
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(isBidirectional(operation) ? 15 : 7);
    const OperandCheck input =
        check.input(0, "input").type({OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16});
    for (std::size_t i = 1; i < activationInput(operation); ++i) {
        check.optionalInput(i, "tensor").sameTypeAs(input);
    }
    checkRanks(check, {});
    if (isBidirectional(operation)) {
        checkRanks(check, {.weights = kBackwardWeights});
    }
    // An output of each layer, or one of both; then perhaps the state of each.
    const std::size_t layerCount = isBidirectional(operation) ? 2 : 1;
    const std::size_t count = operation.outputs.size();
    check.require(count >= 1 && count <= 2 * layerCount, [&] {
        return fmt::format("{} outputs; must be 1 to {}", count, 2 * layerCount);
    });
    for (std::size_t i = 0; i < count; ++i) {
        check.output(i, "output").sameTypeAs(input);
    }
    NNBURST_TRY(check.result());
    check.since(HalVersion::V1_3, count > layerCount);
    ScalarReads reads;
    Layers layers;
    CellActivation activation = CellActivation::NONE;
    NNBURST_TRY(reads.take(readLayers(operation), layers));
    NNBURST_TRY(reads.take(readCellActivation(operation, activationInput(operation)), activation));
    NNBURST_TRY(reads.result());
    if (layers.areUndecided) {  // checks what holds of the layers in any case
        layers.forward = {};
        layers.backward = {.input = kNone, .weights = kBackwardWeights};
    }
    checkLayer(check, layers.forward, layers.isTimeMajor);
    if (isBidirectional(operation)) {
        checkLayer(check, layers.backward, layers.isTimeMajor);
    }
    const std::size_t outputs = layers.outputs(operation);
    check.require(count == outputs || count == outputs + layerCount, [&] {
        return fmt::format("{} outputs; must be {}, or {} with the states", count, outputs,
                           outputs + layerCount);
    });
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Layers layers, readLayers(operation));
    NNBURST_TRY_ASSIGN(const auto shapes, computeOutputShapes(operation, layers));
    std::copy_n(shapes.begin(), outputs.size(), outputs.begin());
    return {};
}

/// Memory for a row of the new state, and for the states of all batches, which are as large as any
/// element.
std::size_t scratchBytes(const OperationView& operation) {
    const auto layers = readLayers(operation);
    if (!layers) {
        return 0;
    }
    const Shape& input = operation.inputs[0].shape;
    const std::size_t batches = input[layers->isTimeMajor ? 1 : 0];
    std::size_t units = operation.inputs[layers->forward.weights].shape[0];
    if (isBidirectional(operation)) {
        units = std::max<std::size_t>(units, operation.inputs[layers->backward.weights].shape[0]);
    }
    return (batches + 1) * units * sizeof(float);
}

/// Goes through the sequence with one layer. `stateOut` may be null.
template <class T>
void runLayer(const OperationView& operation, const Layer& layer, CellActivation activation,
              bool isTimeMajor, bool isBackward, const SequenceOutput<T>& output, T* stateOut,
              std::span<std::byte> scratch) {
    const auto data = [&](std::size_t index) {
        return index == kNone ? nullptr : operation.inputs[index].as<const T>();
    };
    const auto lastSize = [&](std::size_t index) -> std::size_t {
        return index == kNone ? 0 : operation.inputs[index].shape[2];
    };
    const Sequence sequence(operation.inputs[0].shape, isTimeMajor);
    if (sequence.batches == 0) {
        return;
    }
    const std::size_t inputSize = lastSize(layer.input);
    const std::size_t auxiliarySize = lastSize(layer.auxiliary);
    const std::size_t units = operation.inputs[layer.weights].shape[0];
    const T* const input = data(layer.input);
    const T* const weights = data(layer.weights);
    const T* const recurrentWeights = data(layer.recurrentWeights());
    const T* const bias = data(layer.bias());
    const T* const auxiliary = data(layer.auxiliary);
    const T* const auxiliaryWeights = data(layer.auxiliaryWeights);
    auto* const newState = reinterpret_cast<float*>(scratch.data());
    T* const states = reinterpret_cast<T*>(newState + units);
    std::copy_n(data(layer.state()), sequence.batches * units, states);
    for (std::size_t i = 0; i < sequence.steps; ++i) {
        const std::size_t step = isBackward ? sequence.steps - 1 - i : i;
        for (std::size_t batch = 0; batch < sequence.batches; ++batch) {
            const std::size_t row = sequence.row(step, batch);
            T* const state = states + batch * units;
            for (std::size_t u = 0; u < units; ++u) {
                float sum =
                    dotProduct(weights + u * inputSize, input + row * inputSize, inputSize) +
                    dotProduct(recurrentWeights + u * units, state, units) +
                    static_cast<float>(bias[u]);
                if (auxiliary != nullptr) {
                    sum += dotProduct(auxiliaryWeights + u * auxiliarySize,
                                      auxiliary + row * auxiliarySize, auxiliarySize);
                }
                newState[u] = sum;
                if (operation.isOutOfTime(inputSize + units + auxiliarySize)) {
                    return;
                }
            }
            activate(operation, activation, {newState, units});
            std::transform(newState, newState + units, state,
                           [](float value) { return static_cast<T>(value); });
            std::copy_n(state, units, output.row(row));
        }
    }
    if (stateOut != nullptr) {
        std::copy_n(states, sequence.batches * units, stateOut);
    }
}

template <class T>
void runLayers(const OperationView& operation, const Layers& layers, CellActivation activation,
               std::span<std::byte> scratch) {
    const std::size_t outputs = layers.outputs(operation);
    const auto state = [&](std::size_t layer) {
        return operation.outputs.size() > outputs ? operation.outputs[outputs + layer].as<T>()
                                                  : nullptr;
    };
    const auto output = [&](std::size_t index, std::size_t offset) {
        return SequenceOutput<T>{.data = operation.outputs[index].as<T>(),
                                 .rowSize = operation.outputs[index].shape[2],
                                 .offset = offset};
    };
    runLayer<T>(operation, layers.forward, activation, layers.isTimeMajor, false, output(0, 0),
                state(0), scratch);
    if (isBidirectional(operation)) {
        const std::size_t forwardUnits = operation.inputs[layers.forward.weights].shape[0];
        runLayer<T>(operation, layers.backward, activation, layers.isTimeMajor, true,
                    layers.isMerged ? output(0, forwardUnits) : output(1, 0), state(1), scratch);
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const Layers layers, readLayers(operation));
    NNBURST_TRY_ASSIGN(const auto shapes, computeOutputShapes(operation, layers));
    for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        NNBURST_TRY(requireOutputShape(operation, i, shapes[i]));
    }
    NNBURST_TRY_ASSIGN(const CellActivation activation,
                       readCellActivation(operation, activationInput(operation)));
    dispatchFloat(operation.inputs[0].type,
                  [&]<class T>() { runLayers<T>(operation, layers, activation, scratch); });
    return {};
}

constexpr OperationDefinition kFamily{
    .type = OperationType::UNIDIRECTIONAL_SEQUENCE_RNN,
    .since = HalVersion::V1_2,
    .optionalInputs = inputs(kAuxiliary, kForwardAuxiliaryWeights, kBackwardAuxiliaryWeights),
    .check = check,
    .inferShapes = inferShapes,
    .scratchBytes = scratchBytes,
    .run = run};

}  // namespace sequence_rnn
}  // namespace

constinit const OperationDefinition kUnidirectionalSequenceRnn = sequence_rnn::kFamily;
constinit const OperationDefinition kBidirectionalSequenceRnn =
    sequence_rnn::kFamily.with(OperationType::BIDIRECTIONAL_SEQUENCE_RNN, HalVersion::V1_2);

}  // namespace nnburst::exec
