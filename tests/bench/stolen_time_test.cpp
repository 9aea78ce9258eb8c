// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "stolen_time.h"

#include <gtest/gtest.h>

#include <array>

namespace nnburst::bench {
namespace {

constexpr const char* kProcStat =
    "cpu  100 1 2 3 4 5 6 700 8 9\n"
    "cpu0 1 2 3 4 5 6 7 10 0 0\n"
    "cpu1 1 2 3 4 5 6 7 200 0 0\n"
    "cpu10 1 2 3 4 5 6 7 3000 0 0\n"
    "cpu2 1 2 3 4\n"
    "intr 1 2 3\n";

TEST(StolenTime, isOfTheProcessorsThatAreNamed) {
    EXPECT_EQ(stolenTicks(kProcStat, std::array{0U}), 10U);
    EXPECT_EQ(stolenTicks(kProcStat, std::array{0U, 1U}), 210U);
    EXPECT_EQ(stolenTicks(kProcStat, std::array{10U}), 3000U);
}

TEST(StolenTime, isZeroWhereTheSystemDoesNotSay) {
    EXPECT_EQ(stolenTicks(kProcStat, std::array{7U}), 0U);
    EXPECT_EQ(stolenTicks(kProcStat, std::array{2U}), 0U);
    EXPECT_EQ(stolenTicks("", std::array{0U}), 0U);
}

TEST(StolenTime, ofThisMachineNeverShrinks) {
    const double before = stolenSeconds(std::array{0U});
    EXPECT_GE(before, 0);
    EXPECT_GE(stolenSeconds(std::array{0U}), before);
}

}  // namespace
}  // namespace nnburst::bench
