// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// A model has several runners: runs of it are under way at the same time, within a limit of memory,
// and give the same results on each runner.

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <latch>
#include <optional>
#include <string>
#include <thread>

#include "account/account.h"
#include "account/growing_charge.h"
#include "exec/graph/graph_check.h"
#include "exec/plan/kernels.h"
#include "exec/run/burst_registration.h"
#include "exec/run/engine.h"
#include "exec/run/graph_runner.h"
#include "model_bursts.h"
#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"
#include "support/allocation_counter.h"
#include "support/eventually.h"
#include "support/kernel_comparison.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;

/// A run of `model` that is under way until this is destroyed.
class HeldRun {
  public:
    explicit HeldRun(const std::shared_ptr<CompiledModel>& model)
        : burst_(model, 1), memory_(sizeOf(model->outputs()[0])) {
        burst_.bindings.outputs[0].memory = &memory_;
        thread_ = std::thread([this] { EXPECT_TRUE(burst_.run()); });
        memory_.awaitAsked();
    }
    ~HeldRun() { end(); }

    /// Ends the run and gives its output.
    std::vector<std::byte> end() {
        if (thread_.joinable()) {
            memory_.release();
            thread_.join();
        }
        return {memory_.data(), memory_.data() + burst_.output().size()};
    }
    [[nodiscard]] std::uint32_t runner() const { return burst_.runner(); }

  private:
    TestBurst burst_;
    HeldMemory memory_;
    std::thread thread_;
};

/// Memory for an output, other memory each time.
class FreshMemory final : public OutputMemory {
  public:
    Result<std::byte*> place(std::span<const std::uint32_t>, std::uint64_t sizeBytes) override {
        NNBURST_TRY_ASSIGN(AlignedBuffer given, AlignedBuffer::allocate(sizeBytes));
        return given_.emplace_back(std::move(given)).data();
    }
    [[nodiscard]] const std::vector<AlignedBuffer>& given() const { return given_; }

  private:
    std::vector<AlignedBuffer> given_;
};

std::vector<std::byte> outputOf(const std::shared_ptr<CompiledModel>& model, std::uint32_t seed) {
    TestBurst burst(model, seed);
    EXPECT_TRUE(burst.run());
    return burst.takeOutput();
}

TEST(ModelRunners, askForTheMemoryOfAnOutputInEachRun) {
    const auto model = compileOn(engineWith(1), *makeMobileNetV1({.resolution = 32}));
    ASSERT_TRUE(model);
    TestBurst burst(model, 1);
    FreshMemory memory;
    burst.bindings.outputs[0].memory = &memory;
    ASSERT_TRUE(burst.run());
    ASSERT_TRUE(burst.run());
    ASSERT_EQ(memory.given().size(), 2U);
    const std::size_t sizeBytes = sizeOf(model->outputs()[0]);
    EXPECT_EQ(std::memcmp(memory.given()[0].data(), memory.given()[1].data(), sizeBytes), 0);
}

TEST(ModelRunners, reportTheShapesOfARunThatTheyRemember) {
    const auto model = compileOn(engineWith(1), *makeMobileNetV1({.resolution = 32}));
    ASSERT_TRUE(model);
    TestBurst burst(model, 1);
    ASSERT_TRUE(burst.run());
    EXPECT_FALSE(burst.bindings.memo.wasHit);
    const OutputShape expected{.dimensions = model->outputs()[0].dimensions, .isSufficient = true};
    for (const auto& before : {std::vector<OutputShape>(), std::vector<OutputShape>(1),
                               std::vector<OutputShape>{{.dimensions = {7}, .isSufficient = false}},
                               std::vector<OutputShape>(3, expected)}) {
        ExecutionOutcome outcome{.outputShapes = before, .timing = {}};
        ASSERT_TRUE(model->run(burst.bindings, Priority::MEDIUM, {}, outcome));
        EXPECT_TRUE(burst.bindings.memo.wasHit);
        EXPECT_EQ(outcome.outputShapes, std::vector<OutputShape>{expected});
    }
}

TEST(ModelRunners, computeInTheMemoryOfTheRequestThatRunsWhicheverRanBefore) {
    const auto model = compileOn(engineWith(1), *makeMobileNetV1({.resolution = 32}));
    ASSERT_TRUE(model);
    TestBurst first(model, 1);
    TestBurst second(model, 2);
    ASSERT_TRUE(first.run());
    const std::vector<std::byte> ofFirst = first.takeOutput();
    ASSERT_TRUE(second.run());
    const std::vector<std::byte> ofSecond = second.takeOutput();
    ASSERT_NE(ofFirst, ofSecond);
    for (TestBurst* burst : {&first, &first, &second, &second, &first}) {
        const bool isFirst = burst == &first;
        ASSERT_TRUE(burst->run());
        EXPECT_TRUE(burst->bindings.memo.wasHit);
        EXPECT_EQ(burst->takeOutput(), isFirst ? ofFirst : ofSecond);
    }
}

