// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Requests and results as they lie in a burst's queues. A frame is a sequence of lines of 56 bytes
/// (each shares a cache line with its sequence number); the first is its header, the rest its body,
/// a stream of 64-bit words. All numbers are little-endian, as in memory. docs/wire_format.md shows
/// a frame in bytes.
///
///     request: header | pools | inputs | outputs | dimensions
///     compute: header
///     result:  header | output shapes | dimensions | message
///
/// A request may ask the driver to remember it as a reusable execution, by a number that the client
/// chooses and a generation that tells it from others that had the number before. From then on a
/// compute, of one line, runs it again; while the output shapes stay the same, so does the result.
///
/// Decoding reads private copies of lines only, checks every count against the number of lines
/// before it is used, and refuses unknown bits. Dimensions of all arguments follow each other in
/// two 32-bit halves a word.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fmq/message_queue.h"
#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::burst {

/// 56 bytes of a frame: with the queue's sequence number one cache line.
struct FrameLine {
    static constexpr std::size_t kWords = 7;
    std::array<std::uint64_t, kWords> words;
};
static_assert(fmq::isSharedLayout<FrameLine> && sizeof(FrameLine) == 56);

using FrameQueue = fmq::MessageQueue<FrameLine, fmq::QueueFlavor::SYNCHRONIZED>;
static_assert(FrameQueue::kCellBytes == fmq::kCacheLineSize);

/// Slots that a burst may use at the same time: as many as a request may have pools.
inline constexpr std::int32_t kMaximumSlots = 4096;

/// The longest message that a result frame carries, in bytes; longer ones are cut.
inline constexpr std::size_t kMaximumMessageBytes = 512;

/// Reusable executions that a driver remembers for one burst at a time: their numbers are 1 to
/// this.
inline constexpr std::uint32_t kMaximumReusableExecutions = 64;

enum class FrameKind : std::uint16_t { EXECUTE = 1, RESULT = 2, COMPUTE = 3 };

/// Bits of RequestFrameHeader::flags. Others are refused.
inline constexpr std::uint16_t kMeasureTiming = 1U << 0;

/// Bits of ResultFrameHeader::flags. Others are refused.
inline constexpr std::uint16_t kSameShapes = 1U << 0;  ///< as of the execution's last result
inline constexpr std::uint16_t kRemembered = 1U << 1;  ///< the request, as it asked for
/// The driver does not know, or no longer, what it is to compute: nothing was executed.
inline constexpr std::uint16_t kUnknownExecution = 1U << 2;

/// A time or duration that was not given.
inline constexpr std::uint64_t kNoTime = UINT64_MAX;

/// First line of a request. The client writes, the driver reads.
struct RequestFrameHeader {
    std::uint64_t serial;         ///< of the execution; the result carries it back
    std::uint16_t kind;           ///< FrameKind::EXECUTE
    std::uint16_t flags;          ///< kMeasureTiming
    std::uint32_t lineCount;      ///< of the frame, this one included
    std::uint64_t deadlineNs;     ///< CLOCK_MONOTONIC, nanoseconds; kNoTime if none
    std::uint64_t loopTimeoutNs;  ///< nanoseconds; kNoTime for the HAL's default
    std::uint32_t poolCount;
    std::uint32_t inputCount;
    std::uint32_t outputCount;
    std::uint32_t dimensionCount;  ///< of all arguments together
    std::uint32_t execution;       ///< to be remembered as; 0: not to be remembered
    std::uint32_t generation;      ///< of the execution's number
};
static_assert(fmq::isSharedLayout<RequestFrameHeader> &&
              sizeof(RequestFrameHeader) == sizeof(FrameLine));

/// All of a compute. The client writes, the driver reads.
struct ComputeFrame {
    std::uint64_t serial;       ///< of the execution; the result carries it back
    std::uint16_t kind;         ///< FrameKind::COMPUTE
    std::uint16_t flags;        ///< zero
    std::uint32_t lineCount;    ///< 1
    std::uint64_t deadlineNs;   ///< CLOCK_MONOTONIC, nanoseconds; kNoTime if none
    std::uint32_t execution;    ///< which one
    std::uint32_t generation;   ///< of the execution's number
    std::uint64_t reserved[3];  ///< zero
};
static_assert(fmq::isSharedLayout<ComputeFrame> && sizeof(ComputeFrame) == sizeof(FrameLine));

/// A pool of a request: memory by the slot that names it, or a driver-managed buffer by its token.
struct FramePool {
    enum class Kind : std::uint32_t { SLOT = 0, TOKEN = 1 };
    std::uint32_t kind;
    std::uint32_t value;
};
static_assert(fmq::isSharedLayout<FramePool> && sizeof(FramePool) == 8);

/// An input or output of a request.
struct FrameArgument {
    std::uint32_t poolIndex;
    std::uint16_t rank;        ///< number of its dimensions in the frame
    std::uint16_t hasNoValue;  ///< 0 or 1
    std::uint32_t offset;
    std::uint32_t length;
};
static_assert(fmq::isSharedLayout<FrameArgument> && sizeof(FrameArgument) == 16);

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
static_assert(fmq::isSharedLayout<ResultFrameHeader> &&
              sizeof(ResultFrameHeader) == sizeof(FrameLine));

