/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NNBURST_ANDROID_NEURAL_NETWORKS_TYPES_H
#define NNBURST_ANDROID_NEURAL_NETWORKS_TYPES_H

/**
 * \file
 * The types and constants of NNAPI, with the names, values and layouts that they have on Android:
 * object code that was compiled with Android's header works with this library, and the reverse.
 * C99. docs/nnapi.md says where this implementation differs from Android's.
 *
 * "Since level N" names the feature level (FeatureLevelCode) that brought something.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The type of an operand. Names with TENSOR are tensors; the others are scalars, which have no
 * dimensions. Types of vendor extensions are numbers above these
 * (ANeuralNetworksModel_getExtensionOperandType). */
typedef enum {
    ANEURALNETWORKS_FLOAT32 = 0,
    ANEURALNETWORKS_INT32 = 1,
    ANEURALNETWORKS_UINT32 = 2,
    ANEURALNETWORKS_TENSOR_FLOAT32 = 3,
    ANEURALNETWORKS_TENSOR_INT32 = 4,
    /** uint8: real value = scale * (value - zeroPoint), zeroPoint from 0 to 255 */
    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM = 5,
    /** 8 bits, 0 is false; since level 3, as all that follow up to 13 */
    ANEURALNETWORKS_BOOL = 6,
    /** int16: real value = scale * value */
    ANEURALNETWORKS_TENSOR_QUANT16_SYMM = 7,
    ANEURALNETWORKS_TENSOR_FLOAT16 = 8,
    ANEURALNETWORKS_TENSOR_BOOL8 = 9,
    ANEURALNETWORKS_FLOAT16 = 10,
    /** int8 with a scale for each channel (ANeuralNetworksSymmPerChannelQuantParams) */
    ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL = 11,
    /** uint16: real value = scale * (value - zeroPoint), zeroPoint from 0 to 65535 */
    ANEURALNETWORKS_TENSOR_QUANT16_ASYMM = 12,
    /** int8: real value = scale * value */
    ANEURALNETWORKS_TENSOR_QUANT8_SYMM = 13,
    /** int8: real value = scale * (value - zeroPoint), zeroPoint from -128 to 127; since level 4 */
    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED = 14,
    /** another model, for IF and WHILE (ANeuralNetworksModel_setOperandValueFromModel); since
     * level 4 */
    ANEURALNETWORKS_MODEL = 15
} OperandCode;

/** The type of an operation. docs/operations.md has the inputs, outputs and element types of each.
 */