TEST(ModelRunners, aRunCompletesWhileAnotherOneOfTheSameModelIsUnderWay) {
    const Model source = *makeMobileNetV1({.resolution = 32});
    const auto model = compileOn(engineWith(2), source);
    const auto alone = compileOn(engineWith(1), source);
    ASSERT_TRUE(model && alone);
    EXPECT_EQ(model->runnerCount(), 1U) << "the model has no concurrent runs";
    HeldRun held(model);
    TestBurst other(model, 2);
    ASSERT_TRUE(other.run());
    EXPECT_EQ(model->runnerCount(), 2U) << "made by the first run that found none free";
    EXPECT_EQ(other.takeOutput(), outputOf(alone, 2));
    EXPECT_EQ(held.end(), outputOf(alone, 1));
}

TEST(ModelRunners, ofRunsThatComeAtTheSameTimeNoneWaitsForAnother) {
    const Model source = *makeMobileNetV1({.resolution = 32});
    const auto engine = engineWith(2);
    for (int round = 0; round < 100; ++round) {
        const auto model = compileOn(engine, source);
        ASSERT_TRUE(model);
        std::array<HeldMemory, 2> memories{HeldMemory(sizeOf(model->outputs()[0])),
                                           HeldMemory(sizeOf(model->outputs()[0]))};
        std::latch start(2);
        std::vector<std::thread> threads;
        for (HeldMemory& memory : memories) {
            threads.emplace_back([&] {
                TestBurst burst(model, 1);
                burst.bindings.outputs[0].memory = &memory;
                start.arrive_and_wait();
                EXPECT_TRUE(burst.run());
            });
        }
        // One that waits for the other is not asked for memory before that has ended.
        const auto areBothUnderWay = [&] { return memories[0].isAsked() && memories[1].isAsked(); };
        const bool hasWaited = !test::eventually(areBothUnderWay);
        for (HeldMemory& memory : memories) {
            memory.release();
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        ASSERT_FALSE(hasWaited) << "in round " << round;
    }
}

TEST(ModelRunners, aRunWaitsWhileAllProcessorsAreInUse) {
    const auto model = compileOn(engineWith(1), *makeMobileNetV1({.resolution = 32}));
    ASSERT_TRUE(model);
    HeldRun held(model);
    TestBurst late(model, 2);
    const auto result = late.run({.deadline = std::chrono::steady_clock::now() + 1ms});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    EXPECT_EQ(model->runnerCount(), 2U) << "or no execution of it could be extra";
}

TEST(ModelRunners, withoutMemoryForThemRunsFollowEachOther) {
    const auto model = compileOn(engineWith(2, {.concurrencyMemoryBytes = 0}),
                                 *makeMobileNetV1({.resolution = 32}));
    ASSERT_TRUE(model);
    std::optional<HeldRun> held(std::in_place, model);
    TestBurst late(model, 2);
    const auto result = late.run({.deadline = std::chrono::steady_clock::now() + 1ms});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    EXPECT_EQ(model->runnerCount(), 1U);
    held.reset();
    EXPECT_TRUE(late.run());
}

TEST(ModelRunners, severalKernelThreadsRunOneExecutionAtATime) {
    const auto model =
        compileOn(engineWith(2, {.threadCounts = {2}}), *makeMobileNetV1({.resolution = 32}));
    ASSERT_TRUE(model);
    const TestBurst first(model, 1);
    const TestBurst second(model, 2);
    model->makeRunnersForBursts(nullptr);
    EXPECT_EQ(model->runnerCount(), 1U);
}

TEST(ModelRunners, thereIsOneForEachBurstButOneMoreThanLanesAtMost) {
    const auto model = compileOn(engineWith(2), *makeMobileNetV1({.resolution = 32}));
    ASSERT_TRUE(model);
    std::vector<std::unique_ptr<TestBurst>> bursts;
    for (const std::uint32_t expected : {1U, 2U, 3U, 3U}) {
        bursts.push_back(std::make_unique<TestBurst>(model, expected));
        model->makeRunnersForBursts(nullptr);
        EXPECT_EQ(model->runnerCount(), expected);
    }
    // Each finds the kernels set up with its own addresses again.
    for (int round = 0; round < 3; ++round) {
        for (std::uint32_t burst = 0; burst < bursts.size(); ++burst) {
            ASSERT_TRUE(bursts[burst]->run());
            EXPECT_EQ(bursts[burst]->runner(), burst % 3);
        }
    }
}

/// x + x, then that plus itself, and so on: `count` operations on a mebibyte each.
Model sums(int count) {
    ModelBuilder builder;
    const auto x = builder.addTensor(OperandType::TENSOR_FLOAT32, {1 << 18});
    const auto activation = builder.addScalar(0);
    auto sum = x;
    for (int i = 0; i < count; ++i) {
        const auto next = builder.addTensor(OperandType::TENSOR_FLOAT32, {1 << 18});
        builder.addOperation(OperationType::ADD, {sum, sum, activation}, {next});
        sum = next;
    }
    auto built = builder.build({x}, {sum});
    EXPECT_TRUE(built) << built.error().message;
    return std::move(*built);
}

TEST(ModelRunners, keepToTheMemoryLimit) {
    constexpr std::uint64_t kMebibyte = 1 << 20;
    const Model source = sums(2);  // one temporary of 1 MiB
    for (const std::uint32_t expected : {1U, 2U, 4U, 8U}) {
        const auto model = compileOn(
            engineWith(8, {.concurrencyMemoryBytes = (expected - 1) * kMebibyte + kMebibyte / 2}),
            source);
        ASSERT_TRUE(model);
        std::vector<std::unique_ptr<TestBurst>> bursts;
        for (std::uint32_t burst = 0; burst < 10; ++burst) {
            bursts.push_back(std::make_unique<TestBurst>(model, burst));
        }
        model->makeRunnersForBursts(nullptr);
        EXPECT_EQ(model->runnerCount(), expected);
        for (const auto& burst : bursts) {
            EXPECT_TRUE(burst->run());
        }
    }
}

TEST(ModelRunners, areChargedToTheClientForWhichTheyAreMade) {
    constexpr std::uint64_t kMebibyte = 1 << 20;
    Amounts limits;
    limits[Resource::MEMORY] = 2 * kMebibyte + kMebibyte / 2;
    const SharedAccount poor = Account::create("poor", limits);
    const SharedAccount other = Account::create("other", limits);
    auto model = compileOn(engineWith(8), sums(2));  // one temporary of 1 MiB
    ASSERT_TRUE(model);
    for (int burst = 0; burst < 8; ++burst) {
        (void)model->addBurst();
    }
    model->makeRunnersForBursts(poor.get());
    EXPECT_EQ(model->runnerCount(), 3U);
    EXPECT_GE(poor->usage(Resource::MEMORY).used, 2 * kMebibyte);
    model->makeRunnersForBursts(other.get());
    EXPECT_EQ(model->runnerCount(), 5U);
    EXPECT_GE(other->usage(Resource::MEMORY).used, 2 * kMebibyte);
    model = nullptr;
    EXPECT_EQ(poor->usage(Resource::MEMORY).used, 0U);
    EXPECT_EQ(other->usage(Resource::MEMORY).used, 0U);
}

constexpr std::uint32_t kChain = 1000;
/// Less than a plan or an interpreter of `chainOfSums` takes.
constexpr std::uint64_t kChainBytes = std::uint64_t{kChain} * 256;

/// kChain additions of a tensor to itself, one after the other. Interpreted if requests give their
/// activation.
Model chainOfSums(const Dimensions& dimensions, bool isInterpreted) {
    constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, dimensions);
    const auto activation =
        isInterpreted ? builder.addTensor(OperandType::INT32, {}) : builder.addScalar(0);
    auto sum = x;
    for (std::uint32_t i = 0; i < kChain; ++i) {
        const auto next = builder.addTensor(kFloat, dimensions);
        builder.addOperation(OperationType::ADD, {sum, sum, activation}, {next});
        sum = next;
    }
    std::vector<std::uint32_t> inputs{x};
    if (isInterpreted) {
        inputs.push_back(activation);
    }
    return build(builder, std::move(inputs), {sum});
}

