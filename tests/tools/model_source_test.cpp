// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/model_source.h"

namespace nnburst::tools {
namespace {

const Operand& inputOf(const TfliteModel& model, std::size_t index = 0) {
    return model.model.main.operands.at(model.model.main.inputIndexes.at(index));
}

TEST(LoadModel, buildsTheMobileNetThatItsNameDescribes) {
    const auto model = loadModel("builtin:mobilenet_v1_0.5_160_quant");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(inputOf(*model).dimensions, (Dimensions{1, 160, 160, 3}));
    EXPECT_EQ(inputOf(*model).type, OperandType::TENSOR_QUANT8_ASYMM);
    EXPECT_EQ(model->inputNames.size(), 1U);
    EXPECT_EQ(model->outputNames.size(), 1U);
    EXPECT_TRUE(model->states.empty());
}

TEST(LoadModel, knowsTheStatesOfTheLstm) {
    const auto model = loadModel("builtin:lstm");
    ASSERT_TRUE(model) << model.error().message;
    const Subgraph& main = model->model.main;
    EXPECT_EQ(main.inputIndexes.size(), model->inputNames.size() + model->states.size());
    for (const ModelState& state : model->states) {
        EXPECT_EQ(main.operands.at(main.inputIndexes.at(state.input)).dimensions,
                  main.operands.at(main.outputIndexes.at(state.output)).dimensions);
    }
}

TEST(LoadModel, refusesUnknownNames) {
    for (const char* name :
         {"builtin:", "builtin:resnet", "builtin:mobilenet_v1_", "builtin:mobilenet_v1_0.25",
          "builtin:mobilenet_v1_0.25_128x", "builtin:mobilenet_v1_0.25_128_quant8",
          "builtin:mobilenet_v1_9_128", "builtin:mobilenet_v1_nan_128"}) {
        const auto model = loadModel(name);
        ASSERT_FALSE(model) << name;
        EXPECT_EQ(model.error().status, ErrorStatus::INVALID_ARGUMENT) << name;
    }
}

TEST(LoadModel, refusesSignaturesOfBuiltinModels) {
    EXPECT_EQ(loadModel("builtin:lstm", {.signature = "run"}).error().message,
              "signature \"run\": builtin:lstm has no signatures");
}

TEST(LoadModel, refusesDimensionsForBuiltinModels) {
    EXPECT_EQ(
        loadModel("builtin:lstm", {.inputDimensions = {{"features", {1, 64}}}}).error().message,
        "dimensions for input \"features\": builtin:lstm leaves no sizes open");
}

TEST(LoadModel, takesEverythingElseForAFile) {
    EXPECT_EQ(loadModel("no-such.tflite").error().message,
              "cannot read no-such.tflite: No such file or directory");
}

}  // namespace
}  // namespace nnburst::tools