typedef enum {
    /* since level 1 */
    ANEURALNETWORKS_ADD = 0,
    ANEURALNETWORKS_AVERAGE_POOL_2D = 1,
    ANEURALNETWORKS_CONCATENATION = 2,
    ANEURALNETWORKS_CONV_2D = 3,
    ANEURALNETWORKS_DEPTHWISE_CONV_2D = 4,
    ANEURALNETWORKS_DEPTH_TO_SPACE = 5,
    ANEURALNETWORKS_DEQUANTIZE = 6,
    ANEURALNETWORKS_EMBEDDING_LOOKUP = 7,
    ANEURALNETWORKS_FLOOR = 8,
    ANEURALNETWORKS_FULLY_CONNECTED = 9,
    ANEURALNETWORKS_HASHTABLE_LOOKUP = 10,
    ANEURALNETWORKS_L2_NORMALIZATION = 11,
    ANEURALNETWORKS_L2_POOL_2D = 12,
    ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION = 13,
    ANEURALNETWORKS_LOGISTIC = 14,
    ANEURALNETWORKS_LSH_PROJECTION = 15,
    ANEURALNETWORKS_LSTM = 16,
    ANEURALNETWORKS_MAX_POOL_2D = 17,
    ANEURALNETWORKS_MUL = 18,
    ANEURALNETWORKS_RELU = 19,
    ANEURALNETWORKS_RELU1 = 20,
    ANEURALNETWORKS_RELU6 = 21,
    ANEURALNETWORKS_RESHAPE = 22,
    ANEURALNETWORKS_RESIZE_BILINEAR = 23,
    ANEURALNETWORKS_RNN = 24,
    ANEURALNETWORKS_SOFTMAX = 25,
    ANEURALNETWORKS_SPACE_TO_DEPTH = 26,
    ANEURALNETWORKS_SVDF = 27,
    ANEURALNETWORKS_TANH = 28,
    /* since level 2 */
    ANEURALNETWORKS_BATCH_TO_SPACE_ND = 29,
    ANEURALNETWORKS_DIV = 30,
    ANEURALNETWORKS_MEAN = 31,
    ANEURALNETWORKS_PAD = 32,
    ANEURALNETWORKS_SPACE_TO_BATCH_ND = 33,
    ANEURALNETWORKS_SQUEEZE = 34,
    ANEURALNETWORKS_STRIDED_SLICE = 35,
    ANEURALNETWORKS_SUB = 36,
    ANEURALNETWORKS_TRANSPOSE = 37,
    /* since level 3 */
    ANEURALNETWORKS_ABS = 38,
    ANEURALNETWORKS_ARGMAX = 39,
    ANEURALNETWORKS_ARGMIN = 40,
    ANEURALNETWORKS_AXIS_ALIGNED_BBOX_TRANSFORM = 41,
    ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM = 42,
    ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN = 43,
    ANEURALNETWORKS_BOX_WITH_NMS_LIMIT = 44,
    ANEURALNETWORKS_CAST = 45,
    ANEURALNETWORKS_CHANNEL_SHUFFLE = 46,
    ANEURALNETWORKS_DETECTION_POSTPROCESSING = 47,
    ANEURALNETWORKS_EQUAL = 48,
    ANEURALNETWORKS_EXP = 49,
    ANEURALNETWORKS_EXPAND_DIMS = 50,
    ANEURALNETWORKS_GATHER = 51,
    ANEURALNETWORKS_GENERATE_PROPOSALS = 52,
    ANEURALNETWORKS_GREATER = 53,
    ANEURALNETWORKS_GREATER_EQUAL = 54,
    ANEURALNETWORKS_GROUPED_CONV_2D = 55,
    ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT = 56,
    ANEURALNETWORKS_INSTANCE_NORMALIZATION = 57,
    ANEURALNETWORKS_LESS = 58,
    ANEURALNETWORKS_LESS_EQUAL = 59,
    ANEURALNETWORKS_LOG = 60,
    ANEURALNETWORKS_LOGICAL_AND = 61,
    ANEURALNETWORKS_LOGICAL_NOT = 62,
    ANEURALNETWORKS_LOGICAL_OR = 63,
    ANEURALNETWORKS_LOG_SOFTMAX = 64,
    ANEURALNETWORKS_MAXIMUM = 65,
    ANEURALNETWORKS_MINIMUM = 66,
    ANEURALNETWORKS_NEG = 67,
    ANEURALNETWORKS_NOT_EQUAL = 68,
    ANEURALNETWORKS_PAD_V2 = 69,
    ANEURALNETWORKS_POW = 70,
    ANEURALNETWORKS_PRELU = 71,
    ANEURALNETWORKS_QUANTIZE = 72,
    ANEURALNETWORKS_QUANTIZED_16BIT_LSTM = 73,
    ANEURALNETWORKS_RANDOM_MULTINOMIAL = 74,
    ANEURALNETWORKS_REDUCE_ALL = 75,
    ANEURALNETWORKS_REDUCE_ANY = 76,
    ANEURALNETWORKS_REDUCE_MAX = 77,
    ANEURALNETWORKS_REDUCE_MIN = 78,
    ANEURALNETWORKS_REDUCE_PROD = 79,
    ANEURALNETWORKS_REDUCE_SUM = 80,
    ANEURALNETWORKS_ROI_ALIGN = 81,
    ANEURALNETWORKS_ROI_POOLING = 82,
    ANEURALNETWORKS_RSQRT = 83,
    ANEURALNETWORKS_SELECT = 84,
    ANEURALNETWORKS_SIN = 85,
    ANEURALNETWORKS_SLICE = 86,
    ANEURALNETWORKS_SPLIT = 87,
    ANEURALNETWORKS_SQRT = 88,
    ANEURALNETWORKS_TILE = 89,
    ANEURALNETWORKS_TOPK_V2 = 90,
    ANEURALNETWORKS_TRANSPOSE_CONV_2D = 91,
    ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM = 92,
    ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN = 93,
    ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR = 94,
    /* since level 4 */
    ANEURALNETWORKS_QUANTIZED_LSTM = 95,
    ANEURALNETWORKS_IF = 96,
    ANEURALNETWORKS_WHILE = 97,
    ANEURALNETWORKS_ELU = 98,
    ANEURALNETWORKS_HARD_SWISH = 99,
    ANEURALNETWORKS_FILL = 100,
    ANEURALNETWORKS_RANK = 101,
    /** since level 6, for programs that ask for that level; this library refuses it */
    ANEURALNETWORKS_BATCH_MATMUL = 102
} OperationCode;

