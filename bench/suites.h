// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The benchmarks of nnburst-bench. A name is GROUP/WHAT; in the table every row of a group is
/// compared with the group's first row. A label says the same for people.

namespace nnburst::bench {

/// Round trips between two processes, from one word in a cache line to a remote call.
void registerLatency();

/// Round trips as of registerLatency, in each wait mode on both sides.
void registerWaiting();

/// Round trips as of registerLatency by other means: the kernel's, Boost's, and those whose
/// packages need not be installed.
void registerKernelPeers();
void registerBoostPeers();
void registerPackagedPeers();
void registerOnnxRuntimePeer();

/// Client and driver on one processor, where spinning would keep the other side from running.
void registerOneProcessor();

/// Round trips while other processes compute on the same processors.
void registerBusy();

/// The overhead of the local device for one operation.
void registerOneOperation();

/// The cost of operands.
void registerOperands();

/// MobileNet v1 0.25/128 in float32 and quant8, from direct calls of XNNPACK to a remote call.
void registerMobileNet();

/// MobileNet v1 1.0/224 on one and two threads, directly and through a burst.
void registerLargeMobileNet();

/// MobileNet v1 0.25/128 once every 33 ms, directly and through a burst.
void registerPaced();

/// The first execution of MobileNet v1 0.25/128 through a burst, and one after a rest.
void registerFirstExecution();

/// A model of some 5 ms at 30 Hz, in each wait mode.
void registerStream();

/// Many clients of one driver.
void registerThroughput();

/// One client of a driver beside others that keep it busy.
void registerNoisyNeighbours();

/// The cost of idle bursts.
void registerIdleBursts();

/// System calls of an execution, in both processes. Starts a process, and must therefore be called
/// before this one has threads.
void registerSystemCalls();

/// Preparing MobileNet v1 0.25/128 and 1.0/224, from the model and from the cache.
void registerPreparation();

/// Operations of 8 bits with and without our own kernels.
void registerQuantizedOperations();

/// Bursts through NNAPI's C API beside reusable executions from C++.
void registerNnapi();

/// Sessions from Python beside reusable executions from C++.
void registerPython();

/// All of these. Must be called before this process has threads.
void registerAll();

}  // namespace nnburst::bench
