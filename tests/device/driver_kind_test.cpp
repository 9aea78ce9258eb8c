// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Drivers that act as an older HAL version or support a part of the operations, and what drivers
/// report of their speed.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "device/devices.h"
#include "device/local/capabilities_file.h"
#include "nnburst/hal_version.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

/// A device in this process, or in one of its own, with these options.
class DriverKindTest : public testing::TestWithParam<Kind> {
  protected:
    static SharedDevice make(const DriverOptions& options) {
        auto device = GetParam() == Kind::LOCAL ? makeLocalDevice(options)
                                                : spawnDriver(options, NNBURST_DRIVER_PATH);
        EXPECT_TRUE(device) << device.error().message;
        return device ? *device : nullptr;
    }
    static SharedDevice make(HalVersion version) {
        DriverOptions options;
        options.version = version;
        return make(options);
    }
    static SharedDevice make(DriverVariant variant) {
        DriverOptions options;
        options.variant = variant;
        return make(options);
    }
};

template <class T>
void expectStatus(const Result<T>& result, ErrorStatus status) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, status) << result.error().message;
}

Model makeUnary(OperationType type, OperandType operandType, float scale = 0.0F) {
    ModelBuilder builder;
    const auto in = builder.addTensor(operandType, {4}, scale);
    const auto out = builder.addTensor(operandType, {4}, scale);
    builder.addOperation(type, {in}, {out});
    return std::move(*builder.build({in}, {out}));
}

/// DEQUANTIZE of a type that HAL 1.3 has brought.
Model makeSignedDequantize() {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {4}, 0.5F);
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::DEQUANTIZE, {in}, {out});
    return std::move(*builder.build({in}, {out}));
}

/// A model that needs each version.
Model modelOf(HalVersion version) {
    switch (version) {
        case HalVersion::V1_0:
            return makeAddModel();
        case HalVersion::V1_1: {
            Model model = makeAddModel();
            model.relaxComputationFloat32toFloat16 = true;
            return model;
        }
        case HalVersion::V1_2:
            return makeUnary(OperationType::RELU, OperandType::TENSOR_FLOAT16);
        case HalVersion::V1_3:
            return makeUnary(OperationType::RELU, OperandType::TENSOR_QUANT8_ASYMM_SIGNED, 0.5F);
    }
    return {};
}

TEST_P(DriverKindTest, anOlderDriverRefusesModelsThatItDoesNotKnow) {
    // For the first two VTS 1.1 and 1.2 want INVALID_ARGUMENT from getSupportedOperations, too
    // (docs/hal_versions.md).
    std::vector<std::pair<HalVersion, Model>> models{
        {HalVersion::V1_2, makeUnary(OperationType::ABS, OperandType::TENSOR_FLOAT32)},
        {HalVersion::V1_3, makeSignedDequantize()}};
    for (const HalVersion needed : kHalVersions) {
        models.emplace_back(needed, modelOf(needed));
    }
    for (const HalVersion version : kHalVersions) {
        const SharedDevice device = make(version);
        for (const auto& [needed, model] : models) {
            const auto prepared = prepareModel(*device, model);
            const auto supported = device->getSupportedOperations(model);
            ASSERT_TRUE(supported);
            EXPECT_EQ(*supported, std::vector<bool>{needed <= version});
            EXPECT_EQ(prepared.has_value(), needed <= version);
            if (!prepared) {
                expectStatus(prepared, ErrorStatus::INVALID_ARGUMENT);
            }
        }
    }
}

TEST_P(DriverKindTest, anOlderDriverDescribesItselfAsRuntimesSeeIt) {
    for (const HalVersion version : kHalVersions) {
        const SharedDevice device = make(version);
        const bool hasNames = version >= HalVersion::V1_2;
        EXPECT_EQ(*device->getType(), hasNames ? DeviceType::CPU : DeviceType::OTHER);
        EXPECT_EQ(*device->getVersionString() == "UNKNOWN", !hasNames);
        EXPECT_EQ(device->getNumberOfCacheFilesNeeded()->numModelCache, hasNames ? 1U : 0U);
        EXPECT_TRUE(compliantWith(version, *device->getCapabilities()));
    }
}

