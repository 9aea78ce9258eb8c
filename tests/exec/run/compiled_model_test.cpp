// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Compiled models as bursts and devices use them: requests, results, and refusals.

#include "exec/run/compiled_model.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "exec/threads/execution_gate.h"
#include "exec/xnnpack/release.h"
#include "model_bursts.h"
#include "nnburst/builtin_models.h"
#include "support/eventually.h"
#include "support/kernel_comparison.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

constexpr auto kFloat = OperandType::TENSOR_FLOAT32;

/// output = input 0 + input 1, all of the same shape.
Model addModel(const Dimensions& dimensions) {
    ModelBuilder builder;
    const auto a = builder.addTensor(kFloat, dimensions);
    const auto b = builder.addTensor(kFloat, dimensions);
    const auto sum = builder.addTensor(kFloat, dimensions);
    builder.addOperation(OperationType::ADD, {a, b, builder.addScalar(0)}, {sum});
    return build(builder, {a, b}, {sum});
}

TestRequest addRequest(const std::vector<float>& a, const std::vector<float>& b) {
    TestRequest request;
    request.addInput(bytesOf(a));
    request.addInput(bytesOf(b));
    request.addOutput(a.size() * sizeof(float));
    return request;
}

void expectError(const Result<>& result, ErrorStatus status, const std::string& part) {
    ASSERT_FALSE(result) << "expected: " << part;
    EXPECT_EQ(result.error().status, status) << result.error().message;
    EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

// ---- Engines

TEST(Engine, refusesTooManyThreads) {
    DriverOptions options;
    options.threads = DriverOptions::kMaximumThreads + 1;
    const auto engine = Engine::create(options);
    ASSERT_FALSE(engine);
    EXPECT_EQ(engine.error().status, ErrorStatus::INVALID_ARGUMENT);
}

// ---- Runs

TEST(CompiledModel, tellsItsInputsAndOutputs) {
    const auto model = compile(addModel({2, 3}), true);
    ASSERT_EQ(model->inputs().size(), 2U);
    ASSERT_EQ(model->outputs().size(), 1U);
    EXPECT_EQ(model->outputs()[0].dimensions, (Dimensions{2, 3}));
}

TEST(CompiledModel, computesOnTheRequestsMemory) {
    for (const bool useXnnpack : {true, false}) {
        const auto model = compile(addModel({3}), useXnnpack);
        TestRequest request = addRequest({1, 2, 3}, {10, 20, 30});
        ASSERT_TRUE(request.run(*model));
        EXPECT_EQ(floats(request.output(0)), (std::vector<float>{11, 22, 33}));
        ASSERT_EQ(request.outcome().outputShapes.size(), 1U);
        EXPECT_EQ(request.outcome().outputShapes[0], (OutputShape{{3}, true}));
    }
}

TEST(CompiledModel, outlivesItsModelAndNoticesNoLaterChangeOfItsMemory) {
    // The shape of the RESHAPE and the fused activation lie in memory that the client can write.
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {2, 3});
    const std::vector<std::int32_t> shape{3, 2};
    const auto s = builder.addConstant(OperandType::TENSOR_INT32, {2}, bytesOf(shape));
    const auto y = builder.addTensor(kFloat, {3, 2});
    builder.addOperation(OperationType::RESHAPE, {x, s}, {y});
    Model model = build(builder, {x}, {y});
    MemoryPool pool = *MemoryPool::create(4096);
    const auto block = *pool.allocate(sizeof(std::int32_t) * 2);
    std::memcpy(block.data(), shape.data(), sizeof(std::int32_t) * 2);
    model.main.operands[s].lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    model.main.operands[s].location = {
        .poolIndex = 0, .offset = block.offset(), .length = block.length()};
    model.pools = {pool.region()};

    const auto compiled = compile(model, true);
    model = {};
    std::memset(block.data(), 0xFF, sizeof(std::int32_t) * 2);
    TestRequest request;
    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    request.addInput(bytesOf(values));
    request.addOutput(6 * sizeof(float));
    const auto run = request.run(*compiled);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(floats(request.output(0)), values);
}

