// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sends the client's requests through the request queue: names their memory by slots and writes
/// their frames.

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "burst/channel.h"
#include "burst/control_plane.h"
#include "burst/pending_executions.h"
#include "burst/request_frame.h"
#include "burst/slot_table.h"
#include "log/assert.h"
#include "nnburst/result.h"

namespace nnburst::burst {

/// Used by one thread at a time, except where a method says otherwise. In the steady state it
/// allocates nothing.
class RequestSender {
  public:
    /// `pending` has the executions, and outlives the sender.
    RequestSender(FrameQueue::Writer requests, PendingExecutions& pending)
        : requests_(requests), pending_(pending), lines_(requests.capacity()) {}

    /// Before the first request, once. `doorbell` is borrowed.
    void attach(std::shared_ptr<ClientControlPlane> controlPlane, int doorbell) noexcept {
        NNBURST_ASSERT(controlPlane_ == nullptr && controlPlane != nullptr,
                       "the sender is attached twice, or to nothing");
        controlPlane_ = std::move(controlPlane);
        requests_.limitWoken(kMaximumWoken);
        requests_.setDoorbell(doorbell);
    }

    /// The fast path of repeated executions: one line, if the driver remembers the request and
    /// there is room for the line and its result.
    [[nodiscard]] bool trySendRemembered(PendingExecution& execution) noexcept {
        const bool isSent =
            pending_.maySend(execution) && isRemembered(execution) && sendCompute(execution);
        if (isSent) {
            pending_.markSent(execution);
        }
        return isSent;
    }

    /// Sends an execution in one line or whole, after those that the driver does not know. False
    /// if it has to wait for others (PendingExecutions::maySend), or if there is no room for its
    /// frame or no free slot for its memory. INVALID_ARGUMENT for a pool that is null.
    [[nodiscard]] Result<bool> trySend(PendingExecution& execution);

    /// Sends the executions again that the driver does not know, as far as there is room and
    /// memory.
    void sendUnknown() noexcept {
        if (pending_.hasUnknown()) [[unlikely]] {
            try {
                trySendUnknown();
            } catch (const std::bad_alloc&) {
                // The next call tries again.
            }
        }
    }

    /// Whether a request that was sent since the last call named memory that the driver has not
    /// seen: the driver will ask this process for it.
    [[nodiscard]] bool consumeHasNewMemory() noexcept {
        return hasNewMemory_ && std::exchange(hasNewMemory_, false);
    }

    /// Tells the driver to forget `region`. Does not wait. Any thread.
    void freeMemory(const SharedRegion& region) { forget(slots_->retire(region.get())); }

    /// Serves IBurstCallback::getMemories. Any thread.
    [[nodiscard]] std::vector<SharedRegion> regions(std::span<const std::int32_t> slots) {
        return slots_->regions(slots);
    }

  private:
    /// What pool `i` of the last request was: most requests use the same pools again.
    struct RememberedPool {
        std::uint64_t regionId = 0;
        std::uint64_t version = 0;  ///< of the slot table
        std::int32_t slot = 0;
    };

    /// Whether one line suffices: the driver remembers the request, with slots that are still good.
    [[nodiscard]] bool isRemembered(const PendingExecution& execution) const noexcept {
        const ReusableRequest* reusable = execution.reusable;
        return reusable != nullptr && reusable->isRemembered &&
               reusable->slotVersion == slots_->version();
    }

    /// Sends a request that `isRemembered`. False if the queue is full.
    [[nodiscard]] bool sendCompute(PendingExecution& execution) noexcept {
        if (!requests_.beginWrite(1)) {
            return false;
        }
        // Its slots may have been retired meanwhile, by another thread.
        NNBURST_ASSERT(execution.reusable != nullptr && execution.reusable->isRemembered,
                       "the driver does not remember the request");
        const ReusableRequest& reusable = *execution.reusable;
        execution.serial = ++lastSerial_;
        execution.slotVersion = reusable.slotVersion;
        requests_.set(0,
                      encodeCompute(execution.serial, reusable.name, execution.options.deadline));
        requests_.commitWrite(1);
        return true;
    }

    [[nodiscard]] Result<bool> sendWhole(PendingExecution& execution);
    void trySendUnknown();
    Result<bool> namePools(const Request& request);
    bool findSlot(const SharedRegion& region, RememberedPool& remembered);
    void forget(const std::vector<std::int32_t>& slots);

    FrameQueue::Writer requests_;
    PendingExecutions& pending_;
    std::shared_ptr<ClientControlPlane> controlPlane_;
    const std::shared_ptr<SlotTable> slots_ = std::make_shared<SlotTable>();
    std::uint64_t lastSerial_ = 0;
    bool hasNewMemory_ = false;
    // Reused.
    std::vector<FrameLine> lines_;
    std::vector<FramePool> pools_;
    std::vector<RememberedPool> lastPools_;
};

}  // namespace nnburst::burst
