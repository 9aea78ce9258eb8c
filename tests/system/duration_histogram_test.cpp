// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/duration_histogram.h"

#include <gtest/gtest.h>

namespace nnburst::system {
namespace {

using namespace std::chrono_literals;

TEST(DurationHistogram, countsEachDurationInTheFirstBucketThatIsLongEnough) {
    DurationHistogram durations;
    for (const std::chrono::nanoseconds duration :
         {0ns, 1000ns, 1001ns, 2000ns, 2001ns, 4'000'000ns, std::chrono::nanoseconds(1h)}) {
        durations.add(duration);
    }
    EXPECT_EQ(durations.counts[0], 2U);   // at most 1 us
    EXPECT_EQ(durations.counts[1], 2U);   // 2 us
    EXPECT_EQ(durations.counts[2], 1U);   // 4 us
    EXPECT_EQ(durations.counts[12], 1U);  // 4.096 ms
    EXPECT_EQ(durations.counts.back(), 1U);
}

}  // namespace
}  // namespace nnburst::system
