// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The operations of the extension org.nnburst.tflite, which the import of TFLite files uses where
/// the HAL has no operation that computes the same. docs/tflite.md lists their operands. Codes
/// never change their meaning, because compilation caches and models name them.

#include <cstdint>

namespace nnburst::tflite_operations {

inline constexpr const char* kExtensionName = "org.nnburst.tflite";

enum class Code : std::uint16_t {
    COS = 1,
    ROUND = 2,
    SIGN = 3,
    GELU = 4,
    FAKE_QUANT = 5,
    BUCKETIZE = 6,
    FLOOR_MOD = 10,
    ATAN2 = 11,
    TRUNCATED_DIV = 12,
    BITWISE_XOR = 13,
    RIGHT_SHIFT = 14,
    INTEGER_POW = 15,
    BATCH_MATMUL = 20,
    CUMSUM = 21,
    MATRIX_DIAG = 22,
    MATRIX_SET_DIAG = 23,
    REDUCE_INTEGERS = 24,
    TOP_K = 25,
    NON_MAX_SUPPRESSION = 26,
    WHERE = 27,
    UNIQUE = 28,
    GATHER = 30,
    GATHER_ND = 31,
    SCATTER_ND = 32,
    SPARSE_TO_DENSE = 33,
    ONE_HOT = 34,
    DYNAMIC_UPDATE_SLICE = 35,
    REVERSE_SEQUENCE = 36,
    BITCAST = 37,
    DILATE = 38,
    SEGMENT_SUM = 40,
    UNSORTED_SEGMENT_SUM = 41,
    UNSORTED_SEGMENT_PROD = 42,
    UNSORTED_SEGMENT_MIN = 43,
    UNSORTED_SEGMENT_MAX = 44,
    MAX_POOLING_WITH_ARGMAX = 50,
    MAX_UNPOOLING = 51,
    TRANSFORM_TENSOR_BILINEAR = 52,
    TRANSFORM_LANDMARKS = 53,
    LANDMARKS_TO_TRANSFORM_MATRIX = 54,
    LANDMARKS_TO_TRANSFORM_MATRIX_V1 = 55,
    CONV_3D = 56,
    CONV_3D_TRANSPOSE = 57,
    RESCALE_16 = 60,
    ADD_16 = 61,
    SUB_16 = 62,
    MUL_16 = 63,
    MAXIMUM_16 = 64,
    MINIMUM_16 = 65,
    LEAKY_RELU_16 = 66,
    CLAMP_16 = 67,
    AVERAGE_POOL_2D_16 = 68,
    MAX_POOL_2D_16 = 69,
    SOFTMAX_16 = 70,
    FULLY_CONNECTED_16X8 = 80,
    CONV_2D_16X8 = 81,
    DEPTHWISE_CONV_2D_16X8 = 82,
    TRANSPOSE_CONV_2D_16X8 = 83,
    RFFT_2D = 90,
    REAL = 91,
    IMAG = 92,
    COMPLEX_ABS = 93,
    AUDIO_SPECTROGRAM = 94,
    MFCC = 95,
    RANDOM_UNIFORM = 100,
    RANDOM_STANDARD_NORMAL = 101,
    MULTINOMIAL = 102,
};

/// What REDUCE_INTEGERS computes.
enum class Reduction : std::int32_t { SUM = 0, PROD = 1, MIN = 2, MAX = 3, MEAN = 4 };

}  // namespace nnburst::tflite_operations
