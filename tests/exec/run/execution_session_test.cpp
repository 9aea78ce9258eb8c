// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The services of a session for its executions, with a model of the test.

#include "exec/run/execution_session.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <new>
#include <thread>

#include "support/eventually.h"
#include "system/scheduling.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;

/// One input and one output of 4 bytes. Copies the input to the output.
class CopyingModel final : public CompiledModel {
  public:
    std::function<Result<>()> onRun = [] { return Result<>(); };
    ExecutionOptions lastOptions;
    KeptPass* lastPass = nullptr;
    mutable int binds = 0;
    int runs = 0;

    std::span<const Operand> inputs() const noexcept override { return {&operand, 1}; }
    std::span<const Operand> outputs() const noexcept override { return {&operand, 1}; }
    Contention contention() const noexcept override { return {}; }
    bool releaseIfIdle() override { return false; }

    Result<> bind(std::span<const RequestArgument> inputs, std::span<const RequestArgument> outputs,
                  std::span<const PoolView> pools, RequestBindings& bindings) const override {
        ++binds;
        const auto bound = [&](const RequestArgument& argument) {
            const PoolView& pool = pools[argument.location.poolIndex];
            return ArgumentBinding{
                .data = pool.data == nullptr ? nullptr : pool.data + argument.location.offset,
                .lengthBytes = argument.location.length,
                .dimensions = argument.dimensions};
        };
        bindings.inputs.assign(1, bound(inputs[0]));
        bindings.outputs.assign(1, bound(outputs[0]));
        return {};
    }

    Result<> run(RequestBindings& bindings, const Caller& caller, const ExecutionOptions& options,
                 ExecutionOutcome& outcome) override {
        ++runs;
        lastPass = caller.keptPass;
        lastOptions = options;
        outcome.outputShapes.assign(1, {.dimensions = {1}, .isSufficient = true});
        NNBURST_TRY(onRun());
        std::byte* output = bindings.outputs[0].data;
        if (bindings.outputs[0].memory != nullptr) {
            const std::array<std::uint32_t, 1> dimensions{1};
            NNBURST_TRY_ASSIGN(output, bindings.outputs[0].memory->place(dimensions, 4));
        }
        std::copy_n(bindings.inputs[0].data, 4, output);
        outcome.timing.timeOnDevice = options.measure == MeasureTiming::YES ? 1 : kTimeNotAvailable;
        return {};
    }

    Operand operand{.type = OperandType::TENSOR_INT32, .dimensions = {1}};
};

/// Gives the pools that the test has set.
class TestMemory final : public RequestMemorySource {
  public:
    std::vector<RequestMemory> pools;
    Result<> error;
    std::chrono::milliseconds delay{0};

    Result<> resolve(std::vector<RequestMemory>& resolved) override {
        std::this_thread::sleep_for(delay);
        resolved = pools;
        return error;
    }
};

class SessionTest : public testing::Test {
  protected:
    ExecutionSession sessionOf(HalVersion version = kLatestHalVersion) {
        return ExecutionSession({.model = model,
                                 .buffers = buffers,
                                 .preparedModel = 1,
                                 .version = version,
                                 .keptPass = &keptPass});
    }

    /// Of a client of a driver.
    ExecutionSession sessionOfClient() {
        Amounts limits;
        limits[Resource::MEMORY] = 1 << 30;
        return ExecutionSession(
            {.model = model,
             .buffers = buffers,
             .client = std::make_shared<LaneShare>(nullptr, Account::create("client", limits)),
             .preparedModel = 1});
    }

    Result<> run(ExecutionSession& session, const ExecutionOptions& options = {}) {
        return session.run(arguments(), memory, options, arrivalTime(options), outcome);
    }

    RequestArguments arguments() const { return {{&input, 1}, {&output, 1}}; }

    SessionTest() {
        memory.pools = {RequestMemory::mapped(mapping)};
        *reinterpret_cast<std::int32_t*>(mapping.data()) = 7;
        outcome.outputShapes.assign(3, {.dimensions = {9}, .isSufficient = false});
        outcome.timing = {.timeOnDevice = 8, .timeInDriver = 9};
    }

    [[nodiscard]] std::int32_t written() const {
        return reinterpret_cast<const std::int32_t*>(mapping.data())[1];
    }

    void expectClearedOutcome() const {
        EXPECT_TRUE(outcome.outputShapes.empty());
        EXPECT_EQ(outcome.timing, Timing());
    }

