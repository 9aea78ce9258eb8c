// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// IF and WHILE: cases that the examples of the HAL do not have.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "support/allocation_counter.h"
#include "support/consumers.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
constexpr auto kBool = OperandType::TENSOR_BOOL8;

Operand operand(OperandType type, Dimensions dimensions, OperandLifeTime lifetime) {
    return {.type = type, .dimensions = std::move(dimensions), .lifetime = lifetime};
}

Operand reference(std::uint32_t subgraph) {
    return {.type = OperandType::SUBGRAPH,
            .lifetime = OperandLifeTime::SUBGRAPH,
            .location = {.offset = subgraph}};
}

/// x < limit, of one float; the limit is a constant at `offset` of the values.
Subgraph lessThan(std::uint32_t offset) {
    Subgraph graph;
    graph.operands = {operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_INPUT),
                      operand(kFloat, {1}, OperandLifeTime::CONSTANT_COPY),
                      operand(kBool, {1}, OperandLifeTime::SUBGRAPH_OUTPUT)};
    graph.operands[1].location = {.offset = offset, .length = 4};
    graph.operations = {{OperationType::LESS, {0, 1}, {2}}};
    graph.inputIndexes = {0};
    graph.outputIndexes = {2};
    return graph;
}

/// x + x.
Subgraph doubled() {
    Subgraph graph;
    graph.operands = {operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_INPUT),
                      operand(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY),
                      operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_OUTPUT)};
    graph.operands[1].location = {.offset = 0, .length = 4};
    graph.operations = {{OperationType::ADD, {0, 0, 1}, {2}}};
    graph.inputIndexes = {0};
    graph.outputIndexes = {2};
    return graph;
}

/// Doubles x as long as it is less than 100.
Model loopModel() {
    Model model;
    const std::int32_t activation = 0;
    const float limit = 100.0F;
    model.operandValues.resize(8);
    std::memcpy(&model.operandValues[0], &activation, 4);
    std::memcpy(&model.operandValues[4], &limit, 4);
    model.referenced = {lessThan(4), doubled()};
    model.main.operands = {reference(0), reference(1),
                           operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_INPUT),
                           operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_OUTPUT)};
    model.main.operations = {{OperationType::WHILE, {0, 1, 2}, {3}}};
    model.main.inputIndexes = {2};
    model.main.outputIndexes = {3};
    test::recountConsumers(model);
    return model;
}

Result<float> run(CompiledModel& model, float x, const ExecutionOptions& options = {}) {
    TestRequest request;
    request.addInput(bytesOf(std::vector<float>{x}));
    request.addOutput(sizeof(float));
    NNBURST_TRY(request.bind(model));
    NNBURST_TRY(request.run(model, options));
    return floats(request.output(0))[0];
}

TEST(ControlFlow, loopsWhileTheConditionHolds) {
    const auto model = compile(loopModel(), true);
    ASSERT_TRUE(model);
    EXPECT_EQ(*run(*model, 3.0F), 192.0F);
    EXPECT_EQ(*run(*model, 64.0F), 128.0F);
    EXPECT_EQ(*run(*model, 500.0F), 500.0F);  // no iteration
}

/// A loop with a second value, which its condition does not read.
Model loopOfTwo() {
    Model model = loopModel();
    Subgraph& condition = model.referenced[0];
    condition.operands.push_back(operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_INPUT));
    condition.inputIndexes.push_back(3);
    Subgraph& body = model.referenced[1];
    body.operands.push_back(operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_INPUT));
    body.operands.push_back(operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_OUTPUT));
    body.operations.push_back({OperationType::ADD, {0, 0, 1}, {4}});
    body.inputIndexes.push_back(3);
    body.outputIndexes.push_back(4);
    model.main.operands.push_back(operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_INPUT));
    model.main.operands.push_back(operand(kFloat, {1}, OperandLifeTime::SUBGRAPH_OUTPUT));
    model.main.operations = {{OperationType::WHILE, {0, 1, 2, 4}, {3, 5}}};
    model.main.inputIndexes.push_back(4);
    model.main.outputIndexes.push_back(5);
    test::recountConsumers(model);
    return model;
}

TEST(ControlFlow, refusesAValueThatWasLeftOutAndThatNoIterationComputed) {
    const auto model = compile(loopOfTwo(), true);
    ASSERT_TRUE(model);
    const auto runFrom = [&](float x) {
        TestRequest request;
        request.addInput(bytesOf(std::vector<float>{x}));
        request.omitInput();
        request.addOutput(sizeof(float));
        request.addOutput(sizeof(float));
        return request.run(*model);
    };
    EXPECT_TRUE(runFrom(64.0F));
    const Result<> none = runFrom(500.0F);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message,
              "operation 0: WHILE output 1: its input was left out and no iteration computed it");
}

