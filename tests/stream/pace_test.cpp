// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/pace.h"

#include <gtest/gtest.h>

namespace nnburst::stream {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

TEST(WaitUntil, neverReturnsBeforeTheMoment) {
    useExactTimers();
    for (const std::chrono::nanoseconds spin : {0ns, 200'000ns, 86'400'000'000'000ns}) {
        const TimePoint due = steady_clock::now() + 2ms;
        const TimePoint end = waitUntil(due, spin);
        EXPECT_GE(end, due);
        EXPECT_GE(steady_clock::now(), end);
    }
}

TEST(WaitUntil, givesTheTimeIfTheMomentHasPassed) {
    const TimePoint before = steady_clock::now();
    const TimePoint end = waitUntil(before - 1h);
    EXPECT_GE(end, before);
    EXPECT_LE(end, steady_clock::now());
}

}  // namespace
}  // namespace nnburst::stream
