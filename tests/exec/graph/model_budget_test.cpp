// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// What a model may ask for: operations of one execution with the subgraphs that IF and WHILE run,
// time for constants that are computed beforehand, and copies of constants.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <utility>

#include "exec/graph/constants.h"
#include "exec/graph/graph_check.h"
#include "exec/graph/model_check.h"
#include "exec/operation/control_flow.h"
#include "nnburst/model_builder.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

/// A subgraph of `levels` that runs the one below it `times` times, one after the other: IFs with
/// the same subgraph as both branches.
Model makeDoublingModel(std::uint32_t levels, int times) {
    ModelBuilder builder;
    ModelBuilder last;
    const auto lastTruth = last.addTensor(TENSOR_BOOL8, {1});
    const auto lastOut = last.addTensor(TENSOR_BOOL8, {1});
    last.addOperation(OperationType::LOGICAL_NOT, {lastTruth}, {lastOut});
    std::uint32_t inner = builder.addReferenced(std::move(last), {lastTruth}, {lastOut});
    const auto addBranches = [&](ModelBuilder& graph, std::uint32_t truth) {
        std::uint32_t value = truth;
        for (int i = 0; i < times; ++i) {
            const auto out = graph.addTensor(TENSOR_BOOL8, {1});
            graph.addOperation(OperationType::IF,
                               {value, graph.addSubgraphReference(inner),
                                graph.addSubgraphReference(inner), value},
                               {out});
            value = out;
        }
        return value;
    };
    for (std::uint32_t level = 1; level < levels; ++level) {
        ModelBuilder next;
        const auto truth = next.addTensor(TENSOR_BOOL8, {1});
        const auto out = addBranches(next, truth);
        inner = builder.addReferenced(std::move(next), {truth}, {out});
    }
    const auto truth = builder.addTensor(TENSOR_BOOL8, {1});
    const auto out = addBranches(builder, truth);
    auto model = builder.build({truth}, {out});
    EXPECT_TRUE(model) << model.error().message;
    return std::move(*model);
}

TEST(ModelBudget, refusesSubgraphsThatDoubleTooOften) {
    const auto version = requiredVersion(makeDoublingModel(60, 2));
    ASSERT_FALSE(version);
    EXPECT_EQ(version.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_NE(version.error().message.find(std::to_string(kMaximumExpandedOperations)),
              std::string::npos)
        << version.error().message;
}

TEST(ModelBudget, allowsAsManyOperationsAsItSays) {
    // n levels that run the next one twice: 3 * 2^n - 2 operations.
    static_assert(kMaximumExpandedOperations == 1U << 24);
    const auto most = requiredVersion(makeDoublingModel(22, 2));
    EXPECT_TRUE(most) << most.error().message;
    EXPECT_FALSE(requiredVersion(makeDoublingModel(23, 2)));
}

TEST(ModelBudget, countsOneBranchOfEachIf) {
    const auto nested = requiredVersion(makeDoublingModel(60, 1));
    EXPECT_TRUE(nested) << nested.error().message;
}

TEST(ModelBudget, saysOfTheOperationThatIsTooMuchThatItIsNotSupported) {
    const Model model = makeDoublingModel(23, 2);
    const auto operations = ModelCheck(model).operations();
    ASSERT_TRUE(operations);
    ASSERT_EQ(operations->size(), 2U);
    EXPECT_FALSE((*operations)[1]);
}

TEST(ModelBudget, foldsNothingMoreWhenTheTimeIsOver) {
    static_assert(GraphCheck::kMaximumFoldingTime ==
                  std::chrono::milliseconds(500));  // SECURITY.md
    ModelBuilder builder;
    const std::array<float, 2> values{1, 2};
    const auto constant =
        builder.addConstant(TENSOR_FLOAT32, {2}, std::as_bytes(std::span(values)));
    const auto folded = builder.addTensor(TENSOR_FLOAT32, {2});
    builder.addOperation(OperationType::ABS, {constant}, {folded});
    const auto in = builder.addTensor(TENSOR_FLOAT32, {2});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {2});
    builder.addOperation(OperationType::ADD, {folded, in, builder.addScalar(0)}, {out});
    const Model model = std::move(*builder.build({in}, {out}));
    for (const bool isOver : {false, true}) {
        const auto graph = std::move(*Graph::create(model, model.main));
        GraphCheck check(*graph, isOver ? std::chrono::steady_clock::now() - std::chrono::seconds(1)
                                        : GraphCheck::endOfFolding());
        ASSERT_TRUE(check.visit(0));
        EXPECT_EQ(graph->isFolded[0], !isOver);
    }
}

TEST(ModelBudget, countsTheCopiesOfConstantsOfAllSubgraphs) {
    constexpr std::uint32_t kBytes = 4U << 20;
    constexpr std::uint64_t kMost = Constants::kMaximumCopiedBytes / kBytes;
    Operand constant;
    constant.type = TENSOR_INT32;
    constant.dimensions = {kBytes / 4};
    constant.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    constant.location = {.poolIndex = 0, .offset = 0, .length = kBytes};
    Model model;
    model.pools = {*Region::create(kBytes)};
    model.main.operands.assign(kMost / 2, constant);
    model.referenced.resize(2);
    model.referenced[1].operands.assign(kMost / 2, constant);
    static_assert(Constants::kMaximumCopiedBytes == std::uint64_t{8} << 30);  // SECURITY.md
    const auto most = Constants::bytesToCopy(model);
    ASSERT_TRUE(most) << most.error().message;
    EXPECT_EQ(*most, Constants::kMaximumCopiedBytes) << "operands with the same bytes count each";
    constant.type = TENSOR_FLOAT32;
    model.referenced[0].operands.push_back(constant);
    EXPECT_EQ(Constants::bytesToCopy(model).value_or(0), *most) << "weights are not copied";
    constant.location = {.poolIndex = 0, .offset = 2, .length = 8192};
    model.referenced[0].operands.push_back(constant);
    const auto more = Constants::bytesToCopy(model);
    ASSERT_FALSE(more) << "weights that are not aligned are";
    EXPECT_EQ(more.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
}

}  // namespace
}  // namespace nnburst::exec
