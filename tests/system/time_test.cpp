// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/time.h"

#include <gtest/gtest.h>

namespace nnburst::system {
namespace {

using namespace std::chrono_literals;

const SteadyTime kNow = std::chrono::steady_clock::now();

TEST(Time, addsWhatFits) {
    EXPECT_EQ(kNow + 5ms, saturatingAdd(kNow, 5ms));
    EXPECT_EQ(kNow - 5ms, saturatingAdd(kNow, -5ms));
}

TEST(Time, addingToTheLastTimeGivesTheLastTime) {
    EXPECT_EQ(SteadyTime::max(), saturatingAdd(SteadyTime::max(), 1ns));
    EXPECT_EQ(SteadyTime::max(), saturatingAdd(kNow, std::chrono::nanoseconds::max()));
    EXPECT_EQ(SteadyTime::max(), saturatingAdd(SteadyTime::max(), std::chrono::nanoseconds::max()));
}

TEST(Time, subtractingFromTheFirstTimeGivesTheFirstTime) {
    EXPECT_EQ(SteadyTime::min(), saturatingAdd(SteadyTime::min(), -1ns));
    EXPECT_EQ(SteadyTime::min(),
              saturatingAdd(-1ns + SteadyTime(), std::chrono::nanoseconds::min()));
}

TEST(Time, differencesAreAtMostTheLongestDuration) {
    EXPECT_EQ(7ns, saturatingDifference(kNow + 7ns, kNow));
    EXPECT_EQ(-7ns, saturatingDifference(kNow, kNow + 7ns));
    EXPECT_EQ(std::chrono::nanoseconds::max(),
              saturatingDifference(SteadyTime::max(), SteadyTime::min()));
    EXPECT_EQ(std::chrono::nanoseconds::min(), saturatingDifference(SteadyTime::min(), kNow));
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
