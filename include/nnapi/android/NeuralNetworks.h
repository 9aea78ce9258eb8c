/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NNBURST_ANDROID_NEURAL_NETWORKS_H
#define NNBURST_ANDROID_NEURAL_NETWORKS_H

/**
 * \file
 * NNAPI: build a model, compile it for devices, execute it. Link libneuralnetworks.so
 * (`pkg-config nnapi`, CMake target nnburst::nnapi).
 *
 *     model -> ANeuralNetworksModel_finish -> compilation -> ANeuralNetworksCompilation_finish
 *           -> execution -> set inputs and outputs -> compute
 *
 * Functions give a ResultCode. Each gives UNEXPECTED_NULL for a null pointer that it needs,
 * BAD_STATE for an object in another state than it needs, BAD_DATA for arguments that break a rule,
 * and OUT_OF_MEMORY if memory is lacking; the comments name the rest. A call that fails changes
 * nothing. Pointers that a function gives out are null after a failure. To free a null pointer does
 * nothing.
 *
 * Devices come from the runtime's configuration (docs/nnapi.md).
 */

#include "NeuralNetworksTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices, since level 3 */

/** How many devices there are. Stays the same while the process lives. */
int ANeuralNetworks_getDeviceCount(uint32_t* numDevices);

/** Device `devIndex`, counted from 0. BAD_DATA if there is none. */
int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice** device);

/** The device's name, which no other has; lives as long as the process. */
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* device, const char** name);

/** A DeviceTypeCode. */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice* device, int32_t* type);

/** The version of the device's driver, as its vendor writes it; lives as long as the process. */
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice* device, const char** version);

/** The newest feature level that the device knows in full: at most that of the runtime. */
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice* device,
                                          int64_t* featureLevel);

/** Waits until the device can take work. DEAD_OBJECT if its driver is gone. Since level 4. */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice* device);

/** For each operation of a finished model, in the order in which they were added: whether one of
 * the devices can run it. Devices must differ. */
int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices,
    uint32_t numDevices, bool* supportedOps);

/* ---- Memory */

/**
 * Memory of `fd` from `offset` on, `size` bytes long. The descriptor is duplicated. `protect` says
 * how it may be used, with PROT_READ and PROT_WRITE. Sealed memory (memfd_create with F_SEAL_SHRINK
 * and F_SEAL_GROW) is used in place; other shared memory is copied for each execution. UNMAPPABLE
 * if the descriptor cannot be used.
 */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory** memory);

/** Not supported: UNMAPPABLE. Linux has no such buffers. Since level 3. */
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer* ahwb,
                                                    ANeuralNetworksMemory** memory);

/** Memory for the uses that a finished description names. It has no contents until something writes
 * them. Since level 4. */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc* desc,
                                         ANeuralNetworksMemory** memory);

/** Copies the contents of one memory to another of the same size and, where both have them, the
 * same dimensions. Since level 4. */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* src, const ANeuralNetworksMemory* dst);

void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory);

/** An empty description of memory. Since level 4, as all that follow. */
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc);

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc* desc);

/** The memory will be input `index` of executions of a finished compilation, in a share `frequency`
 * of its uses, above 0 and at most 1. Types of all uses must be the same and dimensions must fit.
 */
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc* desc,
                                           const ANeuralNetworksCompilation* compilation,
                                           uint32_t index, float frequency);

/** The same for output `index`. */
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc* desc,
                                            const ANeuralNetworksCompilation* compilation,
                                            uint32_t index, float frequency);

/** Dimensions that the models leave open; 0 stays open. */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc* desc, uint32_t rank,
                                            const uint32_t* dimensions);

/** Ends the description. BAD_DATA if it names no use. */
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc* desc);

/* ---- Models */

int ANeuralNetworksModel_create(ANeuralNetworksModel** model);

void ANeuralNetworksModel_free(ANeuralNetworksModel* model);

/** Ends the model: nothing can be added. BAD_DATA if it is not valid, as with operations that wait
 * for each other, and then it stays invalid. */
int ANeuralNetworksModel_finish(ANeuralNetworksModel* model);

/** Adds an operand, whose index is the number of those before. */
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* model,
                                    const ANeuralNetworksOperandType* type);

/** Gives an operand a constant value of `length` bytes. A larger one than
 * ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES must stay where it is, unchanged, as long
 * as something uses the model. A null buffer with a length of 0 leaves an optional input out. */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* model, int32_t index,
                                         const void* buffer, size_t length);

/** The scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand. Since level 3. */
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel* model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams* channelQuant);

/** Gives an operand a constant value that lies in `memory`, from `offset` on. The memory must live
 * and keep its contents as long as something uses the model. */
int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel* model, int32_t index,
                                                   const ANeuralNetworksMemory* memory,
                                                   size_t offset, size_t length);

/** Gives an operand of type ANEURALNETWORKS_MODEL a finished model, which must live as long as this
 * one. Since level 4. */
int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel* model, int32_t index,
                                                  const ANeuralNetworksModel* value);

/** Adds an operation. Operations may be added in any order. BAD_DATA unless the operation takes
 * operands of these types. */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* model,
                                      ANeuralNetworksOperationType type, uint32_t inputCount,
                                      const uint32_t* inputs, uint32_t outputCount,
                                      const uint32_t* outputs);

/** Names the operands that are the model's inputs and outputs, once. */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* model, uint32_t inputCount,
                                                  const uint32_t* inputs, uint32_t outputCount,
                                                  const uint32_t* outputs);

/** Whether float32 may be computed with the range and precision of float16. Since level 2. */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* model, bool allow);

/* ---- Compilations */

