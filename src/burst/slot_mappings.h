// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The driver's side of a burst's slots: which memory each of them names, mapped until the client
/// frees it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "account/account.h"
#include "burst/control_plane.h"
#include "burst/request_frame.h"
#include "burst/serving_thread_pool.h"
#include "exec/run/request_memory.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::burst {

/// The memory of a slot is fetched from the client when a request first names the slot. Used by the
/// thread that serves the burst, except for requestUnmap and hasUnmapRequests.
class SlotMappings {
  public:
    /// `controlPlane` is asked for memory, by one of `servingThreads`, which must outlive this. The
    /// table of slots is charged to `account`, which may be null.
    SlotMappings(std::shared_ptr<DriverControlPlane> controlPlane,
                 ServingThreadPool& servingThreads, SharedAccount account = nullptr);

    /// As RequestMemorySource::resolve, for the pools of a decoded frame. Blocks while the client
    /// is asked for slots that are not known. INVALID_ARGUMENT for a slot of which the client does
    /// not know the memory; RESOURCE_EXHAUSTED_PERSISTENT for more than kMaximumSlotsAskedFor slots
    /// that are not known.
    [[nodiscard]] Result<> resolve(std::span<const FramePool> framePools,
                                   std::vector<exec::RequestMemory>& pools);

    /// IBurstContext::freeMemory: unmapRequested forgets `slot`. Slots that cannot exist are
    /// ignored. Any thread, does not block.
    void requestUnmap(std::int32_t slot) noexcept;

    /// Whether unmapRequested has something to do. Any thread.
    [[nodiscard]] bool hasUnmapRequests() const noexcept {
        // sync [slot-freed]
        return hasUnmapRequests_.load(std::memory_order_acquire);
    }

    /// Unmaps the slots that were freed. To be called after a frame was seen and before it is
    /// served: slots that the frame names anew were freed before it was sent.
    void unmapRequested() noexcept {
        // sync [slot-freed]: cleared first, so that a slot that is freed meanwhile is seen the next
        // time
        hasUnmapRequests_.exchange(false, std::memory_order_seq_cst);
        // All flags: one that stayed set would unmap memory that the slot names later.
        for (std::size_t slot = 0; slot < isUnmapRequested_.size(); ++slot) {
            // Relaxed: ordered by hasUnmapRequests_.
            if (isUnmapRequested_[slot].load(std::memory_order_relaxed)) {
                isUnmapRequested_[slot].store(false, std::memory_order_relaxed);
                if (slot < slots_.size()) {
                    slots_[slot] = Slot();
                }
            }
        }
    }

    /// Whether the memory of `slot` was fetched and not freed since.
    [[nodiscard]] bool isKnown(std::uint32_t slot) const noexcept;

  private:
    /// The memory that a slot names: mapped, or foreign, or not known.
    struct Slot {
        Mapping mapping;
        int deviceBuffer = -1;  ///< the descriptor of the mapped memory, if a device has made it
        SharedRegion foreign;
    };

    Result<> collectUnknownSlots(std::span<const FramePool> framePools);
    Result<> fetchUnknownSlots();
    Result<> provideSlot(std::size_t slot);
    Result<std::vector<SharedRegion>> askClientForMemories();

    const std::shared_ptr<DriverControlPlane> controlPlane_;
    ServingThreadPool& servingThreads_;
    const SharedAccount account_;

    std::atomic<bool> hasUnmapRequests_{false};
    std::vector<std::atomic<bool>> isUnmapRequested_;  // by slot

    // Reused, so that the steady state allocates nothing.
    std::vector<Slot> slots_;
    Charge charge_;  // for `slots_`
    std::vector<std::int32_t> unknownSlots_;
};

/// The memory of one frame, for a session. Refers to what it was given.
class FrameMemory final : public exec::RequestMemorySource {
  public:
    FrameMemory(SlotMappings& slots, std::span<const FramePool> pools) noexcept
        : slots_(slots), pools_(pools) {}

    [[nodiscard]] Result<> resolve(std::vector<exec::RequestMemory>& pools) override {
        return slots_.resolve(pools_, pools);
    }

  private:
    SlotMappings& slots_;
    const std::span<const FramePool> pools_;
};

}  // namespace nnburst::burst
