// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/partial_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include "exec/operation/time_limit.h"

namespace nnburst::exec {
namespace {

constexpr std::size_t kMany = 200'000;  // so many are not sorted at once

/// Each number once, in any order.
std::vector<std::uint32_t> makeNumbers(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    for (std::size_t i = 0; i < count; ++i) {
        numbers[i] = static_cast<std::uint32_t>(i);
    }
    std::ranges::shuffle(numbers, std::mt19937(1));
    return numbers;
}

TEST(SortFirst, isAsPartialSort) {
    for (const std::size_t count : {std::size_t{100}, kMany}) {
        for (const std::size_t sorted : {std::size_t{0}, std::size_t{1}, count / 3, count}) {
            std::vector<std::uint32_t> numbers = makeNumbers(count);
            sortFirst(OperationView(), numbers.begin(),
                      numbers.begin() + static_cast<std::ptrdiff_t>(sorted), numbers.end(),
                      std::less<>());
            for (std::size_t i = 0; i < sorted; ++i) {
                ASSERT_EQ(numbers[i], i) << sorted << " of " << count;
            }
            std::ranges::sort(numbers);
            EXPECT_EQ(numbers.back(), count - 1);
        }
    }
}

TEST(SortFirst, endsWhenItsRunIsOutOfTime) {
    for (const std::size_t sorted : {std::size_t{1}, kMany}) {
        TimeLimit limit(std::chrono::steady_clock::now());
        OperationView operation;
        operation.timeLimit = &limit;
        std::vector<std::uint32_t> numbers = makeNumbers(kMany);
        std::size_t comparisons = 0;
        sortFirst(operation, numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(sorted),
                  numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
                      ++comparisons;
                      return a < b;
                  });
        EXPECT_TRUE(limit.isOver());
        EXPECT_LE(comparisons, TimeLimit::kWorkPerCheck);
    }
}

}  // namespace
}  // namespace nnburst::exec
