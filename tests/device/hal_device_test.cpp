// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Rules of the HAL's IDevice and IPreparedModelCallback (docs/hal.md), held by every device.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include "device/devices.h"
#include "device/hal_models.h"
#include "nnburst/model_builder.h"
#include "nnburst/type_queries.h"
#include "support/mutation_subjects.h"

namespace nnburst::test {
namespace {

/// The status that a preparation returned, and that of its callback.
struct Answers {
    Result<> launched;
    Result<SharedPreparedModel> prepared;
};

/// Launches and waits. Does not see a second callback: HalCallbackCountTest counts.
template <class Launch>
Answers answersOf(const Launch& launch) {
    std::promise<Result<SharedPreparedModel>> promise;
    Result<> launched = launch([&promise](Result<SharedPreparedModel> prepared) {
        promise.set_value(std::move(prepared));
    });
    return {.launched = std::move(launched), .prepared = promise.get_future().get()};
}

Answers answersOf(Device& device, const Model& model, const PrepareOptions& options = {}) {
    return answersOf([&](PreparedModelCallback callback) {
        return device.prepareModel(model, options, std::move(callback));
    });
}

/// Expects that both report `status`; a model comes only with NONE.
void expectAnswers(const Answers& answers, ErrorStatus status) {
    if (status == ErrorStatus::NONE) {
        EXPECT_TRUE(answers.launched) << answers.launched.error().message;
        ASSERT_TRUE(answers.prepared) << answers.prepared.error().message;
        EXPECT_NE(*answers.prepared, nullptr);
        return;
    }
    ASSERT_FALSE(answers.launched);
    EXPECT_EQ(answers.launched.error().status, status) << answers.launched.error().message;
    ASSERT_FALSE(answers.prepared);
    EXPECT_EQ(answers.prepared.error().status, status) << answers.prepared.error().message;
}

Model makeInvalidModel() {
    Model model = makeAddModel();
    model.main.operations[0].inputs[0] = 99;
    return model;
}

TimePoint afterNow(std::chrono::nanoseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

// ---- Properties of a device

class HalDeviceTest : public DeviceTest {};

TEST_P(HalDeviceTest, capabilitiesStayTheSame) {
    const auto first = device->getCapabilities();
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(*device->getCapabilities(), *first);
}

TEST_P(HalDeviceTest, capabilitiesArePositive) {
    const Capabilities capabilities = *device->getCapabilities();
    std::vector<PerformanceInfo> all{capabilities.relaxedFloat32toFloat16PerformanceScalar,
                                     capabilities.relaxedFloat32toFloat16PerformanceTensor,
                                     capabilities.ifPerformance, capabilities.whilePerformance};
    for (const OperandPerformance& entry : capabilities.operandPerformance) {
        all.push_back(entry.info);
    }
    for (const PerformanceInfo& info : all) {
        EXPECT_GT(info.execTime, 0.0F);
        EXPECT_GT(info.powerUsage, 0.0F);
    }
}

TEST_P(HalDeviceTest, capabilitiesNameEachOperandTypeOnceInOrder) {
    std::vector<OperandType> named;
    const Capabilities capabilities = *device->getCapabilities();
    for (const OperandPerformance& entry : capabilities.operandPerformance) {
        named.push_back(entry.type);
    }
    std::vector<OperandType> expected;
    for (std::int32_t type = 0; type <= static_cast<std::int32_t>(OperandType::SUBGRAPH); ++type) {
        if (static_cast<OperandType>(type) != OperandType::SUBGRAPH) {
            expected.push_back(static_cast<OperandType>(type));
        }
    }
    EXPECT_EQ(named, expected);
}

TEST_P(HalDeviceTest, typeAndVersionStringStayTheSame) {
    const DeviceType type = *device->getType();
    EXPECT_GE(type, DeviceType::OTHER);
    EXPECT_LE(type, DeviceType::ACCELERATOR);
    EXPECT_EQ(*device->getType(), type);
    const std::string version = *device->getVersionString();
    EXPECT_FALSE(version.empty());
    EXPECT_NE(version, toString(device->getHalVersion()));
    EXPECT_EQ(*device->getVersionString(), version);
}

TEST_P(HalDeviceTest, extensionsAreWellFormed) {
    const auto extensions = device->getSupportedExtensions();
    ASSERT_TRUE(extensions) << extensions.error().message;
    expectWellFormed(*extensions);
}

TEST_P(HalDeviceTest, cacheFilesAreAtMost32OfEachKind) {
    const auto files = device->getNumberOfCacheFilesNeeded();
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_LE(files->numModelCache, 32U);
    EXPECT_LE(files->numDataCache, 32U);
    EXPECT_EQ(files->numModelCache == 0, files->numDataCache == 0);
}

TEST_P(HalDeviceTest, statusIsAvailableAgainAfterErrors) {
    EXPECT_EQ(device->getStatus(), DeviceStatus::AVAILABLE);
    expectAnswers(answersOf(*device, makeInvalidModel()), ErrorStatus::INVALID_ARGUMENT);
    EXPECT_FALSE(device->getSupportedOperations(makeInvalidModel()));
    EXPECT_EQ(device->getStatus(), DeviceStatus::AVAILABLE);
}

TEST_P(HalDeviceTest, whatIsSupportedCanBePrepared) {
    for (const Subject& valid : subjects()) {
        const auto supported = device->getSupportedOperations(valid.model);
        ASSERT_TRUE(supported) << valid.name << ": " << supported.error().message;
        EXPECT_EQ(*supported, std::vector<bool>(valid.model.main.operations.size(), true))
            << valid.name;
        expectAnswers(answersOf(*device, valid.model), ErrorStatus::NONE);
    }
}

/// A tensor of so many dimensions, each 1, after RELU, beside one of rank 1 after RELU.
Model makeModelOfRank(std::size_t rank) {
    ModelBuilder builder;
    const auto add = [&](const Dimensions& dimensions) {
        const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, dimensions);
        const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, dimensions);
        builder.addOperation(OperationType::ABS, {in}, {out});
        return std::pair(in, out);
    };
    const auto low = add({1});
    const auto high = add(Dimensions(rank, 1));
    return std::move(*builder.build({low.first, high.first}, {low.second, high.second}));
}

TEST_P(HalDeviceTest, operationsOfTooManyDimensionsAreNotSupported) {
    EXPECT_EQ(*device->getSupportedOperations(makeModelOfRank(8)), (std::vector<bool>{true, true}));
    expectAnswers(answersOf(*device, makeModelOfRank(8)), ErrorStatus::NONE);
    for (const std::size_t rank : {9, 100}) {
        const auto supported = device->getSupportedOperations(makeModelOfRank(rank));
        ASSERT_TRUE(supported) << supported.error().message;
        EXPECT_EQ(*supported, (std::vector<bool>{true, false}));
        expectAnswers(answersOf(*device, makeModelOfRank(rank)), ErrorStatus::GENERAL_FAILURE);
    }
}

TEST_P(HalDeviceTest, refusesSubgraphsToWhichNoneRefers) {
    Model model = makeAddModel();
    model.referenced.push_back(model.main);
    EXPECT_EQ(device->getSupportedOperations(model).error().status, ErrorStatus::INVALID_ARGUMENT);
    expectAnswers(answersOf(*device, model), ErrorStatus::INVALID_ARGUMENT);
    // Not supported in preparation either, whatever the main subgraph is.
    model.referenced[0].operations[0].type = OperationType::OEM_OPERATION;
    EXPECT_EQ(device->getSupportedOperations(model).error().status, ErrorStatus::INVALID_ARGUMENT);
    expectAnswers(answersOf(*device, model), ErrorStatus::INVALID_ARGUMENT);
}

/// Adds operations to a graph, each on the float that the one before it gives. ADD has two inputs,
/// which the HAL forbids. Gives the input and the output of the graph.
std::pair<std::uint32_t, std::uint32_t> addChain(ModelBuilder& graph,
                                                 const std::vector<OperationType>& types) {
    const auto in = graph.addTensor(OperandType::TENSOR_FLOAT32, {1});
    std::uint32_t value = in;
    for (const OperationType type : types) {
        const auto next = graph.addTensor(OperandType::TENSOR_FLOAT32, {1});
        const std::size_t inputs = type == OperationType::ADD ? 2 : 1;
        graph.addOperation(type, std::vector<std::uint32_t>(inputs, value), {next});
        value = next;
    }
    return {in, value};
}

constexpr std::uint16_t kUnknownPrefix = 77;
constexpr auto kUnknownOperation = static_cast<OperationType>(
    (std::uint32_t{kUnknownPrefix} << kExtensionTypeBits) | std::uint32_t{1});

Model makeChainModel(const std::vector<OperationType>& types) {
    ModelBuilder builder;
    const auto [in, out] = addChain(builder, types);
    builder.addExtension("org.nobody.knows", kUnknownPrefix);
    return std::move(*builder.build({in}, {out}));
}

/// IF of two chains.
Model makeIfModel(const std::vector<OperationType>& then,
                  const std::vector<OperationType>& otherwise) {
    ModelBuilder builder;
    const auto condition = builder.addTensor(OperandType::TENSOR_BOOL8, {1});
    std::vector<std::uint32_t> inputs{condition};
    for (const auto* types : {&then, &otherwise}) {
        ModelBuilder branch;
        const auto [in, out] = addChain(branch, *types);
        inputs.push_back(
            builder.addSubgraphReference(builder.addReferenced(std::move(branch), {in}, {out})));
    }
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    inputs.push_back(in);
    builder.addOperation(OperationType::IF, inputs, {out});
    return std::move(*builder.build({condition, in}, {out}));
}

/// makeModelOfRank(9) with the operation that is not supported first, and ADD of two inputs.
Model makeModelOfRank9BeforeAdd() {
    Model model = makeModelOfRank(9);
    std::vector<Operation>& operations = model.main.operations;
    std::swap(operations[0], operations[1]);
    operations[1].type = OperationType::ADD;
    operations[1].inputs.push_back(operations[1].inputs[0]);
    ++model.main.operands[operations[1].inputs[0]].numberOfConsumers;
    return model;
}

TEST_P(HalDeviceTest, invalidModelsAreRefusedAsSuchWhateverElseIsNotSupported) {
    using enum OperationType;
    const std::array models{makeModelOfRank9BeforeAdd(),
                            makeChainModel({OEM_OPERATION, ADD}),
                            makeChainModel({kUnknownOperation, ADD}),
                            makeIfModel({OEM_OPERATION, ADD}, {RELU}),
                            makeIfModel({RELU}, {OEM_OPERATION, ADD}),
                            makeIfModel({OEM_OPERATION}, {ADD})};
    for (std::size_t i = 0; i < models.size(); ++i) {
        const auto supported = device->getSupportedOperations(models[i]);
        ASSERT_FALSE(supported) << i;
        EXPECT_EQ(supported.error().status, ErrorStatus::INVALID_ARGUMENT)
            << i << ": " << supported.error().message;
        expectAnswers(answersOf(*device, models[i]), ErrorStatus::INVALID_ARGUMENT);
    }
}

/// STRIDED_SLICE of two rows of three floats, which drops the axis of the rows.
Model makeRowModel(const std::vector<std::int32_t>& begin, const std::vector<std::int32_t>& end,
                   const std::vector<std::int32_t>& strides) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {2, 3});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {3});
    std::vector<std::uint32_t> inputs{in};
    for (const auto* values : {&begin, &end, &strides}) {
        inputs.push_back(
            builder.addConstant(OperandType::TENSOR_INT32, {2}, std::as_bytes(std::span(*values))));
    }
    for (const std::int32_t mask : {0, 0, 1}) {
        inputs.push_back(builder.addScalar(mask));
    }
    builder.addOperation(OperationType::STRIDED_SLICE, inputs, {out});
    return std::move(*builder.build({in}, {out}));
}

