// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Peers whose packages need not be installed. CMakeLists.txt builds what it finds; the others
/// stand in the table as skipped, with what to install.

namespace nnburst::bench {

void registerIceoryxPeer();
void registerZeroMqPeer();
void registerGrpcPeer();

}  // namespace nnburst::bench