/// What became of an output.
struct FrameShape {
    std::uint32_t rank;
    std::uint32_t isSufficient;  ///< 0 or 1
};
static_assert(fmq::isSharedLayout<FrameShape> && sizeof(FrameShape) == 8);

/// What a reusable execution is called in frames. Number 0: it has no name.
struct ExecutionName {
    std::uint32_t number = 0;  ///< 1 to kMaximumReusableExecutions
    std::uint32_t generation = 0;

    bool operator==(const ExecutionName&) const noexcept = default;
};

/// A request out of a frame. Reuse the object: decoding again allocates nothing.
struct DecodedRequest {
    std::uint64_t serial = 0;
    ExecutionName name;
    ExecutionOptions options;
    std::vector<FramePool> pools;
    std::vector<RequestArgument> inputs;
    std::vector<RequestArgument> outputs;
};

/// Lines that the frame of `request` takes.
[[nodiscard]] std::uint64_t requestLineCount(const Request& request) noexcept;

/// Writes the frame of `request`, whose pools are named by `pools`, into `lines`, as many as
/// requestLineCount says. With a `name` the driver is to remember it.
void encodeRequest(std::uint64_t serial, const ExecutionName& name, const Request& request,
                   std::span<const FramePool> pools, const ExecutionOptions& options,
                   std::span<FrameLine> lines) noexcept;

/// The frame that runs `name` again.
[[nodiscard]] FrameLine encodeCompute(std::uint64_t serial, const ExecutionName& name,
                                      const OptionalTimePoint& deadline) noexcept;

// All kinds of header begin alike, so that one word tells what a frame is and how long.
static_assert(std::endian::native == std::endian::little);
template <class Header>
inline constexpr bool kBeginsAsAllHeaders = offsetof(Header, serial) == 0 &&
                                            offsetof(Header, kind) == 8 &&
                                            offsetof(Header, flags) == 10 &&
                                            offsetof(Header, lineCount) == 12;
static_assert(kBeginsAsAllHeaders<RequestFrameHeader> && kBeginsAsAllHeaders<ComputeFrame> &&
              kBeginsAsAllHeaders<ResultFrameHeader>);

/// The number of lines that a header announces; 0 if it is none that a queue of `capacity` lines
/// can hold. All that is believed before the frame is copied.
[[nodiscard]] inline std::uint32_t announcedLineCount(const FrameLine& header,
                                                      std::uint64_t capacity) noexcept {
    const auto lineCount = static_cast<std::uint32_t>(header.words[1] >> 32);
    return lineCount <= capacity ? lineCount : 0;
}

/// The serial of a frame of any kind.
[[nodiscard]] inline std::uint64_t serialOf(const FrameLine& header) noexcept {
    return header.words[0];
}

/// Whether a frame says that it is a compute.
[[nodiscard]] inline bool isCompute(const FrameLine& header) noexcept {
    return static_cast<std::uint16_t>(header.words[1]) ==
           static_cast<std::uint16_t>(FrameKind::COMPUTE);
}

/// A compute out of its frame.
struct DecodedCompute {
    ExecutionName name;
    OptionalTimePoint deadline;
};

/// Checks a compute and takes it apart; INVALID_ARGUMENT.
[[nodiscard]] Result<> decodeCompute(const FrameLine& line, DecodedCompute& compute);

/// Checks a frame, which is private by now and has as many lines as it announces, and takes it
/// apart. INVALID_ARGUMENT says what is wrong with it. Whether the arguments fit the model and the
/// pools is not checked here.
[[nodiscard]] Result<> decodeRequest(std::span<const FrameLine> lines, DecodedRequest& request);

/// Lines that a result with these shapes and this message takes.
[[nodiscard]] std::uint64_t resultLineCount(std::span<const OutputShape> shapes,
                                            std::size_t messageBytes) noexcept;

/// Lines that the longest result takes for `outputCount` outputs.
[[nodiscard]] std::uint64_t longestResultLineCount(std::size_t outputCount) noexcept;

/// Writes a result frame into `lines`, as many as resultLineCount says. `message` has at most
/// kMaximumMessageBytes.
void encodeResult(std::uint64_t serial, std::uint16_t flags, ErrorStatus status,
                  const ExecutionOutcome& outcome, std::string_view message,
                  std::span<FrameLine> lines) noexcept;

/// The frame of a result NONE with kSameShapes.
[[nodiscard]] FrameLine encodeSameShapes(std::uint64_t serial, const Timing& timing) noexcept;

/// The flags of a result.
[[nodiscard]] inline std::uint16_t resultFlagsOf(const FrameLine& header) noexcept {
    return static_cast<std::uint16_t>(header.words[1] >> 16);
}

/// Checks a result frame and takes it apart into `outcome`; gives the execution's own status and
/// message. GENERAL_FAILURE if the frame breaks a rule. With kSameShapes the outcome's shapes are
/// left as they are.
[[nodiscard]] Result<> decodeResult(std::span<const FrameLine> lines, ExecutionOutcome& outcome);

}  // namespace nnburst::burst
