// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Which device gets what, what falls back, and what divided models give for shapes and errors.
/// All devices are in this process.

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <span>
#include <thread>
#include <vector>

#include "device/driver_process.h"
#include "device/hal_models.h"
#include "nnburst/model_builder.h"
#include "runtime/divided_model.h"
#include "runtime/replacement.h"
#include "runtime_test.h"
#include "support/unused_methods.h"

namespace nnburst::runtime {
namespace {

using enum OperandType;
using test::SmallRequest;

bool everything(const Model& /*model*/, std::size_t /*index*/) {
    return true;
}

/// Operations of one type alone.
IsSupported only(OperationType type) {
    return [type](const Model& model, std::size_t index) {
        return model.main.operations[index].type == type;
    };
}

IsSupported allBut(OperationType type) {
    return [type](const Model& model, std::size_t index) {
        return model.main.operations[index].type != type;
    };
}

std::shared_ptr<FilteredDevice> filtered(IsSupported isSupported,
                                         const DriverOptions& options = {}) {
    return std::make_shared<FilteredDevice>(localDevice(options), std::move(isSupported));
}

/// Operations of these types one after the other on a tensor of `count` floats.
Model chain(const std::vector<OperationType>& types, std::uint32_t count = 4) {
    ModelBuilder builder;
    const std::uint32_t in = builder.addTensor(TENSOR_FLOAT32, {count});
    std::uint32_t last = in;
    for (const OperationType type : types) {
        const std::uint32_t next = builder.addTensor(TENSOR_FLOAT32, {count});
        if (type == OperationType::ADD || type == OperationType::MUL) {
            builder.addOperation(type, {last, last, builder.addScalar(0)}, {next});
        } else {
            builder.addOperation(type, {last}, {next});
        }
        last = next;
    }
    return std::move(*builder.build({in}, {last}));
}

/// The number of parts; 1 for a model that is not divided.
std::size_t partsOf(const SharedPreparedModel& model) {
    const auto* divided = dynamic_cast<const DividedModel*>(model.get());
    return divided == nullptr ? 1 : divided->plan().parts.size();
}

using enum OperationType;

TEST(Division, handsAModelOverThatOneDeviceRunsWhole) {
    const auto device = filtered(everything);
    const auto runtime = runtimeOf({named("one", device)});
    const auto compiled = runtime->compile(chain({ADD, RELU, MUL}), {});
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(partsOf(*compiled), 1U);
    EXPECT_EQ(device->preparations, 1);
}

TEST(Division, givesAnOperationToTheDeviceThatSupportsIt) {
    const auto runtime =
        runtimeOf({named("adder", filtered(only(ADD))), named("rest", filtered(allBut(ADD)))});
    const auto compiled = runtime->compile(chain({ADD, ADD, RELU, MUL, ADD}), {.devices = {0, 1}});
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(partsOf(*compiled), 3U);
    SmallRequest request;
    request.input<float>({1, -2, 3, 4}, {}).output(16);
    ExecutionOutcome outcome;
    const Result<> result = (*compiled)->executeSynchronously(request.request, {}, outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(request.output<float>(0)[0], 32.0F);
    EXPECT_EQ(request.output<float>(0)[1], 0.0F);
    ASSERT_EQ(outcome.outputShapes.size(), 1U);
    EXPECT_EQ(outcome.outputShapes[0], (OutputShape{.dimensions = {4}, .isSufficient = true}));
}

/// An operation of constants, as networks with quantised weights have them.
TEST(Division, runsAnOperationWithoutInputs) {
    const auto runtime =
        runtimeOf({named("first", filtered(only(RELU))), named("rest", filtered(allBut(RELU)))});
    ModelBuilder builder;
    const std::uint32_t in = builder.addTensor(TENSOR_FLOAT32, {4});
    const std::vector<float> values{-1, 2, -3, 4};
    const std::uint32_t constant =
        builder.addConstant(TENSOR_FLOAT32, {4}, std::as_bytes(std::span(values)));
    const std::uint32_t rectified = builder.addTensor(TENSOR_FLOAT32, {4});
    const std::uint32_t out = builder.addTensor(TENSOR_FLOAT32, {4});
    builder.addOperation(RELU, {constant}, {rectified});
    builder.addOperation(ADD, {in, rectified, builder.addScalar(0)}, {out});
    const auto compiled = runtime->compile(*builder.build({in}, {out}), {.devices = {0, 1}});
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(partsOf(*compiled), 2U);
    SmallRequest request;
    request.input<float>({1, 1, 1, 1}, {}).output(16);
    ExecutionOutcome outcome;
    const Result<> result = (*compiled)->executeSynchronously(request.request, {}, outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(request.output<float>(0)[0], 1.0F);
    EXPECT_EQ(request.output<float>(0)[3], 5.0F);
}

TEST(Division, leavesOutOperationsWhoseResultsNothingUses) {
    const auto runtime =
        runtimeOf({named("first", filtered(only(RELU))), named("rest", filtered(allBut(RELU)))});
    ModelBuilder builder;
    const std::uint32_t in = builder.addTensor(TENSOR_FLOAT32, {4});
    const std::uint32_t unused = builder.addTensor(TENSOR_FLOAT32, {4});
    const std::uint32_t out = builder.addTensor(TENSOR_FLOAT32, {4});
    builder.addOperation(RELU, {in}, {unused});
    builder.addOperation(ADD, {in, in, builder.addScalar(0)}, {out});
    const auto compiled = runtime->compile(*builder.build({in}, {out}), {.devices = {0, 1}});
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(partsOf(*compiled), 1U);
    SmallRequest request;
    request.input<float>({1, 2, 3, 4}, {}).output(16);
    ExecutionOutcome outcome;
    const Result<> result = (*compiled)->executeSynchronously(request.request, {}, outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(request.output<float>(0)[3], 8.0F);
}

TEST(Division, prefersTheFasterDeviceUnlessPowerMatters) {
    const auto fast = filtered(everything);
    const auto frugal = filtered(everything);
    fast->execTime = 0.5F;
    frugal->powerUsage = 0.5F;
    const auto runtime = runtimeOf({named("frugal", frugal), named("fast", fast)});
    ASSERT_TRUE(runtime->compile(chain({ADD}, 1000), {}));
    EXPECT_EQ(fast->preparations, 1);
    EXPECT_EQ(frugal->preparations, 0);
    ASSERT_TRUE(
        runtime->compile(chain({ADD}, 1000), {.preference = ExecutionPreference::LOW_POWER}));
    EXPECT_EQ(fast->preparations, 1);
    EXPECT_EQ(frugal->preparations, 1);
}

TEST(Division, doesNotChangeDevicesForWhatCostsLessThanTheCrossing) {
    const auto fast = filtered(only(RELU));
    fast->execTime = 0.1F;
    const auto runtime = runtimeOf({named("fast", fast), named("all", filtered(everything))});
    const auto small = runtime->compile(chain({ADD, RELU, ADD}, 16), {});
    ASSERT_TRUE(small) << small.error().message;
    EXPECT_EQ(partsOf(*small), 1U);
    const auto large = runtime->compile(chain({ADD, RELU, ADD}, 1'000'000), {});
    ASSERT_TRUE(large) << large.error().message;
    EXPECT_EQ(partsOf(*large), 3U);
}

TEST(Division, prefersTheConfiguredDeviceToTheOneInThisProcessIfTheyAreEqual) {
    const auto device = filtered(everything);
    const auto runtime = runtimeOf({named("one", device)});
    ASSERT_TRUE(runtime->compile(chain({ADD}), {}));
    EXPECT_EQ(device->preparations, 1);
}

TEST(Division, refusesWhatTheChosenDevicesCannotRun) {
    const auto runtime = runtimeOf({named("adder", filtered(only(ADD)))});
    const auto compiled = runtime->compile(chain({ADD, RELU}), {.devices = {0}});
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(compiled.error().message, "operation 1 (RELU): no device supports it");
}

TEST(Division, refusesDevicesThatDoNotExistAndModelsThatAreNotValid) {
    const auto runtime = runtimeOf({});
    const auto unknown = runtime->compile(chain({ADD}), {.devices = {1}});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().status, ErrorStatus::INVALID_ARGUMENT);
    Model model = chain({ADD});
    model.main.operations[0].inputs[0] = 99;
    const auto invalid = runtime->compile(model, {});
    ASSERT_FALSE(invalid);
    EXPECT_EQ(invalid.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_FALSE(runtime->supportedOperations(model, 0));
    EXPECT_FALSE(runtime->supportedOperations(chain({ADD}), 1));
}

TEST(Division, tellsWhatADeviceSupports) {
    const auto runtime = runtimeOf({named("adder", filtered(only(ADD)))});
    const auto supported = runtime->supportedOperations(chain({ADD, RELU, ADD}), 0);
    ASSERT_TRUE(supported) << supported.error().message;
    EXPECT_EQ(*supported, (std::vector<bool>{true, false, true}));
}

// ---- Older devices

/// A convolution with the default arguments of HAL 1.2, and an ABS, which is of HAL 1.2.
Model convolutionWithDefaults(std::int32_t dilation) {
    ModelBuilder builder;
    const std::vector<float> filter{2};
    const std::vector<float> bias{1};
    const auto in = builder.addTensor(TENSOR_FLOAT32, {1, 2, 2, 1});
    const auto convolved = builder.addTensor(TENSOR_FLOAT32, {1, 2, 2, 1});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {1, 2, 2, 1});
    const auto one = builder.addScalar(1);
    builder.addOperation(
        CONV_2D,
        {in, builder.addConstant(TENSOR_FLOAT32, {1, 1, 1, 1}, std::as_bytes(std::span(filter))),
         builder.addConstant(TENSOR_FLOAT32, {1}, std::as_bytes(std::span(bias))), one, one, one,
         builder.addScalar(0), builder.addScalar(false), builder.addScalar(dilation),
         builder.addScalar(dilation)},
        {convolved});
    builder.addOperation(ABS, {convolved}, {out});
    return std::move(*builder.build({in}, {out}));
}

class OlderDevice : public testing::TestWithParam<HalVersion> {};

TEST_P(OlderDevice, runsOperationsWithoutTheDefaultArgumentsThatItDoesNotKnow) {
    const auto old = filtered(everything, {.version = GetParam()});
    const auto runtime = runtimeOf({named("old", old)}, kSlow);
    const Model model = convolutionWithDefaults(1);
    const auto supported = runtime->supportedOperations(model, 0);
    ASSERT_TRUE(supported) << supported.error().message;
    const bool knowsAbs = GetParam() >= HalVersion::V1_2;
    EXPECT_EQ(*supported, (std::vector<bool>{true, knowsAbs}));
    const auto compiled = runtime->compile(model, {.devices = {0, 1}});
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(old->preparations, 1);
    for (const Way way : kWays) {
        SmallRequest request;
        request.input<float>({1, -2, 3, 4}, {}).output(16);
        ExecutionOutcome outcome;
        const Result<> result = executeIn(way, **compiled, request.request, outcome);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(request.output<float>(0)[0], 3.0F);
        EXPECT_EQ(request.output<float>(0)[1], 3.0F);
    }
}

TEST_P(OlderDevice, doesNotGetArgumentsThatChangeTheResult) {
    const auto runtime = runtimeOf({named("old", filtered(everything, {.version = GetParam()}))});
    const auto supported = runtime->supportedOperations(convolutionWithDefaults(2), 0);
    ASSERT_TRUE(supported) << supported.error().message;
    EXPECT_EQ((*supported)[0], GetParam() >= HalVersion::V1_2);
}

TEST_P(OlderDevice, runsRelaxedModels) {
    const auto runtime = runtimeOf({named("old", filtered(everything, {.version = GetParam()}))});
    Model model = chain({ADD, RELU});
    model.relaxComputationFloat32toFloat16 = true;
    const auto supported = runtime->supportedOperations(model, 0);
    ASSERT_TRUE(supported) << supported.error().message;
    EXPECT_EQ(*supported, (std::vector<bool>{true, true}));
    EXPECT_TRUE(runtime->compile(model, {.devices = {0}}));
}

INSTANTIATE_TEST_SUITE_P(Version, OlderDevice,
                         testing::Values(HalVersion::V1_0, HalVersion::V1_1, HalVersion::V1_2),
                         [](const auto& instance) {
                             return std::to_string(static_cast<int>(instance.param));
                         });

// ---- What falls back

TEST(Fallback, preparesForTheDeviceInThisProcessWhatADeviceCannot) {
    const auto broken = filtered(only(ADD));
    broken->execTime = 0.001F;
    broken->failPreparations = true;
    const auto runtime = runtimeOf({named("broken", broken)});
    const auto compiled = runtime->compile(chain({ADD, RELU}, 100'000), {});
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(broken->preparations, 1);
    EXPECT_EQ(runtime->stats().failedPreparations, 1U);
    const auto whole = runtime->compile(chain({ADD}, 100'000), {});
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(runtime->stats().failedPreparations, 2U);
}

TEST(Fallback, leavesErrorsToAProgramThatHasChosenItsDevices) {
    const auto broken = filtered(everything);
    broken->failPreparations = true;
    const auto runtime = runtimeOf({named("broken", broken)});
    const auto compiled = runtime->compile(chain({ADD}), {.devices = {0}});
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().message, "this device prepares nothing");
    EXPECT_EQ(runtime->stats().failedPreparations, 0U);
}

TEST(Fallback, isPreparedAgainIfMemoryWasLacking) {
    for (const ErrorStatus error :
         {ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, ErrorStatus::GENERAL_FAILURE}) {
        const bool isTransient = error == ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT;
        const auto reference = filtered(everything);
        reference->failPreparations = true;
        reference->preparationError = error;
        Replacement replacement("a part", chain({ADD}), PrepareOptions(), reference,
                                std::make_shared<FallbackCounters>());
        EXPECT_FALSE(replacement.model());
        reference->failPreparations = false;
        EXPECT_EQ(replacement.model().has_value(), isTransient);
        EXPECT_EQ(replacement.model().has_value(), isTransient);
        EXPECT_EQ(reference->preparations, isTransient ? 2 : 1);
    }
}

TEST(Fallback, isPreparedWithThePreferenceAndPriorityOfTheModel) {
    class FailingDevice final : public test::ForwardingDevice {
      public:
        using ForwardingDevice::ForwardingDevice;
        Result<> prepareModel(const Model& /*model*/, const PrepareOptions& /*options*/,
                              PreparedModelCallback callback) override {
            callback(std::make_shared<test::UnusedPreparedModel>());
            return {};
        }
    };
    const auto reference = filtered(everything);
    reference->execTime = kSlow;
    const auto runtime =
        makeRuntime({named("failing", std::make_shared<FailingDevice>(localDevice())),
                     named(kReferenceDeviceName, reference)});
    const auto compiled = runtime->compile(
        chain({ADD, RELU}),
        {.preference = ExecutionPreference::SUSTAINED_SPEED, .priority = Priority::HIGH});
    ASSERT_TRUE(compiled) << compiled.error().message;
    SmallRequest request;
    request.input<float>({1, -2, 3, 4}, {}).output(16);
    ExecutionOutcome outcome;
    ASSERT_TRUE((*compiled)->executeSynchronously(request.request, {}, outcome));
    EXPECT_EQ(reference->preparations, 1);
    EXPECT_EQ(reference->lastOptions.preference, ExecutionPreference::SUSTAINED_SPEED);
    EXPECT_EQ(reference->lastOptions.priority, Priority::HIGH);
}

/// The contents of the files may be why the driver was lost.
TEST(Fallback, replacesCacheFilesWithWhichADriverWasLost) {
    const test::TemporaryDirectory keyFolder;
    const test::TemporaryDirectory folder;
    const auto device = filtered(everything, {.cacheKeyFile = keyFolder.path() / "key"});
    const auto runtime = runtimeOf({named("one", device)});
    const CompileOptions options{.devices = {0}, .cacheDirectory = folder.path()};
    const auto cachedBytes = [&] {
        std::uintmax_t bytes = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
            bytes += entry.file_size();
        }
        return bytes;
    };
    ASSERT_TRUE(runtime->compile(chain({ADD}), options));
    EXPECT_GT(cachedBytes(), 0U);
    device->cacheError = ErrorStatus::MISSED_DEADLINE_TRANSIENT;
    EXPECT_FALSE(runtime->compile(chain({ADD}), options));
    EXPECT_GT(cachedBytes(), 0U);
    device->cacheError = ErrorStatus::DEVICE_UNAVAILABLE;
    EXPECT_FALSE(runtime->compile(chain({ADD}), options));
    EXPECT_EQ(cachedBytes(), 0U);
    device->cacheError = ErrorStatus::NONE;
    ASSERT_TRUE(runtime->compile(chain({ADD}), options));
    EXPECT_GT(cachedBytes(), 0U);
}

TEST(Fallback, isNotForAnExecutionBesideThoseInFlight) {
    const auto runtime = runtimeOf({named("one", filtered(everything))}, kSlow);
    const auto compiled = runtime->compile(chain({ADD, RELU}), {});
    ASSERT_TRUE(compiled) << compiled.error().message;
    const auto burst = (*compiled)->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    SmallRequest first;
    SmallRequest second;
    for (SmallRequest* request : {&first, &second}) {
        request->input<float>({1, -2, 3, 4}, {}).output(16);
    }
    const auto reusable = (*burst)->createReusableExecution(second.request, {});
    ASSERT_TRUE(reusable) << reusable.error().message;
    const auto submission = (*burst)->submit(first.request, {});
    ASSERT_TRUE(submission) << submission.error().message;
    ExecutionOutcome outcome;
    for (const Result<>& refused :
         {(*burst)->execute(second.request, {}, outcome), (*reusable)->compute({}, outcome)}) {
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    }
    EXPECT_TRUE((*burst)->wait(*submission, outcome));
    EXPECT_TRUE((*burst)->execute(second.request, {}, outcome));
    EXPECT_EQ(runtime->stats().failedExecutions, 0U);
}

TEST(Fallback, isNotForABurstThatAnotherThreadUses) {
    const auto runtime = runtimeOf({named("one", filtered(everything))}, kSlow);
    const auto compiled = runtime->compile(chain({ADD, RELU}), {});
    ASSERT_TRUE(compiled) << compiled.error().message;
    const auto burst = (*compiled)->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    SmallRequest request;
    request.input<float>({1, -2, 3, 4}, {}).output(16);
    std::atomic<bool> hasCalled{false};
    std::atomic<bool> isDone{false};
    std::thread other([&] {
        while (!isDone) {
            static_cast<void>((*burst)->armCompletion());
            static_cast<void>((*burst)->isDone(Submission{1}));
            static_cast<void>((*burst)->isMemoryInUse());
            hasCalled = true;
        }
    });
    while (!hasCalled) {
        std::this_thread::yield();
    }
    for (int i = 0; i < 500; ++i) {
        ExecutionOutcome outcome;
        static_cast<void>((*burst)->execute(request.request, {}, outcome));
    }
    isDone = true;
    other.join();
    EXPECT_EQ(runtime->stats().failedExecutions, 0U);
}

// ---- Shapes and errors of divided models

class DividedShapes : public testing::TestWithParam<Way> {
  protected:
    /// RESHAPE by values on one device, RELU on another.
    DividedShapes() {
        runtime_ = runtimeOf({named("reshapes", filtered(only(RESHAPE))),
                              named("relus", filtered(allBut(RESHAPE)))});
        ModelBuilder builder;
        const auto in = builder.addTensor(TENSOR_FLOAT32, {0});
        const auto shape = builder.addTensor(TENSOR_INT32, {2});
        const auto reshaped = builder.addTensor(TENSOR_FLOAT32, {});
        const auto out = builder.addTensor(TENSOR_FLOAT32, {});
        builder.addOperation(RESHAPE, {in, shape}, {reshaped});
        builder.addOperation(RELU, {reshaped}, {out});
        auto compiled =
            runtime_->compile(std::move(*builder.build({in, shape}, {out})), {.devices = {0, 1}});
        EXPECT_TRUE(compiled) << compiled.error().message;
        compiled_ = *compiled;
    }

    std::shared_ptr<Runtime> runtime_;
    SharedPreparedModel compiled_;
};

TEST_P(DividedShapes, areFoundBetweenParts) {
    ASSERT_EQ(partsOf(compiled_), 2U);
    SmallRequest small;
    small.input<float>({1, -2, 3, 4, -5, 6}, {6})
        .input<std::int32_t>({2, 3}, {})
        .output(24, {2, 3});
    ExecutionOutcome outcome;
    Result<> result = executeIn(GetParam(), *compiled_, small.request, outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(small.output<float>(0)[1], 0.0F);
    EXPECT_EQ(small.output<float>(0)[5], 6.0F);
    if (GetParam() != Way::FENCED) {
        EXPECT_EQ(outcome.outputShapes[0],
                  (OutputShape{.dimensions = {2, 3}, .isSufficient = true}));
    }
    // More than the memory that is there between the parts at first.
    std::vector<float> values(3000, -1.0F);
    values.back() = 7.0F;
    SmallRequest large;
    large.input(values, {3000}).input<std::int32_t>({3, 1000}, {}).output(12'000, {3, 1000});
    result = executeIn(GetParam(), *compiled_, large.request, outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(large.output<float>(0)[0], 0.0F);
    EXPECT_EQ(large.output<float>(0)[2999], 7.0F);
}

TEST_P(DividedShapes, areToldIfAnOutputIsTooSmall) {
    if (GetParam() == Way::FENCED) {
        GTEST_SKIP() << "fenced executions tell no shapes";
    }
    SmallRequest request;
    request.input<float>({1, -2, 3, 4, -5, 6}, {6}).input<std::int32_t>({2, 3}, {}).output(8);
    ExecutionOutcome outcome;
    const Result<> result = executeIn(GetParam(), *compiled_, request.request, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    ASSERT_EQ(outcome.outputShapes.size(), 1U);
    EXPECT_EQ(outcome.outputShapes[0], (OutputShape{.dimensions = {2, 3}, .isSufficient = false}));
}

TEST_P(DividedShapes, ofRequestsAreChecked) {
    SmallRequest request;
    request.input<float>({1, -2, 3, 4, -5, 6}, {5})
        .input<std::int32_t>({2, 3}, {})
        .output(24, {2, 3});
    ExecutionOutcome outcome;
    const Result<> result = executeIn(GetParam(), *compiled_, request.request, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT) << result.error().message;
    EXPECT_TRUE(outcome.outputShapes.empty());
}

INSTANTIATE_TEST_SUITE_P(Way, DividedShapes, testing::ValuesIn(kWays), [](const auto& instance) {
    return std::to_string(static_cast<int>(instance.param));
});

/// Boxes of which none may be good enough, so that nothing is between the parts; and many other
/// operations, so that a division pays.
Model makeBoxModel() {
    constexpr int kOthers = 40;
    ModelBuilder builder;
    const auto scores = builder.addTensor(TENSOR_FLOAT32, {2, 2});
    const auto boxes = builder.addTensor(TENSOR_FLOAT32, {2, 8});
    const auto other = builder.addTensor(TENSOR_FLOAT32, {1000});
    const std::vector<std::int32_t> batch{0, 0};
    const auto keptScores = builder.addTensor(TENSOR_FLOAT32, {0});
    const auto keptBoxes = builder.addTensor(TENSOR_FLOAT32, {0, 4});
    const auto classes = builder.addTensor(TENSOR_INT32, {0});
    const auto batches = builder.addTensor(TENSOR_INT32, {0});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {0});
    builder.addOperation(
        BOX_WITH_NMS_LIMIT,
        {scores, boxes, builder.addConstant(TENSOR_INT32, {2}, std::as_bytes(std::span(batch))),
         builder.addScalar(0.5F), builder.addScalar(-1), builder.addScalar(0),
         builder.addScalar(0.4F), builder.addScalar(1.0F), builder.addScalar(0.3F)},
        {keptScores, keptBoxes, classes, batches});
    builder.addOperation(RELU, {keptScores}, {out});
    std::uint32_t last = other;
    for (const OperationType type : {FLOOR, RELU}) {
        for (int i = 0; i < kOthers; ++i) {
            const auto next = builder.addTensor(TENSOR_FLOAT32, {1000});
            builder.addOperation(type, {last}, {next});
            last = next;
        }
    }
    return std::move(*builder.build({scores, boxes, other}, {out, keptBoxes, classes, last}));
}

TEST(Division, runsTheWholeModelOnTheDeviceInThisProcessIfNothingIsBetweenParts) {
    const auto boxes = filtered(allBut(RELU));
    const auto relus = filtered(only(RELU));
    boxes->execTime = 1e-6F;
    relus->execTime = 1e-6F;
    const auto runtime = runtimeOf({named("boxes", boxes), named("relus", relus)});
    SmallRequest request;
    request.input<float>({0.1F, 0.1F, 0.1F, 0.1F}, {})
        .input<float>(std::vector<float>(16, 1.0F), {})
        .input<float>(std::vector<float>(1000, 1.5F), {})
        .output(8)
        .output(32)
        .output(8)
        .output(4000);
    for (const bool isChosen : {true, false}) {
        const auto compiled = runtime->compile(
            makeBoxModel(),
            {.devices = isChosen ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>()});
        ASSERT_TRUE(compiled) << compiled.error().message;
        ASSERT_EQ(partsOf(*compiled), 2U);
        for (const Way way : {Way::SYNCHRONOUS, Way::BURST, Way::REUSABLE}) {
            request.resetOutputs();
            ExecutionOutcome outcome;
            const Result<> result = executeIn(way, **compiled, request.request, outcome);
            if (isChosen) {
                ASSERT_FALSE(result);
                EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
            } else {
                ASSERT_TRUE(result) << result.error().message;
                EXPECT_EQ(outcome.outputShapes[0].dimensions, Dimensions{0});
                EXPECT_EQ(request.output<float>(3)[999], 1.0F);
            }
        }
    }
}

/// Drivers before HAL 1.2 give no shapes, and a part that was not reached has none.
TEST(Division, saysOfEachOutputOfKnownSizeWhetherItFits) {
    ModelBuilder builder;
    const auto in = builder.addTensor(TENSOR_FLOAT32, {4});
    const auto first = builder.addTensor(TENSOR_FLOAT32, {4});
    const auto second = builder.addTensor(TENSOR_FLOAT32, {4});
    const auto third = builder.addTensor(TENSOR_FLOAT32, {4});
    builder.addOperation(RELU, {in}, {first});
    builder.addOperation(FLOOR, {first}, {second});
    builder.addOperation(FLOOR, {second}, {third});
    const Model model = std::move(*builder.build({in}, {first, second, third}));
    for (const HalVersion version : {HalVersion::V1_1, HalVersion::V1_3}) {
        const auto runtime = runtimeOf({named("relus", filtered(only(RELU), {.version = version})),
                                        named("rest", filtered(allBut(RELU)))});
        const auto compiled = runtime->compile(model, {.devices = {0, 1}});
        ASSERT_TRUE(compiled) << compiled.error().message;
        ASSERT_EQ(partsOf(*compiled), 2U);
        for (const Way way : {Way::SYNCHRONOUS, Way::ASYNCHRONOUS, Way::BURST, Way::REUSABLE}) {
            SmallRequest request;
            request.input<float>({1, -2, 3, 4}, {}).output(8).output(12).output(16);
            ExecutionOutcome outcome;
            const Result<> result = executeIn(way, **compiled, request.request, outcome);
            ASSERT_FALSE(result);
            EXPECT_EQ(result.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE)
                << result.error().message;
            EXPECT_EQ(outcome.outputShapes,
                      (std::vector<OutputShape>{{.dimensions = {4}, .isSufficient = false},
                                                {.dimensions = {4}, .isSufficient = false},
                                                {.dimensions = {4}, .isSufficient = true}}));
        }
    }
}

/// As a burst of this process.
TEST(Division, hasBurstsForEventLoops) {
    const auto runtime =
        runtimeOf({named("adder", filtered(only(ADD))), named("rest", filtered(allBut(ADD)))});
    const auto compiled = runtime->compile(chain({ADD, RELU}), {.devices = {0, 1}});
    ASSERT_TRUE(compiled) << compiled.error().message;
    const auto burst = (*compiled)->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    const auto hasEnded = [&] {
        const auto ended = (*burst)->armCompletion();
        EXPECT_TRUE(ended) << ended.error().message;
        return ended && *ended;
    };
    const auto descriptor = (*burst)->completionDescriptor();
    ASSERT_TRUE(descriptor) << descriptor.error().message;
    pollfd event{.fd = *descriptor, .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&event, 1, 0), 0);
    EXPECT_FALSE(hasEnded());
    SmallRequest request;
    request.input<float>({1, -2, 3, 4}, {}).output(16);
    const auto submission = (*burst)->submit(request.request, {});
    ASSERT_TRUE(submission) << submission.error().message;
    EXPECT_TRUE(hasEnded());
    EXPECT_TRUE((*burst)->isDone(*submission));
    ExecutionOutcome outcome;
    EXPECT_TRUE((*burst)->wait(*submission, outcome));
    EXPECT_FALSE(hasEnded());
}

TEST(Division, letsGoOfTheMemoryOfARequest) {
    const auto runtime =
        runtimeOf({named("adder", filtered(only(ADD))), named("rest", filtered(allBut(ADD)))});
    const auto compiled = runtime->compile(chain({ADD, RELU}), {.devices = {0, 1}});
    ASSERT_TRUE(compiled) << compiled.error().message;
    const auto burst = (*compiled)->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    ExecutionOutcome outcome;
    std::weak_ptr<const Region> memory;
    {
        SmallRequest request;
        request.input<float>({1, -2, 3, 4}, {}).output(16);
        memory = std::get<SharedRegion>(request.request.pools[0]);
        ASSERT_TRUE((*compiled)->executeSynchronously(request.request, {}, outcome));
        ASSERT_TRUE((*burst)->execute(request.request, {}, outcome));
        (*burst)->freeMemory(memory.lock());
    }
    EXPECT_TRUE(memory.expired());
}

TEST(Runtime, letsGoOfMemoryThatWasFreedWhenTheModelExecutesAgain) {
    const auto runtime = runtimeOf({});
    const auto compiled = runtime->compile(chain({ADD, RELU}), {});
    ASSERT_TRUE(compiled) << compiled.error().message;
    SmallRequest kept;
    kept.input<float>({1, -2, 3, 4}, {}).output(16);
    ExecutionOutcome outcome;
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE((*compiled)->executeSynchronously(kept.request, {}, outcome));
    }
    std::weak_ptr<const Region> memory;
    {
        SmallRequest request;
        request.input<float>({1, -2, 3, 4}, {}).output(16);
        memory = std::get<SharedRegion>(request.request.pools[0]);
        ASSERT_TRUE((*compiled)->executeSynchronously(request.request, {}, outcome));
    }
    ASSERT_TRUE((*compiled)->executeSynchronously(kept.request, {}, outcome));
    EXPECT_TRUE(memory.expired());
}

TEST(Division, endsAtItsDeadline) {
    const auto runtime =
        runtimeOf({named("adder", filtered(only(ADD))), named("rest", filtered(allBut(ADD)))});
    const auto compiled = runtime->compile(chain({ADD, RELU}), {.devices = {0, 1}});
    ASSERT_TRUE(compiled) << compiled.error().message;
    SmallRequest request;
    request.input<float>({1, -2, 3, 4}, {}).output(16);
    ExecutionOutcome outcome;
    const Result<> result = (*compiled)->executeSynchronously(
        request.request, {.deadline = TimePoint(std::chrono::nanoseconds(1))}, outcome);
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().status == ErrorStatus::MISSED_DEADLINE_PERSISTENT ||
                result.error().status == ErrorStatus::MISSED_DEADLINE_TRANSIENT)
        << result.error().message;
}

TEST(Division, addsTheTimesOfItsParts) {
    const auto runtime =
        runtimeOf({named("adder", filtered(only(ADD))), named("rest", filtered(allBut(ADD)))});
    const auto compiled = runtime->compile(chain({ADD, RELU}), {.devices = {0, 1}});
    ASSERT_TRUE(compiled) << compiled.error().message;
    SmallRequest request;
    request.input<float>({1, -2, 3, 4}, {}).output(16);
    ExecutionOutcome outcome;
    ASSERT_TRUE((*compiled)->executeSynchronously(request.request, {}, outcome));
    EXPECT_EQ(outcome.timing, Timing());
    ASSERT_TRUE((*compiled)->executeSynchronously(request.request, {.measure = MeasureTiming::YES},
                                                  outcome));
    EXPECT_NE(outcome.timing.timeOnDevice, kTimeNotAvailable);
    EXPECT_NE(outcome.timing.timeInDriver, kTimeNotAvailable);
}

}  // namespace
}  // namespace nnburst::runtime
