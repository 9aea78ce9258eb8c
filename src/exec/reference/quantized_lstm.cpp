// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// QUANTIZED_LSTM: one time step with signed 8-bit inputs, weights and outputs and a 16-bit cell
// state, with all that LSTM makes optional.
//
//     0          input                         TENSOR_QUANT8_ASYMM_SIGNED [batches, inputSize]
//     1 to 4     input weights                 TENSOR_QUANT8_SYMM [units, inputSize]
//     5 to 8     recurrent weights             TENSOR_QUANT8_SYMM [units, outputSize]
//     9 to 11    cell-to-gate weights          TENSOR_QUANT16_SYMM [units], optional
//     12 to 15   biases                        INT32 [units]
//     16, 17     projection weights and bias   [outputSize, units], INT32 [outputSize], optional
//     18         output state in               TENSOR_QUANT8_ASYMM_SIGNED [batches, outputSize]
//     19         cell state in                 TENSOR_QUANT16_SYMM [batches, units], a power of two
//     20 to 23   layer normalization weights   TENSOR_QUANT16_SYMM [units], optional
//     24, 25     cell and projection clip; 0, or left out, for none
//     26 to 29   scales of the gates before their activation
//     30, 31     zero point and scale of the hidden state, which is the input of the projection
//     output     output state, cell state, output: in the scales and zero points of the states in
//
// Groups of four are in the order input, forget, cell, output gate. If the tensors of the input
// gate are left out, the input gate is 1 - forget gate.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/fixed_point.h"
#include "exec/reference/matrix_sums.h"

