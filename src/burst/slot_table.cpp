// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/slot_table.h"

namespace nnburst::burst {

std::optional<std::int32_t> SlotTable::find(const Region& region) const {
    const std::lock_guard lock(mutex_);
    for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
        if (entries_[slot].regionId == region.id()) {
            return static_cast<std::int32_t>(slot);
        }
    }
    return std::nullopt;
}

std::optional<std::int32_t> SlotTable::add(const SharedRegion& region) {
    const std::lock_guard lock(mutex_);
    std::int32_t slot = 0;
    if (!freeSlots_.empty()) {
        slot = freeSlots_.back();
        freeSlots_.pop_back();
    } else if (entries_.size() < static_cast<std::size_t>(kMaximumSlots)) {
        slot = static_cast<std::int32_t>(entries_.size());
        entries_.emplace_back();
    } else {
        return std::nullopt;
    }
    entries_[static_cast<std::size_t>(slot)] = {.regionId = region->id(), .region = region};
    return slot;
}

std::vector<std::int32_t> SlotTable::retire(const Region* region) {
    const std::lock_guard lock(mutex_);
    std::vector<std::int32_t> retired;
    for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
        Entry& entry = entries_[slot];
        if (entry.regionId != 0 &&
            (entry.region.expired() || (region != nullptr && entry.regionId == region->id()))) {
            entry = {};
            retired.push_back(static_cast<std::int32_t>(slot));
        }
    }
    if (!retired.empty()) {
        // sync [slots-retired]: the entries are gone
        version_.fetch_add(1, std::memory_order_release);
    }
    return retired;
}

void SlotTable::reuse(std::int32_t slot) {
    const std::lock_guard lock(mutex_);
    freeSlots_.push_back(slot);
}

std::vector<SharedRegion> SlotTable::regions(std::span<const std::int32_t> slots) const {
    const std::lock_guard lock(mutex_);
    std::vector<SharedRegion> regions;
    regions.reserve(slots.size());
    for (const std::int32_t slot : slots) {
        const bool isKnown = slot >= 0 && static_cast<std::size_t>(slot) < entries_.size();
        regions.push_back(isKnown ? entries_[static_cast<std::size_t>(slot)].region.lock()
                                  : nullptr);
    }
    return regions;
}

}  // namespace nnburst::burst
