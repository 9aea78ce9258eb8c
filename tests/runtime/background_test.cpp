// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Asynchronous and fenced executions on threads of a runtime: what the launch refuses, deadlines
/// and times.

#include "runtime/background.h"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <thread>
#include <vector>

#include "device/hal_models.h"
#include "nnburst/fence.h"
#include "nnburst/model_builder.h"
#include "runtime/part_model.h"
#include "runtime/submodel.h"
#include "runtime_test.h"
#include "support/eventually.h"
#include "support/unused_methods.h"

namespace nnburst::runtime {
namespace {

using namespace std::chrono_literals;
using enum OperandType;
using test::SmallRequest;

using Clock = std::chrono::steady_clock;

/// out = max(in, 0) + max(in, 0), of 4 floats.
Model makeModel() {
    ModelBuilder builder;
    const auto in = builder.addTensor(TENSOR_FLOAT32, {4});
    const auto positive = builder.addTensor(TENSOR_FLOAT32, {4});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::RELU, {in}, {positive});
    builder.addOperation(OperationType::ADD, {positive, positive, builder.addScalar(0)}, {out});
    return std::move(*builder.build({in}, {out}));
}

SmallRequest makeRequest() {
    SmallRequest request;
    request.input<float>({1, -2, 3, 4}, {}).output(16);
    return request;
}

// ---- What the launch refuses

/// Why a model executes on a thread of the runtime.
enum class Reason : std::uint8_t { OLD_DEVICE, REPLACED, DIVIDED };

class LaunchOnThread : public testing::TestWithParam<std::tuple<Reason, Way>> {
  protected:
    LaunchOnThread() {
        const auto [reason, way] = GetParam();
        const auto isRelu = [](const Model& its, std::size_t index) {
            return its.main.operations[index].type == OperationType::RELU;
        };
        if (reason == Reason::REPLACED) {
            const auto prepared = prepareModel(*localDevice(), makeModel());
            EXPECT_TRUE(prepared) << prepared.error().message;
            const auto replacement =
                std::make_shared<Replacement>("a part", makeModel(), PrepareOptions(),
                                              localDevice(), std::make_shared<FallbackCounters>());
            EXPECT_TRUE(replacement->replace({ErrorStatus::DEVICE_UNAVAILABLE, "a test"}));
            model =
                std::make_shared<PartModel>(*prepared, HalVersion::V1_3, interfaceOf(makeModel()),
                                            replacement, std::make_shared<ExecutionThreads>());
        } else {
            runtime_ =
                reason == Reason::DIVIDED
                    ? runtimeOf(
                          {named("relus", std::make_shared<FilteredDevice>(localDevice(), isRelu)),
                           named("rest", std::make_shared<FilteredDevice>(localDevice(),
                                                                          std::not_fn(isRelu)))})
                    : runtimeOf({named("old", localDevice({.version = HalVersion::V1_2}))});
            const auto compiled = runtime_->compile(
                makeModel(), {.devices = reason == Reason::DIVIDED ? std::vector<std::size_t>{0, 1}
                                                                   : std::vector<std::size_t>{0}});
            EXPECT_TRUE(compiled) << compiled.error().message;
            model = *compiled;
        }
    }

    /// The status of the launch; also of the callback, if the way has one.
    ErrorStatus launch(const Request& request, const ExecutionOptions& options = {}) const {
        if (std::get<Way>(GetParam()) == Way::FENCED) {
            const auto launched = model->executeFenced(request, {}, options, {});
            return launched ? ErrorStatus::NONE : launched.error().status;
        }
        const auto statusOf = [](const Result<>& result) {
            return result ? ErrorStatus::NONE : result.error().status;
        };
        std::promise<ErrorStatus> ended;
        const Result<> launched =
            model->execute(request, options, [&](const Result<>& result, const auto& /*outcome*/) {
                ended.set_value(statusOf(result));
            });
        EXPECT_EQ(ended.get_future().get(), statusOf(launched));
        return statusOf(launched);
    }

    SharedPreparedModel model;

