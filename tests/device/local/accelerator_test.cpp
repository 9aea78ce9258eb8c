// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Devices whose models an accelerator computes.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <thread>

#include "device/devices.h"
#include "nnburst/driver.h"
#include "nnburst/model_builder.h"
#include "nnburst/session.h"
#include "support/failing_allocations.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

/// out = factor * in
class ScalingModel final : public AcceleratorModel {
  public:
    ScalingModel(float factor, std::atomic<int>& runs) : factor_(factor), runs_(runs) {}

    Result<> run(std::span<const std::span<const std::byte>> inputs,
                 std::span<const std::span<std::byte>> outputs,
                 const OptionalTimePoint& /*deadline*/) override {
        ++runs_;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(inputs[0].data()) % sizeof(float), 0U);
        const auto* in = reinterpret_cast<const float*>(inputs[0].data());
        auto* out = reinterpret_cast<float*>(outputs[0].data());
        for (std::size_t i = 0; i < outputs[0].size() / sizeof(float); ++i) {
            out[i] = factor_ * in[i];
        }
        return {};
    }

  private:
    const float factor_;
    std::atomic<int>& runs_;
};

/// Computes MUL by a constant, but not by 13.
class ScalingAccelerator final : public Accelerator {
  public:
    std::string name() const override { return "scaling-7"; }
    bool supports(const Model& model, const Operation& operation) const override {
        for (const std::uint32_t input : operation.inputs) {
            for (const std::uint32_t size : model.main.operands[input].dimensions) {
                EXPECT_NE(size, 0U) << "asked about open dimensions";
            }
        }
        return operation.type == OperationType::MUL;
    }
    Result<std::unique_ptr<AcceleratorModel>> compile(
        const Model& model, std::span<const std::span<const std::byte>> constants) override {
        ++compilations;
        EXPECT_EQ(constants.size(), model.main.operands.size());
        const Operation& operation = model.main.operations[0];
        EXPECT_TRUE(constants[operation.inputs[0]].empty());
        EXPECT_EQ(constants[operation.inputs[1]].size(), sizeof(float));
        float factor = 0;
        std::memcpy(&factor, constants[operation.inputs[1]].data(), sizeof(factor));
        if (factor == 13.0F) {
            return failure(ErrorStatus::GENERAL_FAILURE, "13 brings bad luck");
        }
        if (factor == 14.0F) {
            return nullptr;
        }
        std::this_thread::sleep_until(compilesUntil.load());
        auto compiled = std::make_unique<ScalingModel>(factor, runs);
        failAllocationAfter(allocationsAfterwards);
        return compiled;
    }

    /// Of the thread that compiles: how many allocations succeed after the compilation before one
    /// fails. Negative: none fails.
    std::atomic<int> allocationsAfterwards{-1};
    std::atomic<TimePoint> compilesUntil{TimePoint()};
    std::atomic<int> compilations{0};
    std::atomic<int> runs{0};
};

/// out = factor * in, and then MAXIMUM with itself if that is wanted.
Model makeScaling(float factor, bool hasMaximum = false, std::uint32_t count = 4) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    const auto constant =
        builder.addConstant(OperandType::TENSOR_FLOAT32, {1}, std::as_bytes(std::span(&factor, 1)));
    const auto activation = builder.addScalar(std::int32_t{0});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    builder.addOperation(OperationType::MUL, {in, constant, activation}, {out});
    if (!hasMaximum) {
        return std::move(*builder.build({in}, {out}));
    }
    const auto maximum = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    builder.addOperation(OperationType::MAXIMUM, {out, out}, {maximum});
    return std::move(*builder.build({in}, {maximum}));
}

class AcceleratorTest : public testing::Test {
  protected:
    void SetUp() override {
        DriverOptions options;
        options.cacheKeyFile = directory_.path() / "cache.key";
        auto made = makeLocalDevice(accelerator, options);
        ASSERT_TRUE(made) << made.error().message;
        device = *made;
    }

    SharedPreparedModel prepare(const Model& model) {
        auto prepared = prepareModel(*device, model);
        EXPECT_TRUE(prepared) << prepared.error().message;
        return prepared ? *prepared : nullptr;
    }

