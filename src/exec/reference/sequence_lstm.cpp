// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// UNIDIRECTIONAL_SEQUENCE_LSTM and BIDIRECTIONAL_SEQUENCE_LSTM.
//
//     input    [time, batches, inputSize] or [batches, time, inputSize]
//     tensors  of one layer (see lstm_layer.h and the indexes below), or of a forward and a
//              backward one
//     output   [time, batches, outputSize] or [batches, time, outputSize], one for each layer, or
//              both side by side (merged); then, since HAL 1.3, output state and cell state of
//              each layer
//
// The backward layer goes through the sequence from its end. An auxiliary input without auxiliary
// weights is the input of the backward layer; with weights it is a second input of both layers.
// Between the steps the states are float32, as in AOSP: an operation on float16 rounds its outputs
// alone.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/lstm_layer.h"
#include "exec/reference/sequence.h"

namespace nnburst::exec {

namespace {
namespace sequence_lstm {

constexpr auto kNone = LstmLayer::kNone;

constexpr LstmLayer kUnidirectional{
    .indexes = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,     10,    11,    12,    13,   14,
                15, 16, 17, 18, 19, 24, 25, 26, 27, kNone, kNone, kNone, kNone, kNone},
    .inputRank = 3};
constexpr LstmLayer kForward{.indexes = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                         15, 16, 17, 35, 36, 53, 54, 55, 56, 39, 40, 41, 42, 43},
                             .inputRank = 3};
constexpr LstmLayer kBackward{
    .indexes = {0,  18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                32, 33, 34, 37, 38, 57, 58, 59, 60, 39, 44, 45, 46, 47},
    .inputRank = 3};

constexpr std::size_t kStateOutputs = 2;  ///< of a layer

/// Where the arguments of an operation are.
struct Form {
    std::size_t inputs;      ///< with layer normalisation
    std::size_t norms;       ///< its weights, which are the last inputs
    std::size_t activation;  ///< the first of three scalars
    std::size_t isMerged;    ///< 0 if there is none
    std::size_t isTimeMajor;
};

constexpr Form kUnidirectionalForm{28, 4, 20, 0, 23};
constexpr Form kBidirectionalForm{61, 8, 48, 51, 52};

bool isBidirectional(const OperationView& operation) noexcept {
    return operation.type == OperationType::BIDIRECTIONAL_SEQUENCE_LSTM;
}

std::size_t layerCount(const OperationView& operation) noexcept {
    return isBidirectional(operation) ? 2 : 1;
}

const Form& formOf(const OperationView& operation) noexcept {
    return isBidirectional(operation) ? kBidirectionalForm : kUnidirectionalForm;
}

struct Layers {
    LstmLayer forward;
    LstmLayer backward;  ///< of a bidirectional operation
    bool isMerged = false;
    bool isTimeMajor = false;
    /// The request may still leave the auxiliary weights out, which changes the layers.
    bool areUndecided = false;

    [[nodiscard]] std::size_t outputs(const OperationView& operation) const noexcept {
        return isBidirectional(operation) && !isMerged ? 2 : 1;
    }
};

Result<Layers> readLayers(const OperationView& operation) {
    const Form& form = formOf(operation);
    Layers layers{.forward = kUnidirectional, .backward = {}};
    ScalarReads reads;
    NNBURST_TRY(
        reads.take(readFlag(operation, form.isTimeMajor, "time major"), layers.isTimeMajor));
    if (isBidirectional(operation)) {
        NNBURST_TRY(reads.take(readFlag(operation, form.isMerged, "merged"), layers.isMerged));
        layers.forward = kForward;
        layers.backward = kBackward;
        const auto auxiliary = static_cast<std::size_t>(LstmTensor::AUXILIARY);
        if (layers.forward.has(operation, LstmTensor::AUXILIARY) &&
            !layers.forward.has(operation, LstmTensor::AUXILIARY_TO_OUTPUT)) {
            layers.backward.indexes[0] = layers.backward.indexes[auxiliary];
            layers.forward.indexes[auxiliary] = kNone;
            layers.backward.indexes[auxiliary] = kNone;
        } else if (layers.forward.has(operation, LstmTensor::AUXILIARY_TO_OUTPUT)) {
            layers.areUndecided =
                !isShapeKnown(layers.forward.operand(operation, LstmTensor::AUXILIARY_TO_OUTPUT));
        }
    }
    NNBURST_TRY(reads.result());
    layers.forward.batchAxis = layers.isTimeMajor ? 1 : 0;
    layers.backward.batchAxis = layers.forward.batchAxis;
    return layers;
}

Result<std::array<Shape, 6>> computeOutputShapes(const OperationView& operation,
                                                 const Layers& layers) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    layers.forward.checkShapes(check, operation);
    layers.forward.checkOptions(check, operation);
    if (isBidirectional(operation)) {
        layers.backward.checkShapes(check, operation);
        layers.backward.checkOptions(check, operation);
    }
    NNBURST_TRY(check.result());
    const Shape& input = operation.inputs[0].shape;
    const std::uint32_t batches = input[layers.forward.batchAxis];
    const std::uint32_t forwardSize = layers.forward.outputSize(operation);
    std::array<Shape, 6> shapes;
    std::size_t next = 0;
    const auto add = [&](const Shape& shape) { shapes[next++] = shape; };
    const auto addStates = [&](const LstmLayer& layer) {
        add(Shape{batches, layer.outputSize(operation)});
        add(Shape{batches, layer.units(operation)});
    };
    if (!isBidirectional(operation)) {
        add(Shape{input[0], input[1], forwardSize});
        addStates(layers.forward);
        return shapes;
    }
    const std::uint32_t backwardSize = layers.backward.outputSize(operation);
    if (layers.isMerged) {
        NNBURST_TRY_ASSIGN(
            const Shape merged,
            makeOutputShape(operation, 0,
                            std::array<std::uint64_t, 3>{
                                input[0], input[1], std::uint64_t{forwardSize} + backwardSize}));
        add(merged);
    } else {
        add(Shape{input[0], input[1], forwardSize});
        add(Shape{input[0], input[1], backwardSize});
    }
    addStates(layers.forward);
    addStates(layers.backward);
    return shapes;
}

