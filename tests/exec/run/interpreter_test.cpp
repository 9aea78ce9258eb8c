// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Models whose shapes are known only while they run, through CompiledModel.

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "account/account.h"
#include "exec/threads/execution_gate.h"
#include "support/allocation_counter.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

constexpr auto kTensorType = OperandType::TENSOR_FLOAT32;
constexpr auto kInt = OperandType::TENSOR_INT32;

/// y = reshape(2 x, shape) * 2, where x and shape are inputs of the model.
Model reshapeModel() {
    ModelBuilder builder;
    const auto x = builder.addTensor(kTensorType, {2, 3});
    const auto shape = builder.addTensor(kInt, {2});
    const auto twice = builder.addTensor(kTensorType, {2, 3});
    const auto reshaped = builder.addTensor(kTensorType, {});
    const auto y = builder.addTensor(kTensorType, {0, 0});
    builder.addOperation(OperationType::ADD, {x, x, builder.addScalar(0)}, {twice});
    builder.addOperation(OperationType::RESHAPE, {twice, shape}, {reshaped});
    builder.addOperation(OperationType::ADD, {reshaped, reshaped, builder.addScalar(0)}, {y});
    return build(builder, {x, shape}, {y});
}

const std::vector<float> kOneToSix{1, 2, 3, 4, 5, 6};
const std::vector<float> kFourTimes{4, 8, 12, 16, 20, 24};

TEST(Interpreter, findsShapesThatValuesOfTheRequestDecide) {
    for (const bool useXnnpack : {false, true}) {
        const auto compiled = compile(reshapeModel(), useXnnpack);
        ASSERT_TRUE(compiled);
        for (const std::vector<std::int32_t>& shape :
             {std::vector{3, 2}, std::vector{3, 2}, std::vector{1, 6}, std::vector{6, -1}}) {
            TestRequest request;
            request.addInput(bytesOf(kOneToSix));
            request.addInput(bytesOf(shape));
            request.addOutput(6 * sizeof(float));
            const auto run = request.run(*compiled);
            ASSERT_TRUE(run) << run.error().message;
            EXPECT_EQ(floats(request.output(0)), kFourTimes);
            const auto rows = static_cast<std::uint32_t>(shape[0]);
            EXPECT_EQ(request.outcome().outputShapes[0].dimensions, (Dimensions{rows, 6 / rows}));
        }
    }
}

/// Of the size that the request gives: the first rows of x, two rows of padding above and below,
/// then the sums of 3x3 pixels, plus 3.
Model paddedSliceModel() {
    ModelBuilder builder;
    const auto x = builder.addTensor(kTensorType, {1, 4, 4, 1});
    const auto sizes = builder.addTensor(kInt, {4});
    const auto sliced = builder.addTensor(kTensorType, {1, 0, 4, 1});
    const auto padded = builder.addTensor(kTensorType, {1, 0, 4, 1});
    const auto y = builder.addTensor(kTensorType, {1, 0, 2, 1});
    const auto begin =
        builder.addConstant(kInt, {4}, bytesOf(std::vector<std::int32_t>{0, 0, 0, 0}));
    const auto paddings = builder.addConstant(
        kInt, {4, 2}, bytesOf(std::vector<std::int32_t>{0, 0, 2, 2, 0, 0, 0, 0}));
    const auto filter =
        builder.addConstant(kTensorType, {1, 3, 3, 1}, bytesOf(std::vector<float>(9, 1.0F)));
    const auto bias = builder.addConstant(kTensorType, {1}, bytesOf(std::vector<float>{3}));
    std::vector<std::uint32_t> inputs{padded, filter, bias};
    for (const std::int32_t value : {2, 1, 1, 0}) {
        inputs.push_back(builder.addScalar(value));
    }
    builder.addOperation(OperationType::SLICE, {x, begin, sizes}, {sliced});
    builder.addOperation(OperationType::PAD, {sliced, paddings}, {padded});
    builder.addOperation(OperationType::CONV_2D, inputs, {y});
    return build(builder, {x, sizes}, {y});
}

TEST(Interpreter, convolvesThePaddingOfAnImageWithoutRows) {
    struct Case {
        std::int32_t rows;
        std::vector<float> sums;
    };
    for (const bool useXnnpack : {false, true}) {
        const auto compiled = compile(paddedSliceModel(), useXnnpack);
        ASSERT_TRUE(compiled);
        for (const auto& [rows, sums] :
             {Case{0, {3, 3, 3, 3}}, Case{2, {6, 6, 9, 9, 9, 9, 6, 6}}}) {
            TestRequest request;
            request.addInput(bytesOf(std::vector<float>(16, 1.0F)));
            request.addInput(bytesOf(std::vector<std::int32_t>{1, rows, 4, 1}));
            request.addOutput(sums.size() * sizeof(float));
            const auto run = request.run(*compiled);
            ASSERT_TRUE(run) << run.error().message;
            EXPECT_EQ(floats(request.output(0)), sums);
        }
    }
}

