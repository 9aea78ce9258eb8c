// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_demo/streamer.h"

#include <utility>

#include "support/random_frame.h"

namespace nnburst::demo {
Result<Streamer> Streamer::create(const StreamedModel& model, const DriverOptions& options) {
    Streamer streamer(model);
    for ([[maybe_unused]] const Path path : kPaths) {
        NNBURST_TRY_ASSIGN(tools::PooledRequest operands,
                           tools::PooledRequest::create(model.model));
        streamer.lanes_.push_back({.operands = std::move(operands), .outcome = {}});
    }
    NNBURST_TRY_ASSIGN(const SharedDevice local, makeLocalDevice(options));
    NNBURST_TRY_ASSIGN(const SharedPreparedModel inProcess, prepareModel(*local, model.model));
    NNBURST_TRY_ASSIGN(streamer.inProcess_, inProcess->configureExecutionBurst({}));
    NNBURST_TRY_ASSIGN(const SharedDevice driver, spawnDriver(options));
    NNBURST_TRY_ASSIGN(streamer.remote_, prepareModel(*driver, model.model));
    NNBURST_TRY_ASSIGN(streamer.burst_, streamer.remote_->configureExecutionBurst({}));
    return streamer;
}

void Streamer::writeFrame(Path path, std::uint64_t number) {
    tools::writeRandomFrame(model_->model, model_->states, number, lane(path).operands);
}

Result<std::chrono::nanoseconds> Streamer::execute(Path path) {
    Lane& used = lane(path);
    const Request& request = used.operands.request();
    const auto start = std::chrono::steady_clock::now();
    switch (path) {
        case Path::IN_PROCESS:
            NNBURST_TRY(inProcess_->execute(request, {}, used.outcome));
            break;
        case Path::BURST:
            NNBURST_TRY(burst_->execute(request, {}, used.outcome));
            break;
        case Path::RPC:
            NNBURST_TRY(remote_->executeSynchronously(request, {}, used.outcome));
            break;
    }
    return std::chrono::steady_clock::now() - start;
}

std::uint64_t Streamer::finishFrame(Path path) {
    const tools::PooledRequest& operands = lane(path).operands;
    const std::uint64_t checksum = tools::checksumOfOutputs(operands);
    tools::feedBack(model_->states, operands);
    return checksum;
}

std::size_t Streamer::frameBytes() const {
    return tools::frameBytes(model_->states, lanes_.front().operands);
}

}  // namespace nnburst::demo
