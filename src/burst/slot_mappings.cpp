// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/slot_mappings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "log/assert.h"
#include "memory/device_buffer.h"
#include "model/invalid.h"

namespace nnburst::burst {

namespace {

bool isToken(const FramePool& pool) noexcept {
    return pool.kind == static_cast<std::uint32_t>(FramePool::Kind::TOKEN);
}

}  // namespace

SlotMappings::SlotMappings(std::shared_ptr<DriverControlPlane> controlPlane,
                           ServingThreadPool& servingThreads, SharedAccount account)
    : controlPlane_(std::move(controlPlane)),
      servingThreads_(servingThreads),
      account_(std::move(account)),
      isUnmapRequested_(static_cast<std::size_t>(kMaximumSlots)) {}

Result<> SlotMappings::resolve(std::span<const FramePool> framePools,
                               std::vector<exec::RequestMemory>& pools) {
    pools.reserve(framePools.size());
    for (const FramePool& pool : framePools) {
        // Buffers first: the session wants to know of them even if memory is refused.
        pools.push_back(isToken(pool) ? exec::RequestMemory::managed(BufferToken{pool.value})
                                      : exec::RequestMemory());
    }
    NNBURST_TRY(collectUnknownSlots(framePools));
    if (!unknownSlots_.empty()) {
        NNBURST_TRY(fetchUnknownSlots());
    }
    for (std::size_t i = 0; i < framePools.size(); ++i) {
        if (!isToken(framePools[i])) {
            NNBURST_ASSERT(isKnown(framePools[i].value), "slot {}", framePools[i].value);
            const Slot& slot = slots_[framePools[i].value];
            pools[i] = slot.foreign ? exec::RequestMemory::copied(*slot.foreign)
                                    : exec::RequestMemory::mapped(slot.mapping, slot.deviceBuffer);
        }
    }
    return {};
}

void SlotMappings::requestUnmap(std::int32_t slot) noexcept {
    if (slot < 0 || slot >= kMaximumSlots) {
        return;
    }
    // sync [slot-freed]: which slots is visible with that there are some
    isUnmapRequested_[static_cast<std::size_t>(slot)].store(true, std::memory_order_relaxed);
    hasUnmapRequests_.store(true, std::memory_order_seq_cst);
}

bool SlotMappings::isKnown(std::uint32_t slot) const noexcept {
    return slot < slots_.size() &&
           (slots_[slot].mapping.data() != nullptr || slots_[slot].foreign != nullptr);
}

Result<> SlotMappings::collectUnknownSlots(std::span<const FramePool> framePools) {
    unknownSlots_.clear();
    for (std::size_t i = 0; i < framePools.size(); ++i) {
        const FramePool& pool = framePools[i];
        const auto slot = static_cast<std::int32_t>(pool.value);
        if (isToken(pool) || isKnown(pool.value) ||
            std::ranges::find(unknownSlots_, slot) != unknownSlots_.end()) {
            continue;
        }
        if (unknownSlots_.size() == kMaximumSlotsAskedFor) {
            // As for a request by RPC, which has this limit for all its pools.
            return failure(
                ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                fmt::format("request pool {}: slot {} makes {} slots whose memory the driver does "
                            "not have; must be at most {} in one request",
                            i, slot, unknownSlots_.size() + 1, kMaximumSlotsAskedFor));
        }
        unknownSlots_.push_back(slot);
    }
    return {};
}

Result<> SlotMappings::fetchUnknownSlots() {
    NNBURST_TRY_ASSIGN(const std::vector<SharedRegion> regions, askClientForMemories());
    if (regions.size() != unknownSlots_.size()) {
        return invalid("the client gave {} memories for {} slots: must be as many", regions.size(),
                       unknownSlots_.size());
    }
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const auto slot = static_cast<std::size_t>(unknownSlots_[i]);
        NNBURST_ASSERT(slot < isUnmapRequested_.size(), "slot {} of {}", slot,
                       isUnmapRequested_.size());
        if (!regions[i]) {
            return invalid("request names slot {}, of which the client does not know the memory",
                           slot);
        }
        NNBURST_TRY(provideSlot(slot));
        if (regions[i]->isForeign()) {
            slots_[slot].foreign = regions[i];
        } else {
            NNBURST_TRY_ASSIGN(slots_[slot].mapping, Mapping::map(regions[i]));
            slots_[slot].deviceBuffer = isDeviceBuffer(regions[i]->fd()) ? regions[i]->fd() : -1;
        }
    }
    return {};
}

/// Makes room for `slot` in the table.
Result<> SlotMappings::provideSlot(std::size_t slot) {
    if (slot >= slots_.size()) {
        const std::size_t count = std::bit_ceil(slot + 1);
        NNBURST_TRY_ASSIGN(Charge charge,
                           chargeTo(account_, Resource::MEMORY, count * sizeof(Slot)));
        slots_.resize(count);
        charge_ = std::move(charge);
    }
    return {};
}

Result<std::vector<SharedRegion>> SlotMappings::askClientForMemories() {
    const ServingThreadPool::ScopedClientWait waiting(servingThreads_);
    return controlPlane_->getMemories(unknownSlots_);
}

}  // namespace nnburst::burst