/// The operations that want their output to have the shape of their input.
TEST(Interpreter, findsTheShapesOfEachRunAnew) {
    for (const OperationType type : {OperationType::RELU, OperationType::FLOOR, OperationType::TANH,
                                     OperationType::LOGISTIC}) {
        ModelBuilder builder;
        const auto x = builder.addTensor(kTensorType, {2, 3});
        const auto shape = builder.addTensor(kInt, {2});
        const auto reshaped = builder.addTensor(kTensorType, {});
        const auto y = builder.addTensor(kTensorType, {});
        builder.addOperation(OperationType::RESHAPE, {x, shape}, {reshaped});
        builder.addOperation(type, {reshaped}, {y});
        const auto compiled = compile(build(builder, {x, shape}, {y}), true);
        ASSERT_TRUE(compiled);
        for (const std::vector<std::int32_t>& sizes :
             {std::vector{3, 2}, std::vector{1, 6}, std::vector{3, 2}, std::vector{6, 1}}) {
            TestRequest request;
            request.addInput(bytesOf(kOneToSix));
            request.addInput(bytesOf(sizes));
            request.addOutput(6 * sizeof(float));
            const auto run = request.run(*compiled);
            ASSERT_TRUE(run) << toString(type) << ": " << run.error().message;
            EXPECT_EQ(request.outcome().outputShapes[0].dimensions,
                      (Dimensions{static_cast<std::uint32_t>(sizes[0]),
                                  static_cast<std::uint32_t>(sizes[1])}));
        }
    }
}

/// One operation whose scalars are inputs.
TEST(Interpreter, takesAnotherShapeBesideScalarsOfTheRequest) {
    ModelBuilder builder;
    const auto x = builder.addTensor(kTensorType, {0, 0});
    const auto beta = builder.addTensor(OperandType::FLOAT32, {});
    const auto y = builder.addTensor(kTensorType, {0, 0});
    builder.addOperation(OperationType::SOFTMAX, {x, beta}, {y});
    const auto compiled = compile(build(builder, {x, beta}, {y}), true);
    ASSERT_TRUE(compiled);
    for (const Dimensions& dimensions : {Dimensions{2, 3}, Dimensions{3, 2}, Dimensions{2, 3}}) {
        TestRequest request;
        request.addInput(bytesOf(kOneToSix), dimensions);
        request.addInput(bytesOf(std::vector<float>{1}));
        request.addOutput(6 * sizeof(float));
        const auto run = request.run(*compiled);
        ASSERT_TRUE(run) << run.error().message;
        EXPECT_EQ(request.outcome().outputShapes[0].dimensions, dimensions);
    }
}

TEST(Interpreter, reportsTheShapeOfAnOutputThatIsTooSmall) {
    const auto compiled = compile(reshapeModel(), true);
    const std::vector<std::int32_t> shape{3, 2};
    TestRequest request;
    request.addInput(bytesOf(kOneToSix));
    request.addInput(bytesOf(shape));
    request.addOutput(6 * sizeof(float) - 1);
    const auto run = request.run(*compiled);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_EQ(request.outcome().outputShapes[0].dimensions, (Dimensions{3, 2}));
    EXPECT_FALSE(request.outcome().outputShapes[0].isSufficient);
}

TEST(Interpreter, refusesValuesThatDoNotFit) {
    const auto compiled = compile(reshapeModel(), true);
    for (const std::vector<std::int32_t>& shape :
         {std::vector{4, 2}, std::vector{-2, 3}, std::vector{65536, 65536}}) {
        TestRequest request;
        request.addInput(bytesOf(kOneToSix));
        request.addInput(bytesOf(shape));
        request.addOutput(64);
        const auto run = request.run(*compiled);
        ASSERT_FALSE(run);
        EXPECT_EQ(run.error().status, ErrorStatus::INVALID_ARGUMENT);
        EXPECT_NE(run.error().message.find("operation 1: RESHAPE"), std::string::npos)
            << run.error().message;
    }
}

TEST(Interpreter, allocatesNothingWhileShapesStayTheSame) {
    for (const bool useXnnpack : {false, true}) {
        const auto compiled = compile(reshapeModel(), useXnnpack);
        const std::vector<std::int32_t> shape{3, 2};
        TestRequest request;
        request.addInput(bytesOf(kOneToSix));
        request.addInput(bytesOf(shape));
        request.addOutput(6 * sizeof(float));
        ASSERT_TRUE(request.run(*compiled));
        ASSERT_TRUE(request.run(*compiled));
        const std::uint64_t before = test::allocationCount();
        const auto run = request.run(*compiled);
        EXPECT_EQ(test::allocationCount(), before);
        EXPECT_TRUE(run);
    }
}

