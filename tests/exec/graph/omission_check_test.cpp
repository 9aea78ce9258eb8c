// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Which inputs a graph can do without, as far as it is known before it runs.

#include "exec/graph/omission_check.h"

#include <gtest/gtest.h>

#include <atomic>
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
    [[nodiscard]] Result<> check(const std::vector<bool>& isOmitted,
                                 const std::atomic<bool>* isCancelled = nullptr) const {
        std::vector<const Graph*> referenced;
        for (const auto& graph : referenced_) {
            referenced.push_back(graph.get());
        }
        return OmissionCheck(std::move(referenced), isCancelled).check(*main_, isOmitted);
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

TEST(OmissionCheck, refusesAnInputThatMustBeLeftOutWithAnother) {
    ModelBuilder builder;
    std::vector<std::uint32_t> inputs;
    const auto add = [&](std::initializer_list<Dimensions> all) {
        for (const Dimensions& dimensions : all) {
            inputs.push_back(builder.addTensor(TENSOR_FLOAT32, dimensions));
        }
    };
    add({{1, 1, 2}, {3, 2}, {3, 3}, {3}, {1, 3}, {3, 2}, {3, 3}, {3}, {1, 3}});
    add({{1, 1, 2}, {3, 2}, {3, 2}});  // auxiliary input and weights
    std::vector<std::uint32_t> operands = inputs;
    operands.insert(operands.end(),
                    {builder.addScalar(0), builder.addScalar(true), builder.addScalar(true)});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {1, 1, 6});
    builder.addOperation(OperationType::BIDIRECTIONAL_SEQUENCE_RNN, operands, {out});
    const Graphs graphs(*builder.build(inputs, {out}));
    std::vector<bool> isOmitted(inputs.size());
    isOmitted[9] = isOmitted[11] = true;
    const Result<> checked = graphs.check(isOmitted);
    expectRefusal(checked);
    EXPECT_NE(checked.error().message.find("input 10 (auxiliary weights); must be left out"),
              std::string::npos)
        << checked.error().message;
    isOmitted[10] = true;
    EXPECT_TRUE(graphs.check(isOmitted));
}

TEST(OmissionCheck, refusesALayoutThatHasNoDefault) {
    ModelBuilder builder;
    const auto heatmaps = builder.addTensor(TENSOR_FLOAT32, {1, 2, 2, 1});
    const auto boxes = builder.addTensor(TENSOR_FLOAT32, {1, 4});
    const auto layout = builder.addTensor(BOOL, {});
    const auto scores = builder.addTensor(TENSOR_FLOAT32, {1, 1});
    const auto locations = builder.addTensor(TENSOR_FLOAT32, {1, 1, 2});
    builder.addOperation(OperationType::HEATMAP_MAX_KEYPOINT, {heatmaps, boxes, layout},
                         {scores, locations});
    const Graphs graphs(*builder.build({heatmaps, boxes, layout}, {scores, locations}));
    const Result<> checked = graphs.check({false, false, true});
    expectRefusal(checked);
    EXPECT_NE(checked.error().message.find("input 2 (layout): left out"), std::string::npos)
        << checked.error().message;
}

