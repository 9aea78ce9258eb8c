// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Which operations on constants are computed when a graph is prepared. What they compute is tested
// with the models that have them.

#include "exec/graph/folding.h"

#include <gtest/gtest.h>

#include <span>
#include <utility>
#include <vector>

#include "exec/graph/graph_check.h"
#include "nnburst/model_builder.h"

namespace nnburst::exec {
namespace {

/// A layer of constants, whose output is added to an input.
class ConstantLayer {
  public:
    ConstantLayer() {
        ModelBuilder builder;
        const auto tensor = [&] { return builder.addTensor(OperandType::TENSOR_FLOAT32, {2, 3}); };
        const auto ones = [&](const Dimensions& dimensions, std::size_t count) {
            const std::vector<float> values(count, 1.0F);
            return builder.addConstant(OperandType::TENSOR_FLOAT32, dimensions,
                                       std::as_bytes(std::span(values)));
        };
        const auto in = tensor();
        const auto x = ones({2, 4}, 8);
        weights_ = ones({3, 4}, 12);
        const auto bias = ones({3}, 3);
        const auto none = builder.addScalar(0);
        const auto y = tensor();
        const auto out = tensor();
        builder.addOperation(OperationType::FULLY_CONNECTED, {x, weights_, bias, none}, {y});
        builder.addOperation(OperationType::ADD, {in, y, none}, {out});
        auto model = builder.build({in}, {out});
        EXPECT_TRUE(model) << model.error().message;
        model_ = std::move(*model);
    }

    [[nodiscard]] std::uint32_t weights() const { return weights_; }

    [[nodiscard]] bool isFolded(const PackedGraph& packed) const {
        const auto graph = Graph::create(model_, model_.main, packed);
        EXPECT_TRUE(graph);
        GraphCheck check(**graph, GraphCheck::endOfFolding());
        for (std::size_t operation = 0; operation < 2; ++operation) {
            EXPECT_TRUE(check.visit(operation));
        }
        return (*graph)->isFolded[0];
    }

  private:
    Model model_;
    std::uint32_t weights_ = 0;
};

TEST(Folding, leavesALayerWhoseWeightsAreOnlyPackedToRuns) {
    const ConstantLayer layer;
    EXPECT_TRUE(layer.isFolded({}));
    // An earlier compilation had no time to fold it, and packed its weights.
    EXPECT_FALSE(
        layer.isFolded({.filters = {}, .blocks = {}, .packedConstants = {layer.weights()}}));
}

/// Fills a tensor with a constant, which nothing reads; an input is the output, too.
Result<bool> isFillingFolded(const std::vector<std::int32_t>& sizes,
                             GrowingCharge* memory = nullptr) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const auto filled = builder.addTensor(OperandType::TENSOR_FLOAT32, Dimensions(sizes.size(), 0));
    const auto shape =
        builder.addConstant(OperandType::TENSOR_INT32, {static_cast<std::uint32_t>(sizes.size())},
                            std::as_bytes(std::span(sizes)));
    builder.addOperation(OperationType::FILL, {shape, builder.addScalar(1.0F)}, {filled});
    builder.addOperation(OperationType::RELU, {in}, {out});
    const auto model = builder.build({in}, {out});
    EXPECT_TRUE(model) << model.error().message;
    const auto graph = Graph::create(*model, model->main, PackedGraph());
    EXPECT_TRUE(graph);
    GraphCheck check(**graph, GraphCheck::endOfFolding(), memory);
    NNBURST_TRY(check.visit(0));
    return bool((*graph)->isFolded[0]);
}

TEST(Folding, leavesLargeResultsOfSmallModelsToRuns) {
    EXPECT_TRUE(isFillingFolded({1024, 1024}).value_or(false));
    EXPECT_FALSE(isFillingFolded({1024, 1024, 8}).value_or(true));
}

TEST(Folding, chargesItsResults) {
    constexpr std::uint64_t kResultBytes = 1024 * 1024 * sizeof(float);
    Amounts limits;
    limits[Resource::MEMORY] = kResultBytes;
    const SharedAccount account = Account::create("client", limits);
    GrowingCharge memory(account.get(), Resource::MEMORY);
    EXPECT_TRUE(isFillingFolded({1024, 1024}, &memory).value_or(false));
    EXPECT_EQ(account->usage(Resource::MEMORY).used, kResultBytes);
    const Result<bool> refused = isFillingFolded({1024, 1024}, &memory);
    ASSERT_FALSE(refused) << "runs would be slow";
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
}

TEST(Folding, leavesWhatItsKernelRefusesToRuns) {
    ModelBuilder builder;
    const auto integers = [&](const std::vector<std::int32_t>& values) {
        return builder.addConstant(OperandType::TENSOR_INT32, {2},
                                   std::as_bytes(std::span(values)));
    };
    const std::vector<float> rows(6, 1.0F);
    const auto constant =
        builder.addConstant(OperandType::TENSOR_FLOAT32, {2, 3}, std::as_bytes(std::span(rows)));
    const auto begin = integers({0, 0});
    const auto end = integers({2, 3});
    const auto strides = integers({1, 1});
    const auto none = builder.addScalar(0);
    const auto row = builder.addTensor(OperandType::TENSOR_FLOAT32, {3});
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {3});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {3});
    // It drops an axis of two elements.
    builder.addOperation(OperationType::STRIDED_SLICE,
                         {constant, begin, end, strides, none, none, builder.addScalar(1)}, {row});
    builder.addOperation(OperationType::ADD, {in, row, none}, {out});
    const auto model = builder.build({in}, {out});
    ASSERT_TRUE(model) << model.error().message;
    const auto graph = Graph::create(*model, model->main, PackedGraph());
    ASSERT_TRUE(graph);
    GraphCheck check(**graph, GraphCheck::endOfFolding());
    for (std::size_t operation = 0; operation < 2; ++operation) {
        const auto visited = check.visit(operation);
        EXPECT_TRUE(visited) << visited.error().message;
    }
    EXPECT_FALSE((*graph)->isFolded[0]);
}

TEST(Folding, ofATensorWithoutElementsGivesItsShape) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {2, 3});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {2, 3});
    const auto none = builder.addTensor(OperandType::TENSOR_FLOAT32, {0, 0});
    const std::vector<std::int32_t> sizes{0, 3};
    const auto shape =
        builder.addConstant(OperandType::TENSOR_INT32, {2}, std::as_bytes(std::span(sizes)));
    builder.addOperation(OperationType::FILL, {shape, builder.addScalar(1.0F)}, {none});
    builder.addOperation(OperationType::CONCATENATION, {in, none, builder.addScalar(0)}, {out});
    const auto model = builder.build({in}, {out});
    ASSERT_TRUE(model) << model.error().message;
    const auto graph = Graph::create(*model, model->main, PackedGraph());
    ASSERT_TRUE(graph);
    GraphCheck check(**graph, GraphCheck::endOfFolding());
    ASSERT_TRUE(check.visit(0));
    EXPECT_TRUE((*graph)->isFolded[0]);
    // A run begins with another look at the shapes.
    ShapeInference shapes(**graph);
    ASSERT_TRUE(shapes.setInputShape(0, Shape{2, 3}, false));
    EXPECT_TRUE(shapes.isKnown(none));
    const auto visited = shapes.visit(1);
    EXPECT_TRUE(visited) << visited.error().message;
}

}  // namespace
}  // namespace nnburst::exec
