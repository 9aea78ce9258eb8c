// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/bound_request.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "burst/slot_mappings.h"
#include "exec/operation/operation.h"

namespace nnburst::burst {

namespace {

/// The memory that is charged for a copy of `request` and its bindings.
std::uint64_t bytesOf(const DecodedRequest& request) noexcept {
    constexpr std::uint64_t kArgumentBytes = sizeof(RequestArgument) +
                                             sizeof(exec::ArgumentBinding) + sizeof(OutputShape) +
                                             2 * exec::kMaximumRank * sizeof(std::uint32_t);
    return sizeof(BoundRequest) + request.pools.size() * sizeof(FramePool) +
           (request.inputs.size() + request.outputs.size()) * kArgumentBytes;
}

}  // namespace

void BoundRequest::bind(const DecodedRequest& given, const exec::ExecutionSession& session,
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

void BoundRequest::clear() noexcept {
    isBound = false;
    // Frees the memory before its charge is given back. The next run prefers the same runner.
    request = {};
    bindings = {.inputs = {}, .outputs = {}, .memo = {.runner = bindings.memo.runner}};
    sentShapes = std::vector<OutputShape>();
    charge = Charge();
}

void BoundRequest::unbindUnmapped(const SlotMappings& slots) noexcept {
    // Only requests whose memory is all mapped are bound: each pool is a slot.
    isBound = isBound && std::ranges::all_of(request.pools, [&](const FramePool& pool) {
                  return slots.isKnown(pool.value);
              });
}

}  // namespace nnburst::burst
