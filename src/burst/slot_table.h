// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The client's names for memory pools in one burst: which slot stands for which region.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "burst/request_frame.h"
#include "nnburst/memory.h"
#include "system/mutex.h"

namespace nnburst::burst {

/// A slot is given to a region when a request first uses it, and keeps it until it is freed. The
/// table does not keep regions alive. A freed slot goes on to stand for its region in frames that
/// are in flight: it is given to another one when they have been answered and the driver has
/// forgotten it. Thread-safe.
class SlotTable {
  public:
    static constexpr std::uint64_t kNothingInFlight = UINT64_MAX;

    /// The slot of `region`, if it has one.
    [[nodiscard]] std::optional<std::int32_t> find(const Region& region) const;

    /// Gives `region` a slot; nothing if all kMaximumSlots are in use. The slots that frames in
    /// flight name are of version `oldestInFlight` or later.
    [[nodiscard]] std::optional<std::int32_t> add(const SharedRegion& region,
                                                  std::uint64_t oldestInFlight = kNothingInFlight);

    /// Retires slots and returns them: those whose regions have vanished, that of `region` if it is
    /// not null, and those of before `oldestInFlight` that the driver has fetched after they were
    /// retired. No later request names them; each stays retired until `reuse`.
    [[nodiscard]] std::vector<std::int32_t> retire(const Region* region,
                                                   std::uint64_t oldestInFlight = 0);

    /// The driver has forgotten `slot`, which was retired.
    void reuse(std::int32_t slot);

    /// For the driver: one region a slot, null where the slot names none.
    [[nodiscard]] std::vector<SharedRegion> regions(std::span<const std::int32_t> slots);

    /// Changes whenever a slot is retired, so that a remembered slot is known to be still good.
    [[nodiscard]] std::uint64_t version() const noexcept {
        // sync [slots-retired]
        return version_.load(std::memory_order_acquire);
    }

  private:
    enum class State : std::uint8_t { GIVEN, RETIRED, FREE };

    struct Entry {
        State state = State::GIVEN;
        std::uint64_t regionId = 0;  ///< 0 unless GIVEN
        std::weak_ptr<const Region> region;
        std::uint64_t retiredAt = 0;  ///< frames of earlier versions may name it
        bool isFetchedAgain = false;  ///< by the driver, after it was retired
    };

    mutable system::Mutex mutex_;
    std::vector<Entry> entries_ NNBURST_GUARDED_BY(mutex_);  // by slot
    std::atomic<std::uint64_t> version_{0};
};

}  // namespace nnburst::burst
