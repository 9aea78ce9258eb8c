// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Divided models whose devices give wrong answers.

#include "device/hal_models.h"
#include "runtime/divided_model.h"
#include "runtime_test.h"
#include "support/unused_methods.h"

namespace nnburst::runtime {
namespace {

using enum OperandType;
using test::SmallRequest;

/// Answers each execution with `status` and output shapes, and keeps the request.
class Answering final : public test::UnusedPreparedModel {
  public:
    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& /*options*/,
                                                ExecutionOutcome& outcome) override {
        ++executions;
        last = request;
        outcome.outputShapes = shapes;
        if (status != ErrorStatus::NONE) {
            return failure(status, "as it was told");
        }
        return {};
    }

    ErrorStatus status = ErrorStatus::NONE;
    std::vector<OutputShape> shapes;
    Request last;
    int executions = 0;
};

/// in -> first -> between -> second -> out; no size is known. `between` is an output, too, if
/// `isOutput`.
class LyingDevice : public testing::TestWithParam<bool> {
  protected:
    LyingDevice() {
        const Operand open{.type = TENSOR_FLOAT32,
                           .dimensions = {0},
                           .numberOfConsumers = 0,
                           .lifetime = OperandLifeTime::SUBGRAPH_INPUT};
        Operand output = open;
        output.lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
        DividedPlan plan;
        plan.interface.main.operands = {open, output, output};
        plan.interface.main.inputIndexes = {0};
        plan.interface.main.outputIndexes = {1};
        Place between{Place::Kind::TEMPORARY, 0};
        if (GetParam()) {
            plan.interface.main.outputIndexes.push_back(2);
            between = {Place::Kind::MODEL_OUTPUT, 1};
        } else {
            plan.temporaries = {
                {.type = TENSOR_FLOAT32, .dimensions = {0}, .elementBytes = 4, .location = {}}};
        }
        plan.parts = {{.name = "first",
                       .prepared = first_,
                       .inputs = {{Place::Kind::MODEL_INPUT, 0}},
                       .outputs = {between},
                       .isFixed = false},
                      {.name = "second",
                       .prepared = second_,
                       .inputs = {between},
                       .outputs = {{Place::Kind::MODEL_OUTPUT, 0}},
                       .isFixed = false}};
        model_ =
            std::make_shared<DividedModel>(std::move(plan), std::make_shared<ExecutionThreads>());
        second_->shapes = {{.dimensions = {2}, .isSufficient = true}};
        request_.input<float>({1, 2}, {2}).output(8, {2});
        if (GetParam()) {
            request_.output(8);
        }
    }

    Result<> execute() {
        ExecutionOutcome outcome;
        return model_->executeSynchronously(request_.request, {}, outcome);
    }

    const std::shared_ptr<Answering> first_ = std::make_shared<Answering>();
    const std::shared_ptr<Answering> second_ = std::make_shared<Answering>();
    std::shared_ptr<DividedModel> model_;
    SmallRequest request_;
};

TEST_P(LyingDevice, givesTheSizeThatTheNextPartTakes) {
    first_->shapes = {{.dimensions = {2}, .isSufficient = true}};
    const Result<> result = execute();
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(second_->last.inputs.size(), 1U);
    EXPECT_EQ(second_->last.inputs[0].location.length, 8U);
    EXPECT_EQ(second_->last.inputs[0].dimensions, Dimensions{2});
}

TEST_P(LyingDevice, isRefusedIfItsOutputCannotFitIntoItsMemory) {
    for (const Dimensions& dimensions :
         {Dimensions{100'000}, Dimensions{UINT32_MAX}, Dimensions{UINT32_MAX, UINT32_MAX}}) {
        first_->shapes = {{.dimensions = dimensions, .isSufficient = true}};
        const Result<> result = execute();
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE) << result.error().message;
    }
    EXPECT_EQ(second_->executions, 0);
}

TEST_P(LyingDevice, isRefusedIfItGivesNoShapes) {
    const Result<> result = execute();
    // Nothing was found, so the next part has no dimensions to take.
    EXPECT_FALSE(result && second_->last.inputs[0].location.length > 8);
}

TEST_P(LyingDevice, isNotAskedForEverForMoreMemory) {
    first_->status = ErrorStatus::OUTPUT_INSUFFICIENT_SIZE;
    first_->shapes = {{.dimensions = {0}, .isSufficient = false}};
    ASSERT_FALSE(execute());
    EXPECT_LE(first_->executions, 22);
    first_->shapes = {{.dimensions = {UINT32_MAX}, .isSufficient = false}};
    ASSERT_FALSE(execute());
    first_->shapes.clear();
    ASSERT_FALSE(execute());
}

/// Gives `shapes` of each part in turn, and keeps the dimensions of the part's input.
class ShapesOfParts final : public PartExecutor {
  public:
    explicit ShapesOfParts(std::vector<Dimensions> shapes) : shapes_(std::move(shapes)) {}
    Result<> execute(std::size_t part, const Request& request, ExecutionOutcome& outcome) override {
        given.push_back(request.inputs[0].dimensions);
        outcome.outputShapes = {{.dimensions = shapes_[part], .isSufficient = true}};
        return {};
    }

    std::vector<Dimensions> given;

  private:
    const std::vector<Dimensions> shapes_;
};

/// A tensor of an extension whose rank is open is an output, and the input of the second part.
TEST(DividedRun, findsTheDimensionsOfATensorOfAnExtension) {
    constexpr const char* kName = "org.nnburst.test";
    const auto type = static_cast<OperandType>((1U << 16) | 7U);
    const Extension extension{.name = kName,
                              .operandTypes = {{.type = 7, .isTensor = true, .byteSize = 2}}};
    Model whole;
    whole.extensionNameToPrefix = {{.name = kName, .prefix = 1}};
    whole.main.operands = {{.type = TENSOR_FLOAT32,
                            .dimensions = {2},
                            .numberOfConsumers = 0,
                            .lifetime = OperandLifeTime::SUBGRAPH_INPUT},
                           {.type = type,
                            .dimensions = {},
                            .numberOfConsumers = 0,
                            .lifetime = OperandLifeTime::SUBGRAPH_OUTPUT},
                           {.type = TENSOR_FLOAT32,
                            .dimensions = {2},
                            .numberOfConsumers = 0,
                            .lifetime = OperandLifeTime::SUBGRAPH_OUTPUT}};
    whole.main.inputIndexes = {0};
    whole.main.outputIndexes = {1, 2};
    const std::vector<Submodel> parts{{.model = {}, .inputs = {0}, .outputs = {1}},
                                      {.model = {}, .inputs = {1}, .outputs = {2}}};
    const auto plan = planParts(whole, parts, std::span(&extension, 1));
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE(plan->parts[0].isFixed);
    EXPECT_FALSE(plan->parts[1].isFixed);

    auto memory = TemporaryMemory::create(*plan);
    ASSERT_TRUE(memory) << memory.error().message;
    DividedRun run(*plan, *memory);
    SmallRequest request;
    request.input<float>({1, 2}, {}).output(8).output(8);
    ASSERT_TRUE(run.bind(request.request));
    ShapesOfParts executor({Dimensions{4}, Dimensions{2}});
    ExecutionOutcome outcome;
    const Result<> result = run.run(executor, outcome);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(executor.given.size(), 2U);
    EXPECT_EQ(executor.given[1], Dimensions{4});
}

INSTANTIATE_TEST_SUITE_P(Between, LyingDevice, testing::Bool(), [](const auto& instance) {
    return instance.param ? "anOutput" : "aTemporary";
});

}  // namespace
}  // namespace nnburst::runtime
