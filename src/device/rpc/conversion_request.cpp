// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>

#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/message_lists.h"
#include "device/rpc/rpc_limits.h"
#include "model/request_check.h"
#include "nnburst/validation.h"

namespace nnburst::device {

namespace {

void argumentsToMessage(const std::vector<RequestArgument>& arguments,
                        capnp::List<rpc::RequestArgument>::Builder builder) {
    for (unsigned i = 0; i < builder.size(); ++i) {
        const RequestArgument& argument = arguments[i];
        builder[i].setHasNoValue(argument.hasNoValue);
        auto location = builder[i].initLocation();
        location.setPoolIndex(argument.location.poolIndex);
        location.setOffset(argument.location.offset);
        location.setLength(argument.location.length);
        numbersToMessage(
            argument.dimensions,
            builder[i].initDimensions(static_cast<unsigned>(argument.dimensions.size())));
    }
}

Result<std::vector<RequestArgument>> argumentsFromMessage(
    capnp::List<rpc::RequestArgument>::Reader reader) {
    NNBURST_TRY(checkCount(reader.size(), kMaximumOperands, "request arguments"));
    std::vector<RequestArgument> arguments;
    arguments.reserve(reader.size());
    for (const auto argument : reader) {
        const auto dimensions = argument.getDimensions();
        NNBURST_TRY(
            checkCount(dimensions.size(), kMaximumDimensions, "dimensions of a request argument"));
        const auto location = argument.getLocation();
        arguments.push_back({.hasNoValue = argument.getHasNoValue(),
                             .location = {.poolIndex = location.getPoolIndex(),
                                          .offset = location.getOffset(),
                                          .length = location.getLength()},
                             .dimensions = numbersFromMessage<std::uint32_t>(dimensions)});
    }
    return arguments;
}

}  // namespace

Result<> toMessage(const Request& request, rpc::Request::Builder builder) {
    if (request.pools.size() > kMaximumPoolsPerMessage) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
            fmt::format("request with {} memory pools: at most {} can be sent to a driver process",
                        request.pools.size(), kMaximumPoolsPerMessage));
    }
    argumentsToMessage(request.inputs,
                       builder.initInputs(static_cast<unsigned>(request.inputs.size())));
    argumentsToMessage(request.outputs,
                       builder.initOutputs(static_cast<unsigned>(request.outputs.size())));
    auto pools = builder.initPools(static_cast<unsigned>(request.pools.size()));
    for (unsigned i = 0; i < pools.size(); ++i) {
        if (const auto* token = std::get_if<BufferToken>(&request.pools[i])) {
            pools[i].setToken(static_cast<std::uint32_t>(*token));
            continue;
        }
        const SharedRegion& region = std::get<SharedRegion>(request.pools[i]);
        if (!region) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("request pool {} is null", i));
        }
        toMessage(region, pools[i].initMemory());
    }
    const std::uint64_t sizeBytes = builder.asReader().totalSize().wordCount * sizeof(capnp::word);
    if (sizeBytes > kMaximumMessageBytes) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
            fmt::format("request of {} bytes: at most {} can be sent to a driver process",
                        sizeBytes, kMaximumMessageBytes));
    }
    return {};
}

Result<Request> requestWithoutMemory(const RequestLists& lists) {
    Request request;
    NNBURST_TRY_ASSIGN(request.inputs, argumentsFromMessage(lists.inputs));
    NNBURST_TRY_ASSIGN(request.outputs, argumentsFromMessage(lists.outputs));
    NNBURST_TRY(checkCount(lists.pools.size(), kMaximumPoolsPerMessage, "request pools"));
    for (unsigned i = 0; i < lists.pools.size(); ++i) {
        const auto pool = lists.pools[i];
        switch (pool.which()) {
            case rpc::RequestPool::MEMORY:
                request.pools.emplace_back(SharedRegion());
                continue;
            case rpc::RequestPool::TOKEN:
                request.pools.emplace_back(BufferToken{pool.getToken()});
                continue;
        }
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("request pool {} is of the unknown kind {}", i,
                                   static_cast<unsigned>(pool.which())));
    }
    return request;
}

kj::Promise<Result<Request>> receiveRequest(Request request,
                                            capnp::List<rpc::RequestPool>::Reader pools,
                                            const SharedPeer& peer) {
    std::vector<std::size_t> memoryPools;
    for (std::size_t i = 0; i < request.pools.size(); ++i) {
        if (std::holds_alternative<SharedRegion>(request.pools[i])) {
            memoryPools.push_back(i);
        }
    }
    auto regions = kj::heapArrayBuilder<kj::Promise<Result<SharedRegion>>>(memoryPools.size());
    for (const std::size_t pool : memoryPools) {
        regions.add(receiveRegion(pools[static_cast<unsigned>(pool)].getMemory(), peer));
    }
    return joinRegions(regions.finish(), peer)
        .then([request = std::move(request), memoryPools = std::move(memoryPools)](
                  Result<std::vector<SharedRegion>> joined) mutable -> Result<Request> {
            NNBURST_TRY_ASSIGN(std::vector<SharedRegion> memories, std::move(joined));
            for (std::size_t i = 0; i < memories.size(); ++i) {
                if (!memories[i]) {
                    return failure(ErrorStatus::INVALID_ARGUMENT,
                                   fmt::format("request pool {} has no memory", memoryPools[i]));
                }
                request.pools[memoryPools[i]] = std::move(memories[i]);
            }
            return std::move(request);
        });
}

