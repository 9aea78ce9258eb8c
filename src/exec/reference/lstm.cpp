// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// LSTM: one time step. Inputs and their shapes are in kOperands below; outputs are
//
//     0  a scratch buffer [batches, units * 4], or units * 3 with coupled gates, which is cleared
//     1  the output state after the step [batches, outputSize]
//     2  the cell state after the step [batches, units]
//     3  the output [batches, outputSize], equal to the output state
//
// The formulas are in lstm_cell.h. A state may be updated in place.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

#include "exec/activation.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/lstm_cell.h"
#include "exec/reference/operation_check.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {

/// Inputs that the rules or the kernel look at one by one.
enum Input : std::size_t {
    kInput = 0,
    kInputToInput = 1,
    kInputToForget = 2,
    kInputToCell = 3,
    kInputToOutput = 4,
    kRecurrentToInput = 5,
    kRecurrentToForget = 6,
    kRecurrentToCell = 7,
    kRecurrentToOutput = 8,
    kCellToInput = 9,
    kCellToForget = 10,
    kCellToOutput = 11,
    kInputGateBias = 12,
    kForgetGateBias = 13,
    kCellBias = 14,
    kOutputGateBias = 15,
    kProjection = 16,
    kProjectionBias = 17,
    kOutputStateIn = 18,
    kCellStateIn = 19,
    kActivation = 20,
    kCellClip = 21,
    kProjectionClip = 22,
    kInputNorm = 23,
    kForgetNorm = 24,
    kCellNorm = 25,
    kOutputNorm = 26,
};

constexpr std::size_t kInputsOfHal10 = 23;
constexpr std::size_t kInputsOfHal12 = 27;  ///< with layer normalisation

enum Output : std::size_t { kScratchBuffer = 0, kOutputState = 1, kCellState = 2, kOutput = 3 };

/// The sizes that shapes are made of.
enum class Size : std::uint8_t { BATCHES, INPUT, UNITS, OUTPUT, ABSENT };

struct TensorRule {
    Input index;
    const char* name;
    Size first;
    Size second = Size::ABSENT;
    bool isOptional = false;
};

constexpr auto kTensors = std::to_array<TensorRule>({
    {kInput, "input", Size::BATCHES, Size::INPUT},
    {kInputToInput, "input-to-input weights", Size::UNITS, Size::INPUT, true},
    {kInputToForget, "input-to-forget weights", Size::UNITS, Size::INPUT},
    {kInputToCell, "input-to-cell weights", Size::UNITS, Size::INPUT},
    {kInputToOutput, "input-to-output weights", Size::UNITS, Size::INPUT},
    {kRecurrentToInput, "recurrent-to-input weights", Size::UNITS, Size::OUTPUT, true},
    {kRecurrentToForget, "recurrent-to-forget weights", Size::UNITS, Size::OUTPUT},
    {kRecurrentToCell, "recurrent-to-cell weights", Size::UNITS, Size::OUTPUT},
    {kRecurrentToOutput, "recurrent-to-output weights", Size::UNITS, Size::OUTPUT},
    {kCellToInput, "cell-to-input weights", Size::UNITS, Size::ABSENT, true},
    {kCellToForget, "cell-to-forget weights", Size::UNITS, Size::ABSENT, true},
    {kCellToOutput, "cell-to-output weights", Size::UNITS, Size::ABSENT, true},
    {kInputGateBias, "input gate bias", Size::UNITS, Size::ABSENT, true},
    {kForgetGateBias, "forget gate bias", Size::UNITS},
    {kCellBias, "cell bias", Size::UNITS},
    {kOutputGateBias, "output gate bias", Size::UNITS},
    {kProjection, "projection weights", Size::OUTPUT, Size::UNITS, true},
    {kProjectionBias, "projection bias", Size::OUTPUT, Size::ABSENT, true},
    {kOutputStateIn, "output state in", Size::BATCHES, Size::OUTPUT},
    {kCellStateIn, "cell state in", Size::BATCHES, Size::UNITS},
    {kInputNorm, "input layer normalization weights", Size::UNITS, Size::ABSENT, true},
    {kForgetNorm, "forget layer normalization weights", Size::UNITS, Size::ABSENT, true},
    {kCellNorm, "cell layer normalization weights", Size::UNITS, Size::ABSENT, true},
    {kOutputNorm, "output layer normalization weights", Size::UNITS, Size::ABSENT, true},
});

/// The sizes of one LSTM, read where none of the options can hide them.
struct Sizes {
    explicit Sizes(OperationCheck& check)
        : input(check.input(kInput, "input").rank(2)),
          units(check.input(kInputToOutput, "input-to-output weights").rank(2).notEmpty(0)),
          output(
              check.input(kRecurrentToOutput, "recurrent-to-output weights").rank(2).notEmpty(1)) {}

