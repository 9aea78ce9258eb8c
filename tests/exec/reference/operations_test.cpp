// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "exec/operation/operation.h"
#include "exec/reference/operations.h"
#include "exec/reference/test_operation.h"
#include "nnburst/type_queries.h"

namespace nnburst::exec {
namespace {

TEST(FindOperation, givesEachCodeItsOwnDefinition) {
    for (const OperationType type : kOperationTypes) {
        const OperationDefinition* definition = findOperation(type);
        ASSERT_NE(definition, nullptr) << toString(type);
        EXPECT_EQ(definition->type, type) << toString(type);
        EXPECT_NE(definition->check, nullptr) << toString(type);
        if (!isControlFlow(type)) {
            EXPECT_NE(definition->inferShapes, nullptr) << toString(type);
            EXPECT_NE(definition->run == nullptr, definition->runShrinking == nullptr)
                << toString(type);
        }
    }
}

TEST(FindOperation, givesNothingForCodesOfNoOperation) {
    for (const std::int32_t code : {-1, kOperationTypeEnd, 10000, INT32_MIN, INT32_MAX}) {
        EXPECT_EQ(findOperation(static_cast<OperationType>(code)), nullptr) << code;
    }
}

// ---- Scalars that come with the request

struct Copies {
    std::size_t count;
    TestOperand operand;
};

std::vector<TestOperand> joined(std::initializer_list<Copies> parts) {
    std::vector<TestOperand> operands;
    for (const Copies& part : parts) {
        operands.insert(operands.end(), part.count, part.operand);
    }
    return operands;
}

/// LSTMs of one unit, in all forms.
std::vector<TestOperation> lstmsWithOpenScalars() {
    using enum OperandType;
    using enum OperationType;
    const TestOperand integer = tensor(INT32);
    const TestOperand real = tensor(FLOAT32);
    const TestOperand flag = tensor(BOOL);
    const TestOperand row = tensor(TENSOR_FLOAT32, {1});
    const TestOperand matrix = tensor(TENSOR_FLOAT32, {1, 1});
    const TestOperand series = tensor(TENSOR_FLOAT32, {1, 1, 1});
    const TestOperand any = tensor(TENSOR_FLOAT32);
    const TestOperand bytes = tensor(TENSOR_QUANT8_ASYMM_SIGNED, {1, 1}, 1.0F);
    const TestOperand weights = tensor(TENSOR_QUANT8_SYMM, {1, 1}, 1.0F);
    const TestOperand words = tensor(TENSOR_QUANT16_SYMM, {1}, 1.0F);
    const TestOperand cell = tensor(TENSOR_QUANT16_SYMM, {1, 1}, 0x1p-11F);
    const TestOperand bias = tensor(TENSOR_INT32, {1});
    return {
        {LSTM,
         joined({{9, matrix},
                 {7, row},
                 {1, matrix},
                 {1, row},
                 {2, matrix},
                 {1, integer},
                 {2, real},
                 {4, row}}),
         {any, any, any, any}},
        {UNIDIRECTIONAL_SEQUENCE_LSTM,
         joined({{1, series},
                 {8, matrix},
                 {7, row},
                 {1, matrix},
                 {1, row},
                 {2, matrix},
                 {1, integer},
                 {2, real},
                 {1, flag},
                 {4, row}}),
         {any}},
        {BIDIRECTIONAL_SEQUENCE_LSTM,
         joined({{1, series},
                 {8, matrix},
                 {7, row},
                 {1, matrix},
                 {1, row},
                 {8, matrix},
                 {7, row},
                 {1, matrix},
                 {1, row},
                 {4, matrix},
                 {1, series},
                 {8, matrix},
                 {1, integer},
                 {2, real},
                 {2, flag},
                 {8, row}}),
         {any, any}},
        {QUANTIZED_LSTM,
         joined({{1, bytes},
                 {8, weights},
                 {3, words},
                 {4, bias},
                 {1, weights},
                 {1, bias},
                 {1, bytes},
                 {1, cell},
                 {4, words},
                 {6, real},
                 {1, integer},
                 {1, real}}),
         {bytes, cell, bytes}},
    };
}

/// Operations whose operands are right and whose scalars are not known before the request.
std::vector<TestOperation> operationsWithOpenScalars() {
    using enum OperandType;
    using enum OperationType;
    const auto real32 = [](Dimensions dimensions) {
        return tensor(TENSOR_FLOAT32, std::move(dimensions));
    };
    const auto int32 = [](Dimensions dimensions) {
        return tensor(TENSOR_INT32, std::move(dimensions));
    };
    const TestOperand integer = tensor(INT32);
    const TestOperand real = tensor(FLOAT32);
    const TestOperand flag = tensor(BOOL);
    const TestOperand row = real32({1});
    const TestOperand matrix = real32({1, 1});
    const TestOperand series = real32({1, 1, 1});
    const TestOperand image = real32({1, 1, 1, 1});
    const TestOperand boxes = real32({1, 4});
    const TestOperand none = omitted(TENSOR_FLOAT32);
    const TestOperand any = tensor(TENSOR_FLOAT32);
    const TestOperand indexes = tensor(TENSOR_INT32);
    std::vector<TestOperation> operations{
        {CONV_2D, joined({{2, image}, {1, row}, {7, integer}, {1, flag}, {2, integer}}), {any}},
        {DEPTHWISE_CONV_2D,
         joined({{2, image}, {1, row}, {8, integer}, {1, flag}, {2, integer}}),
         {any}},
        {GROUPED_CONV_2D, joined({{2, image}, {1, row}, {8, integer}, {1, flag}}), {any}},
        {TRANSPOSE_CONV_2D, joined({{2, image}, {1, row}, {7, integer}, {1, flag}}), {any}},
        {TRANSPOSE_CONV_2D,
         joined({{2, image}, {1, row}, {1, int32({4})}, {4, integer}, {1, flag}}),
         {any}},
        {AVERAGE_POOL_2D, joined({{1, image}, {6, integer}, {1, flag}}), {any}},
        {RESIZE_BILINEAR, joined({{1, image}, {2, integer}, {3, flag}}), {any}},
        {RESIZE_NEAREST_NEIGHBOR, joined({{1, image}, {2, real}, {3, flag}}), {any}},
        {DEPTH_TO_SPACE, joined({{1, image}, {1, integer}, {1, flag}}), {any}},
        {SPACE_TO_DEPTH, joined({{1, image}, {1, integer}, {1, flag}}), {any}},
        {BATCH_TO_SPACE_ND, joined({{1, image}, {1, int32({2})}, {1, flag}}), {any}},
        {SPACE_TO_BATCH_ND,
         joined({{1, image}, {1, int32({2})}, {1, int32({2, 2})}, {1, flag}}),
         {any}},
        {SOFTMAX, joined({{1, matrix}, {1, real}, {1, integer}}), {any}},
        {L2_NORMALIZATION, joined({{1, matrix}, {1, integer}}), {any}},
        {LOCAL_RESPONSE_NORMALIZATION,
         joined({{1, matrix}, {1, integer}, {3, real}, {1, integer}}),
         {any}},
        {INSTANCE_NORMALIZATION, joined({{1, image}, {3, real}, {1, flag}}), {any}},
        {FULLY_CONNECTED, joined({{2, matrix}, {1, row}, {1, integer}}), {any}},
        {STRIDED_SLICE, joined({{1, row}, {3, int32({1})}, {3, integer}}), {any}},
        {RNN, joined({{3, matrix}, {1, row}, {1, matrix}, {1, integer}}), {any, any}},
        {SVDF, joined({{3, matrix}, {1, row}, {1, matrix}, {2, integer}}), {any, any}},
        {UNIDIRECTIONAL_SEQUENCE_RNN,
         joined({{1, series}, {2, matrix}, {1, row}, {1, matrix}, {2, integer}}),
         {any}},
        {BIDIRECTIONAL_SEQUENCE_RNN,
         joined({{1, series},
                 {2, matrix},
                 {1, row},
                 {3, matrix},
                 {1, row},
                 {1, matrix},
                 {3, none},
                 {1, integer},
                 {2, flag}}),
         {any, any}},
        {BOX_WITH_NMS_LIMIT,
         joined({{1, real32({1, 2})},
                 {1, real32({1, 8})},
                 {1, int32({1})},
                 {1, real},
                 {2, integer},
                 {3, real}}),
         {any, any, indexes, indexes}},
        {DETECTION_POSTPROCESSING,
         joined({{1, real32({1, 1, 2})},
                 {1, real32({1, 1, 4})},
                 {1, boxes},
                 {4, real},
                 {1, flag},
                 {3, integer},
                 {2, real},
                 {1, flag}}),
         {any, any, indexes, indexes}},
        {GENERATE_PROPOSALS,
         joined({{1, image},
                 {1, real32({1, 1, 1, 4})},
                 {1, boxes},
                 {1, real32({1, 2})},
                 {2, real},
                 {2, integer},
                 {2, real},
                 {1, flag}}),
         {any, any, indexes}},
        {HEATMAP_MAX_KEYPOINT,
         joined({{1, real32({1, 2, 2, 1})}, {1, boxes}, {1, flag}}),
         {any, any}},
        {ROI_ALIGN,
         joined({{1, image},
                 {1, boxes},
                 {1, int32({1})},
                 {2, integer},
                 {2, real},
                 {2, integer},
                 {1, flag}}),
         {any}},
        {ROI_POOLING,
         joined({{1, image}, {1, boxes}, {1, int32({1})}, {2, integer}, {2, real}, {1, flag}}),
         {any}},
    };
    const std::vector<TestOperation> lstms = lstmsWithOpenScalars();
    operations.insert(operations.end(), lstms.begin(), lstms.end());
    return operations;
}

bool isInvalid(TestOperation operation) {
    const Result<> checked = operation.check();
    return !checked && checked.error().status == ErrorStatus::INVALID_ARGUMENT;
}

TEST(OpenScalars, hideNoWrongTypeRankOrNumberOfOutputs) {
    for (const TestOperation& valid : operationsWithOpenScalars()) {
        SCOPED_TRACE(toString(valid.type));
        TestOperation operation = valid;
        const Result<> checked = operation.check();
        ASSERT_FALSE(checked);
        EXPECT_NE(checked.error().message.find("its value is not known yet"), std::string::npos)
            << checked.error().message;
        for (std::size_t i = 0; i < valid.inputs.size(); ++i) {
            operation = valid;
            operation.inputs[i].type = OperandType::UINT32;  // of no operation
            EXPECT_TRUE(isInvalid(operation)) << "type of input " << i;
            operation = valid;
            operation.inputs[i].dimensions = Dimensions(7, 1);
            if (isTensor(valid.inputs[i].type) && !valid.inputs[i].isOmitted) {
                EXPECT_TRUE(isInvalid(operation)) << "rank of input " << i;
            }
        }
        for (std::size_t i = 0; i < valid.outputs.size(); ++i) {
            operation = valid;
            operation.outputs[i].type = OperandType::UINT32;
            EXPECT_TRUE(isInvalid(operation)) << "type of output " << i;
        }
        operation = valid;
        operation.outputs.insert(operation.outputs.end(), 6, valid.outputs[0]);
        EXPECT_TRUE(isInvalid(operation)) << operation.outputs.size() << " outputs";
    }
}

TEST(OpenScalars, thatAreFlagsAreLeftOutOnlyIfTheyHaveADefault) {
    using enum OperationType;
    constexpr std::array kHaveDefaults{
        CONV_2D,           DEPTHWISE_CONV_2D, AVERAGE_POOL_2D,
        RESIZE_BILINEAR,   SPACE_TO_DEPTH,    RESIZE_NEAREST_NEIGHBOR,
        SPACE_TO_BATCH_ND, DEPTH_TO_SPACE,    BATCH_TO_SPACE_ND};
    for (const TestOperation& valid : operationsWithOpenScalars()) {
        const bool hasDefaults = std::find(kHaveDefaults.begin(), kHaveDefaults.end(),
                                           valid.type) != kHaveDefaults.end();
        for (std::size_t i = 0; i < valid.inputs.size(); ++i) {
            if (valid.inputs[i].type != OperandType::BOOL) {
                continue;
            }
            SCOPED_TRACE(std::string(toString(valid.type)) + " input " + std::to_string(i));
            TestOperation operation = valid;
            operation.inputs[i] = omitted(OperandType::BOOL);
            EXPECT_EQ(isInvalid(operation), !hasDefaults);
            const Result<> checked = operation.check();
            const std::string message = checked ? "" : checked.error().message;
            EXPECT_EQ(message.find("left out; must be given") == std::string::npos, hasDefaults)
                << message;
            EXPECT_TRUE(hasDefaults ||
                        message.find("input " + std::to_string(i) + " (") != std::string::npos)
                << message;
        }
    }
}

}  // namespace
}  // namespace nnburst::exec
