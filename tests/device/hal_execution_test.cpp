// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Rules of the HAL's IPreparedModel and IExecutionCallback (docs/hal.md).

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "device/devices.h"
#include "device/hal_models.h"
#include "nnburst/fence.h"
#include "nnburst/model_builder.h"
#include "support/mutation_subjects.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;
using enum OperandType;

/// Never reached.
constexpr std::chrono::minutes kFarAway{10};

TimePoint afterNow(std::chrono::nanoseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

/// LSH_PROJECTION (sparse) of in[2] with an optional weight.
Model makeOptionalModel() {
    ModelBuilder builder;
    const auto hash = builder.addConstant(
        TENSOR_FLOAT32, {2, 2},
        std::as_bytes(std::span<const float>(std::initializer_list<float>{1, 2, -1, 0.5F})));
    const auto in = builder.addTensor(TENSOR_INT32, {3, 2});
    const auto weight = builder.addTensor(TENSOR_FLOAT32, {3});
    const auto type = builder.addScalar(std::int32_t{3});
    const auto out = builder.addTensor(TENSOR_INT32, {2});
    builder.addOperation(OperationType::LSH_PROJECTION, {hash, in, weight, type}, {out});
    return std::move(*builder.build({in, weight}, {out}));
}

SmallRequest endlessRequest() {
    SmallRequest small;
    small.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
    return small;
}

/// A request of makeAddModel() and a buffer for its first input and its output.
struct BufferRequest {
    BufferRequest(Device& device, SharedPreparedModel model) : prepared(std::move(model)) {
        const std::array<BufferRole, 1> roles{
            BufferRole{.modelIndex = 0, .ioIndex = 0, .frequency = 1}};
        auto allocated = device.allocate({}, std::array{prepared}, roles, roles);
        EXPECT_TRUE(allocated) << allocated.error().message;
        buffer = *allocated;
        add.request.pools.emplace_back(buffer.token);
        std::fill(add.a(), add.a() + 4, 1.0F);
        std::fill(add.b(), add.b() + 4, 2.0F);
    }

    [[nodiscard]] Request reading() const {
        Request request = add.request;
        request.inputs[0] = kWhole;
        return request;
    }
    [[nodiscard]] Request writing() const {
        Request request = add.request;
        request.outputs[0] = kWhole;
        return request;
    }
    [[nodiscard]] Request readingAndWriting() const {
        Request request = reading();
        request.outputs[0] = kWhole;
        return request;
    }

    void fill() const { ASSERT_TRUE(buffer.buffer->copyFrom(*Region::create(16), {})); }
    [[nodiscard]] bool isEmpty() const {
        const Result<> copied = buffer.buffer->copyTo(*Region::create(16));
        return !copied && copied.error().status == ErrorStatus::GENERAL_FAILURE;
    }

    static constexpr RequestArgument kWhole{.hasNoValue = false, .location = {.poolIndex = 1}};
    SharedPreparedModel prepared;
    AllocatedBuffer buffer;
    AddRequest add;
};

// ---- All kinds of execution

class HalExecutionTest : public ExecutionTest {};

TEST_P(HalExecutionTest, aValidRequestSucceedsEveryTime) {
    use(makeAddModel());
    for (int i = 0; i < 20; ++i) {
        expectService();
    }
}

TEST_P(HalExecutionTest, refusesAValueThatPreparationWouldRefuseInAConstant) {
    ModelBuilder builder;
    const auto row = builder.addTensor(TENSOR_FLOAT32, {1, 2});
    const auto axis = builder.addTensor(INT32, {});
    const auto joined = builder.addTensor(TENSOR_FLOAT32, {0, 0});
    builder.addOperation(OperationType::CONCATENATION, {row, row, axis}, {joined});
    use(std::move(*builder.build({row, axis}, {joined})));
    const auto concatenate = [&](std::int32_t value) {
        SmallRequest small;
        small.input(std::vector<float>{1, 2}, {})
            .input(std::vector<std::int32_t>{value}, {})
            .output(4 * sizeof(float));
        return execute(small.request);
    };
    for (const std::int32_t value : {2, -1, INT32_MAX, INT32_MIN}) {
        const Result<> refused = concatenate(value);
        ASSERT_FALSE(refused) << value;
        EXPECT_EQ(refused.error().status, ErrorStatus::INVALID_ARGUMENT) << value;
        EXPECT_TRUE(outcome.outputShapes.empty()) << value;
        ASSERT_TRUE(concatenate(1));
        EXPECT_EQ(outcome.outputShapes.at(0).dimensions, (Dimensions{1, 4}));
    }
}

TEST_P(HalExecutionTest, inputsStayAsTheyWere) {
    use(makeAddModel());
    AddRequest add;
    const std::vector<float> a(add.a(), add.a() + 4);
    const std::vector<float> b(add.b(), add.b() + 4);
    ASSERT_TRUE(execute(add.request));
    EXPECT_TRUE(std::equal(a.begin(), a.end(), add.a()));
    EXPECT_TRUE(std::equal(b.begin(), b.end(), add.b()));
}

/// Also where an operation could compute in the place of its input.
TEST_P(HalExecutionTest, inputsOfEachOperationStayAsTheyWere) {
    for (const Subject& valid : subjects()) {
        SCOPED_TRACE(valid.name);
        use(valid.model);
        SubjectRequest request(valid);
        request.reset();
        const std::vector<std::byte> before = request.inputs();
        const Result<> result = execute(request.request());
        EXPECT_TRUE(result) << result.error().message;
        EXPECT_EQ(request.inputs(), before);
    }
}

TEST_P(HalExecutionTest, differentShapesAtOnceOnOneModel) {
    use(makeAddModel(0));
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> threads;
        for (std::uint32_t count = 1; count <= 4; ++count) {
            threads.emplace_back([&, count] {
                const auto own = std::move(*prepared->configureExecutionBurst({}));
                for (int i = 0; i < 100; ++i) {
                    AddRequest add(count);
                    ExecutionOutcome its;
                    const Result<> result =
                        std::get<Way>(GetParam()) == Way::BURST
                            ? own->execute(add.request, {}, its)
                            : prepared->executeSynchronously(add.request, {}, its);
                    if (!result || its.outputShapes.at(0).dimensions != Dimensions{count} ||
                        add.out()[count - 1] != static_cast<float>(count + 9)) {
                        ++wrong;
                    }
                }
            });
        }
    }
    EXPECT_EQ(wrong, 0);
}

