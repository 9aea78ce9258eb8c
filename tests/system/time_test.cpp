// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/time.h"

#include <gtest/gtest.h>

namespace nnburst::system {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow = std::chrono::steady_clock::now();

TEST(Time, addsWhatFits) {
    EXPECT_EQ(kNow + 5ms, saturatingAdd(kNow, 5ms));
    EXPECT_EQ(kNow - 5ms, saturatingAdd(kNow, -5ms));
}

TEST(Time, addingToTheLastTimeGivesTheLastTime) {
    EXPECT_EQ(TimePoint::max(), saturatingAdd(TimePoint::max(), 1ns));
    EXPECT_EQ(TimePoint::max(), saturatingAdd(kNow, std::chrono::nanoseconds::max()));
    EXPECT_EQ(TimePoint::max(), saturatingAdd(TimePoint::max(), std::chrono::nanoseconds::max()));
}

TEST(Time, subtractingFromTheFirstTimeGivesTheFirstTime) {
    EXPECT_EQ(TimePoint::min(), saturatingAdd(TimePoint::min(), -1ns));
    EXPECT_EQ(TimePoint::min(), saturatingAdd(-1ns + TimePoint(), std::chrono::nanoseconds::min()));
}

TEST(Time, differencesAreAtMostTheLongestDuration) {
    EXPECT_EQ(7ns, saturatingDifference(kNow + 7ns, kNow));
    EXPECT_EQ(-7ns, saturatingDifference(kNow, kNow + 7ns));
    EXPECT_EQ(std::chrono::nanoseconds::max(),
              saturatingDifference(TimePoint::max(), TimePoint::min()));
    EXPECT_EQ(std::chrono::nanoseconds::min(), saturatingDifference(TimePoint::min(), kNow));
}

TEST(Time, convertsWhatFitsAndSaturatesTheRest) {
    EXPECT_EQ(3ns, saturatingNanoseconds(std::uint64_t{3}));
    EXPECT_EQ(std::chrono::nanoseconds::max(), saturatingNanoseconds(UINT64_MAX));
    EXPECT_EQ(3'000'000ns, saturatingNanoseconds(std::chrono::milliseconds(3)));
    EXPECT_EQ(std::chrono::nanoseconds::max(),
              saturatingNanoseconds(std::chrono::milliseconds::max()));
    EXPECT_EQ(std::chrono::nanoseconds::min(), saturatingNanoseconds(std::chrono::seconds::min()));
}

}  // namespace
}  // namespace nnburst::system
