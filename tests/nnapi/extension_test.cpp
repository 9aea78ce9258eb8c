// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A vendor extension of the device in this process, through the C API.

#include <cstring>

#include "api.h"
#include "nnburst/extension.h"

namespace nnburst::nnapi {
namespace {

constexpr const char* kExtension = "org.nnburst.test";
constexpr std::uint16_t kTensorType = 7;
constexpr std::uint16_t kNegate = 3;

/// float[n] to float[n].
class Negate final : public ExtensionOperation {
  public:
    [[nodiscard]] std::uint16_t type() const override { return kNegate; }
    [[nodiscard]] Result<> check(std::span<const ExtensionOperand> inputs,
                                 std::span<const ExtensionOperand> outputs) const override {
        return inputs.size() == 1 && outputs.size() == 1
                   ? Result<>()
                   : failure(ErrorStatus::INVALID_ARGUMENT, "must have one input and one output");
    }
    [[nodiscard]] Result<Dimensions> outputDimensions(std::span<const ExtensionOperand> inputs,
                                                      std::size_t /*output*/) const override {
        return Dimensions(inputs[0].dimensions.begin(), inputs[0].dimensions.end());
    }
    [[nodiscard]] Result<> run(std::span<const ExtensionOperand> inputs,
                               std::span<const ExtensionOperand> outputs,
                               std::span<std::byte> /*scratch*/) const override {
        std::size_t count = 1;
        for (const std::uint32_t size : inputs[0].dimensions) {
            count *= size;
        }
        for (std::size_t i = 0; i < count; ++i) {
            float value = 0;
            std::memcpy(&value, inputs[0].data + i * sizeof(value), sizeof(value));
            value = -value;
            std::memcpy(outputs[0].data + i * sizeof(value), &value, sizeof(value));
        }
        return {};
    }
};

/// Before the first call of the API, with which the runtime asks its devices for their extensions.
const bool kIsRegistered =
    registerExtension({.name = kExtension,
                       .operandTypes = {{.type = kTensorType, .isTensor = true, .byteSize = 2}},
                       .operations = {std::make_shared<Negate>()}})
        .has_value();

class NnapiExtension : public testing::Test {
  protected:
    [[nodiscard]] std::int32_t operandType(std::uint16_t code) const {
        std::int32_t type = 0;
        EXPECT_EQ(
            ANeuralNetworksModel_getExtensionOperandType(model.get(), kExtension, code, &type),
            kNoError);
        return type;
    }

    Model model = newModel();
};

TEST_F(NnapiExtension, isOfADeviceThatHasIt) {
    ASSERT_TRUE(kIsRegistered);
    bool isSupported = false;
    EXPECT_EQ(
        ANeuralNetworksDevice_getExtensionSupport(referenceDevice(), kExtension, &isSupported),
        kNoError);
    EXPECT_TRUE(isSupported);
}

TEST_F(NnapiExtension, numbersItsTypes) {
    std::int32_t operation = 0;
    ASSERT_EQ(ANeuralNetworksModel_getExtensionOperationType(model.get(), kExtension, kNegate,
                                                             &operation),
              kNoError);
    EXPECT_EQ(operation & 0xffff, kNegate);
    EXPECT_GT(operation >> 16, 0);
    EXPECT_EQ(operation >> 16, operandType(kTensorType) >> 16);
    EXPECT_EQ(operandType(kTensorType), operandType(kTensorType));
}

TEST_F(NnapiExtension, hasOperandsWithData) {
    const Type type(operandType(kTensorType), {2});
    ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), type.get()), kNoError);
    const std::int32_t data = 42;
    EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, &data, sizeof(data)),
              kNoError);
    EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, nullptr, 0), kNoError);
    EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, nullptr, 4),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, &data, 0), kBadData);
    EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model.get(), 1, &data, sizeof(data)),
              kBadData);
}

TEST_F(NnapiExtension, hasValuesOfItsElementSize) {
    const Type type(operandType(kTensorType), {2});
    ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), type.get()), kNoError);
    const std::int32_t value = 0;
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 0, &value, 2), kBadData);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 0, &value, 4), kNoError);
}

TEST_F(NnapiExtension, hasNoOperandTypesThatItDoesNotName) {
    const Type type(operandType(kTensorType + 1), {2});
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), type.get()), kBadData);
}

TEST_F(NnapiExtension, hasAnOperationThatIsComputed) {
    std::int32_t operation = 0;
    ASSERT_EQ(ANeuralNetworksModel_getExtensionOperationType(model.get(), kExtension, kNegate,
                                                             &operation),
              kNoError);
    const Type floats(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
    const std::uint32_t indexes[] = {0, 1};
    ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), floats.get()), kNoError);
    ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), floats.get()), kNoError);
    ASSERT_EQ(ANeuralNetworksModel_addOperation(model.get(), operation, 1, indexes, 1, &indexes[1]),
              kNoError);
    ASSERT_EQ(
        ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, indexes, 1, &indexes[1]),
        kNoError);
    ASSERT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
    const Compilation compilation = newCompilation(model.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    for (const Way way : kWays) {
        const TwoFloats input{1, -2};
        TwoFloats output{};
        const Execution execution = newExecution(compilation.get());
        ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, input.data(), 8),
                  kNoError);
        ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output.data(), 8),
                  kNoError);
        EXPECT_EQ(computeBy(way, execution.get(), compilation.get()), kNoError) << toString(way);
        EXPECT_EQ(output, (TwoFloats{-1, 2})) << toString(way);
    }
}

TEST_F(NnapiExtension, hasTensorsWhoseDimensionsMustBeGivenIfTheyAreOpen) {
    std::int32_t operation = 0;
    ASSERT_EQ(ANeuralNetworksModel_getExtensionOperationType(model.get(), kExtension, kNegate,
                                                             &operation),
              kNoError);
    const Type open(operandType(kTensorType));
    const Type two(operandType(kTensorType), {2});
    const std::uint32_t indexes[] = {0, 1};
    ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), open.get()), kNoError);
    ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), open.get()), kNoError);
    ASSERT_EQ(ANeuralNetworksModel_addOperation(model.get(), operation, 1, indexes, 1, &indexes[1]),
              kNoError);
    ASSERT_EQ(
        ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, indexes, 1, &indexes[1]),
        kNoError);
    ASSERT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
    const Compilation compilation = newCompilation(model.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    const Execution execution = newExecution(compilation.get());
    const std::uint16_t values[2] = {};
    EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, values, 4), kBadData);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, two.get(), values, 4),
              kNoError);
}

}  // namespace
}  // namespace nnburst::nnapi