TEST_P(HalExecutionTest, allKindsAtOnceOnOneModel) {
    use(makeAddModel());
    constexpr int kAtOnce = 16;
    std::vector<AddRequest> requests(kAtOnce);
    std::vector<std::promise<Result<>>> ends(kAtOnce);
    std::vector<FencedExecution> fenced;
    for (int i = 0; i < kAtOnce; i += 2) {
        auto execution = prepared->executeFenced(requests[i].request, {}, {}, std::nullopt);
        ASSERT_TRUE(execution) << execution.error().message;
        fenced.push_back(std::move(*execution));
        ASSERT_TRUE(prepared->execute(
            requests[i + 1].request, {},
            [&end = ends[i]](Result<> status, const ExecutionOutcome&) { end.set_value(status); }));
        expectService();
    }
    for (int i = 0; i < kAtOnce; i += 2) {
        EXPECT_TRUE(ends[i].get_future().get());
        Timing launched;
        Timing afterFences;
        const FencedExecution& execution = fenced[static_cast<std::size_t>(i) / 2];
        EXPECT_TRUE(
            eventually([&] { return execution.callback(launched, afterFences).has_value(); }));
    }
    for (const AddRequest& add : requests) {
        EXPECT_EQ(add.out()[3], 13.0F);
    }
}

TEST_P(HalExecutionTest, keepsADeadlineThatIsFarAway) {
    use(makeAddModel());
    AddRequest add;
    const Result<> result = execute(add.request, {.deadline = afterNow(kFarAway)});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 13.0F);
}

TEST_P(HalExecutionTest, keepsTheLastDeadlineThereIs) {
    use(makeAddModel());
    AddRequest add;
    const Result<> result = execute(add.request, {.deadline = TimePoint::max(),
                                                  .loopTimeout = std::chrono::nanoseconds::max()});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 13.0F);
}

TEST_P(HalExecutionTest, missesTheFirstDeadlineThereIs) {
    use(makeAddModel());
    AddRequest add;
    const Result<> result = execute(add.request, {.deadline = TimePoint::min()});
    ASSERT_FALSE(result);
    EXPECT_TRUE(isMissedDeadline(result.error().status)) << toString(result.error().status);
}

TEST_P(HalExecutionTest, aDeadlineEndsALoop) {
    use(makeEndlessModel());
    const SmallRequest small = endlessRequest();
    const Result<> result =
        execute(small.request, {.deadline = afterNow(50ms), .loopTimeout = 10s});
    ASSERT_FALSE(result);
    EXPECT_TRUE(isMissedDeadline(result.error().status)) << toString(result.error().status);
    EXPECT_EQ(result.error().message.find("time limit of the WHILE"), std::string::npos)
        << result.error().message;
}

TEST_P(HalExecutionTest, aLoopTimeoutEndsALoop) {
    use(makeEndlessModel());
    const SmallRequest small = endlessRequest();
    const Result<> result = execute(small.request, {.loopTimeout = 20ms});
    ASSERT_FALSE(result);
    EXPECT_TRUE(isMissedDeadline(result.error().status)) << toString(result.error().status);
}

