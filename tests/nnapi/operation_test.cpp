// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What an operation takes when it is added: types, numbers and ranks of operands, while values and
/// sizes that do not fit each other are a matter of the compilation.

#include <algorithm>
#include <string>
#include <vector>

#include "api.h"

namespace nnburst::nnapi {
namespace {

/// One operand: a type, its dimensions and its scale.
struct OperandOfTest {
    std::int32_t type;
    std::vector<std::uint32_t> dimensions;
    float scale = 0;
};

constexpr float kScale = 1.0F / 256;

OperandOfTest tensor(std::int32_t type, std::vector<std::uint32_t> dimensions) {
    const bool isQuantized = type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
                             type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED ||
                             type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM ||
                             type == ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
    return {type, std::move(dimensions), isQuantized ? kScale : 0};
}

std::vector<OperandOfTest> repeated(std::size_t count, const OperandOfTest& operand) {
    return std::vector<OperandOfTest>(count, operand);
}

std::vector<OperandOfTest> together(const std::vector<std::vector<OperandOfTest>>& lists) {
    std::vector<OperandOfTest> operands;
    for (const auto& list : lists) {
        operands.insert(operands.end(), list.begin(), list.end());
    }
    return operands;
}

const OperandOfTest kInteger{ANEURALNETWORKS_INT32, {}};
const OperandOfTest kReal{ANEURALNETWORKS_FLOAT32, {}};
const OperandOfTest kBool{ANEURALNETWORKS_BOOL, {}};

/// The operands of an operation, as a program may give them.
struct Signature {
    std::string name;
    ANeuralNetworksOperationType type;
    std::vector<OperandOfTest> inputs;
    std::vector<OperandOfTest> outputs;
};

/// Adds the operands, of which each is another one, and then the operation.
int add(const Signature& signature) {
    const Model model = newModel();
    std::vector<std::uint32_t> indexes;
    for (const auto* operands : {&signature.inputs, &signature.outputs}) {
        for (const OperandOfTest& operand : *operands) {
            const Type type(operand.type, operand.dimensions, operand.scale);
            if (ANeuralNetworksModel_addOperand(model.get(), type.get()) != kNoError) {
                return kBadData;
            }
            indexes.push_back(static_cast<std::uint32_t>(indexes.size()));
        }
    }
    const std::size_t inputs = signature.inputs.size();
    return ANeuralNetworksModel_addOperation(
        model.get(), signature.type, static_cast<std::uint32_t>(inputs), indexes.data(),
        static_cast<std::uint32_t>(indexes.size() - inputs), indexes.data() + inputs);
}

std::vector<Signature> signatures() {
    const auto floats = [](std::vector<std::uint32_t> dimensions) {
        return tensor(ANEURALNETWORKS_TENSOR_FLOAT32, std::move(dimensions));
    };
    const auto bytes = [](std::vector<std::uint32_t> dimensions) {
        return tensor(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, std::move(dimensions));
    };
    const auto integers = [](std::vector<std::uint32_t> dimensions) {
        return tensor(ANEURALNETWORKS_TENSOR_INT32, std::move(dimensions));
    };
    const auto halves = [](std::vector<std::uint32_t> dimensions) {
        return tensor(ANEURALNETWORKS_TENSOR_FLOAT16, std::move(dimensions));
    };
    const std::vector<OperandOfTest> convolution = {bytes({2, 4, 4, 2}), bytes({2, 4, 4, 2}),
                                                    integers({2})};
    return {
        {"convolution",
         ANEURALNETWORKS_CONV_2D,
         together({convolution, repeated(4, kInteger), {kBool}}),
         {bytes({2, 4, 4, 2})}},
        {"convolutionWithPaddings",
         ANEURALNETWORKS_CONV_2D,
         together({convolution, repeated(7, kInteger), {kBool}}),
         {bytes({2, 4, 4, 2})}},
        {"convolutionOfUnknownShapes",
         ANEURALNETWORKS_CONV_2D,
         together({{floats({}), floats({0, 0, 0, 0}), floats({})}, repeated(4, kInteger)}),
         {floats({})}},
        {"concatenation",
         ANEURALNETWORKS_CONCATENATION,
         together({repeated(3, floats({2, 2})), {kInteger}}),
         {floats({2, 6})}},
        {"resizeToFactors",
         ANEURALNETWORKS_RESIZE_BILINEAR,
         {floats({2, 2, 2, 2}), kReal, kReal, kBool},
         {floats({2, 2, 2, 2})}},
        {"split",
         ANEURALNETWORKS_SPLIT,
         {floats({2, 2}), kInteger, kInteger},
         {floats({1, 2}), floats({1, 2})}},
        {"lstm", ANEURALNETWORKS_LSTM,
         together({repeated(20, floats({5, 5})), {kInteger, kReal, kReal}}),
         repeated(4, floats({5, 5}))},
        {"padWithHalves",
         ANEURALNETWORKS_PAD_V2,
         {halves({2, 2}), integers({2, 2}), {ANEURALNETWORKS_FLOAT16, {}}},
         {halves({3, 3})}},
        {"quantizedLstm",
         ANEURALNETWORKS_QUANTIZED_LSTM,
         together({{tensor(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {5, 5})},
                   repeated(8, tensor(ANEURALNETWORKS_TENSOR_QUANT8_SYMM, {5, 5})),
                   repeated(3, tensor(ANEURALNETWORKS_TENSOR_QUANT16_SYMM, {5})),
                   repeated(4, integers({5})),
                   {tensor(ANEURALNETWORKS_TENSOR_QUANT8_SYMM, {5, 5}), integers({5}),
                    tensor(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {5, 5}),
                    tensor(ANEURALNETWORKS_TENSOR_QUANT16_SYMM, {5, 5})},
                   repeated(4, tensor(ANEURALNETWORKS_TENSOR_QUANT16_SYMM, {5})),
                   repeated(6, kReal),
                   {kInteger, kReal}}),
         {tensor(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {5, 5}),
          tensor(ANEURALNETWORKS_TENSOR_QUANT16_SYMM, {5, 5}),
          tensor(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {5, 5})}},
        {"tile", ANEURALNETWORKS_TILE, {floats({2, 2}), integers({2})}, {floats({4, 4})}},
    };
}

class NnapiOperation : public testing::TestWithParam<Signature> {};

TEST_P(NnapiOperation, takesItsOperands) {
    EXPECT_EQ(add(GetParam()), kNoError);
}

TEST_P(NnapiOperation, takesNoInputOfAnotherType) {
    for (std::size_t index = 0; index < GetParam().inputs.size(); ++index) {
        for (const std::int32_t type :
             {ANEURALNETWORKS_UINT32, ANEURALNETWORKS_TENSOR_BOOL8, ANEURALNETWORKS_FLOAT32,
              ANEURALNETWORKS_INT32, ANEURALNETWORKS_TENSOR_INT32}) {
            Signature other = GetParam();
            OperandOfTest& input = other.inputs[index];
            if (input.type == type) {
                continue;
            }
            const bool isScalar = type < ANEURALNETWORKS_TENSOR_FLOAT32;
            input = {type, isScalar ? std::vector<std::uint32_t>{} : input.dimensions};
            EXPECT_EQ(add(other), kBadData) << "input " << index << " of type " << type;
        }
    }
}

TEST_P(NnapiOperation, takesNoOutputOfAnotherType) {
    for (std::size_t index = 0; index < GetParam().outputs.size(); ++index) {
        Signature other = GetParam();
        other.outputs[index].type = ANEURALNETWORKS_TENSOR_BOOL8;
        other.outputs[index].scale = 0;
        EXPECT_EQ(add(other), kBadData) << "output " << index;
    }
}

TEST_P(NnapiOperation, takesNoMoreInputs) {
    Signature other = GetParam();
    for (int more = 1; more <= 3; ++more) {
        other.inputs.push_back(other.inputs.front());
        EXPECT_EQ(add(other), kBadData) << more << " more";
    }
}

INSTANTIATE_TEST_SUITE_P(Operations, NnapiOperation, testing::ValuesIn(signatures()),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(NnapiOperationRanks, areThoseOfItsInputs) {
    const OperandOfTest output = tensor(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 2, 2, 2});
    for (const std::size_t rank : {0U, 1U, 4U, 5U}) {
        const OperandOfTest input =
            tensor(ANEURALNETWORKS_TENSOR_FLOAT32, std::vector<std::uint32_t>(rank, 2));
        EXPECT_EQ(add({"", ANEURALNETWORKS_RELU, {input}, {output}}),
                  rank <= 4 ? kNoError : kBadData)
            << rank;
        EXPECT_EQ(add({"",
                       ANEURALNETWORKS_AVERAGE_POOL_2D,
                       together({{input}, repeated(6, kInteger)}),
                       {output}}),
                  rank == 0 || rank == 4 ? kNoError : kBadData)
            << rank;
        EXPECT_EQ(add({"", ANEURALNETWORKS_ABS, {input}, {output}}), kNoError) << rank;
    }
}

// Devices say what they need of these when the model is compiled.
TEST(NnapiOperationSizesAndScales, mayNotFitEachOtherYet) {
    const OperandOfTest bytes = tensor(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2, 2, 2, 2});
    EXPECT_EQ(add({"", ANEURALNETWORKS_TANH, {bytes}, {bytes}}), kNoError);
    const OperandOfTest sizes = tensor(ANEURALNETWORKS_TENSOR_INT32, {4});
    EXPECT_EQ(add({"", ANEURALNETWORKS_PAD, {bytes, sizes}, {bytes}}), kNoError);
    const OperandOfTest bias{ANEURALNETWORKS_TENSOR_INT32, {5}, 0.25F};
    const OperandOfTest matrix = tensor(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {5, 5});
    EXPECT_EQ(
        add({"", ANEURALNETWORKS_FULLY_CONNECTED, {matrix, matrix, bias, kInteger}, {matrix}}),
        kNoError);
}

TEST(NnapiOperationOutput, ofMulHasAScaleAboveTheProduct) {
    const OperandOfTest input{ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 1.0F};
    const auto multiply = [&](float scale) {
        return add({"",
                    ANEURALNETWORKS_MUL,
                    {input, input, kInteger},
                    {{ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, scale}}});
    };
    EXPECT_EQ(multiply(0.5F), kBadData);
    EXPECT_EQ(multiply(1.0F), kBadData);
    EXPECT_EQ(multiply(1.5F), kNoError);
    const OperandOfTest integers{ANEURALNETWORKS_TENSOR_INT32, {2}, 1.0F};
    EXPECT_EQ(add({"", ANEURALNETWORKS_MUL, {integers, integers, kInteger}, {integers}}), kNoError)
        << "has no scale of its own";
}

TEST(NnapiOperationOutput, ofCastHasTheDimensionsOfItsInput) {
    const OperandOfTest input = tensor(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 3});
    const auto cast = [&](std::vector<std::uint32_t> dimensions) {
        return add({"",
                    ANEURALNETWORKS_CAST,
                    {input},
                    {tensor(ANEURALNETWORKS_TENSOR_INT32, std::move(dimensions))}});
    };
    EXPECT_EQ(cast({2, 3}), kNoError);
    EXPECT_EQ(cast({0, 3}), kNoError);
    EXPECT_EQ(cast({}), kNoError);
    EXPECT_EQ(cast({3, 2}), kBadData);
}

