// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// ADD, SUB, MUL: float32, unsigned and signed 8 bits. DIV, MAXIMUM, MINIMUM: float32. All with
// broadcasting.
//
//     output[...] = activation(input 0[...] op input 1[...]), sizes of 1 repeated

#include "exec/xnnpack/clamped_step.h"
#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

/// A step with `range`.
StepResult makeBinaryStep(const OperationView& operation, const StepContext& context,
                          const FloatRange& range) {
    const OperandView& a = operation.inputs[0];
    const OperandView& b = operation.inputs[1];
    const OperandView& output = operation.outputs[0];
    // XNNPACK of 2022 splits only broadcasts among threads.
    const auto elements = static_cast<double>(output.shape.elementCount());
    const Effort effort = a.shape == b.shape ? effortAlone(elements, Speed::ELEMENTWISE)
                                             : effortOf(context, elements, Speed::ELEMENTWISE);
    const std::size_t outputIndex = operation.inputs.size();
    return makeClampedStep(createBinary(operation.type, Elements::of(a), Elements::of(b),
                                        Elements::of(output), range, a.shape, b.shape, outputIndex),
                           range, output, outputIndex, effort);
}

StepResult makeFloat(const OperationView& operation, const StepContext& context) {
    FloatRange range = wholeRange(OperandType::TENSOR_FLOAT32);
    if (operation.type != OperationType::MAXIMUM && operation.type != OperationType::MINIMUM) {
        NNBURST_TRY_ASSIGN(const FusedActivationFunc activation, readActivation(operation, 2));
        range = activationRange(activation);
    }
    return makeBinaryStep(operation, context, range);
}

/// XNNPACK refuses all other scales.
bool areScalesCovered(const OperationView& operation) noexcept {
    const float a = operation.inputs[0].scale;
    const float b = operation.inputs[1].scale;
    const float output = operation.outputs[0].scale;
    if (!isNormalScale(a) || !isNormalScale(b) || !isNormalScale(output)) {
        return false;
    }
    const auto isWithin = [](float ratio, float minimum, float maximum) {
        return ratio >= minimum && ratio < maximum;
    };
    return operation.type == OperationType::MUL
               ? isWithin(a * b / output, 0x1p-16F, 0x1p+8F)
               : isWithin(a / output, 0x1p-10F, 0x1p+8F) && isWithin(b / output, 0x1p-10F, 0x1p+8F);
}

StepResult makeQuantizedBinary(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation, readActivation(operation, 2));
    const QuantizedRange range = activationRange(activation, operation.outputs[0]);
    if (!areScalesCovered(operation) || !isRange(range)) {
        return nullptr;
    }
    return makeBinaryStep(operation, context, rangeOf(range));
}

}  // namespace

StepResult makeBinary(const OperationView& operation, const StepContext& context) {
    if (operation.inputs[0].shape.rank() > XNN_MAX_TENSOR_DIMS ||
        operation.inputs[1].shape.rank() > XNN_MAX_TENSOR_DIMS) {
        return nullptr;
    }
    const OperandType type = operation.inputs[0].type;
    if (type == OperandType::TENSOR_FLOAT32) {
        return makeFloat(operation, context);
    }
    if (operation.type != OperationType::ADD && operation.type != OperationType::SUB &&
        operation.type != OperationType::MUL) {
        return nullptr;
    }
    return type == OperandType::TENSOR_QUANT8_ASYMM ||
                   type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED
               ? makeQuantizedBinary(operation, context)
               : nullptr;
}

}  // namespace nnburst::exec::xnnpack
