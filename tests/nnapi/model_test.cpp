// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Models: building them, each argument and each state.

#include <android/NeuralNetworksOEM.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "api.h"

namespace nnburst::nnapi {
namespace {

class NnapiModel : public testing::Test {
  protected:
    void add(const Type& type) {
        ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), type.get()), kNoError);
    }
    /// Adds `count` operands of two floats.
    void addTensors(int count) {
        for (int i = 0; i < count; ++i) {
            add(floats);
        }
    }
    int addOperation(ANeuralNetworksOperationType type, const std::vector<std::uint32_t>& inputs,
                     const std::vector<std::uint32_t>& outputs) {
        return ANeuralNetworksModel_addOperation(
            model.get(), type, static_cast<std::uint32_t>(inputs.size()), inputs.data(),
            static_cast<std::uint32_t>(outputs.size()), outputs.data());
    }
    int identify(const std::vector<std::uint32_t>& inputs,
                 const std::vector<std::uint32_t>& outputs) {
        return ANeuralNetworksModel_identifyInputsAndOutputs(
            model.get(), static_cast<std::uint32_t>(inputs.size()), inputs.data(),
            static_cast<std::uint32_t>(outputs.size()), outputs.data());
    }
    int setFloats(std::int32_t index, const std::vector<float>& values) {
        return ANeuralNetworksModel_setOperandValue(model.get(), index, values.data(),
                                                    values.size() * sizeof(float));
    }
    int finish() { return ANeuralNetworksModel_finish(model.get()); }

    const Type floats{ANEURALNETWORKS_TENSOR_FLOAT32, {2}};
    const Type scalar{ANEURALNETWORKS_FLOAT32};
    const Type reference{ANEURALNETWORKS_MODEL};
    Model model = newModel();
};

TEST_F(NnapiModel, isNotCreatedIntoNull) {
    EXPECT_EQ(ANeuralNetworksModel_create(nullptr), kUnexpectedNull);
}

TEST_F(NnapiModel, thatIsNullIsFreedWithoutEffect) {
    ANeuralNetworksModel_free(nullptr);
}

TEST_F(NnapiModel, thatIsNotFinishedIsFreed) {
    addTensors(3);
    model.reset();
}

TEST_F(NnapiModel, thatIsNullIsRefusedByEachFunction) {
    const std::uint32_t index = 0;
    const float value = 0;
    std::int32_t type = 0;
    EXPECT_EQ(ANeuralNetworksModel_finish(nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_addOperand(nullptr, floats.get()), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(nullptr, 0, &value, sizeof(value)),
              kUnexpectedNull);
    EXPECT_EQ(
        ANeuralNetworksModel_addOperation(nullptr, ANEURALNETWORKS_RELU, 1, &index, 1, &index),
        kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(nullptr, 1, &index, 1, &index),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_relaxComputationFloat32toFloat16(nullptr, true),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(nullptr, "org.example.none", 0, &type),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(nullptr, "org.example.none", 0, &type),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(nullptr, 0, &value, sizeof(value)),
              kUnexpectedNull);
}

// ---- addOperand

TEST_F(NnapiModel, refusesAnOperandWithoutType) {
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), nullptr), kUnexpectedNull);
}

TEST_F(NnapiModel, refusesATypeThatDoesNotExist) {
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), Type(16).get()), kBadData);
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), Type(-1).get()), kBadData);
}

TEST_F(NnapiModel, refusesAScalarWithDimensions) {
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), Type(ANEURALNETWORKS_INT32, {2}).get()),
              kBadData);
}

TEST_F(NnapiModel, refusesDimensionsThatAreNotOfTheirCount) {
    const std::uint32_t size = 2;
    ANeuralNetworksOperandType type{.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                    .dimensionCount = 1,
                                    .dimensions = nullptr,
                                    .scale = 0,
                                    .zeroPoint = 0};
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), &type), kBadData);
    type.dimensionCount = 0;
    type.dimensions = &size;
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), &type), kBadData);
}