TEST(CompiledModel, largeConstantsMayChangeOnceTheModelIsCompiled) {
    constexpr std::uint32_t kSize = 4096;
    for (const bool useXnnpack : {true, false}) {
        ModelBuilder builder;
        const auto x = builder.addTensor(kFloat, {kSize});
        const auto ones =
            builder.addConstant(kFloat, {kSize}, bytesOf(std::vector<float>(kSize, 1.0F)));
        const auto y = builder.addTensor(kFloat, {kSize});
        builder.addOperation(OperationType::ADD, {x, ones, builder.addScalar(0)}, {y});
        const Model model = build(builder, {x}, {y});
        ASSERT_EQ(model.pools.size(), 1U);
        const auto compiled = compile(model, useXnnpack);
        const Mapping mapping = *Mapping::map(model.pools[0]);
        std::fill(mapping.bytes().begin(), mapping.bytes().end(), std::byte{0x7F});
        TestRequest request;
        request.addInput(bytesOf(std::vector<float>(kSize, 2.0F)));
        request.addOutput(kSize * sizeof(float));
        ASSERT_TRUE(request.run(*compiled));
        EXPECT_EQ(floats(request.output(0)), std::vector<float>(kSize, 3.0F));
    }
}

TEST(CompiledModel, givesTheSameWhereverTheArgumentsMove) {
    for (const auto precision : {BuiltinPrecision::FLOAT32, BuiltinPrecision::QUANT8}) {
        const Model model = *makeMobileNetV1({.resolution = 64, .precision = precision});
        const auto compiled = compile(model, true);
        TestRequest first = randomRequest(*compiled, 1);
        ASSERT_TRUE(first.run(*compiled));
        const auto expected = first.output(0);
        std::vector<TestRequest> requests;  // kept, so that each has memory of its own
        for (int round = 0; round < 6; ++round) {
            requests.push_back(randomRequest(*compiled, 1));
            ASSERT_TRUE(requests.back().run(*compiled));
            const auto actual = requests.back().output(0);
            ASSERT_TRUE(std::equal(actual.begin(), actual.end(), expected.begin())) << round;
        }
        std::fill(first.output(0).begin(), first.output(0).end(), std::byte{0});
        ASSERT_TRUE(first.run(*compiled));
        const auto again = requests.back().output(0);
        EXPECT_TRUE(std::equal(again.begin(), again.end(), first.output(0).begin()));
    }
}

TEST(CompiledModel, givesTheSameWithSeveralThreads) {
    const Model model = *makeMobileNetV1();
    const auto one = compile(model, true, 1);
    const auto two = compile(model, true, 2);
    TestRequest a = randomRequest(*one, 1);
    TestRequest b = randomRequest(*two, 1);
    ASSERT_TRUE(a.run(*one));
    ASSERT_TRUE(b.run(*two));
    expectClose(kFloat, b.output(0), a.output(0));
}

TEST(CompiledModel, aMobileNetIsAsOnTheReferenceKernels) {
    expectSameAsReference(*makeMobileNetV1({.resolution = 64}), 1);
    // Quantised, differences of one step add up over the layers.
    const Model model = *makeMobileNetV1({.resolution = 64, .precision = BuiltinPrecision::QUANT8});
    const auto fast = compile(model, true);
    const auto reference = compile(model, false);
    TestRequest a = randomRequest(*fast, 1);
    TestRequest b = randomRequest(*reference, 1);
    ASSERT_TRUE(a.run(*fast));
    ASSERT_TRUE(b.run(*reference));
    int sum = 0;
    for (std::size_t index = 0; index < a.output(0).size(); ++index) {
        sum += std::abs(std::to_integer<int>(a.output(0)[index]) -
                        std::to_integer<int>(b.output(0)[index]));
    }
    EXPECT_LE(sum, static_cast<int>(a.output(0).size())) << "a step for each output";
}

TEST(CompiledModel, anOutputMayBeItsInput) {
    const auto model = compile(addModel({4}), true);
    TestRequest request = addRequest({1, 2, 3, 4}, {1, 1, 1, 1});
    request.outputs()[0].location = request.inputs()[0].location;
    ASSERT_TRUE(request.run(*model));
    EXPECT_EQ(floats(request.output(0)), (std::vector<float>{2, 3, 4, 5}));
}

TEST(CompiledModel, anOutputThatIsLeftOutIsNotComputed) {
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {2});
    const auto twice = builder.addTensor(kFloat, {2});
    const auto fourTimes = builder.addTensor(kFloat, {2});
    const auto none = builder.addScalar(0);
    builder.addOperation(OperationType::ADD, {x, x, none}, {twice});
    builder.addOperation(OperationType::ADD, {twice, twice, none}, {fourTimes});
    const auto model = compile(build(builder, {x}, {twice, fourTimes}), true);
    const std::vector<float> values{1, 2};
    TestRequest request;
    request.addInput(bytesOf(values));
    request.omitOutput();
    request.addOutput(2 * sizeof(float));
    const auto run = request.run(*model);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(floats(request.output(1)), (std::vector<float>{4, 8}));
    EXPECT_EQ(request.outcome().outputShapes.size(), 2U);
}

