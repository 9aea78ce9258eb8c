// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Drivers of each version of the HAL: each refuses features of later versions and follows its own
/// rules.

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <tuple>

#include "device/devices.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

std::string nameOf(HalVersion version) {
    std::string name = toString(version);
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}

template <class T>
void expectStatus(const Result<T>& result, ErrorStatus status) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, status) << result.error().message;
    EXPECT_FALSE(result.error().message.empty());
}

/// An operation of each version, one after the other, of which the first `count` are there.
Model makeModelOfVersions(std::size_t count) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto activation = builder.addScalar(std::int32_t{0});
    auto last = in;
    const auto next = [&] { return builder.addTensor(OperandType::TENSOR_FLOAT32, {4}); };
    const std::array<OperationType, 4> types{OperationType::ADD, OperationType::SUB,
                                             OperationType::ABS, OperationType::HARD_SWISH};
    for (std::size_t i = 0; i < count; ++i) {
        const auto out = next();
        builder.addOperation(types[i],
                             i < 2 ? std::vector<std::uint32_t>{last, in, activation}
                                   : std::vector<std::uint32_t>{last},
                             {out});
        last = out;
    }
    return std::move(*builder.build({in}, {last}));
}

class VersionTest : public Devices,
                    public testing::WithParamInterface<std::tuple<Kind, HalVersion>> {
  protected:
    void SetUp() override { open(std::get<Kind>(GetParam()), version()); }

    static HalVersion version() { return std::get<HalVersion>(GetParam()); }
    static bool isBefore(HalVersion other) { return version() < other; }

    /// Executes in every way. `check` sees each result.
    template <class Check>
    void executeInEveryWay(const Model& model, Request& request, const ExecutionOptions& options,
                           Check check) {
        const SharedPreparedModel prepared = prepare(model);
        ASSERT_NE(prepared, nullptr);
        auto burst = prepared->configureExecutionBurst({});
        ASSERT_TRUE(burst) << burst.error().message;
        const ExecutionOutcome stale{.outputShapes = {{}, {}}, .timing = {1, 2}};
        {
            SCOPED_TRACE("burst");
            ExecutionOutcome outcome = stale;
            const Result<> result = (*burst)->execute(request, options, outcome);
            check(result, outcome);
        }
        {
            SCOPED_TRACE("rpc");
            ExecutionOutcome outcome = stale;
            const Result<> result = prepared->executeSynchronously(request, options, outcome);
            check(result, outcome);
        }
        {
            SCOPED_TRACE("asynchronous");
            std::promise<std::tuple<Result<>, ExecutionOutcome>> ended;
            (void)prepared->execute(request, options,
                                    [&](const Result<>& result, const ExecutionOutcome& outcome) {
                                        ended.set_value({result, outcome});
                                    });
            const auto [result, outcome] = ended.get_future().get();
            check(result, outcome);
        }
    }

    /// Devices of an earlier version than `first` refuse `model`, all others prepare it.
    void expectKnownFrom(HalVersion first, const Model& model) const {
        const auto supported = device->getSupportedOperations(model);
        const auto prepared = prepareModel(*device, model);
        if (isBefore(first)) {
            expectStatus(supported, ErrorStatus::INVALID_ARGUMENT);
            expectStatus(prepared, ErrorStatus::INVALID_ARGUMENT);
        } else {
            EXPECT_TRUE(supported);
            EXPECT_TRUE(prepared);
        }
    }
};

TEST_P(VersionTest, saysOfTheOperationsThatItKnowsThatItSupportsThem) {
    const auto known = static_cast<std::size_t>(version()) + 1;
    const auto supported = device->getSupportedOperations(makeModelOfVersions(4));
    ASSERT_TRUE(supported) << supported.error().message;
    for (std::size_t i = 0; i < supported->size(); ++i) {
        EXPECT_EQ((*supported)[i], i < known) << i;
    }
}

TEST_P(VersionTest, preparesModelsUpToItsOwn) {
    const auto known = static_cast<std::size_t>(version()) + 1;
    for (std::size_t count = 1; count <= 4; ++count) {
        const auto prepared = prepareModel(*device, makeModelOfVersions(count));
        if (count <= known) {
            EXPECT_TRUE(prepared) << count << ": " << prepared.error().message;
        } else {
            expectStatus(prepared, ErrorStatus::INVALID_ARGUMENT);
        }
    }
}