    [[nodiscard]] std::uint32_t operator[](Size size) const noexcept {
        switch (size) {
            case Size::BATCHES:
                return input[0];
            case Size::INPUT:
                return input[1];
            case Size::UNITS:
                return units[0];
            case Size::OUTPUT:
                return output[1];
            case Size::ABSENT:
                break;
        }
        return 0;
    }

    OperandCheck input;
    OperandCheck units;
    OperandCheck output;
};

const char* describe(Size size) noexcept {
    switch (size) {
        case Size::BATCHES:
            return "the batch size of the input";
        case Size::INPUT:
            return "the size of the input";
        case Size::UNITS:
            return "the number of cell units (of input 4)";
        case Size::OUTPUT:
            return "the size of the output (of input 8)";
        case Size::ABSENT:
            break;
    }
    return "";
}

void checkShapes(OperationCheck& check, const OperationView& operation) {
    const Sizes sizes(check);
    for (const TensorRule& rule : kTensors) {
        OperandCheck tensor = rule.isOptional ? check.optionalInput(rule.index, rule.name)
                                              : check.input(rule.index, rule.name);
        tensor.rank(rule.second == Size::ABSENT ? 1 : 2)
            .size(0, sizes[rule.first], describe(rule.first));
        if (rule.second != Size::ABSENT) {
            tensor.size(1, sizes[rule.second], describe(rule.second));
        }
    }
    if (!operation.has(kProjection)) {
        OperandCheck(sizes.output)
            .size(1, sizes[Size::UNITS], "the number of cell units, as there is no projection");
    }
}

/// Which optional inputs go together. Asked when all of them are known to be there or not.
void checkOptions(OperationCheck& check, const OperationView& operation) {
    const bool hasInputGate = operation.has(kInputToInput);
    const bool hasPeepholes = operation.has(kCellToOutput);
    const bool hasNorms = operation.has(kOutputNorm);
    check
        .require(operation.has(kRecurrentToInput) == hasInputGate &&
                     operation.has(kInputGateBias) == hasInputGate,
                 [] {
                     return "some of inputs 1, 5 and 12 (weights and bias of the input gate) are "
                            "left out; must be all or none";
                 })
        .require(operation.has(kCellToForget) == hasPeepholes,
                 [] {
                     return "one of inputs 10 and 11 (cell-to-gate weights) is left out; must be "
                            "both or none";
                 })
        .require(operation.has(kCellToInput) == (hasPeepholes && hasInputGate),
                 [] {
                     return "input 9 (cell-to-input weights); must be given with inputs 1 and 11 "
                            "and left out otherwise";
                 })
        .require(operation.has(kProjection) || !operation.has(kProjectionBias),
                 [] { return "input 17 (projection bias); must be left out without input 16"; })
        .require(operation.has(kForgetNorm) == hasNorms && operation.has(kCellNorm) == hasNorms,
                 [] {
                     return "some of inputs 24 to 26 (layer normalization weights) are left out; "
                            "must be all or none";
                 })
        .require(operation.has(kInputNorm) == (hasNorms && hasInputGate), [] {
            return "input 23 (input layer normalization weights); must be given with inputs 1 and "
                   "26 and left out otherwise";
        });
}

/// The scalars.
struct Parameters {
    CellActivation activation;
    float cellClip;
    float projectionClip;
};

Result<float> readClip(const OperationView& operation, std::size_t index, const char* name) {
    const bool isHalf = operation.inputs[kInput].type == OperandType::TENSOR_FLOAT16;
    NNBURST_TRY_ASSIGN(const float value,
                       readConstantFloat(operation, index, name,
                                         isHalf ? OperandType::FLOAT16 : OperandType::FLOAT32));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(index, name).require(value >= 0.0F, [&] {
        return fmt::format("value {}; must be at least 0", value);
    });
    NNBURST_TRY(check.result());
    return value;
}

Result<Parameters> readParameters(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t activation,
                       readConstantInt32(operation, kActivation, "activation", 0));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(kActivation, "activation")
        .require(activation == 0 || activation == 1 || activation == 3 || activation == 4 ||
                     activation == 6,
                 [&] {
                     return fmt::format(
                         "value {}; must be 0 (none), 1 (RELU), 3 (RELU6), 4 (TANH) or 6 (SIGMOID)",
                         activation);
                 });
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const float cellClip, readClip(operation, kCellClip, "cell clip"));
    NNBURST_TRY_ASSIGN(const float projectionClip,
                       readClip(operation, kProjectionClip, "projection clip"));
    return Parameters{static_cast<CellActivation>(activation), cellClip, projectionClip};
}

/// Output shapes, in order.
using OutputShapes = std::array<Shape, 4>;

