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

#include "burst/list_element.h"
#include "system/affinity.h"
#include "system/mutex.h"

namespace nnburst::burst {

/// Thread-safe. Must outlive its assignments.
class BurstPlacement {
  public:
    /// Without processors bursts get none.
    explicit BurstPlacement(std::vector<std::uint32_t> processors)
        : processors_(std::move(processors)), others_(processors_.size()) {}

    /// Assigns a processor to one burst, which has none until `choose`. Used by the thread that
    /// serves it.
    class Assignment {
      public:
        explicit Assignment(BurstPlacement& placement) : placement_(placement) {}
        ~Assignment() { leave(); }
        Assignment(const Assignment&) = delete;
        Assignment& operator=(const Assignment&) = delete;

        /// Moves the calling thread, which serves the burst now, to the processor of the burst:
        /// see choose.
        void moveThread(std::optional<std::uint32_t> client) noexcept {
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
            const system::MutexLock lock(placement_.mutex_);
            if (!element_.isInList()) {
                element_.join(placement_.assigned_);
            }
            client_ = client;
            processor_ = placement_.processorFor(*this);
            return processor_;
        }

        /// Other bursts may have its processor. Does nothing if it has none.
        void leave() noexcept {
            if (!element_.isInList()) {
                return;
            }
            const system::MutexLock lock(placement_.mutex_);
            element_.leave(placement_.assigned_);
        }

      private:
        friend class BurstPlacement;

        BurstPlacement& placement_;
        ListElement<Assignment> element_{*this};  // of `assigned_`
        // Guarded by the mutex of `placement_`.
        std::optional<std::uint32_t> client_;
        std::optional<std::uint32_t> processor_;
    };

  private:
    [[nodiscard]] std::optional<std::uint32_t> processorFor(const Assignment& burst) noexcept
        NNBURST_REQUIRES(mutex_) {
        if (assigned_.size() == 1 || processors_.empty()) {
            return std::nullopt;
        }
        std::ranges::fill(others_, 0);
        for (const Assignment* const other : assigned_) {
            if (other != &burst && other->processor_) {
                ++others_[indexOf(*other->processor_)];
            }
        }
        const std::span<const std::uint32_t> others = others_;
        const auto fewest = std::ranges::min_element(others);
        const auto hasRoom = [&](std::optional<std::uint32_t> processor) {
            const std::size_t index = processor ? indexOf(*processor) : others.size();
            return index < others.size() && others[index] == *fewest;
        };
        if (hasRoom(burst.client_)) {
            return burst.client_;
        }
        if (!hasRoom(burst.processor_)) {
            return processors_[static_cast<std::size_t>(fewest - others.begin())];
        }
        // Exchanges processors with a burst that is on that of this one's client and whose client
        // is here. The thread that serves that burst moves when it chooses next.
        const auto exchanged = std::ranges::find_if(assigned_, [&](const Assignment* other) {
            return burst.client_ && other->processor_ == burst.client_ &&
                   other->client_ == burst.processor_;
        });
        if (exchanged == assigned_.end()) {
            return burst.processor_;
        }
        (*exchanged)->processor_ = burst.processor_;
        return burst.client_;
    }

    /// The number of processors if it is none of them.
    [[nodiscard]] std::size_t indexOf(std::uint32_t processor) const noexcept {
        return static_cast<std::size_t>(std::ranges::find(processors_, processor) -
                                        processors_.begin());
    }

    const std::vector<std::uint32_t> processors_;
    system::Mutex mutex_;
    std::list<Assignment*> assigned_ NNBURST_GUARDED_BY(mutex_);    // bursts that have chosen
    std::vector<std::uint32_t> others_ NNBURST_GUARDED_BY(mutex_);  // bursts on each of processors_
};

}  // namespace nnburst::burst