TEST(OmissionCheck, allowsAQuantizedLstmWithoutClips) {
    ModelBuilder builder;
    std::vector<std::uint32_t> inputs;
    const auto add = [&](std::size_t count, OperandType type, const Dimensions& dimensions,
                         float scale = 0.0F) {
        for (std::size_t i = 0; i < count; ++i) {
            inputs.push_back(builder.addTensor(type, dimensions, scale));
        }
    };
    const float cellScale = 0x1p-11F;
    add(1, TENSOR_QUANT8_ASYMM_SIGNED, {1, 1}, 1.0F);
    add(8, TENSOR_QUANT8_SYMM, {1, 1}, 1.0F);  // weights of the gates
    add(3, TENSOR_QUANT16_SYMM, {1}, 1.0F);    // cell-to-gate weights
    add(4, TENSOR_INT32, {1});                 // biases
    add(1, TENSOR_QUANT8_SYMM, {1, 1}, 1.0F);  // projection
    add(1, TENSOR_INT32, {1});
    add(1, TENSOR_QUANT8_ASYMM_SIGNED, {1, 1}, 1.0F);  // states
    add(1, TENSOR_QUANT16_SYMM, {1, 1}, cellScale);
    add(4, TENSOR_QUANT16_SYMM, {1}, 1.0F);  // layer normalization weights
    add(6, FLOAT32, {});                     // clips, scales of the gates
    add(1, INT32, {});
    add(1, FLOAT32, {});
    const auto state = builder.addTensor(TENSOR_QUANT8_ASYMM_SIGNED, {1, 1}, 1.0F);
    const auto cell = builder.addTensor(TENSOR_QUANT16_SYMM, {1, 1}, cellScale);
    const auto output = builder.addTensor(TENSOR_QUANT8_ASYMM_SIGNED, {1, 1}, 1.0F);
    builder.addOperation(OperationType::QUANTIZED_LSTM, inputs, {state, cell, output});
    const Graphs graphs(*builder.build(inputs, {state, cell, output}));
    std::vector<bool> isOmitted(inputs.size(), false);
    isOmitted[24] = isOmitted[25] = true;
    const Result<> checked = graphs.check(isOmitted);
    EXPECT_TRUE(checked) << checked.error().message;
    isOmitted[26] = true;  // the scale of a gate
    expectRefusal(graphs.check(isOmitted));
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

constexpr std::size_t kLongBranch = 1024;

/// `count` IFs, each with the same subgraph of kLongBranch TRANSPOSE by an optional permutation as
/// both branches. Then an ADD that needs the permutation.
Model makeRepeatedModel(std::size_t count) {
    ModelBuilder builder;
    ModelBuilder branch;
    const auto matrix = branch.addTensor(TENSOR_FLOAT32, {2, 2});
    const auto order = branch.addTensor(TENSOR_INT32, {2});
    auto transposed = matrix;
    for (std::size_t i = 0; i < kLongBranch; ++i) {
        const auto next = branch.addTensor(TENSOR_FLOAT32, {2, 2});
        branch.addOperation(OperationType::TRANSPOSE, {transposed, order}, {next});
        transposed = next;
    }
    const auto both = builder.addReferenced(std::move(branch), {matrix, order}, {transposed});
    const auto condition = builder.addTensor(TENSOR_BOOL8, {1});
    const auto in = builder.addTensor(TENSOR_FLOAT32, {2, 2});
    const auto permutation = builder.addTensor(TENSOR_INT32, {2});
    auto value = in;
    for (std::size_t i = 0; i < count; ++i) {
        const auto next = builder.addTensor(TENSOR_FLOAT32, {2, 2});
        builder.addOperation(OperationType::IF,
                             {condition, builder.addSubgraphReference(both),
                              builder.addSubgraphReference(both), value, permutation},
                             {next});
        value = next;
    }
    const auto sum = builder.addTensor(TENSOR_INT32, {2});
    builder.addOperation(OperationType::ADD,
                         {permutation, permutation, builder.addScalar(std::int32_t{0})}, {sum});
    return std::move(*builder.build({condition, in, permutation}, {value, sum}));
}

TEST(OmissionCheck, looksAtNoMoreThanItsLimit) {
    expectRefusal(Graphs(makeRepeatedModel(3)).check({false, false, true}));
    // Each TRANSPOSE counts for four: an operation, two inputs and an output.
    constexpr std::size_t kTooMany = OmissionCheck::kMaximumWork / (4 * kLongBranch);
    EXPECT_TRUE(Graphs(makeRepeatedModel(kTooMany)).check({false, false, true}))
        << "the rest is found when the graph runs";
}

TEST(OmissionCheck, endsWithoutAnErrorIfTheClientHasGone) {
    const std::atomic<bool> isCancelled{true};
    EXPECT_TRUE(
        Graphs(makeTransposeModel()).check({true, false, false, false, false}, &isCancelled));
}

}  // namespace
}  // namespace nnburst::exec
