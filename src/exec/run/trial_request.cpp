// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/trial_request.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

Result<> TrialRequest::make(const CompiledModel& model) {
    NNBURST_TRY(add(model.inputs(), bindings_.inputs));
    return add(model.outputs(), bindings_.outputs);
}

Result<> TrialRequest::add(std::span<const Operand> operands,
                           std::vector<ArgumentBinding>& arguments) {
    for (const Operand& operand : operands) {
        const auto bytes = operandBytes(operand.type, operand.dimensions);
        if (!bytes || *bytes == 0 || *bytes > std::numeric_limits<std::uint32_t>::max()) {
            return invalid("the size of an argument is not known before the model runs");
        }
        bytes_ += *bytes;
        if (bytes_ > kMaximumBytes) {
            return failure(
                ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                fmt::format("arguments of more than {} bytes for a trial", kMaximumBytes));
        }
        NNBURST_TRY_ASSIGN(AlignedBuffer buffer, AlignedBuffer::allocate(*bytes));
        arguments.push_back(
            {.data = buffer.data(), .lengthBytes = static_cast<std::uint32_t>(*bytes)});
        buffers_.push_back(std::move(buffer));
    }
    return {};
}

void warmUp(CompiledModel& model) {
    TrialRequest request;
    if (!request.make(model)) {
        return;
    }
    Caller caller(Priority::LOW);
    caller.isWarmUp = true;
    ExecutionOutcome outcome;
    (void)model.run(request.bindings(), caller,
                    {.deadline = std::chrono::steady_clock::now() + kWarmUpLimit}, outcome);
}

}  // namespace nnburst::exec