TEST(CompiledModel, anInputThatMustBeThereCannotBeLeftOut) {
    const auto model = compile(addModel({2}), true);
    TestRequest request;
    const std::vector<float> values{1, 2};
    request.addInput(bytesOf(values));
    request.omitInput();
    request.addOutput(2 * sizeof(float));
    expectError(request.run(*model), ErrorStatus::INVALID_ARGUMENT, "operation 0");
    TestRequest complete = addRequest({1, 2}, {3, 4});
    EXPECT_TRUE(complete.run(*model)) << "the model stays usable";
}

TEST(CompiledModel, weightsThatArePackedServeRequestsThatLeaveArgumentsOut) {
    // The constants are dropped when the model is prepared; a second plan must do without them.
    const Model model = *makeStreamingLstm();
    const auto compiled = compile(model, true);
    TestRequest complete = randomRequest(*compiled, 3);
    ASSERT_TRUE(complete.run(*compiled));
    TestRequest partial = randomRequest(*compiled, 3);
    partial.outputs()[1] = {.hasNoValue = true, .location = {}, .dimensions = {}};
    const auto run = partial.run(*compiled);
    ASSERT_TRUE(run) << run.error().message;
    const auto expected = complete.output(0);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), partial.output(0).begin()));
}

// ---- Outputs

TEST(CompiledModel, anOutputThatIsTooSmallGivesAllShapesAndComputesNothing) {
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {4});
    const auto y = builder.addTensor(kFloat, {4});
    const auto z = builder.addTensor(kFloat, {4});
    builder.addOperation(OperationType::ADD, {x, x, builder.addScalar(0)}, {y});
    builder.addOperation(OperationType::ADD, {x, x, builder.addScalar(0)}, {z});
    const auto model = compile(build(builder, {x}, {y, z}), true);
    const std::vector<float> values{1, 2, 3, 4};
    TestRequest request;
    request.addInput(bytesOf(values));
    request.addOutput(4 * sizeof(float));
    request.addOutput(3 * sizeof(float));
    expectError(request.run(*model), ErrorStatus::OUTPUT_INSUFFICIENT_SIZE,
                "output 1: 12 bytes; 16 are needed");
    const std::vector<OutputShape> shapes{{{4}, true}, {{4}, false}};
    EXPECT_EQ(request.outcome().outputShapes, shapes);
    EXPECT_EQ(floats(request.output(0)), (std::vector<float>{0, 0, 0, 0}));
}

TEST(CompiledModel, anOutputMayBeLargerThanNeeded) {
    const auto model = compile(addModel({2}), true);
    TestRequest request;
    const std::vector<float> values{1, 2};
    request.addInput(bytesOf(values));
    request.addInput(bytesOf(values));
    request.addOutput(40);
    ASSERT_TRUE(request.run(*model));
    EXPECT_EQ(floats(request.output(0).first(8)), (std::vector<float>{2, 4}));
}

TEST(CompiledModel, refusesDimensionsOfAnOutputThatAreNotTheComputedOnes) {
    const auto model = compile(addModel({0}), true);
    TestRequest request;
    const std::vector<float> values{1, 2};
    request.addInput(bytesOf(values), {2});
    request.addInput(bytesOf(values), {2});
    request.addOutput(40, {3});
    expectError(request.run(*model), ErrorStatus::INVALID_ARGUMENT, "output 0");
    request.outputs()[0].dimensions = {0};
    EXPECT_TRUE(request.run(*model));
}

// ---- Timing and deadlines

TEST(CompiledModel, measuresOnlyWhenAsked) {
    const auto model = compile(addModel({2}), true);
    TestRequest request = addRequest({1, 2}, {3, 4});
    ASSERT_TRUE(request.run(*model, {.measure = MeasureTiming::YES}));
    EXPECT_NE(request.outcome().timing.timeOnDevice, kTimeNotAvailable);
    EXPECT_EQ(request.outcome().timing.timeInDriver, kTimeNotAvailable);
    ASSERT_TRUE(request.run(*model));
    EXPECT_EQ(request.outcome().timing, Timing{});
}