TEST_P(HalExecutionTest, measuresNothingThatFails) {
    use(makeAddModel());
    AddRequest add;
    ASSERT_TRUE(execute(add.request, {.measure = MeasureTiming::YES}));
    EXPECT_NE(outcome.timing, Timing{});
    AddRequest tooSmall(4, sizeof(float));
    ASSERT_FALSE(execute(tooSmall.request, {.measure = MeasureTiming::YES}));
    EXPECT_EQ(outcome.timing, Timing{});
    add.request.inputs.pop_back();
    ASSERT_FALSE(execute(add.request, {.measure = MeasureTiming::YES}));
    EXPECT_EQ(outcome.timing, Timing{});
}

TEST_P(HalExecutionTest, theDriverServesAfterOverlappingArguments) {
    use(makeAddModel());
    AddRequest add;
    add.request.outputs[0].location = add.request.inputs[0].location;
    (void)execute(add.request);
    expectService();
}

TEST_P(HalExecutionTest, poolsMayBeNamedTwiceOrHaveNoUse) {
    use(makeAddModel());
    AddRequest add;
    add.request.pools.push_back(add.request.pools[0]);
    add.request.pools.emplace_back(*Region::create(4096));
    add.request.inputs[1].location.poolIndex = 1;
    const Result<> result = execute(add.request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 13.0F);
}

/// Bytes of a request that lie at any offset of one pool.
class BytewiseRequest {
  public:
    BytewiseRequest() { request.pools = {memory_.region()}; }

    RequestArgument place(std::uint32_t offset, std::uint32_t length) const {
        return {.location = {.poolIndex = 0, .offset = offset, .length = length}};
    }
    void write(std::uint32_t offset, const std::vector<float>& values) {
        std::memcpy(memory_.data() + offset, values.data(), values.size() * sizeof(float));
    }
    [[nodiscard]] std::vector<float> read(std::uint32_t offset, std::size_t count) const {
        std::vector<float> values(count);
        std::memcpy(values.data(), memory_.data() + offset, count * sizeof(float));
        return values;
    }
    [[nodiscard]] std::byte byteAt(std::uint32_t offset) const { return memory_.data()[offset]; }

    Request request;

  private:
    Mapping memory_ = std::move(*Mapping::map(*Region::create(256)));
};

TEST_P(HalExecutionTest, argumentsMayLieAtAnyOffset) {
    use(makeAddModel());
    for (const std::uint32_t shift : {1U, 2U, 3U, 5U}) {
        BytewiseRequest bytes;
        bytes.write(shift, {1, 2, 3, 4});
        bytes.write(64, {10, 20, 30, 40});
        bytes.request.inputs = {bytes.place(shift, 16), bytes.place(64, 16)};
        bytes.request.outputs = {bytes.place(128 + shift, 16)};
        for (int run = 0; run < 3; ++run) {
            bytes.write(128 + shift, {0, 0, 0, 0});
            const Result<> result = execute(bytes.request, {.measure = MeasureTiming::YES});
            ASSERT_TRUE(result) << result.error().message;
            EXPECT_EQ(bytes.read(128 + shift, 4), (std::vector<float>{11, 22, 33, 44})) << shift;
            ASSERT_EQ(outcome.outputShapes.size(), 1U);
            EXPECT_TRUE(outcome.outputShapes[0].isSufficient);
        }
        EXPECT_EQ(bytes.byteAt(127 + shift), std::byte{0});
        EXPECT_EQ(bytes.byteAt(144 + shift), std::byte{0});
    }
}

