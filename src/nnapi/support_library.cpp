// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The struct by which programs load this library as a support library.

#include <android/NeuralNetworksSupportLibraryImpl.h>

#include "nnapi/compilation.h"
#include "nnapi/device.h"
#include "nnapi/status.h"

namespace nnburst::nnapi {

namespace {

SL_ANeuralNetworksPerformanceInfo toApi(const PerformanceInfo& info) {
    return {info.execTime, info.powerUsage};
}

/// Caches lie in folders here, so devices need no files of the program's.
int setCachingFromFds(ANeuralNetworksCompilation* compilation, const int* modelCacheFds,
                      const std::uint32_t numModelCacheFiles, const int* dataCacheFds,
                      const std::uint32_t numDataCacheFiles, const std::uint8_t* token) {
    constexpr const char* kFunction = "SL_ANeuralNetworksCompilation_setCachingFromFds";
    if (compilation == nullptr || token == nullptr ||
        (modelCacheFds == nullptr && numModelCacheFiles != 0) ||
        (dataCacheFds == nullptr && numDataCacheFiles != 0)) {
        return refuseNull(kFunction);
    }
    return answer(kFunction, [&]() -> Status {
        NNBURST_NNAPI_TRY(compilation->compilation->checkNotFinished());
        if (numModelCacheFiles != 0 || numDataCacheFiles != 0) {
            return badData("{} and {} cache files: devices need none", numModelCacheFiles,
                           numDataCacheFiles);
        }
        return {};
    });
}

int getNumberOfCacheFilesNeeded(const ANeuralNetworksDevice* device,
                                std::uint32_t* numModelCacheFiles,
                                std::uint32_t* numDataCacheFiles) {
    for (std::uint32_t* count : {numModelCacheFiles, numDataCacheFiles}) {
        if (count != nullptr) {
            *count = 0;
        }
    }
    if (device == nullptr || numModelCacheFiles == nullptr || numDataCacheFiles == nullptr) {
        return refuseNull("SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded");
    }
    return ANEURALNETWORKS_NO_ERROR;
}

int getPerformanceInfo(const ANeuralNetworksDevice* device, std::int32_t performanceInfoKind,
                       SL_ANeuralNetworksPerformanceInfo* performanceInfo) {
    constexpr const char* kFunction = "SL_ANeuralNetworksDevice_getPerformanceInfo";
    if (performanceInfo != nullptr) {
        *performanceInfo = {};
    }
    if (device == nullptr || performanceInfo == nullptr) {
        return refuseNull(kFunction);
    }
    return answer(kFunction, [&]() -> Status {
        const Capabilities& capabilities = device->info.capabilities;
        switch (performanceInfoKind) {
            case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR:
                *performanceInfo = toApi(capabilities.relaxedFloat32toFloat16PerformanceScalar);
                return {};
            case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR:
                *performanceInfo = toApi(capabilities.relaxedFloat32toFloat16PerformanceTensor);
                return {};
            case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF:
                *performanceInfo = toApi(capabilities.ifPerformance);
                return {};
            case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE:
                *performanceInfo = toApi(capabilities.whilePerformance);
                return {};
            default:
                return badData("performance {}: must be an SL_ANeuralNetworksPerformanceInfoCode",
                               performanceInfoKind);
        }
    });
}

int forEachOperandPerformanceInfo(const ANeuralNetworksDevice* device, void* context,
                                  void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo,
                                                   void*)) {
    if (device == nullptr || context == nullptr || callback == nullptr) {
        return refuseNull("SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo");
    }
    for (const OperandPerformance& performance : device->info.capabilities.operandPerformance) {
        callback({static_cast<std::int32_t>(performance.type), toApi(performance.info)}, context);
    }
    return ANEURALNETWORKS_NO_ERROR;
}

int getVendorExtensionCount(const ANeuralNetworksDevice* device,
                            std::uint32_t* vendorExtensionCount) {
    if (vendorExtensionCount != nullptr) {
        *vendorExtensionCount = 0;
    }
    if (device == nullptr || vendorExtensionCount == nullptr) {
        return refuseNull("SL_ANeuralNetworksDevice_getVendorExtensionCount");
    }
    *vendorExtensionCount = static_cast<std::uint32_t>(device->info.extensions.size());
    return ANEURALNETWORKS_NO_ERROR;
}

/// BAD_DATA unless the device has extension `index`.
Status checkExtension(const ANeuralNetworksDevice& device, std::uint32_t index) {
    if (index >= device.info.extensions.size()) {
        return badData("extension {}: must be one of {}", index, device.info.extensions.size());
    }
    return {};
}

int getVendorExtensionName(const ANeuralNetworksDevice* device, std::uint32_t vendorExtensionIndex,
                           const char** extensionName) {
    constexpr const char* kFunction = "SL_ANeuralNetworksDevice_getVendorExtensionName";
    if (extensionName != nullptr) {
        *extensionName = nullptr;
    }
    if (device == nullptr || extensionName == nullptr) {
        return refuseNull(kFunction);
    }
    return answer(kFunction, [&] {
        Status status = checkExtension(*device, vendorExtensionIndex);
        if (status.isOk()) {
            *extensionName = device->info.extensions[vendorExtensionIndex].name.c_str();
        }
        return status;
    });
}

int forEachVendorExtensionOperandTypeInformation(
    const ANeuralNetworksDevice* device, std::uint32_t vendorExtensionIndex, void* context,
    void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void*)) {
    constexpr const char* kFunction =
        "SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation";
    if (device == nullptr || context == nullptr || callback == nullptr) {
        return refuseNull(kFunction);
    }
    return answer(kFunction, [&] {
        Status status = checkExtension(*device, vendorExtensionIndex);
        if (status.isOk()) {
            for (const auto& type : device->info.extensions[vendorExtensionIndex].operandTypes) {
                callback({type.byteSize, type.type, type.isTensor}, context);
            }
        }
        return status;
    });
}