TEST_F(NnapiModel, refusesATensorOfMoreThan4GiB) {
    const Type wide(ANEURALNETWORKS_TENSOR_FLOAT32, {std::numeric_limits<std::uint32_t>::max()});
    const Type product(ANEURALNETWORKS_TENSOR_FLOAT32, {1U << 16, 1U << 16, 4});
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), wide.get()), kBadData);
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), product.get()), kBadData);
}

TEST_F(NnapiModel, refusesAScaleBelow0) {
    const Type type(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, -1, 0);
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), type.get()), kBadData);
}

TEST_F(NnapiModel, refusesAZeroPointOutsideOfTheElementType) {
    for (const std::int32_t zeroPoint : {-1, 256}) {
        const Type type(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 1, zeroPoint);
        EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), type.get()), kBadData) << zeroPoint;
    }
    for (const std::int32_t zeroPoint : {-129, 128}) {
        const Type type(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {2}, 1, zeroPoint);
        EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), type.get()), kBadData) << zeroPoint;
    }
}

TEST_F(NnapiModel, takesATensorOfUnknownRankOrSize) {
    add(Type(ANEURALNETWORKS_TENSOR_FLOAT32));
    add(Type(ANEURALNETWORKS_TENSOR_FLOAT32, {0, 3}));
}

TEST_F(NnapiModel, copiesTheDimensionsOfAnOperand) {
    std::uint32_t size = 2;
    const ANeuralNetworksOperandType type{.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                          .dimensionCount = 1,
                                          .dimensions = &size,
                                          .scale = 0,
                                          .zeroPoint = 0};
    ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), &type), kNoError);
    size = 99;
    EXPECT_EQ(setFloats(0, {1, 2}), kNoError);
}

TEST_F(NnapiModel, takesOperandsOfDeviceMakers) {
    add(Type(ANEURALNETWORKS_OEM_SCALAR));
    add(Type(ANEURALNETWORKS_TENSOR_OEM_BYTE, {4}));
    const char bytes[20] = {};
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 0, bytes, sizeof(bytes)), kNoError);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 1, bytes, 4), kNoError);
}

// ---- setOperandValue

TEST_F(NnapiModel, refusesAValueOfAnotherSize) {
    add(floats);
    EXPECT_EQ(setFloats(0, {1}), kBadData);
    EXPECT_EQ(setFloats(0, {1, 2, 3}), kBadData);
    EXPECT_EQ(setFloats(0, {1, 2}), kNoError);
}

TEST_F(NnapiModel, refusesAValueOfAnOperandThatDoesNotExist) {
    add(floats);
    EXPECT_EQ(setFloats(1, {1, 2}), kBadData);
    EXPECT_EQ(setFloats(-1, {1, 2}), kBadData);
}

TEST_F(NnapiModel, refusesANullValueWithALength) {
    add(floats);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 0, nullptr, 8), kUnexpectedNull);
}

TEST_F(NnapiModel, takesANullValueForAnInputThatIsLeftOut) {
    add(floats);
    add(scalar);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 0, nullptr, 0), kNoError);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 1, nullptr, 0), kNoError);
}

TEST_F(NnapiModel, refusesAValueOfUnknownDimensions) {
    add(Type(ANEURALNETWORKS_TENSOR_FLOAT32, {0}));
    EXPECT_EQ(setFloats(0, {1, 2}), kBadData);
}

/// Computes a RELU of `input` in a finished model with one input and one output.
std::vector<float> compute(ANeuralNetworksModel* model, const std::vector<float>& input) {
    const Compilation compilation = newCompilation(model);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    const Execution execution = newExecution(compilation.get());
    std::vector<float> output(input.size());
    EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, input.data(),
                                                input.size() * sizeof(float)),
              kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output.data(),
                                                 output.size() * sizeof(float)),
              kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kNoError);
    return output;
}

