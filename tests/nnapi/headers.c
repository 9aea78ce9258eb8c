/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The headers are C99 and each stands alone: this file is compiled with -std=c99 -pedantic-errors. */
#include <android/NeuralNetworksTypes.h>
/* one after the other */
#include <android/NeuralNetworks.h>
/* */
#include <android/NeuralNetworksExtensions.h>
/* */
#include <android/NeuralNetworksOEM.h>
/* */
#include <android/NeuralNetworksSupportLibraryImpl.h>

/** Calls a function of C from C. */
int64_t nnapiLevelFromC(void);

int64_t nnapiLevelFromC(void) {
    return ANeuralNetworks_getRuntimeFeatureLevel();
}
