// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The client's names for memory pools in one burst: which slot stands for which region.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "burst/frame.h"
#include "nnburst/memory.h"

namespace nnburst::burst {

/// A slot is given to a region when a request first uses it, and keeps it until it is freed. The
/// table does not keep regions alive. A freed slot is given to another region only after the driver
/// has forgotten it. Thread-safe.
class SlotTable {
  public:
    /// The slot of `region`, if it has one.
    [[nodiscard]] std::optional<std::int32_t> find(const Region& region) const;

    /// Gives `region` a slot; nothing if all kMaximumSlots are in use.
    [[nodiscard]] std::optional<std::int32_t> add(const SharedRegion& region);

    /// Slots whose regions have vanished, and that of `region` if it is not null. They name nothing
    /// from now on; each waits for `reuse`.
    [[nodiscard]] std::vector<std::int32_t> retire(const Region* region);

    /// The driver has forgotten `slot`, which was retired.
    void reuse(std::int32_t slot);

    /// One region a slot, null where the slot names none.
    [[nodiscard]] std::vector<SharedRegion> regions(std::span<const std::int32_t> slots) const;

    /// Changes whenever a slot is retired, so that a remembered slot is known to be still good.
    [[nodiscard]] std::uint64_t version() const noexcept {
        // sync [slots-retired]
        return version_.load(std::memory_order_acquire);
    }

  private:
    struct Entry {
        std::uint64_t regionId = 0;  ///< 0: names no region
        std::weak_ptr<const Region> region;
    };

    mutable std::mutex mutex_;
    std::vector<Entry> entries_;           // by slot; guarded by mutex_
    std::vector<std::int32_t> freeSlots_;  // guarded by mutex_
    std::atomic<std::uint64_t> version_{0};
};

}  // namespace nnburst::burst
