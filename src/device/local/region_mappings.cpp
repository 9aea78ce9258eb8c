// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/region_mappings.h"

#include <algorithm>
#include <utility>

#include "memory/device_buffer.h"

namespace nnburst::device {

Result<> RegionMappings::resolve(const Request& request, std::vector<exec::RequestMemory>& pools) {
    ++request_;
    std::erase_if(mapped_, [](const MappedRegion& mapped) {
        // Stays 1: no other reference is left to copy.
        return mapped.mapping.region().use_count() == 1;
    });
    return resolvePools(request, pools,
                        [this](const SharedRegion& region) { return find(region); });
}

/// The mapping of `region`, which is made if there is none.
Result<exec::RequestMemory> RegionMappings::find(const SharedRegion& region) {
    auto entry = std::find_if(mapped_.begin(), mapped_.end(), [&](const MappedRegion& mapped) {
        return mapped.mapping.region() == region;
    });
    if (entry == mapped_.end()) {
        makeRoom();
        NNBURST_TRY_ASSIGN(Mapping mapping, Mapping::map(region));
        entry = mapped_.insert(mapped_.end(),
                               {.mapping = std::move(mapping),
                                .deviceBuffer = isDeviceBuffer(region->fd()) ? region->fd() : -1});
    }
    entry->lastRequest = request_;
    return exec::RequestMemory::mapped(entry->mapping, entry->deviceBuffer);
}

/// Unmaps the region that was used longest ago if there are too many; never what the present
/// request uses.
void RegionMappings::makeRoom() {
    if (mapped_.size() < kMaximumMappings) {
        return;
    }
    const auto oldest = std::min_element(
        mapped_.begin(), mapped_.end(),
        [](const MappedRegion& a, const MappedRegion& b) { return a.lastRequest < b.lastRequest; });
    if (oldest->lastRequest != request_) {
        mapped_.erase(oldest);
    }
}

void RegionMappings::unmap(const SharedRegion& region) noexcept {
    std::erase_if(mapped_,
                  [&](const MappedRegion& mapped) { return mapped.mapping.region() == region; });
}

}  // namespace nnburst::device