/// The thread of a burst answers first: others that wait for its lane get it when the pass ends.
TEST(CompiledModel, leavesTheEndOfItsPassToACallerThatKeepsIt) {
    const auto engine = engineWith(1);
    const auto model = compileOn(engine, doubling({4}));
    ASSERT_TRUE(model);
    TestRequest request = randomRequest(*model, 1);
    RequestBindings bindings;
    ASSERT_TRUE(model->bind(request.inputs(), request.outputs(), request.pools(), bindings));
    const ExecutionGate& gate = engine->gate();
    ExecutionOutcome outcome;
    KeptPass kept;
    ASSERT_TRUE(model->run(bindings, Caller(Priority::MEDIUM, nullptr, 0, &kept), {}, outcome));
    EXPECT_TRUE(gate.isBusy());
    kept.reset();
    EXPECT_FALSE(gate.isBusy());
    ASSERT_TRUE(model->run(bindings, Priority::MEDIUM, {}, outcome));
    EXPECT_FALSE(gate.isBusy());
}

/// Others would wait for the lane while the low priority keeps the thread from a processor.
TEST(CompiledModel, endsAPassThatHasGivenTheThreadALowPriority) {
    const auto engine = engineWith(1);
    const auto model = compileOn(engine, doubling({4 << 20}));
    ASSERT_TRUE(model);
    TestRequest request = randomRequest(*model, 1);
    RequestBindings bindings;
    ASSERT_TRUE(model->bind(request.inputs(), request.outputs(), request.pools(), bindings));
    LaneShare another;
    std::atomic<bool> isOver{false};
    std::thread other([&] {
        RunnerSet models;
        while (!isOver) {
            ExecutionGate::Pass pass(engine->gate(), models, ExecutionGate::Width::ALL_LANES,
                                     &another);
            EXPECT_TRUE(pass.enter({}));
        }
    });
    EXPECT_TRUE(test::eventually([&] {
        ExecutionOutcome outcome;
        KeptPass kept;
        const Caller caller(Priority::MEDIUM, nullptr, 0, &kept);
        EXPECT_TRUE(model->run(bindings, caller, {}, outcome));
        return !kept;
    })) << "a run never yielded, or its pass was kept";
    isOver = true;
    other.join();
}

TEST(CompiledModel, doesNotBeginAfterItsDeadline) {
    const auto model = compile(addModel({2}), true);
    TestRequest request = addRequest({1, 2}, {3, 4});
    const auto now = std::chrono::steady_clock::now();
    expectError(request.run(*model, {.deadline = now - std::chrono::seconds(1)}),
                ErrorStatus::MISSED_DEADLINE_TRANSIENT, "deadline");
    EXPECT_EQ(floats(request.output(0)), (std::vector<float>{0, 0}));
    EXPECT_TRUE(request.run(*model, {.deadline = now + std::chrono::hours(1)}));
}

// ---- Models that are refused

TEST(CompiledModel, leavesLongOperationsOfConstantsToRuns) {
    // A minute of work on 1 MiB: each output depends on each input.
    constexpr std::uint32_t kSize = 1 << 18;
    ModelBuilder builder;
    const auto in = builder.addTensor(kFloat, {kSize});
    const auto constant =
        builder.addConstant(kFloat, {kSize}, bytesOf(std::vector<float>(kSize, 1.0F)));
    const auto normalized = builder.addTensor(kFloat, {kSize});
    builder.addOperation(
        OperationType::LOCAL_RESPONSE_NORMALIZATION,
        {constant, builder.addScalar(static_cast<std::int32_t>(kSize)), builder.addScalar(1.0F),
         builder.addScalar(1.0F), builder.addScalar(0.5F)},
        {normalized});
    const auto out = builder.addTensor(kFloat, {kSize});
    builder.addOperation(OperationType::ADD, {in, normalized, builder.addScalar(0)}, {out});
    const auto model = compile(build(builder, {in}, {out}), true);
    ASSERT_TRUE(model);
    TestRequest request;
    request.addInput(bytesOf(std::vector<float>(kSize)));
    request.addOutput(kSize * sizeof(float));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    const Result<> result = request.run(*model, {.deadline = deadline});
    ASSERT_FALSE(result) << "it was computed when the model was compiled";
    EXPECT_TRUE(result.error().status == ErrorStatus::MISSED_DEADLINE_PERSISTENT ||
                result.error().status == ErrorStatus::MISSED_DEADLINE_TRANSIENT)
        << result.error().message;
}

