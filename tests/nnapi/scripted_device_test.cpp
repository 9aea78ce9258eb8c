// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Executions on a device that gives wrong output shapes, that refuses requests, and on one that
/// runs out of memory. The runtime of this program has no other device.

#include <new>
#include <optional>
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
};

Script& script() {
    static Script instance;
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
    NNBURST_TRY(inner.executeSynchronously(request, options, outcome));
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
    ScriptedReusable(SharedPreparedModel inner, Request request)
        : inner_(std::move(inner)), request_(std::move(request)) {}
    Result<> compute(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) override {
        return executeAsTold(*inner_, request_, {.deadline = deadline}, outcome);
    }

  private:
    const SharedPreparedModel inner_;
    const Request request_;
};

class ScriptedBurst final : public test::UnusedBurst {
  public:
    explicit ScriptedBurst(SharedPreparedModel inner) : inner_(std::move(inner)) {}
    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) override {
        return executeAsTold(*inner_, request, options, outcome);
    }
    Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& /*options*/) override {
        throwInCalls();
        return std::make_unique<ScriptedReusable>(inner_, request);
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
        callback(result, outcome);
        return result;
    }
    Result<FencedExecution> executeFenced(const Request& request, std::span<const int> /*waitFor*/,
                                          const ExecutionOptions& options,
                                          OptionalTimeoutDuration /*timeoutAfterFence*/) override {
        ExecutionOutcome outcome;
        const Result<> result = executeAsTold(*inner_, request, options, outcome);
        const bool willThrow = script().throws == Throws::AT_THE_END_OF_A_FENCED_EXECUTION;
        return FencedExecution{.fence = {},
                               .callback = [result, willThrow](Timing&, Timing&) -> Result<> {
                                   if (willThrow) {
                                       throw std::bad_alloc();
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

class ScriptedRuntime final : public Runtime {
  public:
    explicit ScriptedRuntime(SharedDevice device) : device_(std::move(device)) {
        infos_[0].name = kReferenceDeviceName;
    }
    [[nodiscard]] std::span<const DeviceInfo> devices() const noexcept override { return infos_; }
    [[nodiscard]] Result<> waitForDevice(std::size_t /*device*/) override { return {}; }
    [[nodiscard]] Result<std::vector<bool>> supportedOperations(const Model& model,
                                                                std::size_t /*device*/) override {
        return std::vector<bool>(model.main.operations.size(), true);
    }
    [[nodiscard]] Result<SharedPreparedModel> compile(const Model& model,
                                                      const CompileOptions& /*options*/) override {
        NNBURST_TRY_ASSIGN(SharedPreparedModel inner, prepareModel(*device_, model));
        return std::make_shared<ScriptedModel>(std::move(inner));
    }
    [[nodiscard]] RuntimeStats stats() const noexcept override { return {}; }

  private:
    const SharedDevice device_;
    std::array<DeviceInfo, 1> infos_;
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
    ~NnapiScriptedDevice() override { script() = {}; }

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

}  // namespace
}  // namespace nnapi
}  // namespace nnburst
