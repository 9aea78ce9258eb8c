// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Import of operators that run subgraphs, and of the custom operator that is known.

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tflite_test.h"

namespace nnburst::control_test {
namespace {

using namespace tflite;
using enum OperationType;
using Operations = std::vector<OperationType>;

constexpr auto kNone = schema::ActivationFunctionType::NONE;
constexpr auto kInt32 = TensorType::INT32;

/// IF(tensor 0, tensor 1): subgraph 1 gives the tensor itself, subgraph 2 twice the tensor.
FileSpec ifFile() {
    FileSpec file;
    file.codes = {{.code = Code::IF}, {.code = Code::ADD}};
    file.tensors = {{.shape = {}, .type = TensorType::BOOL}, {.shape = {2}}, {.shape = {2}}};
    file.operators = {{.inputs = {0, 1},
                       .outputs = {2},
                       .optionsType = BuiltinOptions::IfOptions,
                       .options = optionsOf(schema::CreateIfOptions, 1, 2)}};
    file.inputs = {0, 1};
    file.outputs = {2};
    const OperatorSpec twice{.opcodeIndex = 1,
                             .inputs = {0, 0},
                             .outputs = {1},
                             .optionsType = BuiltinOptions::AddOptions,
                             .options = addOptions()};
    file.subgraphs = {{.tensors = {{.shape = {2}}}, .operators = {}, .inputs = {0}, .outputs = {0}},
                      {.tensors = {{.shape = {2}}, {.shape = {2}}},
                       .operators = {twice},
                       .inputs = {0},
                       .outputs = {1}}};
    return file;
}

/// WHILE(i < 10, i + 3) of a scalar of INT32.
FileSpec whileFile() {
    FileSpec file;
    file.codes = {{.code = Code::WHILE}, {.code = Code::LESS}, {.code = Code::ADD}};
    file.buffers = {{}, bytesOf(std::vector{10}), bytesOf(std::vector{3})};
    file.tensors = {{.shape = {}, .type = kInt32}, {.shape = {}, .type = kInt32, .hasRank = true}};
    file.operators = {{.inputs = {0},
                       .outputs = {1},
                       .optionsType = BuiltinOptions::WhileOptions,
                       .options = optionsOf(schema::CreateWhileOptions, 1, 2)}};
    file.inputs = {0};
    file.outputs = {1};
    file.subgraphs = {{.tensors = {{.shape = {}, .type = kInt32},
                                   {.shape = {}, .type = kInt32, .buffer = 1},
                                   {.shape = {}, .type = TensorType::BOOL}},
                       .operators = {{.opcodeIndex = 1, .inputs = {0, 1}, .outputs = {2}}},
                       .inputs = {0},
                       .outputs = {2}},
                      {.tensors = {{.shape = {}, .type = kInt32},
                                   {.shape = {}, .type = kInt32, .buffer = 2},
                                   {.shape = {}, .type = kInt32}},
                       .operators = {{.opcodeIndex = 2,
                                      .inputs = {0, 1},
                                      .outputs = {2},
                                      .optionsType = BuiltinOptions::AddOptions,
                                      .options = optionsOf(schema::CreateAddOptions, kNone)}},
                       .inputs = {0},
                       .outputs = {2}}};
    return file;
}

TEST(TfliteControl, runsOneOfTwoSubgraphs) {
    const TfliteModel result = imported(ifFile());
    EXPECT_EQ(operationsOf(result), Operations{IF});
    ASSERT_EQ(result.model.referenced.size(), 2U);
    EXPECT_EQ(inputAt(result, 0).dimensions, Dimensions{1});
    EXPECT_EQ(inputAt(result, 1).lifetime, OperandLifeTime::SUBGRAPH);
    EXPECT_EQ(inputAt(result, 1).location.offset, 0U);
    EXPECT_EQ(inputAt(result, 2).location.offset, 1U);
    // The HAL does not let an input be an output.
    EXPECT_EQ(result.model.referenced[0].operations.at(0).type, CAST);
    EXPECT_EQ(result.model.referenced[1].operations.at(0).type, ADD);
}

TEST(TfliteControl, givesSubgraphsTheSizesOfTheirOperator) {
    FileSpec file = ifFile();
    for (GraphSpec& subgraph : file.subgraphs) {
        for (TensorSpec& tensor : subgraph.tensors) {
            tensor.shape = {5};
        }
    }
    const TfliteModel result = imported(file);
    EXPECT_EQ((outputsOfRun<float, std::uint8_t>(result, {{0}, bytesOf(std::vector{3.0F, 4.0F})})),
              (std::vector<std::vector<float>>{{6, 8}}));
}

TEST(TfliteControl, runsASubgraphAgainAndAgain) {
    const TfliteModel result = imported(whileFile());
    EXPECT_EQ(operationsOf(result), Operations{WHILE});
    ASSERT_EQ(result.model.referenced.size(), 2U);
    const std::uint32_t condition = inputAt(result, 0).location.offset;
    EXPECT_EQ(result.model.referenced.at(condition).operations.at(0).type, LESS);
    EXPECT_EQ(outputOf(result).dimensions, Dimensions{1});
    expectComputes<std::int32_t, std::int32_t>(whileFile(), {{2}}, {{11}});
}

/// whileFile with a second value of any height, which the body doubles. The shape of the result is
/// the last output.
FileSpec openWhileFile() {
    FileSpec file = whileFile();
    const TensorSpec open{.shape = {1, 1, 2}, .shapeSignature = {-1, -1, 2}};
    file.codes.push_back({.code = Code::SHAPE});
    file.tensors.push_back({.shape = {3, 1, 2}});
    file.tensors.push_back(open);
    file.tensors.push_back({.shape = {3}, .type = kInt32});
    file.operators[0].inputs = {0, 2};
    file.operators[0].outputs = {1, 3};
    file.operators.push_back({.opcodeIndex = 3, .inputs = {3}, .outputs = {4}});
    file.inputs = {0, 2};
    file.outputs = {1, 3, 4};
    GraphSpec& condition = file.subgraphs[0];
    condition.tensors.push_back(open);
    condition.inputs = {0, 3};
    GraphSpec& body = file.subgraphs[1];
    body.tensors.insert(body.tensors.end(), 2, open);
    body.inputs = {0, 3};
    body.outputs = {2, 4};
    body.operators.push_back(body.operators[0]);
    body.operators.back().inputs = {3, 3};
    body.operators.back().outputs = {4};
    return file;
}

/// Expects that `file` computes what openWhileFile does, in three iterations.
void expectLoopOverOpenSizes(const FileSpec& file) {
    const TfliteModel result = imported(file);
    EXPECT_EQ(operationsOf(result), (Operations{WHILE, CAST}));  // the shape is a constant
    EXPECT_EQ(outputOf(result, 1).dimensions, (Dimensions{3, 1, 2}));
    std::vector<std::int32_t> sums;
    for (const float sum : {8.0F, 16.0F, 24.0F, 32.0F, 40.0F, 48.0F}) {
        sums.push_back(std::bit_cast<std::int32_t>(sum));
    }
    expectComputes<std::int32_t, float>(
        file, {{std::bit_cast<float>(std::int32_t{2})}, {1, 2, 3, 4, 5, 6}},
        {{11}, sums, {3, 1, 2}});
}

TEST(TfliteControl, givesOpenSizesOfALoopThoseOfItsCaller) {
    expectLoopOverOpenSizes(openWhileFile());
}

TEST(TfliteControl, givesUnknownRanksOfALoopThoseOfItsCaller) {
    FileSpec file = openWhileFile();
    const auto hideShapes = [](GraphSpec& graph) {
        for (TensorSpec& tensor : graph.tensors) {
            tensor.hasRank = tensor.shapeSignature.empty();
            if (!tensor.hasRank) {
                tensor.shape.clear();
                tensor.shapeSignature.clear();
            }
        }
    };
    hideShapes(file);
    for (GraphSpec& graph : file.subgraphs) {
        hideShapes(graph);
    }
    expectLoopOverOpenSizes(file);
}

/// openWhileFile with a body that doubles the height of the second value.
FileSpec growingWhileFile() {
    FileSpec file = openWhileFile();
    file.codes[3].code = Code::CONCATENATION;
    file.operators.pop_back();
    file.outputs = {1, 3};
    OperatorSpec& doubling = file.subgraphs[1].operators.back();
    doubling.opcodeIndex = 3;
    doubling.optionsType = BuiltinOptions::ConcatenationOptions;
    doubling.options = optionsOf(schema::CreateConcatenationOptions, 0, kNone);
    return file;
}

/// growingWhileFile with an IF in the body: subgraph 3 doubles the height while i < 6, subgraph
/// `otherwise` runs after that. Subgraph 4 doubles the elements.
FileSpec branchingWhileFile(std::int32_t otherwise) {
    FileSpec file = growingWhileFile();
    file.codes.push_back({.code = Code::IF});
    file.buffers.push_back(bytesOf(std::vector{6}));
    GraphSpec& body = file.subgraphs[1];
    const TensorSpec open = body.tensors[3];
    const GraphSpec growing{.tensors = {open, open},
                            .operators = {{.opcodeIndex = 3,
                                           .inputs = {0, 0},
                                           .outputs = {1},
                                           .optionsType = BuiltinOptions::ConcatenationOptions,
                                           .options = body.operators[1].options}},
                            .inputs = {0},
                            .outputs = {1}};
    GraphSpec adding = growing;
    adding.operators[0].opcodeIndex = 2;
    adding.operators[0].optionsType = BuiltinOptions::AddOptions;
    adding.operators[0].options = addOptions();
    body.tensors.push_back({.shape = {}, .type = kInt32, .buffer = 3});
    body.tensors.push_back({.shape = {}, .type = TensorType::BOOL});
    body.operators[1] = {.opcodeIndex = 1, .inputs = {0, 5}, .outputs = {6}};
    body.operators.push_back({.opcodeIndex = 4,
                              .inputs = {6, 3},
                              .outputs = {4},
                              .optionsType = BuiltinOptions::IfOptions,
                              .options = optionsOf(schema::CreateIfOptions, 3, otherwise)});
    file.subgraphs.push_back(growing);
    file.subgraphs.push_back(adding);
    return file;
}

/// Expects that all subgraphs leave the sizes of their last input open, and that three iterations
/// give as second value the elements of the first one, times `factor`, `copies` times.
void expectGrowingLoop(const FileSpec& file, float factor, std::size_t copies) {
    const TfliteModel result = imported(file);
    EXPECT_EQ(outputOf(result, 1).dimensions, (Dimensions{0, 0, 2}));
    for (const Subgraph& subgraph : result.model.referenced) {
        EXPECT_EQ(subgraph.operands.at(subgraph.inputIndexes.back()).dimensions,
                  (Dimensions{0, 0, 2}));
    }
    const auto compiled = exec::compile(resolved(result.model), false);
    ASSERT_NE(compiled, nullptr);
    const std::vector<std::int32_t> counter{2};
    const std::vector<float> given{1, 2, 3, 4, 5, 6};
    std::vector<float> expected;
    for (std::size_t i = 0; i < copies * given.size(); ++i) {
        expected.push_back(factor * given[i % given.size()]);
    }
    exec::TestRequest request;
    request.addInput(exec::bytesOf(counter));
    request.addInput(exec::bytesOf(given));
    request.addOutput(sizeof(std::int32_t));
    request.addOutput(expected.size() * sizeof(float));
    const auto ran = request.run(*compiled);
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_EQ(exec::floats(request.output(1)), expected);
}

TEST(TfliteControl, leavesSizesOpenThatALoopChanges) {
    expectGrowingLoop(growingWhileFile(), 1.0F, 8);
}

TEST(TfliteControl, leavesSizesOpenOfSubgraphsInALoopThatChangesThem) {
    expectGrowingLoop(branchingWhileFile(3), 1.0F, 8);
}

TEST(TfliteControl, leavesSizesOpenThatAreNotKnownAfterOneRunOfALoop) {
    expectGrowingLoop(branchingWhileFile(4), 2.0F, 4);
}

TEST(TfliteControl, givesOpenSizesOfBranchesThoseOfTheirCaller) {
    FileSpec file = ifFile();
    const TensorSpec open{.shape = {1}, .shapeSignature = {-1}};
    file.tensors[2] = open;
    for (GraphSpec& graph : file.subgraphs) {
        for (TensorSpec& tensor : graph.tensors) {
            tensor = open;
        }
    }
    EXPECT_EQ(outputOf(imported(file)).dimensions, Dimensions{2});
}

TEST(TfliteControl, givesOpenSizesOfBranchesThoseOfTheFileIfTheirCallerHasNone) {
    FileSpec file = ifFile();
    // Tensor 1 is tensor 3, repeated as often as tensor 4 says.
    file.codes.push_back({.code = Code::TILE});
    file.tensors[1] = {.shape = {1}, .shapeSignature = {-1}};
    file.tensors.push_back({.shape = {2}});
    file.tensors.push_back({.shape = {1}, .type = kInt32});
    const OperatorSpec repeat{.opcodeIndex = 2, .inputs = {3, 4}, .outputs = {1}};
    file.operators.insert(file.operators.begin(), repeat);
    file.inputs = {0, 3, 4};
    for (GraphSpec& graph : file.subgraphs) {
        graph.tensors[0].shapeSignature = {-1};
    }
    const auto inputOf = [](const TfliteModel& model, std::size_t subgraph) {
        const Subgraph& graph = model.model.referenced.at(subgraph);
        return graph.operands.at(graph.inputIndexes.at(0)).dimensions;
    };
    const TfliteModel result = imported(file);
    const TfliteModel open = imported(file, {.keepsOpenSizes = true});
    for (const std::size_t subgraph : {0U, 1U}) {
        EXPECT_EQ(inputOf(result, subgraph), Dimensions{2});
        EXPECT_EQ(inputOf(open, subgraph), Dimensions{0});
    }
}

TEST(TfliteControl, givesUnknownRanksOfBranchesThatOfAScalar) {
    FileSpec file = ifFile();
    file.codes[1].code = Code::RANK;
    file.tensors[1].shape = {};
    file.tensors[2] = {.shape = {}, .type = kInt32, .hasRank = true};
    file.operators[0].options = optionsOf(schema::CreateIfOptions, 2, 2);
    GraphSpec& branch = file.subgraphs[1];
    branch.tensors = {{.shape = {}}, {.shape = {}, .type = kInt32, .hasRank = true}};
    branch.operators = {{.opcodeIndex = 1, .inputs = {0}, .outputs = {1}}};
    const TfliteModel result = imported(file);
    const Subgraph& graph = result.model.referenced.at(0);
    EXPECT_EQ(valueOf<std::int32_t>(result, graph.operands.at(graph.operations.at(0).inputs.at(0))),
              0);
}

TEST(TfliteControl, importsASubgraphOnce) {
    FileSpec file = ifFile();
    file.operators[0].options = optionsOf(schema::CreateIfOptions, 2, 2);
    const TfliteModel result = imported(file);
    EXPECT_EQ(result.model.referenced.size(), 1U);
    EXPECT_EQ(inputAt(result, 1).location.offset, inputAt(result, 2).location.offset);
}

TEST(TfliteControl, refusesSubgraphsThatDoNotFit) {
    FileSpec file = ifFile();
    file.operators[0].options = optionsOf(schema::CreateIfOptions, 1, 3);
    EXPECT_EQ(refusal(file), "operator 0 (IF): subgraph 3: must be one of 3");
    file.operators[0].options = optionsOf(schema::CreateIfOptions, -1, 2);
    EXPECT_EQ(refusal(file), "operator 0 (IF): subgraph -1: must be one of 3");
    file = ifFile();
    file.operators[0].inputs = {0, 1, 1};
    EXPECT_EQ(refusal(file),
              "operator 0 (IF): subgraph 1 with 1 inputs and 1 outputs: must have 2 and 1");
    file = whileFile();
    file.subgraphs[0].outputs = {2, 2};
    EXPECT_EQ(refusal(file),
              "operator 0 (WHILE): subgraph 1 with 1 inputs and 2 outputs: must have 1 and 1");
    file = whileFile();
    file.subgraphs[1].operators[0].inputs = {0, 7};
    EXPECT_EQ(refusal(file),
              "subgraph 2: operator 0 (ADD): tensor 7: must be one of 3 "
              "tensors");
    file = ifFile();
    file.subgraphs[1].tensors.push_back({.shape = {2}, .isVariable = true});
    file.subgraphs[1].operators[0].inputs = {0, 2};
    EXPECT_EQ(refusal(file),
              "subgraph 2: operator 0 (ADD): tensor 2 (\"tensor\"): variable "
              "tensors in subgraphs are not supported");
}

TEST(TfliteControl, namesTheOperatorsOfASubgraphOnce) {
    FileSpec file = ifFile();
    file.operators[0].options = optionsOf(schema::CreateIfOptions, 2, 2);
    file.subgraphs[1].operators[0].inputs = {0, 7};
    EXPECT_EQ(refusal(file), "subgraph 2: operator 0 (ADD): tensor 7: must be one of 2 tensors");
}

/// Outputs 2 and 3 are composites of tensor 0 and the constant 1, and of 2 and 1. Subgraph 1, which
/// computes them, adds its inputs and multiplies the sum by a constant.
FileSpec compositeFile() {
    FileSpec file;
    file.codes = {{.code = Code::STABLEHLO_COMPOSITE}, {.code = Code::ADD}, {.code = Code::MUL}};
    file.buffers = {{}, bytesOf(std::vector{1.0F, 2.0F}), bytesOf(std::vector{10.0F})};
    file.tensors = {{.shape = {2}}, {.shape = {2}, .buffer = 1}, {.shape = {2}}, {.shape = {2}}};
    file.operators = {{.inputs = {0, 1}, .outputs = {2}, .decomposition = 1},
                      {.inputs = {2, 1}, .outputs = {3}, .decomposition = 1}};
    file.inputs = {0};
    file.outputs = {2, 3};
    file.subgraphs = {{.tensors = {{.shape = {2}},
                                   {.shape = {2}},
                                   {.shape = {2}},
                                   {.shape = {1}, .buffer = 2},
                                   {.shape = {2}}},
                       .operators = {{.opcodeIndex = 1,
                                      .inputs = {0, 1},
                                      .outputs = {2},
                                      .optionsType = BuiltinOptions::AddOptions,
                                      .options = addOptions()},
                                     {.opcodeIndex = 2,
                                      .inputs = {2, 3},
                                      .outputs = {4},
                                      .optionsType = BuiltinOptions::MulOptions,
                                      .options = optionsOf(schema::CreateMulOptions, kNone)}},
                       .inputs = {0, 1},
                       .outputs = {4}}};
    return file;
}

TEST(TfliteControl, computesCompositesByTheirSubgraphs) {
    const TfliteModel result = imported(compositeFile());
    EXPECT_TRUE(result.model.referenced.empty());
    EXPECT_EQ(operationsOf(result), (Operations{ADD, MUL, ADD, MUL}));
    EXPECT_EQ((outputsOfRun<float, float>(result, {{3, 4}})),
              (std::vector<std::vector<float>>{{40, 60}, {410, 620}}));
}

TEST(TfliteControl, givesCompositesTheShapesAndConstantsOfTheirOperator) {
    // The subgraph reshapes input 0 to input 1, a constant, and states another shape.
    FileSpec file;
    file.codes = {{.code = Code::STABLEHLO_COMPOSITE}, {.code = Code::RESHAPE}};
    file.buffers = {{}, bytesOf(std::vector{3, -1})};
    file.tensors = {
        {.shape = {2, 3}}, {.shape = {2}, .type = kInt32, .buffer = 1}, {.shape = {3, 2}}};
    file.operators = {{.inputs = {0, 1}, .outputs = {2}, .decomposition = 1}};
    file.inputs = {0};
    file.outputs = {2};
    file.subgraphs = {
        {.tensors = {{.shape = {3, 1}}, {.shape = {2}, .type = kInt32}, {.shape = {3, 1}}},
         .operators = {{.opcodeIndex = 1, .inputs = {0, 1}, .outputs = {2}}},
         .inputs = {0, 1},
         .outputs = {2}}};
    EXPECT_EQ(outputOf(imported(file)).dimensions, (Dimensions{3, 2}));
}

TEST(TfliteControl, givesConstantsOfCompositesTheShapesOfTheirOperatorWhateverTheirScales) {
    const TensorSpec given{.shape = {2}, .type = TensorType::INT8, .scales = {1.0F}};
    for (const std::int32_t stated : {2, 1}) {
        for (const float scale : {1.0F, 2.0F}) {
            const TensorSpec inner{.shape = {stated}, .type = TensorType::INT8, .scales = {scale}};
            FileSpec file;
            file.codes = {{.code = Code::STABLEHLO_COMPOSITE}, {.code = Code::DEQUANTIZE}};
            file.buffers = {{}, {5, 6}};
            file.tensors = {given, given, {.shape = {2}}, {.shape = {2}}};
            file.tensors[1].buffer = 1;
            file.operators = {{.inputs = {0, 1}, .outputs = {2, 3}, .decomposition = 1}};
            file.inputs = {0};
            file.outputs = {2, 3};
            file.subgraphs = {{.tensors = {inner, inner, {.shape = {stated}}, {.shape = {stated}}},
                               .operators = {{.opcodeIndex = 1, .inputs = {0}, .outputs = {2}},
                                             {.opcodeIndex = 1, .inputs = {1}, .outputs = {3}}},
                               .inputs = {0, 1},
                               .outputs = {2, 3}}};
            expectComputes<float, std::int8_t>(file, {{3, 4}},
                                               {{3 * scale, 4 * scale}, {5 * scale, 6 * scale}});
        }
    }
}

TEST(TfliteControl, leavesConstantsOfCompositesToOtherOperators) {
    // Weights with a scale for each of 2 units, which the layer of the subgraph reshapes.
    const TensorSpec input{.shape = {1, 3}, .type = TensorType::INT8, .scales = {1.0F}};
    const TensorSpec output{.shape = {1, 2}, .type = TensorType::INT8, .scales = {0.5F}};
    const TensorSpec weights{.shape = {2, 3}, .type = TensorType::INT8, .scales = {0.5F, 1.0F}};
    FileSpec file;
    file.codes = {{.code = Code::STABLEHLO_COMPOSITE},
                  {.code = Code::FULLY_CONNECTED},
                  {.code = Code::DEQUANTIZE}};
    file.buffers = {{}, std::vector<std::uint8_t>(6, 1)};
    file.tensors = {input, weights, output, {.shape = {2, 3}}};
    file.tensors[1].buffer = 1;
    file.operators = {{.inputs = {0, 1}, .outputs = {2}, .decomposition = 1},
                      {.opcodeIndex = 2, .inputs = {1}, .outputs = {3}}};
    file.inputs = {0};
    file.outputs = {3};
    file.subgraphs = {{.tensors = {input, weights, output},
                       .operators = {{.opcodeIndex = 1, .inputs = {0, 1, -1}, .outputs = {2}}},
                       .inputs = {0, 1},
                       .outputs = {2}}};
    expectComputes<float, std::int8_t>(file, {{2, 4, 6}}, {{0.5F, 0.5F, 0.5F, 1, 1, 1}});
    file.outputs = {2};
    expectComputes<std::int8_t, std::int8_t>(file, {{2, 4, 6}}, {{12, 24}});
}

// TFLite copies the bytes, and the operators of the subgraph use the scales of its own tensors.
TEST(TfliteControl, keepsTheBytesOfInputsThatHaveAnotherScaleInTheSubgraphOfAComposite) {
    const TensorSpec given{.shape = {2}, .type = TensorType::INT8, .scales = {1.0F}};
    const TensorSpec ofOtherScale{.shape = {1}, .type = TensorType::INT8, .scales = {2.0F}};
    const TensorSpec ofOtherZero{
        .shape = {2}, .type = TensorType::INT8, .scales = {1.0F}, .zeroPoints = {1}};
    FileSpec file;
    file.codes = {{.code = Code::STABLEHLO_COMPOSITE}, {.code = Code::DEQUANTIZE}};
    file.buffers = {{}, {5, 6}};
    file.tensors = {given, given, {.shape = {2}}, {.shape = {2}}};
    file.tensors[1].buffer = 1;
    file.operators = {{.inputs = {0, 1}, .outputs = {2, 3}, .decomposition = 1}};
    file.inputs = {0};
    file.outputs = {2, 3};
    file.subgraphs = {{.tensors = {ofOtherScale, ofOtherZero, {.shape = {1}}, {.shape = {2}}},
                       .operators = {{.opcodeIndex = 1, .inputs = {0}, .outputs = {2}},
                                     {.opcodeIndex = 1, .inputs = {1}, .outputs = {3}}},
                       .inputs = {0, 1},
                       .outputs = {2, 3}}};
    expectComputes<float, std::int8_t>(file, {{3, 4}}, {{6, 8}, {4, 5}});
}

TEST(TfliteControl, refusesCompositesThatDoNotFit) {
    FileSpec file = compositeFile();
    file.operators[0].decomposition = 0;
    file.operators[1].decomposition.reset();
    EXPECT_EQ(refusal(file), "operator 0 (STABLEHLO_COMPOSITE): subgraph 0: must not run itself");
    file.operators[0].decomposition.reset();
    EXPECT_EQ(refusal(file),
              "operator 0 (STABLEHLO_COMPOSITE): must have StableHLOCompositeOptions");
    file = compositeFile();
    file.subgraphs[0].inputs = {0};
    file.operators.pop_back();
    file.outputs = {2};
    EXPECT_EQ(refusal(file),
              "operator 0 (STABLEHLO_COMPOSITE): subgraph 1: 1 inputs and 1 outputs: must have 2 "
              "and 1");
    file = compositeFile();
    file.subgraphs[0].tensors[1].type = kInt32;
    EXPECT_EQ(refusal(file),
              "operator 0 (STABLEHLO_COMPOSITE): subgraph 1: input 1: tensor 1 (\"tensor\") of "
              "type INT32: must be FLOAT32, and neither constant, variable nor an input already");
    file = compositeFile();
    file.codes[2].code = Code::STABLEHLO_CBRT;
    EXPECT_EQ(refusal(file), "subgraph 1: operator 1 (STABLEHLO_CBRT) is not supported");
}

/// Each subgraph has two composites of the next one: together 2^16.
TEST(TfliteControl, refusesCompositesThatGrowBeyondTheFile) {
    FileSpec file = compositeFile();
    const GraphSpec graph = file;
    file.subgraphs.clear();
    for (std::int32_t i = 1; i <= 15; ++i) {
        file.subgraphs.push_back(graph);
        file.subgraphs.back().inputs = {0};
        file.subgraphs.back().outputs = {3};
        for (OperatorSpec& op : file.subgraphs.back().operators) {
            op.inputs.resize(1);
            op.decomposition = i + 1;
        }
    }
    for (OperatorSpec& op : file.operators) {
        op.inputs.resize(1);
    }
    file.subgraphs.back().operators.clear();
    file.subgraphs.back().outputs = {0};
    EXPECT_NE(refusal(file).find("the bytes of the file"), std::string::npos);
}

/// Operators that share a subgraph take no bytes of the file for its tensors.
TEST(TfliteControl, refusesCompositesOfManyTensors) {
    constexpr std::size_t kMany = 2000;
    FileSpec file = compositeFile();
    file.subgraphs[0].tensors.resize(kMany, {.shape = {2}});
    file.operators.resize(1);
    file.outputs = {2};
    EXPECT_TRUE(importTflite(serialize(file)));
    for (std::int32_t i = 0; i < 100; ++i) {
        file.tensors.push_back({.shape = {2}});
        file.operators.push_back(file.operators[0]);
        file.operators.back().outputs = {4 + i};
    }
    EXPECT_NE(refusal(file).find("constants take more than"), std::string::npos);
}

/// Each input of a composite has the elements of the small constant that it is.
TEST(TfliteControl, refusesCompositesWithManyInputsOfOneConstant) {
    constexpr std::size_t kMany = 1000;
    constexpr std::int32_t kElements = 1024;
    FileSpec file = compositeFile();
    file.operators.resize(1);
    file.outputs = {2};
    file.buffers.push_back(bytesOf(std::vector<std::int32_t>(kElements, 1)));
    file.tensors.push_back({.shape = {kElements}, .type = kInt32, .buffer = 3});
    GraphSpec& subgraph = file.subgraphs[0];
    for (std::size_t i = 0; i < kMany; ++i) {
        file.operators[0].inputs.push_back(4);
        subgraph.inputs.push_back(static_cast<std::int32_t>(subgraph.tensors.size()));
        subgraph.tensors.push_back({.shape = {kElements}, .type = kInt32});
    }
    EXPECT_NE(refusal(file).find("constants take more than"), std::string::npos);
}

TEST(TfliteControl, saysThatTheFirstOperatorDecidesTheShapesOfASubgraph) {
    FileSpec file = ifFile();
    file.tensors.push_back({.shape = {3}});
    file.tensors.push_back({.shape = {3}});
    file.inputs.push_back(3);
    file.outputs.push_back(4);
    file.operators.push_back(file.operators[0]);
    file.operators[1].inputs = {0, 3};
    file.operators[1].outputs = {4};
    EXPECT_EQ(refusal(file),
              "operator 1 (IF): subgraph 1: input 0 of shape 3: must agree with 2, as the first "
              "operator that runs the subgraph decides");
}

TEST(TfliteControl, refusesSubgraphsThatRunThemselves) {
    FileSpec file = ifFile();
    file.operators[0].options = optionsOf(schema::CreateIfOptions, 0, 2);
    EXPECT_EQ(refusal(file), "operator 0 (IF): subgraph 0: must not run itself");
}

TEST(TfliteControl, refusesToNestTooDeep) {
    // Each subgraph runs the next.
    FileSpec file = ifFile();
    constexpr std::int32_t kSubgraphs = 1000;
    file.subgraphs.clear();
    for (std::int32_t i = 1; i <= kSubgraphs; ++i) {
        GraphSpec graph = file;
        graph.operators[0].options = optionsOf(schema::CreateIfOptions, i + 1, i + 1);
        graph.operators[0].inputs = {0, 0, 1};
        file.subgraphs.push_back(graph);
    }
    file.operators[0].inputs = {0, 0, 1};
    EXPECT_NE(refusal(file).find("nested more than 16 deep"), std::string::npos);
}

// ---- Detection

using OptionsMap = std::function<void(flexbuffers::Builder&)>;

FileSpec detectionFile(const OptionsMap& change = {}, int classesPerDetection = 1, int classes = 2,
                       float scoreThreshold = 0.25F) {
    FileSpec file = operatorFile(Code::CUSTOM, {real({1, 6, 4}), real({1, 6, 3}), real({6, 4})},
                                 {real({1, 3, 4}), real({1, 3}), real({1, 3}), real({1})});
    file.codes[0].customName = "TFLite_Detection_PostProcess";
    flexbuffers::Builder builder;
    builder.Map([&] {
        builder.Int("max_detections", 3);
        builder.Int("max_classes_per_detection", classesPerDetection);
        builder.Int("num_classes", classes);
        builder.Float("nms_score_threshold", scoreThreshold);
        builder.Float("nms_iou_threshold", 0.5F);
        builder.Float("y_scale", 10.0F);
        builder.Float("x_scale", 11.0F);
        builder.Float("h_scale", 5.0F);
        builder.Double("w_scale", 6.0);
        if (change) {
            change(builder);
        }
    });
    builder.Finish();
    file.operators[0].customOptions = builder.GetBuffer();
    return file;
}

TEST(TfliteDetection, readsItsOptions) {
    const TfliteModel result = imported(detectionFile());
    EXPECT_EQ(operationsOf(result), (Operations{DETECTION_POSTPROCESSING, CAST, CAST}));
    ASSERT_EQ(result.model.main.operations[0].inputs.size(), 14U);
    EXPECT_EQ(inputAt(result, 0).dimensions, (Dimensions{1, 6, 3}));  // scores first
    EXPECT_EQ(inputAt(result, 1).dimensions, (Dimensions{1, 6, 4}));
    const std::vector<float> scales{10.0F, 11.0F, 5.0F, 6.0F};
    for (std::size_t i = 0; i < scales.size(); ++i) {
        EXPECT_EQ(valueOf<float>(result, inputAt(result, 3 + i)), scales[i]);
    }
    EXPECT_EQ(valueOf<std::uint8_t>(result, inputAt(result, 7)), 0);     // not regular
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 8)), 3);     // detections
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 9)), 1);     // classes for each
    EXPECT_EQ(valueOf<std::int32_t>(result, inputAt(result, 10)), 100);  // for each class
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 11)), std::nextafter(0.25F, 0.0F));
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 12)), 0.5F);
    const auto& outputs = result.model.main.operations[0].outputs;
    EXPECT_EQ(outputs[0], result.model.main.outputIndexes[2]);  // scores
    EXPECT_EQ(outputs[1], result.model.main.outputIndexes[0]);  // boxes
    EXPECT_EQ(outputOf(result, 1).type, OperandType::TENSOR_FLOAT32);
    const TfliteModel regular = imported(detectionFile([](flexbuffers::Builder& builder) {
        builder.Bool("use_regular_nms", true);
        builder.Int("detections_per_class", 7);
    }));
    EXPECT_EQ(valueOf<std::uint8_t>(regular, inputAt(regular, 7)), 1);
    EXPECT_EQ(valueOf<std::int32_t>(regular, inputAt(regular, 10)), 7);
}