  private:
    std::shared_ptr<Runtime> runtime_;
};

TEST_P(LaunchOnThread, refusesARequestThatBreaksARule) {
    const SmallRequest good = makeRequest();
    EXPECT_EQ(launch(good.request), ErrorStatus::NONE);
    Request wrongLength = good.request;
    wrongLength.inputs[0].location.length = 12;
    Request withoutInputs = good.request;
    withoutInputs.inputs.clear();
    Request withoutOutputs = good.request;
    withoutOutputs.outputs.clear();
    Request unknownPool = good.request;
    unknownPool.inputs[0].location.poolIndex = 9;
    Request withoutMemory = good.request;
    withoutMemory.pools[0] = SharedRegion();
    Request ofBuffer = good.request;
    ofBuffer.pools.emplace_back(BufferToken{1});
    for (const Request& request :
         {wrongLength, withoutInputs, withoutOutputs, unknownPool, withoutMemory, ofBuffer}) {
        EXPECT_EQ(launch(request), ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST_P(LaunchOnThread, refusesAMeasureTimingThatTheHalDoesNotHave) {
    const SmallRequest request = makeRequest();
    EXPECT_EQ(launch(request.request, {.measure = static_cast<MeasureTiming>(2)}),
              ErrorStatus::INVALID_ARGUMENT);
}

INSTANTIATE_TEST_SUITE_P(
    Reason, LaunchOnThread,
    testing::Combine(testing::Values(Reason::OLD_DEVICE, Reason::REPLACED, Reason::DIVIDED),
                     testing::Values(Way::ASYNCHRONOUS, Way::FENCED)),
    [](const auto& instance) {
        const Reason reason = std::get<Reason>(instance.param);
        return std::string(reason == Reason::OLD_DEVICE ? "oldDevice"
                           : reason == Reason::REPLACED ? "replaced"
                                                        : "divided") +
               (std::get<Way>(instance.param) == Way::FENCED ? "_fenced" : "_asynchronous");
    });

// ---- Deadlines and times while all threads are busy

/// Executes synchronously what it was made with.
class FunctionModel final : public test::UnusedPreparedModel {
  public:
    using Function = std::function<void(const ExecutionOptions& options, ExecutionOutcome&)>;
    explicit FunctionModel(Function function) : function_(std::move(function)) {}

    [[nodiscard]] Result<> executeSynchronously(const Request& /*request*/,
                                                const ExecutionOptions& options,
                                                ExecutionOutcome& outcome) override {
        function_(options, outcome);
        return {};
    }

  private:
    const Function function_;
};

class FencedOnThread : public testing::Test {
  protected:
    static constexpr int kThreads = 8;  // of a Background

    /// Occupies all threads of the background until `release`.
    void occupy() {
        const auto occupied = std::make_shared<std::atomic<int>>(0);
        const auto waiting = std::make_shared<FunctionModel>(
            [occupied, released = std::shared_future(release_.get_future())](const auto&, auto&) {
                ++*occupied;
                released.wait();
            });
        for (int i = 0; i < kThreads; ++i) {
            ASSERT_TRUE(executeOnThread(background, waiting, interface, request.request, {},
                                        [](const auto&, const auto&) {}));
        }
        ASSERT_TRUE(test::eventually([&] { return *occupied == kThreads; }));
    }
    void release() { release_.set_value(); }

    Result<FencedExecution> launch(FunctionModel::Function function,
                                   const std::vector<int>& waitFor = {},
                                   OptionalTimeoutDuration timeoutAfterFence = {}) {
        return executeFencedOnThread(
            background, std::make_shared<FunctionModel>(std::move(function)), interface,
            request.request, waitFor, {.measure = MeasureTiming::YES}, timeoutAfterFence);
    }

    /// Waits for the end of `execution` and takes its times.
    void end(const Result<FencedExecution>& execution) {
        ASSERT_TRUE(execution) << execution.error().message;
        const Result<> waited = waitForFence(execution->fence.get(), Clock::now() + 60s);
        ASSERT_TRUE(waited) << waited.error().message;
        ASSERT_TRUE(execution->callback(launched, fenced));
    }

    Background background{std::make_shared<ExecutionThreads>()};
    const Model interface = interfaceOf(makeModel());
    const SmallRequest request = makeRequest();
    Timing launched;
    Timing fenced;

  private:
    std::promise<void> release_;
};

TEST_F(FencedOnThread, hasNoMoreTimeThoughAllThreadsAreBusy) {
    ASSERT_NO_FATAL_FAILURE(occupy());
    OptionalTimePoint deadline;
    const auto execution = launch(
        [&](const ExecutionOptions& options, auto&) { deadline = options.deadline; }, {}, 1h);
    const TimePoint latest = Clock::now() + 1h;
    release();
    ASSERT_NO_FATAL_FAILURE(end(execution));
    ASSERT_TRUE(deadline);
    EXPECT_LE(*deadline, latest);
}

TEST_F(FencedOnThread, endsAtItsDeadlineThoughAllThreadsAreBusy) {
    ASSERT_NO_FATAL_FAILURE(occupy());
    const auto execution = launch([](const auto&, auto&) {}, {}, 10ms);
    std::promise<Result<>> called;
    const Result<> asynchronous = executeOnThread(
        background, std::make_shared<FunctionModel>([](const auto&, auto&) {}), interface,
        request.request, {.deadline = Clock::now() + 10ms},
        [&](const Result<>& status, const auto& /*outcome*/) { called.set_value(status); });
    auto ended = called.get_future();
    EXPECT_EQ(ended.wait_for(60s), std::future_status::ready);
    const Result<> waited = waitForFence(execution->fence.get(), Clock::now() + 60s);
    const Result<> ofFenced = execution->callback(launched, fenced);
    release();
    EXPECT_TRUE(asynchronous);
    EXPECT_FALSE(waited);
    for (const Result<>& result : {ended.get(), ofFenced}) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT)
            << result.error().message;
    }
}

void measure(const ExecutionOptions& /*options*/, ExecutionOutcome& outcome) {
    outcome.timing = {.timeOnDevice = 1, .timeInDriver = 2};
}

TEST_F(FencedOnThread, measuresFromTheLaunchAndFromTheFence) {
    const UniqueFd fence = std::move(*makeFence());
    const auto execution = launch(measure, {fence.get()});
    std::this_thread::sleep_for(6ms);
    signalFence(fence.get());
    ASSERT_NO_FATAL_FAILURE(end(execution));
    EXPECT_EQ(launched.timeOnDevice, 1U);
    EXPECT_EQ(fenced.timeOnDevice, 1U);
    EXPECT_GE(launched.timeInDriver, fenced.timeInDriver + 5000);
}

TEST_F(FencedOnThread, measuresTheWaitForAThread) {
    ASSERT_NO_FATAL_FAILURE(occupy());
    const auto execution = launch(measure);
    std::this_thread::sleep_for(6ms);
    release();
    ASSERT_NO_FATAL_FAILURE(end(execution));
    EXPECT_GE(fenced.timeInDriver, 5000U);
}

TEST_F(FencedOnThread, measuresNothingWhereTheDeviceMeasuresNothing) {
    ASSERT_NO_FATAL_FAILURE(end(launch([](const auto&, auto&) {})));
    EXPECT_EQ(launched, Timing{});
    EXPECT_EQ(fenced, Timing{});
}

// ---- Several models

/// A device before HAL 1.3, whose fenced executions run on threads of the runtime.
class FunctionDevice final : public test::ForwardingDevice {
  public:
    FunctionDevice() : ForwardingDevice(localDevice({.version = HalVersion::V1_2})) {}

    [[nodiscard]] Result<> prepareModel(const Model& /*model*/, const PrepareOptions& /*options*/,
                                        PreparedModelCallback callback) override {
        callback(std::make_shared<FunctionModel>(function));
        return {};
    }

    FunctionModel::Function function;  // of the models that are prepared from now on
};

class FencedOnThreads : public testing::Test {
  protected:
    SharedPreparedModel compile(FunctionModel::Function function) {
        device_->function = std::move(function);
        return *runtime_->compile(makeModel(), {.devices = {0}});
    }
    FencedExecution launch(const SharedPreparedModel& model,
                           const ExecutionOptions& options = {}) const {
        return *model->executeFenced(request_.request, {}, options, {});
    }
    static void expectEnd(const FencedExecution& execution) {
        EXPECT_TRUE(waitForFence(execution.fence.get(), Clock::now() + 60s));
    }

  private:
    const std::shared_ptr<FunctionDevice> device_ = std::make_shared<FunctionDevice>();
    const std::shared_ptr<Runtime> runtime_ = runtimeOf({named("a device", device_)});
    const SmallRequest request_ = makeRequest();
};

TEST_F(FencedOnThreads, ofAModelDoNotWaitForAnotherModelWhoseDeviceDoesNotAnswer) {
    constexpr int kMoreThanThreads = 20;
    std::promise<void> answer;
    const auto silent = compile([answered = std::shared_future(answer.get_future())](
                                    const auto&, auto&) { answered.wait(); });
    const auto other = compile([](const auto&, auto&) {});
    std::vector<FencedExecution> unanswered;
    for (int i = 0; i < kMoreThanThreads; ++i) {
        unanswered.push_back(launch(silent));
    }
    expectEnd(launch(other));
    answer.set_value();
    for (const FencedExecution& its : unanswered) {
        expectEnd(its);
    }
}

TEST_F(FencedOnThreads, needFewerThreadsThanThereAreModels) {
    constexpr std::size_t kModels = 50;
    const auto threads = [] {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
    };
    const std::size_t before = threads();
    std::vector<SharedPreparedModel> models;
    for (std::size_t i = 0; i < kModels; ++i) {
        models.push_back(compile([](const auto&, auto&) {}));
        expectEnd(launch(models.back(), {.deadline = Clock::now() + 1h}));
    }
    EXPECT_TRUE(test::eventually([&] { return threads() < before + kModels; })) << threads();
}

/// Only the priorities of models count, not how many executions they have.
TEST_F(FencedOnThreads, keepTheirPriorityBesideThoseOfAnotherModel) {
    constexpr int kMany = 8;
    std::promise<void> answer;
    std::atomic<int> begun = 0;
    std::atomic<int> lowered = 0;
    const int usual = ::getpriority(PRIO_PROCESS, 0);
    const auto one = compile([](const auto&, auto&) {});
    const auto many =
        compile([&, answered = std::shared_future(answer.get_future())](const auto&, auto&) {
            lowered += ::getpriority(PRIO_PROCESS, 0) > usual ? 1 : 0;  // of the calling thread
            ++begun;
            answered.wait();
        });
    expectEnd(launch(one));
    std::vector<FencedExecution> executions;
    for (int i = 0; i < kMany; ++i) {
        executions.push_back(launch(many));
    }
    EXPECT_TRUE(test::eventually([&] { return begun == kMany; }));
    EXPECT_EQ(lowered, 0);
    answer.set_value();
    for (const FencedExecution& its : executions) {
        expectEnd(its);
    }
}

}  // namespace
}  // namespace nnburst::runtime
