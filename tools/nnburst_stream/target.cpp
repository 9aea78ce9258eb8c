// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/target.h"

#include <chrono>

#include "support/random_frame.h"

namespace nnburst::stream {

WaitPolicy policyOf(Wait wait) noexcept {
    switch (wait) {
        case Wait::SPIN:
            return {.spinWindow = std::chrono::hours(1)};
        case Wait::BLOCK:
            return {.spinWindow = std::chrono::nanoseconds(0)};
        case Wait::ADAPTIVE:
            break;
    }
    return {};
}

Result<Target> Target::create(Way way, Device& device, const TfliteModel& model,
                              const FrameBank& frames, Wait wait) {
    NNBURST_TRY_ASSIGN(tools::PooledRequest operands, tools::PooledRequest::create(model.model));
    Target target(model, frames, std::move(operands));
    NNBURST_TRY_ASSIGN(target.prepared_, prepareModel(device, model.model));
    if (way != Way::RPC) {  // a local device's burst is a call that keeps memory mapped
        NNBURST_TRY_ASSIGN(target.burst_,
                           target.prepared_->configureExecutionBurst(
                               {.clientWait = policyOf(wait), .driverWait = policyOf(wait)}));
    }
    return target;
}

Result<> Target::execute(const ExecutionOptions& options) {
    return burst_ != nullptr
               ? burst_->execute(operands_.request(), options, outcome_)
               : prepared_->executeSynchronously(operands_.request(), options, outcome_);
}

void Target::finish() const {
    tools::feedBack(model_->states, operands_);
}

std::uint64_t Target::checksumOfOutputs() const {
    return tools::checksumOfOutputs(operands_);
}

}  // namespace nnburst::stream