/// The inputs of detectionFile: box n has its centre at (10 n, 0), and sides of 1.
std::vector<std::vector<float>> detectionInputs(const std::vector<float>& scores) {
    constexpr std::size_t kBoxes = 6;
    std::vector<float> anchors;
    for (std::size_t box = 0; box < kBoxes; ++box) {
        anchors.insert(anchors.end(), {10.0F * static_cast<float>(box), 0.0F, 1.0F, 1.0F});
    }
    return {std::vector<float>(4 * kBoxes), scores, anchors};
}

TEST(TfliteDetection, takesScoresWithoutBackground) {
    FileSpec file = detectionFile({}, 1, 2, -std::numeric_limits<float>::infinity());
    file.tensors[1].shape = {1, 6, 2};
    const TfliteModel result = imported(file);
    EXPECT_EQ(operationsOf(result), (Operations{PAD, DETECTION_POSTPROCESSING, CAST, CAST}));
    EXPECT_EQ(inputAt(result, 0, 1).dimensions, (Dimensions{1, 6, 3}));
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 11, 1)), 0.0F);
    const std::vector<float> boxes{29.5F, -0.5F, 30.5F, 0.5F, 9.5F, -0.5F, 10.5F, 0.5F, 0, 0, 0, 0};
    expectComputes<float, float>(file, detectionInputs({0, 0, 0.5F, 0, 0, 0, 0, 0.75F, 0, 0, 0, 0}),
                                 {boxes, {1.0F, 0.0F, 0.0F}, {0.75F, 0.5F, 0.0F}, {2.0F}});
    file = detectionFile({}, 1, 1);
    file.tensors[1].shape = {1, 6, 1};
    expectComputes<float, float>(file, detectionInputs({0, 0.5F, 0, 0.75F, 0, 0}),
                                 {boxes, {0.0F, 0.0F, 0.0F}, {0.75F, 0.5F, 0.0F}, {2.0F}});
}

