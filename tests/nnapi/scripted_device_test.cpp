// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Compilations and executions on a device that does what a test tells it to: it gives wrong output
/// shapes, refuses requests, runs out of memory, and keeps the options that it is given. The
/// runtime of this program has a device of each version of the HAL, which are all this device.

#include <algorithm>
#include <chrono>
#include <functional>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "api.h"
#include "nnburst/device.h"
#include "nnburst/logging.h"
#include "nnburst/runtime.h"
#include "support/failing_allocations.h"
#include "support/unused_methods.h"

namespace nnburst {
namespace {

/// When the device throws std::bad_alloc.
enum class Throws : std::uint8_t { NEVER, IN_CALLS, AT_THE_END_OF_A_FENCED_EXECUTION };

/// What the device does with executions.
struct Script {
    ErrorStatus status = ErrorStatus::NONE;
    std::optional<std::vector<OutputShape>> shapes;  ///< instead of the right ones
    Throws throws = Throws::NEVER;
    bool hasOneOperationForEachDevice = false;  ///< each device supports that of its own number
    Timing timing;                              ///< of executions that are measured
    Timing timingAfterFence;                    ///< the second one of fenced executions
    std::function<void()> meanwhile;            ///< called during the next execution
    bool holdsCallbacks = false;                ///< `heldCallback` ends an asynchronous execution
    std::function<void()> heldCallback;         ///< of the last asynchronous execution
};

Script& script() {
    static Script instance;
    return instance;
}

/// What the device was given last.
struct Given {
    CompileOptions compilation;
    ExecutionOptions execution;
    OptionalTimeoutDuration timeoutAfterFence;
    std::vector<RequestPool> pools;  ///< of an execution
};

Given& given() {
    static Given instance;
    return instance;
}

void throwInCalls() {
    if (script().throws == Throws::IN_CALLS) {
        throw std::bad_alloc();
    }
}

/// Executes on a device of this process and answers as the script says.
Result<> executeAsTold(PreparedModel& inner, const Request& request,
                       const ExecutionOptions& options, ExecutionOutcome& outcome) {
    (void)test::stopFailingAllocations();  // those of the C API fail, not those of the device
    throwInCalls();
    given().execution = options;
    given().pools = request.pools;
    if (script().meanwhile) {
        std::exchange(script().meanwhile, nullptr)();
    }
    NNBURST_TRY(inner.executeSynchronously(request, options, outcome));
    if (options.measure == MeasureTiming::YES) {
        outcome.timing = script().timing;
    }
    if (script().shapes) {
        outcome.outputShapes = *script().shapes;
    }
    if (script().status != ErrorStatus::NONE) {
        return failure(script().status, "as the script says");
    }
    return {};
}

class ScriptedReusable final : public test::UnusedReusableExecution {
  public:
    ScriptedReusable(SharedPreparedModel inner, Request request, const ExecutionOptions& options)
        : inner_(std::move(inner)), request_(std::move(request)), options_(options) {}
    Result<> compute(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) override {
        ExecutionOptions options = options_;
        options.deadline = deadline;
        return executeAsTold(*inner_, request_, options, outcome);
    }

  private:
    const SharedPreparedModel inner_;
    const Request request_;
    const ExecutionOptions options_;
};

class ScriptedBurst final : public test::UnusedBurst {
  public:
    explicit ScriptedBurst(SharedPreparedModel inner) : inner_(std::move(inner)) {}
    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) override {
        return executeAsTold(*inner_, request, options, outcome);
    }
    Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) override {
        throwInCalls();
        return std::make_unique<ScriptedReusable>(inner_, request, options);
    }

  private:
    const SharedPreparedModel inner_;
};

