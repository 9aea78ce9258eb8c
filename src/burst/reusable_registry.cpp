// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/reusable_registry.h"

#include <algorithm>

#include "exec/operation/operation.h"
#include "log/assert.h"

namespace nnburst::burst {

namespace {

/// What the registry takes to remember `request`.
std::uint64_t bytesOf(const DecodedRequest& request) noexcept {
    constexpr std::uint64_t kArgumentBytes = sizeof(RequestArgument) +
                                             sizeof(exec::ArgumentBinding) + sizeof(OutputShape) +
                                             2 * exec::kMaximumRank * sizeof(std::uint32_t);
    return sizeof(ReusableRegistry::Execution) + request.pools.size() * sizeof(FramePool) +
           (request.inputs.size() + request.outputs.size()) * kArgumentBytes;
}

}  // namespace

ReusableRegistry::Execution* ReusableRegistry::remember(const DecodedRequest& request,
                                                        const exec::ExecutionSession& session,
                                                        const SharedAccount& account) {
    const std::uint32_t number = request.name.number;
    if (number == 0) {
        return nullptr;
    }
    NNBURST_ASSERT(number <= kMaximumReusableExecutions, "reusable execution {}", number);
    if (executions_.size() < number) {
        executions_.resize(number);
    }
    Execution& execution = executions_[number - 1];
    execution.isKnown = false;
    execution.charge = Charge();
    Result<Charge> charge = chargeTo(account, Resource::MEMORY, bytesOf(request));
    if (!charge) {
        execution.request = {};
        execution.bindings = {};
        return nullptr;
    }
    execution.charge = std::move(*charge);
    execution.request = request;
    execution.generation = request.name.generation;
    execution.sentShapes.clear();
    execution.isBound =
        session.bind({execution.request.inputs, execution.request.outputs}, execution.bindings);
    execution.isKnown = execution.isBound;
    return execution.isKnown ? &execution : nullptr;
}

void ReusableRegistry::unbind(std::size_t slot) noexcept {
    for (Execution& execution : executions_) {
        // Only requests whose memory is all mapped are remembered: each pool is a slot.
        const auto& pools = execution.request.pools;
        if (std::any_of(pools.begin(), pools.end(),
                        [slot](const FramePool& pool) { return pool.value == slot; })) {
            execution.isBound = false;
        }
    }
}

}  // namespace nnburst::burst