SharedAccount accountWith(std::uint64_t memoryBytes) {
    Amounts limits;
    limits[Resource::MEMORY] = memoryBytes;
    return Account::create("client", limits);
}

void makeTwoRunners(CompiledModel& model, Account* account) {
    (void)model.addBurst();
    (void)model.addBurst();
    model.makeRunnersForBursts(account);
    model.removeBurst();
    model.removeBurst();
}

TEST(ModelRunners, countTheStructureOfTheirPlansAndInterpreters) {
    for (const bool isInterpreted : {false, true}) {
        // Of XNNPACK's operators malloc(3) does not give each the same number of bytes.
        const auto model =
            compileOn(engineWith(2, {.usesXnnpack = false}), chainOfSums({4}, isInterpreted));
        ASSERT_TRUE(model);
        const std::uint64_t alone = model->memoryBytes();
        EXPECT_GE(alone, kChainBytes);
        const SharedAccount poor = accountWith(kChainBytes);
        makeTwoRunners(*model, poor.get());
        EXPECT_EQ(model->runnerCount(), 1U);
        if (!isInterpreted) {
            const SharedAccount almost = accountWith(alone - 1);
            makeTwoRunners(*model, almost.get());
            EXPECT_EQ(model->runnerCount(), 1U) << "there is less room than the first one took";
            EXPECT_EQ(almost->usage(Resource::MEMORY).used, 0U);
        }
        const SharedAccount rich = accountWith(1 << 30);
        makeTwoRunners(*model, rich.get());
        EXPECT_EQ(model->runnerCount(), 2U);
        EXPECT_GE(rich->usage(Resource::MEMORY).used, kChainBytes);
        EXPECT_GE(rich->usage(Resource::MEMORY).used, model->memoryBytes() - alone);
        TestRequest request;
        request.addInput(bytesOf(std::vector<float>(4)));
        if (isInterpreted) {
            request.addInput(bytesOf(std::vector<std::int32_t>{0}));
        }
        request.addOutput(4 * sizeof(float));
        ASSERT_TRUE(request.run(*model));
        EXPECT_GE(model->memoryBytes(), 2 * alone);
    }
}

