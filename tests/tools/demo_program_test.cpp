// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-demo as its users see it: what it prints, writes and returns.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/program_test.h"

namespace nnburst {
namespace {

using test::contains;
using test::contentsOf;
using test::ProgramResult;
using test::ProgramTest;

class DemoProgram : public ProgramTest {
  protected:
    DemoProgram() : ProgramTest(NNBURST_DEMO) {}
};

/// The line that follows the first one with `heading`.
std::string lineAfter(const std::string& text, const std::string& heading) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line) && !contains(line, heading)) {
    }
    std::getline(lines, line);
    return line;
}

TEST_F(DemoProgram, reportsAllPathsAndThatTheirOutputsAreTheSame) {
    const ProgramResult result =
        run({"--resolution", "32", "--frames", "60", "--json", file("report.json")});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    for (const char* text :
         {"MobileNet v1 0.25/32 float32: 60 frames of 12288 bytes, 1 kernel thread",
          "latency in microseconds", "in process", "burst to a driver process",
          "RPC to the same driver", "medians over in process",
          "outputs: identical bit for bit on all three paths"}) {
        EXPECT_TRUE(contains(result.out, text)) << text << "\n" << result.out;
    }
    const auto json = nlohmann::json::parse(contentsOf(file("report.json")), nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json.at("frames"), 60);
    EXPECT_EQ(json.at("differingFrames"), 0);
    for (const char* path : {"inProcess", "burst", "rpc"}) {
        const auto& latency = json.at("latencyUs").at(path);
        EXPECT_GT(latency.at("p50").get<double>(), 0) << path;
        EXPECT_GE(latency.at("p99"), latency.at("p50")) << path;
        EXPECT_GE(latency.at("max"), latency.at("p99")) << path;
    }
    if (json.contains("systemCallsPerInference")) {  // where tracing is permitted
        const auto& calls = json.at("systemCallsPerInference");
        EXPECT_GT(calls.at("rpc").at("client").get<double>(), 1);
        // Waits that last sleep: how many there are depends on what else runs.
        EXPECT_GE(calls.at("burst").at("client").get<double>(), 0);
        const std::string row = lineAfter(result.out, "system calls per inference");
        EXPECT_EQ(row.find("  in process "), 0U) << row;
        EXPECT_EQ(calls.at("inProcess").at("driver"), nullptr);
        EXPECT_TRUE(row.ends_with(" -")) << "no driver takes part: " << row;
    }
}

TEST_F(DemoProgram, namesAFileThatItCannotRead) {
    const ProgramResult result = run({file("missing.tflite")});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "nnburst-demo: ")) << result.err;
    EXPECT_TRUE(contains(result.err, "missing.tflite: No such file or directory")) << result.err;
}

TEST_F(DemoProgram, opensItsFileBeforeItMeasures) {
    const ProgramResult result = run({"--frames", "100000000", "--json", file("no/such/file")});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "cannot write")) << result.err;
}

TEST_F(DemoProgram, returnsTwoForWrongArguments) {
    EXPECT_EQ(run({"--frames", "0"}).status, 2);
    EXPECT_EQ(run({"--threads", "none"}).status, 2);
    const std::vector<std::vector<std::string>> ofTheBuiltinModel = {
        {"--width", "0.5"},
        {"--resolution", "96"},
        {"--quant8"},
    };
    for (std::vector<std::string> arguments : ofTheBuiltinModel) {
        arguments.insert(arguments.begin(), file("missing.tflite").string());
        EXPECT_EQ(run(arguments).status, 2) << arguments[1];
    }
    EXPECT_EQ(run({"--help"}).status, 0);
}

}  // namespace
}  // namespace nnburst
