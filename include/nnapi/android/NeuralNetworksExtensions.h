/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NNBURST_ANDROID_NEURAL_NETWORKS_EXTENSIONS_H
#define NNBURST_ANDROID_NEURAL_NETWORKS_EXTENSIONS_H

/**
 * \file
 * Vendor extensions: operand and operation types that a device defines itself. Since level 3.
 */

#include "NeuralNetworks.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Whether the device has extension `extensionName`. */
int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice* device,
                                              const char* extensionName,
                                              bool* isExtensionSupported);

/** The type, in this model, of operand type `operandCodeWithinExtension` of an extension. */
int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel* model,
                                                 const char* extensionName,
                                                 uint16_t operandCodeWithinExtension,
                                                 int32_t* type);

/** The type, in this model, of operation `operationCodeWithinExtension` of an extension. */
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel* model,
                                                   const char* extensionName,
                                                   uint16_t operationCodeWithinExtension,
                                                   ANeuralNetworksOperationType* type);

/** Bytes that an operand of an extension type has beside its type. They are copied. */
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel* model, int32_t index,
                                                 const void* data, size_t length);

#ifdef __cplusplus
}
#endif

#endif
