// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/request_sender.h"

#include <optional>
#include <string>
#include <variant>

#include "log/assert.h"

namespace nnburst::burst {

Result<bool> RequestSender::trySend(PendingExecution& execution) {
    sendUnknown();
    if (!pending_.maySend(execution)) {
        return false;
    }
    bool isSent = false;
    if (isRemembered(execution)) {
        isSent = sendCompute(execution);
    } else {
        NNBURST_TRY_ASSIGN(isSent, sendWhole(execution));
    }
    if (isSent) {
        pending_.markSent(execution);
    }
    return isSent;
}

void RequestSender::trySendUnknown() {
    while (PendingExecution* const unknown =
               pending_.findFirst(PendingExecution::State::UNKNOWN_TO_DRIVER)) {
        const Result<bool> sent = sendWhole(*unknown);
        if (!sent || !*sent) {
            return;
        }
        pending_.markSent(*unknown);
    }
}

/// Sends all of a request.
Result<bool> RequestSender::sendWhole(PendingExecution& execution) {
    NNBURST_ASSERT(execution.state == PendingExecution::State::PREPARED ||
                       execution.state == PendingExecution::State::UNKNOWN_TO_DRIVER,
                   "a request in state {} is sent", static_cast<int>(execution.state));
    const Request& request = *execution.request;
    if (request.pools.size() > pools_.size()) {
        lastPools_.resize(request.pools.size());
        pools_.resize(request.pools.size());  // last: the condition looks at it
    }
    bool hasSlots = true;
    std::uint64_t version = 0;
    do {  // again if a slot was retired meanwhile: what is remembered is good for one version
        version = slots_->version();
        NNBURST_TRY_ASSIGN(hasSlots, namePools(request));
    } while (version != slots_->version());
    const std::uint64_t lineCount = requestLineCount(request);
    if (!hasSlots || hasTooManyDimensions(request) || lineCount > requests_.capacity() ||
        !requests_.beginWrite(lineCount)) {
        return false;
    }
    execution.serial = ++lastSerial_;
    execution.wholeSerial = execution.serial;
    execution.slotVersion = version;
    const ExecutionName name =
        execution.reusable != nullptr ? execution.reusable->name : ExecutionName();
    NNBURST_ASSERT(lineCount <= lines_.size(), "a frame of {} lines in memory for {}", lineCount,
                   lines_.size());
    const std::span<FrameLine> frame(lines_.data(), lineCount);
    encodeRequest(execution.serial, name, request, std::span(pools_).first(request.pools.size()),
                  execution.options, frame);
    for (std::size_t i = 0; i < frame.size(); ++i) {
        requests_.set(i, frame[i]);
    }
    requests_.commitWrite(frame.size());
    return true;
}

/// Writes the names of the request's pools into `pools_`; false if there is no slot for one.
Result<bool> RequestSender::namePools(const Request& request) {
    bool hasSlots = true;
    for (std::size_t i = 0; i < request.pools.size(); ++i) {
        const RequestPool& pool = request.pools[i];
        if (const auto* token = std::get_if<BufferToken>(&pool)) {
            pools_[i] = {.kind = static_cast<std::uint32_t>(FramePool::Kind::TOKEN),
                         .value = static_cast<std::uint32_t>(*token)};
            continue;
        }
        const SharedRegion& region = std::get<SharedRegion>(pool);
        if (!region) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           "request pool " + std::to_string(i) + " is null");
        }
        const RememberedPool& last = lastPools_[i];
        if (last.regionId != region->id() || last.version != slots_->version()) {
            hasSlots = findSlot(region, lastPools_[i]) && hasSlots;
        }
        pools_[i] = {.kind = static_cast<std::uint32_t>(FramePool::Kind::SLOT),
                     .value = static_cast<std::uint32_t>(last.slot)};
    }
    return hasSlots;
}

/// Finds the slot of `region`, or gives it one; false if none is free.
bool RequestSender::findSlot(const SharedRegion& region, RememberedPool& remembered) {
    const std::uint64_t version = slots_->version();
    std::optional<std::int32_t> slot = slots_->find(*region);
    if (!slot) {
        const std::uint64_t oldest = pending_.oldestSlotVersion();
        // a new region is the time to forget those that have vanished
        forget(slots_->retire(nullptr, oldest));
        slot = slots_->add(region, oldest);
        hasNewMemory_ = true;
    }
    if (!slot) {
        return false;
    }
    remembered = {.regionId = region->id(), .version = version, .slot = *slot};
    return true;
}

/// Tells the driver to forget slots that were retired. They are used again when it has done so.
void RequestSender::forget(const std::vector<std::int32_t>& slots) {
    for (const std::int32_t slot : slots) {
        controlPlane_->freeMemory(slot, [table = slots_, slot] { table->reuse(slot); });
    }
}

}  // namespace nnburst::burst
