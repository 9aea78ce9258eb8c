// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/model_builder.h"

#include <gtest/gtest.h>

#include <cstring>

#include "nnburst/validation.h"

namespace nnburst {
namespace {

/// The bytes of a constant of the main subgraph.
std::vector<std::byte> constantBytes(const Model& model, std::uint32_t index) {
    const Operand& operand = model.main.operands[index];
    std::vector<std::byte> bytes(operand.location.length);
    if (operand.lifetime == OperandLifeTime::CONSTANT_COPY) {
        std::memcpy(bytes.data(), model.operandValues.data() + operand.location.offset,
                    bytes.size());
    } else {
        const auto mapping = Mapping::map(model.pools[operand.location.poolIndex]);
        EXPECT_TRUE(mapping);
        std::memcpy(bytes.data(), mapping->data() + operand.location.offset, bytes.size());
    }
    return bytes;
}

std::vector<std::byte> pattern(std::size_t sizeBytes, int seed) {
    std::vector<std::byte> bytes(sizeBytes);
    for (std::size_t i = 0; i < sizeBytes; ++i) {
        bytes[i] = static_cast<std::byte>(static_cast<int>(i) * 7 + seed);
    }
    return bytes;
}

TEST(ModelBuilder, findsOutLifetimesAndConsumers) {
    ModelBuilder builder;
    const auto input = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
    const auto hidden = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
    const auto output = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
    const auto activation = builder.addScalar(std::int32_t{0});
    const auto omitted = builder.addOmitted(OperandType::TENSOR_QUANT8_ASYMM);
    builder.addOperation(OperationType::ADD, {input, input, activation}, {hidden});
    builder.addOperation(OperationType::MUL, {input, hidden, activation, omitted}, {output});
    const Result<Model> model = builder.build({input}, {output});
    ASSERT_TRUE(model) << model.error().message;

    const auto& operands = model->main.operands;
    EXPECT_EQ(operands[input].lifetime, OperandLifeTime::SUBGRAPH_INPUT);
    EXPECT_EQ(operands[input].numberOfConsumers, 3U);
    EXPECT_EQ(operands[hidden].lifetime, OperandLifeTime::TEMPORARY_VARIABLE);
    EXPECT_EQ(operands[hidden].numberOfConsumers, 1U);
    EXPECT_EQ(operands[output].lifetime, OperandLifeTime::SUBGRAPH_OUTPUT);
    EXPECT_EQ(operands[output].numberOfConsumers, 0U);
    EXPECT_EQ(operands[activation].lifetime, OperandLifeTime::CONSTANT_COPY);
    EXPECT_EQ(operands[omitted].lifetime, OperandLifeTime::NO_VALUE);
    EXPECT_TRUE(model->pools.empty());
    EXPECT_TRUE(validateModel(*model));
}

TEST(ModelBuilder, putsLargeConstantsIntoOnePoolAndSmallOnesIntoTheModel) {
    constexpr auto kLarge = static_cast<std::uint32_t>(ModelBuilder::kReferenceThresholdBytes);
    ModelBuilder builder;
    const auto input = builder.addTensor(OperandType::TENSOR_BOOL8, {1});
    const auto output = builder.addTensor(OperandType::TENSOR_BOOL8, {1});
    std::vector<std::uint32_t> constants;
    const std::vector<std::uint32_t> sizes{1, kLarge - 1, kLarge, kLarge + 1, 3, 2 * kLarge};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        constants.push_back(builder.addConstant(OperandType::TENSOR_BOOL8, {sizes[i]},
                                                pattern(sizes[i], static_cast<int>(i))));
    }
    builder.addOperation(OperationType::ADD, {input}, {output});
    const Result<Model> model = builder.build({input}, {output});
    ASSERT_TRUE(model) << model.error().message;

