// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What compiling a model has packed, so that compiling it again need not pack it: the compilation
/// cache (device/local/compilation_cache.h) keeps it in files.

#include <string>
#include <vector>

#include "exec/graph/packed_graph.h"

namespace nnburst::exec {

struct PackedModel {
    /// What reads it (dot8::packingName); empty if nothing was packed.
    std::string packing;
    /// The main subgraph, then the referenced ones in their order; none if nothing was packed.
    std::vector<PackedGraph> graphs;
};

}  // namespace nnburst::exec