TEST(ModelRunners, needRoomForTheirOperatorsOfXnnpack) {
    const Model source = chainOfSums({4}, false);
    const auto model = compileOn(engineWith(2), source);
    const auto withoutOperators = compileOn(engineWith(2, {.usesXnnpack = false}), source);
    ASSERT_TRUE(model && withoutOperators);
    const std::uint64_t alone = model->memoryBytes();
    ASSERT_GT(alone, withoutOperators->memoryBytes());
    const SharedAccount almost = accountWith((alone + withoutOperators->memoryBytes()) / 2);
    makeTwoRunners(*model, almost.get());
    EXPECT_EQ(model->runnerCount(), 1U);
    EXPECT_EQ(almost->usage(Resource::MEMORY).used, 0U);
    const SharedAccount rich = accountWith(1 << 30);
    makeTwoRunners(*model, rich.get());
    EXPECT_EQ(model->runnerCount(), 2U);
    EXPECT_GE(rich->usage(Resource::MEMORY).used, model->memoryBytes() - alone);
}

TEST(ModelRunners, areNotMadeIfTheirStructureExceedsALimit) {
    for (const bool isInterpreted : {false, true}) {
        const Model source = chainOfSums({4}, isInterpreted);
        const auto model =
            compileOn(engineWith(2, {.concurrencyMemoryBytes = kChainBytes}), source);
        ASSERT_TRUE(model);
        makeTwoRunners(*model, nullptr);
        EXPECT_EQ(model->runnerCount(), 1U);
        const SharedAccount poor = accountWith(kChainBytes);
        GrowingCharge memory(poor.get(), Resource::MEMORY);
        const auto refused = CompiledModel::compile(engineWith(1), source, {}, {.memory = &memory});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT)
            << refused.error().message;
    }
}

TEST(ModelRunners, areMadeHoweverMuchThePlansOfTheFirstTake) {
    constexpr std::uint64_t kLimit = 2 * kChainBytes;
    const Model source = chainOfSums({0}, false);
    const auto model = compileOn(engineWith(2, {.concurrencyMemoryBytes = kLimit}), source);
    ASSERT_TRUE(model);
    TestRequest request;
    request.addInput(bytesOf(std::vector<float>(4)), {4});
    request.addOutput(4 * sizeof(float));
    ASSERT_TRUE(request.run(*model));
    ASSERT_GT(model->memoryBytes(), kLimit);
    const SharedAccount poor = accountWith(kChainBytes);
    makeTwoRunners(*model, poor.get());
    EXPECT_EQ(model->runnerCount(), 2U) << "the second one has no plan yet";
    EXPECT_EQ(poor->usage(Resource::MEMORY).used, 0U);
}

TEST(ModelRunners, chargeTheStructureOfEachPlanToTheClientWhoseRunMakesIt) {
    const auto model = compileOn(engineWith(1), chainOfSums({0}, false));
    ASSERT_TRUE(model);
    const SharedAccount account = accountWith(1 << 30);
    LaneShare client(nullptr, account);
    std::uint64_t before = 0;
    for (std::uint32_t size = 1; size <= 3; ++size) {
        TestRequest request;
        request.addInput(bytesOf(std::vector<float>(size)), {size});
        request.addOutput(size * sizeof(float));
        const Result<> run = request.runFor(client, *model);
        ASSERT_TRUE(run) << run.error().message;
        const std::uint64_t used = account->usage(Resource::MEMORY).used;
        EXPECT_GE(used, before + kChainBytes);
        before = used;
    }
}

