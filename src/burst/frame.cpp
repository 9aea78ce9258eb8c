// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/frame.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "exec/operation/operation.h"
#include "model/outcome.h"
#include "system/time.h"

namespace nnburst::burst {

namespace {

constexpr std::uint64_t kWordBytes = sizeof(std::uint64_t);

constexpr std::uint64_t linesForWords(std::uint64_t words) noexcept {
    return 1 + (words + FrameLine::kWords - 1) / FrameLine::kWords;
}

constexpr std::uint64_t wordsForDimensions(std::uint64_t count) noexcept {
    return (count + 1) / 2;
}

constexpr std::uint64_t wordsForBytes(std::uint64_t count) noexcept {
    return (count + kWordBytes - 1) / kWordBytes;
}

/// Counts come from 32-bit fields, so that the sum stays far below 2^64.
constexpr std::uint64_t requestWords(std::uint64_t pools, std::uint64_t arguments,
                                     std::uint64_t dimensions) noexcept {
    return pools * sizeof(FramePool) / kWordBytes + arguments * sizeof(FrameArgument) / kWordBytes +
           wordsForDimensions(dimensions);
}

constexpr std::uint64_t resultWords(std::uint64_t shapes, std::uint64_t dimensions,
                                    std::uint64_t messageBytes) noexcept {
    return shapes * sizeof(FrameShape) / kWordBytes + wordsForDimensions(dimensions) +
           wordsForBytes(messageBytes);
}

/// The body of a frame as a stream of bytes. Whoever made it has checked that it does not end
/// early.
class BodyWriter {
  public:
    explicit BodyWriter(std::span<FrameLine> lines) noexcept
        : next_(reinterpret_cast<std::byte*>(lines.data() + 1)),
          end_(reinterpret_cast<std::byte*>(lines.data() + lines.size())) {}
    BodyWriter(const BodyWriter&) = delete;
    BodyWriter& operator=(const BodyWriter&) = delete;
    ~BodyWriter() { std::fill(next_, end_, std::byte{0}); }  // what is unused travels as zero

    void write(const void* source, std::size_t sizeBytes) noexcept {
        if (sizeBytes != 0) {  // memcpy takes no null pointer, not even of nothing
            std::memcpy(next_, source, sizeBytes);
        }
        next_ += sizeBytes;
    }

  private:
    std::byte* next_;
    std::byte* end_;
};

class BodyReader {
  public:
    explicit BodyReader(std::span<const FrameLine> lines) noexcept
        : next_(reinterpret_cast<const std::byte*>(lines.data() + 1)) {}

    void read(void* destination, std::size_t sizeBytes) noexcept {
        if (sizeBytes != 0) {
            std::memcpy(destination, next_, sizeBytes);
        }
        next_ += sizeBytes;
    }
    [[nodiscard]] const std::byte* position() const noexcept { return next_; }
    void skip(std::size_t sizeBytes) noexcept { next_ += sizeBytes; }

