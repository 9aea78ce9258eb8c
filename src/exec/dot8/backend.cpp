// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/backend.h"

#include "exec/dot8/families.h"
#include "log/assert.h"

namespace nnburst::exec::dot8 {

StepResult makeStep(const OperationView& operation, const StepContext& context) {
    NNBURST_ASSERT(context.kernels != nullptr && context.weights != nullptr,
                   "operation {} is made without kernels or without a cache", context.operation);
    switch (operation.type) {
        case OperationType::CONV_2D:
            return makeConv2d(operation, context);
        case OperationType::DEPTHWISE_CONV_2D:
            return makeDepthwiseConv2d(operation, context);
        case OperationType::GROUPED_CONV_2D:
            return makeGroupedConv2d(operation, context);
        case OperationType::TRANSPOSE_CONV_2D:
            return makeTransposeConv2d(operation, context);
        case OperationType::FULLY_CONNECTED:
            return makeFullyConnected(operation, context);
        default:
            return nullptr;
    }
}

StepResult makeStepAsReference(const OperationView& operation, const StepContext& context) {
    NNBURST_ASSERT(context.kernels != nullptr, "operation {} is made without kernels",
                   context.operation);
    switch (operation.type) {
        case OperationType::AVERAGE_POOL_2D:
            return makeAveragePool2d(operation, context);
        case OperationType::MEAN:
            return makeMean(operation, context);
        case OperationType::QUANTIZED_16BIT_LSTM:
            return makeQuantized16bitLstm(operation, context);
        case OperationType::QUANTIZED_LSTM:
            return makeQuantizedLstm(operation, context);
        default:
            return nullptr;
    }
}

}  // namespace nnburst::exec::dot8
