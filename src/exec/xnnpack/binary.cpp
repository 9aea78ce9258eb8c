// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// ADD. Covered: float32, unsigned and signed 8 bits, with broadcasting.
//
//     output[...] = activation(input 0[...] + input 1[...]), sizes of 1 repeated

#include <array>
#include <utility>

#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

/// XNNPACK refuses inputs whose scale is not in [2^-10, 2^8) of the output's.
bool isAddScale(const OperandView& input, const OperandView& output) noexcept {
    const float ratio = input.scale / output.scale;
    return isNormalScale(input.scale) && ratio >= 0x1p-10F && ratio < 0x1p+8F;
}

template <class T, class Create>
Result<SharedOperator> createQuantized(Create function, const OperationView& operation,
                                       FusedActivationFunc activation) {
    const OperandView& a = operation.inputs[0];
    const OperandView& b = operation.inputs[1];
    const OperandView& output = operation.outputs[0];
    const QuantizedRange range = activationRange(activation, output);
    if (!isNormalScale(output.scale) || !isAddScale(a, output) || !isAddScale(b, output) ||
        !isRange(range)) {
        return nullptr;
    }
    xnn_operator_t created = nullptr;
    const xnn_status status =
        function(static_cast<T>(a.zeroPoint), a.scale, static_cast<T>(b.zeroPoint), b.scale,
                 static_cast<T>(output.zeroPoint), output.scale, static_cast<T>(range.minimum),
                 static_cast<T>(range.maximum), 0, &created);
    return takeOperator(status, created);
}

Result<SharedOperator> create(const OperationView& operation, FusedActivationFunc activation) {
    switch (operation.inputs[0].type) {
        case OperandType::TENSOR_FLOAT32: {
            const FloatRange range = activationRange(activation);
            xnn_operator_t created = nullptr;
            const xnn_status status =
                xnn_create_add_nd_f32(range.minimum, range.maximum, 0, &created);
            return takeOperator(status, created);
        }
        case OperandType::TENSOR_QUANT8_ASYMM:
            return createQuantized<std::uint8_t>(xnn_create_add_nd_qu8, operation, activation);
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return createQuantized<std::int8_t>(xnn_create_add_nd_qs8, operation, activation);
        default:
            return nullptr;
    }
}

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

template <class T, class Function>
SetUp binarySetUp(Function function, const OperationView& operation) {
    return [function, a = Sizes(operation.inputs[0].shape), b = Sizes(operation.inputs[1].shape),
            output = operation.inputs.size()](xnn_operator_t handle, Operands operands,
                                              pthreadpool_t threads) {
        return function(handle, a.rank, a.sizes.data(), b.rank, b.sizes.data(),
                        operandAs<const T>(operands, 0), operandAs<const T>(operands, 1),
                        operandAs<T>(operands, output), threads);
    };
}

SetUp setUpOf(const OperationView& operation) {
    switch (operation.inputs[0].type) {
        case OperandType::TENSOR_FLOAT32:
            return binarySetUp<float>(xnn_setup_add_nd_f32, operation);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return binarySetUp<std::uint8_t>(xnn_setup_add_nd_qu8, operation);
        default:
            return binarySetUp<std::int8_t>(xnn_setup_add_nd_qs8, operation);
    }
}

}  // namespace

StepResult makeAdd(const OperationView& operation, const StepContext& context) {
    const Shape& a = operation.inputs[0].shape;
    const Shape& b = operation.inputs[1].shape;
    if (a.rank() > XNN_MAX_TENSOR_DIMS || b.rank() > XNN_MAX_TENSOR_DIMS) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation, readActivation(operation, 2));
    NNBURST_TRY_ASSIGN(SharedOperator created, create(operation, activation));
    if (!created) {
        return nullptr;
    }
    // XNNPACK shares out broadcasts only; with equal shapes it runs on one thread in any case.
    const pthreadpool_t threads =
        a == b ? nullptr
               : threadsFor(context, static_cast<double>(operation.outputs[0].shape.elementCount()),
                            Speed::ELEMENTWISE);
    return makeOperatorStep(std::move(created), setUpOf(operation), threads, false);
}

}  // namespace nnburst::exec::xnnpack
