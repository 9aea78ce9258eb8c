// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Import of operators that run subgraphs, and of the custom operator that is known.

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

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

TEST(TfliteControl, runsASubgraphAgainAndAgain) {
    const TfliteModel result = imported(whileFile());
    EXPECT_EQ(operationsOf(result), Operations{WHILE});
    ASSERT_EQ(result.model.referenced.size(), 2U);
    EXPECT_EQ(result.model.referenced[0].operations.at(0).type, LESS);
    EXPECT_EQ(outputOf(result).dimensions, Dimensions{1});
    expectComputes<std::int32_t, std::int32_t>(whileFile(), {{2}}, {{11}});
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

FileSpec detectionFile(const OptionsMap& change = {}, int classesPerDetection = 1) {
    FileSpec file = operatorFile(Code::CUSTOM, {real({1, 6, 4}), real({1, 6, 3}), real({6, 4})},
                                 {real({1, 3, 4}), real({1, 3}), real({1, 3}), real({1})});
    file.codes[0].customName = "TFLite_Detection_PostProcess";
    flexbuffers::Builder builder;
    builder.Map([&] {
        builder.Int("max_detections", 3);
        builder.Int("max_classes_per_detection", classesPerDetection);
        builder.Int("num_classes", 2);
        builder.Float("nms_score_threshold", 0.25F);
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
    EXPECT_EQ(valueOf<float>(result, inputAt(result, 11)), 0.25F);
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
    file.tensors[1].shape = {1, 6, 2};
    EXPECT_EQ(
        refusal(file),
        prefix + "2 classes with scores of shape 1x6x2: scores must have one more, the background");
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