class ScriptedModel final : public PreparedModel {
  public:
    explicit ScriptedModel(SharedPreparedModel inner) : inner_(std::move(inner)) {}
    Result<> executeSynchronously(const Request& request, const ExecutionOptions& options,
                                  ExecutionOutcome& outcome) override {
        return executeAsTold(*inner_, request, options, outcome);
    }
    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionCallback callback) override {
        ExecutionOutcome outcome;
        const Result<> result = executeAsTold(*inner_, request, options, outcome);
        if (script().holdsCallbacks) {
            script().heldCallback = [callback = std::move(callback), result, outcome] {
                callback(result, outcome);
            };
            return {};
        }
        callback(result, outcome);
        return result;
    }
    Result<FencedExecution> executeFenced(const Request& request, std::span<const int> /*waitFor*/,
                                          const ExecutionOptions& options,
                                          OptionalTimeoutDuration timeoutAfterFence) override {
        given().timeoutAfterFence = timeoutAfterFence;
        ExecutionOutcome outcome;
        const Result<> result = executeAsTold(*inner_, request, options, outcome);
        const bool willThrow = script().throws == Throws::AT_THE_END_OF_A_FENCED_EXECUTION;
        const bool isMeasured = options.measure == MeasureTiming::YES;
        return FencedExecution{.fence = {},
                               .callback = [result, willThrow, isMeasured](
                                               Timing& launched, Timing& fenced) -> Result<> {
                                   if (willThrow) {
                                       throw std::bad_alloc();
                                   }
                                   if (isMeasured) {
                                       launched = script().timing;
                                       fenced = script().timingAfterFence;
                                   }
                                   return result;
                               }};
    }
    Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& /*options*/) override {
        return std::make_unique<ScriptedBurst>(inner_);
    }

  private:
    const SharedPreparedModel inner_;
};

/// Has a device of each version of the HAL; that of the last one stands for this process.
class ScriptedRuntime final : public Runtime {
  public:
    explicit ScriptedRuntime(SharedDevice device) : device_(std::move(device)) {
        for (std::size_t i = 0; i < infos_.size(); ++i) {
            infos_[i].version = kHalVersions[i];
            infos_[i].name = std::string("HAL ") + toString(kHalVersions[i]);
        }
        infos_.back().name = kReferenceDeviceName;
    }
    [[nodiscard]] std::span<const DeviceInfo> devices() const noexcept override { return infos_; }
    [[nodiscard]] Result<> waitForDevice(std::size_t /*device*/) override { return {}; }
    [[nodiscard]] Result<std::vector<bool>> supportedOperations(const Model& model,
                                                                std::size_t device) override {
        std::vector<bool> isSupported(model.main.operations.size(), true);
        if (script().hasOneOperationForEachDevice) {
            for (std::size_t i = 0; i < isSupported.size(); ++i) {
                isSupported[i] = i == device;
            }
        }
        return isSupported;
    }
    [[nodiscard]] Result<SharedPreparedModel> compile(const Model& model,
                                                      const CompileOptions& options) override {
        given().compilation = options;
        NNBURST_TRY_ASSIGN(SharedPreparedModel inner, prepareModel(*device_, model));
        return std::make_shared<ScriptedModel>(std::move(inner));
    }
    [[nodiscard]] RuntimeStats stats() const noexcept override { return {}; }

  private:
    const SharedDevice device_;
    std::array<DeviceInfo, kHalVersions.size()> infos_;
};

}  // namespace

/// Instead of the library's.
Result<std::shared_ptr<Runtime>> Runtime::create(const RuntimeOptions& /*options*/) {
    NNBURST_TRY_ASSIGN(SharedDevice device, makeLocalDevice());
    return std::make_shared<ScriptedRuntime>(std::move(device));
}

namespace nnapi {
namespace {

constexpr int kOutOfMemory = ANEURALNETWORKS_OUT_OF_MEMORY;
constexpr std::array kWaysWithShapes{Way::COMPUTE, Way::START, Way::BURST};

/// An addition of two floats whose output has these dimensions in the model, for `devices`; if
/// there are none, the runtime chooses.
class Addition {
  public:
    explicit Addition(const Dimensions& dimensions,
                      const std::vector<ANeuralNetworksDevice*>& devices = {})
        : model_(newAddition(Type(ANEURALNETWORKS_TENSOR_FLOAT32, dimensions))),
          compilation_(devices.empty() ? newCompilation(model_.get())
                                       : newCompilation(model_.get(), devices)) {
        EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation_.get()), kNoError);
    }