TEST_P(HalExecutionTest, anOutputAtAnyOffsetMayBeTooSmallOrTooLarge) {
    use(makeAddModel());
    BytewiseRequest bytes;
    bytes.write(0, {1, 2, 3, 4});
    bytes.request.inputs = {bytes.place(0, 16), bytes.place(0, 16)};
    bytes.request.outputs = {bytes.place(129, 8)};
    const Result<> small = execute(bytes.request);
    ASSERT_FALSE(small);
    EXPECT_EQ(small.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_EQ(bytes.read(129, 4), (std::vector<float>{0, 0, 0, 0}));
    bytes.write(145, {7});
    bytes.request.outputs = {bytes.place(129, 24)};
    ASSERT_TRUE(execute(bytes.request));
    EXPECT_EQ(bytes.read(129, 5), (std::vector<float>{2, 4, 6, 8, 7}));
}

TEST_P(HalExecutionTest, refusesAMeasureTimingThatTheHalDoesNotHave) {
    use(makeAddModel());
    for (const std::int32_t code : {-1, 2}) {
        AddRequest add;
        const Result<> result = execute(add.request, {.measure = static_cast<MeasureTiming>(code)});
        ASSERT_FALSE(result) << code;
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
        EXPECT_TRUE(outcome.outputShapes.empty());
        const auto fenced = prepared->executeFenced(
            add.request, {}, {.measure = static_cast<MeasureTiming>(code)}, std::nullopt);
        ASSERT_FALSE(fenced) << code;
        EXPECT_EQ(fenced.error().status, ErrorStatus::INVALID_ARGUMENT);
        expectService();
    }
}

TEST_P(HalExecutionTest, anOptionalInputMayBeOmitted) {
    use(makeOptionalModel());
    const std::vector<std::int32_t> values{1, 2, 3, 4, 5, 6};
    SmallRequest given;
    given.input(values, {}).input(std::vector<float>{1, 1, 1}, {}).output(8);
    const Result<> withWeight = execute(given.request);
    ASSERT_TRUE(withWeight) << withWeight.error().message;
    SmallRequest omitted;
    omitted.input(values, {}).omittedInput().output(8);
    const Result<> without = execute(omitted.request);
    ASSERT_TRUE(without) << without.error().message;
    EXPECT_TRUE(std::ranges::equal(given.outputBytes(0), omitted.outputBytes(0)));
}

TEST_P(HalExecutionTest, otherInputsCannotBeOmitted) {
    use(makeAddModel());
    SmallRequest small;
    small.omittedInput().input(std::vector<float>{1, 2, 3, 4}, {}).output(16);
    const Result<> result = execute(small.request);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT) << result.error().message;
}

NNBURST_INSTANTIATE_FOR_ALL_EXECUTIONS(HalExecutionTest);

// ---- The loop timeout

class HalLoopTimeoutTest : public DeviceTest {
  protected:
    std::chrono::nanoseconds timeUntilTheLoopEnds(const ExecutionOptions& options) {
        const SharedPreparedModel prepared = prepare(makeEndlessModel());
        const SmallRequest small = endlessRequest();
        ExecutionOutcome outcome;
        const auto start = std::chrono::steady_clock::now();
        const Result<> result = prepared->executeSynchronously(small.request, options, outcome);
        EXPECT_FALSE(result);
        EXPECT_TRUE(isMissedDeadline(result.error().status)) << toString(result.error().status);
        return std::chrono::steady_clock::now() - start;
    }
};

TEST_P(HalLoopTimeoutTest, is2SecondsUnlessGiven) {
    static_assert(kDefaultLoopTimeout == 2s);
    auto longer =
        std::async(std::launch::async, [&] { (void)timeUntilTheLoopEnds({.loopTimeout = 3s}); });
    EXPECT_GE(timeUntilTheLoopEnds({}), 2s);
    EXPECT_EQ(longer.wait_for(0s), std::future_status::timeout) << "3 s ended before the default";
}

TEST_P(HalLoopTimeoutTest, isAtMost15Seconds) {
    static_assert(kMaximumLoopTimeout == 15s);
    // The loop ends, and not before its timeout.
    EXPECT_GE(timeUntilTheLoopEnds({.loopTimeout = std::chrono::hours(1)}), 15s);
}

TEST_P(HalLoopTimeoutTest, isThatOfTheExecutionInEveryWay) {
    const SharedPreparedModel prepared = prepare(makeEndlessModel(0.0F));
    SmallRequest once;  // RELU ends the loop
    once.input(std::vector<float>{-1.0F}, {}).output(sizeof(float));
    const Request& request = once.request;
    ExecutionOutcome outcome;
    using Execute = std::function<Result<>(const ExecutionOptions&)>;
    const Execute asynchronously = [&](const ExecutionOptions& options) {
        std::promise<Result<>> ended;
        (void)prepared->execute(
            request, options,
            [&](const Result<>& status, const ExecutionOutcome&) { ended.set_value(status); });
        return ended.get_future().get();
    };
    const Execute fenced = [&](const ExecutionOptions& options) -> Result<> {
        NNBURST_TRY_ASSIGN(const FencedExecution execution,
                           prepared->executeFenced(request, {}, options, {}));
        (void)waitForFence(execution.fence.get(), std::chrono::steady_clock::now() + kWatchdog);
        Timing timing;
        return execution.callback(timing, timing);
    };
    const Execute inABurst = [&](const ExecutionOptions& options) -> Result<> {
        NNBURST_TRY_ASSIGN(const auto burst, prepared->configureExecutionBurst({}));
        return burst->execute(request, options, outcome);
    };
    const Execute reusable = [&](const ExecutionOptions& options) -> Result<> {
        NNBURST_TRY_ASSIGN(const auto burst, prepared->configureExecutionBurst({}));
        NNBURST_TRY_ASSIGN(const auto execution, burst->createReusableExecution(request, options));
        return execution->compute({}, outcome);
    };
    const std::array<Execute, 4> ways{asynchronously, fenced, inABurst, reusable};
    for (std::size_t way = 0; way < ways.size(); ++way) {
        const Result<> ended = ways[way]({});
        EXPECT_TRUE(ended) << way << ": " << ended.error().message;
        const Result<> late = ways[way]({.loopTimeout = 1ns});
        ASSERT_FALSE(late) << way;
        EXPECT_TRUE(isMissedDeadline(late.error().status)) << way << ": " << late.error().message;
    }
}

