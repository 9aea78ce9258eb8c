// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The behaviour that all kinds of devices, and all ways to execute on them, share.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <future>
#include <thread>

#include "device/devices.h"
#include "device/driver_process.h"
#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"
#include "support/forwarding_device.h"
#include "support/pooled_request.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

TEST_P(DeviceTest, describesItself) {
    const auto capabilities = device->getCapabilities();
    ASSERT_TRUE(capabilities);
    ASSERT_FALSE(capabilities->operandPerformance.empty());
    EXPECT_TRUE(std::is_sorted(capabilities->operandPerformance.begin(),
                               capabilities->operandPerformance.end(),
                               [](const auto& a, const auto& b) { return a.type < b.type; }));
    EXPECT_EQ(*device->getType(), DeviceType::CPU);
    EXPECT_EQ(device->getVersionString()->rfind("nnburst-", 0), 0U);
    const auto extensions = device->getSupportedExtensions();
    ASSERT_TRUE(extensions);
    ASSERT_FALSE(extensions->empty());
    EXPECT_EQ(extensions->at(0).name, "org.nnburst.tflite");
    EXPECT_EQ(device->getNumberOfCacheFilesNeeded()->numModelCache, 1U);
    EXPECT_EQ(device->getNumberOfCacheFilesNeeded()->numDataCache, 1U);
    EXPECT_EQ(device->getStatus(), DeviceStatus::AVAILABLE);
}

/// ADD, which is supported, then an operation of a vendor, which is not.
Model makeHalfSupportedModel() {
    ModelBuilder builder;
    const auto a = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto activation = builder.addScalar(std::int32_t{0});
    const auto sum = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::ADD, {a, a, activation}, {sum});
    builder.addOperation(OperationType::OEM_OPERATION, {sum}, {out});
    return std::move(*builder.build({a}, {out}));
}