    [[nodiscard]] Execution newReadyExecution() {
        Execution execution = newExecution(compilation_.get());
        for (const std::int32_t input : {0, 1}) {
            EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), input, two_.get(),
                                                        values_.data(), sizeof(values_)),
                      kNoError);
        }
        EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, sum_.data(),
                                                     sizeof(sum_)),
                  kNoError);
        return execution;
    }
    [[nodiscard]] ANeuralNetworksCompilation* compilation() const { return compilation_.get(); }
    [[nodiscard]] const TwoFloats& sum() const noexcept { return sum_; }

  private:
    Model model_;
    Compilation compilation_;
    const Type two_{ANEURALNETWORKS_TENSOR_FLOAT32, {2}};
    TwoFloats values_{1, 2};
    TwoFloats sum_{};
};

class NnapiScriptedDevice : public testing::Test {
  protected:
    ~NnapiScriptedDevice() override {
        script() = {};
        given() = {};
    }

    /// Executions of `addition` end with `expected` if the device gives `shapes`.
    static void expectResult(Addition& addition, std::vector<OutputShape> shapes, int expected) {
        script().shapes = std::move(shapes);
        for (const Way way : kWaysWithShapes) {
            const Execution execution = addition.newReadyExecution();
            EXPECT_EQ(computeBy(way, execution.get(), addition.compilation()), expected)
                << toString(way);
            std::uint32_t rank = 0;
            EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank),
                      expected == kOpFailed ? kBadState : expected);
            EXPECT_LE(rank, 1U);
        }
    }
    static OutputShape shape(Dimensions dimensions, bool isSufficient = true) {
        return {.dimensions = std::move(dimensions), .isSufficient = isSufficient};
    }
};

TEST_F(NnapiScriptedDevice, cannotContradictTheDimensionsThatAreKnown) {
    Addition known(Dimensions{2});
    for (const Dimensions& dimensions :
         {Dimensions{1, 1, 1, 1, 1, 1, 1, 2}, Dimensions{}, Dimensions{0}, Dimensions{3}}) {
        expectResult(known, {shape(dimensions)}, kOpFailed);
    }
    expectResult(known, {shape({2}), shape({2})}, kOpFailed);
    expectResult(known, {shape({2})}, kNoError);
    expectResult(known, {}, kNoError);

    Addition ofKnownRank(Dimensions{0});
    expectResult(ofKnownRank, {shape({1, 2})}, kOpFailed);
    expectResult(ofKnownRank, {shape({1})}, kNoError);
    expectResult(ofKnownRank, {shape({0})}, kNoError);  // no elements
}

TEST_F(NnapiScriptedDevice, mustGiveACompleteValueThatFitsIntoItsMemory) {
    Addition known(Dimensions{2});
    expectResult(known, {shape({2}, false)}, kOpFailed);
    Addition open(Dimensions{});
    for (const Dimensions& dimensions :
         {Dimensions{}, Dimensions{3}, Dimensions{65536, 65536, 65536, 65536}}) {
        expectResult(open, {shape(dimensions)}, kOpFailed);
    }
    expectResult(open, {shape({2})}, kNoError);
}

TEST_F(NnapiScriptedDevice, cannotContradictDimensionsOfAnOutputThatIsTooSmall) {
    script().status = ErrorStatus::OUTPUT_INSUFFICIENT_SIZE;
    Addition known(Dimensions{2});
    expectResult(known, {shape({1, 1, 1, 1, 1, 1, 1, 2}, false)}, kOpFailed);
    expectResult(known, {shape({2}, false)}, kInsufficientSize);
    Addition ofKnownRank(Dimensions{0});
    expectResult(ofKnownRank, {shape({3}, false)}, kInsufficientSize);
}

TEST_F(NnapiScriptedDevice, thatRefusesARequestGivesBadDataIfTheProgramHasChosenIt) {
    Addition chosen({2}, {referenceDevice()});
    Addition notChosen({2});
    const auto resultOf = [](Way way, Addition& addition) {
        const Execution execution = addition.newReadyExecution();
        return computeBy(way, execution.get(), addition.compilation());
    };
    for (const Way way : kWays) {
        script().status = ErrorStatus::INVALID_ARGUMENT;
        EXPECT_EQ(resultOf(way, chosen), kBadData) << toString(way);
        EXPECT_EQ(resultOf(way, notChosen), kOpFailed) << toString(way);
        script().status = ErrorStatus::DEVICE_UNAVAILABLE;
        EXPECT_EQ(resultOf(way, chosen), kDeadObject) << toString(way);
        EXPECT_EQ(resultOf(way, notChosen), kDeadObject) << toString(way);
    }
}

