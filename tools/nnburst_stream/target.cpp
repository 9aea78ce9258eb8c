// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/target.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "model/invalid.h"
#include "support/random_frame.h"

namespace nnburst::stream {

namespace {

/// Lines of a queue that holds the results of all frames in flight, of a model with a few outputs.
std::uint32_t queueLinesFor(std::uint32_t inFlight) noexcept {
    constexpr std::uint32_t kLinesOfAResult = 16;
    return std::max(BurstOptions().queueLines, std::bit_ceil(inFlight * kLinesOfAResult));
}

}  // namespace

WaitPolicy policyOf(WaitMode wait) noexcept {
    WaitPolicy policy{.mode = wait};
    if (wait == WaitMode::SPIN) {
        policy.spinWindow = std::chrono::hours(1);
    }
    return policy;
}

Result<Target> Target::create(Path path, Device& device, const TfliteModel& model,
                              const FrameBank& frames, const Options& options) {
    const std::uint32_t inFlight = options.inFlightOn(path);
    if (inFlight > 1 && !model.states.empty()) {
        return invalid(
            "{} frames in flight: must be 1, as each frame of this model needs states of the "
            "previous one",
            inFlight);
    }
    Target target(model, frames);
    NNBURST_TRY_ASSIGN(target.prepared_, prepareModel(device, model.model));
    if (path != Path::RPC) {  // a local device's burst is a call that keeps memory mapped
        NNBURST_TRY_ASSIGN(target.burst_, target.prepared_->configureExecutionBurst(
                                              {.queueLines = queueLinesFor(inFlight),
                                               .inFlight = inFlight,
                                               .clientWait = policyOf(options.wait),
                                               .driverWait = policyOf(options.wait)}));
    }
    for (std::uint32_t i = 0; i < inFlight; ++i) {
        NNBURST_TRY_ASSIGN(tools::PooledRequest operands,
                           tools::PooledRequest::create(model.model));
        target.buffers_.push_back({.operands = std::move(operands)});
    }
    target.hasDriver_ =
        target.burst_ != nullptr && path != Path::IN_PROCESS && options.device != "local";
    target.isReusable_ = path == Path::BURST || (path == Path::IN_PROCESS && !options.isPlain);
    NNBURST_TRY(target.setMeasure(MeasureTiming::NO));
    return target;
}

Result<> Target::setMeasure(MeasureTiming measure) {
    const bool isChange = std::exchange(measure_, measure) != measure;
    for (FrameBuffer& buffer : buffers_) {
        if (isReusable_ && (isChange || buffer.reusable == nullptr)) {
            buffer.reusable = nullptr;  // a burst remembers only so many
            NNBURST_TRY_ASSIGN(
                buffer.reusable,
                burst_->createReusableExecution(buffer.operands.request(), {.measure = measure}));
        }
    }
    return {};
}

Result<> Target::send(std::size_t buffer, const OptionalTimePoint& deadline) {
    FrameBuffer& sent = buffers_[buffer];
    if (buffers_.size() == 1) {
        sent.result = execute(sent, deadline);
        return {};
    }
    NNBURST_TRY_ASSIGN(sent.submission, submit(sent, deadline));
    return {};
}

Result<> Target::collect(std::size_t buffer) {
    FrameBuffer& sent = buffers_[buffer];
    return buffers_.size() == 1 ? std::move(sent.result) : burst_->wait(sent.submission, outcome_);
}

Result<> Target::execute(FrameBuffer& buffer, const OptionalTimePoint& deadline) {
    if (buffer.reusable != nullptr) {
        return buffer.reusable->compute(deadline, outcome_);
    }
    const ExecutionOptions options{.measure = measure_, .deadline = deadline};
    return burst_ != nullptr
               ? burst_->execute(buffer.operands.request(), options, outcome_)
               : prepared_->executeSynchronously(buffer.operands.request(), options, outcome_);
}

Result<Submission> Target::submit(FrameBuffer& buffer, const OptionalTimePoint& deadline) {
    return buffer.reusable != nullptr ? buffer.reusable->submit(deadline)
                                      : burst_->submit(buffer.operands.request(),
                                                       {.measure = measure_, .deadline = deadline});
}

void Target::finish() const {
    tools::feedBack(model_->states, buffers_.front().operands);
}

std::uint64_t Target::checksumOfOutputs(std::size_t buffer) const {
    return tools::checksumOfOutputs(buffers_[buffer].operands);
}

std::optional<BurstWaitStats> Target::waitStats() const {
    return hasDriver_ ? std::optional(burst_->waitStats()) : std::nullopt;
}

}  // namespace nnburst::stream