TEST(CompiledModel, namesTheUnsupportedOperation) {
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {2, 2});
    const auto y = builder.addTensor(kFloat, {2, 2});
    const auto z = builder.addTensor(kFloat, {2, 3});
    builder.addOperation(OperationType::ADD, {x, x, builder.addScalar(0)}, {y});
    builder.addOperation(OperationType::ADD, {y, x, builder.addScalar(0)}, {z});
    const Model model = build(builder, {x}, {z});
    const auto compiled = CompiledModel::compile(makeEngine(true), model);
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(compiled.error().message.find("operation 1: ADD output 0"), std::string::npos)
        << compiled.error().message;
    EXPECT_EQ(*supportedOperations(model), (std::vector<bool>{true, false}));
}

TEST(CompiledModel, saysWhichOperationsItSupports) {
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {2, 2});
    const auto y = builder.addTensor(kFloat, {2, 2});
    const auto z = builder.addTensor(kFloat, {2, 2});
    builder.addOperation(OperationType::HASHTABLE_LOOKUP, {x, x, x}, {y});
    builder.addOperation(OperationType::ADD, {y, x, builder.addScalar(0)}, {z});
    const Model model = build(builder, {x}, {z});
    EXPECT_EQ(*supportedOperations(model), (std::vector<bool>{false, true}));
    const auto compiled = CompiledModel::compile(makeEngine(true), model);
    ASSERT_FALSE(compiled);
    EXPECT_NE(compiled.error().message.find("HASHTABLE_LOOKUP"), std::string::npos)
        << compiled.error().message;
}

TEST(CompiledModel, doesNotSupportTooManyAxesThoughTheRequestHasAScalar) {
    ModelBuilder builder;
    const std::vector<std::int32_t> axes(5000, 0);
    const auto x = builder.addTensor(kFloat, {2, 2});
    const auto keep = builder.addTensor(OperandType::BOOL, {});
    const auto y = builder.addTensor(kFloat, {});
    builder.addOperation(
        OperationType::REDUCE_SUM,
        {x, builder.addConstant(OperandType::TENSOR_INT32, {5000}, bytesOf(axes)), keep}, {y});
    const Model model = build(builder, {x, keep}, {y});
    EXPECT_EQ(*supportedOperations(model), std::vector<bool>{false});
    const auto compiled = CompiledModel::compile(makeEngine(true), model);
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().status, ErrorStatus::GENERAL_FAILURE) << compiled.error().message;
}

TEST(CompiledModel, refusesAModelThatIsNotValid) {
    Model model = addModel({2});
    model.main.operations[0].inputs[0] = 1000;
    EXPECT_FALSE(CompiledModel::compile(makeEngine(true), model));
    EXPECT_FALSE(supportedOperations(model));
}

/// A RESHAPE of six floats whose shape is the second input of the model, between two ADDs.
Model openReshapeModel(const Dimensions& dimensions) {
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {2, 3});
    const auto shape = builder.addTensor(OperandType::TENSOR_INT32, {2});
    const auto twice = builder.addTensor(kFloat, {2, 3});
    const auto reshaped = builder.addTensor(kFloat, dimensions);
    const auto y = builder.addTensor(kFloat, dimensions);
    builder.addOperation(OperationType::ADD, {x, x, builder.addScalar(0)}, {twice});
    builder.addOperation(OperationType::RESHAPE, {twice, shape}, {reshaped});
    builder.addOperation(OperationType::ADD, {reshaped, reshaped, builder.addScalar(0)}, {y});
    return build(builder, {x, shape}, {y});
}

TEST(CompiledModel, comparesAShapeOfTheRequestWithTheModels) {
    const auto compiled = compile(openReshapeModel({3, 2}), true);
    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    for (const std::vector<std::int32_t>& shape : {std::vector{3, 2}, std::vector{2, 3}}) {
        TestRequest request;
        request.addInput(bytesOf(values));
        request.addInput(bytesOf(shape));
        request.addOutput(6 * sizeof(float));
        if (shape[0] == 3) {
            const auto run = request.run(*compiled);
            ASSERT_TRUE(run) << run.error().message;
            EXPECT_EQ(floats(request.output(0)), (std::vector<float>{4, 8, 12, 16, 20, 24}));
        } else {
            expectError(request.run(*compiled), ErrorStatus::INVALID_ARGUMENT,
                        "operation 1: RESHAPE output 0");
        }
    }
}

