// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations element by element on TENSOR_QUANT16_SYMM, with the arithmetic of TFLite's kernels.

#include <algorithm>
#include <array>
#include <cmath>

#include "tflite_operations/elements.h"
#include "tflite_operations/fixed_point.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;
using Short = std::int16_t;

// ---- RESCALE_16: to 16 bits from FLOAT32 or 8 bits, from 16 bits to these, and to another scale.

constexpr std::initializer_list<OperandType> kNumbers{
    TENSOR_QUANT16_SYMM, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED};

Result<> checkRescale(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 1, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", kNumbers));
    NNBURST_TRY(checkType(outputs[0], "output 0", kNumbers));
    if (inputs[0].type != TENSOR_QUANT16_SYMM && outputs[0].type != TENSOR_QUANT16_SYMM) {
        return invalid("input of type {}, output of type {}; one must have 16 bits",
                       toString(inputs[0].type), toString(outputs[0].type));
    }
    return {};
}

/// From one scale to another.
template <class In, class Out>
Result<> rescale(const RunContext& run) {
    const ExtensionOperand& in = run.inputs[0];
    const ExtensionOperand& out = run.outputs[0];
    const Multiplier factor =
        multiplierOf(static_cast<double>(in.scale) / static_cast<double>(out.scale));
    return mapElements<In, Out>(run, [&](In x) {
        using Limits = std::numeric_limits<Out>;
        const std::int64_t scaled = multiply(std::int32_t{x} - in.zeroPoint, factor);
        return static_cast<Out>(
            std::clamp<std::int64_t>(scaled + out.zeroPoint, Limits::min(), Limits::max()));
    });
}

Result<> runRescale(const RunContext& run) {
    const auto scale = static_cast<double>(run.outputs[0].scale);
    switch (run.inputs[0].type) {
        case TENSOR_FLOAT32:
            return mapElements<float, Short>(run, [scale](float x) {
                // In 64 bits, as 32 are too few to find the nearest of 65,536 steps.
                const double steps = std::round(static_cast<double>(x) / scale);
                return static_cast<Short>(std::isnan(steps) ? 0.0
                                                            : std::clamp(steps, -32768.0, 32767.0));
            });
        case TENSOR_QUANT8_ASYMM:
            return rescale<std::uint8_t, Short>(run);
        case TENSOR_QUANT8_ASYMM_SIGNED:
            return rescale<std::int8_t, Short>(run);
        default:
            break;
    }
    const float from = run.inputs[0].scale;
    switch (run.outputs[0].type) {
        case TENSOR_FLOAT32:
            return mapElements<Short, float>(
                run, [from](Short x) { return from * static_cast<float>(x); });
        case TENSOR_QUANT8_ASYMM:
            return rescale<Short, std::uint8_t>(run);
        case TENSOR_QUANT8_ASYMM_SIGNED:
            return rescale<Short, std::int8_t>(run);
        default:
            return rescale<Short, Short>(run);
    }
}

// ---- ADD_16, SUB_16, MUL_16: two tensors, whose axes of size 1 are repeated, and INT32 activation
// (a code of the HAL). MAXIMUM_16, MINIMUM_16: two tensors of one scale.

Result<> checkArithmetic(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 3, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_QUANT16_SYMM}));
    NNBURST_TRY(checkType(inputs[1], "input 1", {TENSOR_QUANT16_SYMM}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (activation)", {INT32}));
    return checkType(outputs[0], "output 0", {TENSOR_QUANT16_SYMM});
}

Result<Dimensions> shapeOfArithmetic(Operands inputs, std::size_t output) {
    NNBURST_TRY(checkActivation(inputs[2]));
    return broadcastShape(inputs, output);
}

template <int kSign>
Result<> runSum(const RunContext& run) {
    constexpr int kShift = 15;  // so that a sum of two elements fits into 32 bits
    const double twice =
        2 * static_cast<double>(std::max(run.inputs[0].scale, run.inputs[1].scale));
    const Multiplier factorA = multiplierOf(static_cast<double>(run.inputs[0].scale) / twice);
    const Multiplier factorB = multiplierOf(static_cast<double>(run.inputs[1].scale) / twice);
    const Multiplier factor =
        multiplierOf(twice / ((1 << kShift) * static_cast<double>(run.outputs[0].scale)));
    const Range16 range = rangeOf(run.inputs[2], run.outputs[0]);
    return combineElements<Short>(run, [=](Short a, Short b, Short& out) {
        const std::int32_t x = multiply(std::int32_t{a} * (1 << kShift), factorA);
        const std::int32_t y = multiply(std::int32_t{b} * (1 << kShift), factorB);
        out = range.clamp(multiply(x + kSign * y, factor));
    });
}

Result<> runMul(const RunContext& run) {
    // In floating point of 32 bits, as TFLite computes the factor.
    const Multiplier factor = multiplierOf(
        static_cast<double>(run.inputs[0].scale * run.inputs[1].scale / run.outputs[0].scale));
    const Range16 range = rangeOf(run.inputs[2], run.outputs[0]);
    return combineElements<Short>(run, [=](Short a, Short b, Short& out) {
        out = range.clamp(multiply(std::int32_t{a} * b, factor));
    });
}

Result<> checkSameScales(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_QUANT16_SYMM}));
    NNBURST_TRY(checkSameType(inputs[0], inputs[1]));
    return checkSameType(inputs[0], outputs[0]);
}