TEST_P(DriverKindTest, anOlderDriverLacksLaterMethods) {
    for (const HalVersion version : {HalVersion::V1_0, HalVersion::V1_1, HalVersion::V1_2}) {
        const SharedDevice device = make(version);
        const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
        AddRequest add;
        expectStatus(prepared->executeFenced(add.request, {}, {}, {}),
                     ErrorStatus::GENERAL_FAILURE);
        expectStatus(device->allocate({}, std::array{prepared},
                                      std::array{BufferRole{.frequency = 1.0F}}, {}),
                     ErrorStatus::GENERAL_FAILURE);
        add.request.pools.emplace_back(BufferToken{1});
        ExecutionOutcome outcome;
        expectStatus(prepared->executeSynchronously(add.request, {}, outcome),
                     ErrorStatus::INVALID_ARGUMENT);
        if (version < HalVersion::V1_2) {
            expectStatus(device->prepareModelFromCache({}, [](const auto&) {}),
                         ErrorStatus::GENERAL_FAILURE);
        }
    }
}

TEST_P(DriverKindTest, onlyAStatusComesBackUpTo1_1AndNoDeadlineIsKnownUpTo1_2) {
    for (const HalVersion version : kHalVersions) {
        const SharedDevice device = make(version);
        const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
        const auto burst = std::move(*prepared->configureExecutionBurst({}));
        for (const bool usesBurst : {false, true}) {
            AddRequest add;
            ExecutionOutcome outcome;
            const ExecutionOptions measured{.measure = MeasureTiming::YES};
            const Result<> result =
                usesBurst ? burst->execute(add.request, measured, outcome)
                          : prepared->executeSynchronously(add.request, measured, outcome);
            ASSERT_TRUE(result) << result.error().message;
            EXPECT_EQ(add.out()[3], 13.0F);
            const bool isTold = version >= HalVersion::V1_2;
            EXPECT_EQ(outcome.outputShapes.size(), isTold ? 1U : 0U);
            EXPECT_EQ(outcome.timing.timeInDriver != kTimeNotAvailable, isTold);
        }
        AddRequest late;
        ExecutionOutcome outcome;
        const Result<> result = prepared->executeSynchronously(
            late.request, {.deadline = TimePoint(std::chrono::steady_clock::now()) - 1s}, outcome);
        EXPECT_EQ(result.has_value(), version < HalVersion::V1_3);
    }
}

TEST_P(DriverKindTest, outputsHaveKnownDimensionsUpTo1_1) {
    for (const HalVersion version : kHalVersions) {
        const SharedDevice device = make(version);
        const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel(0));
        AddRequest add(4);
        ExecutionOutcome outcome;
        EXPECT_TRUE(prepared->executeSynchronously(add.request, {}, outcome));
        add.request.outputs[0].dimensions = {};
        const Result<> unknown = prepared->executeSynchronously(add.request, {}, outcome);
        EXPECT_EQ(unknown.has_value(), version >= HalVersion::V1_2);
    }
}

TEST_P(DriverKindTest, variantsSupportTheirOperations) {
    const std::array models{makeAddModel(),
                            makeUnary(OperationType::RELU, OperandType::TENSOR_FLOAT32),
                            makeUnary(OperationType::RELU, OperandType::TENSOR_QUANT8_ASYMM, 0.5F)};
    const std::array expected{std::pair(DriverVariant::FULL, std::array{true, true, true}),
                              std::pair(DriverVariant::FLOAT, std::array{true, true, false}),
                              std::pair(DriverVariant::QUANT, std::array{false, false, true}),
                              std::pair(DriverVariant::MINIMAL, std::array{true, false, false})};
    for (const auto& [variant, supports] : expected) {
        const SharedDevice device = make(variant);
        for (std::size_t i = 0; i < models.size(); ++i) {
            EXPECT_EQ(*device->getSupportedOperations(models[i]), std::vector<bool>{supports[i]})
                << toString(variant) << " " << i;
            const auto prepared = prepareModel(*device, models[i]);
            EXPECT_EQ(prepared.has_value(), supports[i]);
            if (!prepared) {
                expectStatus(prepared, ErrorStatus::INVALID_ARGUMENT);
            }
        }
    }
}