namespace nnburst::exec {

namespace {
namespace quantized_lstm {

using enum OperandType;

constexpr std::size_t kGates = 4;
enum Gate : std::size_t { kInputGate = 0, kForgetGate = 1, kCellGate = 2, kOutputGate = 3 };

constexpr std::size_t kInputWeights = 1;
constexpr std::size_t kRecurrentWeights = 5;
constexpr std::size_t kPeepholes = 9;  ///< of the input, forget and output gate
constexpr std::size_t kBiases = 12;
constexpr std::size_t kProjection = 16;
constexpr std::size_t kProjectionBias = 17;
constexpr std::size_t kOutputState = 18;
constexpr std::size_t kCellState = 19;
constexpr std::size_t kNorms = 20;
constexpr std::size_t kCellClip = 24;
constexpr std::size_t kProjectionClip = 25;
constexpr std::size_t kGateScales = 26;
constexpr std::size_t kHiddenZeroPoint = 30;
constexpr std::size_t kHiddenScale = 31;

/// Integer bits of a gate's sum before its activation.
constexpr int kGateIntegerBits = 3;

std::size_t peepholeOf(std::size_t gate) noexcept {
    return kPeepholes + (gate == kOutputGate ? 2 : gate);
}

bool isOptional(std::size_t gate) noexcept {
    return gate == kInputGate;
}

void checkTypes(OperationCheck& check) {
    check.input(0, "input").type({TENSOR_QUANT8_ASYMM_SIGNED});
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        check.optionalInput(kInputWeights + gate, "input weights").type({TENSOR_QUANT8_SYMM});
        check.optionalInput(kRecurrentWeights + gate, "recurrent weights")
            .type({TENSOR_QUANT8_SYMM});
        check.optionalInput(kBiases + gate, "bias").type({TENSOR_INT32});
        check.optionalInput(kNorms + gate, "layer normalization weights")
            .type({TENSOR_QUANT16_SYMM});
    }
    for (std::size_t i = kPeepholes; i < kBiases; ++i) {
        check.optionalInput(i, "cell-to-gate weights").type({TENSOR_QUANT16_SYMM});
    }
    check.optionalInput(kProjection, "projection weights").type({TENSOR_QUANT8_SYMM});
    check.optionalInput(kProjectionBias, "projection bias").type({TENSOR_INT32});
    check.optionalInput(kCellClip, "cell clip").type({FLOAT32});
    check.optionalInput(kProjectionClip, "projection clip").type({FLOAT32});
    const OperandCheck state =
        check.input(kOutputState, "output state in").type({TENSOR_QUANT8_ASYMM_SIGNED});
    const OperandCheck cell = check.input(kCellState, "cell state in").type({TENSOR_QUANT16_SYMM});
    check.output(0, "output state out").sameTypeAs(state);
    check.output(1, "cell state out").sameTypeAs(cell);
    check.output(2, "output").sameTypeAs(state);
}

/// The shape of an optional tensor is not known: the request may still leave it out.
bool isUndecided(const OperationCheck& check, const OperandCheck& tensor) {
    return check.isPartial() && !tensor.view().shape.isFullySpecified();
}

void checkShapes(OperationCheck& check, const OperationView& operation) {
    constexpr const char* kUnits = "the number of cell units (of input 4)";
    const OperandCheck input = check.input(0, "input").rank(2);
    const OperandCheck inputWeights =
        check.input(kInputWeights + kOutputGate, "input weights").rank(2).notEmpty(0);
    const OperandCheck recurrentWeights =
        check.input(kRecurrentWeights + kOutputGate, "recurrent weights").rank(2).notEmpty(1);
    const std::uint32_t units = inputWeights[0];
    const std::uint32_t outputSize = recurrentWeights[1];
    const auto matrix = [&](std::size_t index, const char* name, bool canBeLeftOut,
                            std::uint32_t rows, std::uint32_t columns) {
        OperandCheck tensor =
            canBeLeftOut ? check.optionalInput(index, name) : check.input(index, name);
        if (!canBeLeftOut || !isUndecided(check, tensor)) {
            tensor.rank(2).size(0, rows, "rows").size(1, columns, "columns");
        }
    };
    const auto vector = [&](std::size_t index, const char* name, bool canBeLeftOut,
                            std::uint32_t size) {
        OperandCheck tensor =
            canBeLeftOut ? check.optionalInput(index, name) : check.input(index, name);
        if (!canBeLeftOut || !isUndecided(check, tensor)) {
            tensor.rank(1).size(0, size, size == units ? kUnits : "the size of the output");
        }
    };
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        matrix(kInputWeights + gate, "input weights", isOptional(gate), units, input[1]);
        matrix(kRecurrentWeights + gate, "recurrent weights", isOptional(gate), units, outputSize);
        vector(kBiases + gate, "bias", isOptional(gate), units);
        vector(kNorms + gate, "layer normalization weights", true, units);
    }
    for (std::size_t i = kPeepholes; i < kBiases; ++i) {
        vector(i, "cell-to-gate weights", true, units);
    }
    matrix(kProjection, "projection weights", true, outputSize, units);
    vector(kProjectionBias, "projection bias", true, outputSize);
    matrix(kOutputState, "output state in", false, input[0], outputSize);
    matrix(kCellState, "cell state in", false, input[0], units);
    check.require(
        operation.has(kProjection) || units == outputSize || units == 0 || outputSize == 0, [&] {
            return fmt::format(
                "{} cell units and an output of {}; must be equal without "
                "projection",
                units, outputSize);
        });
}

/// Checks that optional inputs are given together. Call it when it is known of each whether it is
/// left out.
void checkOptions(OperationCheck& check, const OperationView& operation) {
    const bool hasInputGate = operation.has(kInputWeights);
    const bool hasPeepholes = operation.has(peepholeOf(kOutputGate));
    const bool hasNorms = operation.has(kNorms + kOutputGate);
    check
        .require(operation.has(kRecurrentWeights) == hasInputGate &&
                     operation.has(kBiases) == hasInputGate,
                 [] {
                     return "some of inputs 1, 5 and 12 (weights and bias of the input gate) are "
                            "left out; must be all or none";
                 })
        .require(operation.has(peepholeOf(kForgetGate)) == hasPeepholes &&
                     operation.has(peepholeOf(kInputGate)) == (hasPeepholes && hasInputGate),
                 [] {
                     return "some of inputs 9 to 11 (cell-to-gate weights) are left out; must be "
                            "all, but for the input gate's if there is none, or none";
                 })
        .require(operation.has(kNorms + kForgetGate) == hasNorms &&
                     operation.has(kNorms + kCellGate) == hasNorms &&
                     operation.has(kNorms + kInputGate) == (hasNorms && hasInputGate),
                 [] {
                     return "some of inputs 20 to 23 (layer normalization weights) are left out; "
                            "must be all, but for the input gate's if there is none, or none";
                 })
        .require(operation.has(kProjection) || !operation.has(kProjectionBias),
                 [] { return "input 17 (projection bias); must be left out without input 16"; });
}

struct Parameters {
    std::array<float, kGates> gateScales{};
    float cellClip = 0.0F;
    float projectionClip = 0.0F;
    std::int32_t hiddenZeroPoint = 0;
    float hiddenScale = 1.0F;
    int cellExponent = 0;  ///< the cell state is in units of 2^cellExponent
};

Result<Parameters> readParameters(const OperationView& operation) {
    Parameters parameters;
    ScalarReads reads;
    const auto read = [&](std::size_t index, const char* name, float& value) -> Result<> {
        NNBURST_TRY(reads.take(readConstantFloat(operation, index, name, FLOAT32), value));
        OperationCheck check(operation, ShapeKnowledge::COMPLETE);
        check.input(index, name).require(std::isfinite(value) && value >= 0.0F, [&] {
            return fmt::format("value {}; must be finite and at least 0", value);
        });
        return check.result();
    };
    if (operation.has(kCellClip)) {
        NNBURST_TRY(read(kCellClip, "cell clip", parameters.cellClip));
    }
    if (operation.has(kProjectionClip)) {
        NNBURST_TRY(read(kProjectionClip, "projection clip", parameters.projectionClip));
    }
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        NNBURST_TRY(read(kGateScales + gate, "gate scale", parameters.gateScales[gate]));
    }
    NNBURST_TRY(
        reads.take(readConstantInt32(operation, kHiddenZeroPoint, "hidden zero point", -128),
                   parameters.hiddenZeroPoint));
    NNBURST_TRY(read(kHiddenScale, "hidden scale", parameters.hiddenScale));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    OperandCheck cell = check.input(kCellState, "cell state in");
    const float exponent = std::log2(cell.view().scale);
    parameters.cellExponent = static_cast<int>(std::lround(exponent));
    const bool isPowerOfTwo =
        std::fabs(exponent - static_cast<float>(parameters.cellExponent)) < 1e-3F;
    cell.require(isPowerOfTwo && parameters.cellExponent >= -15 && parameters.cellExponent <= -9,
                 [&] {
                     return fmt::format("scale {}; must be a power of two from 2^-15 to 2^-9",
                                        cell.view().scale);
                 });
    check.input(kHiddenZeroPoint, "hidden zero point")
        .require(parameters.hiddenZeroPoint <= 127, [&] {
            return fmt::format("value {}; must be -128 to 127", parameters.hiddenZeroPoint);
        });
    NNBURST_TRY(check.result());
    NNBURST_TRY(reads.result());
    return parameters;
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(32).outputCount(3);
    checkTypes(check);
    checkShapes(check, operation);
    NNBURST_TRY(check.result());
    NNBURST_TRY(readParameters(operation));
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check, operation);
    checkOptions(check, operation);
    NNBURST_TRY(check.result());
    outputs[0] = operation.inputs[kOutputState].shape;
    outputs[1] = operation.inputs[kCellState].shape;
    outputs[2] = outputs[0];
    return {};
}