/// Gives memory for four floats.
class FourFloats final : public GraphOutputs {
  public:
    [[nodiscard]] bool wants(std::size_t /*output*/) const noexcept override { return true; }
    [[nodiscard]] Result<std::byte*> place(std::size_t /*output*/, const Shape& /*shape*/,
                                           std::uint64_t /*sizeBytes*/) override {
        return memory_.data();
    }
    [[nodiscard]] Result<> sufficient() const override { return {}; }

  private:
    AlignedBuffer memory_ = *AlignedBuffer::allocate(4 * sizeof(float));
};

TEST(GraphRunner, waitsUntilItsDeadlineWhileOthersPlanTheGraph) {
    const Model model = doubling({0});
    const Kernels kernels{.usesXnnpack = false};
    const auto shared = SharedGraph::create(model, model.main, {}, nullptr);
    ASSERT_TRUE(shared) << shared.error().message;
    GraphRunner runner(kernels, **shared, {});
    ASSERT_TRUE(runner.prepareFirst(GraphCheck::endOfFolding(), {}));
    const AlignedBuffer memory = *AlignedBuffer::allocate(4 * sizeof(float));
    const std::array inputs{GraphInput{.shape = {4}, .data = memory.data()}};
    FourFloats output;
    {
        const auto turn = (*shared)->planning.take();
        const Result<> late =
            runner.run(inputs, output, {.deadline = std::chrono::steady_clock::now() + 20ms});
        ASSERT_FALSE(late);
        EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    }
    const Result<> run = runner.run(inputs, output, {});
    ASSERT_TRUE(run) << run.error().message;
    const auto turn = (*shared)->planning.take();
    EXPECT_TRUE(runner.run(inputs, output, {})) << "a run that has a plan does not wait";
}

/// Weights in memory of a client, who changes them after the preparation.
TEST(ModelRunners, doNotReadTheModelAgain) {
    Model source = *makeMobileNetV1({.resolution = 32});
    ASSERT_FALSE(source.pools.empty());
    const auto model = compileOn(engineWith(2), source);
    ASSERT_TRUE(model);
    const std::vector<std::byte> expected = outputOf(model, 1);
    for (const SharedRegion& pool : source.pools) {
        const auto theirs = Mapping::map(pool);
        ASSERT_TRUE(theirs) << theirs.error().message;
        std::fill_n(theirs->data(), theirs->sizeBytes(), std::byte{0x3F});
    }
    const TestBurst first(model, 1);
    TestBurst second(model, 1);
    model->makeRunnersForBursts(nullptr);
    ASSERT_EQ(model->runnerCount(), 2U);
    ASSERT_TRUE(second.run());
    EXPECT_EQ(second.runner(), 1U);
    EXPECT_EQ(second.takeOutput(), expected);
}

struct ConstantImage {
    OperationType operation;
    OperandType type;
};

/// A layer whose image, too, is a constant, of more than Constants::kSmallTensorBytes, and which is
/// not folded, because it computes an output of the model.
Model layerOf(const ConstantImage& tested) {
    constexpr std::uint32_t kPixels = 256;
    const auto channels = static_cast<std::uint32_t>(8192 / kPixels / elementBytes(tested.type));
    const bool isLayer = tested.operation == OperationType::FULLY_CONNECTED;
    const bool isDepthwise = tested.operation == OperationType::DEPTHWISE_CONV_2D;
    const bool isQuantized = tested.type == OperandType::TENSOR_QUANT8_ASYMM;
    const std::uint32_t outputs = isDepthwise ? channels : 4;
    Random random(1);
    ModelBuilder builder;
    const auto constant = [&](OperandType type, const Dimensions& dimensions, float scale,
                              std::int32_t zeroPoint) {
        return builder.addConstant(type, dimensions,
                                   random.elements(type, Shape(dimensions).elementCount()),
                                   isQuantized ? scale : 0.0F, isQuantized ? zeroPoint : 0);
    };
    const auto unused = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    Dimensions image{kPixels, channels};
    Dimensions filter{outputs, channels};
    Dimensions result{kPixels, outputs};
    if (!isLayer) {
        image = {1, 16, 16, channels};
        filter = {isDepthwise ? 1 : outputs, 3, 3, channels};
        result = {1, 16, 16, outputs};
    }
    std::vector<std::uint32_t> inputs{
        constant(tested.type, image, 0.5F, 128), constant(tested.type, filter, 0.25F, 128),
        constant(isQuantized ? OperandType::TENSOR_INT32 : tested.type, {outputs}, 0.125F, 0)};
    if (!isLayer) {
        inputs.insert(inputs.end(), 3, builder.addScalar(1));  // SAME, strides
    }
    if (isDepthwise) {
        inputs.push_back(builder.addScalar(1));
    }
    inputs.push_back(builder.addScalar(0));
    const auto y =
        builder.addTensor(tested.type, result, isQuantized ? 200.0F : 0.0F, isQuantized ? 128 : 0);
    builder.addOperation(tested.operation, std::move(inputs), {y});
    return build(builder, {unused}, {y});
}