TEST_P(VersionTest, refusesRelaxedComputationThatItDoesNotKnow) {
    Model model = makeAddModel();
    model.relaxComputationFloat32toFloat16 = true;
    if (isBefore(HalVersion::V1_1)) {
        EXPECT_EQ(*device->getSupportedOperations(model), std::vector<bool>{false});
        expectStatus(prepareModel(*device, model), ErrorStatus::INVALID_ARGUMENT);
        const auto converted = convertTo(version(), model);
        ASSERT_TRUE(converted);
        EXPECT_TRUE(prepareModel(*device, *converted));
    } else {
        EXPECT_EQ(*device->getSupportedOperations(model), std::vector<bool>{true});
        EXPECT_TRUE(prepareModel(*device, model));
    }
}

TEST_P(VersionTest, refusesExtensionsThatItDoesNotKnow) {
    Model model = makeAddModel();
    model.extensionNameToPrefix = {{.name = "org.example", .prefix = 1}};
    expectKnownFrom(HalVersion::V1_2, model);
}

TEST_P(VersionTest, refusesAnOperandThatItDoesNotKnowAndNoOperationUses) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto unused = builder.addTensor(OperandType::TENSOR_BOOL8, {4});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::RELU, {in}, {out});
    const Model model = std::move(*builder.build({in, unused}, {out}));
    expectKnownFrom(HalVersion::V1_2, model);
}

TEST_P(VersionTest, supportsNoOperandsThatItDoesNotKnowWhereAScalarIsAnInput) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT16, {4});
    const auto activation = builder.addTensor(OperandType::INT32, {});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT16, {4});
    builder.addOperation(OperationType::ADD, {in, in, activation}, {out});
    const Model model = std::move(*builder.build({in, activation}, {out}));
    const auto supported = device->getSupportedOperations(model);
    ASSERT_TRUE(supported) << supported.error().message;
    EXPECT_EQ(*supported, std::vector<bool>{!isBefore(HalVersion::V1_2)});
}

TEST_P(VersionTest, describesItselfAsFarAsItsVersionDoes) {
    EXPECT_EQ(device->getHalVersion(), version());
    const bool isOld = isBefore(HalVersion::V1_2);
    EXPECT_EQ(*device->getType(), isOld ? DeviceType::OTHER : DeviceType::CPU);
    EXPECT_EQ(*device->getVersionString() == "UNKNOWN", isOld);
    EXPECT_TRUE(device->getSupportedExtensions());
    const NumberOfCacheFiles files = *device->getNumberOfCacheFilesNeeded();
    EXPECT_EQ(files.numModelCache == 0, isOld);
    EXPECT_EQ(files.numDataCache == 0, isOld);
    EXPECT_EQ(device->getStatus(), DeviceStatus::AVAILABLE);
    const auto capabilities = device->getCapabilities();
    ASSERT_TRUE(capabilities) << capabilities.error().message;
    const Result<> compliant = compliantWith(version(), *capabilities);
    EXPECT_TRUE(compliant) << compliant.error().message;
    if (version() != HalVersion::V1_0) {
        // Of the version itself, not of an older one.
        EXPECT_TRUE(version() == HalVersion::V1_1 ||
                    !compliantWith(static_cast<HalVersion>(static_cast<int>(version()) - 1),
                                   *capabilities));
    }
}

TEST_P(VersionTest, givesOutputShapesAndTimingFromVersion1_2On) {
    AddRequest add;
    executeInEveryWay(makeAddModel(), add.request, {.measure = MeasureTiming::YES},
                      [&](const Result<>& result, const ExecutionOutcome& outcome) {
                          ASSERT_TRUE(result) << result.error().message;
                          EXPECT_EQ(add.out()[3], 13.0F);
                          if (isBefore(HalVersion::V1_2)) {
                              EXPECT_TRUE(outcome.outputShapes.empty());
                              EXPECT_EQ(outcome.timing, Timing{});
                          } else {
                              EXPECT_EQ(outcome.outputShapes.size(), 1U);
                              EXPECT_NE(outcome.timing.timeOnDevice, kTimeNotAvailable);
                              EXPECT_NE(outcome.timing.timeInDriver, kTimeNotAvailable);
                          }
                      });
}