/// Columns plus rows: a table of `rows` x `columns` floats.
Model tableModel(std::uint32_t rows, std::uint32_t columns, int additions) {
    ModelBuilder builder;
    const auto a = builder.addTensor(kFloat, {rows, 1});
    const auto b = builder.addTensor(kFloat, {1, columns});
    auto sum = builder.addTensor(kFloat, {});
    builder.addOperation(OperationType::ADD, {a, b, builder.addScalar(0)}, {sum});
    for (int addition = 0; addition < additions; ++addition) {
        const auto next = builder.addTensor(kFloat, {});
        builder.addOperation(OperationType::ADD, {sum, sum, builder.addScalar(0)}, {next});
        sum = next;
    }
    return build(builder, {a, b}, {sum});
}

TEST(CompiledModel, refusesOperandsWhoseSizeOverflows) {
    // 2^32 and 2^62 elements from two vectors.
    for (const std::uint32_t size : {1U << 16, 1U << 29}) {
        const auto compiled = CompiledModel::compile(makeEngine(true), tableModel(size, size, 0));
        ASSERT_FALSE(compiled);
        EXPECT_EQ(compiled.error().status, ErrorStatus::INVALID_ARGUMENT)
            << compiled.error().message;
    }
}

constexpr std::uint32_t kLongConstantElements = 1U << 20;

/// Adds the same float16 constant `times` times, which XNNPACK converts for each addition.
Model additionsOfOneConstant(std::size_t times) {
    const Dimensions dimensions{kLongConstantElements};
    ModelBuilder builder;
    const std::vector<std::uint16_t> ones(kLongConstantElements, 0x3c00);
    const auto constant = builder.addConstant(OperandType::TENSOR_FLOAT16, dimensions,
                                              std::as_bytes(std::span(ones)));
    const auto none = builder.addScalar(0);
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT16, dimensions);
    auto sum = in;
    for (std::size_t i = 0; i < times; ++i) {
        const auto next = builder.addTensor(OperandType::TENSOR_FLOAT16, dimensions);
        builder.addOperation(OperationType::ADD, {sum, constant, none}, {next});
        sum = next;
    }
    return *builder.build({in}, {sum});
}

/// `count` times LOGISTIC of one number; of a dimension that is given by requests if that is 0.
Model chainOfLogistics(std::uint32_t count, std::uint32_t dimension) {
    ModelBuilder builder;
    const auto in = builder.addTensor(kFloat, {dimension});
    auto last = in;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto next = builder.addTensor(kFloat, {dimension});
        builder.addOperation(OperationType::LOGISTIC, {last}, {next});
        last = next;
    }
    return *builder.build({in}, {last});
}

// A chain of such operations once took twice as much as was charged for it.
TEST(CompiledModel, countsItsOperatorsOfXnnpack) {
    constexpr std::uint32_t kOperations = 100;
    constexpr std::uint64_t kMinimumBytesOfOperator = 512;
    for (const std::uint32_t dimension : {1U, 0U}) {
        const auto memoryOf = [&](bool useXnnpack) {
            const auto model = compile(chainOfLogistics(kOperations, dimension), useXnnpack);
            TestRequest request;
            request.addInput(bytesOf(std::vector<float>(1)), {1});
            request.addOutput(sizeof(float));
            EXPECT_TRUE(request.run(*model));
            return model->memoryBytes();
        };
        EXPECT_GE(memoryOf(true), memoryOf(false) + kOperations * kMinimumBytesOfOperator)
            << dimension;
    }
}

TEST(CompiledModel, countsTheFactorsThatXnnpackPacksForPrelu) {
    if (xnnpack::kHasWeightsCaches) {
        GTEST_SKIP() << "this release of XNNPACK packs none";
    }
    constexpr std::uint32_t kChannels = 1U << 18;
    const auto memoryOf = [&](bool useXnnpack) {
        ModelBuilder builder;
        const auto x = builder.addTensor(OperandType::TENSOR_FLOAT32, {1, kChannels});
        const auto factor = builder.addConstant(OperandType::TENSOR_FLOAT32, {1},
                                                bytesOf(std::vector<float>{0.5F}));
        const auto y = builder.addTensor(OperandType::TENSOR_FLOAT32, {1, kChannels});
        builder.addOperation(OperationType::PRELU, {x, factor}, {y});
        return compile(build(builder, {x}, {y}), useXnnpack)->memoryBytes();
    };
    EXPECT_GE(memoryOf(true), memoryOf(false) + kChannels * sizeof(float));
}

