// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/graph_dump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"

namespace nnburst {
namespace {

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

TEST(GraphDump, drawsOperandsAndOperations) {
    const std::string text = graphDump(*makeMobileNetV1({.precision = BuiltinPrecision::QUANT8}));
    EXPECT_TRUE(text.starts_with("digraph model {\n"));
    EXPECT_TRUE(text.ends_with("}\n"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
    EXPECT_EQ(std::count(text.begin(), text.end(), '"') % 2, 0);
    EXPECT_TRUE(has(text, "0: TENSOR_QUANT8_ASYMM\\n1x128x128x3\\n0.0078125 * (q - 128)"));
    EXPECT_TRUE(has(text, "CONV_2D"));
    EXPECT_TRUE(has(text, "main_v0 -> main_o0 [label=\"0\"];"));
}

TEST(GraphDump, drawsSubgraphsAndWhoRefersToThem) {
    ModelBuilder builder;
    std::array<std::uint32_t, 2> branches{};
    for (std::uint32_t& branch : branches) {
        ModelBuilder subgraph;
        const auto in = subgraph.addTensor(OperandType::TENSOR_FLOAT32, {4});
        const auto out = subgraph.addTensor(OperandType::TENSOR_FLOAT32, {4});
        subgraph.addOperation(OperationType::RELU, {in}, {out});
        branch = builder.addReferenced(std::move(subgraph), {in}, {out});
    }
    const auto condition = builder.addTensor(OperandType::TENSOR_BOOL8, {1});
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::IF,
                         {condition, builder.addSubgraphReference(branches[0]),
                          builder.addSubgraphReference(branches[1]), in},
                         {out});
    const std::string text = graphDump(*builder.build({condition, in}, {out}));
    EXPECT_TRUE(has(text, "subgraph cluster_r0 {"));
    EXPECT_TRUE(has(text, "subgraph cluster_r1 {"));
    EXPECT_TRUE(has(text, "-> r1_entry [style=dashed];"));
    EXPECT_TRUE(has(text, "r0_v0 -> r0_o0"));
}

TEST(GraphDump, drawsModelsThatAreNotValid) {
    Model model = *makeStreamingLstm();
    model.main.operations[0].inputs[0] = 12345;
    EXPECT_TRUE(has(graphDump(model), "\"no operand 12345\""));
    EXPECT_EQ(graphDump(Model()), "digraph model {\n}\n");
}

}  // namespace
}  // namespace nnburst