TEST_F(NnapiModel, copiesAShortValueAtOnce) {
    addTensors(2);
    add(kInt32);
    add(floats);
    std::vector<float> value{10, 20};
    ASSERT_EQ(setFloats(1, value), kNoError);
    value = {-1, -1};
    const std::int32_t none = 0;
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, &none, sizeof(none)), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ADD, {0, 1, 2}, {3}), kNoError);
    ASSERT_EQ(identify({0}, {3}), kNoError);
    ASSERT_EQ(finish(), kNoError);
    EXPECT_EQ(compute(model.get(), {1, 2}), (std::vector<float>{11, 22}));
}

TEST_F(NnapiModel, usesALongValueInPlaceUntilItIsFinished) {
    constexpr std::uint32_t kCount = 100;  // more than 128 bytes
    const Type many(ANEURALNETWORKS_TENSOR_FLOAT32, {kCount});
    add(many);
    add(many);
    add(kInt32);
    add(many);
    std::vector<float> value(kCount, 0);
    ASSERT_EQ(setFloats(1, value), kNoError);
    value.assign(kCount, 5);  // the same memory
    const std::int32_t none = 0;
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, &none, sizeof(none)), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ADD, {0, 1, 2}, {3}), kNoError);
    ASSERT_EQ(identify({0}, {3}), kNoError);
    ASSERT_EQ(finish(), kNoError);
    EXPECT_EQ(compute(model.get(), std::vector<float>(kCount, 1)), std::vector<float>(kCount, 6));
}

/// The first one need not be there any more when the model is finished.
TEST_F(NnapiModel, takesTheLastOfTwoLongValues) {
    constexpr std::uint32_t kCount = 100;  // more than 128 bytes
    const Type many(ANEURALNETWORKS_TENSOR_FLOAT32, {kCount});
    add(many);
    add(many);
    add(kInt32);
    add(many);
    ASSERT_EQ(setFloats(1, std::vector<float>(kCount, 7)), kNoError);
    const std::vector<float> last(kCount, 5);
    ASSERT_EQ(setFloats(1, last), kNoError);
    const std::int32_t none = 0;
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, &none, sizeof(none)), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ADD, {0, 1, 2}, {3}), kNoError);
    ASSERT_EQ(identify({0}, {3}), kNoError);
    ASSERT_EQ(finish(), kNoError);
    EXPECT_EQ(compute(model.get(), std::vector<float>(kCount, 1)), std::vector<float>(kCount, 6));
}

TEST_F(NnapiModel, takesTheLastOfTwoValues) {
    addTensors(2);
    add(kInt32);
    add(floats);
    ASSERT_EQ(setFloats(1, {7, 7}), kNoError);
    ASSERT_EQ(setFloats(1, {10, 20}), kNoError);
    const std::int32_t none = 0;
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, &none, sizeof(none)), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ADD, {0, 1, 2}, {3}), kNoError);
    ASSERT_EQ(identify({0}, {3}), kNoError);
    ASSERT_EQ(finish(), kNoError);
    EXPECT_EQ(compute(model.get(), {1, 2}), (std::vector<float>{11, 22}));
}

// ---- setOperandValueFromMemory

class NnapiModelMemory : public NnapiModel {
  protected:
    int setFromMemory(std::int32_t index, std::size_t offset, std::size_t length) {
        return ANeuralNetworksModel_setOperandValueFromMemory(model.get(), index, memory.get(),
                                                              offset, length);
    }

    static constexpr std::size_t kSizeBytes = 20;
    MappedMemory memory{kSizeBytes};
};

TEST_F(NnapiModelMemory, isAValue) {
    addTensors(2);
    add(kInt32);
    add(floats);
    memory.floats()[2] = 10;
    memory.floats()[3] = 20;
    ASSERT_EQ(setFromMemory(1, 8, 8), kNoError);
    const std::int32_t none = 0;
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, &none, sizeof(none)), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ADD, {0, 1, 2}, {3}), kNoError);
    ASSERT_EQ(identify({0}, {3}), kNoError);
    ASSERT_EQ(finish(), kNoError);
    EXPECT_EQ(compute(model.get(), {1, 2}), (std::vector<float>{11, 22}));
}

