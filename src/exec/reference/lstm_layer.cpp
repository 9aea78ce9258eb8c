// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/lstm_layer.h"

#include <fmt/format.h>

#include "exec/operation/scalar_reads.h"
#include "exec/reference/cell_activation.h"

namespace nnburst::exec {

namespace {

using enum LstmTensor;

/// The sizes that shapes are made of.
enum class Size : std::uint8_t { BATCHES, INPUT, UNITS, OUTPUT, AUXILIARY, ABSENT };

struct TensorRule {
    LstmTensor tensor;
    const char* name;
    Size first;
    Size second = Size::ABSENT;
};

constexpr auto kTensors = std::to_array<TensorRule>({
    {INPUT_TO_INPUT, "input-to-input weights", Size::UNITS, Size::INPUT},
    {INPUT_TO_FORGET, "input-to-forget weights", Size::UNITS, Size::INPUT},
    {INPUT_TO_CELL, "input-to-cell weights", Size::UNITS, Size::INPUT},
    {INPUT_TO_OUTPUT, "input-to-output weights", Size::UNITS, Size::INPUT},
    {RECURRENT_TO_INPUT, "recurrent-to-input weights", Size::UNITS, Size::OUTPUT},
    {RECURRENT_TO_FORGET, "recurrent-to-forget weights", Size::UNITS, Size::OUTPUT},
    {RECURRENT_TO_CELL, "recurrent-to-cell weights", Size::UNITS, Size::OUTPUT},
    {RECURRENT_TO_OUTPUT, "recurrent-to-output weights", Size::UNITS, Size::OUTPUT},
    {CELL_TO_INPUT, "cell-to-input weights", Size::UNITS},
    {CELL_TO_FORGET, "cell-to-forget weights", Size::UNITS},
    {CELL_TO_OUTPUT, "cell-to-output weights", Size::UNITS},
    {INPUT_GATE_BIAS, "input gate bias", Size::UNITS},
    {FORGET_GATE_BIAS, "forget gate bias", Size::UNITS},
    {CELL_BIAS, "cell bias", Size::UNITS},
    {OUTPUT_GATE_BIAS, "output gate bias", Size::UNITS},
    {PROJECTION, "projection weights", Size::OUTPUT, Size::UNITS},
    {PROJECTION_BIAS, "projection bias", Size::OUTPUT},
    {OUTPUT_STATE, "output state in", Size::BATCHES, Size::OUTPUT},
    {CELL_STATE, "cell state in", Size::BATCHES, Size::UNITS},
    {INPUT_NORM, "input layer normalization weights", Size::UNITS},
    {FORGET_NORM, "forget layer normalization weights", Size::UNITS},
    {CELL_NORM, "cell layer normalization weights", Size::UNITS},
    {OUTPUT_NORM, "output layer normalization weights", Size::UNITS},
    {AUXILIARY_TO_INPUT, "auxiliary-to-input weights", Size::UNITS, Size::AUXILIARY},
    {AUXILIARY_TO_FORGET, "auxiliary-to-forget weights", Size::UNITS, Size::AUXILIARY},
    {AUXILIARY_TO_CELL, "auxiliary-to-cell weights", Size::UNITS, Size::AUXILIARY},
    {AUXILIARY_TO_OUTPUT, "auxiliary-to-output weights", Size::UNITS, Size::AUXILIARY},
});

/// The sizes of a layer, read from tensors that are never left out.
class Sizes {
  public:
    Sizes(OperationCheck& check, const LstmLayer& layer)
        : layer_(layer),
          input_(check.optionalInput(layer.index(INPUT), "input")),
          units_(check.input(layer.index(INPUT_TO_OUTPUT), "input-to-output weights").notEmpty(0)),
          output_(check.input(layer.index(RECURRENT_TO_OUTPUT), "recurrent-to-output weights")
                      .notEmpty(1)),
          auxiliary_(check.optionalInput(layer.index(AUXILIARY), "auxiliary input")) {}

