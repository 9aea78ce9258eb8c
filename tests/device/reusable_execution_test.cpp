// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Reusable and submitted executions: on every kind of device they have the same results as plain
/// executions of a burst.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "device/devices.h"
#include "device/foreign_memory.h"
#include "device/hal_models.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

enum class Manner { COMPUTE, SUBMIT, SUBMIT_REUSABLE };

constexpr const char* name(Manner manner) {
    return manner == Manner::COMPUTE  ? "compute"
           : manner == Manner::SUBMIT ? "submit"
                                      : "submit_reusable";
}

OptionalTimePoint past() {
    return TimePoint(std::chrono::steady_clock::now()) - 1h;
}

template <class T>
void expectStatus(const Result<T>& result, ErrorStatus status) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, status) << result.error().message;
}

/// A request on a burst, executed again and again in one manner.
class Execution {
  public:
    Execution(Burst& burst, Manner manner, const Request& request,
              const ExecutionOptions& options = {})
        : burst_(burst), request_(request), options_(options) {
        if (manner != Manner::SUBMIT) {
            auto made = burst.createReusableExecution(request, options);
            EXPECT_TRUE(made) << made.error().message;
            reusable_ = std::move(*made);
        }
        isSubmitted_ = manner != Manner::COMPUTE;
    }

    Result<> run(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) {
        if (!isSubmitted_) {
            return reusable_->compute(deadline, outcome);
        }
        const Result<Submission> submission = submit(deadline);
        if (!submission) {
            return tl::unexpected<Error>(submission.error());
        }
        return burst_.wait(*submission, outcome);
    }

    Result<Submission> submit(const OptionalTimePoint& deadline = {}) {
        if (reusable_) {
            return reusable_->submit(deadline);
        }
        options_.deadline = deadline;
        return burst_.submit(request_, options_);
    }

  private:
    Burst& burst_;
    const Request request_;
    ExecutionOptions options_;
    std::unique_ptr<ReusableExecution> reusable_;
    bool isSubmitted_ = false;
};

class MannerTest : public Devices, public testing::WithParamInterface<std::tuple<Kind, Manner>> {
  protected:
    void SetUp() override { open(std::get<Kind>(GetParam())); }

    static Manner manner() { return std::get<Manner>(GetParam()); }

    void use(const Model& model) {
        prepared = prepare(model);
        ASSERT_NE(prepared, nullptr);
        burst = std::move(*prepared->configureExecutionBurst({.inFlight = 4}));
        plain = std::move(*prepared->configureExecutionBurst({}));
    }

    [[nodiscard]] Execution make(const Request& request, const ExecutionOptions& options = {}) {
        return {*burst, manner(), request, options};
    }

    /// Executes in the manner of the test and plainly, and expects the same of both.
    Result<> run(Execution& execution, SmallRequest& small,
                 const OptionalTimePoint& deadline = {}) {
        std::vector<std::byte> contents;
        const auto outputs = [&] {
            contents.clear();
            for (std::size_t i = 0; i < small.request.outputs.size(); ++i) {
                const auto bytes = small.outputBytes(i);
                contents.insert(contents.end(), bytes.begin(), bytes.end());
            }
            return contents;
        };
        ExecutionOutcome expected;
        small.resetOutputs();
        const Result<> asPlain = plain->execute(small.request, {.deadline = deadline}, expected);
        const std::vector<std::byte> expectedOutputs = outputs();
        outcome = {.outputShapes = {{}, {}, {}}, .timing = {1, 2}};
        small.resetOutputs();
        Result<> result = execution.run(deadline, outcome);
        EXPECT_EQ(result.has_value(), asPlain.has_value());
        if (!result && !asPlain) {
            EXPECT_EQ(result.error().status, asPlain.error().status) << result.error().message;
            EXPECT_EQ(result.error().message, asPlain.error().message);
        }
        EXPECT_EQ(outcome.outputShapes, expected.outputShapes);
        EXPECT_EQ(outcome.timing, expected.timing);
        EXPECT_EQ(outputs(), expectedOutputs);
        return result;
    }

    SharedPreparedModel prepared;
    std::unique_ptr<Burst> burst;
    std::unique_ptr<Burst> plain;
    ExecutionOutcome outcome;
};

const std::vector<float> kFour{1, 2, 3, 4};