TEST_P(VersionTest, wantsAllDimensionsOfOutputsBeforeVersion1_2) {
    AddRequest add;
    executeInEveryWay(makeAddModel(0), add.request, {},
                      [&](const Result<>& result, const ExecutionOutcome& outcome) {
                          EXPECT_TRUE(result) << result.error().message;
                          EXPECT_EQ(outcome.outputShapes.empty(), isBefore(HalVersion::V1_2));
                      });
    for (const Dimensions& open : {Dimensions{0}, Dimensions{}}) {
        add.request.outputs[0].dimensions = open;
        executeInEveryWay(makeAddModel(0), add.request, {},
                          [&](const Result<>& result, const ExecutionOutcome& outcome) {
                              if (isBefore(HalVersion::V1_2)) {
                                  expectStatus(result, ErrorStatus::INVALID_ARGUMENT);
                                  EXPECT_TRUE(outcome.outputShapes.empty());
                              } else {
                                  EXPECT_TRUE(result) << result.error().message;
                                  EXPECT_EQ(outcome.outputShapes.at(0).dimensions, Dimensions{4});
                              }
                          });
    }
}

TEST_P(VersionTest, refusesALaunchWithOpenOutputsAtOnceBeforeVersion1_2) {
    AddRequest add;
    add.request.outputs[0].dimensions = {0};
    const SharedPreparedModel prepared = prepare(makeAddModel(0));
    ASSERT_NE(prepared, nullptr);
    std::promise<Result<>> ended;
    const Result<> launched = prepared->execute(
        add.request, {},
        [&](const Result<>& result, const ExecutionOutcome&) { ended.set_value(result); });
    EXPECT_EQ(launched.has_value(), !isBefore(HalVersion::V1_2));
    EXPECT_EQ(ended.get_future().get().has_value(), !isBefore(HalVersion::V1_2));
}

TEST_P(VersionTest, saysThatAnOutputIsTooSmall) {
    AddRequest add(4, 15);
    executeInEveryWay(makeAddModel(), add.request, {},
                      [&](const Result<>& result, const ExecutionOutcome& outcome) {
                          expectStatus(result, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
                          EXPECT_EQ(outcome.outputShapes.empty(), isBefore(HalVersion::V1_2));
                      });
}

TEST_P(VersionTest, knowsNoDeadlineOfAnExecutionBeforeVersion1_3) {
    AddRequest add;
    const TimePoint past = TimePoint(std::chrono::steady_clock::now()) - 1h;
    executeInEveryWay(makeAddModel(), add.request, {.deadline = past},
                      [&](const Result<>& result, const ExecutionOutcome&) {
                          EXPECT_EQ(result.has_value(), isBefore(HalVersion::V1_3));
                      });
}

TEST_P(VersionTest, knowsNoDeadlineOfAPreparationBeforeVersion1_3) {
    PrepareOptions late;
    late.deadline = TimePoint(std::chrono::steady_clock::now()) - 1h;
    EXPECT_EQ(prepareModel(*device, makeAddModel(), late).has_value(), isBefore(HalVersion::V1_3));
}

TEST_P(VersionTest, knowsNoPreferenceBeforeVersion1_1AndNoPriorityBeforeVersion1_3) {
    const auto ofPreference =
        prepareModel(*device, makeAddModel(), {.preference = static_cast<ExecutionPreference>(99)});
    EXPECT_EQ(ofPreference.has_value(), isBefore(HalVersion::V1_1));
    const auto ofPriority =
        prepareModel(*device, makeAddModel(), {.priority = static_cast<Priority>(99)});
    EXPECT_EQ(ofPriority.has_value(), isBefore(HalVersion::V1_3));
}

TEST_P(VersionTest, hasNoFencedExecutionBeforeVersion1_3) {
    AddRequest add;
    const SharedPreparedModel prepared = prepare(makeAddModel());
    ASSERT_NE(prepared, nullptr);
    const auto launched = prepared->executeFenced(add.request, {}, {}, {});
    if (isBefore(HalVersion::V1_3)) {
        expectStatus(launched, ErrorStatus::GENERAL_FAILURE);
    } else {
        EXPECT_TRUE(launched) << launched.error().message;
    }
}

TEST_P(VersionTest, hasNoDriverManagedBuffersBeforeVersion1_3) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    ASSERT_NE(prepared, nullptr);
    const std::array<BufferRole, 1> roles{{{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}}};
    const auto allocated = device->allocate({}, std::array{prepared}, roles, {});
    if (isBefore(HalVersion::V1_3)) {
        expectStatus(allocated, ErrorStatus::GENERAL_FAILURE);
    } else {
        EXPECT_TRUE(allocated) << allocated.error().message;
    }
    AddRequest add;
    add.request.pools.emplace_back(BufferToken{1});
    add.request.inputs[0] = {.location = {.poolIndex = 1}};
    if (isBefore(HalVersion::V1_3)) {
        executeInEveryWay(makeAddModel(), add.request, {},
                          [&](const Result<>& result, const ExecutionOutcome&) {
                              expectStatus(result, ErrorStatus::INVALID_ARGUMENT);
                          });
    }
}

