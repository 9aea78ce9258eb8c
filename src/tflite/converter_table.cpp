// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/converter_table.h"

#include <algorithm>
#include <array>

#include "tflite/converters.h"
#include "tflite/extension_types.h"

namespace nnburst::tflite {

namespace {

using Code = schema::BuiltinOperator;
using Operation = tflite_operations::Code;
using enum OperationType;

constexpr OperationType extension(Operation operation) noexcept {
    return extensionOperation(operation);
}

constexpr Arity kUnary = Arity::exactly(1);
constexpr Arity kBinary = Arity::exactly(2);
constexpr Arity kTernary = Arity::exactly(3);
constexpr Arity kFourInputs = Arity::exactly(4);
constexpr Arity kVariadic{
    .minimumInputs = 1, .maximumInputs = Arity::kAnyNumber, .requiredInputs = Arity::kAll};
/// The bias may be left out.
constexpr Arity kWeighted{.minimumInputs = 2, .maximumInputs = 3, .requiredInputs = 0b11};
constexpr Arity kTransposeConv{.minimumInputs = 3, .maximumInputs = 4, .requiredInputs = 0b111};
/// The shape may be in the options.
constexpr Arity kReshape{.minimumInputs = 1, .maximumInputs = 2, .requiredInputs = 0b1};
/// The weights may be left out.
constexpr Arity kLshProjection{.minimumInputs = 2, .maximumInputs = 3, .requiredInputs = 0b11};
constexpr Arity kHashtableLookup = Arity::exactly(3, 2);
constexpr Arity kTopK = Arity::exactly(2, 2);
constexpr Arity kPoolWithPlaces = Arity::exactly(1, 2);
constexpr Arity kUnique = Arity::exactly(1, 2);
constexpr Arity kUnpack = Arity::exactly(1).withAnyOutputs();
constexpr Arity kSplit = Arity::exactly(2).withAnyOutputs();
constexpr Arity kSplitV = Arity::exactly(3).withAnyOutputs();
constexpr Arity kControl = kVariadic.withAnyOutputs();
constexpr Arity kSuppression = Arity::exactly(5, 2);
constexpr Arity kSoftSuppression = Arity::exactly(6, 3);
constexpr Arity kDetection = Arity::exactly(3, 4);
/// The inputs of the input gate, the peephole connections, the projection and layer normalisation
/// may be left out.
constexpr Arity kLstm{
    .minimumInputs = 20, .maximumInputs = 24, .requiredInputs = 0b1100'1110'0001'1101'1101};
/// The same, or the five inputs and four outputs of the basic kernel.
constexpr Arity kLstmKernels{.minimumInputs = 5,
                             .maximumInputs = kLstm.maximumInputs,
                             .requiredInputs = kLstm.requiredInputs,
                             .maximumOutputs = 4};
constexpr Arity kRnn = Arity::exactly(5);
/// The bias may be left out.
constexpr Arity kSvdf{.minimumInputs = 5, .maximumInputs = 5, .requiredInputs = 0b10111};
/// As LSTM for each direction. The four states follow, then the auxiliary input and its weights,
/// which may be left out.
constexpr Arity kBidirectionalLstm{
    .minimumInputs = 48,
    .maximumInputs = 48,
    .requiredInputs = 0b111'1001'1100'0011'1011'1000'1110'0001'1101'1101,
    .maximumOutputs = 2};
/// The auxiliary input and its weights may be left out.
constexpr Arity kBidirectionalRnn{
    .minimumInputs = 12, .maximumInputs = 12, .requiredInputs = 0b1'1111'1111, .maximumOutputs = 2};

constexpr bool kFitsInt32 = true;
constexpr bool kTakesComplex = true;

/// In the order of their names.
constexpr std::array kConverters{
    Converter{Code::ABS, kUnary, ABS, convertFloatUnary},
    Converter{Code::ADD, kBinary, ADD, convertArithmetic},
    Converter{Code::ADD_N, kVariadic, ADD, convertAddN},
    Converter{Code::ARG_MAX, kBinary, ARGMAX, convertArgMinMax, kFitsInt32},
    Converter{Code::ARG_MIN, kBinary, ARGMIN, convertArgMinMax, kFitsInt32},
    Converter{Code::ATAN2, kBinary, extension(Operation::ATAN2), convertFloatBinary},
    Converter{Code::AVERAGE_POOL_2D, kUnary, AVERAGE_POOL_2D, convertPool2d},
    Converter{Code::BATCH_MATMUL, kBinary, extension(Operation::BATCH_MATMUL), convertBatchMatmul},
    Converter{Code::BATCH_TO_SPACE_ND, kTernary, BATCH_TO_SPACE_ND, convertBatchToSpace,
              kFitsInt32},
    Converter{Code::BIDIRECTIONAL_SEQUENCE_LSTM, kBidirectionalLstm, BIDIRECTIONAL_SEQUENCE_LSTM,
              convertBidirectionalSequenceLstm},
    Converter{Code::BIDIRECTIONAL_SEQUENCE_RNN, kBidirectionalRnn, BIDIRECTIONAL_SEQUENCE_RNN,
              convertBidirectionalSequenceRnn},
    Converter{Code::BITCAST, kUnary, extension(Operation::BITCAST), convertBitcast},
    Converter{Code::BITWISE_XOR, kBinary, extension(Operation::BITWISE_XOR), convertIntegerBinary},
    Converter{Code::BROADCAST_ARGS, kBinary, RANK, convertBroadcastArgs, kFitsInt32},
    Converter{Code::BROADCAST_TO, kBinary, TILE, convertBroadcastTo, kFitsInt32},
    Converter{Code::BUCKETIZE, kUnary, extension(Operation::BUCKETIZE), convertBucketize},
    Converter{Code::CAST, kUnary, CAST, convertCast, kFitsInt32},
    Converter{Code::CEIL, kUnary, FLOOR, convertCeil},
    Converter{Code::COMPLEX_ABS, kUnary, extension(Operation::COMPLEX_ABS), convertComplexPart,
              !kFitsInt32, kTakesComplex},
    Converter{Code::CONCATENATION, kVariadic, CONCATENATION, convertConcatenation, kFitsInt32},
    Converter{Code::CONV_2D, kWeighted, CONV_2D, convertConv2d},
    Converter{Code::CONV_3D, kWeighted, extension(Operation::CONV_3D), convertConv3d},
    Converter{Code::CONV_3D_TRANSPOSE, kTransposeConv, extension(Operation::CONV_3D_TRANSPOSE),
              convertConv3dTranspose},
    Converter{Code::COS, kUnary, extension(Operation::COS), convertFloatUnary},
    Converter{Code::CUMSUM, kBinary, extension(Operation::CUMSUM), convertCumsum},
    Converter{Code::DENSIFY, kUnary, CAST, convertDensify},
    Converter{Code::DEPTHWISE_CONV_2D, kWeighted, DEPTHWISE_CONV_2D, convertDepthwiseConv2d},
    Converter{Code::DEPTH_TO_SPACE, kUnary, DEPTH_TO_SPACE, convertDepthToSpace, kFitsInt32},
    Converter{Code::DEQUANTIZE, kUnary, DEQUANTIZE, convertDequantize},
    Converter{Code::DILATE, kTernary, extension(Operation::DILATE), convertDilate, kFitsInt32},
    Converter{Code::DIV, kBinary, DIV, convertArithmetic},
    Converter{Code::DYNAMIC_UPDATE_SLICE, kTernary, extension(Operation::DYNAMIC_UPDATE_SLICE),
              convertUpdateSlice, kFitsInt32},
    Converter{Code::ELU, kUnary, ELU, convertElu},
    Converter{Code::EMBEDDING_LOOKUP, kBinary, EMBEDDING_LOOKUP, convertEmbeddingLookup},
    Converter{Code::EQUAL, kBinary, EQUAL, convertBinary},
    Converter{Code::EXP, kUnary, EXP, convertFloatUnary},
    Converter{Code::EXPAND_DIMS, kBinary, EXPAND_DIMS, convertExpandDims, kFitsInt32,
              kTakesComplex},
    Converter{Code::FAKE_QUANT, kUnary, extension(Operation::FAKE_QUANT), convertFakeQuant},
    Converter{Code::FILL, kBinary, FILL, convertFill, kFitsInt32},
    Converter{Code::FLOOR, kUnary, FLOOR, convertFloor},
    Converter{Code::FLOOR_DIV, kBinary, DIV, convertFloorDiv},
    Converter{Code::FLOOR_MOD, kBinary, extension(Operation::FLOOR_MOD), convertFloorMod,
              kFitsInt32},
    Converter{Code::FULLY_CONNECTED, kWeighted, FULLY_CONNECTED, convertFullyConnected},
    Converter{Code::GATHER, kBinary, GATHER, convertGather, kFitsInt32},
    Converter{Code::GATHER_ND, kBinary, extension(Operation::GATHER_ND), convertGatherNd,
              kFitsInt32},
    Converter{Code::GELU, kUnary, extension(Operation::GELU), convertGelu},
    Converter{Code::GREATER, kBinary, GREATER, convertBinary},
    Converter{Code::GREATER_EQUAL, kBinary, GREATER_EQUAL, convertBinary},
    Converter{Code::HARD_SWISH, kUnary, HARD_SWISH, convertUnary},
    Converter{Code::HASHTABLE_LOOKUP, kHashtableLookup, HASHTABLE_LOOKUP, convertHashtableLookup},
    Converter{Code::IF, kControl, IF, convertIf},
    Converter{Code::IMAG, kUnary, extension(Operation::IMAG), convertComplexPart, !kFitsInt32,
              kTakesComplex},
    Converter{Code::L2_NORMALIZATION, kUnary, L2_NORMALIZATION, convertL2Normalization},
    Converter{Code::L2_POOL_2D, kUnary, L2_POOL_2D, convertPool2d},
    Converter{Code::LEAKY_RELU, kUnary, PRELU, convertLeakyRelu},
    Converter{Code::LESS, kBinary, LESS, convertBinary},
    Converter{Code::LESS_EQUAL, kBinary, LESS_EQUAL, convertBinary},
    Converter{Code::LOCAL_RESPONSE_NORMALIZATION, kUnary, LOCAL_RESPONSE_NORMALIZATION,
              convertLocalResponseNormalization},
    Converter{Code::LOG, kUnary, LOG, convertFloatUnary},
    Converter{Code::LOGICAL_AND, kBinary, LOGICAL_AND, convertBinary},
    Converter{Code::LOGICAL_NOT, kUnary, LOGICAL_NOT, convertUnary},
    Converter{Code::LOGICAL_OR, kBinary, LOGICAL_OR, convertBinary},
    Converter{Code::LOGISTIC, kUnary, LOGISTIC, convertSigmoid},
    Converter{Code::LOG_SOFTMAX, kUnary, LOG_SOFTMAX, convertLogSoftmax},
    Converter{Code::LSH_PROJECTION, kLshProjection, LSH_PROJECTION, convertLshProjection},
    Converter{Code::LSTM, kLstmKernels, LSTM, convertLstm},
    Converter{Code::MATRIX_DIAG, kUnary, extension(Operation::MATRIX_DIAG), convertMatrixDiag,
              kFitsInt32},
    Converter{Code::MATRIX_SET_DIAG, kBinary, extension(Operation::MATRIX_SET_DIAG),
              convertMatrixSetDiag, kFitsInt32},
    Converter{Code::MAXIMUM, kBinary, MAXIMUM, convertBinary, kFitsInt32},
    Converter{Code::MAX_POOL_2D, kUnary, MAX_POOL_2D, convertPool2d},
    Converter{Code::MEAN, kBinary, MEAN, convertMean},
    Converter{Code::MINIMUM, kBinary, MINIMUM, convertBinary, kFitsInt32},
    Converter{Code::MIRROR_PAD, kBinary, CONCATENATION, convertMirrorPad, kFitsInt32},
    Converter{Code::MUL, kBinary, MUL, convertArithmetic},
    Converter{Code::MULTINOMIAL, kBinary, extension(Operation::MULTINOMIAL), convertMultinomial,
              kFitsInt32},
    Converter{Code::NEG, kUnary, NEG, convertFloatUnary},
    Converter{Code::NON_MAX_SUPPRESSION_V4, kSuppression, extension(Operation::NON_MAX_SUPPRESSION),
              convertNonMaxSuppression},
    Converter{Code::NON_MAX_SUPPRESSION_V5, kSoftSuppression,
              extension(Operation::NON_MAX_SUPPRESSION), convertNonMaxSuppression},
    Converter{Code::NOT_EQUAL, kBinary, NOT_EQUAL, convertBinary},
    Converter{Code::ONE_HOT, kFourInputs, extension(Operation::ONE_HOT), convertOneHot, kFitsInt32},
    Converter{Code::PACK, kVariadic, CONCATENATION, convertPack, kFitsInt32},
    Converter{Code::PAD, kBinary, PAD, convertPad, kFitsInt32},
    Converter{Code::PADV2, kTernary, PAD_V2, convertPad, kFitsInt32},
    Converter{Code::POW, kBinary, POW, convertPow},
    Converter{Code::PRELU, kBinary, PRELU, convertBinary},
    Converter{Code::QUANTIZE, kUnary, QUANTIZE, convertQuantize},
    Converter{Code::RANDOM_STANDARD_NORMAL, kUnary, extension(Operation::RANDOM_STANDARD_NORMAL),
              convertRandom},
    Converter{Code::RANDOM_UNIFORM, kUnary, extension(Operation::RANDOM_UNIFORM), convertRandom},
    Converter{Code::RANGE, kTernary, RANK, convertRange, kFitsInt32},
    Converter{Code::RANK, kUnary, RANK, convertRank},
    Converter{Code::REAL, kUnary, extension(Operation::REAL), convertComplexPart, !kFitsInt32,
              kTakesComplex},
    Converter{Code::REDUCE_ALL, kBinary, REDUCE_ALL, convertReduction},
    Converter{Code::REDUCE_ANY, kBinary, REDUCE_ANY, convertReduction},
    Converter{Code::REDUCE_MAX, kBinary, REDUCE_MAX, convertReduction, kFitsInt32},
    Converter{Code::REDUCE_MIN, kBinary, REDUCE_MIN, convertReduction, kFitsInt32},
    Converter{Code::REDUCE_PROD, kBinary, REDUCE_PROD, convertReduction},
    Converter{Code::RELU, kUnary, RELU, convertClamp},
    Converter{Code::RELU6, kUnary, RELU6, convertClamp},
    Converter{Code::RELU_0_TO_1, kUnary, RELU, convertRelu0To1},
    Converter{Code::RELU_N1_TO_1, kUnary, RELU1, convertClamp},
    Converter{Code::RESHAPE, kReshape, RESHAPE, convertReshape, kFitsInt32, kTakesComplex},
    Converter{Code::RESIZE_BILINEAR, kBinary, RESIZE_BILINEAR, convertResize},
    Converter{Code::RESIZE_NEAREST_NEIGHBOR, kBinary, RESIZE_NEAREST_NEIGHBOR, convertResize},
    Converter{Code::REVERSE_SEQUENCE, kBinary, extension(Operation::REVERSE_SEQUENCE),
              convertReverseSequence, kFitsInt32},
    Converter{Code::REVERSE_V2, kBinary, STRIDED_SLICE, convertReverse, kFitsInt32},
    Converter{Code::RFFT2D, kBinary, extension(Operation::RFFT_2D), convertRfft2d, !kFitsInt32,
              kTakesComplex},
    Converter{Code::RIGHT_SHIFT, kBinary, extension(Operation::RIGHT_SHIFT), convertIntegerBinary},
    Converter{Code::RNN, kRnn, RNN, convertRnn},
    Converter{Code::ROUND, kUnary, extension(Operation::ROUND), convertFloatUnary},
    Converter{Code::RSQRT, kUnary, RSQRT, convertFloatUnary},
    Converter{Code::SCATTER_ND, kTernary, extension(Operation::SCATTER_ND), convertScatterNd},
    Converter{Code::SEGMENT_SUM, kBinary, extension(Operation::SEGMENT_SUM), convertSegmentSum},
    Converter{Code::SELECT, kTernary, SELECT, convertSelect, kFitsInt32},
    Converter{Code::SELECT_V2, kTernary, SELECT, convertSelectV2, kFitsInt32},
    Converter{Code::SHAPE, kUnary, RANK, convertShape, kFitsInt32},
    Converter{Code::SIGN, kUnary, extension(Operation::SIGN), convertFloatUnary, kFitsInt32},
    Converter{Code::SIN, kUnary, SIN, convertFloatUnary},
    Converter{Code::SLICE, kTernary, SLICE, convertSlice, kFitsInt32},
    Converter{Code::SOFTMAX, kUnary, SOFTMAX, convertSoftmax},
    Converter{Code::SPACE_TO_BATCH_ND, kTernary, SPACE_TO_BATCH_ND, convertSpaceToBatch,
              kFitsInt32},
    Converter{Code::SPACE_TO_DEPTH, kUnary, SPACE_TO_DEPTH, convertSpaceToDepth, kFitsInt32},
    Converter{Code::SPARSE_TO_DENSE, kFourInputs, extension(Operation::SPARSE_TO_DENSE),
              convertSparseToDense, kFitsInt32},
    Converter{Code::SPLIT, kSplit, SPLIT, convertSplit, kFitsInt32},
    Converter{Code::SPLIT_V, kSplitV, SLICE, convertSplitV, kFitsInt32},
    Converter{Code::SQRT, kUnary, SQRT, convertFloatUnary},
    Converter{Code::SQUARE, kUnary, MUL, convertSquare},
    Converter{Code::SQUARED_DIFFERENCE, kBinary, MUL, convertSquaredDifference},
    Converter{Code::SQUEEZE, kUnary, SQUEEZE, convertSqueeze, kFitsInt32, kTakesComplex},
    Converter{Code::STABLEHLO_COMPOSITE, kControl, IF, convertComposite, kFitsInt32},
    Converter{Code::STRIDED_SLICE, kFourInputs, STRIDED_SLICE, convertStridedSlice, kFitsInt32},
    Converter{Code::SUB, kBinary, SUB, convertArithmetic},
    Converter{Code::SUM, kBinary, REDUCE_SUM, convertReduction},
    Converter{Code::SVDF, kSvdf, SVDF, convertSvdf},
    Converter{Code::TANH, kUnary, TANH, convertSigmoid},
    Converter{Code::TILE, kBinary, TILE, convertTile, kFitsInt32},
    Converter{Code::TOPK_V2, kTopK, extension(Operation::TOP_K), convertTopK, kFitsInt32},
    Converter{Code::TRANSPOSE, kBinary, TRANSPOSE, convertTranspose, kFitsInt32},
    Converter{Code::TRANSPOSE_CONV, kTransposeConv, TRANSPOSE_CONV_2D, convertTransposeConv},
    Converter{Code::UNIDIRECTIONAL_SEQUENCE_LSTM, kLstm, UNIDIRECTIONAL_SEQUENCE_LSTM,
              convertUnidirectionalSequenceLstm},
    Converter{Code::UNIDIRECTIONAL_SEQUENCE_RNN, kRnn, UNIDIRECTIONAL_SEQUENCE_RNN,
              convertUnidirectionalSequenceRnn},
    Converter{Code::UNIQUE, kUnique, extension(Operation::UNIQUE), convertUnique, kFitsInt32},
    Converter{Code::UNPACK, kUnpack, SPLIT, convertUnpack, kFitsInt32},
    Converter{Code::UNSORTED_SEGMENT_MAX, kTernary, extension(Operation::UNSORTED_SEGMENT_MAX),
              convertUnsortedSegment},
    Converter{Code::UNSORTED_SEGMENT_MIN, kTernary, extension(Operation::UNSORTED_SEGMENT_MIN),
              convertUnsortedSegment},
    Converter{Code::UNSORTED_SEGMENT_PROD, kTernary, extension(Operation::UNSORTED_SEGMENT_PROD),
              convertUnsortedSegment},
    Converter{Code::UNSORTED_SEGMENT_SUM, kTernary, extension(Operation::UNSORTED_SEGMENT_SUM),
              convertUnsortedSegment},
    Converter{Code::WHERE, kUnary, extension(Operation::WHERE), convertWhere, kFitsInt32},
    Converter{Code::WHILE, kControl, WHILE, convertWhile},
    Converter{Code::ZEROS_LIKE, kUnary, FILL, convertZerosLike, kFitsInt32},
};

struct CustomConverter {
    std::string_view name;
    Converter converter;
};

constexpr std::array kCustomConverters{
    CustomConverter{
        "AudioSpectrogram",
        {Code::CUSTOM, kUnary, extension(Operation::AUDIO_SPECTROGRAM), convertAudioSpectrogram}},
    CustomConverter{"Convolution2DTransposeBias",
                    {Code::CUSTOM, kTernary, TRANSPOSE_CONV_2D, convertTransposeConvBias}},
    CustomConverter{"Landmarks2TransformMatrix",
                    {Code::CUSTOM, kUnary, extension(Operation::LANDMARKS_TO_TRANSFORM_MATRIX),
                     convertLandmarksToMatrix}},
    CustomConverter{"MaxPoolingWithArgmax2D",
                    {Code::CUSTOM, kPoolWithPlaces, extension(Operation::MAX_POOLING_WITH_ARGMAX),
                     convertMaxPoolArgmax}},
    CustomConverter{
        "MaxUnpooling2D",
        {Code::CUSTOM, kBinary, extension(Operation::MAX_UNPOOLING), convertMaxUnpooling}},
    CustomConverter{"Mfcc", {Code::CUSTOM, kBinary, extension(Operation::MFCC), convertMfcc}},
    CustomConverter{
        "TFLite_Detection_PostProcess",
        {Code::CUSTOM, kDetection, DETECTION_POSTPROCESSING, convertDetectionPostprocess}},
    CustomConverter{"TransformLandmarks",
                    {Code::CUSTOM, kBinary, extension(Operation::TRANSFORM_LANDMARKS),
                     convertTransformLandmarks}},
    CustomConverter{"TransformTensorBilinear",
                    {Code::CUSTOM, kBinary, extension(Operation::TRANSFORM_TENSOR_BILINEAR),
                     convertTransformTensor}},
};

}  // namespace

const Converter* findConverter(schema::BuiltinOperator code) noexcept {
    const auto* row = std::find_if(kConverters.begin(), kConverters.end(),
                                   [code](const Converter& c) { return c.code == code; });
    return row == kConverters.end() ? nullptr : row;
}

const Converter* findCustomConverter(std::string_view name) noexcept {
    const auto* row = std::find_if(kCustomConverters.begin(), kCustomConverters.end(),
                                   [name](const CustomConverter& c) { return c.name == name; });
    return row == kCustomConverters.end() ? nullptr : &row->converter;
}

bool mayBeLeftOut(schema::BuiltinOptions options) noexcept {
    using enum schema::BuiltinOptions;
    switch (options) {
        case AddOptions:
        case BatchMatMulOptions:
        case ConcatenationOptions:
        case CumsumOptions:
        case DivOptions:
        case FullyConnectedOptions:
        case GatherOptions:
        case GeluOptions:
        case L2NormOptions:
        case MirrorPadOptions:
        case MulOptions:
        case ReducerOptions:
        case ResizeBilinearOptions:
        case ResizeNearestNeighborOptions:
        case SqueezeOptions:
        case StridedSliceOptions:
        case SubOptions:
            return true;
        default:
            return false;
    }
}

}  // namespace nnburst::tflite
