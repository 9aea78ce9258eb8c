// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Where plans put operands, what they leave out, and when they stop.

#include "exec/plan/planner.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "exec/plan/kernels.h"
#include "support/eventually.h"
#include "support/sanitizers.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

constexpr auto kFloat = OperandType::TENSOR_FLOAT32;

/// Builds models of ADD and RESHAPE over six floats.
class Sketch {
  public:
    std::uint32_t tensor(Dimensions dimensions) {
        return builder_.addTensor(kFloat, std::move(dimensions));
    }
    std::uint32_t constant(const std::vector<float>& values) {
        return builder_.addConstant(kFloat, {static_cast<std::uint32_t>(values.size())},
                                    bytesOf(values));
    }
    std::uint32_t add(std::uint32_t a, std::uint32_t b) {
        const auto sum = tensor(builder_.operand(a).dimensions);
        builder_.addOperation(OperationType::ADD, {a, b, builder_.addScalar(0)}, {sum});
        return sum;
    }
    std::uint32_t join(std::vector<std::uint32_t> parts, std::int32_t axis, Dimensions dimensions) {
        const auto joined = tensor(std::move(dimensions));
        parts.push_back(builder_.addScalar(axis));
        builder_.addOperation(OperationType::CONCATENATION, std::move(parts), {joined});
        return joined;
    }
    std::uint32_t reshape(std::uint32_t x, const std::vector<std::int32_t>& shape) {
        const auto sizes = builder_.addConstant(
            OperandType::TENSOR_INT32, {static_cast<std::uint32_t>(shape.size())}, bytesOf(shape));
        const auto y = tensor(Dimensions(shape.begin(), shape.end()));
        builder_.addOperation(OperationType::RESHAPE, {x, sizes}, {y});
        return y;
    }
    Model build(std::vector<std::uint32_t> inputs, std::vector<std::uint32_t> outputs) {
        auto model = builder_.build(std::move(inputs), std::move(outputs));
        EXPECT_TRUE(model) << model.error().message;
        return model ? std::move(*model) : Model();
    }

  private:
    ModelBuilder builder_;
};

const std::vector<float> kOneToSix{1, 2, 3, 4, 5, 6};
const std::vector<float> kTwice{2, 4, 6, 8, 10, 12};

/// Runs a model on 1 to 6, with XNNPACK and without, and requires these outputs.
void expectOutputs(const Model& model, const std::vector<std::vector<float>>& expected) {
    for (const bool useXnnpack : {true, false}) {
        const auto compiled = compile(model, useXnnpack);
        ASSERT_TRUE(compiled);
        TestRequest request;
        request.addInput(bytesOf(kOneToSix));
        for (const auto& output : expected) {
            request.addOutput(output.size() * sizeof(float));
        }
        const auto run = request.run(*compiled);
        ASSERT_TRUE(run) << run.error().message;
        for (std::size_t output = 0; output < expected.size(); ++output) {
            EXPECT_EQ(floats(request.output(output)), expected[output]) << "output " << output;
        }
    }
}

TEST(Planner, reshapesBetweenOperations) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const auto reshaped = sketch.reshape(sketch.add(x, x), {2, 3});
    expectOutputs(sketch.build({x}, {sketch.add(reshaped, reshaped)}), {{4, 8, 12, 16, 20, 24}});
}

TEST(Planner, reshapesAnInputIntoAnOutput) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    expectOutputs(sketch.build({x}, {sketch.reshape(x, {2, 3})}), {kOneToSix});
}

TEST(Planner, reshapesAnInputTwiceIntoTwoOutputs) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const auto first = sketch.reshape(x, {2, 3});
    const auto second = sketch.reshape(x, {3, 2});
    expectOutputs(sketch.build({x}, {first, second}), {kOneToSix, kOneToSix});
}

TEST(Planner, reshapesATemporaryIntoAnOutputThatOthersRead) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const auto sum = sketch.add(x, x);
    const auto output = sketch.reshape(sum, {2, 3});
    const auto other = sketch.add(sum, sum);
    expectOutputs(sketch.build({x}, {output, other}), {kTwice, {4, 8, 12, 16, 20, 24}});
}

TEST(Planner, reshapesAnOutputIntoAnotherOutput) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const auto sum = sketch.add(x, x);
    const auto first = sketch.reshape(sum, {2, 3});
    const auto second = sketch.reshape(first, {3, 2});
    const auto third = sketch.reshape(sum, {6, 1});
    expectOutputs(sketch.build({x}, {sum, first, second, third}), {kTwice, kTwice, kTwice, kTwice});
}