std::vector<BufferOutput> bufferOutputsFromMessage(rpc::Request::Reader reader, std::size_t limit) {
    const auto outputs = reader.getOutputs();
    const auto pools = reader.getPools();
    std::vector<BufferOutput> found;
    for (unsigned i = 0; i < std::min<std::size_t>(outputs.size(), limit); ++i) {
        const std::uint32_t pool = outputs[i].getLocation().getPoolIndex();
        if (!outputs[i].getHasNoValue() && pool < pools.size() &&
            pools[pool].which() == rpc::RequestPool::TOKEN) {
            found.push_back({.index = i, .token = BufferToken{pools[pool].getToken()}});
        }
    }
    return found;
}

void toMessage(const std::vector<BufferOutput>& outputs,
               capnp::List<rpc::BufferOutput>::Builder builder) {
    for (unsigned i = 0; i < builder.size(); ++i) {
        builder[i].setIndex(outputs[i].index);
        builder[i].setToken(static_cast<std::uint32_t>(outputs[i].token));
    }
}

std::vector<BufferOutput> fromMessage(capnp::List<rpc::BufferOutput>::Reader reader,
                                      std::size_t limit) {
    std::vector<BufferOutput> outputs;
    for (unsigned i = 0; i < std::min<std::size_t>(reader.size(), limit); ++i) {
        outputs.push_back(
            {.index = reader[i].getIndex(), .token = BufferToken{reader[i].getToken()}});
    }
    return outputs;
}

void toMessage(const ExecutionOptions& options, rpc::ExecutionOptions::Builder builder) {
    builder.setMeasure(static_cast<std::int32_t>(options.measure));
    toMessage(options.deadline, builder.initDeadline());
    toMessage(options.loopTimeout, builder.initLoopTimeout());
}

Result<ExecutionOptions> fromMessage(rpc::ExecutionOptions::Reader reader) {
    ExecutionOptions options;
    options.measure = static_cast<MeasureTiming>(reader.getMeasure());
    NNBURST_TRY(checkMeasure(options.measure));
    options.deadline = timePointFromMessage(reader.getDeadline());
    options.loopTimeout = durationFromMessage(reader.getLoopTimeout());
    return options;
}

void toMessage(const WaitPolicy& policy, rpc::WaitPolicy::Builder builder) {
    builder.setMode(static_cast<std::uint8_t>(policy.mode));
    builder.setSpinNanoseconds(policy.spinWindow.count());
}

Result<WaitPolicy> fromMessage(rpc::WaitPolicy::Reader reader) {
    if (reader.getMode() >= kWaitModes.size()) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("wait mode {}: must be less than {}", reader.getMode(), kWaitModes.size()));
    }
    return WaitPolicy{.spinWindow = std::chrono::nanoseconds(reader.getSpinNanoseconds()),
                      .mode = static_cast<WaitMode>(reader.getMode())};
}

void toMessage(const Timing& timing, rpc::Timing::Builder builder) {
    builder.setTimeOnDevice(timing.timeOnDevice);
    builder.setTimeInDriver(timing.timeInDriver);
}

Timing fromMessage(rpc::Timing::Reader reader) {
    return {.timeOnDevice = reader.getTimeOnDevice(), .timeInDriver = reader.getTimeInDriver()};
}

void toMessage(const ExecutionOutcome& outcome, rpc::ExecutionOutcome::Builder builder) {
    auto shapes = builder.initOutputShapes(static_cast<unsigned>(outcome.outputShapes.size()));
    for (unsigned i = 0; i < shapes.size(); ++i) {
        const OutputShape& shape = outcome.outputShapes[i];
        numbersToMessage(shape.dimensions,
                         shapes[i].initDimensions(static_cast<unsigned>(shape.dimensions.size())));
        shapes[i].setIsSufficient(shape.isSufficient);
    }
    toMessage(outcome.timing, builder.initTiming());
}

Result<> fromMessage(rpc::ExecutionOutcome::Reader reader, ExecutionOutcome& outcome) {
    outcome.outputShapes.clear();
    outcome.timing = {};
    const auto shapes = reader.getOutputShapes();
    NNBURST_TRY(checkCount(shapes.size(), kMaximumOperands, "output shapes"));
    for (const auto shape : shapes) {
        const auto dimensions = shape.getDimensions();
        if (Result<> count =
                checkCount(dimensions.size(), kMaximumDimensions, "dimensions of an output shape");
            !count) {
            outcome.outputShapes.clear();
            return count;
        }
        outcome.outputShapes.push_back({.dimensions = numbersFromMessage<std::uint32_t>(dimensions),
                                        .isSufficient = shape.getIsSufficient()});
    }
    outcome.timing = fromMessage(reader.getTiming());
    return {};
}

}  // namespace nnburst::device