/** A compilation of a finished model; the runtime chooses the devices. */
int ANeuralNetworksCompilation_create(ANeuralNetworksModel* model,
                                      ANeuralNetworksCompilation** compilation);

/** A compilation for these devices alone, which must differ. Nothing stands in for a device that
 * fails. Since level 3. */
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model,
                                                const ANeuralNetworksDevice* const* devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation** compilation);

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation);

/** A PreferenceCode; FAST_SINGLE_ANSWER unless it is set. */
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* compilation,
                                             int32_t preference);

/** Keeps what the compilation finds in folder `cacheDir`, under a token of 32 bytes that the
 * application gives to this model alone. Since level 3. */
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation,
                                          const char* cacheDir, const uint8_t* token);

/** A PriorityCode. Since level 4. */
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation* compilation, int priority);

/** How long finish may take, in nanoseconds; 0 is no limit. For one chosen device only. Since
 * level 4. */
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation* compilation,
                                          uint64_t duration);

/** Compiles. OP_FAILED if the devices cannot run the model; MISSED_DEADLINE_* after the timeout. */
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation);

/** The alignment, in bytes, at which input `index` in memory is used without a copy. Of a finished
 * compilation. Since level 5, as the three that follow. */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment);

/** The multiple to which the length of input `index` is to be rounded up. */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding);

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment);

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding);

/* ---- Executions */

/** An execution of a finished compilation. */
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* compilation,
                                    ANeuralNetworksExecution** execution);

/** Of an execution that is not in computation. */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution* execution);

/**
 * Input `index` lies at `buffer`, which must stay unchanged until the execution has ended. `type`
 * gives dimensions that the model leaves open; null takes the model's. A null buffer with a length
 * of 0 leaves an optional input out.
 */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* execution, int32_t index,
                                      const ANeuralNetworksOperandType* type, const void* buffer,
                                      size_t length);

/** Input `index` lies in `memory` from `offset` on. Offset and length 0 name the whole of memory of
 * a description. */
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                const ANeuralNetworksOperandType* type,
                                                const ANeuralNetworksMemory* memory, size_t offset,
                                                size_t length);

/** Output `index` goes to `buffer`, as setInput. */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* execution, int32_t index,
                                       const ANeuralNetworksOperandType* type, void* buffer,
                                       size_t length);

/** Output `index` goes to `memory`, as setInputFromMemory. */
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                 const ANeuralNetworksOperandType* type,
                                                 const ANeuralNetworksMemory* memory, size_t offset,
                                                 size_t length);

/** Whether durations are to be measured; of a compilation for one chosen device. Since level 3. */
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution* execution, bool measure);

/** How long a computation may take, in nanoseconds; 0 is no limit. Of a compilation for one chosen
 * device. Since level 4. */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution* execution, uint64_t duration);

/** How long each WHILE may take, in nanoseconds. Since level 4. */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution* execution, uint64_t duration);

/** 2 s: the limit of a WHILE unless it is set, in nanoseconds. Since level 4. */
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);

/** 15 s: a greater limit counts as this. Since level 4. */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

/** Whether lengths of inputs and outputs may be greater than the operand needs. Before the first
 * input or output is set. Since level 5. */
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution* execution,
                                                         bool enable);

/** Whether the execution may be computed more than once. Before the first computation. Since
 * level 5. */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution* execution, bool reusable);

/** Computes, and waits for the end. Since level 3. */
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution);

/** Starts a computation; `event` tells of its end and must be freed before the execution. */
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* execution,
                                          ANeuralNetworksEvent** event);

/** Computes in a burst of the same compilation, and waits for the end. BAD_STATE while another
 * thread computes in that burst. Since level 3. */
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution,
                                          ANeuralNetworksBurst* burst);

/** Starts a computation when all `dependencies` are signalled; it may then take `duration`
 * nanoseconds, 0 for no limit. Since level 4. */
int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution* execution, const ANeuralNetworksEvent* const* dependencies,
    uint32_t numDependencies, uint64_t duration, ANeuralNetworksEvent** event);

/** A duration (DurationCode) of a completed execution that was measured, in nanoseconds; UINT64_MAX
 * if it is not known. Since level 3. */
int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution* execution,
                                         int32_t durationCode, uint64_t* duration);

/** The number of dimensions of output `index` after an execution. OUTPUT_INSUFFICIENT_SIZE, and the
 * rank all the same, if its memory was too small. Since level 3. */
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution* execution,
                                                  int32_t index, uint32_t* rank);

/** The dimensions of output `index`, as getOutputOperandRank; BAD_DATA for a scalar. Since level 3.
 */
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution* execution,
                                                        int32_t index, uint32_t* dimensions);

/* ---- Bursts, since level 3 */

/** A burst of a finished compilation. */
int ANeuralNetworksBurst_create(ANeuralNetworksCompilation* compilation,
                                ANeuralNetworksBurst** burst);

void ANeuralNetworksBurst_free(ANeuralNetworksBurst* burst);

/* ---- Events */

/** Waits for the end of the execution and gives its result, to any number of threads. */
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event);

/** Waits for the end of the execution, then frees the event. */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event);

/** An event for a descriptor that becomes readable: a sync fence, an eventfd, a timerfd, a pipe. It
 * is duplicated. Since level 4. */
int ANeuralNetworksEvent_createFromSyncFenceFd(int syncFenceFd, ANeuralNetworksEvent** event);

/** A duplicate of the event's descriptor, for the caller to close. BAD_DATA if the event has none,
 * as that of startCompute. Since level 4. */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent* event, int* syncFenceFd);

/* ---- The runtime */

/** ANEURALNETWORKS_FEATURE_LEVEL_5. Since level 5. */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

#ifdef __cplusplus
}
#endif

#endif