class ConstantImageTest : public testing::TestWithParam<ConstantImage> {
  protected:
    /// The model and its pools are gone afterwards.
    [[nodiscard]] static std::shared_ptr<CompiledModel> compiled(
        const std::shared_ptr<Engine>& engine, const PackedModel& packed = {}) {
        auto compiled = CompiledModel::compile(engine, layerOf(GetParam()), packed);
        EXPECT_TRUE(compiled) << compiled.error().message;
        return compiled ? *compiled : nullptr;
    }
};

TEST_P(ConstantImageTest, outlivesItsModelOnEachRunnerAndInTheCache) {
    const auto reference = compiled(makeEngine(false));
    ASSERT_TRUE(reference);
    const std::vector<std::byte> expected = outputOf(reference, 1);
    const auto engine = engineWith(2);
    PackedModel packed;
    for (int compilation = 0; compilation < 2; ++compilation) {
        const auto model = compiled(engine, packed);
        ASSERT_TRUE(model);
        std::array<TestBurst, 2> bursts{TestBurst(model, 1), TestBurst(model, 1)};
        model->makeRunnersForBursts(nullptr);
        ASSERT_EQ(model->runnerCount(), 2U);
        for (TestBurst& burst : bursts) {
            ASSERT_TRUE(burst.run());
            expectClose(GetParam().type, burst.takeOutput(), expected);
        }
        packed = model->packed();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Layers, ConstantImageTest, testing::ValuesIn([] {
        std::vector<ConstantImage> cases;
        for (const auto operation : {OperationType::FULLY_CONNECTED, OperationType::CONV_2D,
                                     OperationType::DEPTHWISE_CONV_2D}) {
            for (const auto type : {OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16,
                                    OperandType::TENSOR_QUANT8_ASYMM}) {
                cases.push_back({operation, type});
            }
        }
        return cases;
    }()),
    [](const auto& tested) {
        return std::string(toString(tested.param.operation)) + "_" + toString(tested.param.type);
    });

/// Memory that the process has from its allocator.
std::uint64_t heapBytes() {
    const struct mallinfo2 heap = ::mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

TEST(ModelRunners, shareTheirWeights) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    const std::uint64_t empty = heapBytes();
    const auto model = compileOn(engineWith(2), *makeMobileNetV1({.width = 1, .resolution = 32}));
    ASSERT_TRUE(model);
    const std::uint64_t alone = heapBytes();
    (void)model->addBurst();
    (void)model->addBurst();
    model->makeRunnersForBursts(nullptr);
    ASSERT_EQ(model->runnerCount(), 2U);
    EXPECT_LT((heapBytes() - alone) * 8, alone - empty);
}

/// XNNPACK's weights of this layer are float32.
TEST(ModelRunners, keepNoConvertedConstantsBesideThePackedOnes) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    constexpr auto kHalf = OperandType::TENSOR_FLOAT16;
    constexpr std::uint32_t kSize = 512;
    constexpr std::uint64_t kPackedBytes = std::uint64_t{kSize} * kSize * sizeof(float);
    const auto engine = engineWith(1);
    const std::uint64_t empty = heapBytes();
    std::shared_ptr<CompiledModel> model;
    {
        Random random(1);
        ModelBuilder builder;
        const auto x = builder.addTensor(kHalf, {1, kSize});
        const auto weights = builder.addConstant(
            kHalf, {kSize, kSize}, random.elements(kHalf, std::size_t{kSize} * kSize));
        const auto bias = builder.addConstant(kHalf, {kSize}, random.elements(kHalf, kSize));
        const auto y = builder.addTensor(kHalf, {1, kSize});
        builder.addOperation(OperationType::FULLY_CONNECTED,
                             {x, weights, bias, builder.addScalar(0)}, {y});
        model = compileOn(engine, build(builder, {x}, {y}));
    }
    ASSERT_TRUE(model);
    EXPECT_LT(heapBytes() - empty, kPackedBytes + kPackedBytes / 2);
}