/// Checks number, types and ranks of the operands, as far as they do not depend on scalars.
void checkForm(OperationCheck& check, const OperationView& operation) {
    const Form& form = formOf(operation);
    const std::size_t inputCount = operation.inputs.size();
    check.require(inputCount == form.inputs || inputCount == form.inputs - form.norms, [&] {
        return fmt::format("{} inputs; must be {}, or {} with layer normalization", inputCount,
                           form.inputs - form.norms, form.inputs);
    });
    const OperandCheck input =
        check.input(0, "input").type({OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16});
    const LstmLayer& first = isBidirectional(operation) ? kForward : kUnidirectional;
    first.checkTypes(check, input);
    first.checkRanks(check);
    if (isBidirectional(operation)) {
        kBackward.checkTypes(check, input);
        kBackward.checkRanks(check);
    }
    // An output of each layer, or one of both; then perhaps the states of each.
    const std::size_t layers = layerCount(operation);
    const std::size_t count = operation.outputs.size();
    const std::size_t states = kStateOutputs * layers;
    check.require(count == 1 || count == layers || count == 1 + states || count == layers + states,
                  [&] {
                      return fmt::format("{} outputs; must be {}", count,
                                         isBidirectional(operation) ? "1, 2, 5 or 6" : "1 or 3");
                  });
    for (std::size_t i = 0; i < count; ++i) {
        check.output(i, "output").sameTypeAs(input);
    }
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    checkForm(check, operation);
    NNBURST_TRY(check.result());
    // A layer has at most one output beside its states.
    const std::size_t count = operation.outputs.size();
    check.since(HalVersion::V1_3, count > layerCount(operation));
    ScalarReads reads;
    Layers layers;
    LstmParameters parameters;
    NNBURST_TRY(reads.take(readLayers(operation), layers));
    NNBURST_TRY(
        reads.take(readLstmParameters(operation, formOf(operation).activation), parameters));
    NNBURST_TRY(reads.result());
    const std::size_t outputs = layers.outputs(operation);
    const std::size_t states = kStateOutputs * layerCount(operation);
    check.require(count == outputs || count == outputs + states, [&] {
        return fmt::format("{} outputs; must be {}, or {} with the states", count, outputs,
                           outputs + states);
    });
    if (layers.areUndecided) {  // checks what holds of the layers in any case
        constexpr auto kAuxiliary = static_cast<std::size_t>(LstmTensor::AUXILIARY);
        layers.forward.indexes[kAuxiliary] = kNone;
        layers.backward.indexes[kAuxiliary] = kNone;
        layers.backward.indexes[static_cast<std::size_t>(LstmTensor::INPUT)] = kNone;
    }
    layers.forward.checkShapes(check, operation);
    if (isBidirectional(operation)) {
        layers.backward.checkShapes(check, operation);
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Layers layers, readLayers(operation));
    NNBURST_TRY_ASSIGN(const auto shapes, computeOutputShapes(operation, layers));
    std::copy_n(shapes.begin(), outputs.size(), outputs.begin());
    return {};
}

/// Elements of the states of all batches, which the steps update in place.
std::size_t stateElements(const OperationView& operation, const LstmLayer& layer) {
    return std::size_t{operation.inputs[0].shape[layer.batchAxis]} *
           (layer.units(operation) + std::size_t{layer.outputSize(operation)});
}

std::size_t scratchBytes(const OperationView& operation) {
    const auto layers = readLayers(operation);
    if (!layers) {
        return 0;
    }
    const auto bytes = [&](const LstmLayer& layer) {
        return layer.scratchBytes(operation) + stateElements(operation, layer) * sizeof(float);
    };
    return isBidirectional(operation) ? std::max(bytes(layers->forward), bytes(layers->backward))
                                      : bytes(layers->forward);
}

