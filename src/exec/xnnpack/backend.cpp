// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/backend.h"

#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

Result<std::unique_ptr<Step>> makeStep(const OperationView& operation, const StepContext& context) {
    switch (operation.type) {
        case OperationType::ADD:
            return makeAdd(operation, context);
        case OperationType::AVERAGE_POOL_2D:
            return makeAveragePool2d(operation, context);
        case OperationType::CONV_2D:
            return makeConv2d(operation, context);
        case OperationType::DEPTHWISE_CONV_2D:
            return makeDepthwiseConv2d(operation, context);
        case OperationType::FULLY_CONNECTED:
            return makeFullyConnected(operation, context);
        case OperationType::MAX_POOL_2D:
            return makeMaxPool2d(operation, context);
        case OperationType::SOFTMAX:
            return makeSoftmax(operation, context);
        default:
            return nullptr;
    }
}

}  // namespace nnburst::exec::xnnpack
