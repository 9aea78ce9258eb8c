// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/graph_dump.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <regex>
#include <sstream>

#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"

namespace nnburst {
namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Reads what graphDump writes as Graphviz would: one statement a line. Fails on any other line, on
/// edges to nodes that were not declared, and on nodes that are named in several clusters, of which
/// Graphviz would choose one.
void checkSyntax(const std::string& text) {
    const std::string quoted = R"re("([^"\\]|\\["\\n])*")re";
    const std::string value = "(" + quoted + R"(|\w+))";
    const std::string attributes = R"( \[\w+=)" + value + R"((, \w+=)" + value + R"()*\];)";
    const std::string name = "(" + quoted + R"(|[a-z]\w*))";
    const std::regex attribute(R"( *\w+=)" + value + ";");
    const std::regex node(" *" + name + attributes);
    const std::regex edge(" *" + name + " -> " + name + "(" + attributes + ")");
    const std::regex cluster(R"( *subgraph cluster_r\d+ \{)");

    std::map<std::string, int> clusters;  // of nodes; 0 is none
    const auto belongs = [&](const std::string& which, int place) {
        return clusters.emplace(which, place).first->second == place;
    };
    std::istringstream lines(text);
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, "digraph model {");
    int depth = 1;
    int place = 0;
    int last = 0;
    while (std::getline(lines, line)) {
        ASSERT_GT(depth, 0) << "after the end: " << line;
        std::smatch match;
        if (line.find_first_not_of(' ') != std::string::npos && line.ends_with("}")) {
            --depth;
            place = 0;
        } else if (std::regex_match(line, cluster)) {
            EXPECT_EQ(++depth, 2) << line;
            place = ++last;
        } else if (std::regex_match(line, match, edge)) {
            for (const int end : {1, 3}) {
                const std::string which = match[end];
                const bool isDeclared = clusters.count(which) != 0 || which.front() == '"';
                EXPECT_TRUE(isDeclared) << line;
                // Outside of all clusters an edge may name nodes of any.
                EXPECT_TRUE(place == 0 || belongs(which, place)) << line;
            }
        } else if (std::regex_match(line, match, node)) {
            EXPECT_TRUE(belongs(match[1], place)) << line;
        } else {
            EXPECT_TRUE(std::regex_match(line, attribute)) << line;
        }
        EXPECT_LT(line.size(), 700U) << line;
    }
    EXPECT_EQ(depth, 0);
}

/// Two subgraphs of one RELU each, and an IF that chooses.
Model makeChoice() {
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
    return *builder.build({condition, in}, {out});
}

TEST(GraphDump, drawsOperandsAndOperations) {
    const Model model = *makeMobileNetV1({.precision = BuiltinPrecision::QUANT8});
    const std::string text = graphDump(model);
    checkSyntax(text);
    EXPECT_TRUE(has(text,
                    "label=\"0: TENSOR_QUANT8_ASYMM\\n1x128x128x3\\n0.0078125 * (q - 128)\\n"
                    "SUBGRAPH_INPUT, input 0\""));
    EXPECT_TRUE(has(text, "[shape=ellipse, label=\"0: CONV_2D\"];"));
    EXPECT_TRUE(has(text, "main_v0 -> main_o0 [label=\"0\"];"));
    EXPECT_TRUE(has(text, ": INT32\\n= 2\\nCONSTANT_COPY\"];")) << "strides";
    EXPECT_TRUE(has(text, "SUBGRAPH_OUTPUT, output 0\"];"));
    EXPECT_EQ(text, graphDump(model));
}

TEST(GraphDump, drawsSubgraphsAndWhoRefersToThem) {
    const std::string text = graphDump(makeChoice());
    checkSyntax(text);
    EXPECT_TRUE(has(text, "subgraph cluster_r0 {"));
    EXPECT_TRUE(has(text, "subgraph cluster_r1 {"));
    EXPECT_TRUE(has(text, " -> main_o0 [label=\"1 then\"];"));
    EXPECT_TRUE(has(text, " -> main_o0 [label=\"2 else\"];"));
    EXPECT_TRUE(has(text, "-> r1_entry [style=dashed, lhead=cluster_r1];"));
    EXPECT_TRUE(has(text, "r0_v0 -> r0_o0"));
}