INSTANTIATE_TEST_SUITE_P(Device, HalLoopTimeoutTest, testing::Values(Kind::LOCAL, Kind::SPAWN),
                         [](const auto& instance) { return name(instance.param); });

// ---- execute

class HalAsynchronousTest : public DeviceTest {
  protected:
    struct Answers {
        Result<> launched;
        Result<> ended;
        ExecutionOutcome outcome;
    };

    /// Does not see a second callback: HalCallbackCountTest counts.
    Answers answersOf(PreparedModel& prepared, const Request& request,
                      const ExecutionOptions& options = {}) {
        ExecutionOutcome outcome;
        std::promise<Result<>> promise;
        Result<> launched =
            prepared.execute(request, options, [&](Result<> status, const ExecutionOutcome& its) {
                outcome = its;
                promise.set_value(std::move(status));
            });
        Result<> ended = promise.get_future().get();
        return {std::move(launched), std::move(ended), std::move(outcome)};
    }

    /// The launch and the callback say the same.
    static void expectRefusal(const Answers& answers, ErrorStatus status) {
        ASSERT_FALSE(answers.launched);
        EXPECT_EQ(answers.launched.error().status, status) << answers.launched.error().message;
        ASSERT_FALSE(answers.ended);
        EXPECT_EQ(answers.ended.error().status, status) << answers.ended.error().message;
        EXPECT_TRUE(answers.outcome.outputShapes.empty());
    }
};

TEST_P(HalAsynchronousTest, callsBackOnceInEveryCase) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    AddRequest add;
    const Answers good = answersOf(*prepared, add.request);
    EXPECT_TRUE(good.launched);
    EXPECT_TRUE(good.ended);
    EXPECT_EQ(good.outcome.outputShapes.size(), 1U);

    AddRequest small(4, sizeof(float));
    const Answers tooSmall = answersOf(*prepared, small.request);
    ASSERT_FALSE(tooSmall.ended);
    EXPECT_EQ(tooSmall.ended.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_EQ(tooSmall.outcome.outputShapes.size(), 1U);

    const Answers late = answersOf(*prepared, add.request, {.deadline = afterNow(-1s)});
    ASSERT_FALSE(late.ended);
    EXPECT_TRUE(isMissedDeadline(late.ended.error().status));
    EXPECT_TRUE(late.outcome.outputShapes.empty());

    add.request.pools.clear();
    const Answers invalid = answersOf(*prepared, add.request);
    ASSERT_FALSE(invalid.ended);
    EXPECT_EQ(invalid.ended.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(invalid.outcome.outputShapes.empty());
}

TEST_P(HalAsynchronousTest, launchesWithADeadlineOfNowAndMissesItInTheCallback) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const AddRequest add;
    const Answers late = answersOf(*prepared, add.request, {.deadline = afterNow(0s)});
    EXPECT_TRUE(late.launched) << late.launched.error().message;
    ASSERT_FALSE(late.ended);
    EXPECT_TRUE(isMissedDeadline(late.ended.error().status)) << late.ended.error().message;
}

TEST_P(HalAsynchronousTest, launchesWithAnOutputThatIsTooSmallAndSaysSoInTheCallback) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const AddRequest small(4, sizeof(float));
    const Answers tooSmall = answersOf(*prepared, small.request);
    EXPECT_TRUE(tooSmall.launched) << tooSmall.launched.error().message;
    ASSERT_FALSE(tooSmall.ended);
    EXPECT_EQ(tooSmall.ended.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
}

TEST_P(HalAsynchronousTest, returnsWhatItTellsTheCallback) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    AddRequest add;
    add.request.inputs.pop_back();
    const Answers answers = answersOf(*prepared, add.request);
    ASSERT_FALSE(answers.launched);
    ASSERT_FALSE(answers.ended);
    EXPECT_EQ(answers.launched.error().status, answers.ended.error().status);
    EXPECT_EQ(answers.launched.error().message, answers.ended.error().message);
}