    std::shared_ptr<CopyingModel> model = std::make_shared<CopyingModel>();
    std::shared_ptr<ManagedBuffers> buffers = std::make_shared<ManagedBuffers>();
    SharedRegion region = *Region::create(4096);
    Mapping mapping = *Mapping::map(region);
    RequestArgument input{.location = {.poolIndex = 0, .offset = 0, .length = 4}, .dimensions = {}};
    RequestArgument output{.location = {.poolIndex = 0, .offset = 4, .length = 4},
                           .dimensions = {}};
    TestMemory memory;
    ExecutionOutcome outcome;
    KeptPass keptPass;
};

TEST_F(SessionTest, runsOnTheMemoryOfItsSource) {
    ExecutionSession session = sessionOf();
    ASSERT_TRUE(run(session));
    EXPECT_EQ(written(), 7);
    EXPECT_EQ(outcome.outputShapes.size(), 1U);
    EXPECT_EQ(outcome.timing, Timing()) << "timing was not requested";
}

TEST_F(SessionTest, countsTheTimeOfItsSourceAsTimeInTheDriver) {
    ExecutionSession session = sessionOf();
    memory.delay = 20ms;
    ASSERT_TRUE(run(session, {.measure = MeasureTiming::YES}));
    EXPECT_EQ(outcome.timing.timeOnDevice, 1U);
    EXPECT_NE(outcome.timing.timeInDriver, kTimeNotAvailable);
    EXPECT_GE(outcome.timing.timeInDriver, 20'000U);
}

TEST_F(SessionTest, clearsTheOutcomeWhenItsSourceFails) {
    ExecutionSession session = sessionOf();
    memory.error = failure(ErrorStatus::GENERAL_FAILURE, "no memory");
    const Result<> result = run(session, {.measure = MeasureTiming::YES});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "no memory");
    EXPECT_EQ(model->runs, 0);
    expectClearedOutcome();
}

TEST_F(SessionTest, clearsTheOutcomeOfARunThatFails) {
    ExecutionSession session = sessionOf();
    model->onRun = [] { return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT, "too late"); };
    EXPECT_FALSE(run(session));
    expectClearedOutcome();
    RequestBindings bindings;
    ASSERT_TRUE(session.bind(arguments(), bindings));
    outcome.outputShapes.assign(1, {.dimensions = {9}, .isSufficient = true});
    EXPECT_FALSE(session.runBound(bindings, {}, outcome));
    expectClearedOutcome();
}

TEST_F(SessionTest, keepsTheShapesWhenAnOutputIsTooSmall) {
    ExecutionSession session = sessionOf();
    model->onRun = [] { return failure(ErrorStatus::OUTPUT_INSUFFICIENT_SIZE, "too small"); };
    EXPECT_FALSE(run(session));
    EXPECT_EQ(outcome.outputShapes.size(), 1U);
    EXPECT_EQ(outcome.timing, Timing());
}

TEST_F(SessionTest, bindsOnceAndRunsAgain) {
    ExecutionSession session = sessionOf();
    ASSERT_TRUE(run(session));
    RequestBindings bindings;
    ASSERT_TRUE(session.bind(arguments(), bindings));
    const int binds = model->binds;
    for (std::int32_t value = 1; value <= 3; ++value) {
        *reinterpret_cast<std::int32_t*>(mapping.data()) = value;
        ASSERT_TRUE(session.runBound(bindings, {}, outcome));
        EXPECT_EQ(written(), value);
    }
    EXPECT_EQ(model->binds, binds);
}

TEST_F(SessionTest, measuresWhatIsBound) {
    ExecutionSession session = sessionOf();
    ASSERT_TRUE(run(session));
    RequestBindings bindings;
    ASSERT_TRUE(session.bind(arguments(), bindings));
    const ExecutionOptions options{.measure = MeasureTiming::YES};
    ASSERT_TRUE(session.runBound(bindings, options, outcome));
    EXPECT_EQ(outcome.timing.timeOnDevice, 1U);
    EXPECT_NE(outcome.timing.timeInDriver, kTimeNotAvailable);
}

