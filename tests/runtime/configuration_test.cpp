// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/configuration.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "nnburst/runtime.h"
#include "support/program_test.h"

namespace nnburst::runtime {
namespace {

using test::ProgramTest;
using test::writeFile;

class Configuration : public ProgramTest {
  protected:
    Configuration() : ProgramTest("") {}
};

std::string errorOf(const std::string& text) {
    const auto devices = parseConfiguration(text);
    return devices ? "no error" : devices.error().message;
}

TEST_F(Configuration, namesSocketsAndPrograms) {
    const auto devices = parseConfiguration(R"([
        {"name": "npu", "socket": "/run/npu.sock"},
        {"name": "second", "program": "/usr/bin/nnburst-driver",
         "options": {"threads": 2, "variant": "float", "hal": "1.2", "xnnpack": false, "tflite-operations": false,
                     "processors": [0, 1], "log-level": "warning", "idle-time": 5,
                     "shallow-idle": 10}}])");
    ASSERT_TRUE(devices) << devices.error().message;
    ASSERT_EQ(devices->size(), 2U);
    EXPECT_EQ((*devices)[0].name, "npu");
    EXPECT_EQ((*devices)[0].socket, "/run/npu.sock");
    const ConfiguredDevice& second = (*devices)[1];
    EXPECT_EQ(second.program, "/usr/bin/nnburst-driver");
    EXPECT_EQ(second.options.threads, 2U);
    EXPECT_EQ(second.options.variant, DriverVariant::FLOAT);
    EXPECT_EQ(second.options.version, HalVersion::V1_2);
    EXPECT_FALSE(second.options.useXnnpack);
    EXPECT_FALSE(second.options.useTfliteOperations);
    EXPECT_EQ(second.options.processors, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(second.options.logLevel, LogLevel::WARNING);
    EXPECT_EQ(second.options.idleTime, std::chrono::milliseconds(5));
    EXPECT_EQ(second.options.cpuLatencyLimit, std::chrono::microseconds(10));
}

TEST_F(Configuration, takesASingleDeviceWithoutAnArray) {
    const auto devices = parseConfiguration(R"({"name": "npu", "socket": "s"})");
    ASSERT_TRUE(devices) << devices.error().message;
    EXPECT_EQ(devices->size(), 1U);
}

TEST_F(Configuration, saysWhichDeviceBreaksWhichRule) {
    EXPECT_EQ(errorOf("{"), "it must be a JSON object of a device, or an array of such objects");
    EXPECT_EQ(errorOf("7"), errorOf("{"));
    EXPECT_EQ(errorOf(R"([{"name": "a", "socket": "s"}, 1])"), "device 1: must be an object");
    EXPECT_EQ(errorOf(R"({"socket": "s"})"),
              "device 0: name \"\": must have 1 to 64 printable characters without spaces");
    EXPECT_EQ(errorOf(R"({"name": "nnapi-reference", "socket": "s"})"),
              "device 0: name \"nnapi-reference\": is that of the device in this process");
    EXPECT_EQ(errorOf(R"({"name": "a"})"), "device 0: must have either a socket or a program");
    EXPECT_EQ(errorOf(R"({"name": "a", "socket": "s", "program": "p"})"),
              errorOf(R"({"name": "a"})"));
    EXPECT_EQ(errorOf(R"({"name": "a", "socket": "s", "options": {}})"),
              "device 0: options: a driver that listens on a socket has its own");
    EXPECT_EQ(errorOf(R"({"name": "a", "sokcet": "s"})"),
              "device 0: sokcet: there is no such field");
    EXPECT_EQ(errorOf(R"({"name": "a", "program": "p", "options": {"thread": 1}})"),
              "device 0: options: thread: there is no such option; there are cache-key, "
              "capabilities, concurrency-memory, dot-products, extensions, hal, huge-pages, "
              "idle-time, lock-memory, log-level, memory-limit, name, processors, realtime, "
              "shallow-idle, tflite-operations, threads, variant, xnnpack");
    EXPECT_EQ(errorOf(R"({"name": "a", "program": "p", "options": {"threads": -1}})"),
              "device 0: options: threads: -1: must be a whole number of at most 4294967295");
    EXPECT_EQ(errorOf(R"({"name": "a", "program": "p", "options": {"hal": "1.4"}})"),
              "device 0: options: hal: \"1.4\": must be \"1.0\", \"1.1\", \"1.2\" or \"1.3\"");
}

TEST_F(Configuration, readsTheFilesOfAFolderInTheOrderOfTheirNames) {
    writeFile(file("2.json"), R"({"name": "b", "socket": "s"})");
    writeFile(file("1.json"), R"({"name": "a", "socket": "s"})");
    writeFile(file("0.txt"), R"({"name": "x", "socket": "s"})");
    writeFile(file("3.json"), "nonsense");
    writeFile(file("4.json"), R"([{"name": "a", "socket": "t"}, {"name": "c", "socket": "s"}])");
    const auto devices =
        readConfiguration(std::vector<std::string>{file(""), file("missing.json")});
    std::vector<std::string> names;
    for (const ConfiguredDevice& device : devices) {
        names.push_back(device.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(Configuration, followsTheEnvironmentUnlessPathsAreGiven) {
    ASSERT_EQ(::setenv("NNBURST_DEVICES", "/a:/b:", 1), 0);
    EXPECT_EQ(configurationPaths({}), (std::vector<std::string>{"/a", "/b"}));
    EXPECT_EQ(configurationPaths(std::vector<std::string>{"/c"}), std::vector<std::string>{"/c"});
    ASSERT_EQ(::setenv("NNBURST_DEVICES", "", 1), 0);
    EXPECT_TRUE(configurationPaths({}).empty());
    ASSERT_EQ(::unsetenv("NNBURST_DEVICES"), 0);
    EXPECT_EQ(configurationPaths({}), std::vector<std::string>{"/etc/nnburst/devices.d"});
}

}  // namespace
}  // namespace nnburst::runtime
