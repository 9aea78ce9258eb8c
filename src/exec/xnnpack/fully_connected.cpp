// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// FULLY_CONNECTED. Covered: constant weights and bias; float32; unsigned 8 bits; signed 8 bits with
// weights of zero point 0.
//
//     input [any, with batches * inputs elements], weights [units, inputs], bias [units],
//     output [batches, units]

#include <utility>

#include "exec/xnnpack/families.h"
#include "exec/xnnpack/sliced_step.h"
#include "model/operand_info.h"

namespace nnburst::exec::xnnpack {

namespace {

Result<SharedOperator> createFloat(const OperationView& operation, FusedActivationFunc activation,
                                   WeightsCache packed) {
    const Shape& weights = operation.inputs[1].shape;
    const FloatRange range = activationRange(activation);
    xnn_operator_t created = nullptr;
    const std::size_t units = weights[0];
    const std::size_t inputs = weights[1];
    const xnn_status status =
        createPacked(xnn_create_fully_connected_nc_f32, created, packed, inputs, units, inputs,
                     units, operation.inputs[1].as<float>(), operation.inputs[2].as<float>(),
                     range.minimum, range.maximum, 0);
    return takeOperator(status, created);
}

Result<SharedOperator> createQuantized(const OperationView& operation,
                                       FusedActivationFunc activation, WeightsCache packed) {
    const OperandView& input = operation.inputs[0];
    const OperandView& weights = operation.inputs[1];
    const OperandView& output = operation.outputs[0];
    const std::size_t units = weights.shape[0];
    const std::size_t inputs = weights.shape[1];
    const auto* bias = operation.inputs[2].as<std::int32_t>();
    const QuantizedRange range = activationRange(activation, output);
    const float sumScale = input.scale * weights.scale / output.scale;
    if (!isNormalScale(input.scale) || !isNormalScale(weights.scale) ||
        !isNormalScale(output.scale) || !isRequantizationScale(sumScale) ||
        !areSumsCovered(operation, sumScale, inputs) || !isRange(range)) {
        return nullptr;
    }
    xnn_operator_t created = nullptr;
    xnn_status status = xnn_status_unsupported_parameter;
    if (input.type == OperandType::TENSOR_QUANT8_ASYMM) {
        status = createPacked(
            xnn_create_fully_connected_nc_qu8, created, packed, inputs, units, inputs, units,
            static_cast<std::uint8_t>(input.zeroPoint), input.scale,
            static_cast<std::uint8_t>(weights.zeroPoint), weights.scale, weights.as<std::uint8_t>(),
            bias, static_cast<std::uint8_t>(output.zeroPoint), output.scale,
            static_cast<std::uint8_t>(range.minimum), static_cast<std::uint8_t>(range.maximum), 0);
    } else if (weights.zeroPoint == 0) {
        status = createPacked(xnn_create_fully_connected_nc_qs8, created, packed, inputs, units,
                              inputs, units, static_cast<std::int8_t>(input.zeroPoint), input.scale,
                              weights.scale, weights.as<std::int8_t>(), bias,
                              static_cast<std::int8_t>(output.zeroPoint), output.scale,
                              static_cast<std::int8_t>(range.minimum),
                              static_cast<std::int8_t>(range.maximum), 0);
    }
    return takeOperator(status, created);
}

/// Rows that a slice has at least: each slice reads all weights. With 64 rows a layer of 1024 x
/// 2048 to 2048 took a seventh longer.
constexpr std::uint32_t kMinimumSliceRows = 256;

/// A long operator, by rows of its output.
StepResult makeRowSlices(const OperationView& operation, const StepContext& context,
                         SharedOperator shared, const RowSlices& rows) {
    const Shape& weights = operation.inputs[1].shape;
    const std::size_t element = elementBytes(operation.inputs[0].type);
    SlicedOperator sliced{
        .shared = std::move(shared),
        .setUp = setUpFullyConnected(operation.inputs[0].type, rows.rows, operation.inputs.size()),
        .effort = effortOf(context, static_cast<double>(weights.elementCount()) * rows.rows,
                           Speed::DENSE),
        .output = operation.inputs.size(),
        .slices = {}};
    for (const std::size_t row : rows.first) {
        sliced.slices.push_back({.inputOffset = row * weights[1] * element,
                                 .outputOffset = row * weights[0] * element});
    }
    return makeSlicedStep(std::move(sliced));
}

}  // namespace

StepResult makeFullyConnected(const OperationView& operation, const StepContext& context) {
    const OperandView& input = operation.inputs[0];
    const OperandView& weights = operation.inputs[1];
    const OperandView& bias = operation.inputs[2];
    const bool isFloat = input.type == OperandType::TENSOR_FLOAT32;
    const bool isQuantized = input.type == OperandType::TENSOR_QUANT8_ASYMM ||
                             input.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    if ((!isFloat && !isQuantized) || !weights.isConstant || !bias.isConstant) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation, readActivation(operation, 3));
    const OperatorKey key{context.operation, 0, 0};
    const bool hasWeights = weights.data != nullptr && bias.data != nullptr;
    NNBURST_TRY_ASSIGN(SharedOperator shared,
                       shareOperator(context, key, hasWeights, [&](WeightsCache packed) {
                           return isFloat ? createFloat(operation, activation, packed)
                                          : createQuantized(operation, activation, packed);
                       }));
    if (!shared) {
        return nullptr;
    }
    const std::uint32_t batches = operation.outputs[0].shape[0];
    const double work =
        static_cast<double>(batches) * static_cast<double>(weights.shape.elementCount());
    const RowSlices rows = sliceRows(batches, wantedSlices(work, Speed::DENSE), kMinimumSliceRows);
    if (rows.first.size() > 1) {
        return makeRowSlices(operation, context, std::move(shared), rows);
    }
    return makeOperatorStep(std::move(shared),
                            setUpFullyConnected(input.type, batches, operation.inputs.size()),
                            effortOf(context, work, Speed::DENSE));
}

}  // namespace nnburst::exec::xnnpack