TEST(TfliteDetection, detectsScoresOfTheThreshold) {
    expectComputes<float, float>(
        detectionFile(),
        detectionInputs({0, 0, 0, 0, 0.25F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
        {{9.5F, -0.5F, 10.5F, 0.5F, 0, 0, 0, 0, 0, 0, 0, 0},
         {0.0F, 0.0F, 0.0F},
         {0.25F, 0.0F, 0.0F},
         {1.0F}});
}

TEST(TfliteDetection, givesEachClassOfABoxAPlace) {
    FileSpec file = detectionFile({}, 2);
    file.tensors[3].shape = {1, 6, 4};
    file.tensors[4].shape = {1, 6};
    file.tensors[5].shape = {1, 6};
    const TfliteModel result = imported(file);
    // The operand of the found classes, which CAST makes real.
    EXPECT_EQ(inputAt(result, 0, 1).dimensions, (Dimensions{1, 6}));
    EXPECT_NE(refusal(detectionFile({}, 2147483647)).find("must be less than 2^31"),
              std::string::npos);
}

TEST(TfliteDetection, countsBoxesHoweverManyClassesEachHas) {
    const auto scores =
        detectionInputs({0, 0.5F, 0.75F, 0, 0.5F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    for (const int classesPerDetection : {2, 3}) {  // of 2 classes
        FileSpec file = detectionFile({}, classesPerDetection);
        const auto outputs = outputsOfRun<float, float>(imported(file), scores);
        ASSERT_EQ(outputs.size(), 4U);
        EXPECT_EQ(outputs[3], std::vector<float>{2.0F});
    }
}

TEST(TfliteDetection, dequantisesItsInputs) {
    FileSpec file = detectionFile();
    file.tensors[0].type = TensorType::UINT8;
    file.tensors[0].scales = {0.5F};
    EXPECT_EQ(operationsOf(imported(file)).front(), DEQUANTIZE);
}

TEST(TfliteDetection, refusesOptionsThatAreWrong) {
    FileSpec file = detectionFile(
        [](flexbuffers::Builder& builder) { builder.Double("detections_per_class", 1e300); });
    const std::string prefix = "operator 0 (CUSTOM \"TFLite_Detection_PostProcess\"): ";
    EXPECT_EQ(refusal(file),
              prefix + "option detections_per_class: must be an integer of at least 0");
    file = detectionFile(
        [](flexbuffers::Builder& builder) { builder.String("use_regular_nms", "yes"); });
    EXPECT_EQ(refusal(file), prefix + "option use_regular_nms: must be true or false");
    file = detectionFile();
    file.tensors[1].shape = {1, 6, 4};
    EXPECT_EQ(refusal(file), prefix +
                                 "2 classes with scores of shape 1x6x4: scores must have as "
                                 "many, or one more, the background");
    EXPECT_EQ(refusal(detectionFile({}, 1, 2, std::numeric_limits<float>::quiet_NaN())),
              prefix + "option nms_score_threshold: must be a finite number");
    file = detectionFile();
    file.operators[0].customOptions.clear();
    EXPECT_EQ(refusal(file),
              prefix + "options of format 0 with 0 bytes: must be a FlexBuffer of 1 to 65536");
}

TEST(TfliteDetection, refusesDamagedOptions) {
    const FileSpec file = detectionFile();
    const auto& options = file.operators[0].customOptions;
    for (std::size_t i = 0; i < options.size(); ++i) {
        for (const int change : {1, 0x80, 0xFF}) {
            FileSpec damaged = file;
            damaged.operators[0].customOptions[i] = static_cast<std::uint8_t>(options[i] ^ change);
            const auto result = importTflite(serialize(damaged));
            if (result) {
                EXPECT_TRUE(validateModel(result->model));
            }
        }
        FileSpec cut = file;
        cut.operators[0].customOptions.resize(i);
        EXPECT_FALSE(importTflite(serialize(cut))) << i;
    }
}

}  // namespace
}  // namespace nnburst::control_test
