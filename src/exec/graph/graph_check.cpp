// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/graph_check.h"

#include "exec/graph/folding.h"

namespace nnburst::exec {

Result<HalVersion> GraphCheck::visit(std::size_t operation) {
    NNBURST_TRY_ASSIGN(const HalVersion version, shapes_.visit(operation));
    NNBURST_TRY(foldOperation(graph_, shapes_, operation, foldingLimit_, memory_));
    return version;
}

Result<HalVersion> GraphCheck::visitOnly(std::size_t operation) {
    NNBURST_TRY_ASSIGN(const HalVersion version, shapes_.visit(operation));
    // An operation that is not folded is one whose values are not known.
    (void)foldOperation(graph_, shapes_, operation, foldingLimit_, memory_);
    return version;
}

}  // namespace nnburst::exec