TEST(Planner, foldsWhatIsTheSameInEveryRun) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const auto a = sketch.constant({1, 1, 1, 1, 1, 1});
    const auto b = sketch.constant({0, 1, 2, 3, 4, 5});
    const auto folded = sketch.reshape(sketch.add(a, b), {6});
    const Model model = sketch.build({x}, {sketch.add(x, folded)});
    expectOutputs(model, {kTwice});

    const auto graph = Graph::create(model, model.main);
    ASSERT_TRUE(graph);
    EXPECT_EQ(*supportedOperations(model), std::vector<bool>(3, true));
}

TEST(Planner, computesAConstantOutputInEveryRun) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const auto a = sketch.constant(kOneToSix);
    const auto constant = sketch.add(a, a);
    const auto reshaped = sketch.reshape(a, {3, 2});
    expectOutputs(sketch.build({x}, {constant, reshaped, sketch.add(x, x)}),
                  {kTwice, kOneToSix, kTwice});
}

TEST(Planner, longChainsOfOperationsKeepTheirOperandsApart) {
    // Each sum reads the previous one and a much earlier one.
    Random random(3);
    Sketch sketch;
    const auto x = sketch.tensor({6});
    std::vector<std::uint32_t> operands{x};
    std::vector<std::vector<float>> values{kOneToSix};
    for (int step = 0; step < 60; ++step) {
        const std::size_t other = random.size(0, static_cast<std::uint32_t>(operands.size()) - 1);
        const bool isReshaped = random.integer(0, 4) == 0;
        auto sum = sketch.add(operands.back(), operands[other]);
        if (isReshaped) {
            sum = sketch.reshape(sum, {6});
        }
        operands.push_back(sum);
        std::vector<float> next(6);
        for (std::size_t element = 0; element < next.size(); ++element) {
            next[element] = values.back()[element] + values[other][element];
        }
        values.push_back(next);
    }
    expectOutputs(sketch.build({x}, {operands.back()}), {values.back()});
}

/// A plan of `graph`, whose dimensions are all known.
Result<std::unique_ptr<Plan>> tryPlan(Graph& graph, xnnpack::OperatorCache& operators,
                                      bool useXnnpack, const RunLimits& limits = {}) {
    const auto engine = makeEngine(useXnnpack);  // initialises XNNPACK
    EXPECT_TRUE(engine);
    const Kernels kernels{
        .usesXnnpack = useXnnpack, .dot8 = engine->packedFor().kernels, .threads = nullptr};
    Specialization specialization;
    for (const std::uint32_t input : graph.subgraph.inputIndexes) {
        specialization.inputs.push_back({Shape(graph.subgraph.operands[input].dimensions), false});
    }
    specialization.omittedOutputs.resize(graph.subgraph.outputIndexes.size());
    PlanningTurns planning;
    return makePlan(graph, specialization, kernels, operators, *planning.take(), limits);
}

std::unique_ptr<Plan> plan(Graph& graph, xnnpack::OperatorCache& operators, bool useXnnpack) {
    auto made = tryPlan(graph, operators, useXnnpack);
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : nullptr;
}

/// Memory of a plan of `model`.
std::uint64_t memoryOf(const Model& model) {
    const auto graph = Graph::create(model, model.main);
    EXPECT_TRUE(graph);
    xnnpack::OperatorCache operators;
    return plan(**graph, operators, true)->memoryBytes();
}

/// Memory of a plan for GREATER of so many bytes with a constant.
std::uint64_t memoryOfComparison(std::uint32_t elements) {
    constexpr auto kBytes = OperandType::TENSOR_QUANT8_ASYMM;
    ModelBuilder builder;
    const auto x = builder.addTensor(kBytes, {elements}, 0.5F, 10);
    const auto y = builder.addTensor(OperandType::TENSOR_BOOL8, {elements});
    const auto zero =
        builder.addConstant(kBytes, {1}, bytesOf(std::vector<std::uint8_t>{10}), 0.5F, 10);
    builder.addOperation(OperationType::GREATER, {x, zero}, {y});
    return memoryOf(build(builder, {x}, {y}));
}

TEST(Plan, countsWhatItsStepsKeep) {
    if (makeEngine(true)->packedFor().kernels == nullptr) {
        GTEST_SKIP() << "this processor has no instructions for dot products";
    }
    EXPECT_GE(memoryOfComparison(65536), memoryOfComparison(65535) + 65536);
}