/// y = reshape(x, shape) > 0 for 65,536 bytes, where shape is an input of the model: a step with a
/// table.
Model comparisonOfReshapedModel() {
    constexpr auto kBytes = OperandType::TENSOR_QUANT8_ASYMM;
    ModelBuilder builder;
    const auto x = builder.addTensor(kBytes, {256, 256}, 0.5F, 10);
    const auto shape = builder.addTensor(kInt, {2});
    const auto reshaped = builder.addTensor(kBytes, {}, 0.5F, 10);
    const auto zero =
        builder.addConstant(kBytes, {1}, bytesOf(std::vector<std::uint8_t>{10}), 0.5F, 10);
    const auto y = builder.addTensor(OperandType::TENSOR_BOOL8, {0, 0});
    builder.addOperation(OperationType::RESHAPE, {x, shape}, {reshaped});
    builder.addOperation(OperationType::GREATER, {reshaped, zero}, {y});
    return build(builder, {x, shape}, {y});
}

/// Memory that a client is charged for after it has run that model on these shapes.
std::uint64_t chargedBytes(bool useDotProducts,
                           const std::vector<std::vector<std::int32_t>>& shapes) {
    constexpr std::size_t kElements = std::size_t{256} * 256;
    Amounts limits;
    limits[Resource::MEMORY] = 16 * kElements;
    const SharedAccount account = Account::create("client", limits);
    LaneShare client(nullptr, account);
    const auto compiled = compile(comparisonOfReshapedModel(), true, 1, useDotProducts);
    for (const std::vector<std::int32_t>& shape : shapes) {
        TestRequest request;
        request.addInput(std::vector<std::byte>(kElements));
        request.addInput(bytesOf(shape));
        request.addOutput(kElements);
        const auto run = request.runFor(client, *compiled);
        EXPECT_TRUE(run) << run.error().message;
    }
    return account->usage(Resource::MEMORY).used;
}

TEST(Interpreter, chargesWhatItsStepsKeep) {
    if (makeEngine(true)->packedFor().kernels == nullptr) {
        GTEST_SKIP() << "this processor has no instructions for dot products";
    }
    const std::uint64_t without = chargedBytes(false, {{256, 256}});
    const std::uint64_t with = chargedBytes(true, {{256, 256}});
    EXPECT_GE(with, without + 65536);
    // A step that takes the place of another one takes over its charge.
    EXPECT_EQ(chargedBytes(true, {{256, 256}, {128, 512}, {512, 128}}), with);
}

TEST(Interpreter, chargesTheScratchMemoryOfOperations) {
    constexpr auto kBytes = OperandType::TENSOR_QUANT8_ASYMM;
    constexpr std::uint32_t kSize = 256;
    ModelBuilder builder;
    const auto x = builder.addTensor(kBytes, {kSize, kSize}, 0.5F, 10);
    const auto axes = builder.addTensor(kInt, {1});
    const auto y = builder.addTensor(kBytes, {0}, 0.5F, 10);
    builder.addOperation(OperationType::REDUCE_MAX, {x, axes, builder.addScalar(false)}, {y});
    const auto compiled = compile(build(builder, {x, axes}, {y}), true);
    const auto runWith = [&](std::uint64_t limit) {
        Amounts limits;
        limits[Resource::MEMORY] = limit;
        LaneShare client(nullptr, Account::create("client", limits));
        TestRequest request;
        request.addInput(std::vector<std::byte>(std::size_t{kSize} * kSize));
        request.addInput(bytesOf(std::vector<std::int32_t>{1}));
        request.addOutput(kSize);
        return request.runFor(client, *compiled);
    };
    const auto refused = runWith(kSize);  // less than a word for each element of the output
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
    const auto run = runWith(std::uint64_t{64} * kSize);
    EXPECT_TRUE(run) << run.error().message;
}

TEST(Interpreter, chargesTheValuesThatItRemembersOfEachOperation) {
    constexpr auto kBytes = OperandType::TENSOR_QUANT8_ASYMM;
    constexpr std::uint32_t kAxes = 4096;
    constexpr std::uint64_t kAxesBytes = std::uint64_t{kAxes} * sizeof(std::int32_t);
    constexpr int kOperations = 8;
    ModelBuilder builder;
    const auto x = builder.addTensor(kBytes, {2, 2}, 0.5F, 10);
    const auto axes = builder.addTensor(kInt, {kAxes});
    std::vector<std::uint32_t> outputs;
    for (int i = 0; i < kOperations; ++i) {
        outputs.push_back(builder.addTensor(kBytes, {0}, 0.5F, 10));
        builder.addOperation(OperationType::REDUCE_MAX, {x, axes, builder.addScalar(false)},
                             {outputs.back()});
    }
    const auto compiled = compile(build(builder, {x, axes}, outputs), true);
    const auto runWith = [&](std::uint64_t limit) {
        Amounts limits;
        limits[Resource::MEMORY] = limit;
        LaneShare client(nullptr, Account::create("client", limits));
        TestRequest request;
        request.addInput(std::vector<std::byte>(4));
        request.addInput(bytesOf(std::vector<std::int32_t>(kAxes, 1)));
        for (int i = 0; i < kOperations; ++i) {
            request.addOutput(2);
        }
        return request.runFor(client, *compiled);
    };
    const auto refused = runWith(kOperations * kAxesBytes);
    ASSERT_FALSE(refused) << "one copy more than there are operations";
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    const auto run = runWith(3 * kOperations * kAxesBytes);
    EXPECT_TRUE(run) << run.error().message;
}

