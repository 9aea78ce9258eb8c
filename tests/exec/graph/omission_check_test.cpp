// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Which inputs a graph can do without, as far as it is known before it runs.

#include "exec/graph/omission_check.h"

#include <gtest/gtest.h>

#include <utility>

#include "exec/graph/graph_check.h"
#include "nnburst/model_builder.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

/// The graphs of a model, prepared.
class Graphs {
  public:
    explicit Graphs(const Model& model) {
        main_ = prepare(model, model.main);
        for (const Subgraph& subgraph : model.referenced) {
            referenced_.push_back(prepare(model, subgraph));
        }
    }

    /// Checks the omission of the inputs for which there is a true.
    [[nodiscard]] Result<> check(const std::vector<bool>& isOmitted) const {
        std::vector<const Graph*> referenced;
        for (const auto& graph : referenced_) {
            referenced.push_back(graph.get());
        }
        return OmissionCheck(std::move(referenced)).check(*main_, isOmitted);
    }

  private:
    static std::unique_ptr<Graph> prepare(const Model& model, const Subgraph& subgraph) {
        auto graph = Graph::create(model, subgraph);
        EXPECT_TRUE(graph) << graph.error().message;
        GraphCheck check(**graph, GraphCheck::endOfFolding());
        for (std::size_t index = 0; index < subgraph.operations.size(); ++index) {
            const auto visited = check.visit(index);
            EXPECT_TRUE(visited) << visited.error().message;
        }
        (*graph)->constants.dropSources();
        return std::move(*graph);
    }

    std::unique_ptr<Graph> main_;
    std::vector<std::unique_ptr<Graph>> referenced_;
};

void expectRefusal(const Result<>& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT) << result.error().message;
}

/// TRANSPOSE of a matrix by an optional permutation, then ADD with another matrix.
Model makeTransposeModel() {
    ModelBuilder builder;
    const auto in = builder.addTensor(TENSOR_FLOAT32, {2, 2});
    const auto permutation = builder.addTensor(TENSOR_INT32, {2});
    const auto other = builder.addTensor(TENSOR_FLOAT32, {2, 2});
    const auto unused = builder.addTensor(TENSOR_FLOAT32, {2, 2});
    const auto transposed = builder.addTensor(TENSOR_FLOAT32, {2, 2});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {2, 2});
    const auto activation = builder.addTensor(INT32, {});
    builder.addOperation(OperationType::TRANSPOSE, {in, permutation}, {transposed});
    builder.addOperation(OperationType::ADD, {transposed, other, activation}, {out});
    return std::move(*builder.build({in, permutation, other, activation, unused}, {out}));
}

TEST(OmissionCheck, allowsWhatIsOptionalOrHasNoUse) {
    const Graphs graphs(makeTransposeModel());
    EXPECT_TRUE(graphs.check({false, false, false, false, false}));
    EXPECT_TRUE(graphs.check({false, true, false, false, false}));
    EXPECT_TRUE(graphs.check({false, true, false, false, true}));
}

TEST(OmissionCheck, refusesWhatAnOperationNeedsNamingBoth) {
    const Graphs graphs(makeTransposeModel());
    expectRefusal(graphs.check({true, false, false, false, false}));
    expectRefusal(graphs.check({false, false, false, true, false}));  // a scalar
    expectRefusal(graphs.check({true, true, true, true, true}));
    const Result<> other = graphs.check({false, true, true, false, false});
    expectRefusal(other);
    EXPECT_NE(other.error().message.find("operation 1: ADD input 1"), std::string::npos)
        << other.error().message;
}

/// Runs `then`, of two floats, or `otherwise`.
Model makeBranchModel(bool areBothInNeed) {
    ModelBuilder builder;
    const auto addBranch = [&](bool isInNeed) {
        ModelBuilder branch;
        const auto a = branch.addTensor(TENSOR_FLOAT32, {1});
        const auto b = branch.addTensor(TENSOR_FLOAT32, {1});
        const auto out = branch.addTensor(TENSOR_FLOAT32, {1});
        branch.addOperation(OperationType::RELU, {isInNeed ? b : a}, {out});
        return builder.addReferenced(std::move(branch), {a, b}, {out});
    };
    const auto then = addBranch(true);
    const auto otherwise = addBranch(areBothInNeed);
    const auto condition = builder.addTensor(TENSOR_BOOL8, {1});
    const auto a = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto b = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {1});
    builder.addOperation(OperationType::IF,
                         {condition, builder.addSubgraphReference(then),
                          builder.addSubgraphReference(otherwise), a, b},
                         {out});
    return std::move(*builder.build({condition, a, b}, {out}));
}

