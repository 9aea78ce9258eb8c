// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The list of the HAL's operations. OperationType, its names, the declarations of the definitions
/// in src/exec/reference/ and the table of them are made from it.

/// Applies X(NAME, CODE, Name) to each operation, in the order of the codes: the HAL's spelling,
/// the HAL's code, and the name of its definition, which is kName.
// clang-format off
#define NNBURST_OPERATIONS(X) \
    X(ADD, 0, Add) \
    X(AVERAGE_POOL_2D, 1, AveragePool2d) \
    X(CONCATENATION, 2, Concatenation) \
    X(CONV_2D, 3, Conv2d) \
    X(DEPTHWISE_CONV_2D, 4, DepthwiseConv2d) \
    X(DEPTH_TO_SPACE, 5, DepthToSpace) \
    X(DEQUANTIZE, 6, Dequantize) \
    X(EMBEDDING_LOOKUP, 7, EmbeddingLookup) \
    X(FLOOR, 8, Floor) \
    X(FULLY_CONNECTED, 9, FullyConnected) \
    X(HASHTABLE_LOOKUP, 10, HashtableLookup) \
    X(L2_NORMALIZATION, 11, L2Normalization) \
    X(L2_POOL_2D, 12, L2Pool2d) \
    X(LOCAL_RESPONSE_NORMALIZATION, 13, LocalResponseNormalization) \
    X(LOGISTIC, 14, Logistic) \
    X(LSH_PROJECTION, 15, LshProjection) \
    X(LSTM, 16, Lstm) \
    X(MAX_POOL_2D, 17, MaxPool2d) \
    X(MUL, 18, Mul) \
    X(RELU, 19, Relu) \
    X(RELU1, 20, Relu1) \
    X(RELU6, 21, Relu6) \
    X(RESHAPE, 22, Reshape) \
    X(RESIZE_BILINEAR, 23, ResizeBilinear) \
    X(RNN, 24, Rnn) \
    X(SOFTMAX, 25, Softmax) \
    X(SPACE_TO_DEPTH, 26, SpaceToDepth) \
    X(SVDF, 27, Svdf) \
    X(TANH, 28, Tanh) \
    X(BATCH_TO_SPACE_ND, 29, BatchToSpaceNd) \
    X(DIV, 30, Div) \
    X(MEAN, 31, Mean) \
    X(PAD, 32, Pad) \
    X(SPACE_TO_BATCH_ND, 33, SpaceToBatchNd) \
    X(SQUEEZE, 34, Squeeze) \
    X(STRIDED_SLICE, 35, StridedSlice) \
    X(SUB, 36, Sub) \
    X(TRANSPOSE, 37, Transpose) \
    X(ABS, 38, Abs) \
    X(ARGMAX, 39, Argmax) \
    X(ARGMIN, 40, Argmin) \
    X(AXIS_ALIGNED_BBOX_TRANSFORM, 41, AxisAlignedBboxTransform) \
    X(BIDIRECTIONAL_SEQUENCE_LSTM, 42, BidirectionalSequenceLstm) \
    X(BIDIRECTIONAL_SEQUENCE_RNN, 43, BidirectionalSequenceRnn) \
    X(BOX_WITH_NMS_LIMIT, 44, BoxWithNmsLimit) \
    X(CAST, 45, Cast) \
    X(CHANNEL_SHUFFLE, 46, ChannelShuffle) \
    X(DETECTION_POSTPROCESSING, 47, DetectionPostprocessing) \
    X(EQUAL, 48, Equal) \
    X(EXP, 49, Exp) \
    X(EXPAND_DIMS, 50, ExpandDims) \
    X(GATHER, 51, Gather) \
    X(GENERATE_PROPOSALS, 52, GenerateProposals) \
    X(GREATER, 53, Greater) \
    X(GREATER_EQUAL, 54, GreaterEqual) \
    X(GROUPED_CONV_2D, 55, GroupedConv2d) \
    X(HEATMAP_MAX_KEYPOINT, 56, HeatmapMaxKeypoint) \
    X(INSTANCE_NORMALIZATION, 57, InstanceNormalization) \
    X(LESS, 58, Less) \
    X(LESS_EQUAL, 59, LessEqual) \
    X(LOG, 60, Log) \
    X(LOGICAL_AND, 61, LogicalAnd) \
    X(LOGICAL_NOT, 62, LogicalNot) \
    X(LOGICAL_OR, 63, LogicalOr) \
    X(LOG_SOFTMAX, 64, LogSoftmax) \
    X(MAXIMUM, 65, Maximum) \
    X(MINIMUM, 66, Minimum) \
    X(NEG, 67, Neg) \
    X(NOT_EQUAL, 68, NotEqual) \
    X(PAD_V2, 69, PadV2) \
    X(POW, 70, Pow) \
    X(PRELU, 71, Prelu) \
    X(QUANTIZE, 72, Quantize) \
    X(QUANTIZED_16BIT_LSTM, 73, Quantized16bitLstm) \
    X(RANDOM_MULTINOMIAL, 74, RandomMultinomial) \
    X(REDUCE_ALL, 75, ReduceAll) \
    X(REDUCE_ANY, 76, ReduceAny) \
    X(REDUCE_MAX, 77, ReduceMax) \
    X(REDUCE_MIN, 78, ReduceMin) \
    X(REDUCE_PROD, 79, ReduceProd) \
    X(REDUCE_SUM, 80, ReduceSum) \
    X(ROI_ALIGN, 81, RoiAlign) \
    X(ROI_POOLING, 82, RoiPooling) \
    X(RSQRT, 83, Rsqrt) \
    X(SELECT, 84, Select) \
    X(SIN, 85, Sin) \
    X(SLICE, 86, Slice) \
    X(SPLIT, 87, Split) \
    X(SQRT, 88, Sqrt) \
    X(TILE, 89, Tile) \
    X(TOPK_V2, 90, TopkV2) \
    X(TRANSPOSE_CONV_2D, 91, TransposeConv2d) \
    X(UNIDIRECTIONAL_SEQUENCE_LSTM, 92, UnidirectionalSequenceLstm) \
    X(UNIDIRECTIONAL_SEQUENCE_RNN, 93, UnidirectionalSequenceRnn) \
    X(RESIZE_NEAREST_NEIGHBOR, 94, ResizeNearestNeighbor) \
    X(QUANTIZED_LSTM, 95, QuantizedLstm) \
    X(IF, 96, If) \
    X(WHILE, 97, While) \
    X(ELU, 98, Elu) \
    X(HARD_SWISH, 99, HardSwish) \
    X(FILL, 100, Fill) \
    X(RANK, 101, Rank)
// clang-format on