TEST(ControlFlow, endsALoopWhenItsTimeIsOver) {
    const auto model = compile(loopModel(), true);
    ASSERT_TRUE(model);
    ExecutionOptions options;
    options.loopTimeout = std::chrono::milliseconds(1);
    const auto result = run(*model, 0.0F, options);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    EXPECT_NE(result.error().message.find("time limit of the WHILE has passed"), std::string::npos);
    EXPECT_EQ(*run(*model, 3.0F), 192.0F);  // the model is as good as before
}

/// Each output of the body depends on each of its inputs: seconds of work on little memory, so that
/// the body takes the time of the loop, whatever the machine does in between.
constexpr std::uint32_t kSlowBodySize = 1 << 16;

/// For ever, x = LOCAL_RESPONSE_NORMALIZATION(x) over all of x.
Model slowLoopModel() {
    Model model = loopModel();
    for (Subgraph* graph : {&model.main, &model.referenced[0], &model.referenced[1]}) {
        for (Operand& each : graph->operands) {
            if (each.type == kFloat && each.lifetime != OperandLifeTime::CONSTANT_COPY) {
                each.dimensions = {kSlowBodySize};
            }
        }
    }
    const auto addConstant = [&model](Subgraph& graph, OperandType type, const auto& value) {
        const auto offset = static_cast<std::uint32_t>(model.operandValues.size());
        model.operandValues.resize(offset + sizeof value);
        std::memcpy(&model.operandValues[offset], &value, sizeof value);
        Operand constant = operand(type, {}, OperandLifeTime::CONSTANT_COPY);
        constant.location = {.offset = offset, .length = sizeof value};
        graph.operands.push_back(constant);
        return static_cast<std::uint32_t>(graph.operands.size() - 1);
    };
    const std::uint32_t one = addConstant(model.referenced[0], kFloat, 1.0F);
    model.referenced[0].operands[one].dimensions = {1};
    model.referenced[0].operations[0].inputs = {one, 1};  // 1 < 100
    Subgraph& body = model.referenced[1];
    const std::uint32_t radius = addConstant(body, OperandType::INT32, std::int32_t{kSlowBodySize});
    const std::uint32_t bias = addConstant(body, OperandType::FLOAT32, 1.0F);
    const std::uint32_t alpha = addConstant(body, OperandType::FLOAT32, 1.0F);
    const std::uint32_t beta = addConstant(body, OperandType::FLOAT32, 0.5F);
    body.operations = {
        {OperationType::LOCAL_RESPONSE_NORMALIZATION, {0, radius, bias, alpha, beta}, {2}}};
    test::recountConsumers(model);
    return model;
}

TEST(ControlFlow, endsALoopInsideALongOperation) {
    const auto model = compile(slowLoopModel(), true);
    ASSERT_TRUE(model);
    const std::vector<float> zeros(kSlowBodySize);
    TestRequest request;
    request.addInput(bytesOf(zeros));
    request.addOutput(zeros.size() * sizeof(float));
    const auto result = request.run(*model, {.loopTimeout = std::chrono::milliseconds(200)});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    EXPECT_NE(result.error().message.find("time limit of the WHILE has passed in operation 0"),
              std::string::npos)
        << result.error().message;
}

TEST(ControlFlow, endsALoopAtTheDeadline) {
    const auto model = compile(loopModel(), true);
    ASSERT_TRUE(model);
    ExecutionOptions options;
    options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    const auto result = run(*model, 0.0F, options);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
}

/// Of each value of loopOfManyValues: some pieces, between which a copy checks the limits.
constexpr std::uint32_t kLargeValueBytes = 2 << 20;

/// A loop on x and four large values, all of which begin as the same input.
Model loopOfManyValues() {
    Model model = loopModel();
    Subgraph& main = model.main;
    const auto add = [](Subgraph& graph, OperandLifeTime lifetime) {
        graph.operands.push_back(operand(kBool, {kLargeValueBytes}, lifetime));
        const auto index = static_cast<std::uint32_t>(graph.operands.size() - 1);
        (lifetime == OperandLifeTime::SUBGRAPH_INPUT ? graph.inputIndexes : graph.outputIndexes)
            .push_back(index);
        return index;
    };
    const std::uint32_t begin = add(main, OperandLifeTime::SUBGRAPH_INPUT);
    for (int value = 0; value < 4; ++value) {
        (void)add(model.referenced[0], OperandLifeTime::SUBGRAPH_INPUT);
        const std::uint32_t before = add(model.referenced[1], OperandLifeTime::SUBGRAPH_INPUT);
        const std::uint32_t after = add(model.referenced[1], OperandLifeTime::SUBGRAPH_OUTPUT);
        model.referenced[1].operations.push_back({OperationType::LOGICAL_NOT, {before}, {after}});
        main.operations[0].inputs.push_back(begin);
        main.operations[0].outputs.push_back(add(main, OperandLifeTime::SUBGRAPH_OUTPUT));
    }
    test::recountConsumers(model);
    return model;
}