TEST_F(NnapiModelMemory, replacesALongValue) {
    constexpr std::uint32_t kCount = 100;  // more than 128 bytes
    const Type many(ANEURALNETWORKS_TENSOR_FLOAT32, {kCount});
    add(many);
    add(many);
    add(kInt32);
    add(many);
    const std::vector<float> first(kCount, 7);
    ASSERT_EQ(setFloats(1, first), kNoError);
    constexpr std::size_t kBytes = kCount * sizeof(float);
    const MappedMemory last(kBytes);
    std::fill_n(last.floats(), kCount, 5.0F);
    ASSERT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), 1, last.get(), 0, kBytes),
              kNoError);
    const std::int32_t none = 0;
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, &none, sizeof(none)), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ADD, {0, 1, 2}, {3}), kNoError);
    ASSERT_EQ(identify({0}, {3}), kNoError);
    ASSERT_EQ(finish(), kNoError);
    EXPECT_EQ(compute(model.get(), std::vector<float>(kCount, 1)), std::vector<float>(kCount, 6));
}

TEST_F(NnapiModelMemory, isRefusedIfNull) {
    add(floats);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), 0, nullptr, 0, 8),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(nullptr, 0, memory.get(), 0, 8),
              kUnexpectedNull);
}

TEST_F(NnapiModelMemory, isRefusedForAnOperandThatDoesNotExist) {
    add(floats);
    EXPECT_EQ(setFromMemory(1, 0, 8), kBadData);
    EXPECT_EQ(setFromMemory(-1, 0, 8), kBadData);
}

TEST_F(NnapiModelMemory, isRefusedWithALengthThatIsNotTheOperands) {
    add(floats);
    EXPECT_EQ(setFromMemory(0, 0, kSizeBytes), kBadData);
    EXPECT_EQ(setFromMemory(0, 0, 4), kBadData);
}

TEST_F(NnapiModelMemory, isRefusedBeyondItsEnd) {
    add(floats);
    EXPECT_EQ(setFromMemory(0, kSizeBytes - 7, 8), kBadData);
    EXPECT_EQ(setFromMemory(0, kSizeBytes + 1, 8), kBadData);
    EXPECT_EQ(setFromMemory(0, SIZE_MAX - 3, 8), kBadData);
}

// ---- setOperandValueFromModel

TEST_F(NnapiModel, refersToAFinishedModel) {
    const Model value = newAddition();
    add(reference);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), 0, value.get()), kNoError);
}

TEST_F(NnapiModel, doesNotReferToAModelThatIsNotFinished) {
    const Model value = newModel();
    add(reference);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), 0, value.get()),
              kBadState);
}

TEST_F(NnapiModel, doesNotReferToNull) {
    const Model value = newAddition();
    add(reference);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), 0, nullptr),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(nullptr, 0, value.get()),
              kUnexpectedNull);
}

TEST_F(NnapiModel, refersToAModelByAnOperandOfThatTypeAlone) {
    const Model value = newAddition();
    add(floats);
    for (const std::int32_t index : {0, 1, -1}) {
        EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), index, value.get()),
                  kBadData)
            << index;
    }
}

TEST_F(NnapiModel, doesNotTakeBytesForAModel) {
    add(reference);
    const float value = 0;
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 0, &value, sizeof(value)),
              kBadData);
}

TEST_F(NnapiModel, takesTheLastOfTwoModels) {
    const auto newFunction = [&](ANeuralNetworksOperationType type) {
        model = newModel();
        addTensors(2);
        EXPECT_EQ(addOperation(type, {0}, {1}), kNoError);
        EXPECT_EQ(identify({0}, {1}), kNoError);
        EXPECT_EQ(finish(), kNoError);
        return std::move(model);
    };
    const Model relu = newFunction(ANEURALNETWORKS_RELU);
    const Model floor = newFunction(ANEURALNETWORKS_FLOOR);
    model = newModel();
    add(Type(ANEURALNETWORKS_TENSOR_BOOL8, {1}));
    add(reference);
    add(reference);
    addTensors(2);
    const bool isTrue = true;
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 0, &isTrue, 1), kNoError);
    for (const ANeuralNetworksModel* value : {relu.get(), floor.get()}) {
        for (const std::int32_t index : {1, 2}) {
            ASSERT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), index, value),
                      kNoError);
        }
    }
    ASSERT_EQ(addOperation(ANEURALNETWORKS_IF, {0, 1, 2, 3}, {4}), kNoError);
    ASSERT_EQ(identify({3}, {4}), kNoError);
    ASSERT_EQ(finish(), kNoError);
    EXPECT_EQ(compute(model.get(), {-1.5F, 2.5F}), (std::vector<float>{-2, 2}));
}

