// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/backend.h"

#include <fmt/format.h>
#include <xnnpack.h>

#include "exec/xnnpack/allocator.h"
#include "exec/xnnpack/converted_step.h"
#include "exec/xnnpack/families.h"
#include "exec/xnnpack/piecewise_step.h"
#include "log/assert.h"

namespace nnburst::exec::xnnpack {

namespace {

/// A family of operators: gives null for what XNNPACK does not cover.
using Family = StepResult (*)(const OperationView& operation, const StepContext& context);

/// The family that has some form of the operation; null if there is none.
Family familyOf(OperationType type) noexcept {
    switch (type) {
        case OperationType::ADD:
        case OperationType::DIV:
        case OperationType::MAXIMUM:
        case OperationType::MINIMUM:
        case OperationType::MUL:
        case OperationType::SUB:
            return makeBinary;
        case OperationType::ABS:
        case OperationType::ELU:
        case OperationType::FLOOR:
        case OperationType::HARD_SWISH:
        case OperationType::LOGISTIC:
        case OperationType::NEG:
        case OperationType::RELU:
        case OperationType::RELU1:
        case OperationType::RELU6:
        case OperationType::SQRT:
        case OperationType::TANH:
            return makeUnary;
        case OperationType::AVERAGE_POOL_2D:
            return makeAveragePool2d;
        case OperationType::CONV_2D:
            return makeConv2d;
        case OperationType::DEPTHWISE_CONV_2D:
            return makeDepthwiseConv2d;
        case OperationType::FULLY_CONNECTED:
            return makeFullyConnected;
        case OperationType::GROUPED_CONV_2D:
            return makeGroupedConv2d;
        case OperationType::RESIZE_BILINEAR:
            return makeResizeBilinear;
        case OperationType::TRANSPOSE_CONV_2D:
            return makeTransposeConv2d;
        case OperationType::MAX_POOL_2D:
            return makeMaxPool2d;
        case OperationType::MEAN:
            return makeMean;
        case OperationType::PRELU:
            return makePrelu;
        case OperationType::SOFTMAX:
            return makeSoftmax;
        default:
            return nullptr;
    }
}

}  // namespace

Result<> initialize() {
    const xnn_status status = xnn_initialize(&allocator());
    if (status != xnn_status_success) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("cannot initialise XNNPACK: its status is {}", static_cast<int>(status)));
    }
    return {};
}

Result<std::unique_ptr<Step>> makeStep(const OperationView& operation, const StepContext& context) {
    const Family family = familyOf(operation.type);
    if (family == nullptr) {
        return nullptr;
    }
    NNBURST_ASSERT(!operation.inputs.empty() && !operation.outputs.empty(),
                   "operation {} ({}) with {} inputs and {} outputs was not checked",
                   context.operation, toString(operation.type), operation.inputs.size(),
                   operation.outputs.size());
    if (family == makeBinary || family == makeUnary) {
        NNBURST_TRY_ASSIGN(auto pieces, makePiecewiseStep(operation, context));
        if (pieces != nullptr) {
            return pieces;
        }
    }
    NNBURST_TRY_ASSIGN(auto step, family(operation, context));
    return step != nullptr ? std::move(step) : makeConvertedStep(operation, context);
}

}  // namespace nnburst::exec::xnnpack