std::size_t unitsOf(const OperationView& operation) noexcept {
    return operation.inputs[kInputWeights + kOutputGate].shape[0];
}

std::size_t outputSizeOf(const OperationView& operation) noexcept {
    return operation.inputs[kRecurrentWeights + kOutputGate].shape[1];
}

/// Sums of products that are needed at a time: of the input and of the state, or of the projection.
std::size_t sumCountOf(const OperationView& operation) noexcept {
    return std::max(2 * unitsOf(operation), outputSizeOf(operation));
}

/// Memory for sums, four gates, the cell state, the hidden state before the projection, and the
/// output.
std::size_t scratchBytes(const OperationView& operation) {
    return sumCountOf(operation) * sizeof(std::int32_t) +
           unitsOf(operation) * ((kGates + 1) * sizeof(std::int16_t) + sizeof(std::int8_t)) +
           outputSizeOf(operation) * sizeof(std::int8_t);
}

/// One step, in integer arithmetic that rounds as TensorFlow Lite's does.
class Cell {
  public:
    Cell(const OperationView& operation, const Parameters& parameters,
         std::span<std::byte> scratch) noexcept
        : operation_(operation),
          parameters_(parameters),
          inputSize_(operation.inputs[0].shape[1]),
          units_(unitsOf(operation)),
          outputSize_(outputSizeOf(operation)) {
        sums_ = reinterpret_cast<std::int32_t*>(scratch.data());
        auto* next = reinterpret_cast<std::int16_t*>(sums_ + sumCountOf(operation));
        for (std::int16_t*& gate : gates_) {
            gate = next;
            next += units_;
        }
        cell_ = next;
        hidden_ = reinterpret_cast<std::int8_t*>(cell_ + units_);
        result_ = hidden_ + units_;
    }