constexpr std::uint32_t kImageSize = 128;
/// The table of addresses of `convolution3x3`.
constexpr std::uint64_t kTableBytes = std::uint64_t{kImageSize} * kImageSize * 9 * sizeof(void*);

Model convolution3x3() {
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {1, kImageSize, kImageSize, 1});
    const auto filter =
        builder.addConstant(kFloat, {2, 3, 3, 1}, bytesOf(std::vector<float>(18, 1.0F)));
    const auto bias = builder.addConstant(kFloat, {2}, bytesOf(std::vector<float>(2)));
    const auto y = builder.addTensor(kFloat, {1, kImageSize, kImageSize, 2});
    const auto one = builder.addScalar(1);
    builder.addOperation(OperationType::CONV_2D,
                         {x, filter, bias, one, one, one, builder.addScalar(0)}, {y});
    return build(builder, {x}, {y});
}

TEST(Plan, countsTheAddressesThatAnOperatorKeeps) {
    EXPECT_GE(memoryOf(convolution3x3()), kTableBytes);
}

TEST(Plan, countsTheAddressesOfASharedOperatorForItsFirstUser) {
    const Model model = convolution3x3();
    const auto graph = Graph::create(model, model.main);
    ASSERT_TRUE(graph);
    xnnpack::OperatorCache operators;
    const auto first = plan(**graph, operators, true);
    ASSERT_TRUE(first);
    const auto second = plan(**graph, operators, true);
    ASSERT_TRUE(second);
    EXPECT_GE(first->memoryBytes(), kTableBytes);
    EXPECT_LT(second->memoryBytes(), kTableBytes);
}

TEST(Plan, countsTheConstantsThatAStepConverts) {
    constexpr std::uint32_t kElements = 65536;
    constexpr auto kHalf = OperandType::TENSOR_FLOAT16;
    ModelBuilder builder;
    const auto x = builder.addTensor(kHalf, {kElements});
    const auto ones = builder.addConstant(kHalf, {kElements},
                                          bytesOf(std::vector<Float16>(kElements, Float16(1.0F))));
    const auto y = builder.addTensor(kHalf, {kElements});
    builder.addOperation(OperationType::ADD, {x, ones, builder.addScalar(0)}, {y});
    // The temporaries are the input and the output as float32.
    EXPECT_GE(memoryOf(build(builder, {x}, {y})), 3 * kElements * sizeof(float));
}

TEST(Plan, stopsBetweenStepsWhenItsDeadlineHasPassed) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const Model model = sketch.build({x}, {sketch.add(x, x)});
    const auto graph = Graph::create(model, model.main);
    ASSERT_TRUE(graph);
    xnnpack::OperatorCache operators;
    const auto made = plan(**graph, operators, true);
    ASSERT_TRUE(made);
    std::vector<float> input = kOneToSix;
    input.resize(64);
    std::vector<float> output(64);
    const std::vector<std::byte*> arguments{reinterpret_cast<std::byte*>(input.data()),
                                            reinterpret_cast<std::byte*>(output.data())};
    made->place(arguments);
    const auto late = made->run({.deadline = std::chrono::steady_clock::now()});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    EXPECT_EQ(output[5], 0.0F);
    ASSERT_TRUE(made->run({}));
    EXPECT_EQ(output[5], 12.0F);
}

TEST(Planner, makesNoStepsForARunThatIsOver) {
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {1, 2});
    const auto weights =
        builder.addConstant(kFloat, {2, 2}, bytesOf(std::vector<float>{1, 2, 3, 4}));
    const auto bias = builder.addConstant(kFloat, {2}, bytesOf(std::vector<float>{5, 6}));
    const auto y = builder.addTensor(kFloat, {1, 2});
    builder.addOperation(OperationType::FULLY_CONNECTED, {x, weights, bias, builder.addScalar(0)},
                         {y});
    const Model model = build(builder, {x}, {y});
    const auto graph = Graph::create(model, model.main);
    ASSERT_TRUE(graph);
    xnnpack::OperatorCache operators;
    const auto late =
        tryPlan(**graph, operators, true, {.deadline = std::chrono::steady_clock::now()});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    const std::atomic<bool> isCancelled{true};
    const auto cancelled = tryPlan(**graph, operators, true, {.isCancelled = &isCancelled});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(operators.find({.operation = 0}), nullptr);
    ASSERT_TRUE(tryPlan(**graph, operators, true));
    EXPECT_NE(operators.find({.operation = 0}), nullptr);
}