TEST(OmissionCheck, refusesWhatBothBranchesNeed) {
    expectRefusal(Graphs(makeBranchModel(true)).check({false, false, true}));
    EXPECT_TRUE(Graphs(makeBranchModel(true)).check({false, true, false}));
    EXPECT_TRUE(Graphs(makeBranchModel(false)).check({false, false, true})) << "one may not run";
    expectRefusal(Graphs(makeBranchModel(false)).check({true, false, false}));  // the condition
}

/// A WHILE over one float whose condition looks at `limit`, and whose body adds `step`.
Model makeLoopModel() {
    ModelBuilder builder;
    const auto addSubgraph = [&](bool isCondition) {
        ModelBuilder subgraph;
        const auto value = subgraph.addTensor(TENSOR_FLOAT32, {1});
        const auto limit = subgraph.addTensor(TENSOR_FLOAT32, {1});
        const auto step = subgraph.addTensor(TENSOR_FLOAT32, {1});
        const auto out = subgraph.addTensor(isCondition ? TENSOR_BOOL8 : TENSOR_FLOAT32, {1});
        if (isCondition) {
            subgraph.addOperation(OperationType::LESS, {value, limit}, {out});
        } else {
            const auto activation = subgraph.addScalar(std::int32_t{0});
            subgraph.addOperation(OperationType::ADD, {value, step, activation}, {out});
        }
        return builder.addReferenced(std::move(subgraph), {value, limit, step}, {out});
    };
    const auto condition = addSubgraph(true);
    const auto body = addSubgraph(false);
    const auto value = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto limit = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto step = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {1});
    builder.addOperation(OperationType::WHILE,
                         {builder.addSubgraphReference(condition),
                          builder.addSubgraphReference(body), value, limit, step},
                         {out});
    return std::move(*builder.build({value, limit, step}, {out}));
}

TEST(OmissionCheck, refusesWhatTheConditionOfALoopNeeds) {
    const Graphs graphs(makeLoopModel());
    expectRefusal(graphs.check({true, false, false}));
    expectRefusal(graphs.check({false, true, false}));
    EXPECT_TRUE(graphs.check({false, false, true})) << "the body may never run";
}

/// IFs nested `depth` deep, each with the next one as both branches.
Model makeNestedModel(std::size_t depth) {
    ModelBuilder builder;
    ModelBuilder innermost;
    const auto addInputs = [](ModelBuilder& graph) {
        return std::pair(graph.addTensor(TENSOR_BOOL8, {1}), graph.addTensor(TENSOR_FLOAT32, {1}));
    };
    const auto [leafCondition, leafValue] = addInputs(innermost);
    const auto leafOut = innermost.addTensor(TENSOR_BOOL8, {1});
    innermost.addOperation(OperationType::LOGICAL_NOT, {leafCondition}, {leafOut});
    auto next = builder.addReferenced(std::move(innermost), {leafCondition, leafValue}, {leafOut});
    const auto addIf = [&](ModelBuilder& graph, std::uint32_t condition, std::uint32_t value) {
        const auto out = graph.addTensor(TENSOR_BOOL8, {1});
        graph.addOperation(OperationType::IF,
                           {condition, graph.addSubgraphReference(next),
                            graph.addSubgraphReference(next), condition, value},
                           {out});
        return out;
    };
    for (std::size_t i = 0; i < depth; ++i) {
        ModelBuilder graph;
        const auto [condition, value] = addInputs(graph);
        const auto out = addIf(graph, condition, value);
        next = builder.addReferenced(std::move(graph), {condition, value}, {out});
    }
    const auto [condition, value] = addInputs(builder);
    const auto out = addIf(builder, condition, value);
    return std::move(*builder.build({condition, value}, {out}));
}

TEST(OmissionCheck, ofManyNestedBranchesEnds) {
    EXPECT_TRUE(Graphs(makeNestedModel(60)).check({false, true}));
}

}  // namespace
}  // namespace nnburst::exec