/// Starts or computes; the result of the call, or of the event if the call has succeeded.
int computeOnce(Way way, ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst) {
    ANeuralNetworksEvent* event = nullptr;
    int result = kNoError;
    switch (way) {
        case Way::COMPUTE:
            return ANeuralNetworksExecution_compute(execution);
        case Way::BURST:
            return ANeuralNetworksExecution_burstCompute(execution, burst);
        case Way::START:
            result = ANeuralNetworksExecution_startCompute(execution, &event);
            break;
        case Way::FENCED:
            result = ANeuralNetworksExecution_startComputeWithDependencies(execution, nullptr, 0, 0,
                                                                           &event);
            break;
    }
    const Event owned(event);
    return result == kNoError ? ANeuralNetworksEvent_wait(event) : result;
}

TEST_F(NnapiScriptedDevice, thatRunsOutOfMemoryEndsTheExecution) {
    Addition addition({2});
    const Burst burst = newBurst(addition.compilation());
    for (const Way way : kWays) {
        for (const Throws throws : {Throws::IN_CALLS, Throws::AT_THE_END_OF_A_FENCED_EXECUTION}) {
            if (throws == Throws::AT_THE_END_OF_A_FENCED_EXECUTION && way != Way::FENCED) {
                continue;
            }
            const Execution execution = addition.newReadyExecution();
            ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kNoError);
            script().throws = throws;
            EXPECT_EQ(computeOnce(way, execution.get(), burst.get()), kOutOfMemory)
                << toString(way);
            script().throws = Throws::NEVER;
            EXPECT_EQ(computeOnce(way, execution.get(), burst.get()), kNoError) << toString(way);
        }
    }
}

TEST_F(NnapiScriptedDevice, saysInTheLogOfTheWaitWhyAnExecutionHasFailed) {
    Addition addition({2});
    script().status = ErrorStatus::GENERAL_FAILURE;
    for (const Way way : {Way::START, Way::FENCED}) {
        const Execution execution = addition.newReadyExecution();
        std::string log;
        setLogSink([&log](LogLevel, std::string_view message) { log += message; });
        EXPECT_EQ(computeBy(way, execution.get(), addition.compilation()), kOpFailed);
        setLogSink({});
        EXPECT_NE(log.find("ANeuralNetworksEvent_wait: as the script says"), std::string::npos)
            << toString(way) << ": " << log;
    }
}

TEST_F(NnapiScriptedDevice, isAskedRightlyAfterAnAllocationForTheRequestHasFailed) {
    bool hasFailed = true;
    for (int allocations = 0; hasFailed; ++allocations) {
        Addition addition({2});
        const Execution execution = addition.newReadyExecution();
        ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kNoError);
        test::failAllocationAfter(allocations);
        const int first = ANeuralNetworksExecution_compute(execution.get());
        hasFailed = test::stopFailingAllocations();
        EXPECT_EQ(first, hasFailed ? kOutOfMemory : kNoError) << allocations;
        EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kNoError) << allocations;
        EXPECT_EQ(addition.sum(), (TwoFloats{2, 4})) << allocations;
    }
}

// ---- Devices

TEST_F(NnapiScriptedDevice, isOneOfSeveralInTheirOrderWithTheirNames) {
    std::vector<std::string> names;
    for (const ANeuralNetworksDevice* device : allDevices()) {
        const char* name = nullptr;
        ASSERT_EQ(ANeuralNetworksDevice_getName(device, &name), kNoError);
        names.emplace_back(name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"HAL 1.0", "HAL 1.1", "HAL 1.2",
                                               std::string(kReferenceDeviceName)}));
    EXPECT_EQ(allDevices(), allDevices());
}

TEST_F(NnapiScriptedDevice, hasTheFeatureLevelOfItsHal) {
    std::vector<std::int64_t> levels;
    for (const ANeuralNetworksDevice* device : allDevices()) {
        ASSERT_EQ(ANeuralNetworksDevice_getFeatureLevel(device, &levels.emplace_back()), kNoError);
    }
    EXPECT_EQ(levels, (std::vector<std::int64_t>{27, 28, 29, 31}));
}

