// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Operators that become operations of the extension org.nnburst.tflite: their results, computed by
/// hand, and what they refuse.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "tflite/extension_types.h"
#include "tflite_operations/codes.h"
#include "tflite_test.h"

namespace nnburst::extension_test {
namespace {

using namespace tflite;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

constexpr auto kNone = schema::ActivationFunctionType::NONE;

Argument integers(std::vector<std::int32_t> shape) {
    return tensorOf(std::move(shape), TensorType::INT32);
}
/// A constant of INT32.
Argument integersOf(std::vector<std::int32_t> shape, const Ints& values) {
    return withContents(integers(std::move(shape)), bytesOf(values));
}

/// One operator on inputs of FLOAT32 or INT32.
template <class Out, class In>
void expectResult(const FileSpec& file, const std::vector<std::vector<In>>& inputs,
                  const std::vector<Out>& output) {
    expectComputes<Out, In>(file, inputs, {output});
}

/// The error of a run on these inputs.
template <class In>
std::string refusalOfRun(const FileSpec& file, const std::vector<std::vector<In>>& inputs) {
    const TfliteModel model = imported(file);
    const auto compiled = exec::compile(resolved(model.model), false);
    exec::TestRequest request;
    for (const auto& input : inputs) {
        request.addInput(std::as_bytes(std::span(input)));
    }
    const Operand& output = outputOf(model);
    request.addOutput(operandBytes(output.type, output.dimensions).value_or(0));
    const auto ran = request.run(*compiled);
    EXPECT_FALSE(ran);
    return ran ? std::string() : ran.error().message;
}

/// The error of a run of `operation`, one of whose inputs is a slice of 2x3 integers with sizes
/// that only the request has; "" if it succeeds. `inputsOf(builder, slice)` gives the inputs.
template <class InputsOf>
std::string errorOnSlice(tflite_operations::Code operation, const Ints& sizes,
                         const InputsOf& inputsOf) {
    constexpr auto kInts = OperandType::TENSOR_INT32;
    ModelBuilder builder;
    builder.addExtension(tflite_operations::kExtensionName, kExtensionPrefix);
    const auto whole = builder.addTensor(kInts, {2, 3});
    const auto begins = builder.addConstant(kInts, {2}, exec::bytesOf(Ints{0, 0}));
    const auto size = builder.addTensor(kInts, {2});
    const auto slice = builder.addTensor(kInts, {0, 0});
    const auto output = builder.addTensor(kInts, {});
    builder.addOperation(OperationType::SLICE, {whole, begins, size}, {slice});
    builder.addOperation(extensionOperation(operation), inputsOf(builder, slice), {output});
    const auto compiled =
        exec::compile(resolved(exec::build(builder, {whole, size}, {output})), false);
    const Ints values(6, 1);
    exec::TestRequest request;
    request.addInput(std::as_bytes(std::span(values)));
    request.addInput(std::as_bytes(std::span(sizes)));
    request.addOutput(6 * sizeof(std::int32_t));
    const auto ran = request.run(*compiled);
    return ran ? std::string() : ran.error().message;
}

TEST(TfliteExtension, runsOnTensorsWithoutElementsOrRefusesThem) {
    using enum tflite_operations::Code;
    using Inputs = std::vector<std::uint32_t>;
    const auto constant = [](ModelBuilder& builder, Dimensions shape, const Ints& values) {
        return builder.addConstant(OperandType::TENSOR_INT32, std::move(shape),
                                   exec::bytesOf(values));
    };
    const auto twice = [](ModelBuilder& /*builder*/, std::uint32_t slice) {
        return Inputs{slice, slice};
    };
    EXPECT_EQ(errorOnSlice(BITWISE_XOR, {2, 3}, twice), "");
    EXPECT_EQ(errorOnSlice(BITWISE_XOR, {2, 0}, twice), "");
    for (const std::int32_t axis : {0, 1}) {
        const auto mean = [&](ModelBuilder& builder, std::uint32_t slice) {
            return Inputs{
                slice, constant(builder, {1}, {axis}), builder.addScalar(false),
                builder.addScalar(static_cast<std::int32_t>(tflite_operations::Reduction::MEAN))};
        };
        EXPECT_EQ(errorOnSlice(REDUCE_INTEGERS, {0, 3}, mean), "");
    }
    const auto segments = [](ModelBuilder& builder, std::uint32_t slice) {
        return Inputs{slice, slice, builder.addScalar(2)};
    };
    EXPECT_EQ(errorOnSlice(UNSORTED_SEGMENT_SUM, {0, 3}, segments), "");
    const auto update = [&](ModelBuilder& builder, std::uint32_t slice) {
        return Inputs{constant(builder, {2, 3}, Ints(6)), slice, constant(builder, {2}, {0, 0})};
    };
    EXPECT_EQ(errorOnSlice(DYNAMIC_UPDATE_SLICE, {2, 0}, update), "");
    const auto gathered = [&](ModelBuilder& builder, std::uint32_t slice) {
        return Inputs{constant(builder, {3}, Ints(3)), slice};
    };
    EXPECT_NE(errorOnSlice(GATHER_ND, {2, 0}, gathered), "");
    const auto scattered = [&](ModelBuilder& builder, std::uint32_t slice) {
        return Inputs{slice, constant(builder, {2, 3}, Ints(6)), constant(builder, {1}, {3})};
    };
    EXPECT_NE(errorOnSlice(SCATTER_ND, {2, 0}, scattered), "");
}

/// An operation is prepared for axes once, so they must not differ between requests. That another
/// operation, TILE, takes the same operand as values does not make it a constant.
TEST(TfliteExtension, refusesAxesThatRequestsGive) {
    constexpr auto kInts = OperandType::TENSOR_INT32;
    ModelBuilder builder;
    builder.addExtension(tflite_operations::kExtensionName, kExtensionPrefix);
    const auto whole = builder.addTensor(kInts, {2, 3});
    const auto size = builder.addTensor(kInts, {2});
    const auto axis = builder.addTensor(kInts, {1});
    const auto begins = builder.addConstant(kInts, {2}, exec::bytesOf(Ints{0, 0}));
    const auto one = builder.addConstant(kInts, {1}, exec::bytesOf(Ints{1}));
    const auto tiled = builder.addTensor(kInts, {0});
    const auto slice = builder.addTensor(kInts, {0, 0});
    const auto sums = builder.addTensor(kInts, {0});
    builder.addOperation(OperationType::TILE, {one, axis}, {tiled});
    builder.addOperation(OperationType::SLICE, {whole, begins, size}, {slice});
    builder.addOperation(extensionOperation(tflite_operations::Code::REDUCE_INTEGERS),
                         {slice, axis, builder.addScalar(false), builder.addScalar(0)}, {sums});
    const auto compiled =
        exec::compile(resolved(exec::build(builder, {whole, size, axis}, {tiled, sums})), false);
    ASSERT_NE(compiled, nullptr);
    exec::TestRequest request;
    const std::vector<Ints> inputs{Ints(6, 1), {2, 3}, {1}};
    for (const Ints& input : inputs) {
        request.addInput(exec::bytesOf(input));
    }
    request.addOutput(sizeof(std::int32_t));
    request.addOutput(2 * sizeof(std::int32_t));
    const auto ran = request.run(*compiled);
    ASSERT_FALSE(ran);
    EXPECT_NE(ran.error().message.find("input 1 (axes); must be constant"), std::string::npos);
}

TEST(TfliteExtension, isNamedByModelsThatUseIt) {
    const TfliteModel uses = imported(operatorFile(Code::COS, {real({2})}, {real({2})}));
    ASSERT_EQ(uses.model.extensionNameToPrefix.size(), 1U);
    EXPECT_EQ(uses.model.extensionNameToPrefix[0].name, "org.nnburst.tflite");
    const TfliteModel doesNot = imported(operatorFile(Code::SIN, {real({2})}, {real({2})}));
    EXPECT_TRUE(doesNot.model.extensionNameToPrefix.empty());
}

TEST(TfliteExtension, computesElementByElement) {
    expectResult<float, float>(operatorFile(Code::COS, {real({2})}, {real({2})}), {{0.0F, 1.0F}},
                               {1.0F, std::cos(1.0F)});
    expectResult<float, float>(operatorFile(Code::ROUND, {real({6})}, {real({6})}),
                               {{0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 2.4F}},
                               {0.0F, 2.0F, 2.0F, -0.0F, -2.0F, 2.0F});
    expectResult<float, float>(operatorFile(Code::SIGN, {real({3})}, {real({3})}),
                               {{-3.0F, 0.0F, 0.25F}}, {-1.0F, 0.0F, 1.0F});
    expectResult<std::int32_t, std::int32_t>(
        operatorFile(Code::SIGN, {integers({3})}, {integers({3})}), {{-3, 0, 7}}, {-1, 0, 1});
}

TEST(TfliteExtension, computesGeluExactlyAndApproximately) {
    const auto gelu = [](bool isApproximate) {
        const TfliteModel model =
            imported(operatorFile(Code::GELU, {real({4})}, {real({4})}, BuiltinOptions::GeluOptions,
                                  optionsOf(schema::CreateGeluOptions, isApproximate)));
        return outputsOfRun<float, float>(model, {{-1.0F, 0.0F, 1.0F, 3.0F}}).at(0);
    };
    const Floats exact{-0.15865526F, 0.0F, 0.8413447F, 2.9959502F};
    const Floats approximate{-0.15880801F, 0.0F, 0.841192F, 2.9963627F};
    for (std::size_t i = 0; i < exact.size(); ++i) {
        EXPECT_NEAR(gelu(false)[i], exact[i], 1e-6F) << i;
        EXPECT_NEAR(gelu(true)[i], approximate[i], 1e-6F) << i;
    }
}

TEST(TfliteExtension, quantisesWhatItComputesInFloatingPoint) {
    const Argument input = quantized({3}, TensorType::INT8, 0.5F, 0);
    const TfliteModel model = imported(operatorFile(Code::ROUND, {input}, {input}));
    EXPECT_EQ((outputsOfRun<std::int8_t, std::int8_t>(model, {{3, 1, -3}}).at(0)),
              (std::vector<std::int8_t>{4, 0, -4}));
}

TEST(TfliteExtension, movesTheRangeOfFakeQuantOntoZero) {
    // 0 to 15 in 4 bits of the range -1 to 0.5: the step is 0.1 and 0 is step 10.
    const FileSpec file =
        operatorFile(Code::FAKE_QUANT, {real({4})}, {real({4})}, BuiltinOptions::FakeQuantOptions,
                     optionsOf(schema::CreateFakeQuantOptions, -1.0F, 0.5F, 4, false));
    const TfliteModel model = imported(file);
    const Floats result = outputsOfRun<float, float>(model, {{-2.0F, 0.12F, 0.0F, 0.9F}}).at(0);
    const Floats expected{-1.0F, 0.1F, 0.0F, 0.5F};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(result[i], expected[i], 1e-6F) << i;
    }
}

TEST(TfliteExtension, findsTheBucketOfElements) {
    const auto options = [](flatbuffers::FlatBufferBuilder& builder) {
        return schema::CreateBucketizeOptions(builder,
                                              builder.CreateVector(Floats{0.0F, 10.0F, 100.0F}))
            .Union();
    };
    expectResult<std::int32_t, float>(operatorFile(Code::BUCKETIZE, {real({5})}, {integers({5})},
                                                   BuiltinOptions::BucketizeOptions, options),
                                      {{-5.0F, 10000.0F, 150.0F, 10.0F, 5.0F}}, {0, 3, 3, 2, 1});
}

TEST(TfliteExtension, refusesManyOperatorsThatShareBoundariesBeforeItLooksAtThem) {
    const auto shared = std::make_shared<flatbuffers::Offset<void>>();
    FileSpec file = operatorFile(
        Code::BUCKETIZE, {real({5})}, {integers({5})}, BuiltinOptions::BucketizeOptions,
        [shared](flatbuffers::FlatBufferBuilder& builder) {
            if (shared->IsNull()) {
                Floats falling(1 << 16, 1.0F);
                falling.back() = 0.0F;
                *shared =
                    schema::CreateBucketizeOptions(builder, builder.CreateVector(falling)).Union();
            }
            return *shared;
        });
    for (int i = 0; i < 40; ++i) {
        file.operators.push_back(file.operators[0]);
        file.operators.back().outputs = {static_cast<std::int32_t>(file.tensors.size())};
        file.tensors.push_back(file.tensors[1]);
    }
    const std::string message = refusal(file);
    EXPECT_NE(message.find("65536 boundaries: must be"), std::string::npos) << message;
    EXPECT_NE(message.find("constants take more than 16 times"), std::string::npos) << message;
}

TEST(TfliteExtension, repeatsAxesOfSize1OfTwoTensors) {
    expectResult<float, float>(
        operatorFile(Code::FLOOR_MOD, {real({2, 2}), real({2})}, {real({2, 2})}),
        {{5.5F, -5.5F, 3.0F, -3.0F}, {2.0F, -3.0F}}, {1.5F, -2.5F, 1.0F, -0.0F});
    expectResult<float, float>(
        operatorFile(Code::ATAN2, {real({2, 1}), real({1, 2})}, {real({2, 2})}),
        {{1.0F, -1.0F}, {1.0F, 0.0F}},
        {std::atan2(1.0F, 1.0F), std::atan2(1.0F, 0.0F), std::atan2(-1.0F, 1.0F),
         std::atan2(-1.0F, 0.0F)});
    expectResult<std::int32_t, std::int32_t>(
        operatorFile(Code::BITWISE_XOR, {integers({3}), integers({1})}, {integers({3})}),
        {{1, 2, -1}, {3}}, {2, 1, -4});
    expectResult<std::int32_t, std::int32_t>(
        operatorFile(Code::RIGHT_SHIFT, {integers({3}), integers({3})}, {integers({3})}),
        {{-8, 8, 1}, {1, 2, 40}}, {-4, 2, 0});
}

TEST(TfliteExtension, roundsQuotientsOfIntegersTowardsZero) {
    const FileSpec file =
        operatorFile(Code::DIV, {integers({4}), integers({4})}, {integers({4})},
                     BuiltinOptions::DivOptions, optionsOf(schema::CreateDivOptions, kNone));
    expectResult<std::int32_t, std::int32_t>(file, {{7, -7, INT32_MIN, 6}, {2, 2, -1, -3}},
                                             {3, -3, INT32_MIN, -2});
    EXPECT_NE(refusalOfRun<std::int32_t>(file, {{1, 1, 1, 1}, {1, 0, 1, 1}}).find("division by 0"),
              std::string::npos);
}

FileSpec matmulFile(const Argument& x, const Argument& y, const Argument& out, bool adjX = false,
                    bool adjY = false) {
    return operatorFile(Code::BATCH_MATMUL, {x, y}, {out}, BuiltinOptions::BatchMatMulOptions,
                        optionsOf(schema::CreateBatchMatMulOptions, adjX, adjY));
}

TEST(TfliteExtension, multipliesMatricesInBatches) {
    // Two matrices of 2x3, one of 3x2 for both.
    const Floats x{1, 2, 3, 4, 5, 6, 1, 0, 0, 0, 1, 0};
    const Floats y{1, 2, 3, 4, 5, 6};
    expectResult<float, float>(matmulFile(real({2, 2, 3}), real({1, 3, 2}), real({2, 2, 2})),
                               {x, y}, {22, 28, 49, 64, 1, 2, 3, 4});
}

TEST(TfliteExtension, multipliesTransposedMatrices) {
    const Floats x{1, 4, 2, 5, 3, 6};  // 3x2
    const Floats y{1, 3, 5, 2, 4, 6};  // 2x3
    const TfliteModel model =
        imported(matmulFile(real({3, 2}), real({2, 3}), real({}), true, true));
    EXPECT_EQ(outputOf(model).dimensions, (Dimensions{2, 2}));
    EXPECT_EQ((outputsOfRun<float, float>(model, {x, y}).at(0)), (Floats{22, 28, 49, 64}));
}

TEST(TfliteExtension, multipliesWithAConstantMatrixAsAFullyConnectedLayer) {
    for (const bool isTransposed : {false, true}) {
        const Argument y =
            isTransposed ? reals({2, 3}, {1, 3, 5, 2, 4, 6}) : reals({3, 2}, {1, 2, 3, 4, 5, 6});
        const FileSpec file = matmulFile(real({2, 1, 3}), y, real({2, 1, 2}), false, isTransposed);
        const TfliteModel model = imported(file);
        EXPECT_TRUE(model.model.extensionNameToPrefix.empty());
        expectResult<float, float>(file, {{1, 2, 3, 4, 5, 6}}, {22, 28, 49, 64});
    }
}

TEST(TfliteExtension, multipliesWithAMatrixThatFollowsFromAConstantAsAFullyConnectedLayer) {
    const std::vector<Floats> x{{1, 2, 3, 4, 5, 6}};
    const Argument one = reals({1, 1, 3, 2}, {1, 2, 3, 4, 5, 6});
    const FileSpec longer = matmulFile(real({2, 1, 3}), one, real({1, 2, 1, 2}));
    EXPECT_TRUE(imported(longer).model.extensionNameToPrefix.empty());
    expectResult<float, float>(longer, x, {22, 28, 49, 64});

    // 1 to 6 as FLOAT16, then DEQUANTIZE.
    const std::vector<std::uint16_t> halves{0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
    FileSpec file = matmulFile(real({2, 3}),
                               withContents(tensorOf({3, 2}, TensorType::FLOAT16), bytesOf(halves)),
                               real({2, 2}));
    file.tensors.push_back({.shape = {3, 2}});
    file.codes.push_back({.code = Code::DEQUANTIZE});
    file.operators[0].inputs = {0, 3};
    file.operators.insert(file.operators.begin(),
                          {.opcodeIndex = 1, .inputs = {1}, .outputs = {3}});
    EXPECT_TRUE(imported(file).model.extensionNameToPrefix.empty());
    expectResult<float, float>(file, x, {22, 28, 49, 64});
}

TEST(TfliteExtension, refusesMatricesThatCannotBeMultiplied) {
    EXPECT_EQ(refusal(matmulFile(real({3}), real({3, 2}), real({2}))),
              "operator 0 (BATCH_MATMUL): shapes 3 and 3x2: must be known and have at least 2 "
              "dimensions");
    const auto model =
        importTflite(serialize(matmulFile(real({2, 3}), real({2, 2}), real({2, 2}))));
    ASSERT_TRUE(model);
    const auto compiled =
        exec::CompiledModel::compile(exec::makeEngine(false), resolved(model->model));
    ASSERT_FALSE(compiled);
    EXPECT_NE(compiled.error().message.find("BATCH_MATMUL: shapes 2x3 and 2x2; must be matrices "
                                            "that can be multiplied"),
              std::string::npos)
        << compiled.error().message;
}

TEST(TfliteExtension, sumsAlongAnAxis) {
    const auto file = [](std::int32_t axis, bool isExclusive, bool isReverse) {
        return operatorFile(Code::CUMSUM, {real({2, 3}), intScalar(axis)}, {real({2, 3})},
                            BuiltinOptions::CumsumOptions,
                            optionsOf(schema::CreateCumsumOptions, isExclusive, isReverse));
    };
    const Floats x{1, 2, 3, 4, 5, 6};
    expectResult<float, float>(file(1, false, false), {x}, {1, 3, 6, 4, 9, 15});
    expectResult<float, float>(file(-1, true, false), {x}, {0, 1, 3, 0, 4, 9});
    expectResult<float, float>(file(0, false, true), {x}, {5, 7, 9, 4, 5, 6});
    expectResult<float, float>(file(1, true, true), {x}, {5, 3, 0, 11, 6, 0});
}

TEST(TfliteExtension, putsDiagonalsIntoMatrices) {
    expectResult<float, float>(operatorFile(Code::MATRIX_DIAG, {real({2, 2})}, {real({2, 2, 2})}),
                               {{1, 2, 3, 4}}, {1, 0, 0, 2, 3, 0, 0, 4});
    expectResult<float, float>(
        operatorFile(Code::MATRIX_SET_DIAG, {real({2, 3}), real({2})}, {real({2, 3})}),
        {{1, 2, 3, 4, 5, 6}, {8, 9}}, {8, 2, 3, 4, 9, 6});
}

TEST(TfliteExtension, gathersAtPlaces) {
    const FileSpec rows =
        operatorFile(Code::GATHER_ND, {real({2, 3}), integersOf({2, 1}, {1, 0})}, {real({2, 3})});
    expectResult<float, float>(rows, {{1, 2, 3, 4, 5, 6}}, {4, 5, 6, 1, 2, 3});
    const FileSpec elements = operatorFile(
        Code::GATHER_ND, {real({2, 3}), integersOf({2, 2}, {1, 2, 0, 1})}, {real({2})});
    expectResult<float, float>(elements, {{1, 2, 3, 4, 5, 6}}, {6, 2});
    const FileSpec outside =
        operatorFile(Code::GATHER_ND, {integers({2, 3}), integers({1, 2})}, {integers({1})});
    EXPECT_NE(refusalOfRun<std::int32_t>(outside, {{1, 2, 3, 4, 5, 6}, {1, 3}})
                  .find("GATHER_ND: index 3; must be from 0 to 2"),
              std::string::npos);
    EXPECT_NE(refusalOfRun<std::int32_t>(outside, {{1, 2, 3, 4, 5, 6}, {-1, 0}})
                  .find("index -1; must be from 0 to 1"),
              std::string::npos);
}

TEST(TfliteExtension, gathersInBatches) {
    const FileSpec file =
        operatorFile(Code::GATHER, {real({2, 3}), integersOf({2, 2}, {2, 0, 1, 1})}, {real({2, 2})},
                     BuiltinOptions::GatherOptions, optionsOf(schema::CreateGatherOptions, 1, 1));
    expectResult<float, float>(file, {{1, 2, 3, 4, 5, 6}}, {3, 1, 5, 5});
}

TEST(TfliteExtension, scattersAndAddsWhatMeets) {
    const FileSpec file =
        operatorFile(Code::SCATTER_ND, {integersOf({3, 1}, {2, 0, 2}), real({3, 2}), ints({4, 2})},
                     {real({4, 2})});
    expectResult<float, float>(file, {{1, 2, 3, 4, 5, 6}}, {3, 4, 0, 0, 6, 8, 0, 0});
}

TEST(TfliteExtension, makesTensorsOfElementsAtPlaces) {
    const FileSpec file = operatorFile(
        Code::SPARSE_TO_DENSE,
        {integersOf({2, 2}, {0, 1, 1, 2}), ints({2, 3}), real({2}), reals({}, {-1.0F})},
        {real({2, 3})});
    expectResult<float, float>(file, {{5, 6}}, {-1, 5, -1, -1, -1, 6});
}

TEST(TfliteExtension, marksIndices) {
    const auto file = [](std::int32_t axis, std::vector<std::int32_t> shape) {
        return operatorFile(Code::ONE_HOT,
                            {integers({2}), intScalar(3), reals({}, {9.0F}), reals({}, {0.5F})},
                            {real(std::move(shape))}, BuiltinOptions::OneHotOptions,
                            optionsOf(schema::CreateOneHotOptions, axis));
    };
    expectResult<float, std::int32_t>(file(-1, {2, 3}), {{2, -1}},
                                      {0.5F, 0.5F, 9.0F, 0.5F, 0.5F, 0.5F});
    expectResult<float, std::int32_t>(file(0, {3, 2}), {{2, 0}},
                                      {0.5F, 9.0F, 0.5F, 0.5F, 9.0F, 0.5F});
}

TEST(TfliteExtension, replacesAPartAndKeepsItInside) {
    const auto file = [](const Ints& begin) {
        return operatorFile(Code::DYNAMIC_UPDATE_SLICE, {real({3, 3}), real({2, 1}), ints(begin)},
                            {real({3, 3})});
    };
    const Floats whole{1, 2, 3, 4, 5, 6, 7, 8, 9};
    expectResult<float, float>(file({1, 1}), {whole, {-1, -2}}, {1, 2, 3, 4, -1, 6, 7, -2, 9});
    expectResult<float, float>(file({5, -4}), {whole, {-1, -2}}, {1, 2, 3, -1, 5, 6, -2, 8, 9});
}

TEST(TfliteExtension, reversesTheBeginOfSequences) {
    const FileSpec file = operatorFile(Code::REVERSE_SEQUENCE, {real({2, 3, 1}), ints({2, 3})},
                                       {real({2, 3, 1})}, BuiltinOptions::ReverseSequenceOptions,
                                       optionsOf(schema::CreateReverseSequenceOptions, 1, 0));
    expectResult<float, float>(file, {{1, 2, 3, 4, 5, 6}}, {2, 1, 3, 6, 5, 4});
    const FileSpec other = operatorFile(Code::REVERSE_SEQUENCE, {real({2, 3}), ints({2, 0, 1})},
                                        {real({2, 3})}, BuiltinOptions::ReverseSequenceOptions,
                                        optionsOf(schema::CreateReverseSequenceOptions, 0, 1));
    expectResult<float, float>(other, {{1, 2, 3, 4, 5, 6}}, {4, 2, 3, 1, 5, 6});
}

TEST(TfliteExtension, combinesSegments) {
    const FileSpec sorted =
        operatorFile(Code::SEGMENT_SUM, {real({3, 2}), ints({0, 0, 2})}, {real({3, 2})});
    expectResult<float, float>(sorted, {{1, 2, 3, 4, 5, 6}}, {4, 6, 0, 0, 5, 6});
    struct Case {
        Code code;
        Ints expected;
    };
    for (const Case& test : {Case{Code::UNSORTED_SEGMENT_SUM, {5, 0, 9}},
                             Case{Code::UNSORTED_SEGMENT_PROD, {5, 1, 20}},
                             Case{Code::UNSORTED_SEGMENT_MIN, {5, INT32_MAX, 4}},
                             Case{Code::UNSORTED_SEGMENT_MAX, {5, INT32_MIN, 5}}}) {
        const FileSpec file = operatorFile(
            test.code, {integers({4}), ints({2, 2, -1, 0}), intScalar(3)}, {integers({3})});
        expectResult<std::int32_t, std::int32_t>(file, {{4, 5, 7, 5}}, test.expected);
    }
}

TEST(TfliteExtension, refusesSegmentsOutOfOrder) {
    const FileSpec file =
        operatorFile(Code::SEGMENT_SUM, {integers({3}), integers({3})}, {integers({2})});
    EXPECT_NE(refusalOfRun<std::int32_t>(file, {{1, 2, 3}, {0, 1, 0}})
                  .find("SEGMENT_SUM: segment 0 after 1; must be less than 2, in order"),
              std::string::npos);
    EXPECT_NE(refusalOfRun<std::int32_t>(file, {{1, 2, 3}, {0, 1, 2}})
                  .find("segment 2 after 1; must be less than 2"),
              std::string::npos);
}

/// The error of preparing a model that a client could have made without an import.
std::string refusalOfModel(const Model& model) {
    const auto compiled = exec::CompiledModel::compile(exec::makeEngine(false), resolved(model));
    EXPECT_FALSE(compiled);
    return compiled ? std::string() : compiled.error().message;
}

TEST(TfliteExtension, refusesInputsThatAreLeftOut) {
    TfliteModel gelu =
        imported(operatorFile(Code::GELU, {real({4})}, {real({4})}, BuiltinOptions::GeluOptions,
                              optionsOf(schema::CreateGeluOptions, true)));
    const std::uint32_t scalar = gelu.model.main.operations[0].inputs[1];
    Operand& omitted = gelu.model.main.operands[scalar];
    omitted.lifetime = OperandLifeTime::NO_VALUE;
    omitted.location = {};
    EXPECT_NE(refusalOfModel(gelu.model).find("GELU: input 1 is left out; must be given"),
              std::string::npos);
}

TEST(TfliteExtension, refusesIndicesOfMoreAxesThanTheOutputHas) {
    const auto model = importTflite(serialize(operatorFile(
        Code::SCATTER_ND, {integersOf({1, 2}, {0, 0}), real({1}), ints({4})}, {real({4})})));
    ASSERT_TRUE(model);
    EXPECT_NE(refusalOfModel(model->model)
                  .find("SCATTER_ND: indices of shape 1x2 and updates of 1 for an output of 4"),
              std::string::npos);
}

TEST(TfliteExtension, computesRangesAndShapesAtImport) {
    const auto rangeOf = [](std::int32_t first, std::int32_t limit, std::int32_t step) {
        FileSpec file = operatorFile(
            Code::RANGE, {intScalar(first), intScalar(limit), intScalar(step)}, {integers({})});
        const TfliteModel model = imported(file);
        return valuesOf<std::int32_t>(model, inputAt(model, 0));
    };
    EXPECT_EQ(rangeOf(3, 10, 3), (Ints{3, 6, 9}));
    EXPECT_EQ(rangeOf(3, -1, -2), (Ints{3, 1}));
    const auto scalarOf = [](float value) { return reals({}, {value}); };
    const auto realRange = [&](float first, float limit, float step) {
        return operatorFile(Code::RANGE, {scalarOf(first), scalarOf(limit), scalarOf(step)},
                            {real({})});
    };
    const TfliteModel reals = imported(realRange(0.5F, -1.0F, -0.5F));
    EXPECT_EQ(valuesOf<float>(reals, inputAt(reals, 0)), (Floats{0.5F, 0.0F, -0.5F}));
    const TfliteModel tenths = imported(realRange(0.0F, 2.0F, 0.1F));  // TFLite adds up the steps
    EXPECT_EQ(valuesOf<float>(tenths, inputAt(tenths, 0)).at(7), 0.70000005F);
    EXPECT_EQ(refusal(realRange(0.0F, 1.0F, -0.5F)),
              "operator 0 (RANGE): 0 to 1 in steps of -0.5: must be 1 to 1024 elements");
    const TfliteModel shape = imported(
        operatorFile(Code::BROADCAST_ARGS, {ints({3, 1}), ints({2, 1, 4})}, {integers({3})}));
    EXPECT_EQ(valuesOf<std::int32_t>(shape, inputAt(shape, 0)), (Ints{2, 3, 4}));
}

}  // namespace
}  // namespace nnburst::extension_test