/** The activation that an operation applies to its output. */
typedef enum {
    ANEURALNETWORKS_FUSED_NONE = 0,
    ANEURALNETWORKS_FUSED_RELU = 1,  /**< max(0, x) */
    ANEURALNETWORKS_FUSED_RELU1 = 2, /**< limited to [-1, 1] */
    ANEURALNETWORKS_FUSED_RELU6 = 3  /**< limited to [0, 6] */
} FuseCode;

/** How many zeros an operation with windows puts around its input. */
typedef enum {
    ANEURALNETWORKS_PADDING_SAME = 1, /**< so many that the output has size ceil(input / stride) */
    ANEURALNETWORKS_PADDING_VALID = 2 /**< none */
} PaddingCode;

/** What a compilation is to be good at. */
typedef enum {
    ANEURALNETWORKS_PREFER_LOW_POWER = 0,
    ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER = 1,
    ANEURALNETWORKS_PREFER_SUSTAINED_SPEED = 2
} PreferenceCode;

/** The kind of a device. Since level 3. */
typedef enum {
    ANEURALNETWORKS_DEVICE_UNKNOWN = 0,
    ANEURALNETWORKS_DEVICE_OTHER = 1,
    ANEURALNETWORKS_DEVICE_CPU = 2,
    ANEURALNETWORKS_DEVICE_GPU = 3,
    ANEURALNETWORKS_DEVICE_ACCELERATOR = 4
} DeviceTypeCode;

/** What every function with an int result gives. */
typedef enum {
    ANEURALNETWORKS_NO_ERROR = 0,
    ANEURALNETWORKS_OUT_OF_MEMORY = 1,
    ANEURALNETWORKS_INCOMPLETE = 2,
    ANEURALNETWORKS_UNEXPECTED_NULL = 3,
    ANEURALNETWORKS_BAD_DATA = 4,
    ANEURALNETWORKS_OP_FAILED = 5,
    /** the object is not in the state that the call needs */
    ANEURALNETWORKS_BAD_STATE = 6,
    /** memory of a descriptor cannot be used */
    ANEURALNETWORKS_UNMAPPABLE = 7,
    /** an output was given too little memory; ANeuralNetworksExecution_getOutputOperandDimensions
     * tells how much it needs */
    ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE = 8,
    ANEURALNETWORKS_UNAVAILABLE_DEVICE = 9,
    /** since level 4, as all that follow */
    ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT = 10,
    ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT = 11,
    ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT = 12,
    ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT = 13,
    /** the driver process that held the object is gone */
    ANEURALNETWORKS_DEAD_OBJECT = 14
} ResultCode;

/** The largest value that ANeuralNetworksModel_setOperandValue copies at once, in bytes. */
enum { ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES = 128 };

/** The size of the token that names a cached compilation, in bytes. */
enum { ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN = 32 };

/** Which duration ANeuralNetworksExecution_getDuration tells. */
typedef enum {
    ANEURALNETWORKS_DURATION_ON_HARDWARE = 0, /**< in the kernels */
    ANEURALNETWORKS_DURATION_IN_DRIVER = 1,   /**< from the driver's receipt to its answer */
    /** the same from the moment at which all dependencies were signalled; since level 4 */
    ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE = 2,
    ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER = 3
} DurationCode;

