// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// On which processor each burst is served while its executions and those of others fill the
/// processors, so that all threads sleep while they wait. A client and the thread that serves it do
/// not compute at the same time, so they need one processor between them, and threads on the same
/// processor wake each other without interrupting another one. Left to itself, Linux keeps two
/// serving threads on one processor for up to half a second while another idles, or each on that of
/// the other's client, since it does not move threads that ran less than half a millisecond ago.

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "system/affinity.h"
#include "system/mutex.h"

namespace nnburst::burst {

/// Thread-safe. Must outlive its places.
class ServingPlaces {
  public:
    /// Without processors bursts get none.
    explicit ServingPlaces(std::vector<std::uint32_t> processors)
        : processors_(std::move(processors)), others_(processors_.size()) {}

    /// The place of one burst, which has none until it chooses. Used by the thread that serves it.
    class Place {
      public:
        explicit Place(ServingPlaces& places) : places_(places), unused_{this} {}
        ~Place() { leave(); }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        /// Moves the calling thread, which serves the burst now, to the processor of the burst:
        /// see choose.
        void take(std::optional<std::uint32_t> client) noexcept {
            const std::optional<std::uint32_t> processor = choose(client);
            if (processor && static_cast<int>(*processor) != ::sched_getcpu()) {
                system::moveTo(*processor);
            }
        }

        /// The processor on which the burst is to be served now; none if it is the only one. Its
        /// client was last seen on `client`, if that is known. All processors get as many bursts,
        /// or one less; within this limit a burst gets that of its client.
        [[nodiscard]] std::optional<std::uint32_t> choose(
            std::optional<std::uint32_t> client) noexcept {
            const system::MutexLock lock(places_.mutex_);
            if (isUnused()) {
                places_.taken_.splice(places_.taken_.end(), unused_);
            }
            client_ = client;
            processor_ = places_.processorFor(*this);
            return processor_;
        }

        /// Other bursts may have its processor. Does nothing if it has none.
        void leave() noexcept {
            if (isUnused()) {
                return;
            }
            const system::MutexLock lock(places_.mutex_);
            unused_.splice(unused_.end(), places_.taken_, element_);
        }

      private:
        friend class ServingPlaces;

        [[nodiscard]] bool isUnused() const noexcept { return !unused_.empty(); }

        ServingPlaces& places_;
        std::list<Place*> unused_;  // the element of `taken_` while the burst has no place
        const std::list<Place*>::iterator element_ = unused_.begin();
        // Guarded by the mutex of `places_`.
        std::optional<std::uint32_t> client_;
        std::optional<std::uint32_t> processor_;
    };

  private:
    [[nodiscard]] std::optional<std::uint32_t> processorFor(const Place& place) noexcept
        NNBURST_REQUIRES(mutex_) {
        if (taken_.size() == 1 || processors_.empty()) {
            return std::nullopt;
        }
        std::ranges::fill(others_, 0);
        for (const Place* const other : taken_) {
            if (other != &place && other->processor_) {
                ++others_[indexOf(*other->processor_)];
            }
        }
        const std::span<const std::uint32_t> others = others_;
        const auto fewest = std::ranges::min_element(others);
        const auto hasRoom = [&](std::optional<std::uint32_t> processor) {
            const std::size_t index = processor ? indexOf(*processor) : others.size();
            return index < others.size() && others[index] == *fewest;
        };
        if (hasRoom(place.client_)) {
            return place.client_;
        }
        if (!hasRoom(place.processor_)) {
            return processors_[static_cast<std::size_t>(fewest - others.begin())];
        }
        // A burst on the processor of this one's client, whose own client is here, comes here next.
        const bool exchanges = std::ranges::any_of(taken_, [&](const Place* other) {
            return place.client_ && other->processor_ == place.client_ &&
                   other->client_ == place.processor_;
        });
        return exchanges ? place.client_ : place.processor_;
    }

    /// The number of processors if it is none of them.
    [[nodiscard]] std::size_t indexOf(std::uint32_t processor) const noexcept {
        return static_cast<std::size_t>(std::ranges::find(processors_, processor) -
                                        processors_.begin());
    }

    const std::vector<std::uint32_t> processors_;
    system::Mutex mutex_;
    std::list<Place*> taken_ NNBURST_GUARDED_BY(mutex_);
    std::vector<std::uint32_t> others_ NNBURST_GUARDED_BY(mutex_);  // bursts on each of processors_
};

}  // namespace nnburst::burst
