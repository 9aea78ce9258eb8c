// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// What the reference kernels compute with: half precision, fixed point, broadcasting, windows.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "exec/operation/float16.h"
#include "exec/reference/broadcast.h"
#include "exec/reference/image.h"
#include "exec/reference/quantized.h"

namespace nnburst::exec {
namespace {

constexpr auto kLowest = std::numeric_limits<std::int32_t>::min();
constexpr auto kHighest = std::numeric_limits<std::int32_t>::max();

// ---- Half precision

/// The value of a half by its definition.
double valueOf(std::uint16_t bits) {
    const int exponent = bits >> 10 & 0x1F;
    const int fraction = bits & 0x3FF;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 != 0 ? -magnitude : magnitude;
}

TEST(Float16, convertsEveryNumberToItsValueAndBack) {
    for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
        const auto half = std::bit_cast<Float16>(static_cast<std::uint16_t>(bits));
        const auto value = static_cast<float>(half);
        if ((bits & 0x7C00) == 0x7C00) {
            ASSERT_EQ(std::isnan(value), (bits & 0x3FF) != 0) << bits;
            ASSERT_EQ(std::isinf(value), (bits & 0x3FF) == 0) << bits;
            ASSERT_EQ(std::signbit(value), bits >> 15 != 0) << bits;
        } else {
            ASSERT_EQ(static_cast<double>(value), valueOf(static_cast<std::uint16_t>(bits)));
        }
        if (!std::isnan(value)) {
            ASSERT_EQ(std::bit_cast<std::uint16_t>(Float16(value)), bits);
        }
    }
}

TEST(Float16, roundsToTheNearestAndTiesToEven) {
    for (unsigned bits = 0; bits < 0x7BFF; ++bits) {  // each number and the next one
        const auto lower = valueOf(static_cast<std::uint16_t>(bits));
        const auto upper = valueOf(static_cast<std::uint16_t>(bits + 1));
        const auto middle = static_cast<float>((lower + upper) / 2);
        const auto round = [](float value) { return std::bit_cast<std::uint16_t>(Float16(value)); };
        ASSERT_EQ(round(middle), bits % 2 == 0 ? bits : bits + 1);
        ASSERT_EQ(round(std::nextafter(middle, 0.0F)), bits);
        ASSERT_EQ(round(std::nextafter(middle, INFINITY)), bits + 1);
        ASSERT_EQ(round(-middle), (bits % 2 == 0 ? bits : bits + 1) | 0x8000);
    }
}

TEST(Float16, givesInfinityFromHalfAStepAboveItsLargestNumber) {
    EXPECT_EQ(static_cast<float>(Float16(65519.0F)), 65504.0F);
    EXPECT_EQ(static_cast<float>(Float16(65520.0F)), INFINITY);
    EXPECT_EQ(static_cast<float>(Float16(1e30F)), INFINITY);
    EXPECT_EQ(static_cast<float>(Float16(-INFINITY)), -INFINITY);
    EXPECT_TRUE(std::isnan(static_cast<float>(Float16(NAN))));
}

// ---- Fixed point

TEST(RoundingDivide, roundsToTheNearestAndTiesAwayFromZero) {
    EXPECT_EQ(roundingDivideByPowerOfTwo(5, 1), 3);
    EXPECT_EQ(roundingDivideByPowerOfTwo(-5, 1), -3);
    EXPECT_EQ(roundingDivideByPowerOfTwo(5, 2), 1);
    EXPECT_EQ(roundingDivideByPowerOfTwo(6, 2), 2);
    EXPECT_EQ(roundingDivideByPowerOfTwo(-6, 2), -2);
    EXPECT_EQ(roundingDivideByPowerOfTwo(-7, 2), -2);
    EXPECT_EQ(roundingDivideByPowerOfTwo(7, 0), 7);
    EXPECT_EQ(roundingDivideByPowerOfTwo(kHighest, 31), 1);
    EXPECT_EQ(roundingDivideByPowerOfTwo(kLowest, 31), -1);
    EXPECT_EQ(roundingDivideByPowerOfTwo(kLowest / 2, 31), -1);
    EXPECT_EQ(roundingDivideByPowerOfTwo(kLowest / 2 + 1, 31), 0);
}

TEST(HighMultiply, roundsToTheNearestAndSaturates) {
    constexpr std::int32_t kHalf = 1 << 30;
    EXPECT_EQ(saturatingRoundingDoublingHighMultiply(100, kHalf), 50);
    EXPECT_EQ(saturatingRoundingDoublingHighMultiply(101, kHalf), 51);
    EXPECT_EQ(saturatingRoundingDoublingHighMultiply(-101, kHalf), -50);  // ties upwards here
    EXPECT_EQ(saturatingRoundingDoublingHighMultiply(-103, kHalf), -51);
    EXPECT_EQ(saturatingRoundingDoublingHighMultiply(kLowest, kHighest), -kHighest);
    EXPECT_EQ(saturatingRoundingDoublingHighMultiply(kLowest, kLowest), kHighest);
}

TEST(QuantizedMultiplier, isWithinOneOfTheExactProduct) {
    const auto seed = static_cast<std::uint32_t>(testing::UnitTest::GetInstance()->random_seed());
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> logarithm(-31.0, 20.0);
    for (int i = 0; i < 100'000; ++i) {
        const double real = std::exp2(logarithm(random));
        const auto value = static_cast<std::int32_t>(random()) >> random() % 31;
        const double exact =
            std::clamp(real * value, static_cast<double>(kLowest), static_cast<double>(kHighest));
        // Factors above 1 are applied to the shifted value, which has saturated by then.
        if (std::abs(exact) < 0x1p30) {
            ASSERT_NEAR(QuantizedMultiplier(real)(value), exact, 1.0 + std::abs(exact) * 0x1p-30)
                << real << " * " << value;
        }
    }
}

TEST(QuantizedMultiplier, takesFactorsOutOfItsRange) {
    EXPECT_EQ(QuantizedMultiplier(0.0)(kHighest), 0);
    EXPECT_EQ(QuantizedMultiplier(1e-300)(kHighest), 0);
    EXPECT_EQ(QuantizedMultiplier(NAN)(kHighest), 0);
    EXPECT_EQ(QuantizedMultiplier(1e300)(0), 0);
    EXPECT_GE(QuantizedMultiplier(1e300)(1), kHighest - 1);
    EXPECT_LE(QuantizedMultiplier(INFINITY)(-1), -(kHighest - 1));
    EXPECT_EQ(QuantizedMultiplier(1.0)(12345), 12345);
    EXPECT_EQ(QuantizedMultiplier(std::nextafter(1.0, 0.0))(12345), 12345);
}

TEST(Requantizer, movesToTheZeroPointAndClamps) {
    const Requantizer requantize(0.5, 128, {100, 200});
    EXPECT_EQ(requantize(10), 133);
    EXPECT_EQ(requantize(-10), 123);
    EXPECT_EQ(requantize(1000), 200);
    EXPECT_EQ(requantize(kHighest), 200);
    EXPECT_EQ(requantize(kLowest), 100);
}

// ---- Broadcasting

/// The offsets of the elements of both inputs, element by element of the result.
std::vector<std::pair<std::size_t, std::size_t>> walk(const Shape& a, const Shape& b,
                                                      const Shape& result) {
    std::vector<std::pair<std::size_t, std::size_t>> offsets;
    const Broadcast broadcast(a, b, result);
    broadcast.forEachRow({}, [&](std::size_t rowA, std::size_t rowB, std::size_t row) {
        EXPECT_EQ(row, offsets.size());
        for (std::size_t i = 0; i < broadcast.rowLength(); ++i) {
            offsets.emplace_back(rowA + i * broadcast.strideA(), rowB + i * broadcast.strideB());
        }
    });
    return offsets;
}

using Offsets = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(Broadcast, walksEqualShapesInOneRow) {
    EXPECT_EQ(Broadcast({2, 3}, {2, 3}, {2, 3}).rowLength(), 6U);
    EXPECT_EQ(walk({2, 2}, {2, 2}, {2, 2}), (Offsets{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
}

TEST(Broadcast, repeatsElementsRowsAndOuterAxes) {
    EXPECT_EQ(walk({1}, {3}, {3}), (Offsets{{0, 0}, {0, 1}, {0, 2}}));
    EXPECT_EQ(walk({2, 1}, {2}, {2, 2}), (Offsets{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
    EXPECT_EQ(walk({2, 1, 2}, {3, 1}, {2, 3, 2}), (Offsets{{0, 0},
                                                           {1, 0},
                                                           {0, 1},
                                                           {1, 1},
                                                           {0, 2},
                                                           {1, 2},
                                                           {2, 0},
                                                           {3, 0},
                                                           {2, 1},
                                                           {3, 1},
                                                           {2, 2},
                                                           {3, 2}}));
}

TEST(Broadcast, walksAxesThatBothTensorsStepAlongEvenlyInOneRow) {
    EXPECT_EQ(Broadcast({1, 256, 256, 1}, {1}, {1, 256, 256, 1}).rowLength(), 65536U);
    EXPECT_EQ(Broadcast({1, 1, 1, 1}, {1, 4, 5, 3}, {1, 4, 5, 3}).rowLength(), 60U);
    EXPECT_EQ(Broadcast({1, 2, 3}, {2, 3}, {1, 2, 3}).rowLength(), 6U);
    EXPECT_EQ(Broadcast({4, 1, 8}, {4, 1, 1}, {4, 1, 8}).rowLength(), 8U);
    EXPECT_EQ(Broadcast({2, 3, 2}, {3, 2}, {2, 3, 2}).rowLength(), 6U);
}

TEST(Broadcast, mergesOuterAxesOfDifferentStrides) {
    Offsets expected;
    for (std::size_t outer = 0; outer < 6; ++outer) {
        for (std::size_t i = 0; i < 2; ++i) {
            expected.emplace_back(2 * outer + i, outer);
        }
    }
    EXPECT_EQ(walk({2, 3, 1, 2}, {2, 3, 1, 1}, {2, 3, 1, 2}), expected);
    EXPECT_EQ(walk({1, 1}, {1}, {1, 1}), (Offsets{{0, 0}}));
}

TEST(Broadcast, walksNothingOfAnEmptyResult) {
    EXPECT_TRUE(walk({0, 3}, {1, 3}, {0, 3}).empty());
}

// ---- Windows

SlidingWindow window(std::uint32_t input, std::uint32_t size, std::uint32_t dilation,
                     std::uint32_t padding) {
    SlidingWindow made;
    made.inputSize = input;
    made.size = size;
    made.dilation = dilation;
    made.paddingBefore = padding;
    return made;
}

TEST(Taps, leaveOutThePadding) {
    const Taps before(window(10, 3, 1, 2), 0);  // covers -2 to 0
    EXPECT_EQ(before.first, 2U);
    EXPECT_EQ(before.last, 3U);
    EXPECT_EQ(before.at(2), 0U);
    const Taps after(window(10, 3, 1, 0), 9);  // covers 9 to 11
    EXPECT_EQ(after.first, 0U);
    EXPECT_EQ(after.last, 1U);
    EXPECT_EQ(after.at(0), 9U);
}

TEST(Taps, areDilated) {
    const Taps taps(window(5, 4, 3, 2), 1);  // covers -1, 2, 5 and 8
    EXPECT_EQ(taps.first, 1U);
    EXPECT_EQ(taps.last, 2U);
    EXPECT_EQ(taps.at(1), 2U);
}

TEST(Taps, areNoneWhereAWindowLiesInThePadding) {
    const Taps before(window(4, 2, 1, 5), 0);
    EXPECT_EQ(before.first, before.last);
    const Taps between(window(1, 2, 3, 1), 0);  // covers -1 and 2 of one element
    EXPECT_EQ(between.first, between.last);
}

}  // namespace
}  // namespace nnburst::exec