TEST(CompiledModel, chargesWhatOperationsKeepWhileItIsPlanned) {
    constexpr std::uint64_t kConvertedBytes = kLongConstantElements * sizeof(float);
    Amounts limits;
    limits[Resource::MEMORY] = 4 * kConvertedBytes + kConvertedBytes / 2;
    const SharedAccount account = Account::create("client", limits);
    GrowingCharge memory(account.get(), Resource::MEMORY);
    const auto compiled = CompiledModel::compile(makeEngine(true), additionsOfOneConstant(20), {},
                                                 {.memory = &memory});
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_GE(account->usage(Resource::MEMORY).highest, 4 * kConvertedBytes)
        << "all of it is charged before the first run";
}

TEST(CompiledModel, isNotPlannedForAClientThatHasGone) {
    const std::atomic<bool> isCancelled{true};
    const auto compiled = CompiledModel::compile(makeEngine(true), additionsOfOneConstant(1), {},
                                                 {.isCancelled = &isCancelled});
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().status, ErrorStatus::GENERAL_FAILURE);
}

TEST(CompiledModel, refusesModelsWhoseTemporariesNeedTooMuchMemory) {
    const auto compiled = CompiledModel::compile(makeEngine(true), tableModel(32768, 32767, 2));
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT)
        << compiled.error().message;
}

// ---- Requests that lie

struct Lie {
    const char* name;
    std::function<void(TestRequest&)> tell;
};

class LyingRequest : public testing::TestWithParam<Lie> {};

TEST_P(LyingRequest, isRefused) {
    const auto model = compile(addModel({4}), true);
    TestRequest request = addRequest({1, 2, 3, 4}, {1, 1, 1, 1});
    ASSERT_TRUE(request.bind(*model));
    GetParam().tell(request);
    const auto bound = request.bind(*model);
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().status, ErrorStatus::INVALID_ARGUMENT) << bound.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    CompiledModel, LyingRequest,
    testing::Values(
        Lie{"inputPoolThatDoesNotExist",
            [](TestRequest& request) { request.inputs()[0].location.poolIndex = 3; }},
        Lie{"outputPoolThatDoesNotExist",
            [](TestRequest& request) { request.outputs()[0].location.poolIndex = UINT32_MAX; }},
        Lie{"inputOffsetBeyondPool",
            [](TestRequest& request) { request.inputs()[0].location.offset = 4; }},
        Lie{"outputOffsetBeyondPool",
            [](TestRequest& request) { request.outputs()[0].location.offset = 4; }},
        Lie{"offsetPlusLengthOverflows",
            [](TestRequest& request) {
                request.outputs()[0].location = {
                    .poolIndex = 2, .offset = UINT32_MAX - 3, .length = 16};
            }},
        Lie{"outputLengthBeyondPool",
            [](TestRequest& request) { request.outputs()[0].location.length = UINT32_MAX; }},
        Lie{"inputLengthOfOtherDimensions",
            [](TestRequest& request) { request.inputs()[0].location.length = 12; }},
        Lie{"inputDimensionsOfAnotherShape",
            [](TestRequest& request) {
                request.inputs()[0].dimensions = {2, 2};
            }},
        Lie{"inputDimensionsThatAreHuge",
            [](TestRequest& request) {
                request.inputs()[0].dimensions = Dimensions(8, UINT32_MAX);
            }},
        Lie{"outputDimensionsOfTooManyAxes",
            [](TestRequest& request) { request.outputs()[0].dimensions = Dimensions(1000, 1); }},
        Lie{"tooFewInputs", [](TestRequest& request) { request.inputs().pop_back(); }},
        Lie{"tooManyOutputs",
            [](TestRequest& request) { request.outputs().push_back(request.outputs()[0]); }}),
    [](const auto& lie) { return lie.param.name; });

TEST(CompiledModel, runsOnArgumentsAtAnyOffset) {
    const auto model = compile(addModel({2}), true);
    TestRequest request = addRequest({1, 2, 3, 4}, {1, 1, 1, 1});
    for (auto* argument : {&request.inputs()[0], &request.inputs()[1], &request.outputs()[0]}) {
        argument->location.length = 8;
    }
    ASSERT_TRUE(request.bind(*model));
    request.inputs()[0].location.offset += 2;
    ASSERT_TRUE(request.bind(*model));
    EXPECT_TRUE(request.run(*model));
    request.inputs()[0].location.offset -= 2;
    ASSERT_TRUE(request.bind(*model));
    ASSERT_TRUE(request.run(*model));
    EXPECT_EQ(floats(request.output(0))[0], 2.0F);
    EXPECT_EQ(floats(request.output(0))[1], 3.0F);
}