    /// A request with its input at `offset` and its output 64 bytes on.
    Request makeRequest(std::uint32_t offset = 0, std::uint32_t outputBytes = 16) {
        Request request;
        request.pools = {memory.region()};
        request.inputs = {{.location = {.offset = offset, .length = 16}}};
        request.outputs = {{.location = {.offset = offset + 64, .length = outputBytes}}};
        const std::array<float, 4> values{1, 2, 3, 4};
        std::memcpy(memory.data() + offset, values.data(), sizeof(values));
        return request;
    }
    [[nodiscard]] float outputAt(std::uint32_t offset, std::size_t index) const {
        float value = 0;
        std::memcpy(&value, memory.data() + offset + 64 + index * sizeof(float), sizeof(value));
        return value;
    }

    std::shared_ptr<ScalingAccelerator> accelerator = std::make_shared<ScalingAccelerator>();
    SharedDevice device;
    Mapping memory = *Mapping::map(*Region::create(4096));
    ExecutionOutcome outcome;

  private:
    TemporaryDirectory directory_;
};

TEST_F(AcceleratorTest, isTheDeviceThatApplicationsSee) {
    EXPECT_EQ(*device->getType(), DeviceType::ACCELERATOR);
    EXPECT_EQ(*device->getVersionString(), "scaling-7");
    EXPECT_EQ(*device->getSupportedOperations(makeScaling(2, true)),
              (std::vector<bool>{true, false}));
}

TEST_F(AcceleratorTest, isNotAskedAboutOpenDimensions) {
    EXPECT_EQ(*device->getSupportedOperations(makeScaling(2, false, 0)), std::vector<bool>{false});
    EXPECT_FALSE(prepareModel(*device, makeScaling(2, false, 0)));
    EXPECT_EQ(accelerator->compilations, 0);
}

TEST_F(AcceleratorTest, isNotGivenWhatItDoesNotSupport) {
    const auto prepared = prepareModel(*device, makeScaling(2, true));
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(prepared.error().message, "operation 1 (MAXIMUM): scaling-7 does not support it");
    EXPECT_EQ(accelerator->compilations, 0);
}

TEST_F(AcceleratorTest, isNotGivenInvalidModels) {
    Model model = makeScaling(2);
    model.main.operations[0].inputs[1] = 99;
    const auto prepared = prepareModel(*device, model);
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(accelerator->compilations, 0);
}

TEST_F(AcceleratorTest, givesItsErrorsToApplications) {
    EXPECT_EQ(prepareModel(*device, makeScaling(13)).error().message, "13 brings bad luck");
    EXPECT_EQ(prepareModel(*device, makeScaling(14)).error().message,
              "scaling-7 gave no model: Accelerator::compile gives a model or an error");
}

