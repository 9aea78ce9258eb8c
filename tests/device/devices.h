// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Fixtures of tests that run against every kind of device and every way to execute on it.

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "device/driver_process.h"
#include "model/extension_registry.h"
#include "nnburst/device.h"

namespace nnburst::test {

enum class Kind { LOCAL, SPAWN, CONNECT };
enum class Way { BURST, SYNCHRONOUS, ASYNCHRONOUS };

constexpr const char* name(Kind kind) {
    return kind == Kind::LOCAL ? "local" : kind == Kind::SPAWN ? "spawn" : "connect";
}
constexpr const char* name(Way way) {
    return way == Way::BURST ? "burst" : way == Way::SYNCHRONOUS ? "rpc" : "asynchronous";
}

/// A device of each kind, and its driver if the device did not start it.
class Devices : public testing::Test {
  protected:
    void open(Kind kind, HalVersion version = kLatestHalVersion) {
        if (kind == Kind::CONNECT) {
            driver_ = std::make_unique<DriverProcess>(
                std::vector<std::string>{"--hal", toString(version)});
            device = driver_->connect();
            return;
        }
        const DriverOptions options{.version = version};
        auto made = kind == Kind::LOCAL ? makeLocalDevice(options)
                                        : spawnDriver(options, NNBURST_DRIVER_PATH);
        ASSERT_TRUE(made) << made.error().message;
        device = *made;
    }

    SharedPreparedModel prepare(const Model& model, const PrepareOptions& options = {}) {
        auto prepared = prepareModel(*device, model, options);
        EXPECT_TRUE(prepared) << prepared.error().message;
        return prepared ? *prepared : nullptr;
    }

    SharedDevice device;

  private:
    std::unique_ptr<DriverProcess> driver_;
};

/// Names are well-formed and unique; operand types are described once each.
inline void expectWellFormed(const std::vector<Extension>& extensions) {
    std::set<std::string> names;
    for (const Extension& extension : extensions) {
        EXPECT_TRUE(isExtensionName(extension.name)) << extension.name;
        EXPECT_TRUE(names.insert(extension.name).second) << extension.name;
        std::set<std::uint16_t> types;
        for (const ExtensionOperandTypeInformation& type : extension.operandTypes) {
            EXPECT_TRUE(types.insert(type.type).second) << extension.name << ' ' << type.type;
        }
    }
}

/// Tests of a device.
class DeviceTest : public Devices, public testing::WithParamInterface<Kind> {
  protected:
    void SetUp() override { open(GetParam()); }
};

#define NNBURST_INSTANTIATE_FOR_ALL_DEVICES(suite)                                     \
    INSTANTIATE_TEST_SUITE_P(Device, suite,                                            \
                             testing::Values(Kind::LOCAL, Kind::SPAWN, Kind::CONNECT), \
                             [](const auto& instance) { return name(instance.param); })

/// Tests of executions.
class ExecutionTest : public Devices, public testing::WithParamInterface<std::tuple<Kind, Way>> {
  protected:
    void SetUp() override { open(std::get<Kind>(GetParam())); }

    void use(const Model& model) {
        prepared = prepare(model);
        ASSERT_NE(prepared, nullptr);
        burst = std::move(*prepared->configureExecutionBurst({}));
    }

    Result<> execute(const Request& request, const ExecutionOptions& options = {}) {
        switch (std::get<Way>(GetParam())) {
            case Way::BURST:
                return burst->execute(request, options, outcome);
            case Way::SYNCHRONOUS:
                return prepared->executeSynchronously(request, options, outcome);
            case Way::ASYNCHRONOUS:
                break;
        }
        std::promise<Result<>> ended;
        (void)prepared->execute(request, options,
                                [&](const Result<>& status, const ExecutionOutcome& its) {
                                    outcome = its;
                                    ended.set_value(status);
                                });
        return ended.get_future().get();
    }

    /// A good request of makeAddModel() is executed right.
    void expectService() {
        AddRequest add;
        const Result<> result = execute(add.request);
        ASSERT_TRUE(result) << result.error().message;
        for (int i = 0; i < 4; ++i) {
            EXPECT_EQ(add.out()[i], 10.0F + static_cast<float>(i));
        }
        ASSERT_EQ(outcome.outputShapes.size(), 1U);
        EXPECT_EQ(outcome.outputShapes[0], (OutputShape{.dimensions = {4}, .isSufficient = true}));
    }

    SharedPreparedModel prepared;
    std::unique_ptr<Burst> burst;
    ExecutionOutcome outcome;
};

#define NNBURST_INSTANTIATE_FOR_ALL_EXECUTIONS(suite)                                       \
    INSTANTIATE_TEST_SUITE_P(                                                               \
        Device, suite,                                                                      \
        testing::Combine(testing::Values(Kind::LOCAL, Kind::SPAWN, Kind::CONNECT),          \
                         testing::Values(Way::BURST, Way::SYNCHRONOUS, Way::ASYNCHRONOUS)), \
        [](const auto& instance) {                                                          \
            return std::string(name(std::get<Kind>(instance.param))) + "_" +                \
                   name(std::get<Way>(instance.param));                                     \
        })

}  // namespace nnburst::test
