// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/slot_table.h"

#include <algorithm>

#include "log/assert.h"

namespace nnburst::burst {

std::optional<std::int32_t> SlotTable::find(const Region& region) const {
    const system::MutexLock lock(mutex_);
    for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
        if (entries_[slot].regionId == region.id()) {
            return static_cast<std::int32_t>(slot);
        }
    }
    return std::nullopt;
}

std::optional<std::int32_t> SlotTable::add(const SharedRegion& region,
                                           std::uint64_t oldestInFlight) {
    const system::MutexLock lock(mutex_);
    auto free = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.state == State::FREE && !entry.isFetchedAgain &&
               entry.retiredAt <= oldestInFlight;
    });
    if (free == entries_.end()) {
        if (entries_.size() == static_cast<std::size_t>(kMaximumSlots)) {
            return std::nullopt;
        }
        free = entries_.emplace(entries_.end());
    }
    *free = {.regionId = region->id(), .region = region};
    return static_cast<std::int32_t>(free - entries_.begin());
}

std::vector<std::int32_t> SlotTable::retire(const Region* region, std::uint64_t oldestInFlight) {
    const system::MutexLock lock(mutex_);
    const std::uint64_t nextVersion = version_.load(std::memory_order_relaxed) + 1;
    bool isAnyGone = false;
    std::vector<std::int32_t> retired;
    for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
        Entry& entry = entries_[slot];
        const bool isGone =
            entry.state == State::GIVEN &&
            (entry.region.expired() || (region != nullptr && entry.regionId == region->id()));
        const bool isGoneAgain =
            entry.state == State::FREE && entry.isFetchedAgain && entry.retiredAt <= oldestInFlight;
        if (isGone) {
            entry.retiredAt = nextVersion;
            isAnyGone = true;
        }
        if (isGone || isGoneAgain) {
            entry.state = State::RETIRED;
            entry.regionId = 0;
            entry.isFetchedAgain = false;
            retired.push_back(static_cast<std::int32_t>(slot));
        }
    }
    if (isAnyGone) {
        // sync [slots-retired]: requests do not find the entries any more
        version_.store(nextVersion, std::memory_order_release);
    }
    return retired;
}

void SlotTable::reuse(std::int32_t slot) {
    const system::MutexLock lock(mutex_);
    NNBURST_ASSERT(slot >= 0 && static_cast<std::size_t>(slot) < entries_.size(), "slot {} of {}",
                   slot, entries_.size());
    Entry& entry = entries_[static_cast<std::size_t>(slot)];
    NNBURST_ASSERT(entry.state == State::RETIRED, "slot {}", slot);
    entry.state = State::FREE;
}

std::vector<SharedRegion> SlotTable::regions(std::span<const std::int32_t> slots) {
    const system::MutexLock lock(mutex_);
    std::vector<SharedRegion> regions;
    regions.reserve(slots.size());
    for (const std::int32_t slot : slots) {
        if (slot < 0 || static_cast<std::size_t>(slot) >= entries_.size()) {
            regions.push_back(nullptr);
            continue;
        }
        Entry& entry = entries_[static_cast<std::size_t>(slot)];
        regions.push_back(entry.region.lock());
        entry.isFetchedAgain = entry.state != State::GIVEN && regions.back() != nullptr;
    }
    return regions;
}

}  // namespace nnburst::burst