TEST(PlanningTurns, areTakenOneAfterTheOther) {
    PlanningTurns planning;
    PlanningTurns::Turn turn = *planning.take();
    std::atomic<bool> isTaken{false};
    std::thread other([&] {
        EXPECT_TRUE(planning.take());
        isTaken = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_FALSE(isTaken);
    turn.reset();
    other.join();
    EXPECT_TRUE(isTaken);
}

TEST(PlanningTurns, knowWhetherAThreadWaits) {
    PlanningTurns planning;
    PlanningTurns::Turn turn = *planning.take();
    EXPECT_FALSE(planning.isAwaited());
    std::thread other([&] { EXPECT_TRUE(planning.take()); });
    EXPECT_TRUE(test::eventually([&] { return planning.isAwaited(); }));
    turn.reset();
    other.join();
    EXPECT_FALSE(planning.isAwaited());
}

TEST(PlanningTurns, areNotAwaitedByARunThatIsOver) {
    PlanningTurns planning;
    EXPECT_TRUE(planning.take({.deadline = TimePoint()})) << "a free turn needs no wait";
    const PlanningTurns::Turn turn = *planning.take();
    const auto late = planning.take(
        {.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20)});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    EXPECT_EQ(late.error().message,
              "the deadline has passed while other executions planned the model");
    std::atomic<bool> isCancelled{false};
    std::thread cancelling([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        isCancelled = true;
    });
    const auto cancelled = planning.take({.isCancelled = &isCancelled});
    cancelling.join();
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().status, ErrorStatus::GENERAL_FAILURE);
}

TEST(Planner, packsNoMoreWeightsThanTheAccountOfTheOperatorsAllows) {
    constexpr std::uint32_t kSize = 64;
    constexpr std::uint64_t kWeightBytes = std::uint64_t{kSize} * kSize * sizeof(float);
    ModelBuilder builder;
    const auto x = builder.addTensor(kFloat, {1, kSize});
    const auto weights = builder.addConstant(
        kFloat, {kSize, kSize}, bytesOf(std::vector<float>(std::size_t{kSize} * kSize, 1.0F)));
    const auto bias =
        builder.addConstant(kFloat, {kSize}, bytesOf(std::vector<float>(kSize, 1.0F)));
    auto y = x;
    for (int layer = 0; layer < 4; ++layer) {
        const auto input = y;
        y = builder.addTensor(kFloat, {1, kSize});
        builder.addOperation(OperationType::FULLY_CONNECTED,
                             {input, weights, bias, builder.addScalar(0)}, {y});
    }
    const Model model = build(builder, {x}, {y});
    const auto graph = Graph::create(model, model.main);
    ASSERT_TRUE(graph);
    for (const std::uint64_t layers : {3, 6}) {
        Amounts limits;
        limits[Resource::MEMORY] = layers * kWeightBytes;
        const SharedAccount account = Account::create("operators", limits);
        {
            xnnpack::OperatorCache operators(nullptr, nullptr, account);
            const auto plan = tryPlan(**graph, operators, true);
            EXPECT_EQ(plan.has_value(), layers == 6);
            EXPECT_TRUE(plan || plan.error().status == ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
            EXPECT_GE(account->usage(Resource::MEMORY).used, 2 * kWeightBytes);
        }
        EXPECT_EQ(account->usage(Resource::MEMORY).used, 0U);
    }
}

/// RAII: this process may take only so many bytes of private memory more.
class ScopedDataLimit {
  public:
    explicit ScopedDataLimit(std::uint64_t bytes) {
        EXPECT_EQ(::getrlimit(RLIMIT_DATA, &before_), 0);
        rlimit limit = before_;
        limit.rlim_cur = usedBytes() + bytes;
        EXPECT_EQ(::setrlimit(RLIMIT_DATA, &limit), 0);
    }
    ~ScopedDataLimit() { EXPECT_EQ(::setrlimit(RLIMIT_DATA, &before_), 0); }
    ScopedDataLimit(const ScopedDataLimit&) = delete;
    ScopedDataLimit& operator=(const ScopedDataLimit&) = delete;

  private:
    static std::uint64_t usedBytes() {
        std::ifstream status("/proc/self/status");
        std::uint64_t kibibytes = 0;
        for (std::string word; status >> word && word != "VmData:";) {
        }
        status >> kibibytes;
        return kibibytes << 10;
    }

    rlimit before_{};
};

TEST(Planner, takesNoMemoryForArguments) {
    if (test::kHasSanitizer) {
        GTEST_SKIP() << "sanitizers need more memory themselves";
    }
    Sketch sketch;
    const auto x = sketch.tensor({50'000'000});  // 200 MB
    const Model model = sketch.build({x}, {sketch.add(x, x)});
    const auto graph = Graph::create(model, model.main);
    ASSERT_TRUE(graph);
    xnnpack::OperatorCache operators;
    const ScopedDataLimit limit(std::uint64_t{64} << 20);
    EXPECT_NE(plan(**graph, operators, true), nullptr);
}

/// CONCATENATION of RELU of two bytes each, whose scale is 0.5 and whose zero point is 10.
Model joinOfTemporaries(float scale, std::int32_t zeroPoint) {
    constexpr auto kBytes = OperandType::TENSOR_QUANT8_ASYMM;
    ModelBuilder builder;
    const auto x = builder.addTensor(kBytes, {2}, 0.5F, 10);
    const auto first = builder.addTensor(kBytes, {2}, 0.5F, 10);
    builder.addOperation(OperationType::RELU, {x}, {first});
    const auto second = builder.addTensor(kBytes, {2}, 0.5F, 10);
    builder.addOperation(OperationType::RELU, {x}, {second});
    const auto joined = builder.addTensor(kBytes, {4}, scale, zeroPoint);
    builder.addOperation(OperationType::CONCATENATION, {first, second, builder.addScalar(0)},
                         {joined});
    return build(builder, {x}, {joined});
}

void expectJoined(const Model& model, const std::vector<std::uint8_t>& expected) {
    for (const bool useXnnpack : {true, false}) {
        const auto compiled = compile(model, useXnnpack);
        ASSERT_TRUE(compiled);
        TestRequest request;
        request.addInput(bytesOf(std::vector<std::uint8_t>{12, 14}));
        request.addOutput(expected.size());
        const auto run = request.run(*compiled);
        ASSERT_TRUE(run) << run.error().message;
        const auto found = request.output(0);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(std::to_integer<int>(found[i]), expected[i]) << i;
        }
    }
}

