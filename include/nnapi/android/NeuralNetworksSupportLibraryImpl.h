/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NNBURST_ANDROID_NEURAL_NETWORKS_SUPPORT_LIBRARY_IMPL_H
#define NNBURST_ANDROID_NEURAL_NETWORKS_SUPPORT_LIBRARY_IMPL_H

/**
 * \file
 * The whole API as one struct of function pointers, for programs that load the library as an NNAPI
 * support library: dlsym "ANeuralNetworks_getSLDriverImpl", call it, look at implFeatureLevel, and
 * take the pointer for one to the struct of that level. Members and their order are Android's.
 */

#include "NeuralNetworks.h"
#include "NeuralNetworksExtensions.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Time and power relative to the CPU; smaller is better. */
typedef struct {
    float execTime;
    float powerUsage;
} SL_ANeuralNetworksPerformanceInfo;

/** Performance with operands of one type. */
typedef struct {
    int32_t operandType;
    SL_ANeuralNetworksPerformanceInfo performanceInfo;
} SL_ANeuralNetworksOperandPerformanceInfo;

/** An operand type of a vendor extension. */
typedef struct {
    uint32_t byteSize; /**< of an element or scalar */
    uint16_t type;
    bool isTensor;
} SL_ANeuralNetworksExtensionOperandTypeInformation;

/** Which performance SL_ANeuralNetworksDevice_getPerformanceInfo tells. */
typedef enum {
    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR = 0,
    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR = 1,
    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF = 2,
    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE = 3
} SL_ANeuralNetworksPerformanceInfoCode;

/* Diagnostics: this library calls no callbacks, so programs never see these. */

typedef enum {
    ANNDIAG_NO_ERROR = 0,
    ANNDIAG_FAILED_TO_LOAD_SL = 1,
    ANNDIAG_FAILED_TO_REGISTER_SERVICE = 2,
    ANNDIAG_GENERAL_ERROR = 3,
    ANNDIAG_INVALID_ARGUMENT = 4
} ANeuralNetworksDiagnosticResultCode;

typedef enum {
    ANNDIAG_DATA_CLASS_UNKNOWN = 0,
    ANNDIAG_DATA_CLASS_OTHER = 1,
    ANNDIAG_DATA_CLASS_FLOAT32 = 2,
    ANNDIAG_DATA_CLASS_FLOAT16 = 3,
    ANNDIAG_DATA_CLASS_QUANT = 4,
    ANNDIAG_DATA_CLASS_MIXED = 5
} ANeuralNetworksDiagnosticDataClass;

typedef enum {
    ANNDIAG_EXECUTION_MODE_UNKNOWN = 0,
    ANNDIAG_EXECUTION_MODE_ASYNC = 1,
    ANNDIAG_EXECUTION_MODE_SYNC = 2,
    ANNDIAG_EXECUTION_MODE_BURST = 3,
    ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS = 4
} ANeuralNetworksDiagnosticExecutionMode;

typedef struct ANeuralNetworksDiagnosticCompilationInfo ANeuralNetworksDiagnosticCompilationInfo;
typedef struct ANeuralNetworksDiagnosticExecutionInfo ANeuralNetworksDiagnosticExecutionInfo;
typedef void (*ANeuralNetworksDiagnosticCompilationFinishedCallback)(
    const void* context, const ANeuralNetworksDiagnosticCompilationInfo* info);
typedef void (*ANeuralNetworksDiagnosticExecutionFinishedCallback)(
    const void* context, const ANeuralNetworksDiagnosticExecutionInfo* info);

/** What every level's struct begins with. */
typedef struct NnApiSLDriverImpl {
    int64_t implFeatureLevel; /**< a FeatureLevelCode */
} NnApiSLDriverImpl;

