// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/reusable_registry.h"

#include <algorithm>

#include "burst/slot_mappings.h"
#include "exec/operation/operation.h"
#include "log/assert.h"
#include "nnburst/burst.h"

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

void ReusableRegistry::Execution::bind(const DecodedRequest& given,
                                       const exec::ExecutionSession& session,
                                       const SharedAccount& account) {
    clear();
    if (!session.mayBind()) {
        return;
    }
    Result<Charge> charged = chargeTo(account, Resource::MEMORY, bytesOf(given));
    if (!charged) {
        return;
    }
    charge = std::move(*charged);
    request = given;
    isBound = session.bind({request.inputs, request.outputs}, bindings);
    if (!isBound) {
        clear();
    }
}

void ReusableRegistry::Execution::clear() noexcept {
    isBound = false;
    // Frees the memory before its charge is given back. The next run prefers the same runner.
    request = {};
    bindings = {.inputs = {}, .outputs = {}, .memo = {.runner = bindings.memo.runner}};
    sentShapes = std::vector<OutputShape>();
    charge = Charge();
}

void ReusableRegistry::Execution::unbindUnmapped(const SlotMappings& slots) noexcept {
    // Only requests whose memory is all mapped are bound: each pool is a slot.
    isBound = isBound && std::ranges::all_of(request.pools, [&](const FramePool& pool) {
                  return slots.isKnown(pool.value);
              });
}

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
    execution.bind(request, session, account);
    execution.generation = request.name.generation;
    execution.isKnown = execution.isBound;
    return execution.isKnown ? &execution : nullptr;
}

void ReusableRegistry::unbindUnmapped(const SlotMappings& slots) noexcept {
    for (Execution& execution : executions_) {
        execution.unbindUnmapped(slots);
    }
}

}  // namespace nnburst::burst
