// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Where the records of a channel lie, and the limits that the other side checks: as version 4 has
/// them in docs/wire_format.md. A change of any of them needs a new version. The fields of frames
/// are in request_frame_test.cpp and result_frame_test.cpp.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "burst/channel.h"
#include "burst/request_frame.h"
#include "burst/result_frame.h"
#include "nnburst/validation.h"

namespace nnburst::burst {
namespace {

static_assert(kChannelVersion == 4 && fmq::kQueueVersion == 2);

static_assert(offsetof(ChannelHeader, magic) == 0 && offsetof(ChannelHeader, version) == 8 &&
              offsetof(ChannelHeader, reserved) == 12 && offsetof(ChannelHeader, sizeBytes) == 16 &&
              offsetof(ChannelHeader, requests) == 24 && offsetof(ChannelHeader, results) == 72);
static_assert(kDriverWaitsOffset == 128 && kRequestEventOffset == 192 &&
              kResultEventOffset == 320 && kRequestQueueOffset == 448);

static_assert(offsetof(fmq::EventWord, word) == 0 && offsetof(fmq::EventWord, waiter) == 4 &&
              offsetof(fmq::EventWord, wakeCount) == 8);

static_assert(offsetof(fmq::QueueHeader, version) == 0 && offsetof(fmq::QueueHeader, magic) == 4 &&
              offsetof(fmq::QueueHeader, flavor) == 8 &&
              offsetof(fmq::QueueHeader, elementBytes) == 12 &&
              offsetof(fmq::QueueHeader, capacity) == 16 &&
              offsetof(fmq::QueueHeader, cellBytes) == 24);
static_assert(fmq::kReadPositionOffset == 128 && fmq::kWritePositionOffset == 256 &&
              fmq::kCellsOffset == 384);

static_assert(offsetof(fmq::QueueDescriptor, offset) == 0 &&
              offsetof(fmq::QueueDescriptor, capacity) == 8 &&
              offsetof(fmq::QueueDescriptor, notEmptyOffset) == 16 &&
              offsetof(fmq::QueueDescriptor, notFullOffset) == 24 &&
              offsetof(fmq::QueueDescriptor, elementBytes) == 32 &&
              offsetof(fmq::QueueDescriptor, flavor) == 36 &&
              offsetof(fmq::QueueDescriptor, version) == 40);

static_assert(kMaximumSlots == 4096 && kMaximumPools == 4096 && kMaximumErrorMessageBytes == 512 &&
              kMaximumReusableExecutions == 64 && kMinimumQueueLines == 16 &&
              kMaximumQueueLines == 4096);

// SECURITY.md
static_assert(kMaximumWoken == 8);

std::uint64_t sharedWord(const Channel& channel, std::size_t offset) {
    std::uint64_t word = 0;
    std::memcpy(&word, channel.memory().data() + offset, sizeof(word));
    return word;
}

TEST(Channel, liesInMemoryAsDocumented) {
    const Channel channel = std::move(*Channel::create(16));
    EXPECT_EQ(std::memcmp(channel.memory().data(), "nnburst", 8), 0);
    EXPECT_EQ(sharedWord(channel, 8), 4U);  // version, reserved
    EXPECT_EQ(sharedWord(channel, 16), channel.region()->sizeBytes());
    EXPECT_EQ(sharedWord(channel, 24), 448U);   // offset of requests
    EXPECT_EQ(sharedWord(channel, 72), 1920U);  // offset of results
    for (const std::size_t queue : {448U, 1920U}) {
        EXPECT_EQ(sharedWord(channel, queue), 0x514D'464E'0000'0002U);      // version 2, "NFMQ"
        EXPECT_EQ(sharedWord(channel, queue + 8), 0x0000'0038'0000'0001U);  // flavour 1, 56 bytes
        EXPECT_EQ(sharedWord(channel, queue + 16), 16U);                    // capacity
        EXPECT_EQ(sharedWord(channel, queue + 24), 64U);                    // bytes of a cell
    }
}

}  // namespace
}  // namespace nnburst::burst