    EXPECT_EQ(model->pools.size(), 1U);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Operand& operand = model->main.operands[constants[i]];
        const bool isLarge = sizes[i] >= kLarge;
        EXPECT_EQ(operand.lifetime,
                  isLarge ? OperandLifeTime::CONSTANT_REFERENCE : OperandLifeTime::CONSTANT_COPY);
        EXPECT_EQ(operand.location.offset % (isLarge ? 64 : 16), 0U);
        EXPECT_EQ(constantBytes(*model, constants[i]), pattern(sizes[i], static_cast<int>(i)));
    }
}

TEST(ModelBuilder, keepsScalarsAndQuantisation) {
    ModelBuilder builder;
    const auto input = builder.addTensor(OperandType::TENSOR_QUANT8_ASYMM, {1, 0}, 0.5F, 128);
    const auto output = builder.addTensor(OperandType::TENSOR_QUANT8_ASYMM, {}, 0.25F, 3);
    const auto integer = builder.addScalar(std::int32_t{-2});
    const auto real = builder.addScalar(1.5F);
    const auto boolean = builder.addScalar(true);
    const SymmPerChannelQuantParams channels{{0.5F, 0.25F}, 0};
    const auto filter = builder.addConstant(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 1},
                                            pattern(2, 1), 0.0F, 0, channels);
    builder.addOperation(OperationType::ADD, {input, filter, integer, real, boolean}, {output});
    const Result<Model> model = builder.build({input}, {output});
    ASSERT_TRUE(model) << model.error().message;

    const auto& operands = model->main.operands;
    EXPECT_EQ(operands[input].scale, 0.5F);
    EXPECT_EQ(operands[input].zeroPoint, 128);
    EXPECT_EQ(operands[input].dimensions, (Dimensions{1, 0}));
    EXPECT_EQ(operands[filter].extraParams, OperandExtraParams(channels));
    EXPECT_EQ(operands[integer].type, OperandType::INT32);
    EXPECT_EQ(operands[real].type, OperandType::FLOAT32);
    EXPECT_EQ(operands[boolean].type, OperandType::BOOL);
    std::int32_t integerValue = 0;
    std::memcpy(&integerValue, constantBytes(*model, integer).data(), sizeof integerValue);
    EXPECT_EQ(integerValue, -2);
    float realValue = 0;
    std::memcpy(&realValue, constantBytes(*model, real).data(), sizeof realValue);
    EXPECT_EQ(realValue, 1.5F);
    EXPECT_EQ(constantBytes(*model, boolean), std::vector{std::byte{1}});
}

TEST(ModelBuilder, refusesModelsThatAreNotValid) {
    ModelBuilder builder;
    const auto input = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
    const auto constant = builder.addConstant(OperandType::TENSOR_FLOAT32, {2}, pattern(7, 0));
    const auto output = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
    builder.addOperation(OperationType::ADD, {input, constant}, {output});
    const Result<Model> model = builder.build({input}, {output});
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(model.error().message,
              "main subgraph: operand 1 (TENSOR_FLOAT32): length 7: must be 8 bytes, the size of "
              "dimensions 2");
}

TEST(ModelBuilder, refusesIndexesThatNameNothingOrAConstant) {
    for (const std::uint32_t wrong : {1U, 9U}) {
        ModelBuilder builder;
        const auto input = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
        builder.addScalar(std::int32_t{0});
        const auto output = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
        builder.addOperation(OperationType::ADD, {input, 9}, {output});
        EXPECT_FALSE(builder.build({input, wrong}, {output})) << wrong;
    }
}

TEST(ModelBuilder, isEmptyAfterBuild) {
    ModelBuilder builder;
    builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
    builder.addScalar(1.0F);
    EXPECT_FALSE(builder.build({}, {}));
    const auto input = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
    const auto output = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
    EXPECT_EQ(input, 0U);
    builder.addOperation(OperationType::FLOOR, {input}, {output});
    const Result<Model> model = builder.build({input}, {output});
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_TRUE(model->operandValues.empty());
}

}  // namespace
}  // namespace nnburst
