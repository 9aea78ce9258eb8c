// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// ADD, SUB, MUL: float32, unsigned and signed 8 bits. DIV, MAXIMUM, MINIMUM: float32. All with
// broadcasting.
//
//     output[...] = activation(input 0[...] op input 1[...]), sizes of 1 repeated

#include <array>
#include <limits>
#include <utility>

#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

template <class T>
using CreateQuantized = xnn_status (*)(T, float, T, float, T, float, T, T, std::uint32_t,
                                       xnn_operator_t*);

template <class T>
using BinarySetUp = xnn_status (*)(xnn_operator_t, std::size_t, const std::size_t*, std::size_t,
                                   const std::size_t*, const T*, const T*, T*, pthreadpool_t);

/// A shape with sizes as XNNPACK takes them.
struct Sizes {
    explicit Sizes(const Shape& shape) noexcept : rank(shape.rank()) {
        for (std::size_t axis = 0; axis < rank; ++axis) {
            sizes[axis] = shape[axis];
        }
    }

    std::array<std::size_t, kMaximumRank> sizes{};
    std::size_t rank;
};

template <class T>
StepResult makeBinaryStep(Result<SharedOperator> created, BinarySetUp<T> function,
                          const OperationView& operation, const StepContext& context) {
    if (!created) {
        return tl::unexpected<Error>(std::move(created.error()));
    }
    if (!*created) {
        return nullptr;
    }
    const Shape& a = operation.inputs[0].shape;
    const Shape& b = operation.inputs[1].shape;
    // XNNPACK splits only broadcasts among threads; with equal shapes it runs on one thread.
    const pthreadpool_t threads =
        a == b ? nullptr
               : threadsFor(context, static_cast<double>(operation.outputs[0].shape.elementCount()),
                            Speed::ELEMENTWISE);
    SetUp setUp = [function, sizesA = Sizes(a), sizesB = Sizes(b),
                   output = operation.inputs.size()](xnn_operator_t handle, Operands operands,
                                                     pthreadpool_t pool) {
        return function(handle, sizesA.rank, sizesA.sizes.data(), sizesB.rank, sizesB.sizes.data(),
                        operandAs<const T>(operands, 0), operandAs<const T>(operands, 1),
                        operandAs<T>(operands, output), pool);
    };
    return makeOperatorStep(std::move(*created), std::move(setUp), threads, false);
}

StepResult makeFloat(const OperationView& operation, const StepContext& context) {
    xnn_operator_t created = nullptr;
    const auto clamped = [&](auto create, BinarySetUp<float> setUp) -> StepResult {
        NNBURST_TRY_ASSIGN(const FusedActivationFunc activation, readActivation(operation, 2));
        const FloatRange range = activationRange(activation);
        const xnn_status status = create(range.minimum, range.maximum, 0, &created);
        return makeBinaryStep(takeOperator(status, created), setUp, operation, context);
    };
    const auto plain = [&](auto create, BinarySetUp<float> setUp) -> StepResult {
        const xnn_status status = create(0, &created);
        return makeBinaryStep(takeOperator(status, created), setUp, operation, context);
    };
    switch (operation.type) {
        case OperationType::ADD:
            return clamped(xnn_create_add_nd_f32, xnn_setup_add_nd_f32);
        case OperationType::SUB:
            return clamped(xnn_create_subtract_nd_f32, xnn_setup_subtract_nd_f32);
        case OperationType::MUL:
            return clamped(xnn_create_multiply_nd_f32, xnn_setup_multiply_nd_f32);
        case OperationType::DIV:
            return clamped(xnn_create_divide_nd_f32, xnn_setup_divide_nd_f32);
        case OperationType::MAXIMUM:
            return plain(xnn_create_maximum_nd_f32, xnn_setup_maximum_nd_f32);
        case OperationType::MINIMUM:
            return plain(xnn_create_minimum_nd_f32, xnn_setup_minimum_nd_f32);
        default:
            return nullptr;
    }
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

/// `create` and `setUp` have one function for ADD, SUB and MUL each.
template <class T>
StepResult makeQuantized(const OperationView& operation, const StepContext& context,
                         const std::array<CreateQuantized<T>, 3>& create,
                         const std::array<BinarySetUp<T>, 3>& setUp) {
    const std::size_t function = operation.type == OperationType::ADD   ? 0
                                 : operation.type == OperationType::SUB ? 1
                                                                        : 2;
    const OperandView& a = operation.inputs[0];
    const OperandView& b = operation.inputs[1];
    const OperandView& output = operation.outputs[0];
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation, readActivation(operation, 2));
    const QuantizedRange range = activationRange(activation, output);
    if (!areScalesCovered(operation) || !isRange(range)) {
        return nullptr;
    }
    xnn_operator_t created = nullptr;
    const xnn_status status =
        create[function](static_cast<T>(a.zeroPoint), a.scale, static_cast<T>(b.zeroPoint), b.scale,
                         static_cast<T>(output.zeroPoint), output.scale,
                         static_cast<T>(range.minimum), static_cast<T>(range.maximum), 0, &created);
    return makeBinaryStep(takeOperator(status, created), setUp[function], operation, context);
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
    if (type == OperandType::TENSOR_QUANT8_ASYMM) {
        return makeQuantized<std::uint8_t>(
            operation, context,
            {xnn_create_add_nd_qu8, xnn_create_subtract_nd_qu8, xnn_create_multiply_nd_qu8},
            {xnn_setup_add_nd_qu8, xnn_setup_subtract_nd_qu8, xnn_setup_multiply_nd_qu8});
    }
    if (type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED) {
        return makeQuantized<std::int8_t>(
            operation, context,
            {xnn_create_add_nd_qs8, xnn_create_subtract_nd_qs8, xnn_create_multiply_nd_qs8},
            {xnn_setup_add_nd_qs8, xnn_setup_subtract_nd_qs8, xnn_setup_multiply_nd_qs8});
    }
    return nullptr;
}

}  // namespace nnburst::exec::xnnpack
