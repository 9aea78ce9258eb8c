// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes Operand::numberOfConsumers right in models that tests put together by hand.

#include <algorithm>

#include "nnburst/validation.h"

namespace nnburst::test {

inline void recountConsumers(Subgraph& subgraph) {
    const std::vector<std::uint32_t> counts = countConsumers(subgraph);
    for (std::size_t index = 0; index < counts.size(); ++index) {
        subgraph.operands[index].numberOfConsumers = counts[index];
    }
}

inline void recountConsumers(Model& model) {
    recountConsumers(model.main);
    std::for_each(model.referenced.begin(), model.referenced.end(),
                  [](Subgraph& subgraph) { recountConsumers(subgraph); });
}

}  // namespace nnburst::test