/// A convolution of images of any size. XNNPACK of 2022 packs its weights again for each size.
Model convolutionOfAnySize(std::uint32_t channels) {
    constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
    Random random(1);
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {1, 0, 0, channels});
    const auto filter =
        builder.addConstant(kFloat, {channels, 3, 3, channels},
                            random.elements(kFloat, std::size_t{channels} * 9 * channels));
    const auto bias = builder.addConstant(kFloat, {channels}, random.elements(kFloat, channels));
    const auto y = builder.addTensor(kFloat, {});
    const auto one = builder.addScalar(1);
    builder.addOperation(OperationType::CONV_2D,
                         {x, filter, bias, one, one, one, builder.addScalar(0)}, {y});
    return build(builder, {x}, {y});
}

constexpr std::uint32_t kConvolvedChannels = 64;

/// Runs that model for `client` on an image of 8 columns.
Result<> convolveFor(LaneShare& client, CompiledModel& model, std::uint32_t rows) {
    const std::size_t bytes = std::size_t{rows} * 8 * kConvolvedChannels * sizeof(float);
    TestRequest request;
    request.addInput(std::vector<std::byte>(bytes), {1, rows, 8, kConvolvedChannels});
    request.addOutput(bytes);
    return request.runFor(client, model);
}

TEST(ModelRunners, keepNoOperatorsOfPlansThatFail) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    constexpr std::uint64_t kWeightBytes =
        std::uint64_t{kConvolvedChannels} * 9 * kConvolvedChannels * sizeof(float);
    const Model source = convolutionOfAnySize(kConvolvedChannels);
    const auto graph = Graph::create(source, source.main);
    ASSERT_TRUE(graph) << graph.error().message;
    const std::uint64_t structureBytes = (*graph)->structureBytes();
    // Enough for the structure of a plan and its operator, but not for the addresses of 20 rows.
    LaneShare poor(nullptr, accountWith(structureBytes + 4096));
    LaneShare gone;
    gone.cancel();
    for (LaneShare* client : {&poor, &gone}) {
        const auto model = compileOn(engineWith(1), source);
        ASSERT_TRUE(model);
        EXPECT_FALSE(convolveFor(*client, *model, 20));
        const std::uint64_t before = heapBytes();
        for (std::uint32_t rows = 21; rows < 71; ++rows) {
            const Result<> result = convolveFor(*client, *model, rows);
            ASSERT_FALSE(result);
            EXPECT_EQ(result.error().status, client == &poor
                                                 ? ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT
                                                 : ErrorStatus::GENERAL_FAILURE)
                << result.error().message;
        }
        EXPECT_LT(heapBytes(), before + 4 * kWeightBytes);
    }
    EXPECT_GE(poor.account()->usage(Resource::MEMORY).highest, structureBytes);
}

TEST(ModelRunners, keepPlansThatTakeLongerThanTheDeadline) {
    constexpr std::uint32_t kChannels = 512;  // packing takes some milliseconds
    const auto model = compileOn(engineWith(1), convolutionOfAnySize(kChannels));
    ASSERT_TRUE(model);
    const std::size_t bytes = std::size_t{64} * kChannels * sizeof(float);
    const std::uint64_t before = model->memoryBytes();
    // The deadline may pass before an execution begins.
    for (int i = 0; i < 1000 && model->memoryBytes() == before; ++i) {
        TestRequest request;
        request.addInput(std::vector<std::byte>(bytes), {1, 8, 8, kChannels});
        request.addOutput(bytes);
        const Result<> result =
            request.run(*model, {.deadline = std::chrono::steady_clock::now() + 100us});
        ASSERT_FALSE(result);
    }
    EXPECT_GT(model->memoryBytes(), before);
}

