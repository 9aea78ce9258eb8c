// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of recurrent operators for whole sequences: [time, batches, depth] if the options say
/// that time is first, else [batches, time, depth]. Since HAL 1.3 the states after the last step
/// are outputs, after the results.

#include <array>
#include <span>

#include "memory/checked_math.h"
#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/recurrent.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The shape of a sequence like input 0 with `depth` values a step.
Dimensions sequenceShape(OperatorImport& op, std::uint32_t depth) {
    return {sizeAt(op.shape(0), 0), sizeAt(op.shape(0), 1), depth};
}

/// Adds outputs for the next values of these states.
Result<> addStates(OperatorImport& op, std::initializer_list<std::size_t> states,
                   std::vector<std::uint32_t>& outputs) {
    for (const std::size_t state : states) {
        NNBURST_TRY_ASSIGN(const std::uint32_t next, op.nextState(state));
        outputs.push_back(next);
    }
    return {};
}

/// The results of both directions: joined in one output if `isMerged`, else each in its own.
Result<std::vector<std::uint32_t>> bidirectionalResults(OperatorImport& op, bool isMerged,
                                                        std::uint32_t forwardDepth,
                                                        std::uint32_t backwardDepth) {
    const std::size_t count = isMerged ? 1 : 2;
    if (op.outputCount() != count) {
        return invalid("{} outputs: must be {} with merge_outputs {}", op.outputCount(), count,
                       isMerged);
    }
    if (isMerged) {
        const bool isKnownDepth = forwardDepth != 0 && backwardDepth != 0;
        op.inferOutputShape(sequenceShape(
            op, isKnownDepth ? checkedAdd(forwardDepth, backwardDepth).value_or(0) : 0));
        return std::vector<std::uint32_t>{op.output()};
    }
    op.inferOutputShape(sequenceShape(op, forwardDepth), 0);
    op.inferOutputShape(sequenceShape(op, backwardDepth), 1);
    return std::vector<std::uint32_t>{op.output(0), op.output(1)};
}

/// The steps of input 0 along `axis`, [batches, depth] each.
Result<std::vector<std::uint32_t>> splitSteps(OperatorImport& op, std::uint32_t axis,
                                              std::uint32_t steps) {
    const Dimensions sequence = op.shape(0);
    Dimensions part = sequence;
    part[axis] = 1;
    Dimensions step = sequence;
    step.erase(step.begin() + axis);
    std::vector<std::uint32_t> parts;
    for (std::uint32_t i = 0; i < steps; ++i) {
        parts.push_back(op.temporaryLike(op.input(0), part));
    }
    const auto halAxis = static_cast<std::int32_t>(axis);
    op.add(OperationType::SPLIT,
           {op.input(0), op.scalar(halAxis), op.scalar(static_cast<std::int32_t>(steps))}, parts);
    NNBURST_TRY_ASSIGN(const std::uint32_t axes, op.constant(std::span(&halAxis, 1)));
    for (std::uint32_t& tensor : parts) {
        const std::uint32_t squeezed = op.temporaryLike(tensor, step);
        op.add(OperationType::SQUEEZE, {tensor, axes}, {squeezed});
        tensor = squeezed;
    }
    return parts;
}

/// The HAL's QUANTIZED_LSTM computes one step, so there is one for each.
Result<> addQuantizedSteps(OperatorImport& lstm,
                           const schema::UnidirectionalSequenceLSTMOptions& options) {
    constexpr std::uint32_t kMaximumSteps = 1024;
    constexpr std::uint64_t kBytesPerStep = 256;
    const std::uint32_t axis = options.time_major() ? 0 : 1;
    const std::uint32_t steps = sizeAt(lstm.shape(0), axis);
    if (lstm.shape(0).size() != 3 || steps == 0 || steps > kMaximumSteps) {
        return invalid("input of shape {}: must have 3 dimensions, and 1 to {} steps along axis {}",
                       dimensionsText(lstm.shape(0)), kMaximumSteps, axis);
    }
    // Each step takes memory, but the file has as many bytes for few as for many.
    NNBURST_TRY(lstm.tensors().file().takeConstantBytes(steps * kBytesPerStep));
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs,
                       quantizedLstmInputs(lstm, options.fused_activation_function(),
                                           options.cell_clip(), options.proj_clip()));
    NNBURST_TRY_ASSIGN(const std::vector<std::uint32_t> parts, splitSteps(lstm, axis, steps));
    NNBURST_TRY_ASSIGN(const std::uint32_t lastOutput, lstm.nextState(kOutputState));
    NNBURST_TRY_ASSIGN(const std::uint32_t lastCells, lstm.nextState(kCellState));
    const Dimensions outputShape = lstm.operand(lastOutput).dimensions;
    const Dimensions cellShape = lstm.operand(lastCells).dimensions;
    Dimensions resultShape = sequenceShape(lstm, sizeAt(outputShape, 1));
    resultShape[axis] = 1;
    const std::uint32_t halAxis = lstm.scalar(static_cast<std::int32_t>(axis));
    std::vector<std::uint32_t> results;
    for (std::uint32_t step = 0; step < steps; ++step) {
        const bool isLast = step + 1 == steps;
        const std::uint32_t output =
            isLast ? lastOutput : lstm.temporaryLike(lastOutput, outputShape);
        const std::uint32_t cells = isLast ? lastCells : lstm.temporaryLike(lastCells, cellShape);
        const std::uint32_t result = lstm.temporaryLike(lstm.output(), outputShape);
        inputs[0] = parts[step];
        lstm.add(OperationType::QUANTIZED_LSTM, inputs, {output, cells, result});
        inputs[kOutputState] = output;
        inputs[kCellState] = cells;
        results.push_back(lstm.temporaryLike(lstm.output(), resultShape));
        lstm.add(OperationType::EXPAND_DIMS, {result, halAxis}, {results.back()});
    }
    results.push_back(halAxis);
    lstm.add(OperationType::CONCATENATION, std::move(results), {lstm.output()});
    return {};
}

}  // namespace

