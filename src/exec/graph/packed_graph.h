// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The packed weights of one subgraph, which a later preparation can reuse.

#include <cstdint>
#include <vector>

#include "exec/dot8/packed_weights.h"
#include "exec/xnnpack/packed_weights.h"

namespace nnburst::exec {

struct PackedGraph {
    std::vector<dot8::FilterOfOperation> filters;   ///< by their operations
    std::vector<xnnpack::BlockOfOperation> blocks;  ///< by their operations
    /// Constant operands of which only these filters and blocks are made: with these, their values
    /// are not needed. In ascending order.
    std::vector<std::uint32_t> packedConstants;
};

}  // namespace nnburst::exec
