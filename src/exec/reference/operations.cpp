// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/operations.h"

#include <array>

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/extension_operation.h"
#include "model/extension_registry.h"

namespace nnburst::exec {

namespace {

/// All definitions, at the index that is the operation's code in the HAL.
constexpr auto kDefinitions = [] {
    std::array<const OperationDefinition*, kOperationTypeCount> table{};
    const auto define = [&table](OperationType type, const OperationDefinition& definition) {
        table[static_cast<std::size_t>(type)] = &definition;
    };
    define(OperationType::ABS, kAbs);
    define(OperationType::ADD, kAdd);
    define(OperationType::ARGMAX, kArgmax);
    define(OperationType::ARGMIN, kArgmin);
    define(OperationType::AVERAGE_POOL_2D, kAveragePool2d);
    define(OperationType::AXIS_ALIGNED_BBOX_TRANSFORM, kAxisAlignedBboxTransform);
    define(OperationType::BATCH_TO_SPACE_ND, kBatchToSpaceNd);
    define(OperationType::BIDIRECTIONAL_SEQUENCE_LSTM, kBidirectionalSequenceLstm);
    define(OperationType::BIDIRECTIONAL_SEQUENCE_RNN, kBidirectionalSequenceRnn);
    define(OperationType::BOX_WITH_NMS_LIMIT, kBoxWithNmsLimit);
    define(OperationType::CAST, kCast);
    define(OperationType::CHANNEL_SHUFFLE, kChannelShuffle);
    define(OperationType::CONCATENATION, kConcatenation);
    define(OperationType::CONV_2D, kConv2d);
    define(OperationType::DEPTHWISE_CONV_2D, kDepthwiseConv2d);
    define(OperationType::DEPTH_TO_SPACE, kDepthToSpace);
    define(OperationType::DEQUANTIZE, kDequantize);
    define(OperationType::DETECTION_POSTPROCESSING, kDetectionPostprocessing);
    define(OperationType::DIV, kDiv);
    define(OperationType::ELU, kElu);
    define(OperationType::EMBEDDING_LOOKUP, kEmbeddingLookup);
    define(OperationType::EQUAL, kEqual);
    define(OperationType::EXP, kExp);
    define(OperationType::EXPAND_DIMS, kExpandDims);
    define(OperationType::FILL, kFill);
    define(OperationType::FLOOR, kFloor);
    define(OperationType::FULLY_CONNECTED, kFullyConnected);
    define(OperationType::GATHER, kGather);
    define(OperationType::GENERATE_PROPOSALS, kGenerateProposals);
    define(OperationType::GREATER, kGreater);
    define(OperationType::GREATER_EQUAL, kGreaterEqual);
    define(OperationType::GROUPED_CONV_2D, kGroupedConv2d);
    define(OperationType::HARD_SWISH, kHardSwish);
    define(OperationType::HASHTABLE_LOOKUP, kHashtableLookup);
    define(OperationType::HEATMAP_MAX_KEYPOINT, kHeatmapMaxKeypoint);
    define(OperationType::IF, kIf);
    define(OperationType::INSTANCE_NORMALIZATION, kInstanceNormalization);
    define(OperationType::L2_NORMALIZATION, kL2Normalization);
    define(OperationType::L2_POOL_2D, kL2Pool2d);
    define(OperationType::LESS, kLess);
    define(OperationType::LESS_EQUAL, kLessEqual);
    define(OperationType::LOCAL_RESPONSE_NORMALIZATION, kLocalResponseNormalization);
    define(OperationType::LOG, kLog);
    define(OperationType::LOGICAL_AND, kLogicalAnd);
    define(OperationType::LOGICAL_NOT, kLogicalNot);
    define(OperationType::LOGICAL_OR, kLogicalOr);
    define(OperationType::LOGISTIC, kLogistic);
    define(OperationType::LOG_SOFTMAX, kLogSoftmax);
    define(OperationType::LSH_PROJECTION, kLshProjection);
    define(OperationType::LSTM, kLstm);
    define(OperationType::MAXIMUM, kMaximum);
    define(OperationType::MAX_POOL_2D, kMaxPool2d);
    define(OperationType::MEAN, kMean);
    define(OperationType::MINIMUM, kMinimum);
    define(OperationType::MUL, kMul);
    define(OperationType::NEG, kNeg);
    define(OperationType::NOT_EQUAL, kNotEqual);
    define(OperationType::PAD, kPad);
    define(OperationType::PAD_V2, kPadV2);
    define(OperationType::POW, kPow);
    define(OperationType::PRELU, kPrelu);
    define(OperationType::QUANTIZE, kQuantize);
    define(OperationType::QUANTIZED_16BIT_LSTM, kQuantized16bitLstm);
    define(OperationType::QUANTIZED_LSTM, kQuantizedLstm);
    define(OperationType::RANDOM_MULTINOMIAL, kRandomMultinomial);
    define(OperationType::RANK, kRank);
    define(OperationType::REDUCE_ALL, kReduceAll);
    define(OperationType::REDUCE_ANY, kReduceAny);
    define(OperationType::REDUCE_MAX, kReduceMax);
    define(OperationType::REDUCE_MIN, kReduceMin);
    define(OperationType::REDUCE_PROD, kReduceProd);
    define(OperationType::REDUCE_SUM, kReduceSum);
    define(OperationType::RELU, kRelu);
    define(OperationType::RELU1, kRelu1);
    define(OperationType::RELU6, kRelu6);
    define(OperationType::RESHAPE, kReshape);
    define(OperationType::RESIZE_BILINEAR, kResizeBilinear);
    define(OperationType::RESIZE_NEAREST_NEIGHBOR, kResizeNearestNeighbor);
    define(OperationType::RNN, kRnn);
    define(OperationType::ROI_ALIGN, kRoiAlign);
    define(OperationType::ROI_POOLING, kRoiPooling);
    define(OperationType::RSQRT, kRsqrt);
    define(OperationType::SELECT, kSelect);
    define(OperationType::SIN, kSin);
    define(OperationType::SLICE, kSlice);
    define(OperationType::SOFTMAX, kSoftmax);
    define(OperationType::SPACE_TO_BATCH_ND, kSpaceToBatchNd);
    define(OperationType::SPACE_TO_DEPTH, kSpaceToDepth);
    define(OperationType::SPLIT, kSplit);
    define(OperationType::SQRT, kSqrt);
    define(OperationType::SQUEEZE, kSqueeze);
    define(OperationType::STRIDED_SLICE, kStridedSlice);
    define(OperationType::SUB, kSub);
    define(OperationType::SVDF, kSvdf);
    define(OperationType::TANH, kTanh);
    define(OperationType::TILE, kTile);
    define(OperationType::TOPK_V2, kTopkV2);
    define(OperationType::TRANSPOSE, kTranspose);
    define(OperationType::TRANSPOSE_CONV_2D, kTransposeConv2d);
    define(OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM, kUnidirectionalSequenceLstm);
    define(OperationType::UNIDIRECTIONAL_SEQUENCE_RNN, kUnidirectionalSequenceRnn);
    define(OperationType::WHILE, kWhile);
    return table;
}();

}  // namespace

const OperationDefinition* findOperation(OperationType type) noexcept {
    if (findExtensionOperation(type) != nullptr) {
        return &kExtensionOperation;
    }
    const auto code = static_cast<std::size_t>(type);  // negative codes become large
    return code < kDefinitions.size() ? kDefinitions[code] : nullptr;
}

bool hasKnownArguments(const OperationView& operation) noexcept {
    const std::uint64_t valueInputs = findOperation(operation.type)->valueInputs;
    for (std::size_t i = 0; i < operation.inputs.size() && i < 64; ++i) {
        const OperandView& input = operation.inputs[i];
        if ((valueInputs >> i & 1U) != 0 && !input.isOmitted && input.data == nullptr) {
            return false;
        }
    }
    return hasKnownInputShapes(operation);
}

}  // namespace nnburst::exec