Result<> convertUnidirectionalSequenceLstm(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options,
                       op.options<schema::UnidirectionalSequenceLSTMOptions>());
    if (options->diagonal_recurrent_tensors()) {
        return invalid("diagonal_recurrent_tensors is not supported");
    }
    op.inferOutputShape(sequenceShape(op, sizeAt(op.shape(kOutputState), 1)));
    if (op.type(0) == OperandType::TENSOR_QUANT8_ASYMM_SIGNED) {
        return addQuantizedSteps(op, *options);
    }

    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs, floatInputs(op, 0, kCellState + 1));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       recurrentActivation(op, options->fused_activation_function()));
    inputs.insert(inputs.end(),
                  {activation, op.scalar(options->cell_clip()), op.scalar(options->proj_clip()),
                   op.scalar(options->time_major())});
    NNBURST_TRY(addLayerNorm(op, inputs));
    std::vector<std::uint32_t> outputs{op.output()};
    NNBURST_TRY(addStates(op, {kOutputState, kCellState}, outputs));
    op.add(operation, std::move(inputs), std::move(outputs));
    return {};
}

Result<> convertUnidirectionalSequenceRnn(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kHiddenState = 4;
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::SequenceRNNOptions>());
    op.inferOutputShape(sequenceShape(op, sizeAt(op.shape(1), 0)));

    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs, floatInputs(op, 0, kHiddenState + 1));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       recurrentActivation(op, options->fused_activation_function()));
    inputs.push_back(activation);
    inputs.push_back(op.scalar(std::int32_t{options->time_major()}));
    std::vector<std::uint32_t> outputs{op.output()};
    NNBURST_TRY(addStates(op, {kHiddenState}, outputs));
    op.add(operation, std::move(inputs), std::move(outputs));
    return {};
}

Result<> convertBidirectionalSequenceLstm(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kForwardState = 35;
    constexpr std::size_t kForwardCells = 36;
    constexpr std::size_t kBackwardState = 37;
    constexpr std::size_t kBackwardCells = 38;
    constexpr std::size_t kInputs = 48;
    constexpr std::size_t kNormalizations = 8;  // weights of layer normalisation
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::BidirectionalSequenceLSTMOptions>());
    NNBURST_TRY_ASSIGN(
        std::vector<std::uint32_t> outputs,
        bidirectionalResults(op, options->merge_outputs(), sizeAt(op.shape(kForwardState), 1),
                             sizeAt(op.shape(kBackwardState), 1)));
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs, floatInputs(op, 0, kInputs));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       recurrentActivation(op, options->fused_activation_function()));
    inputs.insert(inputs.end(),
                  {activation, op.scalar(options->cell_clip()), op.scalar(options->proj_clip()),
                   op.scalar(options->merge_outputs()), op.scalar(options->time_major())});
    for (std::size_t i = 0; i < kNormalizations; ++i) {
        inputs.push_back(op.omitted(OperandType::TENSOR_FLOAT32));
    }
    NNBURST_TRY(
        addStates(op, {kForwardState, kForwardCells, kBackwardState, kBackwardCells}, outputs));
    op.add(operation, std::move(inputs), std::move(outputs));
    return {};
}

Result<> convertBidirectionalSequenceRnn(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kForwardWeights = 1;
    constexpr std::size_t kForwardState = 4;
    constexpr std::size_t kBackwardWeights = 5;
    constexpr std::size_t kBackwardState = 8;
    constexpr std::size_t kInputs = 12;
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::BidirectionalSequenceRNNOptions>());
    NNBURST_TRY_ASSIGN(
        std::vector<std::uint32_t> outputs,
        bidirectionalResults(op, options->merge_outputs(), sizeAt(op.shape(kForwardWeights), 0),
                             sizeAt(op.shape(kBackwardWeights), 0)));
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs, floatInputs(op, 0, kInputs));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       recurrentActivation(op, options->fused_activation_function()));
    inputs.insert(inputs.end(), {activation, op.scalar(options->time_major()),
                                 op.scalar(options->merge_outputs())});
    NNBURST_TRY(addStates(op, {kForwardState, kBackwardState}, outputs));
    op.add(operation, std::move(inputs), std::move(outputs));
    return {};
}

}  // namespace nnburst::tflite
