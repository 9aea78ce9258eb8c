// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "log/assert.h"

#include <gtest/gtest.h>

namespace nnburst {
namespace {

TEST(Assert, doesNothingWhereTheConditionHolds) {
    int evaluations = 0;
    NNBURST_ASSERT(true);
    NNBURST_ASSERT(++evaluations == 1, "evaluated {} times", ++evaluations);
    EXPECT_EQ(evaluations, 1);
}

TEST(AssertDeathTest, abortsWithFileLineExpressionAndValues) {
    const int index = 7;
    EXPECT_DEATH(NNBURST_ASSERT(index < 3, "slot {} of {}", index, 3),
                 "assert_test\\.cpp:[0-9]+: assertion failed: index < 3 \\(slot 7 of 3\\)");
    EXPECT_DEATH(NNBURST_ASSERT(index < 3), "assertion failed: index < 3");
}

}  // namespace
}  // namespace nnburst