TEST_P(HalAsynchronousTest, refusesAtTheLaunchToOmitARequiredInput) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    SmallRequest small;
    small.omittedInput().input(std::vector<float>{1, 2, 3, 4}, {}).output(16);
    expectRefusal(answersOf(*prepared, small.request), ErrorStatus::INVALID_ARGUMENT);
    const SharedPreparedModel optional = prepare(makeOptionalModel());
    SmallRequest allowed;
    allowed.input(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}, {}).omittedInput().output(8);
    const Answers good = answersOf(*optional, allowed.request);
    EXPECT_TRUE(good.launched) << good.launched.error().message;
    EXPECT_TRUE(good.ended) << good.ended.error().message;
}

TEST_P(HalAsynchronousTest, refusesAtTheLaunchToReadABufferThatHoldsNothing) {
    BufferRequest add(*device, prepare(makeAddModel()));
    expectRefusal(answersOf(*add.prepared, add.reading()), ErrorStatus::GENERAL_FAILURE);
    ASSERT_TRUE(answersOf(*add.prepared, add.writing()).ended);
    const Answers good = answersOf(*add.prepared, add.reading());
    EXPECT_TRUE(good.launched) << good.launched.error().message;
    EXPECT_TRUE(good.ended) << good.ended.error().message;
}

