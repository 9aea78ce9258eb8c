// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The latency of models. No test expects a certain time: times differ between runs.

#include "exec/run/latency_sample.h"

#include <gtest/gtest.h>

#include "nnburst/builtin_models.h"
#include "support/model_runner.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;

TEST(LatencySample, quantilesAreTimesThatWereMeasured) {
    std::vector<std::chrono::nanoseconds> times{40ns, 10ns, 30ns, 20ns};
    EXPECT_EQ(quantile(times, 0.0), 10ns);
    EXPECT_EQ(quantile(times, 0.5), 20ns);
    EXPECT_EQ(quantile(times, 0.51), 30ns);
    EXPECT_EQ(quantile(times, 1.0), 40ns);
}

TEST(LatencySample, areThoseOfBothModels) {
    const Model model = *makeMobileNetV1({.width = 1.0F, .resolution = 224});
    const auto more = compile(model, true, 2);
    const auto fewer = compile(model, true, 1);
    const auto times = compareLatencies(*more, *fewer);
    ASSERT_TRUE(times);
    for (const LatencySample& side : {times->more, times->fewer}) {
        EXPECT_GT(side.median, 0ns);
        EXPECT_GE(side.high, side.median);
        EXPECT_GE(side.idleHigh, side.idleMedian);
    }
}

TEST(LatencySample, areNotKnownOfAModelThatCannotBeAsked) {
    const auto known = compile(doubling({4}), true);
    const auto unknown = compile(doubling({0}), true);
    EXPECT_FALSE(compareLatencies(*known, *unknown));
    EXPECT_FALSE(compareLatencies(*unknown, *known));
}

}  // namespace
}  // namespace nnburst::exec
