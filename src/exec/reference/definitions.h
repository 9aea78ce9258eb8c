// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Every operation with a reference kernel, in the file of its family. operations.cpp makes the
/// table of them.

#include "exec/operation/operation.h"

namespace nnburst::exec {

// activations.cpp
extern const OperationDefinition kElu;
extern const OperationDefinition kHardSwish;
extern const OperationDefinition kLogistic;
extern const OperationDefinition kRelu;
extern const OperationDefinition kRelu1;
extern const OperationDefinition kRelu6;
extern const OperationDefinition kTanh;
// arg_extremum.cpp
extern const OperationDefinition kArgmax;
extern const OperationDefinition kArgmin;
// box_transform.cpp
extern const OperationDefinition kAxisAlignedBboxTransform;
// box_with_nms_limit.cpp
extern const OperationDefinition kBoxWithNmsLimit;
// cast.cpp
extern const OperationDefinition kCast;
// comparison.cpp
extern const OperationDefinition kEqual;
extern const OperationDefinition kGreater;
extern const OperationDefinition kGreaterEqual;
extern const OperationDefinition kLess;
extern const OperationDefinition kLessEqual;
extern const OperationDefinition kLogicalAnd;
extern const OperationDefinition kLogicalOr;
extern const OperationDefinition kNotEqual;
// concatenation.cpp
extern const OperationDefinition kConcatenation;
extern const OperationDefinition kSplit;
// control_flow.cpp
extern const OperationDefinition kIf;
extern const OperationDefinition kWhile;
// convolution.cpp
extern const OperationDefinition kConv2d;
extern const OperationDefinition kDepthwiseConv2d;
extern const OperationDefinition kGroupedConv2d;
// detection_postprocessing.cpp
extern const OperationDefinition kDetectionPostprocessing;
// elementwise_binary.cpp
extern const OperationDefinition kAdd;
extern const OperationDefinition kDiv;
extern const OperationDefinition kMul;
extern const OperationDefinition kSub;
// elementwise_unary.cpp
extern const OperationDefinition kAbs;
extern const OperationDefinition kExp;
extern const OperationDefinition kFloor;
extern const OperationDefinition kLog;
extern const OperationDefinition kLogicalNot;
extern const OperationDefinition kNeg;
extern const OperationDefinition kRsqrt;
extern const OperationDefinition kSin;
extern const OperationDefinition kSqrt;
// fully_connected.cpp
extern const OperationDefinition kFullyConnected;
// generate_proposals.cpp
extern const OperationDefinition kGenerateProposals;
// heatmap_max_keypoint.cpp
extern const OperationDefinition kHeatmapMaxKeypoint;
// instance_normalization.cpp
extern const OperationDefinition kInstanceNormalization;
// lookup.cpp
extern const OperationDefinition kEmbeddingLookup;
extern const OperationDefinition kGather;
extern const OperationDefinition kHashtableLookup;
// lsh_projection.cpp
extern const OperationDefinition kLshProjection;
// lstm.cpp
extern const OperationDefinition kLstm;
// maximum_minimum.cpp
extern const OperationDefinition kMaximum;
extern const OperationDefinition kMinimum;
// normalization.cpp
extern const OperationDefinition kL2Normalization;
extern const OperationDefinition kLocalResponseNormalization;
// pad.cpp
extern const OperationDefinition kPad;
extern const OperationDefinition kPadV2;
// pooling.cpp
extern const OperationDefinition kAveragePool2d;
extern const OperationDefinition kL2Pool2d;
extern const OperationDefinition kMaxPool2d;
// pow.cpp
extern const OperationDefinition kPow;
// prelu.cpp
extern const OperationDefinition kPrelu;
// quantize.cpp
extern const OperationDefinition kDequantize;
extern const OperationDefinition kQuantize;
// quantized_16bit_lstm.cpp
extern const OperationDefinition kQuantized16bitLstm;
// quantized_lstm.cpp
extern const OperationDefinition kQuantizedLstm;
// random_multinomial.cpp
extern const OperationDefinition kRandomMultinomial;
// reduction.cpp
extern const OperationDefinition kMean;
extern const OperationDefinition kReduceAll;
extern const OperationDefinition kReduceAny;
extern const OperationDefinition kReduceMax;
extern const OperationDefinition kReduceMin;
extern const OperationDefinition kReduceProd;
extern const OperationDefinition kReduceSum;
// regions_of_interest.cpp
extern const OperationDefinition kRoiAlign;
extern const OperationDefinition kRoiPooling;
// reshape.cpp
extern const OperationDefinition kExpandDims;
extern const OperationDefinition kReshape;
extern const OperationDefinition kSqueeze;
// resize.cpp
extern const OperationDefinition kResizeBilinear;
extern const OperationDefinition kResizeNearestNeighbor;
// rnn.cpp
extern const OperationDefinition kRnn;
// select.cpp
extern const OperationDefinition kSelect;
// sequence_lstm.cpp
extern const OperationDefinition kBidirectionalSequenceLstm;
extern const OperationDefinition kUnidirectionalSequenceLstm;
// sequence_rnn.cpp
extern const OperationDefinition kBidirectionalSequenceRnn;
extern const OperationDefinition kUnidirectionalSequenceRnn;
// slice.cpp
extern const OperationDefinition kSlice;
extern const OperationDefinition kStridedSlice;
// softmax.cpp
extern const OperationDefinition kLogSoftmax;
extern const OperationDefinition kSoftmax;
// space_blocks.cpp
extern const OperationDefinition kBatchToSpaceNd;
extern const OperationDefinition kDepthToSpace;
extern const OperationDefinition kSpaceToBatchNd;
extern const OperationDefinition kSpaceToDepth;
// svdf.cpp
extern const OperationDefinition kSvdf;
// tile.cpp
extern const OperationDefinition kFill;
extern const OperationDefinition kRank;
extern const OperationDefinition kTile;
// top_k.cpp
extern const OperationDefinition kTopkV2;
// transpose.cpp
extern const OperationDefinition kChannelShuffle;
extern const OperationDefinition kTranspose;
// transpose_convolution.cpp
extern const OperationDefinition kTransposeConv2d;

}  // namespace nnburst::exec
