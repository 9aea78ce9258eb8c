// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/copy_step.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <vector>

#include "exec/operation/time_limit.h"

namespace nnburst::exec {
namespace {

constexpr std::size_t kCopiedBytes = (8 << 20) + 5;

std::vector<std::byte> makeBytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::byte>(1 + i % 251);
    }
    return bytes;
}

void copy(std::byte* from, std::byte* to, std::size_t bytes, TimeLimit limit = TimeLimit()) {
    const auto step = makeCopyStep(1, bytes);
    const std::array operands{from, to};
    ASSERT_TRUE(step->setUp(operands));
    ASSERT_TRUE(step->run(limit));
}

TEST(CopyStep, copiesNothingAndMuch) {
    copy(nullptr, nullptr, 0);
    std::vector<std::byte> from = makeBytes(kCopiedBytes);
    std::vector<std::byte> to(kCopiedBytes);
    copy(from.data(), to.data(), kCopiedBytes);
    EXPECT_TRUE(from == to);
}

TEST(CopyStep, copiesBetweenPlacesThatOverlap) {
    constexpr std::size_t kDistance = 1000;
    for (const bool isForward : {false, true}) {
        std::vector<std::byte> bytes = makeBytes(kCopiedBytes + kDistance);
        std::vector<std::byte> expected = bytes;
        const std::size_t from = isForward ? 0 : kDistance;
        const std::size_t to = isForward ? kDistance : 0;
        std::memmove(expected.data() + to, expected.data() + from, kCopiedBytes);
        copy(bytes.data() + from, bytes.data() + to, kCopiedBytes);
        EXPECT_TRUE(bytes == expected) << isForward;
    }
}

TEST(CopyStep, endsEarlyWhenTheTimeIsOver) {
    std::vector<std::byte> from = makeBytes(kCopiedBytes);
    std::vector<std::byte> to(kCopiedBytes);
    copy(from.data(), to.data(), kCopiedBytes, TimeLimit(std::chrono::steady_clock::now()));
    EXPECT_EQ(to.front(), from.front());
    EXPECT_EQ(to.back(), std::byte{0});
}

}  // namespace
}  // namespace nnburst::exec
