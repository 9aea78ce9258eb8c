// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/capabilities.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnburst {
namespace {

constexpr PerformanceInfo kOne{.execTime = 1.0F, .powerUsage = 1.5F};
constexpr PerformanceInfo kTwo{.execTime = 2.0F, .powerUsage = 2.5F};

bool hasType(const std::vector<OperandPerformance>& performance, OperandType type) {
    return std::any_of(performance.begin(), performance.end(),
                       [type](const auto& entry) { return entry.type == type; });
}

TEST(NonExtensionOperandPerformance, hasEachTypeOfItsVersionOnceInOrder) {
    for (const HalVersion version : kHalVersions) {
        const auto performance = nonExtensionOperandPerformance(version, kOne);
        EXPECT_TRUE(std::is_sorted(performance.begin(), performance.end(),
                                   [](const auto& a, const auto& b) { return a.type < b.type; }));
        for (const OperandPerformance& entry : performance) {
            EXPECT_EQ(entry.info, kOne);
        }
        EXPECT_FALSE(hasType(performance, OperandType::SUBGRAPH));
        EXPECT_TRUE(hasType(performance, OperandType::TENSOR_OEM_BYTE));
    }
    EXPECT_EQ(nonExtensionOperandPerformance(HalVersion::V1_0, kOne).size(), 8U);
    EXPECT_EQ(nonExtensionOperandPerformance(HalVersion::V1_2, kOne).size(), 16U);
    EXPECT_EQ(nonExtensionOperandPerformance(HalVersion::V1_3, kOne).size(), 17U);
}

TEST(LookupOfPerformance, givesTheFigureOfATypeOrNone) {
    auto performance = nonExtensionOperandPerformance(HalVersion::V1_2, kOne);
    ASSERT_TRUE(update(performance, OperandType::TENSOR_FLOAT16, kTwo));
    EXPECT_EQ(lookup(performance, OperandType::TENSOR_FLOAT16), kTwo);
    EXPECT_EQ(lookup(performance, OperandType::TENSOR_FLOAT32), kOne);
    EXPECT_EQ(lookup(performance, OperandType::TENSOR_QUANT8_ASYMM_SIGNED), kNoPerformance);
    EXPECT_EQ(lookup({}, OperandType::FLOAT32), kNoPerformance);
}

TEST(UpdateOfPerformance, refusesATypeWithoutAnEntry) {
    auto performance = nonExtensionOperandPerformance(HalVersion::V1_2, kOne);
    const auto before = performance;
    const Result<> result = update(performance, OperandType::TENSOR_QUANT8_ASYMM_SIGNED, kTwo);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(performance, before);
}

}  // namespace
}  // namespace nnburst
