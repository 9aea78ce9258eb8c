// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The frames that a client sends (frame.h):
///
///     request: header | pools | inputs | outputs | dimensions
///     compute: header
///
/// A request may ask the driver to remember it as a reusable execution, by a number that the client
/// chooses and a generation that tells it from others that had the number before. From then on a
/// compute, of one line, runs it again.
///
/// Decoding reads private copies of lines only, checks every count against the number of lines
/// before it is used, and refuses unknown bits. Dimensions of all arguments follow each other, two
/// 32-bit numbers in each word.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "burst/frame.h"
#include "nnburst/burst.h"
#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"
#include "system/time.h"

namespace nnburst::burst {

/// Slots that a burst may use at the same time: as many as a request may have pools
/// (kMaximumPools).
inline constexpr std::int32_t kMaximumSlots = 4096;

/// Bits of RequestFrameHeader::flags. Others are refused.
inline constexpr std::uint16_t kMeasureTiming = 1U << 0;

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
static_assert(fmq::isSharedLayout<RequestFrameHeader> && kBeginsAsAllHeaders<RequestFrameHeader> &&
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
static_assert(fmq::isSharedLayout<ComputeFrame> && kBeginsAsAllHeaders<ComputeFrame> &&
              sizeof(ComputeFrame) == sizeof(FrameLine));

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

/// The name of a reusable execution in frames. Number 0: it has no name.
struct ExecutionName {
    std::uint32_t number = 0;  ///< 1 to kMaximumReusableExecutions
    std::uint32_t generation = 0;

    bool operator==(const ExecutionName&) const noexcept = default;
};

/// A decoded request. Reuse the object: decoding again allocates nothing.
struct DecodedRequest {
    std::uint64_t serial = 0;
    ExecutionName name;
    ExecutionOptions options;
    std::vector<FramePool> pools;
    std::vector<RequestArgument> inputs;
    std::vector<RequestArgument> outputs;
};

/// Whether an argument of `request` has more dimensions than the driver accepts in a frame.
[[nodiscard]] bool hasTooManyDimensions(const Request& request) noexcept;

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

/// The deadline in a request or compute.
[[nodiscard]] inline OptionalTimePoint deadlineOf(const FrameLine& header) noexcept {
    const std::uint64_t deadlineNs = header.words[2];
    return deadlineNs == kNoTime
               ? std::nullopt
               : OptionalTimePoint(TimePoint(system::saturatingNanoseconds(deadlineNs)));
}

/// Whether a request is to be remembered under a name.
[[nodiscard]] inline bool hasName(const FrameLine& header) noexcept {
    return static_cast<std::uint32_t>(header.words[6]) != 0;
}

/// Whether the headers of two requests differ in nothing but serial and deadline.
[[nodiscard]] inline bool asksForTheSame(const FrameLine& a, const FrameLine& b) noexcept {
    return a.words[1] == b.words[1] &&
           std::equal(a.words.begin() + 3, a.words.end(), b.words.begin() + 3);
}

/// Whether a frame says that it is a compute.
[[nodiscard]] inline bool isCompute(const FrameLine& header) noexcept {
    return static_cast<std::uint16_t>(header.words[1]) ==
           static_cast<std::uint16_t>(FrameKind::COMPUTE);
}

/// What is wrong with a compute that breaks a rule.
[[nodiscard]] tl::unexpected<Error> badCompute(const ComputeFrame& frame);

/// A decoded compute.
struct DecodedCompute {
    ExecutionName name;
    OptionalTimePoint deadline;
};

/// Checks and decodes a compute. INVALID_ARGUMENT says what is wrong with it.
[[nodiscard]] inline Result<> decodeCompute(const FrameLine& line, DecodedCompute& compute) {
    // By words, as they were just stored: a load of more than one has to wait until they have left
    // the processor's store buffer.
    const ExecutionName name{.number = static_cast<std::uint32_t>(line.words[3]),
                             .generation = static_cast<std::uint32_t>(line.words[3] >> 32)};
    const bool isReservedZero = (line.words[4] | line.words[5] | line.words[6]) == 0;
    if (line.words[1] != headerWord(FrameKind::COMPUTE, 0, 1) || !isReservedZero ||
        name.number == 0 || name.number > kMaximumReusableExecutions) [[unlikely]] {
        return badCompute(std::bit_cast<ComputeFrame>(line));
    }
    compute.name = name;
    system::copyByParts(deadlineOf(line), compute.deadline);
    return {};
}

/// Checks and decodes a frame, which must be a private copy with as many lines as it announces.
/// INVALID_ARGUMENT says what is wrong with it. Whether the arguments fit the model and the pools
/// is not checked here.
[[nodiscard]] Result<> decodeRequest(std::span<const FrameLine> lines, DecodedRequest& request);

}  // namespace nnburst::burst
