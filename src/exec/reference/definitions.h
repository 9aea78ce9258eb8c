// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Every operation with a reference kernel, in the file of its family. operations.cpp makes the
/// table of them.

#include "exec/operation.h"

namespace nnburst::exec {

// control_flow.cpp
extern const OperationDefinition kIf;
extern const OperationDefinition kWhile;
// concatenation.cpp
extern const OperationDefinition kConcatenation;
extern const OperationDefinition kSplit;
// convolution.cpp
extern const OperationDefinition kConv2d;
extern const OperationDefinition kDepthwiseConv2d;
// elementwise_binary.cpp
extern const OperationDefinition kAdd;
// fully_connected.cpp
extern const OperationDefinition kFullyConnected;
// lookup.cpp
extern const OperationDefinition kEmbeddingLookup;
extern const OperationDefinition kGather;
extern const OperationDefinition kHashtableLookup;
// lstm.cpp
extern const OperationDefinition kLstm;
// pad.cpp
extern const OperationDefinition kPad;
extern const OperationDefinition kPadV2;
// pooling.cpp
extern const OperationDefinition kAveragePool2d;
extern const OperationDefinition kMaxPool2d;
// reshape.cpp
extern const OperationDefinition kExpandDims;
extern const OperationDefinition kReshape;
extern const OperationDefinition kSqueeze;
// rnn.cpp
extern const OperationDefinition kRnn;
// slice.cpp
extern const OperationDefinition kSlice;
extern const OperationDefinition kStridedSlice;
// softmax.cpp
extern const OperationDefinition kSoftmax;
// space_blocks.cpp
extern const OperationDefinition kBatchToSpaceNd;
extern const OperationDefinition kDepthToSpace;
extern const OperationDefinition kSpaceToBatchNd;
extern const OperationDefinition kSpaceToDepth;
// tile.cpp
extern const OperationDefinition kFill;
extern const OperationDefinition kRank;
extern const OperationDefinition kTile;
// transpose.cpp
extern const OperationDefinition kChannelShuffle;
extern const OperationDefinition kTranspose;

}  // namespace nnburst::exec