TEST_P(DeviceTest, saysOfEachOperationWhetherItIsSupported) {
    const auto supported = device->getSupportedOperations(makeHalfSupportedModel());
    ASSERT_TRUE(supported) << supported.error().message;
    EXPECT_EQ(*supported, (std::vector<bool>{true, false}));
    Model invalid = makeAddModel();
    invalid.main.operations[0].inputs[0] = 99;
    const auto refused = device->getSupportedOperations(invalid);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(DeviceTest, namesTheOperationThatItCannotPrepare) {
    const auto prepared = prepareModel(*device, makeHalfSupportedModel());
    ASSERT_FALSE(prepared);
    EXPECT_NE(prepared.error().message.find("OEM_OPERATION"), std::string::npos)
        << prepared.error().message;
}

TEST_P(DeviceTest, refusesAnInvalidModelByItsAnswerAndByOneCallback) {
    Model invalid = makeAddModel();
    invalid.main.operations[0].inputs[0] = 99;
    std::atomic<int> callbacks{0};
    std::promise<Error> called;
    const Result<> launched =
        device->prepareModel(invalid, {}, [&](Result<SharedPreparedModel> prepared) {
            if (++callbacks == 1) {
                called.set_value(prepared ? Error{ErrorStatus::NONE, ""} : prepared.error());
            }
        });
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().status, ErrorStatus::INVALID_ARGUMENT);
    const Error error = called.get_future().get();
    EXPECT_EQ(error.status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(error.message.find("99"), std::string::npos) << error.message;
    EXPECT_EQ(device->getStatus(), DeviceStatus::AVAILABLE);
    EXPECT_EQ(callbacks, 1);
}

TEST_P(DeviceTest, doesNotPrepareAfterTheDeadline) {
    PrepareOptions options;
    options.deadline = TimePoint(std::chrono::steady_clock::now()) - 1s;
    const auto prepared = prepareModel(*device, makeAddModel(), options);
    ASSERT_FALSE(prepared);
    EXPECT_TRUE(prepared.error().status == ErrorStatus::MISSED_DEADLINE_PERSISTENT ||
                prepared.error().status == ErrorStatus::MISSED_DEADLINE_TRANSIENT);
}

TEST_P(DeviceTest, preparesManyModelsAtOnce) {
    constexpr int kModels = 16;
    std::atomic<int> prepared{0};
    std::promise<void> all;
    for (int i = 0; i < kModels; ++i) {
        ASSERT_TRUE(device->prepareModel(makeAddModel(), {}, [&](const auto& result) {
            EXPECT_TRUE(result);
            if (++prepared == kModels) {
                all.set_value();
            }
        }));
    }
    EXPECT_EQ(all.get_future().wait_for(kWatchdog), std::future_status::ready);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(DeviceTest);

/// A device that drops callbacks, as where there is no memory to call them.
class DroppingDevice final : public ForwardingDevice {
  public:
    DroppingDevice() : ForwardingDevice(nullptr) {}
    Result<> prepareModel(const Model& /*model*/, const PrepareOptions& /*options*/,
                          PreparedModelCallback /*callback*/) override {
        return {};
    }
    Result<> prepareModelFromCache(const PrepareOptions& /*options*/,
                                   PreparedModelCallback /*callback*/) override {
        return {};
    }
};

TEST(PrepareModel, endsWithAnErrorIfItsCallbackIsDropped) {
    DroppingDevice device;
    for (const auto& prepared :
         {prepareModel(device, makeAddModel()), prepareModelFromCache(device, {})}) {
        ASSERT_FALSE(prepared);
        EXPECT_EQ(prepared.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    }
}

// ---- Executions

TEST_P(ExecutionTest, computesInTheRequestsMemory) {
    use(makeAddModel());
    expectService();
    EXPECT_EQ(outcome.timing, Timing{});
}

TEST_P(ExecutionTest, givesTheSameBitsAsTheLocalDevice) {
    const SharedDevice local = *makeLocalDevice();
    const std::array<Model, 3> models{
        std::move(*makeMobileNetV1({.width = 0.25F, .resolution = 32})),
        std::move(*makeMobileNetV1(
            {.width = 0.25F, .resolution = 32, .precision = BuiltinPrecision::QUANT8})),
        std::move(*makeStreamingLstm())};
    for (const Model& model : models) {
        use(model);
        const SharedPreparedModel reference = *prepareModel(*local, model);
        auto mine = std::move(*tools::PooledRequest::create(model));
        auto its = std::move(*tools::PooledRequest::create(model));
        for (int frame = 0; frame < 3; ++frame) {
            for (std::size_t input = 0; input < model.main.inputIndexes.size(); ++input) {
                const bool isFloat = model.main.operands[model.main.inputIndexes[input]].type ==
                                     OperandType::TENSOR_FLOAT32;
                const std::span<std::byte> bytes = mine.input(input);
                for (std::size_t i = 0; i < bytes.size(); i += isFloat ? 4 : 1) {
                    const float value =
                        std::sin(static_cast<float>(i) + 7.0F * static_cast<float>(frame));
                    if (isFloat) {
                        std::memcpy(&bytes[i], &value, sizeof(value));
                    } else {
                        bytes[i] = static_cast<std::byte>(static_cast<int>(127.0F * value) + 128);
                    }
                }
                std::memcpy(its.input(input).data(), bytes.data(), bytes.size());
            }
            const Result<> result = execute(mine.request());
            ASSERT_TRUE(result) << result.error().message;
            ExecutionOutcome expected;
            ASSERT_TRUE(reference->executeSynchronously(its.request(), {}, expected));
            EXPECT_EQ(outcome.outputShapes, expected.outputShapes);
            for (std::size_t output = 0; output < model.main.outputIndexes.size(); ++output) {
                EXPECT_EQ(std::memcmp(mine.output(output).data(), its.output(output).data(),
                                      its.output(output).size()),
                          0)
                    << "frame " << frame << " output " << output;
            }
        }
    }
}

TEST_P(ExecutionTest, takesDimensionsThatTheModelLeavesOpen) {
    use(makeAddModel(0));
    for (const std::uint32_t count : {3U, 1U, 100U, 3U}) {
        AddRequest add(count);
        const Result<> result = execute(add.request);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(outcome.outputShapes[0].dimensions, Dimensions{count});
        EXPECT_EQ(add.out()[count - 1], 10.0F + static_cast<float>(count - 1));
    }
}

TEST_P(ExecutionTest, reportsAnOutputThatIsTooSmall) {
    use(makeAddModel(0));
    AddRequest add(4, 15);
    add.request.outputs[0].dimensions = {0};
    const Result<> result = execute(add.request);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    ASSERT_EQ(outcome.outputShapes.size(), 1U);
    EXPECT_EQ(outcome.outputShapes[0], (OutputShape{.dimensions = {4}, .isSufficient = false}));
}

TEST_P(ExecutionTest, measuresOnlyWhenAsked) {
    use(makeAddModel());
    AddRequest add;
    ASSERT_TRUE(execute(add.request, {.measure = MeasureTiming::YES}));
    EXPECT_NE(outcome.timing.timeOnDevice, kTimeNotAvailable);
    EXPECT_NE(outcome.timing.timeInDriver, kTimeNotAvailable);
    EXPECT_GE(outcome.timing.timeInDriver, outcome.timing.timeOnDevice);
    ASSERT_TRUE(execute(add.request));
    EXPECT_EQ(outcome.timing, Timing{});
}

TEST_P(ExecutionTest, missesADeadlineThatHasPassed) {
    use(makeAddModel());
    AddRequest add;
    const Result<> result =
        execute(add.request, {.deadline = TimePoint(std::chrono::steady_clock::now()) - 1ms});
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().status == ErrorStatus::MISSED_DEADLINE_TRANSIENT ||
                result.error().status == ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    EXPECT_TRUE(outcome.outputShapes.empty());
    expectService();
}

struct Lie {
    const char* name;
    void (*tell)(Request&);
};

constexpr Lie kLies[] = {
    {"poolIndexBeyondThePools", [](Request& r) { r.inputs[0].location.poolIndex = 1; }},
    {"inputOffsetBeyondPool", [](Request& r) { r.inputs[0].location.offset = 1 << 20; }},
    {"outputOffsetBeyondPool", [](Request& r) { r.outputs[0].location.offset = 1 << 16; }},
    {"offsetAndLengthThatOverflow",
     [](Request& r) { r.inputs[0].location.offset = UINT32_MAX - 3; }},
    {"outputLengthBeyondPool", [](Request& r) { r.outputs[0].location.length = UINT32_MAX; }},
    {"inputTooShort", [](Request& r) { r.inputs[0].location.length -= 1; }},
    {"inputTooLong", [](Request& r) { r.inputs[0].location.length += 4; }},
    {"outputOfNoBytes", [](Request& r) { r.outputs[0].location.length = 0; }},
    {"oneInputFewer", [](Request& r) { r.inputs.pop_back(); }},
    {"oneInputMore", [](Request& r) { r.inputs.push_back(r.inputs[0]); }},
    {"noOutput", [](Request& r) { r.outputs.clear(); }},
    {"otherRank",
     [](Request& r) {
         r.inputs[0].dimensions = {2, 2};
     }},
    {"otherSize", [](Request& r) { r.inputs[0].dimensions = {5}; }},
    {"tooManyDimensions", [](Request& r) { r.inputs[0].dimensions.assign(100, 1); }},
    {"nullPool", [](Request& r) { r.pools[0] = SharedRegion(); }},
    {"noPool", [](Request& r) { r.pools.clear(); }},
    {"unknownBuffer", [](Request& r) { r.pools[0] = BufferToken{7}; }},
};

TEST_P(ExecutionTest, refusesRequestsThatLieAndGoesOnServing) {
    use(makeAddModel());
    for (const Lie& lie : kLies) {
        AddRequest add;
        lie.tell(add.request);
        const Result<> result = execute(add.request);
        ASSERT_FALSE(result) << lie.name;
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT)
            << lie.name << ": " << result.error().message;
        EXPECT_FALSE(result.error().message.empty()) << lie.name;
        EXPECT_TRUE(outcome.outputShapes.empty()) << lie.name;
    }
    expectService();
}

TEST_P(ExecutionTest, usesNewMemoryEachTime) {
    use(makeAddModel());
    for (int i = 0; i < 2000; ++i) {
        expectService();
    }
}

TEST_P(ExecutionTest, usesSeveralPoolsAtOnce) {
    use(makeAddModel());
    AddRequest first;
    AddRequest second;
    Request request = first.request;
    request.pools.push_back(second.pool.region());
    request.inputs[1].location.poolIndex = 1;
    request.outputs[0].location.poolIndex = 1;
    second.b()[2] = 40.0F;
    const Result<> result = execute(request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(second.out()[2], 42.0F);
    EXPECT_EQ(first.out()[2], -1.0F);
}

TEST_P(ExecutionTest, usesMorePoolsAtOnceThanStayMapped) {
    use(makeAddModel());
    AddRequest first;
    AddRequest last;
    Request request = first.request;
    for (int i = 0; i < 98; ++i) {
        request.pools.push_back(*Region::create(64));
    }
    request.pools.push_back(last.pool.region());
    request.inputs[1].location.poolIndex = 99;
    request.outputs[0].location.poolIndex = 99;
    last.b()[2] = 40.0F;
    const Result<> result = execute(request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(last.out()[2], 42.0F);
}

TEST_P(ExecutionTest, usesNoMemoryOfARefusedRequest) {
    use(makeAddModel());
    for (int i = 0; i < 3; ++i) {
        AddRequest refused;
        EXPECT_FALSE(execute(refused.request, {.measure = static_cast<MeasureTiming>(7)}));
        AddRequest add;
        add.b()[2] = 40.0F;
        const Result<> result = execute(add.request);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(add.out()[2], 42.0F);
        EXPECT_EQ(refused.out()[2], -1.0F);
    }
}

/// A chain of ADDs over `count` inputs.
Model makeWideModel(std::uint32_t count) {
    ModelBuilder builder;
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t i = 0; i < count; ++i) {
        inputs.push_back(builder.addTensor(OperandType::TENSOR_FLOAT32, {4}));
    }
    const auto activation = builder.addScalar(std::int32_t{0});
    std::uint32_t sum = inputs[0];
    for (std::uint32_t i = 1; i < count; ++i) {
        const auto next = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
        builder.addOperation(OperationType::ADD, {sum, inputs[i], activation}, {next});
        sum = next;
    }
    return std::move(*builder.build(inputs, {sum}));
}

TEST_P(ExecutionTest, executesARequestThatDoesNotFitTheQueue) {
    constexpr std::uint32_t kInputs = 600;
    use(makeWideModel(kInputs));
    AddRequest add;
    Request request = add.request;
    request.inputs.assign(kInputs, add.request.inputs[0]);
    const Result<> result = execute(request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 3.0F * kInputs);
}

TEST_P(ExecutionTest, servesSeveralThreads) {
    use(makeAddModel());
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            const auto own = std::move(*prepared->configureExecutionBurst({}));
            AddRequest add;
            ExecutionOutcome its;
            for (int i = 0; i < 200; ++i) {
                add.a()[1] = static_cast<float>(i * thread);
                const Result<> result = std::get<Way>(GetParam()) == Way::BURST
                                            ? own->execute(add.request, {}, its)
                                            : prepared->executeSynchronously(add.request, {}, its);
                if (!result || add.out()[1] != static_cast<float>(i * thread) + 10.0F) {
                    ++wrong;
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, 0);
}

TEST_P(ExecutionTest, measuresMicroseconds) {
    constexpr std::uint32_t kCount = 4 << 20;  // more than 0.1 ms on any processor
    constexpr std::uint32_t kBytes = kCount * sizeof(float);
    use(makeAddModel(kCount));
    const RequestArgument in{.location = {.length = kBytes}};
    const Request request{.inputs = {in, in},
                          .outputs = {{.location = {.offset = kBytes, .length = kBytes}}},
                          .pools = {*Region::create(std::uint64_t{2} * kBytes)}};
    const auto begin = std::chrono::steady_clock::now();
    const Result<> result = execute(request, {.measure = MeasureTiming::YES});
    const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - begin);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_GE(outcome.timing.timeOnDevice, 100U);
    EXPECT_GE(outcome.timing.timeInDriver, outcome.timing.timeOnDevice);
    EXPECT_LE(outcome.timing.timeInDriver, static_cast<std::uint64_t>(whole.count()));
}

NNBURST_INSTANTIATE_FOR_ALL_EXECUTIONS(ExecutionTest);

}  // namespace
}  // namespace nnburst::test