/** The struct of ANEURALNETWORKS_FEATURE_LEVEL_5. */
typedef struct NnApiSLDriverImplFL5 {
    NnApiSLDriverImpl base;

    /* As the functions of the same names. */
    int (*ANeuralNetworksBurst_create)(ANeuralNetworksCompilation* compilation,
                                       ANeuralNetworksBurst** burst);
    void (*ANeuralNetworksBurst_free)(ANeuralNetworksBurst* burst);
    int (*ANeuralNetworksCompilation_createForDevices)(ANeuralNetworksModel* model,
                                                       const ANeuralNetworksDevice* const* devices,
                                                       uint32_t numDevices,
                                                       ANeuralNetworksCompilation** compilation);
    int (*ANeuralNetworksCompilation_finish)(ANeuralNetworksCompilation* compilation);
    void (*ANeuralNetworksCompilation_free)(ANeuralNetworksCompilation* compilation);
    int (*ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput)(
        const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment);
    int (*ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput)(
        const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment);
    int (*ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput)(
        const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding);
    int (*ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput)(
        const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding);
    int (*ANeuralNetworksCompilation_setCaching)(ANeuralNetworksCompilation* compilation,
                                                 const char* cacheDir, const uint8_t* token);
    int (*ANeuralNetworksCompilation_setPreference)(ANeuralNetworksCompilation* compilation,
                                                    int32_t preference);
    int (*ANeuralNetworksCompilation_setPriority)(ANeuralNetworksCompilation* compilation,
                                                  int priority);
    int (*ANeuralNetworksCompilation_setTimeout)(ANeuralNetworksCompilation* compilation,
                                                 uint64_t duration);
    int (*ANeuralNetworksDevice_getExtensionSupport)(const ANeuralNetworksDevice* device,
                                                     const char* extensionName,
                                                     bool* isExtensionSupported);
    int (*ANeuralNetworksDevice_getFeatureLevel)(const ANeuralNetworksDevice* device,
                                                 int64_t* featureLevel);
    int (*ANeuralNetworksDevice_getName)(const ANeuralNetworksDevice* device, const char** name);
    int (*ANeuralNetworksDevice_getType)(const ANeuralNetworksDevice* device, int32_t* type);
    int (*ANeuralNetworksDevice_getVersion)(const ANeuralNetworksDevice* device,
                                            const char** version);
    int (*ANeuralNetworksDevice_wait)(const ANeuralNetworksDevice* device);
    int (*ANeuralNetworksEvent_createFromSyncFenceFd)(int syncFenceFd,
                                                      ANeuralNetworksEvent** event);
    void (*ANeuralNetworksEvent_free)(ANeuralNetworksEvent* event);
    int (*ANeuralNetworksEvent_getSyncFenceFd)(const ANeuralNetworksEvent* event, int* syncFenceFd);
    int (*ANeuralNetworksEvent_wait)(ANeuralNetworksEvent* event);
    int (*ANeuralNetworksExecution_burstCompute)(ANeuralNetworksExecution* execution,
                                                 ANeuralNetworksBurst* burst);
    int (*ANeuralNetworksExecution_compute)(ANeuralNetworksExecution* execution);
    int (*ANeuralNetworksExecution_create)(ANeuralNetworksCompilation* compilation,
                                           ANeuralNetworksExecution** execution);
    int (*ANeuralNetworksExecution_enableInputAndOutputPadding)(ANeuralNetworksExecution* execution,
                                                                bool enable);
    void (*ANeuralNetworksExecution_free)(ANeuralNetworksExecution* execution);
    int (*ANeuralNetworksExecution_getDuration)(const ANeuralNetworksExecution* execution,
                                                int32_t durationCode, uint64_t* duration);
    int (*ANeuralNetworksExecution_getOutputOperandDimensions)(ANeuralNetworksExecution* execution,
                                                               int32_t index, uint32_t* dimensions);
    int (*ANeuralNetworksExecution_getOutputOperandRank)(ANeuralNetworksExecution* execution,
                                                         int32_t index, uint32_t* rank);
    int (*ANeuralNetworksExecution_setInput)(ANeuralNetworksExecution* execution, int32_t index,
                                             const ANeuralNetworksOperandType* type,
                                             const void* buffer, size_t length);
    int (*ANeuralNetworksExecution_setInputFromMemory)(ANeuralNetworksExecution* execution,
                                                       int32_t index,
                                                       const ANeuralNetworksOperandType* type,
                                                       const ANeuralNetworksMemory* memory,
                                                       size_t offset, size_t length);
    int (*ANeuralNetworksExecution_setLoopTimeout)(ANeuralNetworksExecution* execution,
                                                   uint64_t duration);
    int (*ANeuralNetworksExecution_setMeasureTiming)(ANeuralNetworksExecution* execution,
                                                     bool measure);
    int (*ANeuralNetworksExecution_setOutput)(ANeuralNetworksExecution* execution, int32_t index,
                                              const ANeuralNetworksOperandType* type, void* buffer,
                                              size_t length);
    int (*ANeuralNetworksExecution_setOutputFromMemory)(ANeuralNetworksExecution* execution,
                                                        int32_t index,
                                                        const ANeuralNetworksOperandType* type,
                                                        const ANeuralNetworksMemory* memory,
                                                        size_t offset, size_t length);
    int (*ANeuralNetworksExecution_setReusable)(ANeuralNetworksExecution* execution, bool reusable);
    int (*ANeuralNetworksExecution_setTimeout)(ANeuralNetworksExecution* execution,
                                               uint64_t duration);
    int (*ANeuralNetworksExecution_startComputeWithDependencies)(
        ANeuralNetworksExecution* execution, const ANeuralNetworksEvent* const* dependencies,
        uint32_t numDependencies, uint64_t duration, ANeuralNetworksEvent** event);
    int (*ANeuralNetworksMemoryDesc_addInputRole)(ANeuralNetworksMemoryDesc* desc,
                                                  const ANeuralNetworksCompilation* compilation,
                                                  uint32_t index, float frequency);
    int (*ANeuralNetworksMemoryDesc_addOutputRole)(ANeuralNetworksMemoryDesc* desc,
                                                   const ANeuralNetworksCompilation* compilation,
                                                   uint32_t index, float frequency);
    int (*ANeuralNetworksMemoryDesc_create)(ANeuralNetworksMemoryDesc** desc);
    int (*ANeuralNetworksMemoryDesc_finish)(ANeuralNetworksMemoryDesc* desc);
    void (*ANeuralNetworksMemoryDesc_free)(ANeuralNetworksMemoryDesc* desc);
    int (*ANeuralNetworksMemoryDesc_setDimensions)(ANeuralNetworksMemoryDesc* desc, uint32_t rank,
                                                   const uint32_t* dimensions);
    int (*ANeuralNetworksMemory_copy)(const ANeuralNetworksMemory* src,
                                      const ANeuralNetworksMemory* dst);
    int (*ANeuralNetworksMemory_createFromAHardwareBuffer)(const AHardwareBuffer* ahwb,
                                                           ANeuralNetworksMemory** memory);
    int (*ANeuralNetworksMemory_createFromDesc)(const ANeuralNetworksMemoryDesc* desc,
                                                ANeuralNetworksMemory** memory);
    int (*ANeuralNetworksMemory_createFromFd)(size_t size, int protect, int fd, size_t offset,
                                              ANeuralNetworksMemory** memory);
    void (*ANeuralNetworksMemory_free)(ANeuralNetworksMemory* memory);
    int (*ANeuralNetworksModel_addOperand)(ANeuralNetworksModel* model,
                                           const ANeuralNetworksOperandType* type);
    int (*ANeuralNetworksModel_addOperation)(ANeuralNetworksModel* model,
                                             ANeuralNetworksOperationType type, uint32_t inputCount,
                                             const uint32_t* inputs, uint32_t outputCount,
                                             const uint32_t* outputs);
    int (*ANeuralNetworksModel_create)(ANeuralNetworksModel** model);
    int (*ANeuralNetworksModel_finish)(ANeuralNetworksModel* model);
    void (*ANeuralNetworksModel_free)(ANeuralNetworksModel* model);
    int (*ANeuralNetworksModel_getExtensionOperandType)(ANeuralNetworksModel* model,
                                                        const char* extensionName,
                                                        uint16_t operandCodeWithinExtension,
                                                        int32_t* type);
    int (*ANeuralNetworksModel_getExtensionOperationType)(ANeuralNetworksModel* model,
                                                          const char* extensionName,
                                                          uint16_t operationCodeWithinExtension,
                                                          ANeuralNetworksOperationType* type);
    int (*ANeuralNetworksModel_getSupportedOperationsForDevices)(
        const ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices,
        uint32_t numDevices, bool* supportedOps);
    int (*ANeuralNetworksModel_identifyInputsAndOutputs)(ANeuralNetworksModel* model,
                                                         uint32_t inputCount,
                                                         const uint32_t* inputs,
                                                         uint32_t outputCount,
                                                         const uint32_t* outputs);
    int (*ANeuralNetworksModel_relaxComputationFloat32toFloat16)(ANeuralNetworksModel* model,
                                                                 bool allow);
    int (*ANeuralNetworksModel_setOperandExtensionData)(ANeuralNetworksModel* model, int32_t index,
                                                        const void* data, size_t length);
    int (*ANeuralNetworksModel_setOperandSymmPerChannelQuantParams)(
        ANeuralNetworksModel* model, int32_t index,
        const ANeuralNetworksSymmPerChannelQuantParams* channelQuant);
    int (*ANeuralNetworksModel_setOperandValue)(ANeuralNetworksModel* model, int32_t index,
                                                const void* buffer, size_t length);
    int (*ANeuralNetworksModel_setOperandValueFromMemory)(ANeuralNetworksModel* model,
                                                          int32_t index,
                                                          const ANeuralNetworksMemory* memory,
                                                          size_t offset, size_t length);
    int (*ANeuralNetworksModel_setOperandValueFromModel)(ANeuralNetworksModel* model, int32_t index,
                                                         const ANeuralNetworksModel* value);
    uint64_t (*ANeuralNetworks_getDefaultLoopTimeout)(void);
    int (*ANeuralNetworks_getDevice)(uint32_t devIndex, ANeuralNetworksDevice** device);
    int (*ANeuralNetworks_getDeviceCount)(uint32_t* numDevices);
    uint64_t (*ANeuralNetworks_getMaximumLoopTimeout)(void);
    int64_t (*ANeuralNetworks_getRuntimeFeatureLevel)(void);

    /** As setCaching, with files that are open for reading and writing, as many of each kind as
     * the device needs. They are duplicated. Of a compilation for one chosen device. */
    int (*SL_ANeuralNetworksCompilation_setCachingFromFds)(ANeuralNetworksCompilation* compilation,
                                                           const int* modelCacheFds,
                                                           const uint32_t numModelCacheFiles,
                                                           const int* dataCacheFds,
                                                           const uint32_t numDataCacheFiles,
                                                           const uint8_t* token);

    /** How many cache files the device needs; 0 of both: it caches nothing. */
    int (*SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded)(const ANeuralNetworksDevice* device,
                                                                uint32_t* numModelCacheFiles,
                                                                uint32_t* numDataCacheFiles);

    /** Performance of a kind (SL_ANeuralNetworksPerformanceInfoCode). */
    int (*SL_ANeuralNetworksDevice_getPerformanceInfo)(
        const ANeuralNetworksDevice* device, int32_t performanceInfoKind,
        SL_ANeuralNetworksPerformanceInfo* performanceInfo);

    /** Calls `callback` for each operand type, with `context`, which must not be null. */
    int (*SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo)(
        const ANeuralNetworksDevice* device, void* context,
        void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void*));

    /** How many vendor extensions the device has. */
    int (*SL_ANeuralNetworksDevice_getVendorExtensionCount)(const ANeuralNetworksDevice* device,
                                                            uint32_t* vendorExtensionCount);

    /** The name of one; lives as long as the process. */
    int (*SL_ANeuralNetworksDevice_getVendorExtensionName)(const ANeuralNetworksDevice* device,
                                                           uint32_t vendorExtensionIndex,
                                                           const char** extensionName);

    /** Calls `callback` for each operand type of an extension, with `context`, which must not be
     * null. */
    int (*SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation)(
        const ANeuralNetworksDevice* device, uint32_t vendorExtensionIndex, void* context,
        void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void*));

    /* Diagnostics. registerCallbacks does nothing; the others are null. */
    int32_t (*SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    int64_t (*SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    const uint8_t* (*SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    const char* (*SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    int32_t (*SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    ANeuralNetworksDiagnosticDataClass (
        *SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    ANeuralNetworksDiagnosticDataClass (
        *SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    uint64_t (*SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    bool (*SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    bool (*SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    bool (*SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed)(
        const ANeuralNetworksDiagnosticCompilationInfo* info);
    int32_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    int64_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    const uint8_t* (*SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    const char* (*SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    ANeuralNetworksDiagnosticExecutionMode (
        *SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    ANeuralNetworksDiagnosticDataClass (
        *SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    ANeuralNetworksDiagnosticDataClass (
        *SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    uint32_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    uint64_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    uint64_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    uint64_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    bool (*SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    bool (*SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    bool (*SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed)(
        const ANeuralNetworksDiagnosticExecutionInfo* info);
    void (*SL_ANeuralNetworksDiagnostic_registerCallbacks)(
        ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
        ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback,
        void* callbackContext);
} NnApiSLDriverImplFL5;

/** The struct of this library's level; lives as long as the library. */
NnApiSLDriverImpl* ANeuralNetworks_getSLDriverImpl(void);

#ifdef __cplusplus
}
#endif

#endif