/** How urgent a compilation and its executions are, relative to others of the same application.
 * Since level 4. */
typedef enum {
    ANEURALNETWORKS_PRIORITY_LOW = 90,
    ANEURALNETWORKS_PRIORITY_MEDIUM = 100,
    ANEURALNETWORKS_PRIORITY_HIGH = 110,
    ANEURALNETWORKS_PRIORITY_DEFAULT = ANEURALNETWORKS_PRIORITY_MEDIUM
} PriorityCode;

/** Feature levels, of the runtime and of devices. The first five are the levels of Android's API.
 */
typedef enum {
    ANEURALNETWORKS_FEATURE_LEVEL_1 = 27,
    ANEURALNETWORKS_FEATURE_LEVEL_2 = 28,
    ANEURALNETWORKS_FEATURE_LEVEL_3 = 29,
    ANEURALNETWORKS_FEATURE_LEVEL_4 = 30,
    ANEURALNETWORKS_FEATURE_LEVEL_5 = 31, /**< of this library */
    ANEURALNETWORKS_FEATURE_LEVEL_6 = 1000006,
    ANEURALNETWORKS_FEATURE_LEVEL_7 = 1000007,
    ANEURALNETWORKS_FEATURE_LEVEL_8 = 1000008
} FeatureLevelCode;

/** Memory that operand values and arguments of executions lie in. */
typedef struct ANeuralNetworksMemory ANeuralNetworksMemory;

/** A graph of operations and operands. Operands are named by the order in which they were added,
 * from 0. One thread at a time until ANeuralNetworksModel_finish, any number afterwards. It must
 * live longer than compilations made of it. */
typedef struct ANeuralNetworksModel ANeuralNetworksModel;

/** A model that is made ready for devices. One thread at a time until
 * ANeuralNetworksCompilation_finish, any number afterwards. It must live longer than executions and
 * bursts made of it. */
typedef struct ANeuralNetworksCompilation ANeuralNetworksCompilation;

/**
 * One run of a compilation, or with ANeuralNetworksExecution_setReusable many, one after the other.
 * An execution is in preparation, then in computation, then completed; a reusable one can be
 * computed again when it is completed. Calls that do not fit the state give BAD_STATE.
 */
typedef struct ANeuralNetworksExecution ANeuralNetworksExecution;

/** A context in which executions of one compilation follow each other with the least latency.
 * Since level 3. */
typedef struct ANeuralNetworksBurst ANeuralNetworksBurst;

/** The scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand. Since level 3. */
typedef struct ANeuralNetworksSymmPerChannelQuantParams {
    uint32_t channelDim; /**< the axis of the channels */
    uint32_t scaleCount; /**< the size of that axis */
    const float* scales; /**< each greater than 0 */
} ANeuralNetworksSymmPerChannelQuantParams;

/** The type of an operand. A dimension of 0 is not known yet; so is the rank of a tensor with a
 * dimensionCount of 0. */
typedef struct ANeuralNetworksOperandType {
    int32_t type; /**< an OperandCode, or the type of an extension */
    uint32_t dimensionCount;
    const uint32_t* dimensions; /**< outermost first; null if there are none */
    float scale;                /**< 0 for types that are not quantised */
    int32_t zeroPoint;          /**< 0 for types without one */
} ANeuralNetworksOperandType;

/** An OperationCode, or the type of an extension's operation. */
typedef int32_t ANeuralNetworksOperationType;

/** The end of an execution that was started, or a fence of another library. */
typedef struct ANeuralNetworksEvent ANeuralNetworksEvent;

/** A device that runs models. Lives as long as the process. Since level 3. */
typedef struct ANeuralNetworksDevice ANeuralNetworksDevice;

/** What memory is to be used for (ANeuralNetworksMemory_createFromDesc). One thread at a time until
 * ANeuralNetworksMemoryDesc_finish, any number afterwards. Since level 4. */
typedef struct ANeuralNetworksMemoryDesc ANeuralNetworksMemoryDesc;

/** A buffer of Android's graphics stack; this library has no use for one. */
typedef struct AHardwareBuffer AHardwareBuffer;

#ifdef __cplusplus
}
#endif

#endif