    [[nodiscard]] std::uint32_t operator[](Size size) const noexcept {
        switch (size) {
            case Size::BATCHES:
                return input_[layer_.batchAxis];
            case Size::INPUT:
                return input_[layer_.inputRank - 1];
            case Size::UNITS:
                return units_[0];
            case Size::OUTPUT:
                return output_[1];
            case Size::AUXILIARY:
                return auxiliary_[layer_.inputRank - 1];
            case Size::ABSENT:
                break;
        }
        return 0;
    }

    [[nodiscard]] const OperandCheck& input() const noexcept { return input_; }
    [[nodiscard]] const OperandCheck& output() const noexcept { return output_; }
    [[nodiscard]] const OperandCheck& auxiliary() const noexcept { return auxiliary_; }

  private:
    const LstmLayer& layer_;
    OperandCheck input_;
    OperandCheck units_;
    OperandCheck output_;
    OperandCheck auxiliary_;
};

const char* describe(Size size) noexcept {
    switch (size) {
        case Size::BATCHES:
            return "the batch size of the input";
        case Size::INPUT:
            return "the size of the input";
        case Size::UNITS:
            return "the number of cell units (of the input-to-output weights)";
        case Size::OUTPUT:
            return "the size of the output (of the recurrent-to-output weights)";
        case Size::AUXILIARY:
            return "the size of the auxiliary input";
        case Size::ABSENT:
            break;
    }
    return "";
}

OperandCheck tensorOf(OperationCheck& check, const LstmLayer& layer, const TensorRule& rule) {
    const std::size_t index = layer.index(rule.tensor);
    return isOptional(rule.tensor) ? check.optionalInput(index, rule.name)
                                   : check.input(index, rule.name);
}

/// Whether the request may still leave `tensor`, which is optional, out: its shape is not known.
bool mayBeLeftOut(const OperationCheck& check, const OperandCheck& tensor) {
    return check.isPartial() && !tensor.view().shape.isFullySpecified();
}

Result<float> readClip(const OperationView& operation, std::size_t index, const char* name) {
    const bool isHalf = operation.inputs[0].type == OperandType::TENSOR_FLOAT16;
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

}  // namespace

Result<LstmParameters> readLstmParameters(const OperationView& operation, std::size_t first) {
    LstmParameters parameters;
    ScalarReads reads;
    NNBURST_TRY(
        reads.take(readCellActivation(operation, first, HasRelu1::NO), parameters.activation));
    NNBURST_TRY(reads.take(readClip(operation, first + 1, "cell clip"), parameters.cellClip));
    NNBURST_TRY(
        reads.take(readClip(operation, first + 2, "projection clip"), parameters.projectionClip));
    NNBURST_TRY(reads.result());
    return parameters;
}

void LstmLayer::checkTypes(OperationCheck& check, const OperandCheck& input) const {
    for (const TensorRule& rule : kTensors) {
        check.optionalInput(index(rule.tensor), rule.name).sameTypeAs(input);
    }
    check.optionalInput(index(AUXILIARY), "auxiliary input").sameTypeAs(input);
}

void LstmLayer::checkRanks(OperationCheck& check) const {
    check.optionalInput(index(INPUT), "input").rank(inputRank);
    for (const TensorRule& rule : kTensors) {
        OperandCheck tensor = tensorOf(check, *this, rule);
        if (!isOptional(rule.tensor) || !mayBeLeftOut(check, tensor)) {
            tensor.rank(rule.second == Size::ABSENT ? 1 : 2);
        }
    }
    OperandCheck auxiliary = check.optionalInput(index(AUXILIARY), "auxiliary input");
    if (!mayBeLeftOut(check, auxiliary)) {
        auxiliary.rank(inputRank);
    }
}

void LstmLayer::checkShapes(OperationCheck& check, const OperationView& operation) const {
    checkRanks(check);
    const Sizes sizes(check, *this);
    for (const TensorRule& rule : kTensors) {
        OperandCheck tensor = tensorOf(check, *this, rule);
        if (isOptional(rule.tensor) && mayBeLeftOut(check, tensor)) {
            continue;
        }
        tensor.size(0, sizes[rule.first], describe(rule.first));
        if (rule.second != Size::ABSENT) {
            tensor.size(1, sizes[rule.second], describe(rule.second));
        }
    }
    // The input of a backward layer may be another tensor than that of the operation.
    const OperandCheck input = check.input(0, "input");
    for (std::size_t axis = 0; axis + 1 < inputRank; ++axis) {
        OperandCheck(sizes.input()).size(axis, input[axis], "that of the input");
        OperandCheck(sizes.auxiliary()).size(axis, input[axis], "that of the input");
    }
    if (!has(operation, PROJECTION)) {
        OperandCheck(sizes.output())
            .size(1, sizes[Size::UNITS], "the number of cell units, as there is no projection");
    }
}

void LstmLayer::checkOptions(OperationCheck& check, const OperationView& operation) const {
    const auto is = [&](LstmTensor tensor) { return has(operation, tensor); };
    const bool hasInputGate = is(INPUT_TO_INPUT);
    const bool hasPeepholes = is(CELL_TO_OUTPUT);
    const bool hasNorms = is(OUTPUT_NORM);
    const bool hasAuxiliary = is(AUXILIARY_TO_OUTPUT);
    check
        .require(is(RECURRENT_TO_INPUT) == hasInputGate && is(INPUT_GATE_BIAS) == hasInputGate,
                 [&] {
                     return fmt::format(
                         "some of inputs {}, {} and {} (weights and bias of the input gate) are "
                         "left out; must be all or none",
                         index(INPUT_TO_INPUT), index(RECURRENT_TO_INPUT), index(INPUT_GATE_BIAS));
                 })
        .require(is(CELL_TO_FORGET) == hasPeepholes,
                 [&] {
                     return fmt::format(
                         "one of inputs {} and {} (cell-to-gate weights) is left out; must be both "
                         "or none",
                         index(CELL_TO_FORGET), index(CELL_TO_OUTPUT));
                 })
        .require(is(CELL_TO_INPUT) == (hasPeepholes && hasInputGate),
                 [&] {
                     return fmt::format(
                         "input {} (cell-to-input weights); must be given with inputs {} and {} "
                         "and left out otherwise",
                         index(CELL_TO_INPUT), index(INPUT_TO_INPUT), index(CELL_TO_OUTPUT));
                 })
        .require(is(PROJECTION) || !is(PROJECTION_BIAS),
                 [&] {
                     return fmt::format(
                         "input {} (projection bias); must be left out without input {}",
                         index(PROJECTION_BIAS), index(PROJECTION));
                 })
        .require(is(FORGET_NORM) == hasNorms && is(CELL_NORM) == hasNorms,
                 [&] {
                     return fmt::format(
                         "some of inputs {} to {} (layer normalization weights) are left out; must "
                         "be all or none",
                         index(FORGET_NORM), index(OUTPUT_NORM));
                 })
        .require(is(INPUT_NORM) == (hasNorms && hasInputGate),
                 [&] {
                     return fmt::format(
                         "input {} (input layer normalization weights); must be given with inputs "
                         "{} and {} and left out otherwise",
                         index(INPUT_NORM), index(INPUT_TO_INPUT), index(OUTPUT_NORM));
                 })
        .require(is(AUXILIARY_TO_FORGET) == hasAuxiliary && is(AUXILIARY_TO_CELL) == hasAuxiliary &&
                     is(AUXILIARY_TO_INPUT) == (hasAuxiliary && hasInputGate) &&
                     (is(AUXILIARY) || !hasAuxiliary),
                 [&] {
                     return fmt::format(
                         "some of inputs {} to {} (auxiliary weights) or their input {} are left "
                         "out; must be all or none",
                         index(AUXILIARY_TO_INPUT), index(AUXILIARY_TO_OUTPUT), index(AUXILIARY));
                 });
}

}  // namespace nnburst::exec