TEST(NnapiEndlessLoop, endsAtItsLoopTimeout) {
    const EndlessLoop loop;
    const Compilation compilation = newCompilation(loop.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    const Execution execution = newExecution(compilation.get());
    const float input = 0;
    float output = 0;
    ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, &input, 4), kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, &output, 4),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setLoopTimeout(execution.get(), 1'000'000), kNoError);
    const int result = ANeuralNetworksExecution_compute(execution.get());
    EXPECT_TRUE(isMissedDeadline(result)) << result;
}

// ---- setOperandSymmPerChannelQuantParams

class NnapiModelChannels : public NnapiModel {
  protected:
    NnapiModelChannels() { add(Type(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 3})); }

    int set(const ANeuralNetworksSymmPerChannelQuantParams& params, std::int32_t index = 0) {
        return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), index,
                                                                        &params);
    }

    const float scales[3] = {1, 2, 3};
};

TEST_F(NnapiModelChannels, haveAScaleEach) {
    EXPECT_EQ(set({.channelDim = 0, .scaleCount = 2, .scales = scales}), kNoError);
    EXPECT_EQ(set({.channelDim = 1, .scaleCount = 3, .scales = scales}), kNoError);
}

TEST_F(NnapiModelChannels, areNotNull) {
    EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), 0, nullptr),
              kUnexpectedNull);
    const ANeuralNetworksSymmPerChannelQuantParams params{
        .channelDim = 0, .scaleCount = 2, .scales = scales};
    EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(nullptr, 0, &params),
              kUnexpectedNull);
}

TEST_F(NnapiModelChannels, areOfAnOperandThatExists) {
    EXPECT_EQ(set({.channelDim = 0, .scaleCount = 2, .scales = scales}, 1), kBadData);
    EXPECT_EQ(set({.channelDim = 0, .scaleCount = 2, .scales = scales}, -1), kBadData);
}

TEST_F(NnapiModelChannels, lieAlongAnAxisOfTheirCount) {
    EXPECT_EQ(set({.channelDim = 0, .scaleCount = 3, .scales = scales}), kBadData);
    EXPECT_EQ(set({.channelDim = 2, .scaleCount = 2, .scales = scales}), kBadData);
}

TEST_F(NnapiModelChannels, haveScalesAbove0) {
    const float bad[] = {1, 0};
    EXPECT_EQ(set({.channelDim = 0, .scaleCount = 2, .scales = bad}), kBadData);
}

TEST_F(NnapiModelChannels, areOfThatTypeAlone) {
    add(floats);
    EXPECT_EQ(set({.channelDim = 0, .scaleCount = 2, .scales = scales}, 1), kBadData);
}

// ---- addOperation

TEST_F(NnapiModel, refusesAnOperationWithoutOperands) {
    addTensors(2);
    const std::uint32_t index = 0;
    EXPECT_EQ(
        ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_RELU, 0, nullptr, 1, &index),
        kUnexpectedNull);
    EXPECT_EQ(
        ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_RELU, 1, &index, 0, nullptr),
        kUnexpectedNull);
}

TEST_F(NnapiModel, refusesAnOperationThatDoesNotExist) {
    addTensors(2);
    EXPECT_EQ(addOperation(-1, {0}, {1}), kBadData);
    EXPECT_EQ(addOperation(5000, {0}, {1}), kBadData);
}

TEST_F(NnapiModel, refusesAnOperationOnOperandsThatDoNotExist) {
    addTensors(2);
    EXPECT_EQ(addOperation(ANEURALNETWORKS_RELU, {2}, {1}), kBadData);
    EXPECT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {2}), kBadData);
}

