// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include <android/NeuralNetworks.h>

#include <cstdio>

#include <android/NeuralNetworksExtensions.h>
#include <android/NeuralNetworksSupportLibraryImpl.h>

// NOLINTBEGIN
static int unfinished(const char* function) {
    std::fprintf(stderr, "%s is not there yet\n", function);
    return ANEURALNETWORKS_BAD_STATE;
}

int ANeuralNetworks_getDeviceCount(uint32_t*) {
    return unfinished("ANeuralNetworks_getDeviceCount");
}
int ANeuralNetworks_getDevice(uint32_t, ANeuralNetworksDevice**) {
    return unfinished("ANeuralNetworks_getDevice");
}
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice*, const char**) {
    return unfinished("ANeuralNetworksDevice_getName");
}
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice*, int32_t*) {
    return unfinished("ANeuralNetworksDevice_getType");
}
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice*, const char**) {
    return unfinished("ANeuralNetworksDevice_getVersion");
}
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice*, int64_t*) {
    return unfinished("ANeuralNetworksDevice_getFeatureLevel");
}
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice*) {
    return unfinished("ANeuralNetworksDevice_wait");
}
int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel*,
                                                          const ANeuralNetworksDevice* const*,
                                                          uint32_t, bool*) {
    return unfinished("ANeuralNetworksModel_getSupportedOperationsForDevices");
}
int ANeuralNetworksMemory_createFromFd(size_t, int, int, size_t, ANeuralNetworksMemory**) {
    return unfinished("ANeuralNetworksMemory_createFromFd");
}
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer*,
                                                    ANeuralNetworksMemory**) {
    return unfinished("ANeuralNetworksMemory_createFromAHardwareBuffer");
}
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc*,
                                         ANeuralNetworksMemory**) {
    return unfinished("ANeuralNetworksMemory_createFromDesc");
}
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory*, const ANeuralNetworksMemory*) {
    return unfinished("ANeuralNetworksMemory_copy");
}
void ANeuralNetworksMemory_free(ANeuralNetworksMemory*) {}
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc**) {
    return unfinished("ANeuralNetworksMemoryDesc_create");
}
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc*) {}
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc*,
                                           const ANeuralNetworksCompilation*, uint32_t, float) {
    return unfinished("ANeuralNetworksMemoryDesc_addInputRole");
}
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc*,
                                            const ANeuralNetworksCompilation*, uint32_t, float) {
    return unfinished("ANeuralNetworksMemoryDesc_addOutputRole");
}
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc*, uint32_t, const uint32_t*) {
    return unfinished("ANeuralNetworksMemoryDesc_setDimensions");
}
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc*) {
    return unfinished("ANeuralNetworksMemoryDesc_finish");
}
int ANeuralNetworksModel_create(ANeuralNetworksModel**) {
    return unfinished("ANeuralNetworksModel_create");
}
void ANeuralNetworksModel_free(ANeuralNetworksModel*) {}
int ANeuralNetworksModel_finish(ANeuralNetworksModel*) {
    return unfinished("ANeuralNetworksModel_finish");
}
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel*, const ANeuralNetworksOperandType*) {
    return unfinished("ANeuralNetworksModel_addOperand");
}
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel*, int32_t, const void*, size_t) {
    return unfinished("ANeuralNetworksModel_setOperandValue");
}
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel*, int32_t, const ANeuralNetworksSymmPerChannelQuantParams*) {
    return unfinished("ANeuralNetworksModel_setOperandSymmPerChannelQuantParams");
}
int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel*, int32_t,
                                                   const ANeuralNetworksMemory*, size_t, size_t) {
    return unfinished("ANeuralNetworksModel_setOperandValueFromMemory");
}
int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel*, int32_t,
                                                  const ANeuralNetworksModel*) {
    return unfinished("ANeuralNetworksModel_setOperandValueFromModel");
}
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel*, ANeuralNetworksOperationType, uint32_t,
                                      const uint32_t*, uint32_t, const uint32_t*) {
    return unfinished("ANeuralNetworksModel_addOperation");
}
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel*, uint32_t, const uint32_t*,
                                                  uint32_t, const uint32_t*) {
    return unfinished("ANeuralNetworksModel_identifyInputsAndOutputs");
}
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel*, bool) {
    return unfinished("ANeuralNetworksModel_relaxComputationFloat32toFloat16");
}
int ANeuralNetworksCompilation_create(ANeuralNetworksModel*, ANeuralNetworksCompilation**) {
    return unfinished("ANeuralNetworksCompilation_create");
}
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel*,
                                                const ANeuralNetworksDevice* const*, uint32_t,
                                                ANeuralNetworksCompilation**) {
    return unfinished("ANeuralNetworksCompilation_createForDevices");
}
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation*) {}
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation*, int32_t) {
    return unfinished("ANeuralNetworksCompilation_setPreference");
}
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation*, const char*,
                                          const uint8_t*) {
    return unfinished("ANeuralNetworksCompilation_setCaching");
}
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation*, int) {
    return unfinished("ANeuralNetworksCompilation_setPriority");
}
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation*, uint64_t) {
    return unfinished("ANeuralNetworksCompilation_setTimeout");
}
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation*) {
    return unfinished("ANeuralNetworksCompilation_finish");
}
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation*, uint32_t, uint32_t*) {
    return unfinished("ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput");
}
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(const ANeuralNetworksCompilation*,
                                                                 uint32_t, uint32_t*) {
    return unfinished("ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput");
}
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation*, uint32_t, uint32_t*) {
    return unfinished("ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput");
}
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(const ANeuralNetworksCompilation*,
                                                                  uint32_t, uint32_t*) {
    return unfinished("ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput");
}
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation*, ANeuralNetworksExecution**) {
    return unfinished("ANeuralNetworksExecution_create");
}
void ANeuralNetworksExecution_free(ANeuralNetworksExecution*) {}
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution*, int32_t,
                                      const ANeuralNetworksOperandType*, const void*, size_t) {
    return unfinished("ANeuralNetworksExecution_setInput");
}
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution*, int32_t,
                                                const ANeuralNetworksOperandType*,
                                                const ANeuralNetworksMemory*, size_t, size_t) {
    return unfinished("ANeuralNetworksExecution_setInputFromMemory");
}
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution*, int32_t,
                                       const ANeuralNetworksOperandType*, void*, size_t) {
    return unfinished("ANeuralNetworksExecution_setOutput");
}
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution*, int32_t,
                                                 const ANeuralNetworksOperandType*,
                                                 const ANeuralNetworksMemory*, size_t, size_t) {
    return unfinished("ANeuralNetworksExecution_setOutputFromMemory");
}
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution*, bool) {
    return unfinished("ANeuralNetworksExecution_setMeasureTiming");
}
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution*, uint64_t) {
    return unfinished("ANeuralNetworksExecution_setTimeout");
}
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution*, uint64_t) {
    return unfinished("ANeuralNetworksExecution_setLoopTimeout");
}
uint64_t ANeuralNetworks_getDefaultLoopTimeout() {
    return 2000000000;
}
uint64_t ANeuralNetworks_getMaximumLoopTimeout() {
    return 15000000000;
}
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution*, bool) {
    return unfinished("ANeuralNetworksExecution_enableInputAndOutputPadding");
}
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution*, bool) {
    return unfinished("ANeuralNetworksExecution_setReusable");
}
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution*) {
    return unfinished("ANeuralNetworksExecution_compute");
}
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution*, ANeuralNetworksEvent**) {
    return unfinished("ANeuralNetworksExecution_startCompute");
}
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution*, ANeuralNetworksBurst*) {
    return unfinished("ANeuralNetworksExecution_burstCompute");
}
int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution*,
                                                          const ANeuralNetworksEvent* const*,
                                                          uint32_t, uint64_t,
                                                          ANeuralNetworksEvent**) {
    return unfinished("ANeuralNetworksExecution_startComputeWithDependencies");
}
int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution*, int32_t, uint64_t*) {
    return unfinished("ANeuralNetworksExecution_getDuration");
}
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution*, int32_t, uint32_t*) {
    return unfinished("ANeuralNetworksExecution_getOutputOperandRank");
}
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution*, int32_t,
                                                        uint32_t*) {
    return unfinished("ANeuralNetworksExecution_getOutputOperandDimensions");
}
int ANeuralNetworksBurst_create(ANeuralNetworksCompilation*, ANeuralNetworksBurst**) {
    return unfinished("ANeuralNetworksBurst_create");
}
void ANeuralNetworksBurst_free(ANeuralNetworksBurst*) {}
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent*) {
    return unfinished("ANeuralNetworksEvent_wait");
}
void ANeuralNetworksEvent_free(ANeuralNetworksEvent*) {}
int ANeuralNetworksEvent_createFromSyncFenceFd(int, ANeuralNetworksEvent**) {
    return unfinished("ANeuralNetworksEvent_createFromSyncFenceFd");
}
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent*, int*) {
    return unfinished("ANeuralNetworksEvent_getSyncFenceFd");
}
int64_t ANeuralNetworks_getRuntimeFeatureLevel() {
    return ANEURALNETWORKS_FEATURE_LEVEL_5;
}
int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice*, const char*, bool*) {
    return unfinished("ANeuralNetworksDevice_getExtensionSupport");
}
int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel*, const char*, uint16_t,
                                                 int32_t*) {
    return unfinished("ANeuralNetworksModel_getExtensionOperandType");
}
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel*, const char*, uint16_t,
                                                   ANeuralNetworksOperationType*) {
    return unfinished("ANeuralNetworksModel_getExtensionOperationType");
}
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel*, int32_t, const void*,
                                                 size_t) {
    return unfinished("ANeuralNetworksModel_setOperandExtensionData");
}
NnApiSLDriverImpl* ANeuralNetworks_getSLDriverImpl() {
    return nullptr;
}
// NOLINTEND