/// The same memory for all large outputs. Calls `atSecond` when the second one is about to be
/// copied there.
class OneMemory final : public OutputMemory {
  public:
    explicit OneMemory(std::function<void()> atSecond) : atSecond_(std::move(atSecond)) {}

    Result<std::byte*> place(std::span<const std::uint32_t>, std::uint64_t) override {
        if (++placed_ == 2) {
            atSecond_();
        }
        return bytes_.data();
    }
    [[nodiscard]] int placed() const { return placed_; }

  private:
    std::function<void()> atSecond_;
    AlignedBuffer bytes_ = *AlignedBuffer::allocate(kLargeValueBytes);
    int placed_ = 0;
};

/// Runs that model without an iteration.
Result<> runWithoutIteration(CompiledModel& model, OneMemory& memory,
                             const Caller& caller = Priority::MEDIUM,
                             const ExecutionOptions& options = {}) {
    TestRequest request;
    request.addInput(bytesOf(std::vector<float>{500.0F}));
    request.addInput(std::vector<std::byte>(kLargeValueBytes));
    request.addOutput(sizeof(float));
    for (int value = 0; value < 4; ++value) {
        request.addOutput(kLargeValueBytes);
    }
    RequestBindings bindings;
    NNBURST_TRY(model.bind(request.inputs(), request.outputs(), request.pools(), bindings));
    for (std::size_t output = 1; output < bindings.outputs.size(); ++output) {
        bindings.outputs[output].memory = &memory;
    }
    ExecutionOutcome outcome;
    return model.run(bindings, caller, options, outcome);
}

// A request may name 13,000 outputs of 4 GiB, all in the same place: copying them takes hours.
TEST(ControlFlow, endsWhileItCopiesTheValuesOfALoopWithoutIterations) {
    const auto model = compile(loopOfManyValues(), true);
    ASSERT_TRUE(model);
    OneMemory whole([] {});
    const Result<> completed = runWithoutIteration(*model, whole);
    ASSERT_TRUE(completed) << completed.error().message;
    EXPECT_EQ(whole.placed(), 4);

    LaneShare client;
    OneMemory untilCancelled([&client] { client.cancel(); });
    const Result<> cancelled =
        runWithoutIteration(*model, untilCancelled, Caller(Priority::MEDIUM, &client));
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(untilCancelled.placed(), 2);

    const TimePoint deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    OneMemory untilDeadline([deadline] { std::this_thread::sleep_until(deadline); });
    const Result<> late =
        runWithoutIteration(*model, untilDeadline, Priority::MEDIUM, {.deadline = deadline});
    ASSERT_FALSE(late);
    EXPECT_TRUE(late.error().status == ErrorStatus::MISSED_DEADLINE_PERSISTENT ||
                late.error().status == ErrorStatus::MISSED_DEADLINE_TRANSIENT)
        << late.error().message;
    EXPECT_LE(untilDeadline.placed(), 2);
}

TEST(ControlFlow, allocatesNothingInLaterRuns) {
    const auto model = compile(loopModel(), true);
    TestRequest request;
    request.addInput(bytesOf(std::vector<float>{3.0F}));
    request.addOutput(sizeof(float));
    ASSERT_TRUE(request.run(*model));
    ASSERT_TRUE(request.run(*model));
    const std::uint64_t before = test::allocationCount();
    const auto result = request.run(*model);
    EXPECT_EQ(test::allocationCount(), before);
    EXPECT_TRUE(result);
}

void expectRefusal(const Model& model, const std::string& why) {
    const auto compiled = CompiledModel::compile(makeEngine(true), model);
    ASSERT_FALSE(compiled);
    EXPECT_NE(compiled.error().message.find(why), std::string::npos) << compiled.error().message;
    EXPECT_FALSE(supportedOperations(model)->at(0));
}

TEST(ControlFlow, refusesSubgraphsThatDoNotFit) {
    Model model = loopModel();
    model.referenced[1].operands[0].dimensions = {2};
    model.referenced[1].operands[2].dimensions = {2};
    expectRefusal(model, "WHILE (body) input 0: dimensions 2; must agree with 1");
    model = loopModel();
    std::swap(model.main.operands[0].location, model.main.operands[1].location);
    expectRefusal(model, "WHILE (condition) output 0: TENSOR_FLOAT32");
    model = loopModel();
    model.main.operands[1].location.offset = 0;
    model.referenced.pop_back();
    expectRefusal(model, "WHILE (body) output 0: TENSOR_BOOL8");
}

