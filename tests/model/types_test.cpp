// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The HAL's numeric codes, written down a second time: they travel between processes and lie in
// files, so that none may ever change (neuralnetworks 1.3 types.hal and what it imports).

#include "nnburst/types.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace nnburst {
namespace {

template <class Enum>
constexpr bool hasCode(Enum value, std::int32_t code) {
    return static_cast<std::int32_t>(value) == code;
}

static_assert(hasCode(OperandType::FLOAT32, 0));
static_assert(hasCode(OperandType::INT32, 1));
static_assert(hasCode(OperandType::UINT32, 2));
static_assert(hasCode(OperandType::TENSOR_FLOAT32, 3));
static_assert(hasCode(OperandType::TENSOR_INT32, 4));
static_assert(hasCode(OperandType::TENSOR_QUANT8_ASYMM, 5));
static_assert(hasCode(OperandType::BOOL, 6));
static_assert(hasCode(OperandType::TENSOR_QUANT16_SYMM, 7));
static_assert(hasCode(OperandType::TENSOR_FLOAT16, 8));
static_assert(hasCode(OperandType::TENSOR_BOOL8, 9));
static_assert(hasCode(OperandType::FLOAT16, 10));
static_assert(hasCode(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, 11));
static_assert(hasCode(OperandType::TENSOR_QUANT16_ASYMM, 12));
static_assert(hasCode(OperandType::TENSOR_QUANT8_SYMM, 13));
static_assert(hasCode(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, 14));
static_assert(hasCode(OperandType::SUBGRAPH, 15));
static_assert(hasCode(OperandType::OEM, 10000));
static_assert(hasCode(OperandType::TENSOR_OEM_BYTE, 10001));

static_assert(hasCode(OperationType::ADD, 0));
static_assert(hasCode(OperationType::AVERAGE_POOL_2D, 1));
static_assert(hasCode(OperationType::CONCATENATION, 2));
static_assert(hasCode(OperationType::CONV_2D, 3));
static_assert(hasCode(OperationType::DEPTHWISE_CONV_2D, 4));
static_assert(hasCode(OperationType::DEPTH_TO_SPACE, 5));
static_assert(hasCode(OperationType::DEQUANTIZE, 6));
static_assert(hasCode(OperationType::EMBEDDING_LOOKUP, 7));
static_assert(hasCode(OperationType::FLOOR, 8));
static_assert(hasCode(OperationType::FULLY_CONNECTED, 9));
static_assert(hasCode(OperationType::HASHTABLE_LOOKUP, 10));
static_assert(hasCode(OperationType::L2_NORMALIZATION, 11));
static_assert(hasCode(OperationType::L2_POOL_2D, 12));
static_assert(hasCode(OperationType::LOCAL_RESPONSE_NORMALIZATION, 13));
static_assert(hasCode(OperationType::LOGISTIC, 14));
static_assert(hasCode(OperationType::LSH_PROJECTION, 15));
static_assert(hasCode(OperationType::LSTM, 16));
static_assert(hasCode(OperationType::MAX_POOL_2D, 17));
static_assert(hasCode(OperationType::MUL, 18));
static_assert(hasCode(OperationType::RELU, 19));
static_assert(hasCode(OperationType::RELU1, 20));
static_assert(hasCode(OperationType::RELU6, 21));
static_assert(hasCode(OperationType::RESHAPE, 22));
static_assert(hasCode(OperationType::RESIZE_BILINEAR, 23));
static_assert(hasCode(OperationType::RNN, 24));
static_assert(hasCode(OperationType::SOFTMAX, 25));
static_assert(hasCode(OperationType::SPACE_TO_DEPTH, 26));
static_assert(hasCode(OperationType::SVDF, 27));
static_assert(hasCode(OperationType::TANH, 28));
static_assert(hasCode(OperationType::BATCH_TO_SPACE_ND, 29));
static_assert(hasCode(OperationType::DIV, 30));
static_assert(hasCode(OperationType::MEAN, 31));
static_assert(hasCode(OperationType::PAD, 32));
static_assert(hasCode(OperationType::SPACE_TO_BATCH_ND, 33));
static_assert(hasCode(OperationType::SQUEEZE, 34));
static_assert(hasCode(OperationType::STRIDED_SLICE, 35));
static_assert(hasCode(OperationType::SUB, 36));
static_assert(hasCode(OperationType::TRANSPOSE, 37));
static_assert(hasCode(OperationType::ABS, 38));
static_assert(hasCode(OperationType::ARGMAX, 39));
static_assert(hasCode(OperationType::ARGMIN, 40));
static_assert(hasCode(OperationType::AXIS_ALIGNED_BBOX_TRANSFORM, 41));
static_assert(hasCode(OperationType::BIDIRECTIONAL_SEQUENCE_LSTM, 42));
static_assert(hasCode(OperationType::BIDIRECTIONAL_SEQUENCE_RNN, 43));
static_assert(hasCode(OperationType::BOX_WITH_NMS_LIMIT, 44));
static_assert(hasCode(OperationType::CAST, 45));
static_assert(hasCode(OperationType::CHANNEL_SHUFFLE, 46));
static_assert(hasCode(OperationType::DETECTION_POSTPROCESSING, 47));
static_assert(hasCode(OperationType::EQUAL, 48));
static_assert(hasCode(OperationType::EXP, 49));
static_assert(hasCode(OperationType::EXPAND_DIMS, 50));
static_assert(hasCode(OperationType::GATHER, 51));
static_assert(hasCode(OperationType::GENERATE_PROPOSALS, 52));
static_assert(hasCode(OperationType::GREATER, 53));
static_assert(hasCode(OperationType::GREATER_EQUAL, 54));
static_assert(hasCode(OperationType::GROUPED_CONV_2D, 55));
static_assert(hasCode(OperationType::HEATMAP_MAX_KEYPOINT, 56));
static_assert(hasCode(OperationType::INSTANCE_NORMALIZATION, 57));
static_assert(hasCode(OperationType::LESS, 58));
static_assert(hasCode(OperationType::LESS_EQUAL, 59));
static_assert(hasCode(OperationType::LOG, 60));
static_assert(hasCode(OperationType::LOGICAL_AND, 61));
static_assert(hasCode(OperationType::LOGICAL_NOT, 62));
static_assert(hasCode(OperationType::LOGICAL_OR, 63));
static_assert(hasCode(OperationType::LOG_SOFTMAX, 64));
static_assert(hasCode(OperationType::MAXIMUM, 65));
static_assert(hasCode(OperationType::MINIMUM, 66));
static_assert(hasCode(OperationType::NEG, 67));
static_assert(hasCode(OperationType::NOT_EQUAL, 68));
static_assert(hasCode(OperationType::PAD_V2, 69));
static_assert(hasCode(OperationType::POW, 70));
static_assert(hasCode(OperationType::PRELU, 71));
static_assert(hasCode(OperationType::QUANTIZE, 72));
static_assert(hasCode(OperationType::QUANTIZED_16BIT_LSTM, 73));
static_assert(hasCode(OperationType::RANDOM_MULTINOMIAL, 74));
static_assert(hasCode(OperationType::REDUCE_ALL, 75));
static_assert(hasCode(OperationType::REDUCE_ANY, 76));
static_assert(hasCode(OperationType::REDUCE_MAX, 77));
static_assert(hasCode(OperationType::REDUCE_MIN, 78));
static_assert(hasCode(OperationType::REDUCE_PROD, 79));
static_assert(hasCode(OperationType::REDUCE_SUM, 80));
static_assert(hasCode(OperationType::ROI_ALIGN, 81));
static_assert(hasCode(OperationType::ROI_POOLING, 82));
static_assert(hasCode(OperationType::RSQRT, 83));
static_assert(hasCode(OperationType::SELECT, 84));
static_assert(hasCode(OperationType::SIN, 85));
static_assert(hasCode(OperationType::SLICE, 86));
static_assert(hasCode(OperationType::SPLIT, 87));
static_assert(hasCode(OperationType::SQRT, 88));
static_assert(hasCode(OperationType::TILE, 89));
static_assert(hasCode(OperationType::TOPK_V2, 90));
static_assert(hasCode(OperationType::TRANSPOSE_CONV_2D, 91));
static_assert(hasCode(OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM, 92));
static_assert(hasCode(OperationType::UNIDIRECTIONAL_SEQUENCE_RNN, 93));
static_assert(hasCode(OperationType::RESIZE_NEAREST_NEIGHBOR, 94));
static_assert(hasCode(OperationType::QUANTIZED_LSTM, 95));
static_assert(hasCode(OperationType::IF, 96));
static_assert(hasCode(OperationType::WHILE, 97));
static_assert(hasCode(OperationType::ELU, 98));
static_assert(hasCode(OperationType::HARD_SWISH, 99));
static_assert(hasCode(OperationType::FILL, 100));
static_assert(hasCode(OperationType::RANK, 101));
static_assert(hasCode(OperationType::OEM_OPERATION, 10000));

static_assert(hasCode(OperandLifeTime::TEMPORARY_VARIABLE, 0));
static_assert(hasCode(OperandLifeTime::SUBGRAPH_INPUT, 1));
static_assert(hasCode(OperandLifeTime::SUBGRAPH_OUTPUT, 2));
static_assert(hasCode(OperandLifeTime::CONSTANT_COPY, 3));
static_assert(hasCode(OperandLifeTime::CONSTANT_REFERENCE, 4));
static_assert(hasCode(OperandLifeTime::NO_VALUE, 5));
static_assert(hasCode(OperandLifeTime::SUBGRAPH, 6));

static_assert(hasCode(FusedActivationFunc::NONE, 0));
static_assert(hasCode(FusedActivationFunc::RELU, 1));
static_assert(hasCode(FusedActivationFunc::RELU1, 2));
static_assert(hasCode(FusedActivationFunc::RELU6, 3));

static_assert(hasCode(DeviceType::OTHER, 1));
static_assert(hasCode(DeviceType::CPU, 2));
static_assert(hasCode(DeviceType::GPU, 3));
static_assert(hasCode(DeviceType::ACCELERATOR, 4));

static_assert(hasCode(DeviceStatus::AVAILABLE, 0));
static_assert(hasCode(DeviceStatus::BUSY, 1));
static_assert(hasCode(DeviceStatus::OFFLINE, 2));
static_assert(hasCode(DeviceStatus::UNKNOWN, 3));

static_assert(hasCode(ExecutionPreference::LOW_POWER, 0));
static_assert(hasCode(ExecutionPreference::FAST_SINGLE_ANSWER, 1));
static_assert(hasCode(ExecutionPreference::SUSTAINED_SPEED, 2));

static_assert(hasCode(Priority::LOW, 0));
static_assert(hasCode(Priority::MEDIUM, 1));
static_assert(hasCode(Priority::HIGH, 2));

static_assert(hasCode(MeasureTiming::NO, 0));
static_assert(hasCode(MeasureTiming::YES, 1));

static_assert(hasCode(ErrorStatus::NONE, 0));
static_assert(hasCode(ErrorStatus::DEVICE_UNAVAILABLE, 1));
static_assert(hasCode(ErrorStatus::GENERAL_FAILURE, 2));
static_assert(hasCode(ErrorStatus::OUTPUT_INSUFFICIENT_SIZE, 3));
static_assert(hasCode(ErrorStatus::INVALID_ARGUMENT, 4));
static_assert(hasCode(ErrorStatus::MISSED_DEADLINE_TRANSIENT, 5));
static_assert(hasCode(ErrorStatus::MISSED_DEADLINE_PERSISTENT, 6));
static_assert(hasCode(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, 7));
static_assert(hasCode(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT, 8));

template <class Enum>
std::string nameOf(std::int32_t code) {
    return toString(static_cast<Enum>(code));
}

TEST(Types, nameEveryOperationOfTheHalDifferently) {
    std::set<std::string> names;
    for (const OperationType type : kOperationTypes) {
        const std::string name = toString(type);
        EXPECT_EQ(name.find("unknown"), std::string::npos) << static_cast<std::int32_t>(type);
        EXPECT_TRUE(names.insert(name).second) << name << " is the name of two operations";
    }
    EXPECT_EQ(nameOf<OperationType>(kOperationTypeEnd), "unknown operation type");
}

TEST(Types, nameEnumeratorsAsTheHalSpellsThem) {
    EXPECT_STREQ(toString(OperationType::ADD), "ADD");
    EXPECT_STREQ(toString(OperationType::QUANTIZED_16BIT_LSTM), "QUANTIZED_16BIT_LSTM");
    EXPECT_STREQ(toString(OperationType::OEM_OPERATION), "OEM_OPERATION");
    EXPECT_STREQ(toString(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL),
                 "TENSOR_QUANT8_SYMM_PER_CHANNEL");
    EXPECT_STREQ(toString(OperandType::OEM), "OEM");
    EXPECT_STREQ(toString(OperandLifeTime::SUBGRAPH_INPUT), "SUBGRAPH_INPUT");
    EXPECT_STREQ(toString(DeviceType::ACCELERATOR), "ACCELERATOR");
    EXPECT_STREQ(toString(DeviceStatus::BUSY), "BUSY");
    EXPECT_STREQ(toString(ExecutionPreference::SUSTAINED_SPEED), "SUSTAINED_SPEED");
    EXPECT_STREQ(toString(Priority::MEDIUM), "MEDIUM");
}

TEST(Types, callUndefinedValuesUnknown) {
    EXPECT_EQ(nameOf<OperandType>(16), "unknown operand type");
    EXPECT_EQ(nameOf<OperandLifeTime>(7), "unknown lifetime");
    EXPECT_EQ(nameOf<DeviceType>(0), "unknown device type");
    EXPECT_EQ(nameOf<DeviceStatus>(-1), "unknown device status");
    EXPECT_EQ(nameOf<ExecutionPreference>(3), "unknown preference");
    EXPECT_EQ(nameOf<Priority>(3), "unknown priority");
}

}  // namespace
}  // namespace nnburst