/// Who waits for a lane may have to wait a little longer only where nothing follows that takes
/// long.
TEST_F(SessionTest, leavesThePassToItsOwnerWhereTheKernelsEndTheExecution) {
    ExecutionSession session = sessionOf();
    ASSERT_TRUE(run(session));
    EXPECT_EQ(model->lastPass, &keptPass);
    RequestBindings bindings;
    ASSERT_TRUE(session.bind(arguments(), bindings));
    model->lastPass = nullptr;
    ASSERT_TRUE(session.runBound(bindings, {}, outcome));
    EXPECT_EQ(model->lastPass, &keptPass);

    memory.pools.push_back(RequestMemory::managed(buffers->add(
        *ManagedBuffer::create(model->operand.type, model->operand.dimensions,
                               {{.preparedModel = 1, .role = ArgumentRole::OUTPUT, .index = 0}}))));
    output.location = {.poolIndex = 1, .offset = 0, .length = 0};
    ASSERT_TRUE(run(session));
    EXPECT_EQ(model->lastPass, nullptr);
}

TEST_F(SessionTest, doesNotBindMemoryThatIsNotMapped) {
    const auto buffer =
        *ManagedBuffer::create(model->operand.type, model->operand.dimensions,
                               {{.preparedModel = 1, .role = ArgumentRole::OUTPUT, .index = 0}});
    memory.pools.push_back(RequestMemory::managed(buffers->add(buffer)));
    output.location = {.poolIndex = 1, .offset = 0, .length = 0};
    ExecutionSession session = sessionOf();
    const Result<> result = run(session);
    ASSERT_TRUE(result) << result.error().message;
    RequestBindings bindings;
    EXPECT_FALSE(session.bind(arguments(), bindings));
}

/// A buffer for output `index` of `preparedModel`, with contents.
std::shared_ptr<ManagedBuffer> filledBuffer(const Operand& operand, std::uint64_t preparedModel,
                                            std::uint32_t index) {
    const auto buffer = *ManagedBuffer::create(
        operand.type, operand.dimensions,
        {{.preparedModel = preparedModel, .role = ArgumentRole::OUTPUT, .index = index}});
    EXPECT_TRUE(buffer->copyFrom(*Region::create(4), {}));
    return buffer;
}

TEST_F(SessionTest, takesTheContentsOfItsOutputBufferWhateverFails) {
    const auto buffer = filledBuffer(model->operand, 1, 0);
    memory.pools.push_back(RequestMemory::managed(buffers->add(buffer)));
    output.location = {.poolIndex = 1, .offset = 0, .length = 0};
    ExecutionSession session = sessionOf();
    model->onRun = [] { return failure(ErrorStatus::GENERAL_FAILURE, "no result"); };
    EXPECT_FALSE(run(session));
    EXPECT_FALSE(buffer->checkContents({}, false)) << "the model";
    ASSERT_TRUE(buffer->copyFrom(*Region::create(4), {}));
    memory.error = failure(ErrorStatus::GENERAL_FAILURE, "no memory");
    EXPECT_FALSE(run(session));
    EXPECT_FALSE(buffer->checkContents({}, false)) << "its source";
    ASSERT_TRUE(buffer->copyFrom(*Region::create(4), {}));
    memory.error = {};
    memory.pools.push_back(RequestMemory::managed(BufferToken{1000}));
    EXPECT_FALSE(run(session));
    EXPECT_FALSE(buffer->checkContents({}, false)) << "another buffer, which does not exist";
}