TEST(Interpreter, chargesTheAddressesThatAnOperatorKeeps) {
    constexpr std::uint32_t kSize = 64;
    constexpr std::uint64_t kTableBytes = std::uint64_t{kSize} * kSize * 9 * sizeof(const float*);
    ModelBuilder builder;
    const auto x = builder.addTensor(kTensorType, {1, kSize, kSize, 1});
    const auto filter =
        builder.addConstant(kTensorType, {2, 3, 3, 1}, bytesOf(std::vector<float>(18, 1.0F)));
    const auto bias = builder.addConstant(kTensorType, {2}, bytesOf(std::vector<float>(2)));
    const auto activation = builder.addTensor(OperandType::INT32, {});
    const auto y = builder.addTensor(kTensorType, {1, kSize, kSize, 2});
    const auto one = builder.addScalar(1);
    builder.addOperation(OperationType::CONV_2D, {x, filter, bias, one, one, one, activation}, {y});
    const auto compiled = compile(build(builder, {x, activation}, {y}), true);
    const auto runWith = [&](const SharedAccount& account) {
        LaneShare client(nullptr, account);
        TestRequest request;
        request.addInput(bytesOf(std::vector<float>(std::size_t{kSize} * kSize)));
        request.addInput(bytesOf(std::vector<std::int32_t>{0}));
        request.addOutput(std::size_t{kSize} * kSize * 2 * sizeof(float));
        return request.runFor(client, *compiled);
    };
    Amounts limits;
    limits[Resource::MEMORY] = kTableBytes - 1;
    const SharedAccount poor = Account::create("poor", limits);
    const auto refused = runWith(poor);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_LT(poor->usage(Resource::MEMORY).used, 1000U) << "the scalar alone";
    limits[Resource::MEMORY] = 2 * kTableBytes;
    const SharedAccount rich = Account::create("rich", limits);
    const auto run = runWith(rich);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_GE(rich->usage(Resource::MEMORY).used, kTableBytes);
}

TEST(Interpreter, takesScalarsOfTheRequest) {
    // The activation of an ADD: NONE, then RELU1.
    ModelBuilder builder;
    const auto x = builder.addTensor(kTensorType, {2, 3});
    const auto activation = builder.addTensor(OperandType::INT32, {});
    const auto y = builder.addTensor(kTensorType, {2, 3});
    builder.addOperation(OperationType::ADD, {x, x, activation}, {y});
    const Model model = build(builder, {x, activation}, {y});
    for (const bool useXnnpack : {false, true}) {
        const auto compiled = compile(model, useXnnpack);
        ASSERT_TRUE(compiled);
        const auto expectOutput = [&](std::int32_t value, const std::vector<float>& expected) {
            const std::vector<std::int32_t> values{value};
            TestRequest request;
            request.addInput(bytesOf(kOneToSix));
            request.addInput(bytesOf(values));
            request.addOutput(6 * sizeof(float));
            const auto run = request.run(*compiled);
            if (expected.empty()) {
                EXPECT_FALSE(run);
            } else {
                ASSERT_TRUE(run) << run.error().message;
                EXPECT_EQ(floats(request.output(0)), expected);
            }
        };
        expectOutput(0, {2, 4, 6, 8, 10, 12});
        expectOutput(2, {1, 1, 1, 1, 1, 1});
        expectOutput(3, {2, 4, 6, 6, 6, 6});
        expectOutput(7, {});
        expectOutput(0, {2, 4, 6, 8, 10, 12});
    }
}

TEST(Interpreter, checksTheDeadlineBeforeEachOperation) {
    const auto compiled = compile(reshapeModel(), true);
    const std::vector<std::int32_t> shape{3, 2};
    TestRequest request;
    request.addInput(bytesOf(kOneToSix));
    request.addInput(bytesOf(shape));
    request.addOutput(6 * sizeof(float));
    ExecutionOptions options;
    options.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    const auto run = request.run(*compiled, options);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
}

}  // namespace
}  // namespace nnburst::exec