/// IF that leaves its condition out.
Model makeIfWithoutCondition() {
    Model model = makeIfModel({OperationType::RELU}, {OperationType::RELU});
    Operand& condition = model.main.operands[model.main.inputIndexes[0]];
    condition.lifetime = OperandLifeTime::NO_VALUE;
    model.main.inputIndexes.erase(model.main.inputIndexes.begin());
    return model;
}

// VTS 1.2, strided_slice_invalid_output_dims and ..._neg_stride; VTS 1.3, if_no_value.
TEST_P(HalDeviceTest, preparesModelsWhoseExecutionsAllFail) {
    const std::array models{std::pair(makeRowModel({0, 0}, {2, 3}, {1, 1}), 6),
                            std::pair(makeRowModel({1, 0}, {0, 3}, {-1, 1}), 6),
                            std::pair(makeIfWithoutCondition(), 1)};
    for (const auto& [model, count] : models) {
        const auto supported = device->getSupportedOperations(model);
        ASSERT_TRUE(supported) << supported.error().message;
        EXPECT_EQ(*supported, std::vector<bool>{true});
        const Answers answers = answersOf(*device, model);
        expectAnswers(answers, ErrorStatus::NONE);
        ASSERT_TRUE(answers.prepared);
        SmallRequest small;
        small.input(std::vector<float>(static_cast<std::size_t>(count)), {})
            .output(3 * sizeof(float));
        ExecutionOutcome outcome;
        const ExecutionOptions measured{.measure = MeasureTiming::YES};
        PreparedModel& prepared = **answers.prepared;
        const Result<> executed = prepared.executeSynchronously(small.request, measured, outcome);
        ASSERT_FALSE(executed);
        EXPECT_EQ(executed.error().status, ErrorStatus::INVALID_ARGUMENT)
            << executed.error().message;
        EXPECT_TRUE(outcome.outputShapes.empty());
        EXPECT_EQ(outcome.timing, Timing());
    }
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(HalDeviceTest);

// ---- Preparation

class HalPrepareTest : public DeviceTest {};

TEST_P(HalPrepareTest, callsBackOnceInEveryCase) {
    expectAnswers(answersOf(*device, makeAddModel()), ErrorStatus::NONE);
    expectAnswers(answersOf(*device, makeInvalidModel()), ErrorStatus::INVALID_ARGUMENT);
    const Answers late =
        answersOf(*device, makeAddModel(), {.deadline = afterNow(-std::chrono::seconds(1))});
    ASSERT_FALSE(late.prepared);
    EXPECT_EQ(late.prepared.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
}

/// VTS 1.3, QualityOfServiceTests.
TEST_P(HalPrepareTest, launchesWithADeadlineOfNowAndMissesItInTheCallback) {
    const Answers late = answersOf(*device, makeAddModel(), {.deadline = afterNow({})});
    EXPECT_TRUE(late.launched) << late.launched.error().message;
    ASSERT_FALSE(late.prepared);
    EXPECT_EQ(late.prepared.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
}

TEST_P(HalPrepareTest, returnsWhatItTellsTheCallback) {
    Model unsupported = makeAddModel();
    unsupported.main.operations[0].type = OperationType::OEM_OPERATION;
    const Answers answers = answersOf(*device, unsupported);
    ASSERT_FALSE(answers.launched);
    ASSERT_FALSE(answers.prepared);
    EXPECT_EQ(answers.launched.error().status, answers.prepared.error().status);
    EXPECT_EQ(answers.launched.error().message, answers.prepared.error().message);
}

TEST_P(HalPrepareTest, refusesToWorkWithoutACallback) {
    const Result<> launched = device->prepareModel(makeAddModel(), {}, nullptr);
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().status, ErrorStatus::INVALID_ARGUMENT);
    const Result<> fromCache = device->prepareModelFromCache({}, nullptr);
    ASSERT_FALSE(fromCache);
    EXPECT_EQ(fromCache.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(HalPrepareTest, leavesTheModelAsItWas) {
    for (const Subject& valid : subjects()) {
        const Model before = valid.model;
        std::vector<std::vector<std::byte>> pools;
        const auto contents = [](const SharedRegion& pool) {
            const Mapping mapping = std::move(*Mapping::map(pool));
            return std::vector<std::byte>(mapping.bytes().begin(), mapping.bytes().end());
        };
        for (const SharedRegion& pool : before.pools) {
            pools.push_back(contents(pool));
        }
        ASSERT_NE(prepare(valid.model), nullptr);
        EXPECT_EQ(valid.model.main, before.main);
        EXPECT_EQ(valid.model.referenced, before.referenced);
        EXPECT_EQ(valid.model.operandValues, before.operandValues);
        for (std::size_t index = 0; index < pools.size(); ++index) {
            EXPECT_EQ(contents(valid.model.pools[index]), pools[index]) << valid.name;
        }
    }
}

TEST_P(HalPrepareTest, manyThreadsPrepareOneModel) {
    constexpr int kThreads = 8;
    std::array<SharedPreparedModel, kThreads> prepared;
    {
        std::vector<std::jthread> threads;
        threads.reserve(kThreads);
        for (SharedPreparedModel& its : prepared) {
            threads.emplace_back([&] { its = prepare(makeAddModel()); });
        }
    }
    for (const SharedPreparedModel& its : prepared) {
        ASSERT_NE(its, nullptr);
        AddRequest add;
        ExecutionOutcome outcome;
        ASSERT_TRUE(its->executeSynchronously(add.request, {}, outcome));
        EXPECT_EQ(add.out()[3], 13.0F);
    }
}

/// out = in + constant, the constant of `count` ones.
Model makeConstantModel(std::uint32_t count) {
    const std::vector<float> ones(count, 1.0F);
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    const auto constant =
        builder.addConstant(OperandType::TENSOR_FLOAT32, {count}, std::as_bytes(std::span(ones)));
    const auto activation = builder.addScalar(std::int32_t{0});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    builder.addOperation(OperationType::ADD, {in, constant, activation}, {out});
    return std::move(*builder.build({in}, {out}));
}

TEST_P(HalPrepareTest, takesConstantsOfTheModelAndOfItsPools) {
    constexpr std::uint32_t kLarge = 2048;
    ASSERT_TRUE(makeConstantModel(4).pools.empty());
    ASSERT_EQ(makeConstantModel(kLarge).pools.size(), 1U);
    for (const std::uint32_t count : {4U, kLarge}) {
        const SharedPreparedModel prepared = prepare(makeConstantModel(count));
        ASSERT_NE(prepared, nullptr);
        AddRequest add(count);
        add.request.inputs.pop_back();
        ExecutionOutcome outcome;
        const Result<> result = prepared->executeSynchronously(add.request, {}, outcome);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(add.out()[count - 1], static_cast<float>(count));
    }
}

TEST_P(HalPrepareTest, takesConstantsAtAnyOffset) {
    for (const std::uint32_t count : {4U, 2048U}) {
        for (const std::uint32_t shift : {1U, 2U, 3U}) {
            Model model = makeConstantModel(count);
            Operand& constant = model.main.operands[1];
            const std::vector<float> ones(count, 1.0F);
            const std::span<const std::byte> bytes = std::as_bytes(std::span(ones));
            if (constant.lifetime == OperandLifeTime::CONSTANT_COPY) {
                constant.location.offset =
                    static_cast<std::uint32_t>(model.operandValues.size()) + shift;
                model.operandValues.resize(constant.location.offset + bytes.size());
                std::memcpy(model.operandValues.data() + constant.location.offset, bytes.data(),
                            bytes.size());
            } else {
                model.pools = {*Region::create(shift + bytes.size())};
                ASSERT_TRUE(model.pools[0]->write(shift, bytes));
                constant.location.offset = shift;
            }
            const SharedPreparedModel prepared = prepare(model);
            ASSERT_NE(prepared, nullptr);
            AddRequest add(count);
            add.request.inputs.pop_back();
            ExecutionOutcome outcome;
            ASSERT_TRUE(prepared->executeSynchronously(add.request, {}, outcome));
            EXPECT_EQ(add.out()[count - 1], static_cast<float>(count)) << count << ' ' << shift;
        }
    }
}

TEST_P(HalPrepareTest, takesEveryPreferenceAndPriorityAndNoOther) {
    for (int preference = 0; preference < 3; ++preference) {
        for (int priority = 0; priority < 3; ++priority) {
            expectAnswers(answersOf(*device, makeAddModel(),
                                    {.preference = static_cast<ExecutionPreference>(preference),
                                     .priority = static_cast<Priority>(priority)}),
                          ErrorStatus::NONE);
        }
    }
    for (const int other : {-1, 3, 1000}) {
        expectAnswers(answersOf(*device, makeAddModel(),
                                {.preference = static_cast<ExecutionPreference>(other)}),
                      ErrorStatus::INVALID_ARGUMENT);
        expectAnswers(
            answersOf(*device, makeAddModel(), {.priority = static_cast<Priority>(other)}),
            ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST_P(HalPrepareTest, keepsADeadlineThatIsFarAway) {
    expectAnswers(
        answersOf(*device, makeAddModel(), {.deadline = afterNow(std::chrono::minutes(1))}),
        ErrorStatus::NONE);
}

TEST_P(HalPrepareTest, ignoresTheTokenWithoutCacheFiles) {
    PrepareOptions options;
    options.token.fill(0xA5);
    expectAnswers(answersOf(*device, makeAddModel(), options), ErrorStatus::NONE);
}

TEST_P(HalPrepareTest, theLastReferenceMayBeDroppedInACallback) {
    std::promise<void> returned;  // from the launch, which is a use of the device
    std::promise<void> dropped;
    Device& its = *device;
    const Result<> launched =
        its.prepareModel(makeAddModel(), {}, [&](Result<SharedPreparedModel> prepared) {
            EXPECT_TRUE(prepared);
            returned.get_future().wait();
            device.reset();
            prepared = failure(ErrorStatus::GENERAL_FAILURE, "dropped");
            dropped.set_value();
        });
    EXPECT_TRUE(launched) << launched.error().message;
    returned.set_value();
    EXPECT_EQ(dropped.get_future().wait_for(kWatchdog), std::future_status::ready);
}

TEST_P(HalPrepareTest, droppingTheLastReferenceWaitsForTheCallback) {
    std::promise<Result<SharedPreparedModel>> handedOver;
    std::atomic<bool> hasReturned = false;
    Device& its = *device;
    ASSERT_TRUE(its.prepareModel(makeAddModel(), {}, [&](Result<SharedPreparedModel> prepared) {
        handedOver.set_value(std::move(prepared));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        hasReturned = true;
    }));
    {
        const Result<SharedPreparedModel> prepared = handedOver.get_future().get();
        EXPECT_TRUE(prepared);
        device.reset();
    }
    EXPECT_TRUE(hasReturned);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(HalPrepareTest);

// ---- The number of callbacks

/// A count of callbacks, which may outlive the test.
using SharedCount = std::shared_ptr<std::atomic<int>>;

class HalCallbackCountTest : public DeviceTest {
  protected:
    /// Drops the device, whose last reference waits for callbacks, and opens it again.
    void expectOneCall(const SharedCount& calls) {
        EXPECT_TRUE(eventually([&] { return *calls > 0; }));
        device.reset();
        EXPECT_EQ(*calls, 1);
        open(GetParam());
    }
};

TEST_P(HalCallbackCountTest, isOneForEachPreparation) {
    for (const Model& model : {makeAddModel(), makeInvalidModel()}) {
        const auto calls = std::make_shared<std::atomic<int>>(0);
        (void)device->prepareModel(model, {}, [calls](const auto&) { ++*calls; });
        expectOneCall(calls);
    }
}

TEST_P(HalCallbackCountTest, isOneForEachPreparationFromACache) {
    const auto calls = std::make_shared<std::atomic<int>>(0);
    (void)device->prepareModelFromCache({}, [calls](const auto&) { ++*calls; });
    expectOneCall(calls);
}

TEST_P(HalCallbackCountTest, isOneForEachExecution) {
    for (const bool isValid : {true, false}) {
        SharedPreparedModel prepared = prepare(makeAddModel());
        AddRequest add;
        if (!isValid) {
            add.request.outputs.clear();
        }
        const auto calls = std::make_shared<std::atomic<int>>(0);
        (void)prepared->execute(add.request, {}, [calls](const auto&, const auto&) { ++*calls; });
        EXPECT_TRUE(eventually([&] { return *calls > 0; }));
        prepared.reset();
        expectOneCall(calls);
    }
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(HalCallbackCountTest);

// ---- Preparation from a cache

class HalPrepareFromCacheTest : public DeviceTest {
  protected:
    Answers answers(const PrepareOptions& options) {
        return answersOf([&](PreparedModelCallback callback) {
            return device->prepareModelFromCache(options, std::move(callback));
        });
    }
};

TEST_P(HalPrepareFromCacheTest, callsBackOnceInEveryCase) {
    // No files, and descriptors that are none.
    expectAnswers(answers({}), ErrorStatus::INVALID_ARGUMENT);
    const Answers closed = answers({.modelCache = {-1}, .dataCache = {-1}});
    EXPECT_FALSE(closed.launched);
    EXPECT_FALSE(closed.prepared);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(HalPrepareFromCacheTest);

}  // namespace
}  // namespace nnburst::test