/// Two RELUs, one after the other.
Model newTwoRelus() {
    const Type floats(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
    const std::uint32_t indexes[] = {0, 1, 2};
    Model model = newModel();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), floats.get()), kNoError);
    }
    for (const int i : {0, 1}) {
        EXPECT_EQ(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_RELU, 1,
                                                    &indexes[i], 1, &indexes[i + 1]),
                  kNoError);
    }
    EXPECT_EQ(
        ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, &indexes[0], 1, &indexes[2]),
        kNoError);
    EXPECT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
    return model;
}

TEST_F(NnapiScriptedDevice, addsItsOperationsToThoseOfTheOtherChosenDevices) {
    script().hasOneOperationForEachDevice = true;
    const Model model = newTwoRelus();
    const std::vector<ANeuralNetworksDevice*> devices = allDevices();
    const auto supportedBy = [&](std::size_t first, std::uint32_t count) {
        std::array<bool, 2> isSupported{};
        EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                      model.get(), &devices[first], count, isSupported.data()),
                  kNoError);
        return isSupported;
    };
    EXPECT_EQ(supportedBy(0, 1), (std::array{true, false}));
    EXPECT_EQ(supportedBy(1, 1), (std::array{false, true}));
    EXPECT_EQ(supportedBy(0, 2), (std::array{true, true}));
    EXPECT_EQ(supportedBy(2, 2), (std::array{false, false}));
}

TEST_F(NnapiScriptedDevice, isOneOfThoseThatACompilationIsFor) {
    const Model model = newAddition();
    const std::vector<ANeuralNetworksDevice*> devices = allDevices();
    const Compilation chosen = newCompilation(model.get(), {devices[2], devices[0]});
    ASSERT_EQ(ANeuralNetworksCompilation_finish(chosen.get()), kNoError);
    EXPECT_EQ(given().compilation.devices, (std::vector<std::size_t>{2, 0}));
    const Compilation any = newCompilation(model.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(any.get()), kNoError);
    EXPECT_TRUE(given().compilation.devices.empty());
}

// ---- Options

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kTimeout{1};
constexpr auto kTimeoutNs = static_cast<std::uint64_t>(std::chrono::nanoseconds(kTimeout).count());

TEST_F(NnapiScriptedDevice, isGivenThePriorityOfACompilation) {
    const Model model = newAddition();
    const std::pair<int, Priority> priorities[] = {
        {ANEURALNETWORKS_PRIORITY_LOW, Priority::LOW},
        {ANEURALNETWORKS_PRIORITY_MEDIUM, Priority::MEDIUM},
        {ANEURALNETWORKS_PRIORITY_HIGH, Priority::HIGH}};
    for (const auto& [code, priority] : priorities) {
        const Compilation compilation = newCompilation(model.get());
        ASSERT_EQ(ANeuralNetworksCompilation_setPriority(compilation.get(), code), kNoError);
        ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
        EXPECT_EQ(given().compilation.priority, priority) << code;
    }
}

TEST_F(NnapiScriptedDevice, isGivenThePreferenceOfACompilation) {
    const Model model = newAddition();
    const std::pair<std::int32_t, ExecutionPreference> preferences[] = {
        {ANEURALNETWORKS_PREFER_LOW_POWER, ExecutionPreference::LOW_POWER},
        {ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER, ExecutionPreference::FAST_SINGLE_ANSWER},
        {ANEURALNETWORKS_PREFER_SUSTAINED_SPEED, ExecutionPreference::SUSTAINED_SPEED}};
    for (const auto& [code, preference] : preferences) {
        const Compilation compilation = newCompilation(model.get());
        ASSERT_EQ(ANeuralNetworksCompilation_setPreference(compilation.get(), code), kNoError);
        ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
        EXPECT_EQ(given().compilation.preference, preference) << code;
    }
}