/// Copies `count` elements to those of another float type, until the run is out of time.
template <class From, class To>
void convertElements(const OperationView& operation, const From* from, std::size_t count, To* to) {
    forEachPart(operation, count, [&](std::size_t first, std::size_t last) {
        std::transform(from + first, from + last, to + first,
                       [](From element) { return static_cast<To>(element); });
    });
}

/// Goes through the sequence with one layer. `states` are outputs for its states, or none.
template <class T>
void runLayer(const OperationView& operation, const LstmLayer& layer,
              const LstmParameters& parameters, bool isTimeMajor, bool isBackward,
              const SequenceOutput<T>& output, std::span<const OperandView> states,
              std::span<std::byte> scratch) {
    const LstmCell<T> cell = layer.makeCell<T>(operation, parameters);
    const Sequence sequence(operation.inputs[0].shape, isTimeMajor);
    auto* const cellScratch = reinterpret_cast<float*>(scratch.data());
    auto* const outputState =
        reinterpret_cast<float*>(scratch.data() + layer.scratchBytes(operation));
    float* const cellState = outputState + sequence.batches * cell.outputSize;
    convertElements(operation, layer.operand(operation, LstmTensor::OUTPUT_STATE).as<const T>(),
                    sequence.batches * cell.outputSize, outputState);
    convertElements(operation, layer.operand(operation, LstmTensor::CELL_STATE).as<const T>(),
                    sequence.batches * cell.units, cellState);
    const T* const input = layer.operand(operation, LstmTensor::INPUT).as<const T>();
    const T* const auxiliary = layer.has(operation, LstmTensor::AUXILIARY)
                                   ? layer.operand(operation, LstmTensor::AUXILIARY).as<const T>()
                                   : nullptr;
    for (std::size_t i = 0; i < sequence.steps; ++i) {
        const std::size_t step = isBackward ? sequence.steps - 1 - i : i;
        for (std::size_t batch = 0; batch < sequence.batches; ++batch) {
            const std::size_t row = sequence.row(step, batch);
            float* const outputRow = outputState + batch * cell.outputSize;
            float* const cellRow = cellState + batch * cell.units;
            if (!cell.step(input + row * cell.inputSize,
                           auxiliary == nullptr ? nullptr : auxiliary + row * cell.auxiliarySize,
                           outputRow, cellRow, outputRow, cellRow, cellScratch)) {
                return;
            }
            convertElements(operation, outputRow, cell.outputSize, output.row(row));
        }
    }
    if (!states.empty()) {
        convertElements(operation, outputState, sequence.batches * cell.outputSize,
                        states[0].as<T>());
        convertElements(operation, cellState, sequence.batches * cell.units, states[1].as<T>());
    }
}

template <class T>
void runLayers(const OperationView& operation, const Layers& layers,
               const LstmParameters& parameters, std::span<std::byte> scratch) {
    const std::size_t outputs = layers.outputs(operation);
    const bool hasStates = operation.outputs.size() > outputs;
    const auto states = [&](std::size_t layer) {
        return hasStates ? operation.outputs.subspan(outputs + layer * kStateOutputs, kStateOutputs)
                         : std::span<const OperandView>();
    };
    const auto output = [&](std::size_t index, std::size_t offset) {
        return SequenceOutput<T>{.data = operation.outputs[index].as<T>(),
                                 .rowSize = operation.outputs[index].shape[2],
                                 .offset = offset};
    };
    runLayer<T>(operation, layers.forward, parameters, layers.isTimeMajor, false, output(0, 0),
                states(0), scratch);
    if (isBidirectional(operation)) {
        runLayer<T>(
            operation, layers.backward, parameters, layers.isTimeMajor, true,
            layers.isMerged ? output(0, layers.forward.outputSize(operation)) : output(1, 0),
            states(1), scratch);
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const Layers layers, readLayers(operation));
    NNBURST_TRY_ASSIGN(const auto shapes, computeOutputShapes(operation, layers));
    for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        NNBURST_TRY(requireOutputShape(operation, i, shapes[i]));
    }
    NNBURST_TRY_ASSIGN(const LstmParameters parameters,
                       readLstmParameters(operation, formOf(operation).activation));
    dispatchFloat(operation.inputs[0].type,
                  [&]<class T>() { runLayers<T>(operation, layers, parameters, scratch); });
    return {};
}

consteval OperationDefinition define(OperationType type, std::uint64_t optionalInputs) {
    return {.type = type,
            .since = HalVersion::V1_2,
            .optionalInputs = optionalInputs,
            .check = check,
            .inferShapes = inferShapes,
            .scratchBytes = scratchBytes,
            .run = run};
}

}  // namespace sequence_lstm
}  // namespace

constinit const OperationDefinition kUnidirectionalSequenceLstm = sequence_lstm::define(
    OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM, sequence_lstm::kUnidirectional.optionalInputs());
constinit const OperationDefinition kBidirectionalSequenceLstm = sequence_lstm::define(
    OperationType::BIDIRECTIONAL_SEQUENCE_LSTM,
    sequence_lstm::kForward.optionalInputs() | sequence_lstm::kBackward.optionalInputs());

}  // namespace nnburst::exec