SmallRequest fourAndFour(std::uint32_t outputBytes = 16) {
    SmallRequest small;
    small.input(kFour, {4}).input(kFour, {4}).output(outputBytes);
    return small;
}

TEST_P(MannerTest, seesChangedContents) {
    use(makeAddModel());
    SmallRequest small = fourAndFour();
    Execution execution = make(small.request);
    for (int i = 0; i < 50; ++i) {
        small.inputValues<float>(1)[2] = static_cast<float>(i);
        ASSERT_TRUE(run(execution, small));
        ASSERT_EQ(small.output<float>(0)[2], 3.0F + static_cast<float>(i));
    }
}

TEST_P(MannerTest, usesMemoryAgainThatWasFreed) {
    use(makeAddModel());
    SmallRequest small = fourAndFour();
    Execution execution = make(small.request);
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            small.inputValues<float>(0)[0] = static_cast<float>(i + k);
            ASSERT_TRUE(run(execution, small));
            ASSERT_EQ(small.output<float>(0)[0], 1.0F + static_cast<float>(i + k));
        }
        burst->freeMemory(std::get<SharedRegion>(small.request.pools[0]));
    }
}

TEST_P(MannerTest, isNotConfusedByMemoryThatTakesThePlaceOfOther) {
    use(makeAddModel());
    for (int i = 0; i < 10; ++i) {
        SmallRequest small = fourAndFour();
        SmallRequest other = fourAndFour();
        Execution execution = make(small.request);
        other.inputValues<float>(0)[0] = 70.0F;
        ASSERT_TRUE(run(execution, small));
        burst->freeMemory(std::get<SharedRegion>(small.request.pools[0]));
        Execution next = make(other.request);
        ASSERT_TRUE(run(next, other));
        small.inputValues<float>(0)[0] = static_cast<float>(i);
        ASSERT_TRUE(run(execution, small));
        ASSERT_EQ(small.output<float>(0)[0], 1.0F + static_cast<float>(i));
        ASSERT_EQ(other.output<float>(0)[0], 71.0F);
    }
}

TEST_P(MannerTest, givesShapesThatFollowFromValues) {
    use(makeReshapeModel());
    SmallRequest small;
    small.input(std::vector<float>{1, 2, 3, 4, 5, 6}, {})
        .input(std::vector<std::int32_t>{2, 3}, {})
        .output(24);
    Execution execution = make(small.request);
    for (const std::uint32_t rows : {2U, 2U, 3U, 3U, 6U, 1U}) {
        small.inputValues<std::int32_t>(1)[0] = static_cast<std::int32_t>(rows);
        small.inputValues<std::int32_t>(1)[1] = static_cast<std::int32_t>(6 / rows);
        ASSERT_TRUE(run(execution, small));
        ASSERT_EQ(outcome.outputShapes.size(), 1U);
        EXPECT_EQ(outcome.outputShapes[0].dimensions, (Dimensions{rows, 6 / rows}));
    }
}

