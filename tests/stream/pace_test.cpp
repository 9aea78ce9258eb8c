// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/pace.h"

#include <gtest/gtest.h>

#include <thread>

namespace nnburst::stream {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

const std::atomic<bool> kNeverStopped = false;

TEST(WaitUntil, neverReturnsBeforeTheMoment) {
    useExactTimers();
    for (const std::chrono::nanoseconds spin : {0ns, 200'000ns, 86'400'000'000'000ns}) {
        const TimePoint due = steady_clock::now() + 2ms;
        const TimePoint end = waitUntil(due, kNeverStopped, spin);
        EXPECT_GE(end, due);
        EXPECT_GE(steady_clock::now(), end);
    }
}

TEST(WaitUntil, givesTheTimeIfTheMomentHasPassed) {
    const TimePoint before = steady_clock::now();
    const TimePoint end = waitUntil(before - 1h, kNeverStopped);
    EXPECT_GE(end, before);
    EXPECT_LE(end, steady_clock::now());
}

TEST(WaitUntil, endsEarlyWhenItIsStopped) {
    for (const std::chrono::nanoseconds spin : {200'000ns, 86'400'000'000'000ns}) {
        std::atomic<bool> stop = false;
        const TimePoint due = steady_clock::now() + 1h;
        std::thread stopper([&] {
            std::this_thread::sleep_for(10ms);
            stop = true;
        });
        EXPECT_LT(waitUntil(due, stop, spin), due);
        stopper.join();
    }
}

}  // namespace
}  // namespace nnburst::stream
