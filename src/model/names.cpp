// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/types.h"

namespace nnburst {

// A switch of all enumerators, without default: a new one without a name fails to compile
// (-Wswitch). Values from a peer or a file may be none of them, hence the last line.

const char* toString(OperandType type) noexcept {
    switch (type) {
        case OperandType::FLOAT32:
            return "FLOAT32";
        case OperandType::INT32:
            return "INT32";
        case OperandType::UINT32:
            return "UINT32";
        case OperandType::TENSOR_FLOAT32:
            return "TENSOR_FLOAT32";
        case OperandType::TENSOR_INT32:
            return "TENSOR_INT32";
        case OperandType::TENSOR_QUANT8_ASYMM:
            return "TENSOR_QUANT8_ASYMM";
        case OperandType::BOOL:
            return "BOOL";
        case OperandType::TENSOR_QUANT16_SYMM:
            return "TENSOR_QUANT16_SYMM";
        case OperandType::TENSOR_FLOAT16:
            return "TENSOR_FLOAT16";
        case OperandType::TENSOR_BOOL8:
            return "TENSOR_BOOL8";
        case OperandType::FLOAT16:
            return "FLOAT16";
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
            return "TENSOR_QUANT8_SYMM_PER_CHANNEL";
        case OperandType::TENSOR_QUANT16_ASYMM:
            return "TENSOR_QUANT16_ASYMM";
        case OperandType::TENSOR_QUANT8_SYMM:
            return "TENSOR_QUANT8_SYMM";
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return "TENSOR_QUANT8_ASYMM_SIGNED";
        case OperandType::SUBGRAPH:
            return "SUBGRAPH";
        case OperandType::OEM:
            return "OEM";
        case OperandType::TENSOR_OEM_BYTE:
            return "TENSOR_OEM_BYTE";
    }
    return "unknown operand type";
}

const char* toString(OperationType type) noexcept {
    switch (type) {
        case OperationType::ADD:
            return "ADD";
        case OperationType::AVERAGE_POOL_2D:
            return "AVERAGE_POOL_2D";
        case OperationType::CONCATENATION:
            return "CONCATENATION";
        case OperationType::CONV_2D:
            return "CONV_2D";
        case OperationType::DEPTHWISE_CONV_2D:
            return "DEPTHWISE_CONV_2D";
        case OperationType::DEPTH_TO_SPACE:
            return "DEPTH_TO_SPACE";
        case OperationType::DEQUANTIZE:
            return "DEQUANTIZE";
        case OperationType::EMBEDDING_LOOKUP:
            return "EMBEDDING_LOOKUP";
        case OperationType::FLOOR:
            return "FLOOR";
        case OperationType::FULLY_CONNECTED:
            return "FULLY_CONNECTED";
        case OperationType::HASHTABLE_LOOKUP:
            return "HASHTABLE_LOOKUP";
        case OperationType::L2_NORMALIZATION:
            return "L2_NORMALIZATION";
        case OperationType::L2_POOL_2D:
            return "L2_POOL_2D";
        case OperationType::LOCAL_RESPONSE_NORMALIZATION:
            return "LOCAL_RESPONSE_NORMALIZATION";
        case OperationType::LOGISTIC:
            return "LOGISTIC";
        case OperationType::LSH_PROJECTION:
            return "LSH_PROJECTION";
        case OperationType::LSTM:
            return "LSTM";
        case OperationType::MAX_POOL_2D:
            return "MAX_POOL_2D";
        case OperationType::MUL:
            return "MUL";
        case OperationType::RELU:
            return "RELU";
        case OperationType::RELU1:
            return "RELU1";
        case OperationType::RELU6:
            return "RELU6";
        case OperationType::RESHAPE:
            return "RESHAPE";
        case OperationType::RESIZE_BILINEAR:
            return "RESIZE_BILINEAR";
        case OperationType::RNN:
            return "RNN";
        case OperationType::SOFTMAX:
            return "SOFTMAX";
        case OperationType::SPACE_TO_DEPTH:
            return "SPACE_TO_DEPTH";
        case OperationType::SVDF:
            return "SVDF";
        case OperationType::TANH:
            return "TANH";
        case OperationType::BATCH_TO_SPACE_ND:
            return "BATCH_TO_SPACE_ND";
        case OperationType::DIV:
            return "DIV";
        case OperationType::MEAN:
            return "MEAN";
        case OperationType::PAD:
            return "PAD";
        case OperationType::SPACE_TO_BATCH_ND:
            return "SPACE_TO_BATCH_ND";
        case OperationType::SQUEEZE:
            return "SQUEEZE";
        case OperationType::STRIDED_SLICE:
            return "STRIDED_SLICE";
        case OperationType::SUB:
            return "SUB";
        case OperationType::TRANSPOSE:
            return "TRANSPOSE";
        case OperationType::ABS:
            return "ABS";
        case OperationType::ARGMAX:
            return "ARGMAX";
        case OperationType::ARGMIN:
            return "ARGMIN";
        case OperationType::AXIS_ALIGNED_BBOX_TRANSFORM:
            return "AXIS_ALIGNED_BBOX_TRANSFORM";
        case OperationType::BIDIRECTIONAL_SEQUENCE_LSTM:
            return "BIDIRECTIONAL_SEQUENCE_LSTM";
        case OperationType::BIDIRECTIONAL_SEQUENCE_RNN:
            return "BIDIRECTIONAL_SEQUENCE_RNN";
        case OperationType::BOX_WITH_NMS_LIMIT:
            return "BOX_WITH_NMS_LIMIT";
        case OperationType::CAST:
            return "CAST";
        case OperationType::CHANNEL_SHUFFLE:
            return "CHANNEL_SHUFFLE";
        case OperationType::DETECTION_POSTPROCESSING:
            return "DETECTION_POSTPROCESSING";
        case OperationType::EQUAL:
            return "EQUAL";
        case OperationType::EXP:
            return "EXP";
        case OperationType::EXPAND_DIMS:
            return "EXPAND_DIMS";
        case OperationType::GATHER:
            return "GATHER";
        case OperationType::GENERATE_PROPOSALS:
            return "GENERATE_PROPOSALS";
        case OperationType::GREATER:
            return "GREATER";
        case OperationType::GREATER_EQUAL:
            return "GREATER_EQUAL";
        case OperationType::GROUPED_CONV_2D:
            return "GROUPED_CONV_2D";
        case OperationType::HEATMAP_MAX_KEYPOINT:
            return "HEATMAP_MAX_KEYPOINT";
        case OperationType::INSTANCE_NORMALIZATION:
            return "INSTANCE_NORMALIZATION";
        case OperationType::LESS:
            return "LESS";
        case OperationType::LESS_EQUAL:
            return "LESS_EQUAL";
        case OperationType::LOG:
            return "LOG";
        case OperationType::LOGICAL_AND:
            return "LOGICAL_AND";
        case OperationType::LOGICAL_NOT:
            return "LOGICAL_NOT";
        case OperationType::LOGICAL_OR:
            return "LOGICAL_OR";
        case OperationType::LOG_SOFTMAX:
            return "LOG_SOFTMAX";
        case OperationType::MAXIMUM:
            return "MAXIMUM";
        case OperationType::MINIMUM:
            return "MINIMUM";
        case OperationType::NEG:
            return "NEG";
        case OperationType::NOT_EQUAL:
            return "NOT_EQUAL";
        case OperationType::PAD_V2:
            return "PAD_V2";
        case OperationType::POW:
            return "POW";
        case OperationType::PRELU:
            return "PRELU";
        case OperationType::QUANTIZE:
            return "QUANTIZE";
        case OperationType::QUANTIZED_16BIT_LSTM:
            return "QUANTIZED_16BIT_LSTM";
        case OperationType::RANDOM_MULTINOMIAL:
            return "RANDOM_MULTINOMIAL";
        case OperationType::REDUCE_ALL:
            return "REDUCE_ALL";
        case OperationType::REDUCE_ANY:
            return "REDUCE_ANY";
        case OperationType::REDUCE_MAX:
            return "REDUCE_MAX";
        case OperationType::REDUCE_MIN:
            return "REDUCE_MIN";
        case OperationType::REDUCE_PROD:
            return "REDUCE_PROD";
        case OperationType::REDUCE_SUM:
            return "REDUCE_SUM";
        case OperationType::ROI_ALIGN:
            return "ROI_ALIGN";
        case OperationType::ROI_POOLING:
            return "ROI_POOLING";
        case OperationType::RSQRT:
            return "RSQRT";
        case OperationType::SELECT:
            return "SELECT";
        case OperationType::SIN:
            return "SIN";
        case OperationType::SLICE:
            return "SLICE";
        case OperationType::SPLIT:
            return "SPLIT";
        case OperationType::SQRT:
            return "SQRT";
        case OperationType::TILE:
            return "TILE";
        case OperationType::TOPK_V2:
            return "TOPK_V2";
        case OperationType::TRANSPOSE_CONV_2D:
            return "TRANSPOSE_CONV_2D";
        case OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM:
            return "UNIDIRECTIONAL_SEQUENCE_LSTM";
        case OperationType::UNIDIRECTIONAL_SEQUENCE_RNN:
            return "UNIDIRECTIONAL_SEQUENCE_RNN";
        case OperationType::RESIZE_NEAREST_NEIGHBOR:
            return "RESIZE_NEAREST_NEIGHBOR";
        case OperationType::QUANTIZED_LSTM:
            return "QUANTIZED_LSTM";
        case OperationType::IF:
            return "IF";
        case OperationType::WHILE:
            return "WHILE";
        case OperationType::ELU:
            return "ELU";
        case OperationType::HARD_SWISH:
            return "HARD_SWISH";
        case OperationType::FILL:
            return "FILL";
        case OperationType::RANK:
            return "RANK";
        case OperationType::OEM_OPERATION:
            return "OEM_OPERATION";
    }
    return "unknown operation type";
}

const char* toString(OperandLifeTime lifetime) noexcept {
    switch (lifetime) {
        case OperandLifeTime::TEMPORARY_VARIABLE:
            return "TEMPORARY_VARIABLE";
        case OperandLifeTime::SUBGRAPH_INPUT:
            return "SUBGRAPH_INPUT";
        case OperandLifeTime::SUBGRAPH_OUTPUT:
            return "SUBGRAPH_OUTPUT";
        case OperandLifeTime::CONSTANT_COPY:
            return "CONSTANT_COPY";
        case OperandLifeTime::CONSTANT_REFERENCE:
            return "CONSTANT_REFERENCE";
        case OperandLifeTime::NO_VALUE:
            return "NO_VALUE";
        case OperandLifeTime::SUBGRAPH:
            return "SUBGRAPH";
    }
    return "unknown lifetime";
}

const char* toString(DeviceType type) noexcept {
    switch (type) {
        case DeviceType::OTHER:
            return "OTHER";
        case DeviceType::CPU:
            return "CPU";
        case DeviceType::GPU:
            return "GPU";
        case DeviceType::ACCELERATOR:
            return "ACCELERATOR";
    }
    return "unknown device type";
}

const char* toString(DeviceStatus status) noexcept {
    switch (status) {
        case DeviceStatus::AVAILABLE:
            return "AVAILABLE";
        case DeviceStatus::BUSY:
            return "BUSY";
        case DeviceStatus::OFFLINE:
            return "OFFLINE";
        case DeviceStatus::UNKNOWN:
            return "UNKNOWN";
    }
    return "unknown device status";
}

const char* toString(ExecutionPreference preference) noexcept {
    switch (preference) {
        case ExecutionPreference::LOW_POWER:
            return "LOW_POWER";
        case ExecutionPreference::FAST_SINGLE_ANSWER:
            return "FAST_SINGLE_ANSWER";
        case ExecutionPreference::SUSTAINED_SPEED:
            return "SUSTAINED_SPEED";
    }
    return "unknown preference";
}

const char* toString(Priority priority) noexcept {
    switch (priority) {
        case Priority::LOW:
            return "LOW";
        case Priority::MEDIUM:
            return "MEDIUM";
        case Priority::HIGH:
            return "HIGH";
    }
    return "unknown priority";
}

}  // namespace nnburst
