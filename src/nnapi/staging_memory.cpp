// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/staging_memory.h"

#include <algorithm>
#include <new>
#include <utility>

namespace nnburst::nnapi {

Result<Mapping> StagingMemory::take(std::uint64_t sizeBytes) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Mapping& mapping) {
            return mapping.sizeBytes() >= sizeBytes;
        });
        if (found != kept_.end()) {
            Mapping mapping = std::move(*found);
            kept_.erase(found);
            return mapping;
        }
    }
    NNBURST_TRY_ASSIGN(const SharedRegion region, Region::create(sizeBytes));
    return Mapping::map(region);
}

void StagingMemory::giveBack(Mapping mapping) noexcept {
    if (mapping.sizeBytes() == 0 || mapping.sizeBytes() > kMaximumKeptBytes) {
        return;
    }
    Mapping oldest;  // unmapped without the lock
    const std::lock_guard lock(mutex_);
    try {
        kept_.reserve(kMaximumKept);
    } catch (const std::bad_alloc&) {
        return;
    }
    if (kept_.size() == kMaximumKept) {
        oldest = std::move(kept_.front());
        kept_.erase(kept_.begin());
    }
    kept_.push_back(std::move(mapping));
}

}  // namespace nnburst::nnapi