    /// False if the run is out of time.
    [[nodiscard]] bool step(std::size_t batch) {
        const auto* cellBefore =
            operation_.inputs[kCellState].as<const std::int16_t>() + batch * units_;
        std::copy_n(cellBefore, units_, cell_);
        const bool hasInputGate = operation_.has(kInputWeights);
        if ((hasInputGate && !computeGate(kInputGate, batch)) || !computeGate(kForgetGate, batch) ||
            !computeGate(kCellGate, batch)) {
            return false;
        }
        const int addedShift = 30 + parameters_.cellExponent;
        forEachElement(operation_, units_, [&](std::size_t u) {
            const std::int16_t in =
                hasInputGate ? gates_[kInputGate][u]
                             : static_cast<std::int16_t>(fixed16::kOne - gates_[kForgetGate][u]);
            const std::int32_t kept =
                roundingDivideByPowerOfTwo(std::int32_t{gates_[kForgetGate][u]} * cell_[u], 15);
            const std::int32_t added =
                roundingDivideByPowerOfTwo(std::int32_t{in} * gates_[kCellGate][u], addedShift);
            cell_[u] = clipCell(fixed16::saturate(std::int64_t{fixed16::saturate(kept)} +
                                                  fixed16::saturate(added)));
        });
        if (!computeGate(kOutputGate, batch) || !computeHidden() || !project()) {
            return false;
        }
        std::copy_n(cell_, units_, operation_.outputs[1].as<std::int16_t>() + batch * units_);
        for (const std::size_t output : {std::size_t{0}, std::size_t{2}}) {
            std::copy_n(result_, outputSize_,
                        operation_.outputs[output].as<std::int8_t>() + batch * outputSize_);
        }
        return !operation_.isOutOfTime(units_);
    }

  private:
    [[nodiscard]] std::int16_t clipCell(std::int16_t value) const noexcept {
        const float steps = parameters_.cellClip / operation_.inputs[kCellState].scale;
        const auto limit = static_cast<std::int16_t>(std::min(steps, 32767.0F));
        return limit == 0 ? value : std::clamp(value, static_cast<std::int16_t>(-limit), limit);
    }