TEST_F(AcceleratorTest, aPreparationIsAnsweredWhicheverAllocationAfterTheCompilationFails) {
    bool hasFailed = true;
    for (int count = 0; hasFailed; ++count) {
        accelerator->allocationsAfterwards = count;
        std::promise<Result<SharedPreparedModel>> answer;
        const Model model = makeScaling(100.0F + static_cast<float>(count));
        ASSERT_TRUE(device->prepareModel(model, {}, [&](Result<SharedPreparedModel> prepared) {
            hasFailed = stopFailingAllocations();
            answer.set_value(std::move(prepared));
        }));
        std::future<Result<SharedPreparedModel>> answered = answer.get_future();
        ASSERT_EQ(answered.wait_for(kWatchdog), std::future_status::ready)
            << "allocation " << count;
        const Result<SharedPreparedModel> prepared = answered.get();
        EXPECT_TRUE(prepared ||
                    prepared.error().status == ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
            << "allocation " << count << ": " << prepared.error().message;
    }
}

TEST_F(AcceleratorTest, mayCompileBeyondTheDeadlineWhichThePreparationThenMisses) {
    const TimePoint deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    accelerator->compilesUntil = deadline;
    const auto late = prepareModel(*device, makeScaling(2), {.deadline = deadline});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    EXPECT_EQ(accelerator->compilations, 1) << "the deadline passed before the compilation began";
}

TEST_F(AcceleratorTest, computesExecutionsOfEachKind) {
    const SharedPreparedModel prepared = prepare(makeScaling(2));
    ASSERT_NE(prepared, nullptr);
    const Request request = makeRequest();
    ASSERT_TRUE(prepared->executeSynchronously(request, {.measure = MeasureTiming::YES}, outcome));
    EXPECT_EQ(outputAt(0, 3), 8.0F);
    EXPECT_NE(outcome.timing.timeOnDevice, kTimeNotAvailable);
    EXPECT_EQ(outcome.outputShapes[0], (OutputShape{.dimensions = {4}, .isSufficient = true}));

    Session session = std::move(*Session::create(prepared, signatureOf(makeScaling(2))));
    for (int run = 0; run < 10; ++run) {
        std::ranges::fill(*session.input<float>(), static_cast<float>(run));
        ASSERT_TRUE(session.run());
        ASSERT_EQ((*session.output<float>())[3], 2.0F * static_cast<float>(run));
    }
    EXPECT_EQ(accelerator->runs, 11);
}

TEST_F(AcceleratorTest, seesAlignedArgumentsWhereverTheyLie) {
    const SharedPreparedModel prepared = prepare(makeScaling(3));
    ASSERT_TRUE(prepared->executeSynchronously(makeRequest(1), {}, outcome));
    EXPECT_EQ(outputAt(1, 0), 3.0F);
    EXPECT_EQ(outputAt(1, 3), 12.0F);
}

TEST_F(AcceleratorTest, computesInDriverManagedBuffers) {
    const SharedPreparedModel prepared = prepare(makeScaling(5));
    const std::array<BufferRole, 1> role{{{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}}};
    const AllocatedBuffer buffer =
        *device->allocate({.dimensions = {4}}, std::span(&prepared, 1), {}, role);
    Request request = makeRequest();
    request.pools.emplace_back(buffer.token);
    request.outputs = {{.location = {.poolIndex = 1}}};
    ASSERT_TRUE(prepared->executeSynchronously(request, {}, outcome));
    const SharedRegion copy = *Region::create(16);
    ASSERT_TRUE(buffer.buffer->copyTo(copy));
    std::array<float, 4> values{};
    ASSERT_TRUE(copy->read(0, std::as_writable_bytes(std::span(values))));
    EXPECT_EQ(values[3], 20.0F);
}

TEST_F(AcceleratorTest, isNotRunForRequestsThatBreakARule) {
    const SharedPreparedModel prepared = prepare(makeScaling(2));
    const auto statusOf = [&](const Request& request, const ExecutionOptions& options = {}) {
        const Result<> result = prepared->executeSynchronously(request, options, outcome);
        return result ? ErrorStatus::NONE : result.error().status;
    };
    EXPECT_EQ(statusOf(makeRequest(0, 12)), ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_EQ(outcome.outputShapes[0], (OutputShape{.dimensions = {4}, .isSufficient = false}));
    Request request = makeRequest();
    request.inputs[0].location.offset = 4090;
    EXPECT_EQ(statusOf(request), ErrorStatus::INVALID_ARGUMENT);
    request = makeRequest();
    request.inputs[0] = {.hasNoValue = true};
    EXPECT_EQ(statusOf(request), ErrorStatus::INVALID_ARGUMENT);
    request = makeRequest();
    request.outputs[0] = {.hasNoValue = true};
    EXPECT_EQ(statusOf(request), ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(isMissedDeadline(
        statusOf(makeRequest(), {.deadline = TimePoint(std::chrono::steady_clock::now() - 1ms)})));
    EXPECT_EQ(accelerator->runs, 0);
}

TEST_F(AcceleratorTest, isAskedToCompileAModelFromTheCache) {
    ASSERT_EQ(device->getNumberOfCacheFilesNeeded()->numModelCache, 1U);
    const UniqueFd modelFile(::memfd_create("model", 0));
    const UniqueFd dataFile(::memfd_create("data", 0));
    const PrepareOptions options{.modelCache = {modelFile.get()}, .dataCache = {dataFile.get()}};
    ASSERT_TRUE(prepareModel(*device, makeScaling(6), options));
    const auto cached = prepareModelFromCache(*device, options);
    ASSERT_TRUE(cached) << cached.error().message;
    ASSERT_TRUE((*cached)->executeSynchronously(makeRequest(), {}, outcome));
    EXPECT_EQ(outputAt(0, 3), 24.0F);
}

/// examples/own_driver.cpp as a driver process.
TEST(OwnDriverTest, isStartedAsAnyDriver) {
    const auto device =
        spawnDriver({.threads = 2, .logLevel = LogLevel::OFF}, NNBURST_OWN_DRIVER_PATH);
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_EQ(*(*device)->getVersionString(), "own-accelerator-1");
    EXPECT_EQ(*(*device)->getSupportedOperations(makeScaling(2)), std::vector<bool>{false});
    EXPECT_FALSE(prepareModel(**device, makeScaling(2)));
}

}  // namespace
}  // namespace nnburst::test