TEST_P(HalAsynchronousTest, refusesAtTheLaunchToReadAndWriteOneBuffer) {
    BufferRequest add(*device, prepare(makeAddModel()));
    for (int i = 0; i < 2; ++i) {  // with contents, then without
        expectRefusal(answersOf(*add.prepared, add.readingAndWriting()),
                      ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST_P(HalAsynchronousTest, keepsABufferThatIsDroppedAfterTheLaunch) {
    BufferRequest add(*device, prepare(makeAddModel()));
    // A few that take the threads for executions, so that the last ones have to wait.
    const SharedPreparedModel endless = prepare(makeEndlessModel());
    const SmallRequest small = endlessRequest();
    std::vector<std::future<Result<>>> ended;
    const auto launch = [&](PreparedModel& prepared, const Request& request) {
        auto promise = std::make_shared<std::promise<Result<>>>();
        ended.push_back(promise->get_future());
        return prepared.execute(request, {.loopTimeout = 100ms},
                                [promise](Result<> status, const ExecutionOutcome&) {
                                    promise->set_value(std::move(status));
                                });
    };
    for (int i = 0; i < 8; ++i) {
        ASSERT_TRUE(launch(*endless, small.request));
    }
    ASSERT_TRUE(launch(*add.prepared, add.writing()));
    add.buffer.buffer = nullptr;
    const Result<> last = ended.back().get();
    EXPECT_TRUE(last) << last.error().message;
}

TEST_P(HalAsynchronousTest, refusesToWorkWithoutACallback) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const AddRequest add;
    const Result<> launched = prepared->execute(add.request, {}, nullptr);
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(add.out()[0], -1.0F);
}

TEST_P(HalAsynchronousTest, anOutputOfALaunchWithoutACallbackHoldsNothing) {
    BufferRequest add(*device, prepare(makeAddModel()));
    ASSERT_TRUE(answersOf(*add.prepared, add.writing()).ended);
    EXPECT_FALSE(add.prepared->execute(add.writing(), {}, nullptr));
    expectRefusal(answersOf(*add.prepared, add.reading()), ErrorStatus::GENERAL_FAILURE);
}

TEST_P(HalAsynchronousTest, theLastReferenceMayBeDroppedInACallback) {
    SharedPreparedModel prepared = prepare(makeAddModel());
    const AddRequest add;
    std::promise<void> returned;  // from the launch, which is a use of the model
    std::promise<void> dropped;
    const Result<> launched =
        prepared->execute(add.request, {}, [&](const Result<>&, const ExecutionOutcome&) {
            returned.get_future().wait();
            prepared.reset();
            device.reset();
            dropped.set_value();
        });
    EXPECT_TRUE(launched) << launched.error().message;
    returned.set_value();
    EXPECT_EQ(dropped.get_future().wait_for(kWatchdog), std::future_status::ready);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(HalAsynchronousTest);

// ---- executeFenced

class HalFencedTest : public DeviceTest {
  protected:
    /// The result of the execution.
    static Result<> end(const FencedExecution& execution, Timing& launched, Timing& fenced) {
        if (execution.fence) {
            (void)waitForFence(execution.fence.get(), std::chrono::steady_clock::now() + kWatchdog);
        }
        return execution.callback(launched, fenced);
    }
    Result<> end(const FencedExecution& execution) { return end(execution, launched_, fenced_); }

    Timing launched_;
    Timing fenced_;
};

TEST_P(HalFencedTest, refusesAtTheLaunchWhatItCanNeverExecute) {
    const UniqueFd fence = std::move(*makeFence());
    const std::array<int, 1> waitFor{fence.get()};
    BufferRequest add(*device, prepare(makeAddModel()));
    Request omitting = add.add.request;
    omitting.inputs[0] = {.hasNoValue = true, .location = {}, .dimensions = {}};
    const auto expectRefusal = [&](const Request& request, ErrorStatus status) {
        const auto execution = add.prepared->executeFenced(request, waitFor, {}, std::nullopt);
        ASSERT_FALSE(execution);
        EXPECT_EQ(execution.error().status, status) << execution.error().message;
    };
    expectRefusal(omitting, ErrorStatus::INVALID_ARGUMENT);
    expectRefusal(add.reading(), ErrorStatus::GENERAL_FAILURE);
    expectRefusal(add.readingAndWriting(), ErrorStatus::INVALID_ARGUMENT);
    add.fill();
    expectRefusal(add.readingAndWriting(), ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(HalFencedTest, readsABufferThatAnExecutionWritesBeforeItsFence) {
    const UniqueFd fence = std::move(*makeFence());
    const BufferRequest add(*device, prepare(makeAddModel()));
    const auto writing =
        add.prepared->executeFenced(add.writing(), std::array{fence.get()}, {}, std::nullopt);
    ASSERT_TRUE(writing) << writing.error().message;
    EXPECT_FALSE(add.prepared->executeFenced(add.reading(), {}, {}, std::nullopt))
        << "it waits for nothing";
    const auto reading = add.prepared->executeFenced(
        add.reading(), std::array{writing->fence.get()}, {}, std::nullopt);
    ASSERT_TRUE(reading) << reading.error().message;
    signalFence(fence.get());
    const Result<> ended = end(*reading);
    ASSERT_TRUE(ended) << ended.error().message;
    EXPECT_EQ(add.add.out()[3], 5.0F);
}

TEST_P(HalFencedTest, doesNotTellOfAnInvalidArgumentAfterTheLaunch) {
    const SharedPreparedModel prepared = prepare(makeReshapeModel());
    SmallRequest small;  // the shape that is computed is another one than that of the request
    small.input(std::vector<float>{1, 2, 3, 4, 5, 6}, {})
        .input(std::vector<std::int32_t>{2, 3}, {})
        .output(24, {3, 2});
    const auto execution = prepared->executeFenced(small.request, {}, {}, std::nullopt);
    ASSERT_TRUE(execution) << execution.error().message;
    const Result<> ended = end(*execution);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().status, ErrorStatus::GENERAL_FAILURE) << ended.error().message;
}

TEST_P(HalFencedTest, anOutputOfAFailedExecutionHoldsNothing) {
    const BufferRequest add(*device, prepare(makeAddModel()));
    const auto launch = [&](const std::vector<int>& waitFor, const ExecutionOptions& options = {}) {
        add.fill();
        return add.prepared->executeFenced(add.writing(), waitFor, options, std::nullopt);
    };
    const UniqueFd failed = std::move(*makeFence());
    failFence(failed.get());
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    for (const int fence : {failed.get(), file.get(), -1}) {
        EXPECT_FALSE(launch({fence}));
        EXPECT_TRUE(add.isEmpty()) << "at the launch, fence " << fence;
    }
    const UniqueFd failing = std::move(*makeFence());
    const auto afterFence = launch({failing.get()});
    ASSERT_TRUE(afterFence);
    EXPECT_FALSE(add.isEmpty()) << "it has not begun";
    failFence(failing.get());
    EXPECT_FALSE(end(*afterFence));
    EXPECT_TRUE(add.isEmpty()) << "its fence has failed";

    const UniqueFd pending = std::move(*makeFence());
    const auto late = launch({pending.get()}, {.deadline = afterNow(20ms)});
    ASSERT_TRUE(late);
    EXPECT_FALSE(end(*late));
    EXPECT_TRUE(add.isEmpty()) << "its deadline has passed before its fence was signalled";

    const auto tooLate = launch({}, {.deadline = afterNow(-1s)});
    ASSERT_TRUE(tooLate);
    EXPECT_FALSE(end(*tooLate));
    EXPECT_TRUE(add.isEmpty()) << "its deadline had passed before";
}

TEST_P(HalFencedTest, usesOfBuffersAreChecked) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const std::array<SharedPreparedModel, 1> models{prepared};
    const std::array<BufferRole, 1> roles{
        BufferRole{.modelIndex = 0, .ioIndex = 0, .frequency = 1}};
    const auto buffer = device->allocate({}, models, roles, {});
    ASSERT_TRUE(buffer) << buffer.error().message;
    AddRequest add;
    add.request.pools.emplace_back(buffer->token);
    add.request.inputs[0].location = {.poolIndex = 1, .offset = 0, .length = 0};
    // First the buffer has no contents yet; then it is used for an argument outside of its roles.
    EXPECT_FALSE(prepared->executeFenced(add.request, {}, {}, std::nullopt));
    ASSERT_TRUE(buffer->buffer->copyFrom(*Region::create(16), {}));
    std::swap(add.request.inputs[0], add.request.inputs[1]);
    const auto refused = prepared->executeFenced(add.request, {}, {}, std::nullopt);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::INVALID_ARGUMENT);
    std::swap(add.request.inputs[0], add.request.inputs[1]);
    const auto execution = prepared->executeFenced(add.request, {}, {}, std::nullopt);
    ASSERT_TRUE(execution) << execution.error().message;
    const Result<> ended = end(*execution);
    EXPECT_TRUE(ended) << ended.error().message;
    EXPECT_EQ(add.out()[3], 10.0F);
}

TEST_P(HalFencedTest, refusesFencesThatHaveFailed) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const AddRequest add;
    const UniqueFd fence = std::move(*makeFence());
    failFence(fence.get());
    const std::array<int, 1> waitFor{fence.get()};
    const auto execution = prepared->executeFenced(add.request, waitFor, {}, std::nullopt);
    ASSERT_FALSE(execution);
    EXPECT_EQ(execution.error().status, ErrorStatus::INVALID_ARGUMENT) << execution.error().message;
}

TEST_P(HalFencedTest, aLoopTimeoutEndsALoop) {
    const SharedPreparedModel prepared = prepare(makeEndlessModel());
    const SmallRequest small = endlessRequest();
    const auto execution =
        prepared->executeFenced(small.request, {}, {.loopTimeout = 20ms}, std::nullopt);
    ASSERT_TRUE(execution) << execution.error().message;
    const Result<> ended = end(*execution);
    ASSERT_FALSE(ended);
    EXPECT_TRUE(isMissedDeadline(ended.error().status)) << toString(ended.error().status);
}

TEST_P(HalFencedTest, runsBesideAllOtherKinds) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const UniqueFd fence = std::move(*makeFence());
    const std::array<int, 1> waitFor{fence.get()};
    const AddRequest waiting;
    const auto execution = prepared->executeFenced(waiting.request, waitFor, {}, std::nullopt);
    ASSERT_TRUE(execution) << execution.error().message;
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    const AddRequest add;
    ExecutionOutcome outcome;
    EXPECT_TRUE(burst->execute(add.request, {}, outcome));
    const auto reusable = std::move(*burst->createReusableExecution(add.request, {}));
    EXPECT_TRUE(reusable->compute({}, outcome));
    EXPECT_TRUE(prepared->executeSynchronously(add.request, {}, outcome));
    std::promise<bool> ended;
    EXPECT_TRUE(prepared->execute(add.request, {}, [&](const Result<>& status, const auto&) {
        ended.set_value(status.has_value());
    }));
    EXPECT_TRUE(ended.get_future().get());
    EXPECT_EQ(waiting.out()[3], -1.0F);
    signalFence(fence.get());
    EXPECT_TRUE(end(*execution));
    EXPECT_EQ(waiting.out()[3], 13.0F);
}

