// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Import of real models, whole and damaged.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "model/operand_info.h"
#include "nnburst/tflite.h"
#include "nnburst/validation.h"
#include "support/shared_data.h"
#include "system/read_file.h"
#include "tflite_file.h"

namespace nnburst::models_test {
namespace {

using OperationCounts = std::map<OperationType, int>;

struct ModelFacts {
    std::string file;
    OperationCounts operations;
    OperandType type;
    Dimensions input;
    Dimensions output;
    std::size_t states;
};

std::ostream& operator<<(std::ostream& stream, const ModelFacts& facts) {
    return stream << facts.file;
}

using enum OperationType;

const ModelFacts kModels[] = {
    {.file = "mobilenet_v1_0.25_128.tflite",
     .operations =
         {{CONV_2D, 15}, {DEPTHWISE_CONV_2D, 13}, {AVERAGE_POOL_2D, 1}, {RESHAPE, 1}, {SOFTMAX, 1}},
     .type = OperandType::TENSOR_FLOAT32,
     .input = {1, 128, 128, 3},
     .output = {1, 1001},
     .states = 0},
    {.file = "mobilenet_v1_0.25_128_quant.tflite",
     .operations =
         {{CONV_2D, 15}, {DEPTHWISE_CONV_2D, 13}, {AVERAGE_POOL_2D, 1}, {RESHAPE, 1}, {SOFTMAX, 1}},
     .type = OperandType::TENSOR_QUANT8_ASYMM,
     .input = {1, 128, 128, 3},
     .output = {1, 1001},
     .states = 0},
    {.file = "mobilenet_v2_1.0_224_quant.tflite",
     .operations =
         {{CONV_2D, 36}, {DEPTHWISE_CONV_2D, 17}, {ADD, 10}, {AVERAGE_POOL_2D, 1}, {RESHAPE, 1}},
     .type = OperandType::TENSOR_QUANT8_ASYMM,
     .input = {1, 224, 224, 3},
     .output = {1, 1001},
     .states = 0},
    {.file = "tts_float.tflite",
     .operations = {{FULLY_CONNECTED, 2}, {LSTM, 3}, {RNN, 1}},
     .type = OperandType::TENSOR_FLOAT32,
     .input = {1, 334},
     .output = {1, 196},
     .states = 7},
};

class TfliteModelFile : public testing::TestWithParam<ModelFacts> {};

TEST_P(TfliteModelFile, becomesAValidModelWithAllOperationsAndShapes) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const auto imported = loadTflite(shared / "models" / GetParam().file);
    ASSERT_TRUE(imported) << imported.error().message;
    const Subgraph& main = imported->model.main;
    EXPECT_TRUE(validateModel(imported->model));
    OperationCounts operations;
    for (const Operation& operation : main.operations) {
        ++operations[operation.type];
    }
    EXPECT_EQ(operations, GetParam().operations);
    const Operand& input = main.operands.at(main.inputIndexes.at(0));
    EXPECT_EQ(input.type, GetParam().type);
    EXPECT_EQ(input.dimensions, GetParam().input);
    EXPECT_EQ(main.operands.at(main.outputIndexes.at(0)).dimensions, GetParam().output);
    EXPECT_EQ(imported->states.size(), GetParam().states);
    EXPECT_EQ(main.inputIndexes.size(), 1 + GetParam().states);
    EXPECT_EQ(main.outputIndexes.size(), 1 + GetParam().states);
    EXPECT_LE(imported->model.pools.size(), 1U);
    for (const Operand& operand : main.operands) {
        if (operand.lifetime != OperandLifeTime::NO_VALUE) {
            EXPECT_TRUE(isFullySpecified(operand.type, operand.dimensions));
        }
    }
}

TEST_P(TfliteModelFile, isRefusedWhenItIsCutOffAnywhere) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    const auto file = system::readFile(shared / "models" / GetParam().file, SIZE_MAX);
    ASSERT_TRUE(file) << file.error().message;
    constexpr std::size_t kCuts = 1000;
    for (std::size_t i = 0; i < kCuts; ++i) {
        // Copied, so that the address sanitizer sees where it ends.
        const std::vector<std::byte> cut(
            file->begin(), file->begin() + static_cast<std::ptrdiff_t>(file->size() / kCuts * i));
        const auto imported = importTflite(cut);
        ASSERT_FALSE(imported) << "cut to " << cut.size() << " bytes";
        ASSERT_EQ(imported.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

INSTANTIATE_TEST_SUITE_P(Shared, TfliteModelFile, testing::ValuesIn(kModels), [](const auto& test) {
    std::string name = test.param.file;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
    return name;
});

/// Imports `file` with random bytes from `begin` on changed, many times. Whatever comes out must be
/// a valid model or an INVALID_ARGUMENT with a message.
void importCorrupted(const std::vector<std::byte>& file, std::size_t begin, int imports) {
    const auto seed = static_cast<std::uint32_t>(testing::UnitTest::GetInstance()->random_seed());
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::size_t> anyPlace(begin, file.size() - 1);
    for (int i = 0; i < imports; ++i) {
        std::vector<std::byte> corrupted = file;
        const std::size_t changes = 1 + random() % 8;
        for (std::size_t change = 0; change < changes; ++change) {
            corrupted[anyPlace(random)] = static_cast<std::byte>(random());
        }
        const auto imported = importTflite(corrupted);
        if (imported) {
            ASSERT_TRUE(validateModel(imported->model)) << "import " << i;
        } else {
            ASSERT_EQ(imported.error().status, ErrorStatus::INVALID_ARGUMENT)
                << "import " << i << ": " << imported.error().message;
            ASSERT_FALSE(imported.error().message.empty());
        }
    }
}

TEST(TfliteCorruption, ofASmallFileNeverCrashes) {
    const std::vector<std::byte> file = tflite::serialize(tflite::addFile());
    importCorrupted(file, 0, 20'000);
}

TEST(TfliteCorruption, ofARealModelNeverCrashes) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    for (const char* name : {"tts_float.tflite", "mobilenet_v1_0.25_128_quant.tflite"}) {
        SCOPED_TRACE(name);
        const auto file = system::readFile(shared / "models" / name, SIZE_MAX);
        ASSERT_TRUE(file) << file.error().message;
        // Their tables follow the weights, of which any value is good.
        constexpr std::size_t kTableBytes = 13'000;
        importCorrupted(*file, file->size() - kTableBytes, 2'000);
    }
}

}  // namespace
}  // namespace nnburst::models_test