TEST_F(NnapiScriptedDevice, isGivenTheCacheOfACompilation) {
    const Model model = newAddition();
    const Compilation compilation = newCompilation(model.get());
    const std::array<std::uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> token{1, 2, 3};
    ASSERT_EQ(ANeuralNetworksCompilation_setCaching(compilation.get(), "/tmp", token.data()),
              kNoError);
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    EXPECT_EQ(given().compilation.cacheDirectory, "/tmp");
    EXPECT_TRUE(std::ranges::equal(given().compilation.token, token));
}

TEST_F(NnapiScriptedDevice, isGivenTheTimeoutOfACompilation) {
    const Model model = newAddition();
    for (const std::uint64_t timeoutNs : {std::uint64_t{0}, kTimeoutNs}) {
        const Compilation compilation = newCompilation(model.get(), {referenceDevice()});
        ASSERT_EQ(ANeuralNetworksCompilation_setTimeout(compilation.get(), timeoutNs), kNoError);
        const TimePoint before = Clock::now();
        ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
        const TimePoint after = Clock::now();
        const OptionalTimePoint& deadline = given().compilation.deadline;
        ASSERT_EQ(deadline.has_value(), timeoutNs != 0);
        EXPECT_TRUE(!deadline || (*deadline >= before + kTimeout && *deadline <= after + kTimeout));
    }
}

TEST_F(NnapiScriptedDevice, isGivenTheTimeoutOfAnExecutionInEachWay) {
    Addition addition({2}, {referenceDevice()});
    for (const Way way : kWays) {
        for (const bool isReusable : {false, true}) {
            SCOPED_TRACE(std::string(toString(way)) + (isReusable ? ", reusable" : ""));
            const Execution execution = addition.newReadyExecution();
            ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), isReusable), kNoError);
            ASSERT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), kTimeoutNs), kNoError);
            const TimePoint before = Clock::now();
            ASSERT_EQ(computeBy(way, execution.get(), addition.compilation()), kNoError);
            const TimePoint after = Clock::now();
            const OptionalTimePoint& deadline = given().execution.deadline;
            ASSERT_TRUE(deadline);
            EXPECT_GE(*deadline, before + kTimeout);
            EXPECT_LE(*deadline, after + kTimeout);
        }
    }
}

TEST_F(NnapiScriptedDevice, isGivenTheLoopTimeoutOfAnExecutionInEachWay) {
    constexpr std::chrono::seconds kFive(5);
    const std::pair<std::uint64_t, std::chrono::nanoseconds> loopTimeouts[] = {
        {5'000'000'000, kFive}, {UINT64_MAX, kMaximumLoopTimeout}};
    Addition addition({2});
    for (const Way way : kWays) {
        for (const bool isReusable : {false, true}) {
            for (const auto& [timeoutNs, expected] : loopTimeouts) {
                const Execution execution = addition.newReadyExecution();
                ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), isReusable),
                          kNoError);
                ASSERT_EQ(ANeuralNetworksExecution_setLoopTimeout(execution.get(), timeoutNs),
                          kNoError);
                ASSERT_EQ(computeBy(way, execution.get(), addition.compilation()), kNoError);
                EXPECT_EQ(given().execution.loopTimeout, expected) << toString(way);
            }
        }
    }
}

TEST_F(NnapiScriptedDevice, isGivenTheDurationAfterTheDependencies) {
    const std::pair<std::uint64_t, OptionalTimeoutDuration> durations[] = {
        {kTimeoutNs, kTimeout}, {0, std::nullopt}, {UINT64_MAX, std::nullopt}};
    Addition addition({2}, {referenceDevice()});
    for (const auto& [durationNs, expected] : durations) {
        const Execution execution = addition.newReadyExecution();
        ANeuralNetworksEvent* created = nullptr;
        ASSERT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 0,
                                                                        durationNs, &created),
                  kNoError);
        const Event done(created);
        EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
        EXPECT_EQ(given().timeoutAfterFence, expected) << durationNs;
    }
}

// ---- Durations

std::uint64_t durationOf(const Execution& execution, std::int32_t code) {
    std::uint64_t durationNs = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(), code, &durationNs), kNoError);
    return durationNs;
}

