// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The frames that a driver answers with (frame.h):
///
///     result:  header | output shapes | dimensions | message
///
/// While the output shapes of a reusable execution stay the same, its results are one line.
///
/// Decoding reads private copies of lines only, checks every count against the number of lines
/// before it is used, and refuses unknown bits. Dimensions of all outputs follow each other, two
/// 32-bit numbers in each word.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "burst/frame.h"
#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::burst {

/// The longest message that a result frame carries, in bytes; longer ones are cut.
inline constexpr std::size_t kMaximumErrorMessageBytes = 512;

/// Bits of ResultFrameHeader::flags. Others are refused.
inline constexpr std::uint16_t kSameShapes = 1U << 0;  ///< as of the execution's last result
inline constexpr std::uint16_t kRemembered = 1U << 1;  ///< the request, as it asked for
/// The driver does not know the execution, or no longer: nothing was computed.
inline constexpr std::uint16_t kUnknownExecution = 1U << 2;

/// First line of a result. The driver writes, the client reads.
struct ResultFrameHeader {
    std::uint64_t serial;  ///< of the request
    std::uint16_t kind;    ///< FrameKind::RESULT
    std::uint16_t flags;   ///< kSameShapes, kRemembered, kUnknownExecution
    std::uint32_t lineCount;
    std::int32_t status;  ///< ErrorStatus
    std::uint32_t shapeCount;
    std::uint32_t dimensionCount;  ///< of all shapes together
    std::uint32_t messageBytes;
    std::uint64_t timeOnDeviceUs;  ///< microseconds; kTimeNotAvailable
    std::uint64_t timeInDriverUs;
    std::uint64_t reserved;  ///< zero
};
static_assert(fmq::isSharedLayout<ResultFrameHeader> && kBeginsAsAllHeaders<ResultFrameHeader> &&
              sizeof(ResultFrameHeader) == sizeof(FrameLine));

/// The shape of an output.
struct FrameShape {
    std::uint32_t rank;
    std::uint32_t isSufficient;  ///< 0 or 1
};
static_assert(fmq::isSharedLayout<FrameShape> && sizeof(FrameShape) == 8);

/// Lines that a result with these shapes and this message takes.
[[nodiscard]] std::uint64_t resultLineCount(std::span<const OutputShape> shapes,
                                            std::size_t messageBytes) noexcept;

/// Lines that the longest result takes for `outputCount` outputs.
[[nodiscard]] std::uint64_t longestResultLineCount(std::size_t outputCount) noexcept;

/// Writes a result frame into `lines`, as many as resultLineCount says. `message` has at most
/// kMaximumErrorMessageBytes.
void encodeResult(std::uint64_t serial, std::uint16_t flags, ErrorStatus status,
                  const ExecutionOutcome& outcome, std::string_view message,
                  std::span<FrameLine> lines) noexcept;

/// The frame of a result NONE with kSameShapes.
[[nodiscard]] FrameLine encodeSameShapes(std::uint64_t serial, const Timing& timing) noexcept;

/// Whether `line` is a whole frame that encodeSameShapes gives for some serial and timing.
[[nodiscard]] inline bool isSameShapes(const FrameLine& line) noexcept {
    return line.words[1] == headerWord(FrameKind::RESULT, kSameShapes, 1) &&
           (line.words[2] | line.words[3] | line.words[6]) == 0;
}

/// Makes `header`, which encodeResult has written, that of another result with the same shapes.
inline void setSerialAndTiming(FrameLine& header, std::uint64_t serial,
                               const Timing& timing) noexcept {
    header.words[0] = serial;
    header.words[4] = timing.timeOnDevice;
    header.words[5] = timing.timeInDriver;
}

/// The timing in a result that keeps to the rules.
[[nodiscard]] inline Timing timingOf(const FrameLine& header) noexcept {
    return {.timeOnDevice = header.words[4], .timeInDriver = header.words[5]};
}

/// The flags of a result.
[[nodiscard]] inline std::uint16_t resultFlagsOf(const FrameLine& header) noexcept {
    return static_cast<std::uint16_t>(header.words[1] >> 16);
}

/// Checks a result frame and decodes it into `outcome`; returns the execution's own status and
/// message. GENERAL_FAILURE if the frame breaks a rule. Not for frames with kSameShapes, which are
/// right only as isSameShapes() says.
[[nodiscard]] Result<> decodeResult(std::span<const FrameLine> lines, ExecutionOutcome& outcome);

}  // namespace nnburst::burst