TEST(CompiledModel, runsWhatWasBoundOnceThoughItsPlanIsGone) {
    const auto model = compile(addModel({0}), true);
    const auto request = [](std::uint32_t count) {
        TestRequest made;
        const std::vector<float> ones(count, 1.0F);
        made.addInput(std::as_bytes(std::span(ones)), {count});
        made.addInput(std::as_bytes(std::span(ones)), {count});
        made.addOutput(count * sizeof(float));
        return made;
    };
    TestRequest first = request(5);
    ASSERT_TRUE(first.run(*model));
    for (std::uint32_t count = 6; count < 30; ++count) {
        TestRequest other = request(count);
        ASSERT_TRUE(other.run(*model));
        std::ranges::fill(first.output(0), std::byte{0});
        ASSERT_TRUE(first.runAgain(*model));
        ASSERT_TRUE(other.runAgain(*model));
        EXPECT_EQ(reinterpret_cast<const float*>(first.output(0).data())[4], 2.0F);
        EXPECT_EQ(first.outcome().outputShapes[0].dimensions, Dimensions{5});
    }
    std::vector<TestRequest> many;
    for (std::uint32_t count = 30; count < 50; ++count) {
        many.push_back(request(count));
        ASSERT_TRUE(many.back().run(*model));
    }
    for (TestRequest& one : many) {
        ASSERT_TRUE(one.runAgain(*model));
        EXPECT_EQ(reinterpret_cast<const float*>(one.output(0).data())[29], 2.0F);
    }
}

TEST(CompiledModel, doesNotRepeatARunForAClientThatHasGone) {
    const auto model = compile(addModel({4}), true);
    TestRequest request = addRequest({1, 2, 3, 4}, {1, 1, 1, 1});
    LaneShare client;
    ASSERT_TRUE(request.runFor(client, *model));
    const Caller caller(Priority::MEDIUM, &client);
    ASSERT_TRUE(request.runAgain(*model, caller));
    client.cancel();
    const Result<> result = request.runAgain(*model, caller);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
}

/// A client of another user than all others, with its account.
LaneShare newUser() {
    Amounts limits;
    limits[Resource::MEMORY] = 1 << 20;
    return LaneShare(nullptr, Account::create("client", limits, Account::create("user", limits)));
}

TEST(CompiledModel, aUserWithManyShapesLeavesThePlansOfOthers) {
    ModelBuilder builder;
    const auto in = builder.addTensor(kFloat, {0});
    const auto twice = builder.addTensor(kFloat, {0});
    const auto sum = builder.addTensor(kFloat, {0});
    builder.addOperation(OperationType::ADD, {in, in, builder.addScalar(0)}, {twice});
    builder.addOperation(OperationType::ADD, {in, twice, builder.addScalar(0)}, {sum});
    const auto model = compile(build(builder, {in}, {sum}), true);
    const auto run = [&](LaneShare& client, std::uint32_t count) {
        TestRequest request;
        request.addInput(bytesOf(std::vector<float>(count, 1.0F)), {count});
        request.addOutput(count * sizeof(float));
        ASSERT_TRUE(request.runFor(client, *model));
    };
    LaneShare one = newUser();
    LaneShare other = newUser();
    const auto planBytes = [](const LaneShare& client) {
        return client.account()->usage(Resource::MEMORY).used;
    };
    run(one, 5);
    ASSERT_GT(planBytes(one), 0U);
    for (std::uint32_t count = 6; count < 30; ++count) {
        run(other, count);
    }
    EXPECT_GT(planBytes(one), 0U) << "its plan is still there";
    for (std::uint32_t count = 30; count < 50; ++count) {
        run(one, count);
    }
    EXPECT_GT(planBytes(other), 0U);
    LaneShare third = newUser();
    run(third, 60);
    const std::uint64_t ofOnePlan = planBytes(third);
    run(third, 61);
    EXPECT_GT(planBytes(third), ofOnePlan) << "it keeps its first plan beside those of others";
}

TEST(CompiledModelDeathTest, assertsThatBindingsAreItsOwn) {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("bindings"));  // what a death test reads
    const auto model = compile(addModel({2}), true);
    ExecutionOutcome outcome;
    RequestBindings none;
    EXPECT_DEATH((void)model->run(none, Priority::MEDIUM, {}, outcome),
                 "bindings of 0 inputs and 0 outputs; the model has 2 and 1");
}

}  // namespace
}  // namespace nnburst::exec
