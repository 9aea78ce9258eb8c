// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// LSTM: one time step. Its inputs are those of lstm_layer.h: 0 to 19, then three scalars, then the
// weights of layer normalisation. Outputs are
//
//     0  a scratch buffer [batches, units * 4], or units * 3 with coupled gates, which is cleared
//     1  the output state after the step [batches, outputSize]
//     2  the cell state after the step [batches, units]
//     3  the output [batches, outputSize], equal to the output state
//
// The formulas are in lstm_cell.h. A state may be updated in place.

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/lstm_layer.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace lstm {

constexpr std::size_t kActivation = 20;
constexpr std::size_t kInputsOfHal10 = 23;
constexpr std::size_t kInputsOfHal12 = 27;  ///< with layer normalisation

enum Output : std::size_t { kScratchBuffer = 0, kOutputState = 1, kCellState = 2, kOutput = 3 };

constexpr auto kNone = LstmLayer::kNone;

constexpr LstmLayer kLayer{.indexes = {0,  1,  2,  3,  4,     5,     6,     7,     8,    9,
                                       10, 11, 12, 13, 14,    15,    16,    17,    18,   19,
                                       23, 24, 25, 26, kNone, kNone, kNone, kNone, kNone}};

/// Output shapes, in order.
using OutputShapes = std::array<Shape, 4>;

Result<OutputShapes> computeOutputShapes(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    kLayer.checkShapes(check, operation);
    kLayer.checkOptions(check, operation);
    NNBURST_TRY(check.result());
    const std::uint32_t units = kLayer.units(operation);
    const std::uint64_t gates = kLayer.has(operation, LstmTensor::INPUT_TO_INPUT) ? 4 : 3;
    const std::uint64_t scratch = gates * units;
    check.require(scratch <= UINT32_MAX,
                  [&] { return fmt::format("{} cell units; must be at most 2^30", units); });
    NNBURST_TRY(check.result());
    const std::uint32_t batches = operation.inputs[0].shape[0];
    const Shape output{batches, kLayer.outputSize(operation)};
    return OutputShapes{Shape{batches, static_cast<std::uint32_t>(scratch)}, output,
                        Shape{batches, units}, output};
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
        check.input(0, "input").type({OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16});
    kLayer.checkTypes(check, input);
    kLayer.checkShapes(check, operation);
    check.output(kScratchBuffer, "scratch buffer").sameTypeAs(input).rank(2);
    check.output(kOutputState, "output state out").sameTypeAs(input).rank(2);
    check.output(kCellState, "cell state out").sameTypeAs(input).rank(2);
    check.output(kOutput, "output").sameTypeAs(input).rank(2);
    NNBURST_TRY(check.result());
    check.since(HalVersion::V1_2, count == kInputsOfHal12);
    NNBURST_TRY(readLstmParameters(operation, kActivation));
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
    return kLayer.scratchBytes(operation);
}

template <class T>
void stepBatches(const OperationView& operation, const LstmCell<T>& cell, float* scratch) {
    const T* input = operation.inputs[0].as<const T>();
    const T* outputBefore = kLayer.operand(operation, LstmTensor::OUTPUT_STATE).as<const T>();
    const T* cellBefore = kLayer.operand(operation, LstmTensor::CELL_STATE).as<const T>();
    T* outputAfter = operation.outputs[kOutputState].as<T>();
    T* cellAfter = operation.outputs[kCellState].as<T>();
    T* output = operation.outputs[kOutput].as<T>();
    const std::size_t batches = operation.inputs[0].shape[0];
    for (std::size_t b = 0; b < batches; ++b) {
        T* row = outputAfter + b * cell.outputSize;
        if (!cell.step(input + b * cell.inputSize, nullptr, outputBefore + b * cell.outputSize,
                       cellBefore + b * cell.units, row, cellAfter + b * cell.units, scratch)) {
            return;
        }
        std::copy_n(row, cell.outputSize, output + b * cell.outputSize);
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const OutputShapes shapes, computeOutputShapes(operation));
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        NNBURST_TRY(requireOutputShape(operation, i, shapes[i]));
    }
    NNBURST_TRY_ASSIGN(const LstmParameters parameters, readLstmParameters(operation, kActivation));
    const OperandType type = operation.inputs[0].type;
    std::memset(operation.outputs[kScratchBuffer].data, 0,
                shapes[kScratchBuffer].elementCount() * elementBytes(type));
    dispatchFloat(type, [&]<class T>() {
        stepBatches(operation, kLayer.makeCell<T>(operation, parameters),
                    reinterpret_cast<float*>(scratch.data()));
    });
    return {};
}

}  // namespace lstm
}  // namespace

constinit const OperationDefinition kLstm{
    .type = OperationType::LSTM,
    .since = HalVersion::V1_0,
    .optionalInputs = lstm::kLayer.optionalInputs(),
    .check = lstm::check,
    .inferShapes = lstm::inferShapes,
    .scratchBytes = lstm::scratchBytes,
    .run = lstm::run,
};

}  // namespace nnburst::exec
