// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/operation_step.h"

#include <algorithm>
#include <utility>

#include "exec/dot8/backend.h"
#include "exec/plan/pair_table_step.h"
#include "exec/plan/profile.h"
#include "exec/plan/table_step.h"
#include "exec/reference/reference_step.h"
#include "exec/xnnpack/backend.h"
#include "log/verbose.h"

namespace nnburst::exec {

namespace {

bool hasElements(const OperandView& operand) noexcept {
    return operand.isOmitted || operand.shape.elementCount() != 0;
}

bool hasElements(const OperationInstance& operation) noexcept {
    const auto has = [](const OperandView& operand) { return hasElements(operand); };
    return std::all_of(operation.inputs.begin(), operation.inputs.end(), has) &&
           std::all_of(operation.outputs.begin(), operation.outputs.end(), has);
}

}  // namespace

Result<std::unique_ptr<Step>> makeOperationStep(OperationInstance operation, std::uint32_t index,
                                                const Kernels& kernels,
                                                dot8::PackedWeights& weights,
                                                xnnpack::OperatorCache& operators,
                                                Account* account) {
    std::unique_ptr<Step> step;
    const char* kind = "reference kernel";
    KernelLibrary library = KernelLibrary::REFERENCE;
    const bool isEmpty = !hasElements(operation);
    const dot8::StepContext ownContext{.kernels = kernels.dot8,
                                       .threads = kernels.pool(),
                                       .weights = &weights,
                                       .operation = index,
                                       .account = account};
    if (kernels.dot8 != nullptr && !isEmpty) {
        NNBURST_TRY_ASSIGN(step, dot8::makeStep(operation.view(), ownContext));
        kind = step ? kernels.dot8->name : kind;
    }
    if (!step && kernels.usesXnnpack && !isEmpty) {
        NNBURST_TRY_ASSIGN(step, xnnpack::makeStep(operation.view(), {.threads = kernels.pool(),
                                                                      .operators = &operators,
                                                                      .operation = index}));
        kind = step ? "XNNPACK" : kind;
        library = step ? KernelLibrary::XNNPACK : library;
    }
    if (!step && kernels.dot8 != nullptr && !isEmpty) {
        NNBURST_TRY_ASSIGN(step, dot8::makeStepAsReference(operation.view(), ownContext));
        if (!step) {
            NNBURST_TRY_ASSIGN(step, makeTableStep(operation, *kernels.dot8));
        }
        if (!step) {
            NNBURST_TRY_ASSIGN(step, makePairTableStep(operation));
        }
        kind = step ? kernels.dot8->name : kind;
    }
    if (step && library == KernelLibrary::REFERENCE) {
        library = KernelLibrary::OWN;
    }
    // Before the operation is given away.
    const std::uint32_t number =
        kernels.profile == nullptr
            ? 0
            : kernels.profile->describe(index, operation.view(), library, kind);
    NNBURST_VLOG(COMPILATION, "operation {}, {}: {}", index, toString(operation.type), kind);
    if (!step) {
        step = makeReferenceStep(std::move(operation));
    }
    if (kernels.profile != nullptr) {
        step = makeProfiledStep(std::move(step), *kernels.profile, number);
    }
    return step;
}

}  // namespace nnburst::exec