    /// False if the run is out of time.
    [[nodiscard]] bool computeGate(std::size_t gate, std::size_t batch) {
        const OperandView& input = operation_.inputs[0];
        const OperandView& state = operation_.inputs[kOutputState];
        const OperandView& inputWeights = operation_.inputs[kInputWeights + gate];
        const OperandView& recurrentWeights = operation_.inputs[kRecurrentWeights + gate];
        const bool hasNorm = operation_.has(kNorms + gate);
        const bool hasPeephole = gate != kCellGate && operation_.has(peepholeOf(gate));
        const auto* bias = operation_.inputs[kBiases + gate].as<const std::int32_t>();
        // Without layer normalisation sums have 12 fractional bits, with it the scale of the gate.
        const double gateScale = hasNorm ? parameters_.gateScales[gate] : 0x1p-12;
        const QuantizedMultiplier fromInput(static_cast<double>(input.scale) * inputWeights.scale /
                                            gateScale);
        const QuantizedMultiplier fromState(static_cast<double>(state.scale) *
                                            recurrentWeights.scale / gateScale);
        QuantizedMultiplier fromCell;
        if (hasPeephole) {
            fromCell =
                QuantizedMultiplier(static_cast<double>(operation_.inputs[peepholeOf(gate)].scale) *
                                    operation_.inputs[kCellState].scale / gateScale);
        }
        std::int16_t* const results = gates_[gate];
        std::int32_t* const inputSums = sums_;
        std::int32_t* const stateSums = sums_ + units_;
        if (!sumProducts(operation_, kInputWeights + gate,
                         input.as<const std::int8_t>() + batch * inputSize_, input.zeroPoint,
                         inputSums) ||
            !sumProducts(operation_, kRecurrentWeights + gate,
                         state.as<const std::int8_t>() + batch * outputSize_, state.zeroPoint,
                         stateSums)) {
            return false;
        }
        forEachElement(operation_, units_, [&](std::size_t u) {
            const std::uint32_t biased = static_cast<std::uint32_t>(inputSums[u]) +
                                         (hasNorm ? 0U : static_cast<std::uint32_t>(bias[u]));
            std::int16_t sum = fixed16::saturate(fromInput(static_cast<std::int32_t>(biased)));
            sum = fixed16::saturate(std::int64_t{sum} + fromState(stateSums[u]));
            if (hasPeephole) {
                const std::int16_t weight =
                    operation_.inputs[peepholeOf(gate)].as<const std::int16_t>()[u];
                sum = fixed16::saturate(std::int64_t{sum} + fromCell(weight * cell_[u]));
            }
            results[u] = sum;
        });
        if (hasNorm) {
            normalize(gate, bias);
        }
        forEachElement(operation_, units_, [&](std::size_t u) {
            results[u] = gate == kCellGate ? fixed16::tanh(results[u], kGateIntegerBits)
                                           : fixed16::logistic(results[u], kGateIntegerBits);
        });
        return !operation_.isOutOfTime(0);
    }

    /// Layer normalisation, to 12 fractional bits.
    void normalize(std::size_t gate, const std::int32_t* bias) {
        constexpr std::int64_t kUnit = 1024;  // means and results have 10 more bits
        std::int16_t* const values = gates_[gate];
        const OperandView& weights = operation_.inputs[kNorms + gate];
        std::int64_t sum = 0;
        std::int64_t squares = 0;
        forEachElement(operation_, units_, [&](std::size_t u) {
            sum += values[u];
            squares += std::int64_t{values[u]} * values[u];
        });
        const auto count = static_cast<std::int64_t>(units_);
        const std::int64_t mean = sum * kUnit / count;
        const std::int64_t variance =
            (squares * (kUnit * kUnit / count) - mean * mean) / (kUnit * kUnit);
        const auto inverseDeviation = QuantizedMultiplier::inverseSquareRoot(
            static_cast<std::int32_t>(std::max<std::int64_t>(variance, 1)));
        const QuantizedMultiplier toGate(4096.0 * weights.scale);
        forEachElement(operation_, units_, [&](std::size_t u) {
            const std::int32_t rescaled =
                inverseDeviation(static_cast<std::int32_t>(kUnit * values[u] - mean));
            const std::int64_t product =
                std::int64_t{rescaled} * weights.as<const std::int16_t>()[u] + bias[u];
            const std::int64_t rounded = (product + (product > 0 ? kUnit / 2 : -kUnit / 2)) / kUnit;
            values[u] = fixed16::saturate(toGate(static_cast<std::int32_t>(
                std::clamp<std::int64_t>(rounded, INT32_MIN, INT32_MAX))));
        });
    }

