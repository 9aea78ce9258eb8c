// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The layouts and values of the API that object code of programs has in it, and their equality with
// the HAL's.

#include <android/NeuralNetworksOEM.h>
#include <android/NeuralNetworksSupportLibraryImpl.h>

#include <cstddef>

#include "nnburst/types.h"

static_assert(offsetof(ANeuralNetworksOperandType, type) == 0 &&
              offsetof(ANeuralNetworksOperandType, dimensionCount) == 4 &&
              offsetof(ANeuralNetworksOperandType, dimensions) == 8 &&
              offsetof(ANeuralNetworksOperandType, scale) == 8 + sizeof(void*) &&
              offsetof(ANeuralNetworksOperandType, zeroPoint) == 12 + sizeof(void*) &&
              sizeof(ANeuralNetworksOperandType) == 16 + sizeof(void*) &&
              alignof(ANeuralNetworksOperandType) == alignof(void*));
static_assert(offsetof(ANeuralNetworksSymmPerChannelQuantParams, channelDim) == 0 &&
              offsetof(ANeuralNetworksSymmPerChannelQuantParams, scaleCount) == 4 &&
              offsetof(ANeuralNetworksSymmPerChannelQuantParams, scales) == 8 &&
              sizeof(ANeuralNetworksSymmPerChannelQuantParams) == 8 + sizeof(void*));
static_assert(sizeof(SL_ANeuralNetworksPerformanceInfo) == 8 &&
              sizeof(SL_ANeuralNetworksOperandPerformanceInfo) == 12 &&
              sizeof(SL_ANeuralNetworksExtensionOperandTypeInformation) == 8);

// 71 functions of the API, 7 of support libraries alone, 26 of diagnostics.
static_assert(offsetof(NnApiSLDriverImplFL5, ANeuralNetworksBurst_create) == 8 &&
              offsetof(NnApiSLDriverImplFL5, SL_ANeuralNetworksCompilation_setCachingFromFds) ==
                  8 + 71 * sizeof(void*) &&
              sizeof(NnApiSLDriverImplFL5) == 8 + (71 + 7 + 26) * sizeof(void*));

namespace nnburst {

#define NNBURST_SAME_OPERATION(NAME, CODE, Name) static_assert(ANEURALNETWORKS_##NAME == (CODE));
NNBURST_OPERATIONS(NNBURST_SAME_OPERATION)
#undef NNBURST_SAME_OPERATION

#define NNBURST_SAME(ENUMERATOR, NAME) \
    static_assert(static_cast<std::int32_t>(ENUMERATOR) == ANEURALNETWORKS_##NAME)
NNBURST_SAME(OperandType::FLOAT32, FLOAT32);
NNBURST_SAME(OperandType::INT32, INT32);
NNBURST_SAME(OperandType::UINT32, UINT32);
NNBURST_SAME(OperandType::TENSOR_FLOAT32, TENSOR_FLOAT32);
NNBURST_SAME(OperandType::TENSOR_INT32, TENSOR_INT32);
NNBURST_SAME(OperandType::TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM);
NNBURST_SAME(OperandType::BOOL, BOOL);
NNBURST_SAME(OperandType::TENSOR_QUANT16_SYMM, TENSOR_QUANT16_SYMM);
NNBURST_SAME(OperandType::TENSOR_FLOAT16, TENSOR_FLOAT16);
NNBURST_SAME(OperandType::TENSOR_BOOL8, TENSOR_BOOL8);
NNBURST_SAME(OperandType::FLOAT16, FLOAT16);
NNBURST_SAME(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_QUANT8_SYMM_PER_CHANNEL);
NNBURST_SAME(OperandType::TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_ASYMM);
NNBURST_SAME(OperandType::TENSOR_QUANT8_SYMM, TENSOR_QUANT8_SYMM);
NNBURST_SAME(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_ASYMM_SIGNED);
NNBURST_SAME(OperandType::SUBGRAPH, MODEL);
NNBURST_SAME(OperandType::OEM, OEM_SCALAR);
NNBURST_SAME(OperandType::TENSOR_OEM_BYTE, TENSOR_OEM_BYTE);
NNBURST_SAME(OperationType::OEM_OPERATION, OEM_OPERATION);
NNBURST_SAME(FusedActivationFunc::NONE, FUSED_NONE);
NNBURST_SAME(FusedActivationFunc::RELU, FUSED_RELU);
NNBURST_SAME(FusedActivationFunc::RELU1, FUSED_RELU1);
NNBURST_SAME(FusedActivationFunc::RELU6, FUSED_RELU6);
NNBURST_SAME(DeviceType::OTHER, DEVICE_OTHER);
NNBURST_SAME(DeviceType::CPU, DEVICE_CPU);
NNBURST_SAME(DeviceType::GPU, DEVICE_GPU);
NNBURST_SAME(DeviceType::ACCELERATOR, DEVICE_ACCELERATOR);
NNBURST_SAME(ExecutionPreference::LOW_POWER, PREFER_LOW_POWER);
NNBURST_SAME(ExecutionPreference::FAST_SINGLE_ANSWER, PREFER_FAST_SINGLE_ANSWER);
NNBURST_SAME(ExecutionPreference::SUSTAINED_SPEED, PREFER_SUSTAINED_SPEED);
#undef NNBURST_SAME
static_assert(kByteSizeOfCacheToken == ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN);

}  // namespace nnburst