TEST(NnapiOperationFilter, hasItsScalesAlongTheOutputChannels) {
    const std::vector<float> scales{0.5F, 1.0F};
    const auto convolve = [&](ANeuralNetworksOperationType type, std::size_t scalars,
                              std::uint32_t axis) {
        const Model model = newModel();
        const Type bytes(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2, 2, 2, 2}, kScale);
        const Type filter(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 2, 2, 2});
        const Type bias(ANEURALNETWORKS_TENSOR_INT32, {2});
        std::vector<std::uint32_t> indexes;
        const auto addOperand = [&](const Type& operand) {
            EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), operand.get()), kNoError);
            indexes.push_back(static_cast<std::uint32_t>(indexes.size()));
        };
        addOperand(bytes);
        addOperand(filter);
        addOperand(bias);
        for (std::size_t scalar = 0; scalar < scalars; ++scalar) {
            addOperand(kInt32);
        }
        addOperand(bytes);
        const ANeuralNetworksSymmPerChannelQuantParams channels{
            .channelDim = axis, .scaleCount = 2, .scales = scales.data()};
        EXPECT_EQ(
            ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), 1, &channels),
            kNoError);
        return ANeuralNetworksModel_addOperation(model.get(), type,
                                                 static_cast<std::uint32_t>(indexes.size() - 1),
                                                 indexes.data(), 1, &indexes.back());
    };
    EXPECT_EQ(convolve(ANEURALNETWORKS_CONV_2D, 4, 0), kNoError);
    EXPECT_EQ(convolve(ANEURALNETWORKS_CONV_2D, 4, 3), kBadData);
    EXPECT_EQ(convolve(ANEURALNETWORKS_DEPTHWISE_CONV_2D, 5, 3), kNoError);
    EXPECT_EQ(convolve(ANEURALNETWORKS_DEPTHWISE_CONV_2D, 5, 0), kBadData);
}

