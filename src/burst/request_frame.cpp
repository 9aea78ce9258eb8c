// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/request_frame.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "burst/frame_body.h"
#include "exec/operation/operation.h"
#include "nnburst/validation.h"
#include "system/time.h"

namespace nnburst::burst {

static_assert(static_cast<std::size_t>(kMaximumSlots) == kMaximumPools);

namespace {

/// Counts come from 32-bit fields, so that the sum stays far below 2^64.
constexpr std::uint64_t requestWords(std::uint64_t pools, std::uint64_t arguments,
                                     std::uint64_t dimensions) noexcept {
    return pools * sizeof(FramePool) / kWordBytes + arguments * sizeof(FrameArgument) / kWordBytes +
           wordsForDimensions(dimensions);
}

void writeArguments(BodyWriter& body, const std::vector<RequestArgument>& arguments) noexcept {
    for (const RequestArgument& argument : arguments) {
        const FrameArgument packed{
            .poolIndex = argument.location.poolIndex,
            .rank = static_cast<std::uint16_t>(argument.dimensions.size()),
            .hasNoValue = static_cast<std::uint16_t>(argument.hasNoValue ? 1 : 0),
            .offset = argument.location.offset,
            .length = argument.location.length};
        body.write(&packed, sizeof(packed));
    }
}

/// Reads the packed arguments, then leaves `dimensionsLeft` less what they have.
Result<> readArguments(BodyReader& body, const char* kind, std::vector<RequestArgument>& arguments,
                       std::uint64_t& dimensionsLeft) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        FrameArgument packed;
        body.read(&packed, sizeof(packed));
        if (packed.hasNoValue > 1) {
            return badFrame(ErrorStatus::INVALID_ARGUMENT, "request",
                            std::string(kind) + " " + std::to_string(i) + " has the value flag " +
                                std::to_string(packed.hasNoValue) + ": must be 0 or 1");
        }
        if (packed.rank > exec::kMaximumRank || packed.rank > dimensionsLeft) {
            return badFrame(ErrorStatus::INVALID_ARGUMENT, "request",
                            std::string(kind) + " " + std::to_string(i) + " has " +
                                std::to_string(packed.rank) + " dimensions; the frame has " +
                                std::to_string(dimensionsLeft) + " left, and at most " +
                                std::to_string(exec::kMaximumRank) + " are allowed");
        }
        dimensionsLeft -= packed.rank;
        RequestArgument& argument = arguments[i];
        argument.hasNoValue = packed.hasNoValue == 1;
        argument.location = {
            .poolIndex = packed.poolIndex, .offset = packed.offset, .length = packed.length};
        argument.dimensions.resize(packed.rank);
    }
    return {};
}

std::uint64_t packDuration(std::chrono::nanoseconds duration) noexcept {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, duration.count()));
}

std::uint64_t packDeadline(const OptionalTimePoint& deadline) noexcept {
    return deadline ? packDuration(deadline->time_since_epoch()) : kNoTime;
}

/// Without the spare capacity of a vector that grows: a burst is charged for the longest request.
template <class T>
void resizeExactly(std::vector<T>& values, std::size_t count) {
    values.reserve(count);
    values.resize(count);
}

/// Reads as many pools as `pools` has.
Result<> readPools(BodyReader& body, std::vector<FramePool>& pools) {
    body.read(pools.data(), pools.size() * sizeof(FramePool));
    for (std::size_t i = 0; i < pools.size(); ++i) {
        const FramePool& pool = pools[i];
        const bool isSlot = pool.kind == static_cast<std::uint32_t>(FramePool::Kind::SLOT);
        if (!isSlot && pool.kind != static_cast<std::uint32_t>(FramePool::Kind::TOKEN)) {
            return badFrame(
                ErrorStatus::INVALID_ARGUMENT, "request",
                "pool " + std::to_string(i) + " is of unknown kind " + std::to_string(pool.kind));
        }
        if (isSlot && pool.value >= static_cast<std::uint32_t>(kMaximumSlots)) {
            return badFrame(ErrorStatus::INVALID_ARGUMENT, "request",
                            "pool " + std::to_string(i) + " names slot " +
                                std::to_string(pool.value) + ": must be below " +
                                std::to_string(kMaximumSlots));
        }
    }
    return {};
}

void readDimensions(BodyReader& body, std::vector<RequestArgument>& arguments) noexcept {
    for (RequestArgument& argument : arguments) {
        body.read(argument.dimensions.data(), argument.dimensions.size() * sizeof(std::uint32_t));
    }
}

}  // namespace

bool hasTooManyDimensions(const Request& request) noexcept {
    const auto hasTooMany = [](const RequestArgument& argument) {
        return argument.dimensions.size() > exec::kMaximumRank;
    };
    return std::any_of(request.inputs.begin(), request.inputs.end(), hasTooMany) ||
           std::any_of(request.outputs.begin(), request.outputs.end(), hasTooMany);
}

std::uint64_t requestLineCount(const Request& request) noexcept {
    return linesForWords(
        requestWords(request.pools.size(), request.inputs.size() + request.outputs.size(),
                     countDimensions(request.inputs) + countDimensions(request.outputs)));
}

