/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NNBURST_ANDROID_NEURAL_NETWORKS_OEM_H
#define NNBURST_ANDROID_NEURAL_NETWORKS_OEM_H

/**
 * \file
 * Types of device makers, older than vendor extensions, which replace them.
 */

/** Operand types beside those of OperandCode. */
typedef enum {
    ANEURALNETWORKS_OEM_SCALAR = 10000,
    ANEURALNETWORKS_TENSOR_OEM_BYTE = 10001
} OperandOEMCode;

/** An operation beside those of OperationCode. */
typedef enum { ANEURALNETWORKS_OEM_OPERATION = 10000 } OperationOEMCode;

#endif