TEST_P(HalFencedTest, tellsOfAnOutputThatIsTooSmall) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const AddRequest small(4, sizeof(float));
    const auto execution = prepared->executeFenced(small.request, {}, {}, std::nullopt);
    ASSERT_TRUE(execution) << execution.error().message;
    const Result<> ended = end(*execution);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
}

TEST_P(HalFencedTest, measuresNothingThatFails) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const AddRequest small(4, sizeof(float));
    const auto execution =
        prepared->executeFenced(small.request, {}, {.measure = MeasureTiming::YES}, std::nullopt);
    ASSERT_TRUE(execution) << execution.error().message;
    EXPECT_FALSE(end(*execution));
    EXPECT_EQ(launched_, Timing{});
    EXPECT_EQ(fenced_, Timing{});
}

TEST_P(HalFencedTest, givesItsInfoAgain) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const AddRequest add;
    const auto execution =
        prepared->executeFenced(add.request, {}, {.measure = MeasureTiming::YES}, std::nullopt);
    ASSERT_TRUE(execution) << execution.error().message;
    ASSERT_TRUE(end(*execution));
    EXPECT_NE(launched_, Timing{});
    Timing launched;
    Timing fenced;
    ASSERT_TRUE(execution->callback(launched, fenced));
    EXPECT_EQ(launched, launched_);
    EXPECT_EQ(fenced, fenced_);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(HalFencedTest);

}  // namespace
}  // namespace nnburst::test