void encodeRequest(std::uint64_t serial, const ExecutionName& name, const Request& request,
                   std::span<const FramePool> pools, const ExecutionOptions& options,
                   std::span<FrameLine> lines) noexcept {
    const std::uint16_t flags = options.measure == MeasureTiming::YES ? kMeasureTiming : 0;
    const std::uint64_t dimensionCount =
        countDimensions(request.inputs) + countDimensions(request.outputs);
    lines[0] = {{serial,
                 headerWord(FrameKind::EXECUTE, flags, static_cast<std::uint32_t>(lines.size())),
                 packDeadline(options.deadline),
                 options.loopTimeout ? packDuration(*options.loopTimeout) : kNoTime,
                 wordOf(static_cast<std::uint32_t>(pools.size()),
                        static_cast<std::uint32_t>(request.inputs.size())),
                 wordOf(static_cast<std::uint32_t>(request.outputs.size()),
                        static_cast<std::uint32_t>(dimensionCount)),
                 wordOf(name.number, name.generation)}};
    BodyWriter body(lines);
    body.write(pools.data(), pools.size_bytes());
    writeArguments(body, request.inputs);
    writeArguments(body, request.outputs);
    for (const auto* arguments : {&request.inputs, &request.outputs}) {
        for (const RequestArgument& argument : *arguments) {
            writeDimensions(body, argument.dimensions);
        }
    }
}

FrameLine encodeCompute(std::uint64_t serial, const ExecutionName& name,
                        const OptionalTimePoint& deadline) noexcept {
    return {{serial, headerWord(FrameKind::COMPUTE, 0, 1), packDeadline(deadline),
             wordOf(name.number, name.generation), 0, 0, 0}};
}

tl::unexpected<Error> badCompute(const ComputeFrame& frame) {
    if (frame.execution == 0 || frame.execution > kMaximumReusableExecutions) {
        return badFrame(ErrorStatus::INVALID_ARGUMENT, "compute",
                        "execution " + std::to_string(frame.execution) + ": must be 1 to " +
                            std::to_string(kMaximumReusableExecutions));
    }
    return badFrame(ErrorStatus::INVALID_ARGUMENT, "compute",
                    std::to_string(frame.lineCount) + " lines, flags " +
                        std::to_string(frame.flags) +
                        " or reserved words are unknown: must be 1, 0 and zero");
}

Result<> decodeRequest(std::span<const FrameLine> lines, DecodedRequest& request) {
    const auto refused = [](const std::string& why) {
        return badFrame(ErrorStatus::INVALID_ARGUMENT, "request", why);
    };
    const auto header = std::bit_cast<RequestFrameHeader>(lines[0]);
    request.serial = header.serial;
    if (header.kind != static_cast<std::uint16_t>(FrameKind::EXECUTE)) {
        return refused("kind " + std::to_string(header.kind) + " is unknown");
    }
    if ((header.flags & ~kMeasureTiming) != 0) {
        return refused("flags " + std::to_string(header.flags) + " have unknown bits");
    }
    if (header.execution > kMaximumReusableExecutions) {
        return refused("it is to be remembered as execution " + std::to_string(header.execution) +
                       ": must be at most " + std::to_string(kMaximumReusableExecutions));
    }
    request.name = {.number = header.execution, .generation = header.generation};
    const std::uint64_t neededLines = linesForWords(
        requestWords(header.poolCount, std::uint64_t{header.inputCount} + header.outputCount,
                     header.dimensionCount));
    if (header.lineCount != lines.size() || neededLines != lines.size()) {
        return refused(std::to_string(lines.size()) + " lines, where " +
                       std::to_string(header.poolCount) + " pools, " +
                       std::to_string(header.inputCount) + " inputs, " +
                       std::to_string(header.outputCount) + " outputs and " +
                       std::to_string(header.dimensionCount) + " dimensions take " +
                       std::to_string(neededLines));
    }
    if (header.poolCount > kMaximumPools) {
        return refused(std::to_string(header.poolCount) + " pools: must be at most " +
                       std::to_string(kMaximumPools));
    }
    request.options.measure =
        (header.flags & kMeasureTiming) != 0 ? MeasureTiming::YES : MeasureTiming::NO;
    request.options.deadline = deadlineOf(lines[0]);
    request.options.loopTimeout.reset();
    if (header.loopTimeoutNs != kNoTime) {
        request.options.loopTimeout = system::saturatingNanoseconds(header.loopTimeoutNs);
    }

    BodyReader body(lines);
    resizeExactly(request.pools, header.poolCount);
    NNBURST_TRY(readPools(body, request.pools));
    resizeExactly(request.inputs, header.inputCount);
    resizeExactly(request.outputs, header.outputCount);
    std::uint64_t dimensionsLeft = header.dimensionCount;
    NNBURST_TRY(readArguments(body, "input", request.inputs, dimensionsLeft));
    NNBURST_TRY(readArguments(body, "output", request.outputs, dimensionsLeft));
    if (dimensionsLeft != 0) {
        return refused(std::to_string(dimensionsLeft) + " dimensions belong to no argument");
    }
    readDimensions(body, request.inputs);
    readDimensions(body, request.outputs);
    return {};
}

}  // namespace nnburst::burst