TEST(ControlFlow, isSupportedOnlyWithAllThatItRefersTo) {
    Model model = loopModel();
    model.referenced[1].operations[0].type = OperationType::OEM_OPERATION;
    expectRefusal(model, "referenced subgraph 1: operation 0: OEM_OPERATION");
}

/// Subgraphs of which each is an IF of the next one, the main one first; the last is an operation.
Model chainModel(std::uint32_t depth) {
    Model model = loopModel();
    model.referenced.clear();
    for (std::uint32_t i = 0; i < depth; ++i) {
        Subgraph graph;
        graph.operands = {operand(kBool, {1}, OperandLifeTime::SUBGRAPH_INPUT), reference(i),
                          operand(kBool, {1}, OperandLifeTime::SUBGRAPH_OUTPUT)};
        graph.operations = {{OperationType::IF, {0, 1, 1, 0}, {2}}};
        graph.inputIndexes = {0};
        graph.outputIndexes = {2};
        if (i == 0) {
            model.main = graph;
        } else {
            model.referenced.push_back(graph);
        }
    }
    Subgraph last;
    last.operands = {operand(kBool, {1}, OperandLifeTime::SUBGRAPH_INPUT),
                     operand(kBool, {1}, OperandLifeTime::SUBGRAPH_OUTPUT)};
    last.operations = {{OperationType::LOGICAL_NOT, {0}, {1}}};
    last.inputIndexes = {0};
    last.outputIndexes = {1};
    model.referenced.push_back(last);
    test::recountConsumers(model);
    return model;
}

TEST(ControlFlow, refusesConditionsThatAreNotDeclaredAsOneTruthValue) {
    for (const Dimensions& dimensions : {Dimensions{}, Dimensions{0}, Dimensions{1, 1}}) {
        Model loop = loopModel();
        loop.referenced[0].operands[2].dimensions = dimensions;
        expectRefusal(loop, "WHILE (condition) output 0: TENSOR_BOOL8 of dimensions");
        Model branch = chainModel(1);
        branch.main.operands[0].dimensions = dimensions;
        expectRefusal(branch, "IF input 0 (condition): ");
    }
}

TEST(ControlFlow, refusesWrongDimensionsOfAConditionThatIsLeftOut) {
    Model model = chainModel(1);
    model.main.operands.push_back(operand(kBool, {1}, OperandLifeTime::NO_VALUE));
    model.main.operations[0].inputs[0] = 3;
    test::recountConsumers(model);
    EXPECT_TRUE(CompiledModel::compile(makeEngine(true), model));
    for (const Dimensions& dimensions : {Dimensions{}, Dimensions{0}, Dimensions{2}}) {
        model.main.operands[3].dimensions = dimensions;
        expectRefusal(model, "IF input 0 (condition): ");
    }
}

TEST(ControlFlow, refusesALoopWithoutOutputs) {
    Model model = loopModel();
    model.main.operations = {{OperationType::WHILE, {0, 1, 2}, {}},
                             {OperationType::FLOOR, {2}, {3}}};
    test::recountConsumers(model);
    expectRefusal(model, "WHILE: no outputs; must have at least 1");
}

TEST(ControlFlow, refusesToNestDeeperThanItsStackAllows) {
    expectRefusal(chainModel(100), "nested more than 64 deep");
    expectRefusal(chainModel(65), "nested more than 64 deep");
    EXPECT_TRUE(CompiledModel::compile(makeEngine(true), chainModel(64)));
}

TEST(ControlFlow, refusesToNestTooDeepAlsoIfTheDeepestSubgraphsAreKnownAlready) {
    // IFs of all subgraphs, those first that run the fewest others.
    for (const std::uint32_t depth : {64U, 65U}) {
        Model model = chainModel(depth);
        Subgraph& main = model.main;
        main = {};
        main.operands = {operand(kBool, {1}, OperandLifeTime::SUBGRAPH_INPUT)};
        main.inputIndexes = {0};
        for (std::uint32_t i = depth; i > 0; --i) {
            const auto index = static_cast<std::uint32_t>(main.operands.size());
            main.operands.push_back(reference(i - 1));
            main.operands.push_back(operand(kBool, {1}, OperandLifeTime::SUBGRAPH_OUTPUT));
            main.operations.push_back({OperationType::IF, {0, index, index, 0}, {index + 1}});
            main.outputIndexes.push_back(index + 1);
        }
        test::recountConsumers(model);
        const auto supported = supportedOperations(model);
        ASSERT_TRUE(supported);
        EXPECT_TRUE(supported->front());
        EXPECT_EQ(supported->back(), depth == 64);
        const auto compiled = CompiledModel::compile(makeEngine(true), model);
        EXPECT_EQ(compiled.has_value(), depth == 64);
    }
}

}  // namespace
}  // namespace nnburst::exec