void expectSameOnEachRunner(const Model& source, bool useXnnpack, std::uint32_t rounds = 50) {
    constexpr std::uint32_t kLanes = 3;
    constexpr std::uint32_t kRunners = kLanes + 1;
    const auto alone = compileOn(engineWith(1, {.usesXnnpack = useXnnpack}), source);
    const auto model = compileOn(engineWith(kLanes, {.usesXnnpack = useXnnpack}), source);
    ASSERT_TRUE(alone && model);
    std::vector<std::vector<std::byte>> expected;
    std::vector<std::unique_ptr<TestBurst>> bursts;
    for (std::uint32_t burst = 0; burst < kRunners + 1; ++burst) {
        expected.push_back(outputOf(alone, burst));
        bursts.push_back(std::make_unique<TestBurst>(model, burst));
    }
    std::latch start(kRunners + 1);
    std::atomic<std::uint32_t> right{0};
    std::vector<std::thread> threads;
    for (std::uint32_t burst = 0; burst < bursts.size(); ++burst) {
        threads.emplace_back([&, burst] {
            start.arrive_and_wait();
            if (burst == 1) {
                model->makeRunnersForBursts(nullptr);  // while others run
            }
            for (std::uint32_t round = 0; round < rounds; ++round) {
                right +=
                    bursts[burst]->run() && bursts[burst]->takeOutput() == expected[burst] ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(right, rounds * bursts.size());
    EXPECT_EQ(model->runnerCount(), kRunners);
}

TEST(ModelRunners, giveTheSameResults) {
    for (const auto precision : {BuiltinPrecision::FLOAT32, BuiltinPrecision::QUANT8}) {
        expectSameOnEachRunner(*makeMobileNetV1({.resolution = 32, .precision = precision}), true);
    }
    expectSameOnEachRunner(*makeStreamingLstm({.features = 8, .cells = 16}), true);
    expectSameOnEachRunner(*makeMobileNetV1({.resolution = 32}), false, 5);
}

std::vector<float> randomFloats(std::size_t count) {
    Random random(7);
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return random.real(-1.0F, 1.0F); });
    return values;
}

/// XNNPACK changes tables of this operator when it runs: each runner packs its own weights, which
/// are more than are kept anyway.
TEST(ModelRunners, runTransposedConvolutions) {
    ModelBuilder builder;
    constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
    const auto x = builder.addTensor(kFloat, {1, 8, 8, 16});
    const std::vector<float> weights = randomFloats(std::size_t{16} * 3 * 3 * 16);
    const auto filter =
        builder.addConstant(kFloat, {16, 3, 3, 16}, std::as_bytes(std::span(weights)));
    const std::vector<float> biases = randomFloats(16);
    const auto bias = builder.addConstant(kFloat, {16}, std::as_bytes(std::span(biases)));
    const auto y = builder.addTensor(kFloat, {1, 17, 17, 16});
    builder.addOperation(OperationType::TRANSPOSE_CONV_2D,
                         {x, filter, bias, builder.addScalar(0), builder.addScalar(0),
                          builder.addScalar(0), builder.addScalar(0), builder.addScalar(2),
                          builder.addScalar(2), builder.addScalar(0), builder.addScalar(false)},
                         {y});
    auto built = builder.build({x}, {y});
    ASSERT_TRUE(built) << built.error().message;
    expectSameOnEachRunner(*built, true);
}

TEST(ModelRunners, allocateNothingAfterTheFirstRunOnEach) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    const auto model = compileOn(engineWith(2), *makeMobileNetV1());
    ASSERT_TRUE(model);
    TestBurst first(model, 1);
    TestBurst second(model, 2);
    model->makeRunnersForBursts(nullptr);
    for (TestBurst* const burst : {&first, &second}) {
        ASSERT_TRUE(burst->run());
    }
    ASSERT_NE(first.runner(), second.runner());
    const std::uint64_t before = test::allocationCount();
    for (int round = 0; round < 3; ++round) {
        for (TestBurst* const burst : {&first, &second}) {
            EXPECT_TRUE(burst->run());
        }
    }
    EXPECT_EQ(test::allocationCount() - before, 0U);
}

/// Only a request that has not run before may wait until one is made.
TEST(ModelRunners, areNotMadeByARequestThatHasRun) {
    const auto model = compileOn(engineWith(2), *makeMobileNetV1({.resolution = 32}));
    ASSERT_TRUE(model);
    TestBurst burst(model, 2);
    ASSERT_TRUE(burst.run());
    const HeldRun held(model);
    const auto result = burst.run({.deadline = std::chrono::steady_clock::now() + 1ms});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    EXPECT_EQ(model->runnerCount(), 1U);
}

TEST(ModelRunners, releaseTheirMemoryEachWhenItIsIdle) {
    const auto model = compileOn(engineWith(2), *makeMobileNetV1({.resolution = 32}));
    ASSERT_TRUE(model);
    TestBurst first(model, 1);
    TestBurst second(model, 2);
    model->makeRunnersForBursts(nullptr);
    ASSERT_TRUE(first.run());
    const std::vector<std::byte> expected = first.takeOutput();
    ASSERT_TRUE(second.run());
    EXPECT_FALSE(model->releaseIfIdle()) << "both have just run";
    EXPECT_TRUE(model->releaseIfIdle());
    EXPECT_TRUE(model->releaseIfIdle());
    ASSERT_TRUE(second.run());
    EXPECT_FALSE(model->releaseIfIdle()) << "the second has run";
    EXPECT_TRUE(model->releaseIfIdle());
    {
        const HeldRun held(model);
        EXPECT_FALSE(model->releaseIfIdle()) << "one is under way";
    }
    ASSERT_TRUE(first.run());
    EXPECT_EQ(first.takeOutput(), expected);
}

}  // namespace
}  // namespace nnburst::exec
