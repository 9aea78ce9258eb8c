// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/channel.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>

#include "nnburst/burst.h"
#include "system/prefault.h"

namespace nnburst::burst {

namespace {

tl::unexpected<Error> refused(const std::string& why) {
    return failure(ErrorStatus::INVALID_ARGUMENT, "burst channel: " + why);
}

/// Where the results of a channel lie whose queue of requests has `requestLines` lines.
constexpr std::uint64_t resultQueueOffset(std::uint64_t requestLines) noexcept {
    return (kRequestQueueOffset + FrameQueue::sizeBytes(requestLines) + fmq::kFalseSharingSize -
            1) /
           fmq::kFalseSharingSize * fmq::kFalseSharingSize;
}

}  // namespace

Result<> checkQueueLines(std::uint32_t queueLines) {
    if (!std::has_single_bit(queueLines) || queueLines < kMinimumQueueLines ||
        queueLines > kMaximumQueueLines) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "burst with queues of " + std::to_string(queueLines) +
                           " lines: must be a power of two between " +
                           std::to_string(kMinimumQueueLines) + " and " +
                           std::to_string(kMaximumQueueLines));
    }
    return {};
}

Result<> checkInFlight(std::uint32_t inFlight) {
    if (inFlight == 0 || inFlight > kMaximumInFlight) {
        return failure(ErrorStatus::INVALID_ARGUMENT, "burst with " + std::to_string(inFlight) +
                                                          " executions in flight: must be 1 to " +
                                                          std::to_string(kMaximumInFlight));
    }
    return {};
}

Result<Channel> Channel::create(std::uint32_t queueLines) {
    NNBURST_TRY(checkQueueLines(queueLines));
    const std::uint64_t resultsAt = resultQueueOffset(queueLines);
    const std::uint64_t sizeBytes = resultsAt + FrameQueue::sizeBytes(queueLines);

    Channel channel;
    NNBURST_TRY_ASSIGN(SharedRegion region, Region::create(sizeBytes));
    NNBURST_TRY_ASSIGN(channel.mapping_, Mapping::map(std::move(region)));
    NNBURST_TRY_ASSIGN(channel.requests_, FrameQueue::create(channel.memory(), kRequestQueueOffset,
                                                             queueLines, kRequestEventOffset, 0));
    NNBURST_TRY_ASSIGN(channel.results_, FrameQueue::create(channel.memory(), resultsAt, queueLines,
                                                            kResultEventOffset, 0));
    const ChannelHeader header{.magic = kChannelMagic,
                               .version = kChannelVersion,
                               .reserved = 0,
                               .sizeBytes = sizeBytes,
                               .requests = channel.requests_,
                               .results = channel.results_};
    // The region reaches the driver by a system call later, which orders these plain stores.
    std::memcpy(channel.memory().data(), &header, sizeof(header));
    channel.prefault();
    return channel;
}

Result<Channel> Channel::open(SharedRegion region) {
    Channel channel;
    NNBURST_TRY_ASSIGN(channel.mapping_, Mapping::map(std::move(region)));
    const std::span<std::byte> memory = channel.memory();
    if (memory.size() < kRequestQueueOffset) {
        return failure(ErrorStatus::INVALID_ARGUMENT, "burst channel: memory of " +
                                                          std::to_string(memory.size()) +
                                                          " bytes is too small to be one");
    }
    // One copy, which the peer cannot change: word by word with atomic loads, so that none is read
    // twice.
    constexpr std::size_t kHeaderWords = sizeof(ChannelHeader) / sizeof(std::uint64_t);
    std::array<std::uint64_t, kHeaderWords> words;
    for (std::size_t i = 0; i < kHeaderWords; ++i) {
        words[i] =
            std::atomic_ref<std::uint64_t>(reinterpret_cast<std::uint64_t*>(memory.data())[i])
                .load(std::memory_order_relaxed);
    }
    const auto header = std::bit_cast<ChannelHeader>(words);
    if (header.magic != kChannelMagic) {
        return refused("the memory does not start with the magic number of one");
    }
    if (header.version != kChannelVersion) {
        return refused("version " + std::to_string(header.version) + "; this driver has version " +
                       std::to_string(kChannelVersion));
    }
    if (header.reserved != 0 || header.sizeBytes != memory.size()) {
        return refused("announces " + std::to_string(header.sizeBytes) + " bytes, the memory has " +
                       std::to_string(memory.size()));
    }
    for (const std::uint64_t capacity : {header.requests.capacity, header.results.capacity}) {
        if (capacity < kMinimumQueueLines || capacity > kMaximumQueueLines) {
            return refused("a queue of " + std::to_string(capacity) + " lines: must be " +
                           std::to_string(kMinimumQueueLines) + " to " +
                           std::to_string(kMaximumQueueLines));
        }
    }
    // Where one queue overlapped the other, the driver would serve its own results for ever.
    const std::uint64_t resultsAt = resultQueueOffset(header.requests.capacity);
    if (header.requests.offset != kRequestQueueOffset || header.results.offset != resultsAt) {
        return refused("queues at offsets " + std::to_string(header.requests.offset) + " and " +
                       std::to_string(header.results.offset) + ": must be at " +
                       std::to_string(kRequestQueueOffset) + " and " + std::to_string(resultsAt));
    }
    // Event words are where this version has them, whatever the peer wrote.
    channel.requests_ = header.requests;
    channel.requests_.notEmptyOffset = kRequestEventOffset;
    channel.requests_.notFullOffset = 0;
    channel.results_ = header.results;
    channel.results_.notEmptyOffset = kResultEventOffset;
    channel.results_.notFullOffset = 0;
    channel.prefault();
    return channel;
}

/// No request waits for a page of the queues. A peer's region may be larger than any channel: the
/// rest is never touched.
void Channel::prefault() const noexcept {
    system::prefault(memory().first(std::min<std::size_t>(memory().size(), kMaximumChannelBytes)));
}

fmq::SharedWaitStats& Channel::driverWaits() const noexcept {
    return *reinterpret_cast<fmq::SharedWaitStats*>(memory().data() + kDriverWaitsOffset);
}

fmq::EventFlag Channel::eventAt(std::uint64_t offset) const noexcept {
    fmq::EventFlag event(*reinterpret_cast<fmq::EventWord*>(memory().data() + offset));
    event.limitWoken(kMaximumWoken);
    return event;
}

fmq::EventFlag Channel::requestEvent() const noexcept {
    return eventAt(kRequestEventOffset);
}

fmq::EventFlag Channel::resultEvent() const noexcept {
    return eventAt(kResultEventOffset);
}

}  // namespace nnburst::burst
