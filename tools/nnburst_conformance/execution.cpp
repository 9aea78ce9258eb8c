// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_conformance/execution.h"

#include <poll.h>

#include <algorithm>
#include <future>

namespace nnburst::conformance {

namespace {

/// Arguments start at multiples of this in their pool.
constexpr std::uint32_t kAlignmentBytes = 4;

/// Lays buffers out in a pool, one after the other.
class PoolLayout {
  public:
    explicit PoolLayout(std::uint32_t poolIndex) noexcept : poolIndex_(poolIndex) {}

    RequestArgument add(std::size_t sizeBytes) {
        const RequestArgument argument{
            .hasNoValue = false,
            .location = {.poolIndex = poolIndex_,
                         .offset = sizeBytes_,
                         .length = static_cast<std::uint32_t>(sizeBytes)},
            .dimensions = {}};
        sizeBytes_ +=
            (argument.location.length + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
        return argument;
    }

    [[nodiscard]] Result<SharedRegion> makeRegion() const {
        return Region::create(std::max(sizeBytes_, kAlignmentBytes));
    }

  private:
    std::uint32_t poolIndex_;
    std::uint32_t sizeBytes_ = 0;
};

Result<> executeAsynchronously(PreparedModel& prepared, const Request& request,
                               const ExecutionOptions& options, ExecutionOutcome& outcome) {
    std::promise<Result<>> ended;
    static_cast<void>(prepared.execute(request, options,
                                       [&](const Result<>& status, const ExecutionOutcome& given) {
                                           outcome = given;
                                           ended.set_value(status);
                                       }));
    return ended.get_future().get();
}

Result<> executeFenced(PreparedModel& prepared, const Request& request,
                       const ExecutionOptions& options, ExecutionOutcome& outcome) {
    NNBURST_TRY_ASSIGN(const FencedExecution execution,
                       prepared.executeFenced(request, {}, options, std::nullopt));
    if (execution.fence.get() >= 0) {
        pollfd fence{.fd = execution.fence.get(), .events = POLLIN, .revents = 0};
        while (::poll(&fence, 1, -1) < 0 && errno == EINTR) {
        }
    }
    Timing launched;
    Timing fenced;
    Result<> status = execution.callback(launched, fenced);
    outcome.timing = launched;
    return status;
}

}  // namespace

Result<Burst*> Executor::burst() {
    if (burst_ == nullptr) {
        // Several examples run at the same time, so waits must not spin.
        const WaitPolicy sleeping{.mode = WaitMode::BLOCK};
        NNBURST_TRY_ASSIGN(burst_, prepared_->configureExecutionBurst(
                                       {.clientWait = sleeping, .driverWait = sleeping}));
    }
    return burst_.get();
}

/// Executes twice as a reusable execution. The second result counts: then the driver knows it.
Result<> Executor::executeAgain(const Request& request, const ExecutionOptions& options,
                                std::span<std::byte> outputs, ExecutionOutcome& outcome) {
    NNBURST_TRY_ASSIGN(Burst * burst, this->burst());
    NNBURST_TRY_ASSIGN(const auto reusable, burst->createReusableExecution(request, options));
    static_cast<void>(reusable->compute(options.deadline, outcome));
    std::ranges::fill(outputs, std::byte{0xA5});
    return reusable->compute(options.deadline, outcome);
}

Result<> Executor::executeVia(Via via, const Request& request, const ExecutionOptions& options,
                              ExecutionOutcome& outcome) {
    switch (via) {
        case Via::SYNC:
            return prepared_->executeSynchronously(request, options, outcome);
        case Via::ASYNC:
            return executeAsynchronously(*prepared_, request, options, outcome);
        case Via::BURST: {
            NNBURST_TRY_ASSIGN(Burst * burst, this->burst());
            return burst->execute(request, options, outcome);
        }
        case Via::REUSABLE:
            break;  // see executeAgain
        case Via::FENCED:
            return executeFenced(*prepared_, request, options, outcome);
    }
    return {};
}

Result<Execution> Executor::execute(const VectorExample& example, Via via,
                                    const ExecutionWish& wish) {
    Request request;
    PoolLayout inputs(0);
    PoolLayout outputs(1);
    for (const std::vector<std::byte>& input : example.inputs) {
        request.inputs.push_back(
            input.empty() ? RequestArgument{.hasNoValue = true, .location = {}, .dimensions = {}}
                          : inputs.add(input.size()));
    }
    for (const VectorOutput& output : example.outputs) {
        request.outputs.push_back(outputs.add(std::max<std::size_t>(output.expected.size(), 1)));
    }
    request.outputs[0].location.length -= wish.missingBytes;
    NNBURST_TRY_ASSIGN(const SharedRegion inputRegion, inputs.makeRegion());
    NNBURST_TRY_ASSIGN(const SharedRegion outputRegion, outputs.makeRegion());
    NNBURST_TRY_ASSIGN(const Mapping inputMapping, Mapping::map(inputRegion));
    NNBURST_TRY_ASSIGN(const Mapping outputMapping, Mapping::map(outputRegion));
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        std::ranges::copy(example.inputs[i],
                          inputMapping.bytes().subspan(request.inputs[i].location.offset).begin());
    }
    request.pools = {inputRegion, outputRegion};

    const ExecutionOptions options{
        .measure = wish.measures ? MeasureTiming::YES : MeasureTiming::NO,
        .deadline = std::nullopt,
        .loopTimeout = wish.loopTimeout};
    ExecutionOutcome outcome;
    Execution execution;
    execution.status = via == Via::REUSABLE
                           ? executeAgain(request, options, outputMapping.bytes(), outcome)
                           : executeVia(via, request, options, outcome);
    execution.outputShapes = std::move(outcome.outputShapes);
    execution.timing = outcome.timing;
    for (std::size_t i = 0; i < example.outputs.size(); ++i) {
        const auto contents = outputMapping.bytes().subspan(request.outputs[i].location.offset,
                                                            example.outputs[i].expected.size());
        execution.outputs.emplace_back(contents.begin(), contents.end());
    }
    return execution;
}

}  // namespace nnburst::conformance