// ---- IF and WHILE

using Dimensions = std::vector<std::uint32_t>;

const std::vector<Dimensions> kKnownAndUnknown = {{1, 2, 3}, {0, 2, 0}, {}};
const std::vector<Dimensions> kNotOneValue = {{}, {0}, {2}, {1, 1}};

/// A finished model of one operation that takes `operationInputs` of the `modelInputs` float
/// tensors of the model, 1 or 2. LESS gives a truth value of dimensions `truth`.
Model functionOf(const Dimensions& dimensions, ANeuralNetworksOperationType type,
                 std::uint32_t modelInputs, std::uint32_t operationInputs,
                 const Dimensions& truth = {1}) {
    Model model = newModel();
    const Type floats(ANEURALNETWORKS_TENSOR_FLOAT32, dimensions);
    const Type condition(ANEURALNETWORKS_TENSOR_BOOL8, truth);
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), floats.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksModel_addOperand(
                  model.get(), type == ANEURALNETWORKS_LESS ? condition.get() : floats.get()),
              kNoError);
    if (modelInputs == 2) {
        EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), floats.get()), kNoError);
    }
    const std::uint32_t inputs[] = {0, 2};
    const std::uint32_t output = 1;
    EXPECT_EQ(
        ANeuralNetworksModel_addOperation(model.get(), type, operationInputs, inputs, 1, &output),
        kNoError);
    EXPECT_EQ(
        ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), modelInputs, inputs, 1, &output),
        kNoError);
    EXPECT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
    return model;
}