TEST(GraphDump, leavesEachNodeInItsClusterIfSubgraphsReferToOthers) {
    Model model = makeChoice();
    Operand reference;
    reference.type = OperandType::SUBGRAPH;
    reference.lifetime = OperandLifeTime::SUBGRAPH;
    reference.location.offset = 1;
    model.referenced[0].operands.push_back(reference);
    model.referenced[0].operations[0].inputs = {99};  // as one of the other subgraph
    model.referenced[1].operations[0].inputs = {99};
    const std::string text = graphDump(model);
    checkSyntax(text);
    EXPECT_TRUE(has(text, "r0_v2 -> r1_entry [style=dashed, lhead=cluster_r1];"));
}

TEST(GraphDump, drawsModelsThatAreNotValid) {
    Model model = *makeStreamingLstm();
    model.main.inputIndexes.push_back(54321);
    model.main.operations[0].inputs[0] = 12345;
    model.main.operations[0].type = static_cast<OperationType>(777);
    Operand bad;
    bad.type = static_cast<OperandType>(-5 & 0xFFFF);
    bad.lifetime = static_cast<OperandLifeTime>(42);
    bad.scale = -std::numeric_limits<float>::infinity();
    bad.zeroPoint = -1;
    model.main.operands.push_back(bad);
    bad.lifetime = OperandLifeTime::SUBGRAPH;
    bad.location.offset = 4000000000;
    model.main.operands.push_back(bad);
    bad.type = OperandType::INT32;
    bad.lifetime = OperandLifeTime::CONSTANT_COPY;
    bad.location = {.poolIndex = 0, .offset = UINT32_MAX, .length = 4};
    model.main.operands.push_back(bad);
    const std::string text = graphDump(model);
    checkSyntax(text);
    for (const char* part : {"no operand 54321", "no operand 12345", "unknown operation type 777",
                             "unknown operand type 65531", "unknown lifetime", "-inf * (q - -1)",
                             "-> \"no subgraph 4000000000\""}) {
        EXPECT_TRUE(has(text, part)) << part;
    }
    checkSyntax(graphDump(Model()));
}

TEST(GraphDump, namesExtensionsWhateverTheirNamesAre) {
    Model model = *makeStreamingLstm();
    model.extensionNameToPrefix = {{"com.example.fft", 7}, {"\"];\n} evil \\ \x01\xff", 8}};
    const auto type = [](std::uint32_t prefix) {
        return static_cast<std::int32_t>(prefix << kExtensionTypeBits | 3);
    };
    model.main.operands[0].type = static_cast<OperandType>(type(7));
    model.main.operands[1].type = static_cast<OperandType>(type(8));
    model.main.operations[0].type = static_cast<OperationType>(type(0xFFFF));
    const std::string text = graphDump(model);
    checkSyntax(text);
    EXPECT_TRUE(has(text, "0: com.example.fft 3\\n"));
    EXPECT_TRUE(has(text, R"(1: \"];?} evil \\ ?? 3\n)"));
    EXPECT_TRUE(has(text, "0: unknown extension 0xffff0003\"]"));
}

TEST(GraphDump, cutsLabelsThatAreTooLong) {
    Model model = *makeStreamingLstm();
    model.main.operands[0].dimensions.assign(100000, 1234567890);
    model.main.operands[1].dimensions = {0, 3};
    model.main.operands[2].dimensions = {};
    model.extensionNameToPrefix = {{std::string(100000, '"'), 7}};
    model.main.operations[0].type = static_cast<OperationType>(7 << kExtensionTypeBits);
    const std::string text = graphDump(model);
    checkSyntax(text);
    EXPECT_TRUE(has(text, "x... (100000 dimensions)\\n"));
    EXPECT_TRUE(has(text, "\\n?x3\\n"));
    EXPECT_TRUE(has(text, "\\nunknown rank\\n"));
}

}  // namespace
}  // namespace nnburst
