// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The functions of NNAPI's C API as a table, as programs hold them that load the library by its
/// name.

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>

#include <string>

#include "nnburst/result.h"

/// Applies X(Name) to each function that NnapiDevice uses. The last two are of the extensions'
/// header.
// clang-format off
#define NNBURST_NNAPI_FUNCTIONS(X) \
    X(ANeuralNetworks_getDeviceCount) \
    X(ANeuralNetworks_getDevice) \
    X(ANeuralNetworks_getRuntimeFeatureLevel) \
    X(ANeuralNetworksDevice_getName) \
    X(ANeuralNetworksDevice_getType) \
    X(ANeuralNetworksDevice_getVersion) \
    X(ANeuralNetworksDevice_getFeatureLevel) \
    X(ANeuralNetworksMemory_createFromFd) \
    X(ANeuralNetworksMemory_free) \
    X(ANeuralNetworksModel_create) \
    X(ANeuralNetworksModel_free) \
    X(ANeuralNetworksModel_finish) \
    X(ANeuralNetworksModel_addOperand) \
    X(ANeuralNetworksModel_setOperandValue) \
    X(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams) \
    X(ANeuralNetworksModel_setOperandValueFromMemory) \
    X(ANeuralNetworksModel_setOperandValueFromModel) \
    X(ANeuralNetworksModel_addOperation) \
    X(ANeuralNetworksModel_identifyInputsAndOutputs) \
    X(ANeuralNetworksModel_relaxComputationFloat32toFloat16) \
    X(ANeuralNetworksModel_getSupportedOperationsForDevices) \
    X(ANeuralNetworksCompilation_create) \
    X(ANeuralNetworksCompilation_createForDevices) \
    X(ANeuralNetworksCompilation_free) \
    X(ANeuralNetworksCompilation_setPreference) \
    X(ANeuralNetworksCompilation_setPriority) \
    X(ANeuralNetworksCompilation_setTimeout) \
    X(ANeuralNetworksCompilation_finish) \
    X(ANeuralNetworksExecution_create) \
    X(ANeuralNetworksExecution_free) \
    X(ANeuralNetworksExecution_setInput) \
    X(ANeuralNetworksExecution_setInputFromMemory) \
    X(ANeuralNetworksExecution_setOutput) \
    X(ANeuralNetworksExecution_setOutputFromMemory) \
    X(ANeuralNetworksExecution_setMeasureTiming) \
    X(ANeuralNetworksExecution_setTimeout) \
    X(ANeuralNetworksExecution_setLoopTimeout) \
    X(ANeuralNetworksExecution_setReusable) \
    X(ANeuralNetworksExecution_compute) \
    X(ANeuralNetworksExecution_startCompute) \
    X(ANeuralNetworksExecution_startComputeWithDependencies) \
    X(ANeuralNetworksExecution_burstCompute) \
    X(ANeuralNetworksExecution_getOutputOperandRank) \
    X(ANeuralNetworksExecution_getOutputOperandDimensions) \
    X(ANeuralNetworksExecution_getDuration) \
    X(ANeuralNetworksBurst_create) \
    X(ANeuralNetworksBurst_free) \
    X(ANeuralNetworksEvent_createFromSyncFenceFd) \
    X(ANeuralNetworksEvent_getSyncFenceFd) \
    X(ANeuralNetworksEvent_wait) \
    X(ANeuralNetworksEvent_free) \
    X(ANeuralNetworksModel_getExtensionOperandType) \
    X(ANeuralNetworksModel_getExtensionOperationType) \
    X(ANeuralNetworksModel_setOperandExtensionData)
// clang-format on

namespace nnburst::tools {

/// One pointer a function, by its name. The library stays loaded until the process ends.
struct NnapiFunctions {
#define NNBURST_NNAPI_POINTER(Name) decltype(&::Name) Name = nullptr;
    NNBURST_NNAPI_FUNCTIONS(NNBURST_NNAPI_POINTER)
#undef NNBURST_NNAPI_POINTER
};

inline constexpr const char* kNnapiLibrary = "libneuralnetworks.so";

/// Loads `library` by dlopen(3). DEVICE_UNAVAILABLE if it cannot be loaded; GENERAL_FAILURE if it
/// lacks a function.
[[nodiscard]] Result<NnapiFunctions> loadNnapi(const std::string& library = kNnapiLibrary);

}  // namespace nnburst::tools