/// Adds IF or WHILE with two models and with these tensors. The condition of IF has dimensions
/// `truth`.
int addWithModels(ANeuralNetworksOperationType type, const Signature& tensors,
                  const ANeuralNetworksModel* first, const ANeuralNetworksModel* second,
                  const Dimensions& truth = {1}) {
    const Model model = newModel();
    const Type reference(ANEURALNETWORKS_MODEL);
    std::vector<std::uint32_t> indexes;
    const auto addOperand = [&](const ANeuralNetworksOperandType* operand) {
        EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), operand), kNoError);
        indexes.push_back(static_cast<std::uint32_t>(indexes.size()));
    };
    if (type == ANEURALNETWORKS_IF) {
        addOperand(Type(ANEURALNETWORKS_TENSOR_BOOL8, truth).get());
    }
    for (const ANeuralNetworksModel* value : {first, second}) {
        addOperand(reference.get());
        EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(
                      model.get(), static_cast<std::int32_t>(indexes.back()), value),
                  kNoError);
    }
    for (const OperandOfTest& operand : together({tensors.inputs, tensors.outputs})) {
        addOperand(Type(operand.type, operand.dimensions).get());
    }
    const auto outputs = static_cast<std::uint32_t>(tensors.outputs.size());
    const auto inputs = static_cast<std::uint32_t>(indexes.size()) - outputs;
    return ANeuralNetworksModel_addOperation(model.get(), type, inputs, indexes.data(), outputs,
                                             indexes.data() + inputs);
}

Signature floatTensors(std::size_t inputs, const Dimensions& dimensions) {
    return {"",
            0,
            repeated(inputs, {ANEURALNETWORKS_TENSOR_FLOAT32, dimensions}),
            {{ANEURALNETWORKS_TENSOR_FLOAT32, dimensions}}};
}

