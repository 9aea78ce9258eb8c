// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/graph.h"

namespace nnburst::exec {

Result<std::unique_ptr<Graph>> Graph::create(const Model& model, const Subgraph& subgraph) {
    NNBURST_TRY_ASSIGN(Constants constants, Constants::load(model, subgraph));
    return std::make_unique<Graph>(subgraph, std::move(constants),
                                   model.relaxComputationFloat32toFloat16);
}

}  // namespace nnburst::exec