/// IF, one of whose branches is RELU of this type.
Model makeIf(OperandType type, float scale) {
    ModelBuilder builder;
    std::array<std::uint32_t, 2> branches{};
    for (std::uint32_t& branch : branches) {
        ModelBuilder subgraph;
        const auto in = subgraph.addTensor(type, {4}, scale);
        const auto out = subgraph.addTensor(type, {4}, scale);
        subgraph.addOperation(OperationType::RELU, {in}, {out});
        branch = builder.addReferenced(std::move(subgraph), {in}, {out});
    }
    const auto condition = builder.addTensor(OperandType::TENSOR_BOOL8, {1});
    const auto in = builder.addTensor(type, {4}, scale);
    const auto out = builder.addTensor(type, {4}, scale);
    builder.addOperation(OperationType::IF,
                         {condition, builder.addSubgraphReference(branches[0]),
                          builder.addSubgraphReference(branches[1]), in},
                         {out});
    return std::move(*builder.build({condition, in}, {out}));
}

TEST_P(DriverKindTest, controlFlowIsSupportedWithAllThatItRefersTo) {
    const Model floats = makeIf(OperandType::TENSOR_FLOAT32, 0.0F);
    const Model bytes = makeIf(OperandType::TENSOR_QUANT8_ASYMM, 0.5F);
    EXPECT_TRUE(make(DriverVariant::FULL)->getSupportedOperations(floats)->at(0));
    EXPECT_TRUE(make(DriverVariant::FLOAT)->getSupportedOperations(floats)->at(0));
    EXPECT_FALSE(make(DriverVariant::FLOAT)->getSupportedOperations(bytes)->at(0));
    EXPECT_TRUE(make(DriverVariant::QUANT)->getSupportedOperations(bytes)->at(0));
    EXPECT_FALSE(make(DriverVariant::MINIMAL)->getSupportedOperations(floats)->at(0));
    EXPECT_FALSE(make(HalVersion::V1_2)->getSupportedOperations(floats)->at(0));
}

TEST_P(DriverKindTest, capabilitiesAreThoseOfTheFileAtEveryStart) {
    const TemporaryDirectory directory;
    Capabilities capabilities = device::uncalibrated();
    float next = 0.125F;
    for (OperandPerformance& performance : capabilities.operandPerformance) {
        performance.info = {.execTime = next, .powerUsage = next / 2};
        next += 0.125F;
    }
    capabilities.ifPerformance.execTime = 3.0F;
    DriverOptions options;
    options.capabilitiesFile = directory.path() / "capabilities.json";
    ASSERT_TRUE(device::writeCapabilities(capabilities, options.capabilitiesFile));
    for (int start = 0; start < 2; ++start) {
        EXPECT_EQ(*make(options)->getCapabilities(), capabilities);
    }
    options.version = HalVersion::V1_0;
    EXPECT_EQ(toV1_0(*make(options)->getCapabilities()), toV1_0(capabilities));
}

INSTANTIATE_TEST_SUITE_P(Device, DriverKindTest, testing::Values(Kind::LOCAL, Kind::SPAWN),
                         [](const auto& instance) { return name(instance.param); });

TEST(CapabilitiesFile, isRefusedUnlessItHasEveryFigure) {
    const TemporaryDirectory directory;
    const std::string file = directory.path() / "capabilities.json";
    ASSERT_TRUE(device::writeCapabilities(device::uncalibrated(), file));
    std::string good;
    std::getline(std::ifstream(file), good, '\0');
    const auto refusal = [&](const std::string& from, const std::string& to) {
        std::string bad = good;
        bad.replace(bad.find(from), from.size(), to);
        std::ofstream(file) << bad;
        const auto read = device::readCapabilities(file);
        return read ? std::string("accepted") : read.error().message;
    };
    EXPECT_EQ(refusal("ifPerformance", "ifPerformance"), "accepted");
    EXPECT_NE(refusal("ifPerformance", "perhaps").find("ifPerformance"), std::string::npos);
    EXPECT_NE(refusal("\"TENSOR_INT32\"", "\"INT31\"").find("TENSOR_INT32"), std::string::npos);
    EXPECT_NE(refusal("1.0", "0.0").find("more than 0"), std::string::npos);
    EXPECT_NE(refusal("1.0", "-2").find("more than 0"), std::string::npos);
    EXPECT_NE(refusal("1.0", "\"fast\"").find("number"), std::string::npos);
    EXPECT_NE(refusal("{", "[").find("JSON"), std::string::npos);
    DriverOptions options;
    options.capabilitiesFile = "/nowhere/capabilities.json";
    const auto missing = makeLocalDevice(options);
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("/nowhere"), std::string::npos);
}

