// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A word in shared memory on which threads of several processes sleep and are woken: the event
/// flag of the HAL's fast message queues. One flag may serve several queues.
///
/// The word holds event bits, and one bit that says that somebody sleeps. A sleeper announces
/// himself by setting it, looks once more, then sleeps; whoever made something happen makes the
/// system call that wakes only when it is set. While all are awake there are no system calls.
/// Another bit says that nobody sleeps here, but that a doorbell (a socket) is to be rung.
///
///     bit   31         30       29 ... 0
///         [sleeping | parked | event bits]
///
/// A hostile process can spoil the word at any time. All that it gains is that a sleeper wakes
/// late, which is why every sleep is short: see kLongestSleep.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "fmq/asymmetric_fence.h"
#include "fmq/shared_layout.h"
#include "system/time.h"

namespace nnburst::fmq {

/// The shared word, alone on its line. Zero at first. All sides read and write it.
struct alignas(kCacheLineSize) EventWord {
    std::atomic<std::uint32_t> word;
    /// What the thread that sleeps here says of itself: see WaiterState.
    std::atomic<std::uint32_t> waiter;
    std::uint32_t reserved[14];  ///< zero
};
static_assert(isSharedLayout<EventWord> && sizeof(EventWord) == kCacheLineSize);

/// EventWord::waiter. 0 if nobody says anything.
struct WaiterState {
    /// The processor on which the thread was last seen, plus 1.
    static constexpr std::uint32_t kProcessor = 0xFFFF;
    /// It makes a heavy fence (asymmetric_fence.h) before it sleeps.
    static constexpr std::uint32_t kHasHeavyFences = 1U << 16;
    /// The processors that it may use have more to do than they can: spinning takes from others.
    static constexpr std::uint32_t kContended = 1U << 17;
};

/// Event bits with the HAL's meaning (system/libfmq, EventFlagBits).
enum class EventBits : std::uint32_t {
    NOT_EMPTY = 1U << 0,  ///< there is something to read
    NOT_FULL = 1U << 1,   ///< there is room to write
};

/// No sleep lasts longer, so that a wake-up call that the other side owes and never makes costs
/// this much and no more.
inline constexpr std::chrono::milliseconds kLongestSleep{100};

using SteadyTime = system::SteadyTime;

/// A process's view of an EventWord, which must outlive it. Thread-safe. None of the calls
/// allocates.
class EventFlag {
  public:
    static constexpr std::uint32_t kSleeping = 1U << 31;
    static constexpr std::uint32_t kParked = 1U << 30;

    explicit EventFlag(EventWord& shared) noexcept
        : word_(&shared.word), waiter_(&shared.waiter), hasHeavyFences_(hasHeavyFences()) {}

    /// Sets `bits` and wakes whoever waits for any of them (EventFlag::wake of libfmq). A system
    /// call only if somebody sleeps. `bits` has neither bit 31 nor 30.
    void wake(std::uint32_t bits) noexcept;

    /// Waits until a bit of `mask` is set, clears these and gives those that were set; nothing if
    /// `deadline` passed. (EventFlag::wait of libfmq.)
    [[nodiscard]] std::optional<std::uint32_t> wait(std::uint32_t mask,
                                                    std::optional<SteadyTime> deadline) noexcept;

    /// Wakes all sleepers that have announced themselves, if there are any. To be called after a
    /// store (release) of what they wait for. No system call, and mostly no fence, while nobody
    /// sleeps.
    void wakeAnnounced() noexcept {
        // sync [sleep-announced]: the load comes after the store of what the sleeper waits for
        if (hasHeavyFences_ &&
            (waiter_->load(std::memory_order_relaxed) & WaiterState::kHasHeavyFences) != 0) {
            lightFence();
        } else {
            fullFence();
        }
        if ((word_->load(std::memory_order_relaxed) & (kSleeping | kParked)) != 0) {
            wakeSleepers();
        }
    }

    /// Wakes all sleepers, and rings the doorbell if somebody waits for it. They look again at what
    /// they wait for.
    void wakeSleepers() noexcept;

    /// What the next publishWaiterCpu says of the processors. For the side that sleeps.
    void setContended(bool isContended) noexcept {
        contended_ = isContended ? WaiterState::kContended : 0;
    }

    /// The thread that sleeps here has said so.
    [[nodiscard]] bool isContended() const noexcept {
        return (waiter_->load(std::memory_order_relaxed) & WaiterState::kContended) != 0;
    }

    /// What to ring: a datagram socket that outlives the flag, or -1. For the side that wakes.
    void setDoorbell(int doorbell) noexcept { doorbell_ = doorbell; }

    /// As announceSleeper, of somebody who waits for the doorbell.
    void announceParked() noexcept;

    /// Takes that back.
    void retractParked() noexcept {
        word_->fetch_and(~kParked, std::memory_order_relaxed);  // being rung for in vain is no harm
    }

    /// Announces a sleeper. Between this call and `sleep` the caller looks once more at what it
    /// waits for. Gives what `sleep` wants.
    [[nodiscard]] std::uint32_t announceSleeper() noexcept;

    /// Takes the announcement back, so that nobody makes a system call for it. Only where no other
    /// thread sleeps on the flag.
    void retractSleeper() noexcept {
        word_->fetch_and(~kSleeping, std::memory_order_relaxed);  // a late wake-up does no harm
    }

    /// Sleeps until woken, but not past `until`, nor for longer than kLongestSleep, nor if anybody
    /// has changed the word since `announced`. May wake for no reason.
    void sleep(std::uint32_t announced, std::optional<SteadyTime> until) noexcept;

    /// Says that the calling thread is the one that sleeps on this flag, and on which processor it
    /// runs. No system call (rseq).
    void publishWaiterCpu() noexcept;

    /// Whether the thread that sleeps on this flag was last seen on the processor of the calling
    /// one: then it cannot run while this one spins.
    [[nodiscard]] bool isOnThisProcessor() const noexcept;

  private:
    /// The sleeper's last look comes after it.
    void sleepersFence() noexcept;

    /// As lightFence, whatever the sleeper does.
    void fullFence() noexcept {
#if defined(__SANITIZE_THREAD__)
        word_->fetch_or(0, std::memory_order_seq_cst);  // ThreadSanitizer knows no fences
#else
        std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    }

    std::atomic<std::uint32_t>* word_;
    std::atomic<std::uint32_t>* waiter_;
    bool hasHeavyFences_;
    std::uint32_t contended_ = 0;
    int doorbell_ = -1;
};

}  // namespace nnburst::fmq
