// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/result_frame.h"

#include <bit>
#include <string>
#include <vector>

#include "burst/frame_body.h"
#include "exec/operation/operation.h"
#include "model/outcome.h"

namespace nnburst::burst {

namespace {

constexpr std::uint64_t wordsForBytes(std::uint64_t count) noexcept {
    return (count + kWordBytes - 1) / kWordBytes;
}

/// Counts come from 32-bit fields, so that the sum stays far below 2^64.
constexpr std::uint64_t resultWords(std::uint64_t shapes, std::uint64_t dimensions,
                                    std::uint64_t messageBytes) noexcept {
    return shapes * sizeof(FrameShape) / kWordBytes + wordsForDimensions(dimensions) +
           wordsForBytes(messageBytes);
}

Result<> badResult(const std::string& why) {
    return badFrame(ErrorStatus::GENERAL_FAILURE, "result", why);
}

/// Whether the header of a result keeps to its rules and agrees with the number of lines.
Result<> checkResultHeader(const ResultFrameHeader& header, std::size_t lineCount) {
    constexpr std::uint16_t kKnownFlags = kRemembered | kUnknownExecution;
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
        header.messageBytes > kMaximumErrorMessageBytes) {
        return badResult(std::to_string(lineCount) + " lines, where " +
                         std::to_string(header.shapeCount) + " output shapes, " +
                         std::to_string(header.dimensionCount) + " dimensions and " +
                         std::to_string(header.messageBytes) + " bytes of message take " +
                         std::to_string(neededLines));
    }
    const auto status = static_cast<ErrorStatus>(header.status);
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

std::uint64_t resultLineCount(std::span<const OutputShape> shapes,
                              std::size_t messageBytes) noexcept {
    return linesForWords(resultWords(shapes.size(), countDimensions(shapes), messageBytes));
}

std::uint64_t longestResultLineCount(std::size_t outputCount) noexcept {
    return linesForWords(
        resultWords(outputCount, outputCount * exec::kMaximumRank, kMaximumErrorMessageBytes));
}

void encodeResult(std::uint64_t serial, std::uint16_t flags, ErrorStatus status,
                  const ExecutionOutcome& outcome, std::string_view message,
                  std::span<FrameLine> lines) noexcept {
    lines[0] = {{serial,
                 headerWord(FrameKind::RESULT, flags, static_cast<std::uint32_t>(lines.size())),
                 wordOf(static_cast<std::uint32_t>(status),
                        static_cast<std::uint32_t>(outcome.outputShapes.size())),
                 wordOf(static_cast<std::uint32_t>(countDimensions(outcome.outputShapes)),
                        static_cast<std::uint32_t>(message.size())),
                 outcome.timing.timeOnDevice, outcome.timing.timeInDriver, 0}};
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
    return {{serial, headerWord(FrameKind::RESULT, kSameShapes, 1),
             wordOf(static_cast<std::uint32_t>(ErrorStatus::NONE), 0), 0, timing.timeOnDevice,
             timing.timeInDriver, 0}};
}

Result<> decodeResult(std::span<const FrameLine> lines, ExecutionOutcome& outcome) {
    const auto header = std::bit_cast<ResultFrameHeader>(lines[0]);
    if (Result<> good = checkResultHeader(header, lines.size()); !good) {
        clearOutcome(outcome);
        return good;
    }
    const auto status = static_cast<ErrorStatus>(header.status);
    BodyReader body(lines);
    outcome.outputShapes.resize(header.shapeCount);
    if (Result<> good = readShapes(body, header.dimensionCount, outcome.outputShapes); !good) {
        clearOutcome(outcome);
        return good;
    }
    outcome.timing = timingOf(lines[0]);
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
