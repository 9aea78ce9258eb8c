// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "exec/operation.h"
#include "exec/reference/definitions.h"

namespace nnburst::exec {

namespace {

/// All definitions, at the index that is the operation's code in the HAL.
constexpr auto kDefinitions = [] {
    std::array<const OperationDefinition*, kOperationTypeCount> table{};
    const auto define = [&table](OperationType type, const OperationDefinition& definition) {
        table[static_cast<std::size_t>(type)] = &definition;
    };
    define(OperationType::ADD, kAdd);
    define(OperationType::AVERAGE_POOL_2D, kAveragePool2d);
    define(OperationType::BATCH_TO_SPACE_ND, kBatchToSpaceNd);
    define(OperationType::CHANNEL_SHUFFLE, kChannelShuffle);
    define(OperationType::CONCATENATION, kConcatenation);
    define(OperationType::CONV_2D, kConv2d);
    define(OperationType::DEPTHWISE_CONV_2D, kDepthwiseConv2d);
    define(OperationType::DEPTH_TO_SPACE, kDepthToSpace);
    define(OperationType::EMBEDDING_LOOKUP, kEmbeddingLookup);
    define(OperationType::EXPAND_DIMS, kExpandDims);
    define(OperationType::FILL, kFill);
    define(OperationType::FULLY_CONNECTED, kFullyConnected);
    define(OperationType::IF, kIf);
    define(OperationType::GATHER, kGather);
    define(OperationType::HASHTABLE_LOOKUP, kHashtableLookup);
    define(OperationType::LSTM, kLstm);
    define(OperationType::MAX_POOL_2D, kMaxPool2d);
    define(OperationType::PAD, kPad);
    define(OperationType::PAD_V2, kPadV2);
    define(OperationType::RANK, kRank);
    define(OperationType::RESHAPE, kReshape);
    define(OperationType::RNN, kRnn);
    define(OperationType::SLICE, kSlice);
    define(OperationType::SOFTMAX, kSoftmax);
    define(OperationType::WHILE, kWhile);
    define(OperationType::SPACE_TO_BATCH_ND, kSpaceToBatchNd);
    define(OperationType::SPACE_TO_DEPTH, kSpaceToDepth);
    define(OperationType::SPLIT, kSplit);
    define(OperationType::SQUEEZE, kSqueeze);
    define(OperationType::STRIDED_SLICE, kStridedSlice);
    define(OperationType::TILE, kTile);
    define(OperationType::TRANSPOSE, kTranspose);
    return table;
}();

}  // namespace

const OperationDefinition* findOperation(OperationType type) noexcept {
    const auto code = static_cast<std::size_t>(type);  // negative codes become large
    return code < kDefinitions.size() ? kDefinitions[code] : nullptr;
}

HalVersion since(OperandType type) noexcept {
    switch (type) {
        case OperandType::BOOL:
        case OperandType::TENSOR_QUANT16_SYMM:
        case OperandType::TENSOR_FLOAT16:
        case OperandType::TENSOR_BOOL8:
        case OperandType::FLOAT16:
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
        case OperandType::TENSOR_QUANT16_ASYMM:
        case OperandType::TENSOR_QUANT8_SYMM:
            return HalVersion::V1_2;
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
        case OperandType::SUBGRAPH:
            return HalVersion::V1_3;
        default:
            return HalVersion::V1_0;
    }
}

}  // namespace nnburst::exec
