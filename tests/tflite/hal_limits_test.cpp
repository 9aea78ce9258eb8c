// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Operators on more than 4 dimensions, and operators that move elements of types that the HAL's
/// operations do not take. Results are computed by hand.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "tflite_test.h"

namespace nnburst::hal_limits_test {
namespace {

using namespace tflite;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;
using Bools = std::vector<std::uint8_t>;

Argument integers(std::vector<std::int32_t> shape) {
    return tensorOf(std::move(shape), TensorType::INT32);
}
Argument booleans(std::vector<std::int32_t> shape) {
    return tensorOf(std::move(shape), TensorType::BOOL);
}
/// 0, 1, 2, ...
Floats counted(std::size_t count) {
    Floats result(count);
    std::iota(result.begin(), result.end(), 0.0F);
    return result;
}

TEST(TfliteHalLimits, moveIntegersWithAllTheirBits) {
    // -1 has the bits of a NaN.
    const FileSpec transpose =
        operatorFile(Code::TRANSPOSE, {integers({2, 2}), ints({1, 0})}, {integers({2, 2})});
    expectComputes<std::int32_t, std::int32_t>(transpose, {{-1, 0x7f800001, 3, INT32_MIN}},
                                               {{-1, 3, 0x7f800001, INT32_MIN}});
    const FileSpec reshape =
        operatorFile(Code::RESHAPE, {integers({2, 2}), ints({4, 1})}, {integers({4, 1})},
                     BuiltinOptions::ReshapeOptions,
                     optionsOf(schema::CreateReshapeOptions,
                               flatbuffers::Offset<flatbuffers::Vector<std::int32_t>>()));
    expectComputes<std::int32_t, std::int32_t>(reshape, {{-1, 2, 3, 4}}, {{-1, 2, 3, 4}});
    EXPECT_EQ(imported(reshape).model.main.operations.size(), 1U);
}

TEST(TfliteHalLimits, joinIntegersAndBooleans) {
    const auto file = [](const Argument& argument, const Argument& result) {
        return operatorFile(
            Code::CONCATENATION, {argument, argument}, {result},
            BuiltinOptions::ConcatenationOptions,
            optionsOf(schema::CreateConcatenationOptions, 1, schema::ActivationFunctionType::NONE));
    };
    expectComputes<std::int32_t, std::int32_t>(file(integers({2, 1}), integers({2, 2})),
                                               {{-1, 2}, {3, -4}}, {{-1, 3, 2, -4}});
    expectComputes<std::uint8_t, std::uint8_t>(file(booleans({2, 1}), booleans({2, 2})),
                                               {{1, 0}, {0, 1}}, {{1, 0, 0, 1}});
}

TEST(TfliteHalLimits, padIntegersAndBooleansWithTheirValue) {
    const Argument paddings = withContents(integers({1, 2}), bytesOf(Ints{1, 1}));
    expectComputes<std::int32_t, std::int32_t>(
        operatorFile(Code::PADV2, {integers({2}), paddings, intScalar(-1)}, {integers({4})}),
        {{5, 6}}, {{-1, 5, 6, -1}});
    const Argument yes = withContents(booleans({}), {1});
    expectComputes<std::uint8_t, std::uint8_t>(
        operatorFile(Code::PADV2, {booleans({2}), paddings, yes}, {booleans({4})}), {{0, 1}},
        {{1, 0, 1, 1}});
}

TEST(TfliteHalLimits, reduceAxesOfSize1WithTheirNeighbours) {
    const FileSpec file = operatorFile(Code::SUM, {real({2, 1, 2, 2, 2}), ints({1, 3})},
                                       {real({2, 2, 2})}, BuiltinOptions::ReducerOptions,
                                       optionsOf(schema::CreateReducerOptions, false));
    expectComputes<float, float>(file, {counted(16)}, {{2, 4, 10, 12, 18, 20, 26, 28}});
    const FileSpec none = operatorFile(Code::SUM, {real({2, 1, 2, 1, 1}), ints({1, 3})},
                                       {real({2, 2, 1})}, BuiltinOptions::ReducerOptions,
                                       optionsOf(schema::CreateReducerOptions, false));
    expectComputes<float, float>(none, {counted(4)}, {{0, 1, 2, 3}});
}

TEST(TfliteHalLimits, reshapeToAScalar) {
    const auto options = [](flatbuffers::FlatBufferBuilder& builder) {
        const auto noSizes = builder.CreateVector(std::vector<std::int32_t>());
        return schema::CreateReshapeOptions(builder, noSizes).Union();
    };
    const auto file = [&](std::int32_t size) {
        return operatorFile(Code::RESHAPE, {real({1, size})}, {real({})},
                            BuiltinOptions::ReshapeOptions, options);
    };
    expectComputes<float, float>(file(1), {{3.0F}}, {{3.0F}});
    EXPECT_NE(refusal(file(2)).find("no new shape"), std::string::npos);
}

TEST(TfliteHalLimits, selectBooleans) {
    expectComputes<std::uint8_t, std::uint8_t>(
        operatorFile(Code::SELECT_V2, {booleans({3}), booleans({3}), booleans({3})},
                     {booleans({3})}),
        {{1, 0, 1}, {0, 0, 1}, {1, 1, 0}}, {{0, 1, 1}});
}

TEST(TfliteHalLimits, selectFromTheConditionItself) {
    FileSpec file = operatorFile(Code::SELECT_V2, {booleans({3}), booleans({3})}, {booleans({3})});
    file.operators[0].inputs = {0, 0, 1};
    expectComputes<std::uint8_t, std::uint8_t>(file, {{1, 0, 1}, {1, 0, 0}}, {{1, 0, 1}});
    file.operators[0].inputs = {0, 1, 0};
    expectComputes<std::uint8_t, std::uint8_t>(file, {{1, 0, 1}, {1, 0, 0}}, {{1, 0, 0}});
}

TEST(TfliteHalLimits, addTensorsOfFiveAxes) {
    expectComputes<float, float>(
        operatorFile(Code::ADD, {real({1, 2, 1, 1, 2}), real({1, 1, 1, 2, 2})},
                     {real({1, 2, 1, 2, 2})}, BuiltinOptions::AddOptions, addOptions()),
        {{0, 1, 2, 3}, {10, 20, 30, 40}}, {{10, 21, 30, 41, 12, 23, 32, 43}});
}

TEST(TfliteHalLimits, transposeSixAxes) {
    // Depth to space as many models write it: only 4 axes stay apart.
    const Floats input = counted(16);
    expectComputes<float, float>(
        operatorFile(Code::TRANSPOSE, {real({1, 2, 2, 2, 2, 1}), ints({0, 1, 3, 2, 4, 5})},
                     {real({1, 2, 2, 2, 2, 1})}),
        {input}, {{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}});
    // An axis of size 1 is passed over: 5 axes, one of which is the batch.
    expectComputes<float, float>(
        operatorFile(Code::TRANSPOSE, {real({1, 2, 2, 2, 2}), ints({2, 0, 3, 1, 4})},
                     {real({2, 1, 2, 2, 2})}),
        {input}, {{0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15}});
}

/// `elements` of a tensor of this shape with its axes in another order.
template <class T>
std::vector<T> transposed(const std::vector<T>& elements, const Ints& shape, const Ints& order) {
    Ints strides(shape.size(), 1);  // of the elements
    for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
        strides[axis] = strides[axis + 1] * shape[axis + 1];
    }
    std::vector<T> result;
    for (std::int32_t i = 0; std::cmp_less(i, elements.size()); ++i) {
        std::int32_t rest = i;
        std::int32_t from = 0;
        for (std::size_t place = order.size(); place-- > 0;) {
            const auto axis = static_cast<std::size_t>(order[place]);
            from += rest % shape[axis] * strides[axis];
            rest /= shape[axis];
        }
        result.push_back(elements[static_cast<std::size_t>(from)]);
    }
    return result;
}

template <class T>
void expectTransposes(Argument input, const Ints& shape, const Ints& order) {
    input.tensor.shape = shape;
    Argument output = input;
    output.tensor.shape.clear();
    for (const std::int32_t axis : order) {
        output.tensor.shape.push_back(shape[static_cast<std::size_t>(axis)]);
    }
    const auto count = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
    std::vector<T> elements(static_cast<std::size_t>(count));
    std::iota(elements.begin(), elements.end(), T{0});
    expectComputes<T, T>(operatorFile(Code::TRANSPOSE, {input, ints(order)}, {output}), {elements},
                         {transposed(elements, shape, order)});
}

TEST(TfliteHalLimits, transposeMoreAxesThanStayApart) {
    const Ints shuffle{0, 1, 4, 2, 5, 3};  // of pixels
    expectTransposes<float>(real({}), {1, 3, 2, 2, 2, 2}, shuffle);
    expectTransposes<std::int32_t>(integers({}), {1, 3, 2, 2, 2, 2}, shuffle);
    expectTransposes<std::int8_t>(quantized({}, TensorType::INT8, 0.5F, 3), {1, 3, 2, 2, 2, 2},
                                  shuffle);
    expectTransposes<std::uint8_t>(booleans({}), {1, 3, 1, 2, 2, 2}, {5, 3, 1, 4, 2, 0});
    expectTransposes<float>(real({}), {2, 3, 4, 2, 3, 2}, {5, 4, 3, 2, 1, 0});
    expectTransposes<float>(real({}), {2, 3, 4, 5, 6}, {4, 2, 0, 3, 1});
}

// ---- Scales

TEST(TfliteHalLimits, keepBytesWhereTheScaleChanges) {
    const auto bytes = [](std::vector<std::int32_t> shape, float scale, std::int64_t zeroPoint) {
        return quantized(std::move(shape), TensorType::UINT8, scale, zeroPoint);
    };
    expectComputes<std::uint8_t, std::uint8_t>(
        operatorFile(Code::RESHAPE, {bytes({2, 2}, 0.5F, 0), ints({4})}, {bytes({4}, 0.25F, 3)}),
        {{0, 1, 3, 255}}, {{0, 1, 3, 255}});
    expectComputes<std::uint8_t, std::uint8_t>(
        operatorFile(Code::SPLIT, {intScalar(0), bytes({4}, 0.5F, 0)},
                     {bytes({2}, 0.5F, 1), bytes({2}, 0.25F, 0)}, BuiltinOptions::SplitOptions,
                     optionsOf(schema::CreateSplitOptions, 2)),
        {{1, 2, 3, 4}}, {{1, 2}, {3, 4}});
    // A scalar, which has one dimension already.
    expectComputes<std::uint8_t, std::uint8_t>(
        operatorFile(Code::EXPAND_DIMS, {bytes({}, 0.5F, 0), intScalar(0)}, {bytes({1}, 0.25F, 3)}),
        {{7}}, {{7}});
    expectComputes<std::uint8_t, std::uint8_t>(
        operatorFile(Code::MAX_POOL_2D, {bytes({1, 2, 2, 1}, 0.5F, 0)},
                     {bytes({1, 1, 1, 1}, std::nextafter(0.5F, 1.0F), 0)},
                     BuiltinOptions::Pool2DOptions,
                     optionsOf(schema::CreatePool2DOptions, schema::Padding::VALID, 2, 2, 2, 2,
                               schema::ActivationFunctionType::NONE)),
        {{1, 7, 3, 4}}, {{7}});
}

TEST(TfliteHalLimits, reduceFiveAxes) {
    const auto file = [](bool keeps, std::vector<std::int32_t> result) {
        return operatorFile(Code::SUM, {real({2, 1, 2, 2, 2}), ints({-1, 0})},
                            {real(std::move(result))}, BuiltinOptions::ReducerOptions,
                            optionsOf(schema::CreateReducerOptions, keeps));
    };
    expectComputes<float, float>(file(false, {1, 2, 2}), {counted(16)}, {{18, 26, 34, 42}});
    expectComputes<float, float>(file(true, {1, 1, 2, 2, 1}), {counted(16)}, {{18, 26, 34, 42}});
}

TEST(TfliteHalLimits, padAndSliceFiveAxes) {
    const Argument paddings =
        withContents(integers({5, 2}), bytesOf(Ints{0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
    expectComputes<float, float>(
        operatorFile(Code::PAD, {real({1, 1, 1, 2, 2}), paddings}, {real({1, 1, 2, 2, 3})}),
        {{1, 2, 3, 4}}, {{0, 0, 0, 0, 0, 0, 1, 2, 0, 3, 4, 0}});
    expectComputes<float, float>(
        operatorFile(Code::SLICE,
                     {real({1, 2, 2, 2, 2}), ints({0, 1, 0, 1, 0}), ints({1, 1, -1, 1, 2})},
                     {real({1, 1, 2, 1, 2})}),
        {counted(16)}, {{10, 11, 14, 15}});
}

TEST(TfliteHalLimits, stepThroughAndDropAxesOfFive) {
    const FileSpec file =
        operatorFile(Code::STRIDED_SLICE,
                     {real({2, 1, 2, 2, 2}), ints({0, 0, 1, 0, 0}), ints({2, 1, 2, 2, 2}),
                      ints({1, 1, 1, 1, 2})},
                     {real({2, 1, 2, 1})}, BuiltinOptions::StridedSliceOptions,
                     optionsOf(schema::CreateStridedSliceOptions, 0, 0, 0, 0, 0b100, false));
    expectComputes<float, float>(file, {counted(16)}, {{4, 6, 12, 14}});
}

TEST(TfliteHalLimits, softmaxAlongTheLastOfFiveAxes) {
    expectComputes<float, float>(
        operatorFile(Code::SOFTMAX, {real({1, 2, 1, 1, 2})}, {real({1, 2, 1, 1, 2})},
                     BuiltinOptions::SoftmaxOptions, optionsOf(schema::CreateSoftmaxOptions, 1.0F)),
        {{3, 3, -1, -1}}, {{0.5F, 0.5F, 0.5F, 0.5F}});
}

TEST(TfliteHalLimits, leaveFiveAxesThatCannotBeJoinedToTheDevice) {
    const auto model = importTflite(
        serialize(operatorFile(Code::ADD, {real({2, 1, 2, 1, 2}), real({1, 2, 1, 2, 1})},
                               {real({2, 2, 2, 2, 2})}, BuiltinOptions::AddOptions, addOptions())));
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->model.main.operations.size(), 1U);
    EXPECT_FALSE(exec::CompiledModel::compile(exec::makeEngine(false), resolved(model->model)));
}

TEST(TfliteHalLimits, leaveNoPartOfAFormForWhichThereAreTooFewBytesOfConstants) {
    // ADD on five axes takes a BITCAST for each input and for the output, whose shapes are
    // constants of 4, 4 and 20 bytes. Before it come constants that share one buffer.
    constexpr std::int32_t kShares = 17;
    constexpr std::size_t kMiB = 1 << 20;
    const auto file = [](std::size_t bufferBytes) {
        FileSpec spec =
            operatorFile(Code::ADD, {real({2, 2, 2, 2, 2}), real({2, 2, 2, 2, 2})},
                         {real({2, 2, 2, 2, 2})}, BuiltinOptions::AddOptions, addOptions());
        spec.buffers.emplace_back(bufferBytes);
        const auto buffer = static_cast<std::uint32_t>(spec.buffers.size() - 1);
        const std::vector<std::int32_t> shape{static_cast<std::int32_t>(bufferBytes / 4)};
        const OperatorSpec add = spec.operators[0];
        for (std::int32_t i = 0; i < kShares; ++i) {
            const auto next = static_cast<std::int32_t>(spec.tensors.size());
            spec.tensors.push_back({.shape = shape, .buffer = buffer});
            spec.tensors.push_back({.shape = shape});
            spec.operators.insert(spec.operators.begin(), add);
            spec.operators.front().inputs = {next, next};
            spec.operators.front().outputs = {next + 1};
        }
        return spec;
    };
    // Constants may take 16 times the size of the file and 1 MiB. Sizes of files are rounded up.
    const std::size_t otherBytes = serialize(file(kMiB)).size() - kMiB;
    const auto operationsWithLeft = [&](std::size_t bytesLeft) -> std::size_t {
        for (std::size_t more = 0; more < 1024; more += 4) {
            const std::size_t bufferBytes = kMiB + 16 * otherBytes - 512 + more;
            const auto bytes = serialize(file(bufferBytes));
            if (16 * bytes.size() + kMiB == kShares * bufferBytes + bytesLeft) {
                const auto model = importTflite(bytes);
                EXPECT_TRUE(model) << model.error().message;
                return model ? model->model.main.operations.size() : 0;
            }
        }
        ADD_FAILURE() << "no file leaves " << bytesLeft << " bytes";
        return 0;
    };
    EXPECT_EQ(operationsWithLeft(28), kShares + 4U);
    for (const std::size_t bytesLeft : {0U, 4U, 8U, 24U}) {  // none, one or both inputs
        EXPECT_EQ(operationsWithLeft(bytesLeft), kShares + 1U) << bytesLeft;
    }
}

TEST(TfliteHalLimits, bitcastKeepsBits) {
    expectComputes<std::int32_t, float>(
        operatorFile(Code::BITCAST, {real({2})}, {integers({2})}), {{1.0F, -2.0F}},
        {{std::bit_cast<std::int32_t>(1.0F), std::bit_cast<std::int32_t>(-2.0F)}});
    const auto other =
        importTflite(serialize(operatorFile(Code::BITCAST, {real({2})}, {booleans({2})})));
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_FALSE(exec::CompiledModel::compile(exec::makeEngine(false), resolved(other->model)));
}

}  // namespace
}  // namespace nnburst::hal_limits_test