TEST_F(NnapiModel, refusesAnOperationWithOperandsOfAnotherType) {
    addTensors(1);
    add(Type(ANEURALNETWORKS_TENSOR_INT32, {2}));
    EXPECT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {1}), kBadData);
}

TEST_F(NnapiModel, refusesAnOperationWithAnotherNumberOfOperands) {
    addTensors(3);
    EXPECT_EQ(addOperation(ANEURALNETWORKS_RELU, {0, 1}, {2}), kBadData);
    EXPECT_EQ(addOperation(ANEURALNETWORKS_ADD, {0, 1}, {2}), kBadData);
}

TEST_F(NnapiModel, staysAsItWasAfterAnOperationThatItRefuses) {
    addTensors(2);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ADD, {0}, {1}), kBadData);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {1}), kNoError);
    ASSERT_EQ(identify({0}, {1}), kNoError);
    EXPECT_EQ(finish(), kNoError);
}

TEST_F(NnapiModel, takesOperationsInAnyOrder) {
    addTensors(4);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_RELU, {2}, {3}), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ABS, {1}, {2}), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_NEG, {0}, {1}), kNoError);
    ASSERT_EQ(identify({0}, {3}), kNoError);
    ASSERT_EQ(finish(), kNoError);
    EXPECT_EQ(compute(model.get(), {1, -2}), (std::vector<float>{1, 2}));
}

// ---- identifyInputsAndOutputs

class NnapiModelArguments : public NnapiModel {
  protected:
    NnapiModelArguments() {
        addTensors(4);
        EXPECT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {1}), kNoError);
    }
};

TEST_F(NnapiModelArguments, areThere) {
    const std::uint32_t index = 0;
    EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 0, nullptr, 1, &index),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, &index, 0, nullptr),
              kUnexpectedNull);
}

TEST_F(NnapiModelArguments, areOperandsThatExist) {
    EXPECT_EQ(identify({4}, {1}), kBadData);
    EXPECT_EQ(identify({0}, {4}), kBadData);
}

TEST_F(NnapiModelArguments, areDifferentOperands) {
    EXPECT_EQ(identify({0, 0}, {1}), kBadData);
    EXPECT_EQ(identify({0}, {1, 1}), kBadData);
    EXPECT_EQ(identify({0}, {0}), kBadData);
    EXPECT_EQ(identify({0, 1}, {1}), kBadData);
}

TEST_F(NnapiModelArguments, areNoConstants) {
    ASSERT_EQ(setFloats(2, {1, 2}), kNoError);
    EXPECT_EQ(identify({2}, {1}), kBadData);
    EXPECT_EQ(identify({0}, {2}), kBadData);
}

// ---- finish

TEST_F(NnapiModel, isFinishedOnce) {
    Model finished = newAddition();
    EXPECT_EQ(ANeuralNetworksModel_finish(finished.get()), kBadState);
}

TEST_F(NnapiModel, withoutAnythingIsNotValid) {
    EXPECT_EQ(finish(), kBadData);
}

TEST_F(NnapiModel, withoutInputsAndOutputsIsNotValid) {
    addTensors(2);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {1}), kNoError);
    EXPECT_EQ(finish(), kBadData);
}

TEST_F(NnapiModel, withAnOperandThatNothingWritesIsNotValid) {
    addTensors(3);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {1}), kNoError);
    ASSERT_EQ(identify({2}, {1}), kNoError);
    EXPECT_EQ(finish(), kBadData);
}

TEST_F(NnapiModel, withAnOperandThatTwoOperationsWriteIsNotValid) {
    addTensors(2);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {1}), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ABS, {0}, {1}), kNoError);
    ASSERT_EQ(identify({0}, {1}), kNoError);
    EXPECT_EQ(finish(), kBadData);
}