Result<OutputShapes> computeOutputShapes(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check, operation);
    checkOptions(check, operation);
    const Sizes sizes(check);
    const std::uint64_t gates = operation.has(kInputToInput) ? 4 : 3;
    const std::uint64_t scratch = gates * sizes[Size::UNITS];
    check.require(scratch <= UINT32_MAX, [&] {
        return fmt::format("{} cell units; must be at most 2^30", sizes[Size::UNITS]);
    });
    NNBURST_TRY(check.result());
    const std::uint32_t batches = sizes[Size::BATCHES];
    const Shape output{batches, sizes[Size::OUTPUT]};
    return OutputShapes{Shape{batches, static_cast<std::uint32_t>(scratch)}, output,
                        Shape{batches, sizes[Size::UNITS]}, output};
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    const std::size_t count = operation.inputs.size();
    check
        .require(count == kInputsOfHal10 || count == kInputsOfHal12,
                 [&] {
                     return fmt::format("{} inputs; must be {} or {}", count, kInputsOfHal10,
                                        kInputsOfHal12);
                 })
        .outputCount(4);
    const OperandCheck input =
        check.input(kInput, "input")
            .type({OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16});
    for (const TensorRule& rule : kTensors) {
        check.optionalInput(rule.index, rule.name).sameTypeAs(input);
    }
    checkShapes(check, operation);
    check.output(kScratchBuffer, "scratch buffer").sameTypeAs(input).rank(2);
    check.output(kOutputState, "output state out").sameTypeAs(input).rank(2);
    check.output(kCellState, "cell state out").sameTypeAs(input).rank(2);
    check.output(kOutput, "output").sameTypeAs(input).rank(2);
    NNBURST_TRY(check.result());
    NNBURST_TRY(readParameters(operation));
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(computeOutputShapes(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const OutputShapes shapes, computeOutputShapes(operation));
    std::copy(shapes.begin(), shapes.end(), outputs.begin());
    return {};
}

std::size_t scratchBytes(const OperationView& operation) {
    const std::size_t units = operation.inputs[kInputToOutput].shape[0];
    const std::size_t outputSize = operation.inputs[kRecurrentToOutput].shape[1];
    return LstmCell<float>::scratchFloats(units, outputSize) * sizeof(float);
}

template <class T>
LstmCell<T> makeCell(const OperationView& operation, const Parameters& parameters) {
    const auto data = [&](Input index) {
        return operation.has(index) ? operation.inputs[index].as<const T>() : nullptr;
    };
    return {
        .inputSize = operation.inputs[kInput].shape[1],
        .units = operation.inputs[kInputToOutput].shape[0],
        .outputSize = operation.inputs[kRecurrentToOutput].shape[1],
        .inputGate = {data(kInputToInput), data(kRecurrentToInput), data(kCellToInput),
                      data(kInputGateBias), data(kInputNorm)},
        .forgetGate = {data(kInputToForget), data(kRecurrentToForget), data(kCellToForget),
                       data(kForgetGateBias), data(kForgetNorm)},
        .cellGate = {data(kInputToCell), data(kRecurrentToCell), nullptr, data(kCellBias),
                     data(kCellNorm)},
        .outputGate = {data(kInputToOutput), data(kRecurrentToOutput), data(kCellToOutput),
                       data(kOutputGateBias), data(kOutputNorm)},
        .projection = data(kProjection),
        .projectionBias = data(kProjectionBias),
        .activation = parameters.activation,
        .cellClip = parameters.cellClip,
        .projectionClip = parameters.projectionClip,
    };
}

template <class T>
void stepBatches(const OperationView& operation, const LstmCell<T>& cell, float* scratch) {
    const T* input = operation.inputs[kInput].as<const T>();
    const T* outputBefore = operation.inputs[kOutputStateIn].as<const T>();
    const T* cellBefore = operation.inputs[kCellStateIn].as<const T>();
    T* outputAfter = operation.outputs[kOutputState].as<T>();
    T* cellAfter = operation.outputs[kCellState].as<T>();
    T* output = operation.outputs[kOutput].as<T>();
    const std::size_t batches = operation.inputs[kInput].shape[0];
    for (std::size_t b = 0; b < batches; ++b) {
        T* row = outputAfter + b * cell.outputSize;
        cell.step(input + b * cell.inputSize, outputBefore + b * cell.outputSize,
                  cellBefore + b * cell.units, row, cellAfter + b * cell.units, scratch);
        std::copy_n(row, cell.outputSize, output + b * cell.outputSize);
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const OutputShapes shapes, computeOutputShapes(operation));
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        NNBURST_TRY(requireOutputShape(operation, i, shapes[i]));
    }
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    const OperandType type = operation.inputs[kInput].type;
    std::memset(operation.outputs[kScratchBuffer].data, 0,
                shapes[kScratchBuffer].elementCount() * elementBytes(type));
    dispatchFloat(type, [&]<class T>() {
        stepBatches(operation, makeCell<T>(operation, parameters),
                    reinterpret_cast<float*>(scratch.data()));
    });
    return {};
}

}  // namespace

constinit const OperationDefinition kLstm{
    .type = OperationType::LSTM,
    .since = HalVersion::V1_0,
    .check = check,
    .inferShapes = inferShapes,
    .scratchBytes = scratchBytes,
    .run = run,
};

}  // namespace nnburst::exec
