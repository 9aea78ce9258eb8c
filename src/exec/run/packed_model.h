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

/// Who packs and reads packed weights.
struct PackedFor {
    /// The kernels of this library; null: there are none.
    const dot8::Microkernels* kernels = nullptr;
    /// Names these and XNNPACK's (dot8::packingName, xnnpack::packingName); empty if there are
    /// neither.
    std::string packing;
};

struct PackedModel {
    /// The kernels that read them (PackedFor::packing); empty if nothing was packed.
    std::string packing;
    /// The main subgraph, then the referenced ones in their order; none if nothing was packed.
    std::vector<PackedGraph> graphs;
};

}  // namespace nnburst::exec
