// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/operation_step.h"

#include <algorithm>
#include <utility>

#include "exec/reference/reference_step.h"
#include "exec/xnnpack/backend.h"
#include "log/verbose.h"

namespace nnburst::exec {

namespace {

bool hasElements(const OperandView& operand) noexcept {
    return operand.isOmitted || operand.shape.elementCount() != 0;
}

}  // namespace

Result<std::unique_ptr<Step>> makeOperationStep(OperationInstance operation, std::uint32_t index,
                                                const Kernels& kernels,
                                                xnnpack::OperatorCache& operators) {
    std::unique_ptr<Step> step;
    if (kernels.usesXnnpack &&
        std::all_of(operation.inputs.begin(), operation.inputs.end(), hasElements) &&
        std::all_of(operation.outputs.begin(), operation.outputs.end(), hasElements)) {
        NNBURST_TRY_ASSIGN(step, xnnpack::makeStep(operation.view(), {.threads = kernels.pool(),
                                                                      .operators = &operators,
                                                                      .operation = index}));
    }
    NNBURST_VLOG(COMPILATION, "operation {}, {}: {}", index, toString(operation.type),
                 step ? "XNNPACK" : "reference kernel");
    if (!step) {
        step = makeReferenceStep(std::move(operation));
    }
    return step;
}

}  // namespace nnburst::exec