Result<> runMaximum(const RunContext& run) {
    return combineElements<Short>(run, [](Short a, Short b, Short& out) { out = std::max(a, b); });
}

Result<> runMinimum(const RunContext& run) {
    return combineElements<Short>(run, [](Short a, Short b, Short& out) { out = std::min(a, b); });
}

// ---- One tensor of 16 bits

Result<> checkUnary16(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 1, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_QUANT16_SYMM}));
    return checkType(outputs[0], "output 0", {TENSOR_QUANT16_SYMM});
}

/// LEAKY_RELU_16: the tensor, FLOAT32 slope of negative elements.
Result<> checkLeaky(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkUnary16(inputs.first(1), outputs));
    return checkType(inputs[1], "input 1 (slope)", {FLOAT32});
}

Result<> runLeaky(const RunContext& run) {
    const float from = run.inputs[0].scale;
    const float to = run.outputs[0].scale;
    const Multiplier identity = multiplierOf(static_cast<double>(from / to));
    const Multiplier slope =
        multiplierOf(static_cast<double>(from * scalarOf<float>(run.inputs[1]) / to));
    return mapElements<Short, Short>(
        run, [=](Short x) { return Range16().clamp(multiply(x, x >= 0 ? identity : slope)); });
}

/// CLAMP_16: the tensor, INT32 activation (a code of the HAL).
Result<> checkClamp(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkUnary16(inputs.first(1), outputs));
    return checkType(inputs[1], "input 1 (activation)", {INT32});
}

Result<Dimensions> shapeOfClamp(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY(checkActivation(inputs[1]));
    return dimensionsOf(inputs[0]);
}

Result<> runClamp(const RunContext& run) {
    const Multiplier factor = multiplierOf(static_cast<double>(run.inputs[0].scale) /
                                           static_cast<double>(run.outputs[0].scale));
    const Range16 range = rangeOf(run.inputs[1], run.outputs[0]);
    return mapElements<Short, Short>(run,
                                     [=](Short x) { return range.clamp(multiply(x, factor)); });
}

constexpr std::array kElements16Operations{
    OperationDefinition{Code::RESCALE_16, "RESCALE_16", checkRescale, sameAsFirst, runRescale},
    OperationDefinition{Code::ADD_16, "ADD_16", checkArithmetic, shapeOfArithmetic, runSum<1>},
    OperationDefinition{Code::SUB_16, "SUB_16", checkArithmetic, shapeOfArithmetic, runSum<-1>},
    OperationDefinition{Code::MUL_16, "MUL_16", checkArithmetic, shapeOfArithmetic, runMul},
    OperationDefinition{Code::MAXIMUM_16, "MAXIMUM_16", checkSameScales, broadcastShape,
                        runMaximum},
    OperationDefinition{Code::MINIMUM_16, "MINIMUM_16", checkSameScales, broadcastShape,
                        runMinimum},
    OperationDefinition{Code::LEAKY_RELU_16, "LEAKY_RELU_16", checkLeaky, sameAsFirst, runLeaky},
    OperationDefinition{Code::CLAMP_16, "CLAMP_16", checkClamp, shapeOfClamp, runClamp},
};

}  // namespace

std::span<const OperationDefinition> elements16Operations() noexcept {
    return kElements16Operations;
}

}  // namespace nnburst::tflite_operations
