// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/runner.h"

#include <algorithm>

#include "model/operand_info.h"
#include "support/random_frame.h"

namespace nnburst::run {

Result<Runner> Runner::create(const TfliteModel& model, Device& device, Via via) {
    NNBURST_TRY_ASSIGN(tools::PooledRequest operands, tools::PooledRequest::create(model.model));
    Runner runner(model, std::move(operands));
    runner.resetStates();
    NNBURST_TRY_ASSIGN(runner.prepared_, prepareModel(device, model.model));
    if (via == Via::BURST) {
        NNBURST_TRY_ASSIGN(runner.burst_, runner.prepared_->configureExecutionBurst({}));
    }
    return runner;
}

Result<std::chrono::nanoseconds> Runner::execute() {
    const auto start = std::chrono::steady_clock::now();
    NNBURST_TRY(burst_ != nullptr
                    ? burst_->execute(operands_.request(), {}, outcome_)
                    : prepared_->executeSynchronously(operands_.request(), {}, outcome_));
    return std::chrono::steady_clock::now() - start;
}

void Runner::feedBack() {
    tools::feedBack(model_->states, operands_);
}

void Runner::resetStates() {
    const Subgraph& main = model_->model.main;
    for (const ModelState& state : model_->states) {
        const Operand& operand = main.operands[main.inputIndexes[state.input]];
        std::ranges::fill(operands_.input(state.input),
                          firstStateByte(operand.type, operand.zeroPoint));
    }
}

}  // namespace nnburst::run