    /// Computes the hidden state: the output gate times the activated cell state. False if the run
    /// is out of time.
    [[nodiscard]] bool computeHidden() {
        const QuantizedMultiplier toHidden(
            parameters_.hiddenScale > 0.0F ? 0x1p-30 / parameters_.hiddenScale : 0.0);
        forEachElement(operation_, units_, [&](std::size_t u) {
            const std::int16_t activated = fixed16::tanh(cell_[u], 15 + parameters_.cellExponent);
            const std::int32_t product = std::int32_t{gates_[kOutputGate][u]} * activated;
            hidden_[u] = static_cast<std::int8_t>(std::clamp<std::int64_t>(
                std::int64_t{toHidden(product)} + parameters_.hiddenZeroPoint, -128, 127));
        });
        return !operation_.isOutOfTime(0);
    }

    /// False if the run is out of time.
    [[nodiscard]] bool project() {
        if (!operation_.has(kProjection)) {
            std::copy_n(hidden_, outputSize_, result_);
            return true;
        }
        const OperandView& weights = operation_.inputs[kProjection];
        const OperandView& state = operation_.inputs[kOutputState];
        const QuantizedMultiplier toOutput(static_cast<double>(weights.scale) *
                                           parameters_.hiddenScale / state.scale);
        const float clipSteps = parameters_.projectionClip / state.scale;
        const auto clip = static_cast<std::int32_t>(std::min(clipSteps, 127.0F));
        const std::int32_t limit = clip == 0 ? 128 : clip;
        if (!sumProducts(operation_, kProjection, hidden_, parameters_.hiddenZeroPoint, sums_)) {
            return false;
        }
        forEachElement(operation_, outputSize_, [&](std::size_t o) {
            auto sum = static_cast<std::uint32_t>(sums_[o]);
            if (operation_.has(kProjectionBias)) {
                sum += operation_.inputs[kProjectionBias].as<const std::uint32_t>()[o];
            }
            const std::int64_t value =
                std::int64_t{toOutput(static_cast<std::int32_t>(sum))} + state.zeroPoint;
            result_[o] = static_cast<std::int8_t>(std::clamp<std::int64_t>(
                std::clamp<std::int64_t>(value, -128, 127), -limit, limit));
        });
        return !operation_.isOutOfTime(0);
    }

    const OperationView& operation_;
    const Parameters& parameters_;
    std::size_t inputSize_;
    std::size_t units_;
    std::size_t outputSize_;
    std::int32_t* sums_;
    std::array<std::int16_t*, kGates> gates_{};
    std::int16_t* cell_;
    std::int8_t* hidden_;
    std::int8_t* result_;
};

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    std::array<Shape, 3> shapes;
    NNBURST_TRY(inferShapes(operation, shapes));
    for (std::size_t output = 0; output < shapes.size(); ++output) {
        NNBURST_TRY(requireOutputShape(operation, output, shapes[output]));
    }
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    Cell cell(operation, parameters, scratch);
    for (std::size_t batch = 0; batch < operation.inputs[0].shape[0]; ++batch) {
        if (!cell.step(batch)) {
            return {};
        }
    }
    return {};
}

}  // namespace quantized_lstm
}  // namespace

constinit const OperationDefinition kQuantizedLstm{
    .type = OperationType::QUANTIZED_LSTM,
    .since = HalVersion::V1_3,
    .optionalInputs = inputs(1, 5, 9, 10, 11, 12, 16, 17, 20, 21, 22, 23),
    .check = quantized_lstm::check,
    .inferShapes = quantized_lstm::inferShapes,
    .scratchBytes = quantized_lstm::scratchBytes,
    .run = quantized_lstm::run,
};

}  // namespace nnburst::exec