TEST_P(MannerTest, saysOfEachResultWhetherTheOutputIsTooSmall) {
    use(makeBranchModel());
    SmallRequest small;
    small.input(std::vector<std::uint8_t>{1}, {})
        .input(std::vector<float>{7, 8}, {})
        .output(2 * sizeof(float));  // of the two branches one gives more
    Execution execution = make(small.request);
    for (const bool fits : {true, true, false, false, true, false}) {
        small.inputValues<std::uint8_t>(0)[0] = fits ? 1 : 0;
        const Result<> result = run(execution, small);
        ASSERT_EQ(outcome.outputShapes.size(), 1U);
        EXPECT_EQ(outcome.outputShapes[0],
                  (OutputShape{.dimensions = {fits ? 2U : 4U}, .isSufficient = fits}));
        if (!fits) {
            expectStatus(result, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
        }
    }
}

TEST_P(MannerTest, saysThatAnOutputOfKnownSizeIsTooSmall) {
    use(makeAddModel());
    SmallRequest small = fourAndFour(8);
    Execution execution = make(small.request);
    for (int i = 0; i < 3; ++i) {
        expectStatus(run(execution, small), ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    }
}

TEST_P(MannerTest, refusesWhatBreaksARule) {
    use(makeAddModel());
    SmallRequest small = fourAndFour();
    small.request.inputs[0].location.length = 3;
    Execution execution = make(small.request);
    for (int i = 0; i < 3; ++i) {
        expectStatus(run(execution, small), ErrorStatus::INVALID_ARGUMENT);
    }
    small.request.inputs[0].location = {.poolIndex = 7, .offset = 0, .length = 16};
    small.request.outputs.clear();
    Execution other = make(small.request);
    expectStatus(run(other, small), ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(MannerTest, refusesMemoryThatIsNull) {
    use(makeAddModel());
    SmallRequest small = fourAndFour();
    small.request.pools = {SharedRegion()};
    Execution execution = make(small.request);
    expectStatus(execution.run({}, outcome), ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(MannerTest, keepsTheLastDeadlineThereIs) {
    use(makeAddModel());
    AddRequest add;
    Execution execution = make(add.request);
    const Result<> result = execution.run(TimePoint::max(), outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 13.0F);
}

TEST_P(MannerTest, missesADeadlineInThePastAndGoesOn) {
    use(makeAddModel());
    SmallRequest small = fourAndFour();
    Execution execution = make(small.request);
    for (int i = 0; i < 6; ++i) {
        const bool isLate = i % 2 == 0;
        outcome.outputShapes.resize(3);
        small.resetOutputs();
        const Result<> result = execution.run(
            isLate ? past() : OptionalTimePoint(std::chrono::steady_clock::now() + 1h), outcome);
        EXPECT_EQ(result.has_value(), !isLate) << i;
        if (isLate) {
            ASSERT_FALSE(result);
            EXPECT_TRUE(result.error().status == ErrorStatus::MISSED_DEADLINE_TRANSIENT ||
                        result.error().status == ErrorStatus::MISSED_DEADLINE_PERSISTENT)
                << result.error().message;
            EXPECT_TRUE(outcome.outputShapes.empty());
        } else {
            EXPECT_EQ(small.output<float>(0)[3], 8.0F);
        }
    }
}

TEST_P(MannerTest, measuresIfAsked) {
    use(makeAddModel());
    SmallRequest small = fourAndFour();
    Execution measured = make(small.request, {.measure = MeasureTiming::YES});
    Execution other = make(small.request);
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(measured.run({}, outcome));
        EXPECT_NE(outcome.timing.timeOnDevice, kTimeNotAvailable);
        EXPECT_NE(outcome.timing.timeInDriver, kTimeNotAvailable);
        EXPECT_GE(outcome.timing.timeInDriver, outcome.timing.timeOnDevice);
        ASSERT_TRUE(other.run({}, outcome));
        EXPECT_EQ(outcome.timing, Timing{});
    }
}

TEST_P(MannerTest, limitsLoops) {
    use(makeEndlessModel(0.0F));
    SmallRequest small;  // RELU ends the loop
    small.input(std::vector<float>{-1.0F}, {}).output(sizeof(float));
    Execution limited = make(small.request, {.loopTimeout = 1ns});
    Execution unlimited = make(small.request);
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(limited.run({}, outcome));
        EXPECT_TRUE(outcome.outputShapes.empty());
        EXPECT_TRUE(unlimited.run({}, outcome));
    }
}

// ---- Buffers of the driver

class MannerBufferTest : public MannerTest {
  protected:
    static constexpr RequestArgument kWholeBuffer{.hasNoValue = false,
                                                  .location = {.poolIndex = 1}};

    /// For the first input and the output of makeAddModel().
    AllocatedBuffer allocate() {
        const std::array roles{BufferRole{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}};
        auto allocated = device->allocate({}, std::array{prepared}, roles, roles);
        EXPECT_TRUE(allocated) << allocated.error().message;
        return allocated ? *allocated : AllocatedBuffer();
    }

    static void fill(const AllocatedBuffer& buffer, const std::vector<float>& values) {
        const SharedRegion source = *Region::create(values.size() * sizeof(float));
        ASSERT_TRUE(source->write(0, std::as_bytes(std::span(values))));
        const Result<> copied = buffer.buffer->copyFrom(source, {});
        ASSERT_TRUE(copied) << copied.error().message;
    }

    static std::vector<float> contents(const AllocatedBuffer& buffer) {
        std::vector<float> values(4);
        const SharedRegion destination = *Region::create(16);
        const Result<> copied = buffer.buffer->copyTo(destination);
        EXPECT_TRUE(copied) << copied.error().message;
        EXPECT_TRUE(destination->read(0, std::as_writable_bytes(std::span(values))));
        return values;
    }
};

TEST_P(MannerBufferTest, areInputs) {
    use(makeAddModel());
    const AllocatedBuffer buffer = allocate();
    AddRequest add;
    add.request.pools.emplace_back(buffer.token);
    add.request.inputs[0] = kWholeBuffer;
    Execution execution = make(add.request);
    expectStatus(execution.run({}, outcome), ErrorStatus::GENERAL_FAILURE);  // it holds nothing
    for (int i = 0; i < 4; ++i) {
        fill(buffer, std::vector<float>(4, static_cast<float>(i)));
        const Result<> result = execution.run({}, outcome);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(add.out()[1], 10.0F + static_cast<float>(i));
    }
}

TEST_P(MannerBufferTest, areOutputs) {
    use(makeAddModel());
    const AllocatedBuffer buffer = allocate();
    AddRequest add;
    add.request.pools.emplace_back(buffer.token);
    add.request.outputs[0] = kWholeBuffer;
    Execution execution = make(add.request);
    for (int i = 0; i < 4; ++i) {
        add.a()[0] = static_cast<float>(i);
        const Result<> result = execution.run({}, outcome);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(outcome.outputShapes,
                  (std::vector<OutputShape>{{.dimensions = {4}, .isSufficient = true}}));
        EXPECT_EQ(contents(buffer),
                  (std::vector<float>{10.0F + static_cast<float>(i), 11, 12, 13}));
    }
}

TEST_P(MannerBufferTest, areStatesThatStayInTheDriver) {
    use(makeAddModel());
    const std::array buffers{allocate(), allocate()};
    fill(buffers[0], {0, 0, 0, 0});
    AddRequest add;
    std::vector<Execution> executions;
    for (const std::size_t from : {0U, 1U}) {
        Request request = add.request;
        request.pools.emplace_back(buffers[from].token);
        request.pools.emplace_back(buffers[1 - from].token);
        request.inputs[0] = kWholeBuffer;
        request.outputs[0] = kWholeBuffer;
        request.outputs[0].location.poolIndex = 2;
        executions.push_back(make(request));
    }
    for (std::size_t i = 0; i < 10; ++i) {
        const Result<> result = executions[i % 2].run({}, outcome);
        ASSERT_TRUE(result) << result.error().message;
    }
    EXPECT_EQ(contents(buffers[0]), std::vector<float>(4, 100.0F));
}

TEST_P(MannerBufferTest, areUnknownWhenTheyWereDropped) {
    use(makeAddModel());
    AllocatedBuffer buffer = allocate();
    AddRequest add;
    add.request.pools.emplace_back(buffer.token);
    add.request.outputs[0] = kWholeBuffer;
    Execution execution = make(add.request);
    ASSERT_TRUE(execution.run({}, outcome));
    buffer.buffer = nullptr;
    EXPECT_TRUE(eventually([&] {
        const Result<> result = execution.run({}, outcome);
        return !result && result.error().status == ErrorStatus::INVALID_ARGUMENT;
    }));
}

// ---- Foreign memory

class MannerForeignMemoryTest : public MannerTest {};

TEST_P(MannerForeignMemoryTest, isReadAndWrittenEachTime) {
    use(makeAddModel());
    const ForeignMemory memory(64);
    Execution execution = make(addRequest(memory.region));
    for (int i = 0; i < 4; ++i) {
        const auto base = static_cast<float>(i);
        memory.write(0, {base, 1, 2, 3, 10, 10, 10, 10, -1, -1, -1, -1, 77});
        const Result<> result = execution.run({}, outcome);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(memory.read(32, 5), (std::vector<float>{base + 10, 11, 12, 13, 77}));
    }
}

TEST_P(MannerForeignMemoryTest, thatIsCutMeanwhileIsRefusedAndTheDriverGoesOn) {
    use(makeAddModel());
    const ForeignMemory memory(64);
    Execution execution = make(addRequest(memory.region));
    for (int i = 0; i < 3; ++i) {
        memory.resize(64);
        memory.write(0, {1, 1, 1, 1, 2, 2, 2, 2});
        const Result<> result = execution.run({}, outcome);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(memory.read(32, 1), std::vector<float>{3});
        memory.resize(8);
        expectStatus(execution.run({}, outcome), ErrorStatus::INVALID_ARGUMENT);
    }
}

#define NNBURST_INSTANTIATE_FOR_ALL_MANNERS(suite)                                      \
    INSTANTIATE_TEST_SUITE_P(                                                           \
        Device, suite,                                                                  \
        testing::Combine(                                                               \
            testing::Values(Kind::LOCAL, Kind::SPAWN, Kind::CONNECT),                   \
            testing::Values(Manner::COMPUTE, Manner::SUBMIT, Manner::SUBMIT_REUSABLE)), \
        [](const auto& instance) {                                                      \
            return std::string(name(std::get<Kind>(instance.param))) + "_" +            \
                   name(std::get<Manner>(instance.param));                              \
        })

NNBURST_INSTANTIATE_FOR_ALL_MANNERS(MannerTest);
NNBURST_INSTANTIATE_FOR_ALL_MANNERS(MannerBufferTest);
NNBURST_INSTANTIATE_FOR_ALL_MANNERS(MannerForeignMemoryTest);

// ---- Drivers of older versions

class MannerVersionTest : public MannerTest {
  protected:
    void SetUp() override {}

    /// Of the two ways to execute on a burst again and again, in drivers of each version.
    void openVersion(HalVersion version) {
        device = nullptr;
        open(std::get<Kind>(GetParam()), version);
        use(makeAddModel());
    }
};

TEST_P(MannerVersionTest, givesWhatTheVersionGives) {
    for (const HalVersion version : kHalVersions) {
        SCOPED_TRACE(toString(version));
        openVersion(version);
        SmallRequest small = fourAndFour();
        Execution execution = make(small.request);
        SmallRequest tooSmall = fourAndFour(15);
        Execution failing = make(tooSmall.request);
        Execution measured = make(small.request, {.measure = MeasureTiming::YES});
        for (int i = 0; i < 4; ++i) {
            small.inputValues<float>(0)[3] = static_cast<float>(i);
            ASSERT_TRUE(run(execution, small));
            EXPECT_EQ(small.output<float>(0)[3], 4.0F + static_cast<float>(i));
            EXPECT_EQ(outcome.outputShapes.empty(), version < HalVersion::V1_2);
            expectStatus(run(failing, tooSmall), ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
            EXPECT_EQ(outcome.outputShapes.empty(), version < HalVersion::V1_2);
            EXPECT_EQ(execution.run(past(), outcome).has_value(), version < HalVersion::V1_3);
            ASSERT_TRUE(measured.run({}, outcome));
            EXPECT_EQ(outcome.timing == Timing{}, version < HalVersion::V1_2);
        }
    }
}

NNBURST_INSTANTIATE_FOR_ALL_MANNERS(MannerVersionTest);

// ---- Several in flight

class DeviceInFlightTest : public DeviceTest {
  protected:
    void use(const Model& model) {
        prepared = prepare(model);
        ASSERT_NE(prepared, nullptr);
        burst = std::move(*prepared->configureExecutionBurst({.inFlight = kInFlight}));
    }

    Result<> wait(Submission submission) { return burst->wait(submission, outcome); }

    static constexpr std::uint32_t kInFlight = 4;
    SharedPreparedModel prepared;
    std::unique_ptr<Burst> burst;
    ExecutionOutcome outcome;
};

TEST_P(DeviceInFlightTest, areAnsweredInAnyOrder) {
    use(makeAddModel());
    std::array<AddRequest, kInFlight> adds;
    std::array<std::size_t, kInFlight> order{0, 1, 2, 3};
    do {
        std::array<Submission, kInFlight> submissions{};
        for (std::size_t i = 0; i < kInFlight; ++i) {
            adds[i].a()[0] += 1;
            submissions[i] = *burst->submit(adds[i].request, {});
        }
        for (const std::size_t i : order) {
            ASSERT_TRUE(wait(submissions[i]));
            ASSERT_EQ(adds[i].out()[0], adds[i].a()[0] + 10.0F);
            ASSERT_EQ(outcome.outputShapes.size(), 1U);
        }
    } while (std::ranges::next_permutation(order).found);
}

TEST_P(DeviceInFlightTest, runInTheOrderOfTheirSubmission) {
    use(makeAddModel());
    // Each reads what the one before writes.
    std::array<AddRequest, kInFlight> adds;
    std::vector<std::unique_ptr<ReusableExecution>> executions;
    for (std::size_t i = 0; i < kInFlight; ++i) {
        Request request = adds[i].request;
        if (i > 0) {
            request.pools.push_back(adds[i - 1].request.pools[0]);
            request.inputs[0] = adds[i - 1].request.outputs[0];
            request.inputs[0].location.poolIndex = 1;
        }
        executions.push_back(std::move(*burst->createReusableExecution(request, {})));
    }
    for (int round = 0; round < 50; ++round) {
        adds[0].a()[0] = static_cast<float>(round);
        std::vector<Submission> submissions;
        for (const auto& execution : executions) {
            submissions.push_back(*execution->submit({}));
        }
        for (const Submission submission : submissions) {
            ASSERT_TRUE(wait(submission));
        }
        ASSERT_EQ(adds[3].out()[0], static_cast<float>(round) + 40.0F);
    }
}

TEST_P(DeviceInFlightTest, areAsManyAsConfigured) {
    use(makeAddModel());
    std::array<AddRequest, kInFlight + 1> adds;
    std::vector<Submission> submissions;
    for (std::size_t i = 0; i < kInFlight; ++i) {
        submissions.push_back(*burst->submit(adds[i].request, {}));
    }
    const auto reusable = std::move(*burst->createReusableExecution(adds[4].request, {}));
    expectStatus(burst->submit(adds[4].request, {}), ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    expectStatus(reusable->submit({}), ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    expectStatus(reusable->compute({}, outcome), ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    expectStatus(burst->execute(adds[4].request, {}, outcome),
                 ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    ASSERT_TRUE(wait(submissions[2]));
    EXPECT_TRUE(reusable->compute({}, outcome)) << "beside the others";
    EXPECT_EQ(adds[4].out()[1], 11.0F);
    for (const std::size_t i : {0U, 1U, 3U}) {
        ASSERT_TRUE(wait(submissions[i]));
        expectStatus(wait(submissions[i]), ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST_P(DeviceInFlightTest, withOverlappingOutputsAreRefused) {
    use(makeAddModel());
    AddRequest add;
    Request beside = add.request;
    beside.outputs[0] = add.request.inputs[0];
    beside.inputs[0] = add.request.inputs[1];
    Request overlapping = add.request;
    overlapping.outputs[0].location.offset += 4;
    const Submission submission = *burst->submit(add.request, {});
    for (const Request& request : {add.request, overlapping}) {
        expectStatus(burst->submit(request, {}), ErrorStatus::INVALID_ARGUMENT);
        const auto reusable = std::move(*burst->createReusableExecution(request, {}));
        expectStatus(reusable->submit({}), ErrorStatus::INVALID_ARGUMENT);
    }
    const Result<Submission> other = burst->submit(beside, {});
    ASSERT_TRUE(other) << other.error().message;
    ASSERT_TRUE(wait(submission));
    EXPECT_TRUE(wait(*other));
    const Result<Submission> again = burst->submit(add.request, {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(wait(*again));
}

TEST_P(DeviceInFlightTest, withTheSameBufferAsOutputAreRefused) {
    use(makeAddModel());
    const std::array roles{BufferRole{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}};
    const auto buffer = device->allocate({}, std::array{prepared}, {}, roles);
    ASSERT_TRUE(buffer) << buffer.error().message;
    AddRequest add;
    add.request.pools.emplace_back(buffer->token);
    add.request.outputs[0] = {.hasNoValue = false, .location = {.poolIndex = 1}};
    const Submission submission = *burst->submit(add.request, {});
    expectStatus(burst->submit(add.request, {}), ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(wait(submission));
}

TEST_P(DeviceInFlightTest, getTheirOwnErrors) {
    use(makeAddModel());
    std::array<AddRequest, kInFlight> adds{AddRequest(), AddRequest(4, 8), AddRequest(),
                                           AddRequest()};
    adds[2].request.inputs.pop_back();
    std::vector<Submission> submissions;
    for (const AddRequest& add : adds) {
        submissions.push_back(*burst->submit(add.request, {}));
    }
    ASSERT_TRUE(wait(submissions[3]));
    expectStatus(wait(submissions[2]), ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(outcome.outputShapes.empty());
    expectStatus(wait(submissions[1]), ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_EQ(outcome.outputShapes,
              (std::vector<OutputShape>{{.dimensions = {4}, .isSufficient = false}}));
    ASSERT_TRUE(wait(submissions[0]));
}

TEST_P(DeviceInFlightTest, keepTheirMemoryUntilTheyHaveEnded) {
    use(makeAddModel());
    auto first = std::make_unique<AddRequest>();
    std::vector<SharedRegion> kept{first->pool.region()};
    const Mapping mapping = std::move(*Mapping::map(kept[0]));
    const std::uint32_t offset = first->request.outputs[0].location.offset;
    const Submission submission = *burst->submit(first->request, {});
    kept.clear();
    first = nullptr;
    AddRequest second;
    const Submission next = *burst->submit(second.request, {});
    ASSERT_TRUE(wait(submission));
    EXPECT_EQ(reinterpret_cast<const float*>(mapping.data() + offset)[3], 13.0F);
    ASSERT_TRUE(wait(next));
    EXPECT_EQ(second.out()[3], 13.0F);
}

TEST_P(DeviceInFlightTest, useMemoryThatIsFreedMeanwhile) {
    use(makeAddModel());
    for (int i = 0; i < 20; ++i) {
        const AddRequest first;
        const AddRequest second;
        const auto reusable = std::move(*burst->createReusableExecution(first.request, {}));
        for (const bool isReusable : {false, true, true}) {
            std::fill_n(first.out(), 4, -1.0F);
            std::fill_n(second.out(), 4, -1.0F);
            const Submission one =
                isReusable ? *reusable->submit({}) : *burst->submit(first.request, {});
            burst->freeMemory(first.pool.region());
            const Submission two = *burst->submit(second.request, {});
            const Result<> result = wait(one);
            ASSERT_TRUE(result) << result.error().message;
            ASSERT_TRUE(wait(two));
            ASSERT_EQ(first.out()[2], 12.0F);
            ASSERT_EQ(second.out()[2], 12.0F);
        }
    }
}

TEST_P(DeviceInFlightTest, tellWhatWaitingHasCost) {
    prepared = prepare(makeEndlessModel());
    const WaitPolicy blocking{.mode = WaitMode::BLOCK};
    burst = std::move(
        *prepared->configureExecutionBurst({.clientWait = blocking, .driverWait = blocking}));
    SmallRequest small;
    small.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
    // A client that gets no processor in time finds its result there, without a wait.
    const int most = GetParam() == Kind::LOCAL ? 3 : 100;
    BurstWaitStats stats;
    for (int i = 0; i < most && stats.client.sleeps < 3; ++i) {
        ASSERT_FALSE(burst->execute(small.request, {.loopTimeout = 20ms}, outcome));
        stats = burst->waitStats();
    }
    if (GetParam() == Kind::LOCAL) {
        EXPECT_EQ(stats.client.waits + stats.driver.waits, 0U);
        EXPECT_EQ(stats.client.sleeps + stats.driver.sleeps, 0U);
    } else {
        EXPECT_GE(stats.client.waits, 3U);
        EXPECT_GE(stats.client.sleeps, 3U);
    }
    EXPECT_EQ(stats.client.burnt + stats.driver.burnt, 0ns);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(DeviceInFlightTest);

// ---- Lifetimes of objects

class ReusableLifetimeTest : public DeviceTest {};

void expectService(ReusableExecution& reusable, const AddRequest& add) {
    std::fill_n(add.out(), 4, -1.0F);
    ExecutionOutcome outcome;
    const Result<> result = reusable.compute({}, outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 13.0F);
    EXPECT_EQ(outcome.outputShapes.size(), 1U);
}

TEST_P(ReusableLifetimeTest, objectsMayBeDroppedInAnyOrder) {
    std::array<int, 4> order{0, 1, 2, 3};
    do {
        SharedDevice its = device;
        SharedPreparedModel prepared = prepare(makeAddModel());
        auto burst = std::move(*prepared->configureExecutionBurst({}));
        const AddRequest add;
        auto reusable = std::move(*burst->createReusableExecution(add.request, {}));
        for (const int which : order) {
            if (reusable) {
                expectService(*reusable, add);
            }
            switch (which) {
                case 0:
                    its.reset();
                    break;
                case 1:
                    prepared.reset();
                    break;
                case 2:
                    burst.reset();
                    break;
                default:
                    reusable.reset();
                    break;
            }
        }
    } while (std::ranges::next_permutation(order).found);
    EXPECT_TRUE(device->getCapabilities());
}

TEST_P(ReusableLifetimeTest, aReusableExecutionKeepsAllThatItNeeds) {
    SharedPreparedModel prepared = prepare(makeAddModel());
    auto burst = std::move(*prepared->configureExecutionBurst({}));
    const AddRequest add;
    const auto reusable = std::move(*burst->createReusableExecution(add.request, {}));
    burst.reset();
    prepared.reset();
    device.reset();
    for (int i = 0; i < 3; ++i) {  // the driver asks for the memory when all else is gone
        expectService(*reusable, add);
    }
}

TEST_P(ReusableLifetimeTest, aBurstMayBeDroppedWithExecutionsInFlight) {
    const SharedPreparedModel prepared = prepare(makeEndlessModel());
    for (int i = 0; i < 3; ++i) {
        auto burst = std::move(*prepared->configureExecutionBurst({.inFlight = 2}));
        SmallRequest one;
        one.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
        SmallRequest two;
        two.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
        auto reusable =
            std::move(*burst->createReusableExecution(two.request, {.loopTimeout = 5ms}));
        ASSERT_TRUE(burst->submit(one.request, {.loopTimeout = 5ms}));
        ASSERT_TRUE(reusable->submit({}));
        if (i % 2 == 0) {
            reusable.reset();
        }
        burst.reset();
    }
    EXPECT_TRUE(device->getCapabilities());
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(ReusableLifetimeTest);

// ---- Dead drivers

class DeadDriverTest : public testing::Test {
  protected:
    void SetUp() override {
        auto spawned = spawnDriver({}, NNBURST_DRIVER_PATH);
        ASSERT_TRUE(spawned) << spawned.error().message;
        device = *spawned;
        auto made = prepareModel(*device, makeEndlessModel());
        ASSERT_TRUE(made) << made.error().message;
        prepared = *made;
        burst = std::move(*prepared->configureExecutionBurst({.inFlight = 4}));
        for (SmallRequest& small : requests) {
            small.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
        }
    }

    static void kill() {
        for (const pid_t driver : spawnedDrivers()) {
            ::kill(driver, SIGKILL);
        }
        EXPECT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
    }

    static constexpr ExecutionOptions kLong{.loopTimeout = 15s};
    SharedDevice device;
    SharedPreparedModel prepared;
    std::unique_ptr<Burst> burst;
    std::array<SmallRequest, 4> requests;
    ExecutionOutcome outcome;
};

TEST_F(DeadDriverTest, failsWhatIsInFlightAndWhatComesLater) {
    const auto reusable = std::move(*burst->createReusableExecution(requests[2].request, kLong));
    const std::array submissions{*burst->submit(requests[0].request, kLong),
                                 *burst->submit(requests[1].request, kLong), *reusable->submit({})};
    kill();
    for (const Submission submission : submissions) {
        expectStatus(burst->wait(submission, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
        EXPECT_TRUE(outcome.outputShapes.empty());
        expectStatus(burst->wait(submission, outcome), ErrorStatus::INVALID_ARGUMENT);
    }
    expectStatus(reusable->compute({}, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
    expectStatus(reusable->submit({}), ErrorStatus::DEVICE_UNAVAILABLE);
    expectStatus(burst->submit(requests[3].request, {}), ErrorStatus::DEVICE_UNAVAILABLE);
    const auto late = burst->createReusableExecution(requests[3].request, {});
    ASSERT_TRUE(late) << "it makes no call to the driver";
    expectStatus((*late)->compute({}, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST_F(DeadDriverTest, failsTheComputationThatWaits) {
    const auto reusable = std::move(*burst->createReusableExecution(requests[0].request, kLong));
    std::jthread killer([] {
        std::this_thread::sleep_for(50ms);
        kill();
    });
    expectStatus(reusable->compute({}, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST_F(DeadDriverTest, failsAComputationWhoseBurstIsGone) {
    const auto reusable = std::move(*burst->createReusableExecution(requests[0].request, kLong));
    burst.reset();
    std::jthread killer([] {
        std::this_thread::sleep_for(50ms);
        kill();
    });
    expectStatus(reusable->compute({}, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
}

}  // namespace
}  // namespace nnburst::test