/// Memory that its other holders can cut.
SharedRegion foreignRegion(std::size_t sizeBytes) {
    UniqueFd fd(::memfd_create("nnburst-test", MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(fd.get(), static_cast<off_t>(sizeBytes)), 0);
    SharedRegion region = *Region::receive(std::move(fd), sizeBytes);
    EXPECT_TRUE(region->isForeign());
    return region;
}

TEST_F(SessionTest, runsAgainAfterThereWasNoMemory) {
    const SharedRegion foreign = foreignRegion(4096);
    const std::array<std::int32_t, 1> seven{7};
    ASSERT_TRUE(foreign->write(0, std::as_bytes(std::span(seven))));
    const auto buffer = filledBuffer(model->operand, 1, 0);
    memory.pools = {RequestMemory::copied(*foreign), RequestMemory::managed(buffers->add(buffer))};
    output.location = {.poolIndex = 1, .offset = 0, .length = 0};
    ExecutionSession session = sessionOf();
    model->onRun = []() -> Result<> { throw std::bad_alloc(); };
    for (int i = 0; i < 2; ++i) {
        const Result<> result = run(session);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
        expectClearedOutcome();
        EXPECT_FALSE(buffer->checkContents({}, false));
    }
    model->onRun = [] { return Result<>(); };
    const Result<> result = run(session);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(buffer->checkContents({}, false));
}

TEST_F(SessionTest, copiesNoWholeInputAfterTheDeadline) {
    constexpr std::uint32_t kBytes = 4 << 20;
    const SharedRegion foreign = foreignRegion(kBytes);
    memory.pools.push_back(RequestMemory::copied(*foreign));
    input.location = {.poolIndex = 1, .offset = 0, .length = kBytes};
    ExecutionSession session = sessionOf();
    const Result<> result = run(session, {.deadline = TimePoint()});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    EXPECT_EQ(model->runs, 0);
    input.location.length = 4;
    EXPECT_TRUE(run(session));
}

/// These copies may block, so they are made outside of the gate, which therefore does not limit
/// what they cost other clients.
TEST_F(SessionTest, readsLongForeignInputsWithALowPriority) {
    const auto niceOf = [](pid_t thread) {
        return ::getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
    };
    const int usual = niceOf(0);
    const int low = [&] {
        const system::ScopedLowPriority scope;
        return niceOf(0);
    }();
    if (low == usual) {
        GTEST_SKIP() << "this process may not change its nice value";
    }
    constexpr std::uint32_t kBytes = 64 << 20;
    const SharedRegion foreign = foreignRegion(kBytes);
    memory.pools.push_back(RequestMemory::copied(*foreign));
    input.location = {.poolIndex = 1, .offset = 0, .length = kBytes};
    model->onRun = [&] {
        EXPECT_EQ(niceOf(0), usual) << "others may wait for the lane of a run";
        return Result<>();
    };
    std::atomic<pid_t> thread{0};
    std::atomic<bool> isOver{false};
    std::thread executing([&] {
        thread = ::gettid();
        ExecutionSession session = sessionOfClient();
        while (!isOver) {
            EXPECT_TRUE(run(session));
        }
    });
    EXPECT_TRUE(test::eventually([&] { return thread != 0 && niceOf(thread) == low; }));
    isOver = true;
    executing.join();
}

TEST_F(SessionTest, leavesTheContentsOfABufferThatItMayNotWrite) {
    for (const auto& buffer :
         {filledBuffer(model->operand, 2, 0), filledBuffer(model->operand, 1, 1)}) {
        memory.pools.resize(1);
        memory.pools.push_back(RequestMemory::managed(buffers->add(buffer)));
        output.location = {.poolIndex = 1, .offset = 0, .length = 0};
        ExecutionSession session = sessionOf();
        const Result<> result = run(session);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
        EXPECT_TRUE(buffer->checkContents({}, false));
    }
}

TEST_F(SessionTest, doesNotBindAfterMemoryWasNotFound) {
    ExecutionSession session = sessionOf();
    memory.error = failure(ErrorStatus::GENERAL_FAILURE, "no memory");
    EXPECT_FALSE(run(session));
    RequestBindings bindings;
    EXPECT_FALSE(session.bind(arguments(), bindings));
}

TEST_F(SessionTest, ofHal12DoesNotKnowDeadlines) {
    ExecutionSession session = sessionOf(HalVersion::V1_2);
    ASSERT_TRUE(run(session, {.measure = MeasureTiming::YES, .deadline = TimePoint()}));
    EXPECT_FALSE(model->lastOptions.deadline);
    EXPECT_NE(outcome.timing.timeInDriver, kTimeNotAvailable);
    EXPECT_EQ(outcome.outputShapes.size(), 1U);
    RequestBindings bindings;
    EXPECT_FALSE(session.bind(arguments(), bindings)) << "nor reusable executions";
}

TEST_F(SessionTest, ofHal11GivesNoShapesAndNoTimes) {
    ExecutionSession session = sessionOf(HalVersion::V1_1);
    ASSERT_TRUE(run(session, {.measure = MeasureTiming::YES}));
    EXPECT_EQ(written(), 7);
    expectClearedOutcome();
}

TEST_F(SessionTest, ofHal11HasFewerStatuses) {
    ExecutionSession session = sessionOf(HalVersion::V1_1);
    model->onRun = [] { return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT, "too late"); };
    const Result<> result = run(session);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
    expectClearedOutcome();
}

}  // namespace
}  // namespace nnburst::exec