TEST(Calibration, writesWhatADriverReports) {
    const TemporaryDirectory directory;
    const std::string file = directory.path() / "capabilities.json";
    const Ended ended = runDriver({"--calibrate", file, "--calibration-rounds", "1"});
    ASSERT_EQ(ended.status, 0) << ended.text;
    const auto capabilities = device::readCapabilities(file);
    ASSERT_TRUE(capabilities) << capabilities.error().message;
    const DriverProcess driver({"--capabilities", file});
    EXPECT_EQ(*driver.connect()->getCapabilities(), *capabilities);
}

TEST(Calibration, refusesAFileThatItCannotWriteBeforeItMeasures) {
    const Ended ended = runDriver({"--calibrate", "/nowhere/capabilities.json"});
    EXPECT_EQ(ended.status, 1);
    EXPECT_NE(ended.text.find("/nowhere/capabilities.json: No such file or directory"),
              std::string::npos)
        << ended.text;
    EXPECT_EQ(ended.text.find(" power "), std::string::npos) << ended.text;
}

TEST(Calibration, isRefusedWithOptionsOfServingWhichItWouldIgnore) {
    const std::vector<std::vector<std::string>> servings = {
        {"--socket", "/tmp/unused"},         {"--fd", "0"},           {"--isolate", "user"},
        {"--metrics-socket", "/tmp/unused"}, {"--metrics-port", "9"},
    };
    for (std::vector<std::string> arguments : servings) {
        arguments.insert(arguments.end(), {"--calibrate", "/nowhere/capabilities.json"});
        const Ended ended = runDriver(arguments);
        EXPECT_EQ(ended.status, 2) << arguments.front();
        EXPECT_NE(ended.text.find(arguments.front() + " excludes --calibrate"), std::string::npos)
            << ended.text;
    }
    const Ended rounds = runDriver({"--socket", "/tmp/unused", "--calibration-rounds", "1"});
    EXPECT_EQ(rounds.status, 2);
    EXPECT_NE(rounds.text.find("--calibrate"), std::string::npos) << rounds.text;
}

/// Children that have ended and were not reaped count, too.
bool hasNoChild(pid_t pid) {
    const std::string process = std::to_string(pid);
    std::ifstream children("/proc/" + process + "/task/" + process + "/children");
    EXPECT_TRUE(children.is_open())
        << "the kernel lacks CONFIG_PROC_CHILDREN, or " << pid << " has ended";
    pid_t child = 0;
    return !(children >> child);
}

TEST(Calibration, isDoneOnceInTheBackgroundAndReportedByLaterStarts) {
    const TemporaryDirectory state;
    ::setenv("XDG_STATE_HOME", state.path().c_str(), 1);
    const std::filesystem::path directory = state.path() / "nnburst";
    const auto hasFile = [&] {
        return std::filesystem::exists(directory) && !std::filesystem::is_empty(directory) &&
               std::filesystem::directory_iterator(directory)->path().extension() == ".json";
    };
    {
        const DriverProcess first({}, DriverProcess::Calibration::MACHINE);
        const auto device = first.connect();
        const auto capabilities = device->getCapabilities();
        EXPECT_EQ(*capabilities, device::uncalibrated());
        // It gets only the processor time that other processes leave.
        bool isMeasured = false;
        for (int watch = 0; watch < 10 && !isMeasured; ++watch) {
            isMeasured = eventually(hasFile);
        }
        ASSERT_TRUE(isMeasured);
        EXPECT_TRUE(eventually([&] { return hasNoChild(first.pid()); })) << "reaped";
        EXPECT_EQ(*device->getCapabilities(), *capabilities) << "stable while the driver runs";
    }
    const std::string file = std::filesystem::directory_iterator(directory)->path();
    const auto measured = device::readCapabilities(file);
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_NE(*measured, device::uncalibrated());
    const auto written = std::filesystem::last_write_time(file);
    for (int start = 0; start < 2; ++start) {
        const DriverProcess later({}, DriverProcess::Calibration::MACHINE);
        EXPECT_EQ(*later.connect()->getCapabilities(), *measured);
    }
    EXPECT_EQ(*(*spawnDriver({}, NNBURST_DRIVER_PATH))->getCapabilities(), *measured);
    EXPECT_EQ(std::filesystem::last_write_time(file), written) << "measured once";
    ::unsetenv("XDG_STATE_HOME");
}

}  // namespace
}  // namespace nnburst::test