/// There are no diagnostics to call back with.
void registerCallbacks(ANeuralNetworksDiagnosticCompilationFinishedCallback /*compilation*/,
                       ANeuralNetworksDiagnosticExecutionFinishedCallback /*execution*/,
                       void* /*context*/) {}

NnApiSLDriverImplFL5 driverOfLevel5{
    .base = {.implFeatureLevel = ANEURALNETWORKS_FEATURE_LEVEL_5},
    .ANeuralNetworksBurst_create = ::ANeuralNetworksBurst_create,
    .ANeuralNetworksBurst_free = ::ANeuralNetworksBurst_free,
    .ANeuralNetworksCompilation_createForDevices = ::ANeuralNetworksCompilation_createForDevices,
    .ANeuralNetworksCompilation_finish = ::ANeuralNetworksCompilation_finish,
    .ANeuralNetworksCompilation_free = ::ANeuralNetworksCompilation_free,
    .ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput =
        ::ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput,
    .ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput =
        ::ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput,
    .ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput =
        ::ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput,
    .ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput =
        ::ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput,
    .ANeuralNetworksCompilation_setCaching = ::ANeuralNetworksCompilation_setCaching,
    .ANeuralNetworksCompilation_setPreference = ::ANeuralNetworksCompilation_setPreference,
    .ANeuralNetworksCompilation_setPriority = ::ANeuralNetworksCompilation_setPriority,
    .ANeuralNetworksCompilation_setTimeout = ::ANeuralNetworksCompilation_setTimeout,
    .ANeuralNetworksDevice_getExtensionSupport = ::ANeuralNetworksDevice_getExtensionSupport,
    .ANeuralNetworksDevice_getFeatureLevel = ::ANeuralNetworksDevice_getFeatureLevel,
    .ANeuralNetworksDevice_getName = ::ANeuralNetworksDevice_getName,
    .ANeuralNetworksDevice_getType = ::ANeuralNetworksDevice_getType,
    .ANeuralNetworksDevice_getVersion = ::ANeuralNetworksDevice_getVersion,
    .ANeuralNetworksDevice_wait = ::ANeuralNetworksDevice_wait,
    .ANeuralNetworksEvent_createFromSyncFenceFd = ::ANeuralNetworksEvent_createFromSyncFenceFd,
    .ANeuralNetworksEvent_free = ::ANeuralNetworksEvent_free,
    .ANeuralNetworksEvent_getSyncFenceFd = ::ANeuralNetworksEvent_getSyncFenceFd,
    .ANeuralNetworksEvent_wait = ::ANeuralNetworksEvent_wait,
    .ANeuralNetworksExecution_burstCompute = ::ANeuralNetworksExecution_burstCompute,
    .ANeuralNetworksExecution_compute = ::ANeuralNetworksExecution_compute,
    .ANeuralNetworksExecution_create = ::ANeuralNetworksExecution_create,
    .ANeuralNetworksExecution_enableInputAndOutputPadding =
        ::ANeuralNetworksExecution_enableInputAndOutputPadding,
    .ANeuralNetworksExecution_free = ::ANeuralNetworksExecution_free,
    .ANeuralNetworksExecution_getDuration = ::ANeuralNetworksExecution_getDuration,
    .ANeuralNetworksExecution_getOutputOperandDimensions =
        ::ANeuralNetworksExecution_getOutputOperandDimensions,
    .ANeuralNetworksExecution_getOutputOperandRank =
        ::ANeuralNetworksExecution_getOutputOperandRank,
    .ANeuralNetworksExecution_setInput = ::ANeuralNetworksExecution_setInput,
    .ANeuralNetworksExecution_setInputFromMemory = ::ANeuralNetworksExecution_setInputFromMemory,
    .ANeuralNetworksExecution_setLoopTimeout = ::ANeuralNetworksExecution_setLoopTimeout,
    .ANeuralNetworksExecution_setMeasureTiming = ::ANeuralNetworksExecution_setMeasureTiming,
    .ANeuralNetworksExecution_setOutput = ::ANeuralNetworksExecution_setOutput,
    .ANeuralNetworksExecution_setOutputFromMemory = ::ANeuralNetworksExecution_setOutputFromMemory,
    .ANeuralNetworksExecution_setReusable = ::ANeuralNetworksExecution_setReusable,
    .ANeuralNetworksExecution_setTimeout = ::ANeuralNetworksExecution_setTimeout,
    .ANeuralNetworksExecution_startComputeWithDependencies =
        ::ANeuralNetworksExecution_startComputeWithDependencies,
    .ANeuralNetworksMemoryDesc_addInputRole = ::ANeuralNetworksMemoryDesc_addInputRole,
    .ANeuralNetworksMemoryDesc_addOutputRole = ::ANeuralNetworksMemoryDesc_addOutputRole,
    .ANeuralNetworksMemoryDesc_create = ::ANeuralNetworksMemoryDesc_create,
    .ANeuralNetworksMemoryDesc_finish = ::ANeuralNetworksMemoryDesc_finish,
    .ANeuralNetworksMemoryDesc_free = ::ANeuralNetworksMemoryDesc_free,
    .ANeuralNetworksMemoryDesc_setDimensions = ::ANeuralNetworksMemoryDesc_setDimensions,
    .ANeuralNetworksMemory_copy = ::ANeuralNetworksMemory_copy,
    .ANeuralNetworksMemory_createFromAHardwareBuffer =
        ::ANeuralNetworksMemory_createFromAHardwareBuffer,
    .ANeuralNetworksMemory_createFromDesc = ::ANeuralNetworksMemory_createFromDesc,
    .ANeuralNetworksMemory_createFromFd = ::ANeuralNetworksMemory_createFromFd,
    .ANeuralNetworksMemory_free = ::ANeuralNetworksMemory_free,
    .ANeuralNetworksModel_addOperand = ::ANeuralNetworksModel_addOperand,
    .ANeuralNetworksModel_addOperation = ::ANeuralNetworksModel_addOperation,
    .ANeuralNetworksModel_create = ::ANeuralNetworksModel_create,
    .ANeuralNetworksModel_finish = ::ANeuralNetworksModel_finish,
    .ANeuralNetworksModel_free = ::ANeuralNetworksModel_free,
    .ANeuralNetworksModel_getExtensionOperandType = ::ANeuralNetworksModel_getExtensionOperandType,
    .ANeuralNetworksModel_getExtensionOperationType =
        ::ANeuralNetworksModel_getExtensionOperationType,
    .ANeuralNetworksModel_getSupportedOperationsForDevices =
        ::ANeuralNetworksModel_getSupportedOperationsForDevices,
    .ANeuralNetworksModel_identifyInputsAndOutputs =
        ::ANeuralNetworksModel_identifyInputsAndOutputs,
    .ANeuralNetworksModel_relaxComputationFloat32toFloat16 =
        ::ANeuralNetworksModel_relaxComputationFloat32toFloat16,
    .ANeuralNetworksModel_setOperandExtensionData = ::ANeuralNetworksModel_setOperandExtensionData,
    .ANeuralNetworksModel_setOperandSymmPerChannelQuantParams =
        ::ANeuralNetworksModel_setOperandSymmPerChannelQuantParams,
    .ANeuralNetworksModel_setOperandValue = ::ANeuralNetworksModel_setOperandValue,
    .ANeuralNetworksModel_setOperandValueFromMemory =
        ::ANeuralNetworksModel_setOperandValueFromMemory,
    .ANeuralNetworksModel_setOperandValueFromModel =
        ::ANeuralNetworksModel_setOperandValueFromModel,
    .ANeuralNetworks_getDefaultLoopTimeout = ::ANeuralNetworks_getDefaultLoopTimeout,
    .ANeuralNetworks_getDevice = ::ANeuralNetworks_getDevice,
    .ANeuralNetworks_getDeviceCount = ::ANeuralNetworks_getDeviceCount,
    .ANeuralNetworks_getMaximumLoopTimeout = ::ANeuralNetworks_getMaximumLoopTimeout,
    .ANeuralNetworks_getRuntimeFeatureLevel = ::ANeuralNetworks_getRuntimeFeatureLevel,
    .SL_ANeuralNetworksCompilation_setCachingFromFds = setCachingFromFds,
    .SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded = getNumberOfCacheFilesNeeded,
    .SL_ANeuralNetworksDevice_getPerformanceInfo = getPerformanceInfo,
    .SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo = forEachOperandPerformanceInfo,
    .SL_ANeuralNetworksDevice_getVendorExtensionCount = getVendorExtensionCount,
    .SL_ANeuralNetworksDevice_getVendorExtensionName = getVendorExtensionName,
    .SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation =
        forEachVendorExtensionOperandTypeInformation,
    .SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId = nullptr,
    .SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion = nullptr,
    .SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash = nullptr,
    .SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds = nullptr,
    .SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode = nullptr,
    .SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos = nullptr,
    .SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled = nullptr,
    .SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed = nullptr,
    .SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed = nullptr,
    .SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed = nullptr,
    .SL_ANeuralNetworksDiagnostic_registerCallbacks = registerCallbacks,
};

}  // namespace

}  // namespace nnburst::nnapi

NnApiSLDriverImpl* ANeuralNetworks_getSLDriverImpl() {
    return &nnburst::nnapi::driverOfLevel5.base;
}