TEST(Planner, joinsTemporariesInPlaceOnlyIfScaleAndZeroPointAreTheSame) {
    expectJoined(joinOfTemporaries(0.5F, 10), {12, 14, 12, 14});
    expectJoined(joinOfTemporaries(0.5F, 20), {22, 24, 22, 24});
    expectJoined(joinOfTemporaries(1.0F, 10), {11, 12, 11, 12});
}

TEST(Planner, joinsTemporariesAlongAnInnerAxis) {
    Sketch sketch;
    const auto x = sketch.tensor({2, 3});
    const auto joined = sketch.join({sketch.add(x, x), sketch.add(x, x)}, 1, {2, 6});
    expectOutputs(sketch.build({x}, {joined}), {{2, 4, 6, 2, 4, 6, 8, 10, 12, 8, 10, 12}});
}

TEST(Planner, joinsATemporaryWithItself) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const auto sum = sketch.add(x, x);
    const auto joined = sketch.join({sum, sum}, 0, {12});
    expectOutputs(sketch.build({x}, {joined}), {{2, 4, 6, 8, 10, 12, 2, 4, 6, 8, 10, 12}});
}

TEST(Planner, joinsATemporaryWithAnInputAndAConstant) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const auto joined = sketch.join({x, sketch.add(x, x), sketch.constant({7, 8})}, 0, {14});
    expectOutputs(sketch.build({x}, {joined}), {{1, 2, 3, 4, 5, 6, 2, 4, 6, 8, 10, 12, 7, 8}});
}

TEST(Planner, joinsWhatWasJoinedAndReshaped) {
    Sketch sketch;
    const auto x = sketch.tensor({6});
    const auto inner =
        sketch.join({sketch.add(x, x), sketch.reshape(sketch.add(x, x), {6})}, 0, {12});
    const auto outer = sketch.join({sketch.add(x, x), sketch.reshape(inner, {12})}, 0, {18});
    const auto last = sketch.join({sketch.add(x, x), outer}, 0, {24});
    std::vector<float> expected;
    for (int i = 0; i < 4; ++i) {
        expected.insert(expected.end(), kTwice.begin(), kTwice.end());
    }
    expectOutputs(sketch.build({x}, {sketch.add(last, last)}), {[&] {
                      std::vector<float> twice;
                      for (const float value : expected) {
                          twice.push_back(2 * value);
                      }
                      return twice;
                  }()});
}

}  // namespace
}  // namespace nnburst::exec
