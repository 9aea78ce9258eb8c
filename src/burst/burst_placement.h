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
        : processors_(std::move(processors)), burstsPerProcessor_(processors_.size()) {}

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
        void moveThread(std::optional<std::uint32_t> clientProcessor) noexcept {
            const std::optional<std::uint32_t> processor = choose(clientProcessor);
            if (processor && static_cast<int>(*processor) != ::sched_getcpu()) {
                system::moveTo(*processor);
            }
        }

        /// Chooses the processor on which the burst is served from now on; none if it is the only
        /// burst. `clientProcessor` is where its client was last seen, if that is known. Every
        /// processor serves the same number of bursts, or one more; within this limit a burst is
        /// served where its client is.
        [[nodiscard]] std::optional<std::uint32_t> choose(
            std::optional<std::uint32_t> clientProcessor) noexcept {
            const system::MutexLock lock(placement_.mutex_);
            if (!element_.isInList()) {
                element_.join(placement_.assigned_);
            }
            clientProcessor_ = clientProcessor;
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
        std::optional<std::uint32_t> clientProcessor_;
        std::optional<std::uint32_t> processor_;
    };

  private:
    [[nodiscard]] std::optional<std::uint32_t> processorFor(const Assignment& burst) noexcept
        NNBURST_REQUIRES(mutex_) {
        if (assigned_.size() == 1 || processors_.empty()) {
            return std::nullopt;
        }
        std::ranges::fill(burstsPerProcessor_, 0);
        for (const Assignment* const other : assigned_) {
            if (other != &burst && other->processor_) {
                ++burstsPerProcessor_[indexOf(*other->processor_)];
            }
        }
        const std::span<const std::uint32_t> others = burstsPerProcessor_;
        const auto fewest = std::ranges::min_element(others);
        const auto hasRoom = [&](std::optional<std::uint32_t> processor) {
            const std::size_t index = processor ? indexOf(*processor) : others.size();
            return index < others.size() && others[index] == *fewest;
        };
        if (hasRoom(burst.clientProcessor_)) {
            return burst.clientProcessor_;
        }
        if (!hasRoom(burst.processor_)) {
            return processors_[static_cast<std::size_t>(fewest - others.begin())];
        }
        // Exchanges processors with a burst that is served where this one's client is, and whose
        // own client is where this one is served. Its thread moves when it chooses next.
        const auto exchanged = std::ranges::find_if(assigned_, [&](const Assignment* other) {
            return burst.clientProcessor_ && other->processor_ == burst.clientProcessor_ &&
                   other->clientProcessor_ == burst.processor_;
        });
        if (exchanged == assigned_.end()) {
            return burst.processor_;
        }
        (*exchanged)->processor_ = burst.processor_;
        return burst.clientProcessor_;
    }

    /// The index of `processor` in processors_; processors_.size() if it is not in them.
    [[nodiscard]] std::size_t indexOf(std::uint32_t processor) const noexcept {
        return static_cast<std::size_t>(std::ranges::find(processors_, processor) -
                                        processors_.begin());
    }

    const std::vector<std::uint32_t> processors_;
    system::Mutex mutex_;
    std::list<Assignment*> assigned_ NNBURST_GUARDED_BY(mutex_);  // bursts that have chosen
    /// Scratch memory of processorFor: the other bursts on each of processors_.
    std::vector<std::uint32_t> burstsPerProcessor_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::burst
