// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/reusable_registry.h"

#include "log/assert.h"
#include "nnburst/burst.h"

namespace nnburst::burst {

BoundRequest* ReusableRegistry::remember(const DecodedRequest& request,
                                         const exec::ExecutionSession& session,
                                         const SharedAccount& account) {
    const std::uint32_t number = request.name.number;
    if (number == 0) {
        return nullptr;
    }
    NNBURST_ASSERT(number <= kMaximumReusableExecutions, "reusable execution {}", number);
    if (entries_.size() < number) {
        entries_.resize(number);
    }
    Entry& entry = entries_[number - 1];
    entry.isKnown = false;
    entry.request.bind(request, session, account);
    entry.generation = request.name.generation;
    entry.isKnown = entry.request.isBound;
    return entry.isKnown ? &entry.request : nullptr;
}

void ReusableRegistry::unbindUnmapped(const SlotMappings& slots) noexcept {
    for (Entry& entry : entries_) {
        entry.request.unbindUnmapped(slots);
    }
}

}  // namespace nnburst::burst
