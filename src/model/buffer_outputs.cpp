// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model/buffer_outputs.h"

#include <variant>

namespace nnburst {

std::vector<BufferOutput> bufferOutputs(const Request& request) {
    std::vector<BufferOutput> outputs;
    for (std::uint32_t index = 0; index < request.outputs.size(); ++index) {
        const RequestArgument& argument = request.outputs[index];
        const std::uint32_t pool = argument.location.poolIndex;
        if (argument.hasNoValue || pool >= request.pools.size()) {
            continue;
        }
        if (const auto* token = std::get_if<BufferToken>(&request.pools[pool])) {
            outputs.push_back({.index = index, .token = *token});
        }
    }
    return outputs;
}

}  // namespace nnburst
