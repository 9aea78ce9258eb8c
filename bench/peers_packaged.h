// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Peers that need optional packages. CMakeLists.txt builds those that it finds; the others are
/// listed as skipped, with the package to install.

namespace nnburst::bench {

void registerIceoryxPeer();
void registerZeroMqPeer();
void registerGrpcPeer();

}  // namespace nnburst::bench
