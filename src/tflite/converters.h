// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The converters that converter_table.cpp names, by source file. Each adds one operation, or a few
/// that together compute the same, and infers the shapes of outputs for files that do not state
/// them.

#include "nnburst/result.h"
#include "nnburst/types.h"
#include "tflite/operator_import.h"

namespace nnburst::tflite {

/// The layout argument of the HAL's operations on images. TFLite has NHWC only.
inline constexpr bool kIsNchw = false;

// control.cpp
Result<> convertIf(OperatorImport& op, OperationType operation);
Result<> convertWhile(OperatorImport& op, OperationType operation);
/// STABLEHLO_COMPOSITE.
Result<> convertComposite(OperatorImport& op, OperationType operation);

// fully_connected.cpp
Result<> convertFullyConnected(OperatorImport& op, OperationType operation);

// detection.cpp
Result<> convertDetectionPostprocess(OperatorImport& op, OperationType operation);

/// NON_MAX_SUPPRESSION_V4 and _V5.
Result<> convertNonMaxSuppression(OperatorImport& op, OperationType operation);

// elementwise.cpp
/// Operations on one operand that keep its shape.
Result<> convertUnary(OperatorImport& op, OperationType operation);
/// The same for operations that the HAL has in floating point only.
Result<> convertFloatUnary(OperatorImport& op, OperationType operation);
/// RELU and its variants, which keep the quantisation in the HAL.
Result<> convertClamp(OperatorImport& op, OperationType operation);
/// LOGISTIC and TANH.
Result<> convertSigmoid(OperatorImport& op, OperationType operation);
Result<> convertElu(OperatorImport& op, OperationType operation);
Result<> convertFloor(OperatorImport& op, OperationType operation);
Result<> convertCeil(OperatorImport& op, OperationType operation);
Result<> convertRelu0To1(OperatorImport& op, OperationType operation);
Result<> convertLeakyRelu(OperatorImport& op, OperationType operation);
Result<> convertSquare(OperatorImport& op, OperationType operation);

// binary.cpp
/// Operations on two operands, with a fused activation.
Result<> convertArithmetic(OperatorImport& op, OperationType operation);
/// Operations on two operands, without an activation.
Result<> convertBinary(OperatorImport& op, OperationType operation);
/// Gives the output the broadcast shape of inputs 0 and 1.
void inferBroadcast(OperatorImport& op, std::size_t a = 0, std::size_t b = 1);
Result<> convertPow(OperatorImport& op, OperationType operation);
Result<> convertSquaredDifference(OperatorImport& op, OperationType operation);
Result<> convertFloorDiv(OperatorImport& op, OperationType operation);
Result<> convertFloorMod(OperatorImport& op, OperationType operation);
Result<> convertAddN(OperatorImport& op, OperationType operation);
Result<> convertSelect(OperatorImport& op, OperationType operation);
Result<> convertSelectV2(OperatorImport& op, OperationType operation);

// batch_matmul.cpp
Result<> convertBatchMatmul(OperatorImport& op, OperationType operation);

// indexing.cpp
Result<> convertWhere(OperatorImport& op, OperationType operation);
Result<> convertUnique(OperatorImport& op, OperationType operation);
Result<> convertDilate(OperatorImport& op, OperationType operation);
Result<> convertGatherNd(OperatorImport& op, OperationType operation);
Result<> convertScatterNd(OperatorImport& op, OperationType operation);
Result<> convertSparseToDense(OperatorImport& op, OperationType operation);
Result<> convertOneHot(OperatorImport& op, OperationType operation);
Result<> convertUpdateSlice(OperatorImport& op, OperationType operation);
Result<> convertReverseSequence(OperatorImport& op, OperationType operation);
Result<> convertSegmentSum(OperatorImport& op, OperationType operation);
Result<> convertUnsortedSegment(OperatorImport& op, OperationType operation);

// extension_operations.cpp
/// REAL, IMAG and COMPLEX_ABS.
Result<> convertComplexPart(OperatorImport& op, OperationType operation);
Result<> convertRfft2d(OperatorImport& op, OperationType operation);
Result<> convertAudioSpectrogram(OperatorImport& op, OperationType operation);
Result<> convertMfcc(OperatorImport& op, OperationType operation);
/// Operations of our extension on two tensors of FLOAT32, or of INT32.
Result<> convertFloatBinary(OperatorImport& op, OperationType operation);
Result<> convertIntegerBinary(OperatorImport& op, OperationType operation);
Result<> convertGelu(OperatorImport& op, OperationType operation);
Result<> convertFakeQuant(OperatorImport& op, OperationType operation);
Result<> convertBucketize(OperatorImport& op, OperationType operation);
Result<> convertCumsum(OperatorImport& op, OperationType operation);
Result<> convertMatrixDiag(OperatorImport& op, OperationType operation);
Result<> convertMatrixSetDiag(OperatorImport& op, OperationType operation);
/// RANGE and BROADCAST_ARGS, which are known at import.
Result<> convertRange(OperatorImport& op, OperationType operation);
Result<> convertBroadcastArgs(OperatorImport& op, OperationType operation);

// mediapipe.cpp
Result<> convertTransposeConvBias(OperatorImport& op, OperationType operation);
Result<> convertMaxPoolArgmax(OperatorImport& op, OperationType operation);
Result<> convertMaxUnpooling(OperatorImport& op, OperationType operation);
Result<> convertTransformTensor(OperatorImport& op, OperationType operation);
Result<> convertTransformLandmarks(OperatorImport& op, OperationType operation);
Result<> convertLandmarksToMatrix(OperatorImport& op, OperationType operation);

// cast.cpp
/// Adds what gives `output` the stored numbers of `input`, one of which is INT8 or INT16.
void castSigned(OperatorImport& op, std::uint32_t input, std::uint32_t output);
Result<> convertCast(OperatorImport& op, OperationType operation);
Result<> convertQuantize(OperatorImport& op, OperationType operation);
Result<> convertDequantize(OperatorImport& op, OperationType operation);
/// Between types with elements of the same size.
Result<> convertBitcast(OperatorImport& op, OperationType operation);
/// DENSIFY of a constant, which has all its elements once it is read.
Result<> convertDensify(OperatorImport& op, OperationType operation);

// normalization.cpp
Result<> convertSoftmax(OperatorImport& op, OperationType operation);
Result<> convertLogSoftmax(OperatorImport& op, OperationType operation);
Result<> convertL2Normalization(OperatorImport& op, OperationType operation);
Result<> convertLocalResponseNormalization(OperatorImport& op, OperationType operation);

// lookup.cpp
Result<> convertEmbeddingLookup(OperatorImport& op, OperationType operation);
Result<> convertHashtableLookup(OperatorImport& op, OperationType operation);
Result<> convertLshProjection(OperatorImport& op, OperationType operation);
Result<> convertGather(OperatorImport& op, OperationType operation);
/// The operand of input `index`, which has indices, as the TENSOR_INT32 that operations take.
std::uint32_t indicesOf(OperatorImport& op, std::size_t index);

// convolution.cpp
Result<> convertConv2d(OperatorImport& op, OperationType operation);
Result<> convertDepthwiseConv2d(OperatorImport& op, OperationType operation);
Result<> convertTransposeConv(OperatorImport& op, OperationType operation);
Result<> convertConv3d(OperatorImport& op, OperationType operation);
Result<> convertConv3dTranspose(OperatorImport& op, OperationType operation);

// pooling.cpp
Result<> convertPool2d(OperatorImport& op, OperationType operation);

// image.cpp
Result<> convertResize(OperatorImport& op, OperationType operation);
Result<> convertDepthToSpace(OperatorImport& op, OperationType operation);
Result<> convertSpaceToDepth(OperatorImport& op, OperationType operation);
Result<> convertSpaceToBatch(OperatorImport& op, OperationType operation);
Result<> convertBatchToSpace(OperatorImport& op, OperationType operation);

// shape.cpp
Result<> convertReshape(OperatorImport& op, OperationType operation);
Result<> convertSqueeze(OperatorImport& op, OperationType operation);
Result<> convertExpandDims(OperatorImport& op, OperationType operation);
Result<> convertTranspose(OperatorImport& op, OperationType operation);
/// SHAPE and RANK, which are known at import.
Result<> convertShape(OperatorImport& op, OperationType operation);
Result<> convertRank(OperatorImport& op, OperationType operation);

// pad.cpp
Result<> convertPad(OperatorImport& op, OperationType operation);
Result<> convertMirrorPad(OperatorImport& op, OperationType operation);

// tile_and_fill.cpp
Result<> convertTile(OperatorImport& op, OperationType operation);
Result<> convertBroadcastTo(OperatorImport& op, OperationType operation);
Result<> convertFill(OperatorImport& op, OperationType operation);
Result<> convertZerosLike(OperatorImport& op, OperationType operation);

// slice.cpp
Result<> convertSlice(OperatorImport& op, OperationType operation);
Result<> convertStridedSlice(OperatorImport& op, OperationType operation);
Result<> convertReverse(OperatorImport& op, OperationType operation);

// concatenation_and_split.cpp
Result<> convertConcatenation(OperatorImport& op, OperationType operation);
Result<> convertPack(OperatorImport& op, OperationType operation);
Result<> convertUnpack(OperatorImport& op, OperationType operation);
Result<> convertSplit(OperatorImport& op, OperationType operation);
Result<> convertSplitV(OperatorImport& op, OperationType operation);

// reduction.cpp
Result<> convertMean(OperatorImport& op, OperationType operation);
Result<> convertReduction(OperatorImport& op, OperationType operation);
Result<> convertArgMinMax(OperatorImport& op, OperationType operation);
Result<> convertTopK(OperatorImport& op, OperationType operation);

// random.cpp
Result<> convertRandom(OperatorImport& op, OperationType operation);
Result<> convertMultinomial(OperatorImport& op, OperationType operation);

// recurrent.cpp
Result<> convertLstm(OperatorImport& op, OperationType operation);
Result<> convertRnn(OperatorImport& op, OperationType operation);
Result<> convertSvdf(OperatorImport& op, OperationType operation);

// sequence.cpp
Result<> convertUnidirectionalSequenceLstm(OperatorImport& op, OperationType operation);
Result<> convertUnidirectionalSequenceRnn(OperatorImport& op, OperationType operation);
Result<> convertBidirectionalSequenceLstm(OperatorImport& op, OperationType operation);
Result<> convertBidirectionalSequenceRnn(OperatorImport& op, OperationType operation);

}  // namespace nnburst::tflite