TEST_F(NnapiScriptedDevice, measuresMicrosecondsWhichBecomeNanoseconds) {
    script().timing = {.timeOnDevice = 3, .timeInDriver = 5};
    script().timingAfterFence = {.timeOnDevice = 1, .timeInDriver = 2};
    Addition addition({2}, {referenceDevice()});
    for (const Way way : kWays) {
        SCOPED_TRACE(toString(way));
        const Execution execution = addition.newReadyExecution();
        ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true), kNoError);
        ASSERT_EQ(computeBy(way, execution.get(), addition.compilation()), kNoError);
        const bool isFenced = way == Way::FENCED;
        EXPECT_EQ(durationOf(execution, ANEURALNETWORKS_DURATION_ON_HARDWARE), 3000U);
        EXPECT_EQ(durationOf(execution, ANEURALNETWORKS_DURATION_IN_DRIVER), 5000U);
        EXPECT_EQ(durationOf(execution, ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE),
                  isFenced ? 1000U : 3000U);
        EXPECT_EQ(durationOf(execution, ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER),
                  isFenced ? 2000U : 5000U);
    }
}

TEST_F(NnapiScriptedDevice, mayNotKnowADuration) {
    Addition addition({2}, {referenceDevice()});
    for (const Way way : kWays) {
        const Execution execution = addition.newReadyExecution();
        ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true), kNoError);
        ASSERT_EQ(computeBy(way, execution.get(), addition.compilation()), kNoError);
        EXPECT_EQ(durationOf(execution, ANEURALNETWORKS_DURATION_ON_HARDWARE), UINT64_MAX);
        EXPECT_EQ(durationOf(execution, ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER), UINT64_MAX);
    }
}

// ---- Memory for buffers of the program

/// A device may still use it after a failure.
TEST_F(NnapiScriptedDevice, isGivenTheMemoryOfTheExecutionBeforeUnlessThatHasFailed) {
    Addition addition({2});
    const auto poolsOfNext = [&](Way way, int expected) {
        const Execution execution = addition.newReadyExecution();
        EXPECT_EQ(computeBy(way, execution.get(), addition.compilation()), expected);
        return given().pools;
    };
    for (const Way way : kWays) {
        SCOPED_TRACE(toString(way));
        const std::vector<RequestPool> first = poolsOfNext(way, kNoError);
        EXPECT_EQ(first.size(), 1U);
        EXPECT_EQ(poolsOfNext(way, kNoError), first);
        script().status = ErrorStatus::GENERAL_FAILURE;
        EXPECT_EQ(poolsOfNext(way, kOpFailed), first);
        script().status = ErrorStatus::NONE;
        EXPECT_NE(poolsOfNext(way, kNoError), first);
    }
}

// ---- At the same time

TEST_F(NnapiScriptedDevice, isNotGivenTheMemoryOfAnExecutionInFlight) {
    Addition addition({2});
    script().holdsCallbacks = true;
    const Execution execution = addition.newReadyExecution();
    const Event done = start(execution.get());
    const std::vector<RequestPool> inFlight = given().pools;
    const Execution other = addition.newReadyExecution();
    EXPECT_EQ(ANeuralNetworksExecution_compute(other.get()), kNoError);
    EXPECT_NE(given().pools, inFlight);
    script().heldCallback();
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
}

TEST_F(NnapiScriptedDevice, computesAfterStartComputeHasReturned) {
    Addition addition({2});
    script().holdsCallbacks = true;
    const Execution execution = addition.newReadyExecution();
    const Event done = start(execution.get());
    ASSERT_TRUE(script().heldCallback);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kBadState);
    EXPECT_EQ(addition.sum(), TwoFloats{});
    script().heldCallback();
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(addition.sum(), (TwoFloats{2, 4}));
}

TEST_F(NnapiScriptedDevice, isNotAskedInABurstThatAnotherThreadUses) {
    Addition addition({2});
    const Burst burst = newBurst(addition.compilation());
    const Execution first = addition.newReadyExecution();
    const Execution second = addition.newReadyExecution();
    int meanwhile = kNoError;
    script().meanwhile = [&] {
        std::thread([&] {
            meanwhile = ANeuralNetworksExecution_burstCompute(second.get(), burst.get());
        }).join();
    };
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(first.get(), burst.get()), kNoError);
    EXPECT_EQ(meanwhile, kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(second.get(), burst.get()), kNoError);
}

}  // namespace
}  // namespace nnapi
}  // namespace nnburst
