// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The shared region of one burst: two one-way queues of frames and the words on which their
/// readers sleep. The client creates it, the driver opens it. Pools are not part of it; they are
/// regions of their own, named by slots.
///
///     +0     ChannelHeader: magic, version, sizes, both queue descriptors
///     +128   SharedWaitStats: what waiting has cost the driver
///     +192   EventWord: the driver sleeps here for requests
///     +320   EventWord: the client sleeps here for results
///     +448   request queue
///     ...    result queue

#include <cstdint>
#include <memory>

#include "burst/frame.h"
#include "fmq/shared_wait_stats.h"
#include "nnburst/burst.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::burst {

inline constexpr std::uint64_t kChannelMagic = 0x0074737275626E6E;  // "nnburst" and a zero
/// Incremented by each change after which a peer of the previous version would misread or refuse a
/// shared record; docs/wire_format.md lists them.
inline constexpr std::uint32_t kChannelVersion = 4;

/// Whether a burst can have queues of `queueLines` lines: INVALID_ARGUMENT if not.
[[nodiscard]] Result<> checkQueueLines(std::uint32_t queueLines);

/// Whether a burst can have `inFlight` executions in flight: INVALID_ARGUMENT if not.
[[nodiscard]] Result<> checkInFlight(std::uint32_t inFlight);

/// Start of the region. The client writes it before the driver has the region.
struct ChannelHeader {
    std::uint64_t magic;      ///< kChannelMagic
    std::uint32_t version;    ///< kChannelVersion
    std::uint32_t reserved;   ///< zero
    std::uint64_t sizeBytes;  ///< of the whole region
    fmq::QueueDescriptor requests;
    fmq::QueueDescriptor results;
};
static_assert(fmq::isSharedLayout<ChannelHeader> && sizeof(ChannelHeader) == 120);

/// Threads that one wake-up wakes on a word of a channel. One thread of the driver or of the client
/// sleeps there; the other side may have any number of threads sleep there as well. A thread that
/// is not woken for that reason sleeps for at most fmq::kLongestSleep.
inline constexpr int kMaximumWoken = 8;

inline constexpr std::uint64_t kDriverWaitsOffset = 128;
inline constexpr std::uint64_t kRequestEventOffset = 192;
inline constexpr std::uint64_t kResultEventOffset = kRequestEventOffset + fmq::kFalseSharingSize;
inline constexpr std::uint64_t kRequestQueueOffset = kResultEventOffset + fmq::kFalseSharingSize;
static_assert(sizeof(ChannelHeader) <= kDriverWaitsOffset &&
              kDriverWaitsOffset + sizeof(fmq::SharedWaitStats) <= kRequestEventOffset);

/// The largest region that a channel of this version needs.
inline constexpr std::uint64_t kMaximumChannelBytes =
    kRequestQueueOffset + 2 * FrameQueue::sizeBytes(kMaximumQueueLines) + fmq::kFalseSharingSize;

/// A channel in this process.
class Channel {
  public:
    /// The client's: a new region with empty queues of `queueLines` lines each.
    [[nodiscard]] static Result<Channel> create(std::uint32_t queueLines);

    /// The driver's: maps a region that a client sent. Copies the header once and checks it; the
    /// queues check themselves when their ends are attached. A channel of another version is
    /// refused by name.
    [[nodiscard]] static Result<Channel> open(SharedRegion region);

    [[nodiscard]] const SharedRegion& region() const noexcept { return mapping_.region(); }
    [[nodiscard]] std::span<std::byte> memory() const noexcept { return mapping_.bytes(); }
    [[nodiscard]] const fmq::QueueDescriptor& requests() const noexcept { return requests_; }
    [[nodiscard]] const fmq::QueueDescriptor& results() const noexcept { return results_; }

    /// Written by the driver, for the client to read.
    [[nodiscard]] fmq::SharedWaitStats& driverWaits() const noexcept;

    /// Where the driver sleeps for requests, and the client for results. They wake at most
    /// kMaximumWoken threads.
    [[nodiscard]] fmq::EventFlag requestEvent() const noexcept;
    [[nodiscard]] fmq::EventFlag resultEvent() const noexcept;

  private:
    [[nodiscard]] fmq::EventFlag eventAt(std::uint64_t offset) const noexcept;
    void prefault() const noexcept;

    Mapping mapping_;
    fmq::QueueDescriptor requests_{};
    fmq::QueueDescriptor results_{};
};

}  // namespace nnburst::burst
