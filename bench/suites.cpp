// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "suites.h"

#include "fail.h"
#include "nnburst/device.h"

namespace nnburst::bench {

void registerAll() {
    registerSystemCalls();  // first: it starts a process, while this one has no threads
    // Makes a device before any static object that holds one: exit handlers that libraries register
    // with the first device then run after the end of all job threads.
    (void)valueOf(makeLocalDevice());
    registerLatency();
    registerWaiting();
    registerKernelPeers();
    registerBoostPeers();
    registerPackagedPeers();
    registerOnnxRuntimePeer();
    registerOneProcessor();
    registerBusy();
    registerOneOperation();
    registerOperands();
    registerMobileNet();
    registerLargeMobileNet();
    registerPaced();
    registerFirstExecution();
    registerStream();
    registerThroughput();
    registerNoisyNeighbours();
    registerIdleBursts();
    registerPreparation();
    registerQuantizedOperations();
    registerNnapi();
    registerPython();
}

}  // namespace nnburst::bench