TEST_F(NnapiModel, withACycleIsNotValid) {
    addTensors(4);
    add(kInt32);
    const std::int32_t none = 0;
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 4, &none, sizeof(none)), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_ADD, {0, 2, 4}, {1}), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_RELU, {1}, {2}), kNoError);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_RELU, {1}, {3}), kNoError);
    ASSERT_EQ(identify({0}, {3}), kNoError);
    EXPECT_EQ(finish(), kBadData);
}

TEST_F(NnapiModel, withChannelsWithoutScalesIsNotValid) {
    add(Type(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 3}));
    add(Type(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 3}));
    const int added = addOperation(ANEURALNETWORKS_DEQUANTIZE, {0}, {1});
    if (added == kNoError) {
        ASSERT_EQ(identify({0}, {1}), kNoError);
        EXPECT_EQ(finish(), kBadData);
    } else {
        EXPECT_EQ(added, kBadData);
    }
}

/// Every function that changes a model, after it was finished.
TEST_F(NnapiModel, thatIsFinishedCannotBeChanged) {
    const Model value = newAddition();
    const MappedMemory memory(8);
    addTensors(2);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {1}), kNoError);
    ASSERT_EQ(identify({0}, {1}), kNoError);
    ASSERT_EQ(finish(), kNoError);

    const float scale = 1;
    const ANeuralNetworksSymmPerChannelQuantParams params{
        .channelDim = 0, .scaleCount = 1, .scales = &scale};
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), floats.get()), kBadState);
    EXPECT_EQ(setFloats(0, {1, 2}), kBadState);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), 0, memory.get(), 0, 8),
              kBadState);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), 0, value.get()),
              kBadState);
    EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), 0, &params),
              kBadState);
    EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, &scale, 4), kBadState);
    EXPECT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {1}), kBadState);
    EXPECT_EQ(identify({0}, {1}), kBadState);
    EXPECT_EQ(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model.get(), true), kBadState);
    EXPECT_EQ(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model.get(), false), kBadState);
}

TEST_F(NnapiModel, thatWasFoundNotToBeValidCannotBeChanged) {
    addTensors(1);
    ASSERT_EQ(finish(), kBadData);
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), floats.get()), kBadState);
    EXPECT_EQ(setFloats(0, {1, 2}), kBadState);
    EXPECT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {0}), kBadState);
    EXPECT_EQ(finish(), kBadState);
}

TEST_F(NnapiModel, mayBeRelaxed) {
    addTensors(2);
    ASSERT_EQ(addOperation(ANEURALNETWORKS_RELU, {0}, {1}), kNoError);
    ASSERT_EQ(identify({0}, {1}), kNoError);
    EXPECT_EQ(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model.get(), true), kNoError);
    ASSERT_EQ(finish(), kNoError);
    EXPECT_EQ(compute(model.get(), {1, -2}), (std::vector<float>{1, 0}));
}

// ---- Extensions

TEST_F(NnapiModel, refusesNullInExtensionTypes) {
    std::int32_t type = 0;
    EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(model.get(), nullptr, 0, &type),
              kUnexpectedNull);
    EXPECT_EQ(
        ANeuralNetworksModel_getExtensionOperandType(model.get(), "org.example.none", 0, nullptr),
        kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(model.get(), nullptr, 0, &type),
              kUnexpectedNull);
    EXPECT_EQ(
        ANeuralNetworksModel_getExtensionOperationType(model.get(), "org.example.none", 0, nullptr),
        kUnexpectedNull);
}

TEST_F(NnapiModel, hasNoTypesOfAnExtensionThatNoDeviceHas) {
    std::int32_t type = 0;
    EXPECT_EQ(
        ANeuralNetworksModel_getExtensionOperandType(model.get(), "org.example.none", 0, &type),
        kBadData);
    EXPECT_EQ(
        ANeuralNetworksModel_getExtensionOperationType(model.get(), "org.example.none", 0, &type),
        kBadData);
}

TEST_F(NnapiModel, hasExtensionDataOfExtensionTypesAlone) {
    add(floats);
    const std::int32_t data = 42;
    EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, &data, sizeof(data)),
              kBadData);
}

}  // namespace
}  // namespace nnburst::nnapi