  private:
    const std::byte* next_;
};

Result<> badFrame(ErrorStatus status, const char* kind, const std::string& why) {
    return failure(status, std::string(kind) + " frame: " + why);
}

std::uint64_t countDimensions(const std::vector<RequestArgument>& arguments) noexcept {
    std::uint64_t count = 0;
    for (const RequestArgument& argument : arguments) {
        count += argument.dimensions.size();
    }
    return count;
}

std::uint64_t countDimensions(std::span<const OutputShape> shapes) noexcept {
    std::uint64_t count = 0;
    for (const OutputShape& shape : shapes) {
        count += shape.dimensions.size();
    }
    return count;
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

void writeDimensions(BodyWriter& body, const Dimensions& dimensions) noexcept {
    body.write(dimensions.data(), dimensions.size() * sizeof(std::uint32_t));
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

OptionalTimePoint unpackDeadline(std::uint64_t nanoseconds) noexcept {
    return nanoseconds == kNoTime
               ? OptionalTimePoint()
               : OptionalTimePoint(TimePoint(system::saturatingNanoseconds(nanoseconds)));
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

std::uint64_t requestLineCount(const Request& request) noexcept {
    return linesForWords(
        requestWords(request.pools.size(), request.inputs.size() + request.outputs.size(),
                     countDimensions(request.inputs) + countDimensions(request.outputs)));
}

void encodeRequest(std::uint64_t serial, const ExecutionName& name, const Request& request,
                   std::span<const FramePool> pools, const ExecutionOptions& options,
                   std::span<FrameLine> lines) noexcept {
    const RequestFrameHeader header{
        .serial = serial,
        .kind = static_cast<std::uint16_t>(FrameKind::EXECUTE),
        .flags = options.measure == MeasureTiming::YES ? kMeasureTiming : std::uint16_t{0},
        .lineCount = static_cast<std::uint32_t>(lines.size()),
        .deadlineNs = packDeadline(options.deadline),
        .loopTimeoutNs = options.loopTimeout ? packDuration(*options.loopTimeout) : kNoTime,
        .poolCount = static_cast<std::uint32_t>(pools.size()),
        .inputCount = static_cast<std::uint32_t>(request.inputs.size()),
        .outputCount = static_cast<std::uint32_t>(request.outputs.size()),
        .dimensionCount = static_cast<std::uint32_t>(countDimensions(request.inputs) +
                                                     countDimensions(request.outputs)),
        .execution = name.number,
        .generation = name.generation};
    lines[0] = std::bit_cast<FrameLine>(header);
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
    return std::bit_cast<FrameLine>(
        ComputeFrame{.serial = serial,
                     .kind = static_cast<std::uint16_t>(FrameKind::COMPUTE),
                     .flags = 0,
                     .lineCount = 1,
                     .deadlineNs = packDeadline(deadline),
                     .execution = name.number,
                     .generation = name.generation,
                     .reserved = {}});
}

Result<> decodeCompute(const FrameLine& line, DecodedCompute& compute) {
    const auto frame = std::bit_cast<ComputeFrame>(line);
    const bool isReservedZero = (frame.reserved[0] | frame.reserved[1] | frame.reserved[2]) == 0;
    if (frame.lineCount != 1 || frame.flags != 0 || !isReservedZero) {
        return badFrame(ErrorStatus::INVALID_ARGUMENT, "compute",
                        std::to_string(frame.lineCount) + " lines, flags " +
                            std::to_string(frame.flags) +
                            " or reserved words are unknown: must be 1, 0 and zero");
    }
    if (frame.execution == 0 || frame.execution > kMaximumReusableExecutions) {
        return badFrame(ErrorStatus::INVALID_ARGUMENT, "compute",
                        "execution " + std::to_string(frame.execution) + ": must be 1 to " +
                            std::to_string(kMaximumReusableExecutions));
    }
    compute.name = {.number = frame.execution, .generation = frame.generation};
    compute.deadline = unpackDeadline(frame.deadlineNs);
    return {};
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
    request.options.measure =
        (header.flags & kMeasureTiming) != 0 ? MeasureTiming::YES : MeasureTiming::NO;
    request.options.deadline = unpackDeadline(header.deadlineNs);
    request.options.loopTimeout.reset();
    if (header.loopTimeoutNs != kNoTime) {
        request.options.loopTimeout = system::saturatingNanoseconds(header.loopTimeoutNs);
    }

    BodyReader body(lines);
    request.pools.resize(header.poolCount);
    NNBURST_TRY(readPools(body, request.pools));
    request.inputs.resize(header.inputCount);
    request.outputs.resize(header.outputCount);
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

std::uint64_t resultLineCount(std::span<const OutputShape> shapes,
                              std::size_t messageBytes) noexcept {
    return linesForWords(resultWords(shapes.size(), countDimensions(shapes), messageBytes));
}

std::uint64_t longestResultLineCount(std::size_t outputCount) noexcept {
    return linesForWords(
        resultWords(outputCount, outputCount * exec::kMaximumRank, kMaximumMessageBytes));
}

void encodeResult(std::uint64_t serial, std::uint16_t flags, ErrorStatus status,
                  const ExecutionOutcome& outcome, std::string_view message,
                  std::span<FrameLine> lines) noexcept {
    const ResultFrameHeader header{
        .serial = serial,
        .kind = static_cast<std::uint16_t>(FrameKind::RESULT),
        .flags = flags,
        .lineCount = static_cast<std::uint32_t>(lines.size()),
        .status = static_cast<std::int32_t>(status),
        .shapeCount = static_cast<std::uint32_t>(outcome.outputShapes.size()),
        .dimensionCount = static_cast<std::uint32_t>(countDimensions(outcome.outputShapes)),
        .messageBytes = static_cast<std::uint32_t>(message.size()),
        .timeOnDeviceUs = outcome.timing.timeOnDevice,
        .timeInDriverUs = outcome.timing.timeInDriver,
        .reserved = 0};
    lines[0] = std::bit_cast<FrameLine>(header);
    BodyWriter body(lines);
    for (const OutputShape& shape : outcome.outputShapes) {
        const FrameShape packed{.rank = static_cast<std::uint32_t>(shape.dimensions.size()),
                                .isSufficient = shape.isSufficient ? 1U : 0U};
        body.write(&packed, sizeof(packed));
    }
    for (const OutputShape& shape : outcome.outputShapes) {
        writeDimensions(body, shape.dimensions);
    }
    // The message starts at a whole word.
    if (countDimensions(outcome.outputShapes) % 2 != 0) {
        constexpr std::uint32_t kPadding = 0;
        body.write(&kPadding, sizeof(kPadding));
    }
    body.write(message.data(), message.size());
}

FrameLine encodeSameShapes(std::uint64_t serial, const Timing& timing) noexcept {
    return std::bit_cast<FrameLine>(
        ResultFrameHeader{.serial = serial,
                          .kind = static_cast<std::uint16_t>(FrameKind::RESULT),
                          .flags = kSameShapes,
                          .lineCount = 1,
                          .status = static_cast<std::int32_t>(ErrorStatus::NONE),
                          .shapeCount = 0,
                          .dimensionCount = 0,
                          .messageBytes = 0,
                          .timeOnDeviceUs = timing.timeOnDevice,
                          .timeInDriverUs = timing.timeInDriver,
                          .reserved = 0});
}

namespace {

Result<> badResult(const std::string& why) {
    return badFrame(ErrorStatus::GENERAL_FAILURE, "result", why);
}

/// Whether the header of a result keeps to its rules and agrees with the number of lines.
Result<> checkResultHeader(const ResultFrameHeader& header, std::size_t lineCount) {
    constexpr std::uint16_t kKnownFlags = kSameShapes | kRemembered | kUnknownExecution;
    if (header.kind != static_cast<std::uint16_t>(FrameKind::RESULT) ||
        (header.flags & ~kKnownFlags) != 0 || header.reserved != 0) {
        return badResult("kind " + std::to_string(header.kind) + ", flags " +
                         std::to_string(header.flags) + ", or reserved words are unknown");
    }
    if (header.status < static_cast<std::int32_t>(ErrorStatus::NONE) ||
        header.status > static_cast<std::int32_t>(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT)) {
        return badResult("status " + std::to_string(header.status) + " is unknown");
    }
    const std::uint64_t neededLines =
        linesForWords(resultWords(header.shapeCount, header.dimensionCount, header.messageBytes));
    if (header.lineCount != lineCount || neededLines != lineCount ||
        header.messageBytes > kMaximumMessageBytes) {
        return badResult(std::to_string(lineCount) + " lines, where " +
                         std::to_string(header.shapeCount) + " output shapes, " +
                         std::to_string(header.dimensionCount) + " dimensions and " +
                         std::to_string(header.messageBytes) + " bytes of message take " +
                         std::to_string(neededLines));
    }
    const auto status = static_cast<ErrorStatus>(header.status);
    if ((header.flags & kSameShapes) != 0) {
        if (status != ErrorStatus::NONE || lineCount != 1) {
            return badResult(std::string("the same shapes as before beside ") + toString(status) +
                             " and " + std::to_string(lineCount) + " lines");
        }
        return {};
    }
    const bool hasShapes =
        status == ErrorStatus::NONE || status == ErrorStatus::OUTPUT_INSUFFICIENT_SIZE;
    if (!hasShapes && header.shapeCount != 0) {
        return badResult(std::string("output shapes beside ") + toString(status));
    }
    return {};
}

/// Reads as many shapes as `shapes` has, of `dimensionCount` dimensions together.
Result<> readShapes(BodyReader& body, std::uint64_t dimensionCount,
                    std::vector<OutputShape>& shapes) {
    std::uint64_t dimensionsLeft = dimensionCount;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        FrameShape packed;
        body.read(&packed, sizeof(packed));
        if (packed.isSufficient > 1 || packed.rank > exec::kMaximumRank ||
            packed.rank > dimensionsLeft) {
            return badResult("output shape " + std::to_string(i) + " has rank " +
                             std::to_string(packed.rank) + " and sufficiency " +
                             std::to_string(packed.isSufficient));
        }
        dimensionsLeft -= packed.rank;
        shapes[i].isSufficient = packed.isSufficient == 1;
        shapes[i].dimensions.resize(packed.rank);
    }
    if (dimensionsLeft != 0) {
        return badResult(std::to_string(dimensionsLeft) + " dimensions belong to no output");
    }
    for (OutputShape& shape : shapes) {
        body.read(shape.dimensions.data(), shape.dimensions.size() * sizeof(std::uint32_t));
    }
    return {};
}

}  // namespace

Result<> decodeResult(std::span<const FrameLine> lines, ExecutionOutcome& outcome) {
    const auto header = std::bit_cast<ResultFrameHeader>(lines[0]);
    if (Result<> good = checkResultHeader(header, lines.size()); !good) {
        clearOutcome(outcome);
        return good;
    }
    if ((header.flags & kSameShapes) != 0) {
        outcome.timing = {.timeOnDevice = header.timeOnDeviceUs,
                          .timeInDriver = header.timeInDriverUs};
        return {};
    }
    const auto status = static_cast<ErrorStatus>(header.status);
    BodyReader body(lines);
    outcome.outputShapes.resize(header.shapeCount);
    if (Result<> good = readShapes(body, header.dimensionCount, outcome.outputShapes); !good) {
        clearOutcome(outcome);
        return good;
    }
    outcome.timing = {.timeOnDevice = header.timeOnDeviceUs, .timeInDriver = header.timeInDriverUs};
    if (status == ErrorStatus::NONE) {
        return {};
    }
    outcome.timing = {};
    if (header.dimensionCount % 2 != 0) {
        body.skip(sizeof(std::uint32_t));
    }
    return failure(
        status, std::string(reinterpret_cast<const char*>(body.position()), header.messageBytes));
}

}  // namespace nnburst::burst
