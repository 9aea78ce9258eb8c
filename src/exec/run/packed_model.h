// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The packed weights of a compiled model, which a later compilation can reuse. The compilation
/// cache (device/local/compilation_cache.h) keeps them in files.

#include <string>
#include <vector>

#include "exec/graph/packed_graph.h"

namespace nnburst::exec {

struct PackedModel {
    /// The kernels that read them (dot8::packingName); empty if nothing was packed.
    std::string packing;
    /// The main subgraph, then the referenced ones in their order; none if nothing was packed.
    std::vector<PackedGraph> graphs;
};

}  // namespace nnburst::exec