INSTANTIATE_TEST_SUITE_P(Device, VersionTest,
                         testing::Combine(testing::Values(Kind::LOCAL, Kind::SPAWN, Kind::CONNECT),
                                          testing::ValuesIn(kHalVersions)),
                         [](const auto& instance) {
                             return std::string(name(std::get<Kind>(instance.param))) + "_" +
                                    nameOf(std::get<HalVersion>(instance.param));
                         });

// ---- Caches

class CacheOfVersion : public testing::Test {
  protected:
    void SetUp() override {
        for (const char* name : {"model", "data"}) {
            std::ofstream(directory.path() / name).flush();
        }
    }

    SharedDevice deviceOf(HalVersion version) {
        DriverOptions options;
        options.version = version;
        options.cacheKeyFile = directory.path() / "key";
        return *makeLocalDevice(options);
    }

    /// prepareModel, or else prepareModelFromCache, with the two files.
    Result<> prepare(Device& device, const Model* model) {
        const UniqueFd modelFile = open("model");
        const UniqueFd dataFile = open("data");
        PrepareOptions options;
        options.modelCache = {modelFile.get()};
        options.dataCache = {dataFile.get()};
        std::promise<Result<>> prepared;
        const auto callback = [&](const Result<SharedPreparedModel>& result) {
            prepared.set_value(result ? Result<>() : tl::unexpected<Error>(result.error()));
        };
        (void)(model != nullptr ? device.prepareModel(*model, options, callback)
                                : device.prepareModelFromCache(options, callback));
        return prepared.get_future().get();
    }

    [[nodiscard]] UniqueFd open(const char* name) const {
        return UniqueFd(::open((directory.path() / name).c_str(), O_RDWR | O_CLOEXEC));
    }

    TemporaryDirectory directory;
};

TEST_F(CacheOfVersion, isNotFilledAndNotUsedBeforeVersion1_2) {
    const Model model = makeAddModel();
    ASSERT_TRUE(prepare(*deviceOf(HalVersion::V1_1), &model));
    EXPECT_EQ(std::filesystem::file_size(directory.path() / "model"), 0U);
    ASSERT_TRUE(prepare(*deviceOf(HalVersion::V1_2), &model));
    EXPECT_TRUE(prepare(*deviceOf(HalVersion::V1_2), nullptr));
    expectStatus(prepare(*deviceOf(HalVersion::V1_1), nullptr), ErrorStatus::GENERAL_FAILURE);
}

TEST_F(CacheOfVersion, ofALaterDriverIsOfNoUseToAnEarlierOneThatDoesNotKnowItsModel) {
    const Model model = makeModelOfVersions(4);
    ASSERT_TRUE(prepare(*deviceOf(HalVersion::V1_3), &model));
    expectStatus(prepare(*deviceOf(HalVersion::V1_2), nullptr), ErrorStatus::GENERAL_FAILURE);
    EXPECT_TRUE(prepare(*deviceOf(HalVersion::V1_3), nullptr));
}

// ---- The program

TEST(DriverProgram, refusesAVersionThatThereIsNot) {
    const Ended ended = runDriver({"--fd", "3", "--hal", "1.4"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.text.find("--hal"), std::string::npos) << ended.text;
}

}  // namespace
}  // namespace nnburst::test
