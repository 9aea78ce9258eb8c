// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/profile_table.h"

#include <gtest/gtest.h>

#include "nnburst_run/trace.h"

namespace nnburst::run {
namespace {

using exec::KernelLibrary;

/// Two operations, which run three times, once disturbed.
RecordedProfile threeRuns() {
    RecordedProfile profile{.process = 20,
                            .steps = {{.operation = 0,
                                       .type = OperationType::CONV_2D,
                                       .library = KernelLibrary::XNNPACK,
                                       .kernel = "XNNPACK",
                                       .inputBytes = 100,
                                       .constantBytes = 20,
                                       .outputBytes = 3,
                                       .arithmeticCount = 6000},
                                      {.operation = 1,
                                       .type = OperationType::SOFTMAX,
                                       .library = KernelLibrary::REFERENCE,
                                       .kernel = "reference kernel"}}};
    for (std::uint64_t run = 0; run < 3; ++run) {
        const std::uint64_t begin = 1'000'000 * run;
        const std::uint64_t disturbance = run == 1 ? 500'000 : 0;
        profile.runs.push_back(
            {.step = 0, .thread = 21, .beginNs = begin, .endNs = begin + 3'000 + disturbance});
        profile.runs.push_back({.step = 1,
                                .thread = 21,
                                .beginNs = begin + 4'000 + disturbance,
                                .endNs = begin + 5'000 + disturbance});
        profile.runs.push_back({.step = exec::kWholeExecution,
                                .thread = 21,
                                .beginNs = begin,
                                .endNs = begin + 6'000 + disturbance});
    }
    return profile;
}

TEST(ProfileTable, hasMediansSharesAndRatesOfOperations) {
    const ProfileTable table = tableOf(threeRuns());
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].runCount, 3U);
    EXPECT_DOUBLE_EQ(table.rows[0].medianUs, 3);
    EXPECT_DOUBLE_EQ(table.rows[0].share, 0.75) << "one disturbed run counts for nothing";
    EXPECT_EQ(table.rows[0].bytes(), 123U);
    EXPECT_DOUBLE_EQ(table.rows[0].gigaOperationsPerSecond(), 2);
    EXPECT_EQ(table.rows[1].gigaOperationsPerSecond(), 0);
    EXPECT_EQ(table.executionCount, 3U);
    EXPECT_DOUBLE_EQ(table.executionMedianUs, 6);
    EXPECT_DOUBLE_EQ(partsByLibrary(table).at("XNNPACK").share, 0.75);
    EXPECT_EQ(partsByType(table).at("SOFTMAX").steps, 1U);
    EXPECT_EQ(jsonOf(table)["operations"][1]["gflops"], nullptr);
    EXPECT_NE(textOf(table).find("reference kernel"), std::string::npos);
}

TEST(ProfileTable, namesOperationsOfExtensionsOrNumbersThem) {
    RecordedProfile profile = threeRuns();
    profile.steps[1].type = static_cast<OperationType>((3U << kExtensionTypeBits) | 81U);
    const std::string text = textOf(tableOf(profile));
    EXPECT_NE(text.find("    1 extension operation 81"), std::string::npos) << text;
    EXPECT_NE(text.find("reference kernels"), std::string::npos) << text;
    profile.steps[1].name = "CONV_3D_TRANSPOSE";
    EXPECT_NE(textOf(tableOf(profile)).find("    1 CONV_3D_TRANSPOSE "), std::string::npos);
}

TEST(ProfileTable, isEmptyWithoutRuns) {
    const ProfileTable table = tableOf({});
    EXPECT_TRUE(table.rows.empty());
    EXPECT_EQ(table.executionMedianUs, 0);
}

TEST(Trace, hasClientAndDeviceOnOneTimeLine) {
    const ClientCall call{.beginNs = 0, .endNs = 7'000};
    const tools::Json trace =
        tools::Json::parse(traceOf(threeRuns(), std::span(&call, 1), 10), nullptr, false);
    std::size_t operations = 0;
    for (const tools::Json& event : trace["traceEvents"]) {
        if (event.value("cat", "") == "client") {
            EXPECT_EQ(event["pid"], 10);
            EXPECT_EQ(event["dur"], 7.0);
        }
        if (event.value("cat", "") == "operation") {
            ++operations;
            EXPECT_EQ(event["pid"], 20);
            EXPECT_EQ(event["tid"], 21);
        }
    }
    EXPECT_EQ(operations, 6U);
}

}  // namespace
}  // namespace nnburst::run
