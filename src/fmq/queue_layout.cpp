// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/queue_layout.h"

#include <string>

namespace nnburst::fmq {

namespace {

Result<> refused(const std::string& why) {
    return failure(ErrorStatus::INVALID_ARGUMENT, "message queue: " + why);
}

Result<> checkEventOffset(const char* name, std::uint64_t offset, std::uint64_t memoryBytes) {
    if (offset % kCacheLineSize != 0 || offset > memoryBytes ||
        memoryBytes - offset < sizeof(EventWord)) {
        return refused(std::string(name) + " event word at offset " + std::to_string(offset) +
                       ": must be a multiple of 64 inside the memory of " +
                       std::to_string(memoryBytes) + " bytes");
    }
    return {};
}

}  // namespace

Result<QueueDescriptor> createQueue(std::span<std::byte> memory, const QueueDescriptor& wanted,
                                    const ElementLayout& layout) {
    if (wanted.offset <= memory.size() && memory.size() - wanted.offset >= sizeof(QueueHeader) &&
        wanted.offset % kCacheLineSize == 0) {
        auto* header = reinterpret_cast<QueueHeader*>(memory.data() + wanted.offset);
        header->magic = kQueueMagic;
        header->flavor = wanted.flavor;
        header->elementBytes = wanted.elementBytes;
        header->capacity = wanted.capacity;
        header->cellBytes = static_cast<std::uint32_t>(layout.cellBytes);
        // sync [queue-created]: the header's other fields are complete
        header->version.store(kQueueVersion, std::memory_order_release);
    }
    NNBURST_TRY(checkQueue(memory, wanted, static_cast<QueueFlavor>(wanted.flavor), layout));
    return wanted;
}

Result<> checkQueue(std::span<std::byte> memory, const QueueDescriptor& descriptor,
                    QueueFlavor flavor, const ElementLayout& layout) {
    if (descriptor.version != kQueueVersion) {
        return refused("descriptor of version " + std::to_string(descriptor.version) +
                       "; this side has version " + std::to_string(kQueueVersion));
    }
    if (descriptor.flavor != static_cast<std::uint32_t>(flavor)) {
        return refused("flavour " + std::to_string(descriptor.flavor) + "; expected " +
                       std::to_string(static_cast<std::uint32_t>(flavor)));
    }
    if (descriptor.elementBytes != layout.elementBytes) {
        return refused("elements of " + std::to_string(descriptor.elementBytes) +
                       " bytes; expected " + std::to_string(layout.elementBytes));
    }
    if (!std::has_single_bit(descriptor.capacity) || descriptor.capacity > kMaximumQueueCapacity) {
        return refused("capacity of " + std::to_string(descriptor.capacity) +
                       " elements: must be a power of two of at most " +
                       std::to_string(kMaximumQueueCapacity));
    }
    const std::uint64_t queueBytes = kCellsOffset + descriptor.capacity * layout.cellBytes;
    if (descriptor.offset % kCacheLineSize != 0 || descriptor.offset > memory.size() ||
        memory.size() - descriptor.offset < queueBytes) {
        return refused("offset " + std::to_string(descriptor.offset) + " and " +
                       std::to_string(queueBytes) +
                       " bytes: must be a multiple of 64 inside the memory of " +
                       std::to_string(memory.size()) + " bytes");
    }
    if (descriptor.notEmptyOffset != 0) {
        NNBURST_TRY(checkEventOffset("not-empty", descriptor.notEmptyOffset, memory.size()));
    }
    if (descriptor.notFullOffset != 0) {
        NNBURST_TRY(checkEventOffset("not-full", descriptor.notFullOffset, memory.size()));
    }

    // The other side can change the header at any time: only this comparison uses it, everything
    // later uses the descriptor.
    auto* header = reinterpret_cast<QueueHeader*>(memory.data() + descriptor.offset);
    // sync [queue-created]: the header is complete
    const std::uint32_t version = header->version.load(std::memory_order_acquire);
    if (version != kQueueVersion) {
        return refused("memory holds a queue of version " + std::to_string(version) +
                       "; this side has version " + std::to_string(kQueueVersion));
    }
    if (header->magic != kQueueMagic || header->flavor != descriptor.flavor ||
        header->elementBytes != layout.elementBytes || header->capacity != descriptor.capacity ||
        header->cellBytes != layout.cellBytes) {
        return refused("the header in memory does not match the descriptor");
    }
    return {};
}

Result<> checkUnused(const char* used, const std::atomic<std::uint64_t>& progress) {
    // Relaxed: only this comparison uses it.
    if (const std::uint64_t value = progress.load(std::memory_order_relaxed); value != 0) {
        return refused(std::string("was ") + used + " before (" + std::to_string(value) +
                       " instead of 0); an end cannot be resumed: create a new queue");
    }
    return {};
}

}  // namespace nnburst::fmq
