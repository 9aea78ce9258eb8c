// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What nnburst-bench measures. A name is GROUP/WHAT; in the table every row of a group is compared
/// with the group's first. A label says the same for people.

namespace nnburst::bench {

/// Round trips between two processes, from one word in a cache line to a remote call.
void registerLatency();

/// The same round trip by other means: the kernel's, Boost's, and those whose packages need not be
/// installed.
void registerKernelPeers();
void registerBoostPeers();
void registerPackagedPeers();

/// MobileNet v1 0.25/128 in float32 and quant8, from direct calls of XNNPACK to a remote call.
void registerMobileNet();

/// Preparing MobileNet v1 0.25/128 and 1.0/224, from the model and from the cache.
void registerPreparation();

}  // namespace nnburst::bench