TEST(NnapiIf, takesModelsWhoseDimensionsMayBeUnknown) {
    for (const Dimensions& outer : kKnownAndUnknown) {
        for (const Dimensions& inner : kKnownAndUnknown) {
            const Model branch = functionOf(inner, ANEURALNETWORKS_RELU, 1, 1);
            EXPECT_EQ(addWithModels(ANEURALNETWORKS_IF, floatTensors(1, outer), branch.get(),
                                    branch.get()),
                      kNoError);
        }
    }
}

TEST(NnapiIf, takesModelsWithInputsAndOutputsLikeItsOwnAlone) {
    const Model good = functionOf({2}, ANEURALNETWORKS_RELU, 1, 1);
    const Model wide = functionOf({3}, ANEURALNETWORKS_RELU, 1, 1);
    const Model binary = functionOf({2}, ANEURALNETWORKS_POW, 2, 2);
    const auto add = [&](const Signature& tensors, const Model& otherwise) {
        return addWithModels(ANEURALNETWORKS_IF, tensors, good.get(), otherwise.get());
    };
    EXPECT_EQ(add(floatTensors(1, {2}), good), kNoError);
    EXPECT_EQ(add(floatTensors(1, {2}), wide), kBadData);
    EXPECT_EQ(add(floatTensors(1, {2}), binary), kBadData);
    EXPECT_EQ(add(floatTensors(2, {2}), good), kBadData);
    Signature integers = floatTensors(1, {2});
    integers.inputs[0].type = ANEURALNETWORKS_TENSOR_INT32;
    EXPECT_EQ(add(integers, good), kBadData);
}

TEST(NnapiIf, takesOneTruthValueOfKnownDimensionsAlone) {
    const Model branch = functionOf({2}, ANEURALNETWORKS_RELU, 1, 1);
    for (const Dimensions& truth : kNotOneValue) {
        EXPECT_EQ(addWithModels(ANEURALNETWORKS_IF, floatTensors(1, {2}), branch.get(),
                                branch.get(), truth),
                  kBadData)
            << testing::PrintToString(truth);
    }
}

TEST(NnapiWhile, takesModelsWhoseDimensionsMayBeUnknown) {
    for (const Dimensions& outer : kKnownAndUnknown) {
        for (const Dimensions& inner : kKnownAndUnknown) {
            const Model condition = functionOf(inner, ANEURALNETWORKS_LESS, 2, 2);
            const Model body = functionOf(inner, ANEURALNETWORKS_RELU, 2, 1);
            EXPECT_EQ(addWithModels(ANEURALNETWORKS_WHILE, floatTensors(2, outer), condition.get(),
                                    body.get()),
                      kNoError);
        }
    }
}

TEST(NnapiWhile, takesModelsWithInputsAndOutputsLikeItsOwnAlone) {
    const Model condition = functionOf({2}, ANEURALNETWORKS_LESS, 2, 2);
    const Model body = functionOf({2}, ANEURALNETWORKS_RELU, 2, 1);
    const Model wide = functionOf({3}, ANEURALNETWORKS_RELU, 2, 1);
    const auto add = [&](std::size_t inputs, const Model& decides, const Model& repeats) {
        return addWithModels(ANEURALNETWORKS_WHILE, floatTensors(inputs, {2}), decides.get(),
                             repeats.get());
    };
    EXPECT_EQ(add(2, condition, body), kNoError);
    EXPECT_EQ(add(2, body, body), kBadData) << "the condition gives numbers";
    EXPECT_EQ(add(2, condition, wide), kBadData);
    EXPECT_EQ(add(3, condition, body), kBadData);
}

TEST(NnapiWhile, takesAConditionOfOneTruthValueOfKnownDimensionsAlone) {
    const Model body = functionOf({1}, ANEURALNETWORKS_RELU, 2, 1);
    for (const Dimensions& truth : kNotOneValue) {
        const Model condition = functionOf({1}, ANEURALNETWORKS_LESS, 2, 2, truth);
        EXPECT_EQ(
            addWithModels(ANEURALNETWORKS_WHILE, floatTensors(2, {1}), condition.get(), body.get()),
            kBadData)
            << testing::PrintToString(truth);
    }
}

}  // namespace
}  // namespace nnburst::nnapi
