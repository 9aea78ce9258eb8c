// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A word in shared memory on which threads of several processes sleep and are woken: the event
/// flag of the HAL's fast message queues. One flag may serve several queues.
///
/// The word holds event bits and two waiter bits. A sleeper sets its bit (sync [sleep-announced]),
/// looks once more, then sleeps; a thread that made something happen looks at the waiter bits, and
/// makes a system call only where one is set. While all are awake there are no system calls.
///
///     bit   31         30       29 ... 0
///         [sleeping | parked | event bits]
///          |          the waiter is parked: ring its doorbell (a socket) instead
///          a thread sleeps, or is about to
///
/// The futex is a count of wake-ups beside the word (sync [wake-counted]): a sleeper passes the
/// count that it read before it announced itself, so that the kernel refuses to let it sleep after
/// a wake-up, whatever other sleepers do to the word meanwhile.
///
/// A hostile process can overwrite all of this at any time. The worst effect is that a sleeper
/// wakes late, so every sleep is short: see kLongestSleep.

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <optional>

#include "fmq/asymmetric_fence.h"
#include "fmq/shared_layout.h"
#include "system/time.h"

namespace nnburst::fmq {

/// What the sides of an event flag share, alone on its line. Zero at first.
struct alignas(kCacheLineSize) EventWord {
    std::atomic<std::uint32_t> word;       ///< event bits and waiter bits; all write
    std::atomic<std::uint32_t> waiter;     ///< WaiterState of the thread that waits here; it writes
    std::atomic<std::uint32_t> wakeCount;  ///< the futex; a thread that wakes others adds 1
    std::uint32_t reserved[13];            ///< zero
};
static_assert(isSharedLayout<EventWord> && sizeof(EventWord) == kCacheLineSize);

/// The bits of EventWord::waiter, which the thread that waits on the flag publishes; 0 until then.
struct WaiterState {
    /// The processor on which the thread was last seen, plus 1.
    static constexpr std::uint32_t kProcessor = 0xFFFF;
    /// It makes a heavy fence (asymmetric_fence.h) each time before it sleeps. Without this bit
    /// each thread that wakes it makes a full fence itself. Not set where several threads sleep,
    /// because some of them may not be able to make heavy fences.
    static constexpr std::uint32_t kHasHeavyFences = 1U << 16;
    /// Executions wait for processors: spinning would take one from them.
    static constexpr std::uint32_t kContended = 1U << 17;
};

/// No sleep lasts longer, so a wake-up that the other side fails to send delays the sleeper by at
/// most this time.
inline constexpr std::chrono::milliseconds kLongestSleep{100};

/// A process's view of an EventWord, which must outlive it. Thread-safe, but for the setters. None
/// of the calls allocates.
class EventFlag {
  public:
    static constexpr std::uint32_t kSleeping = 1U << 31;
    static constexpr std::uint32_t kParked = 1U << 30;

    static constexpr std::uint32_t kWaiterBits = kSleeping | kParked;

    /// What announceSleeper returns and `sleep` needs.
    struct Announcement {
        std::uint32_t wakeCount;  ///< before the announcement
        std::uint32_t bits;       ///< of the word, at the announcement
    };

    /// Tests pass a `longestSleep` longer than the test, so that a missing wake-up makes the test
    /// hang.
    explicit EventFlag(EventWord& shared,
                       std::chrono::nanoseconds longestSleep = kLongestSleep) noexcept
        : shared_(&shared), longestSleep_(longestSleep), hasHeavyFences_(hasHeavyFences()) {}

    /// Sets `bits` and wakes all threads that wait for any of them (EventFlag::wake of libfmq). A
    /// system call only if a thread sleeps. Waiter bits in `bits` are ignored.
    void wake(std::uint32_t bits) noexcept;

    /// Waits until a bit of `mask` is set. Clears the bits of `mask` and returns those that were
    /// set; nullopt if `deadline` passed, and at once if `mask` has no event bits (EventFlag::wait
    /// of libfmq).
    [[nodiscard]] std::optional<std::uint32_t> wait(std::uint32_t mask,
                                                    OptionalTimePoint deadline) noexcept;

    /// Wakes the sleepers that have announced themselves, if there are any. To be called after a
    /// store (release) of what they wait for. No system call, and mostly no fence, while no thread
    /// sleeps.
    void wakeAnnounced() noexcept {
        // sync [sleep-announced]: the load of the word comes after the store of what the sleeper
        // waits for. sync [fences-delegated]: that of the waiter's state, too
        lightFence();
        if (hasHeavyFences_ &&
            (shared_->waiter.load(std::memory_order_relaxed) & WaiterState::kHasHeavyFences) != 0) {
            lightFence();
        } else {
            fullFence();
        }
        if (hasAnnounced()) {
            wakeSleepers();
        }
    }

    /// Whether a thread sleeps on this flag or is parked, as far as is known.
    [[nodiscard]] bool hasAnnounced() const noexcept {
        return (shared_->word.load(std::memory_order_relaxed) & kWaiterBits) != 0;
    }

    /// Clears the waiter bits, wakes the sleepers, and rings the doorbell if the other side is
    /// parked. They look again at what they wait for.
    void wakeSleepers() noexcept;

    /// Limits how many threads a wake-up wakes; all of them if this is not called. For a side that
    /// knows how many threads sleep on the flag: the process of the other side may have thousands
    /// of threads sleep there, and to wake each takes a microsecond.
    void limitWoken(int count) noexcept { maximumWoken_ = count; }

    /// Sets the bit kContended that the next publishWaiterCpu publishes. For the side that waits.
    void setContended(bool isContended) noexcept {
        contended_ = isContended ? WaiterState::kContended : 0;
    }

    /// If true, this side makes no heavy fences from its next publishWaiterCpu on: it delegates
    /// them to the threads that wake it, which make full fences instead. For a thread that sleeps
    /// in each wait: a heavy fence interrupts the other processors, which costs each some 10
    /// microseconds. For the side that waits, if one thread at a time sleeps on the flag; where
    /// several do, each has it true from the start.
    void setWakerMakesFences(bool wakerMakesFences) noexcept {
        wakerMakesFences_ = wakerMakesFences;
    }

    /// Whether the thread that waits on this flag has published kContended.
    [[nodiscard]] bool isContended() const noexcept {
        return (shared_->waiter.load(std::memory_order_relaxed) & WaiterState::kContended) != 0;
    }

    /// Sets the doorbell of the parked side: a datagram socket that outlives the flag, or -1. For
    /// the side that wakes.
    void setDoorbell(int doorbell) noexcept { doorbell_ = doorbell; }

    /// Announces that this side is parked. The caller looks once more at what it waits for. False
    /// if that was announced before: the other side then rings once for both.
    bool announceParked() noexcept;

    /// Clears the parked bit. False if the other side has cleared it before: then it rings.
    bool retractParked() noexcept {
        // Relaxed: being rung for in vain does no harm.
        return (shared_->word.fetch_and(~kParked, std::memory_order_relaxed) & kParked) != 0;
    }

    /// Announces a sleeper. Between this call and `sleep` the caller looks once more at what it
    /// waits for.
    [[nodiscard]] Announcement announceSleeper() noexcept;

    /// Clears the sleeping bit, so that no system call is made for this thread. Only if no other
    /// thread sleeps on the flag.
    void retractSleeper() noexcept {
        // Relaxed: a late wake-up does no harm.
        shared_->word.fetch_and(~kSleeping, std::memory_order_relaxed);
    }

    /// Sleeps until woken, but not past `until`, nor for longer than kLongestSleep, nor if sleepers
    /// were woken since the announcement. May wake up spuriously. Returns whether it was woken.
    bool sleep(const Announcement& announcement, TimePoint until) noexcept;

    /// Publishes in EventWord::waiter that the calling thread waits on this flag, and on which
    /// processor it runs. No system call (rseq).
    void publishWaiterCpu() noexcept;

    /// Whether the thread that waits on this flag was last seen on the processor of the calling
    /// one: then it cannot run while this one spins.
    [[nodiscard]] bool isOnThisProcessor() const noexcept;

    /// The processor on which the thread that waits on this flag was last seen, by its own account;
    /// none if it has not waited yet.
    [[nodiscard]] std::optional<std::uint32_t> waiterProcessor() const noexcept {
        const std::uint32_t processor =
            shared_->waiter.load(std::memory_order_relaxed) & WaiterState::kProcessor;
        return processor == 0 ? std::nullopt : std::optional(processor - 1);
    }

  private:
    /// Takes those of the event bits `mask` that are set.
    [[nodiscard]] std::uint32_t takeBits(std::uint32_t mask) noexcept;

    /// The sleeper's fence: between its announcement and its last look at what it waits for.
    void sleepersFence() noexcept;

    /// As lightFence, whatever the sleeper does.
    void fullFence() noexcept {
#if defined(__SANITIZE_THREAD__)
        shared_->word.fetch_or(0, std::memory_order_seq_cst);  // ThreadSanitizer knows no fences
#else
        std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    }

    EventWord* shared_;
    std::chrono::nanoseconds longestSleep_;
    bool hasHeavyFences_;
    bool wakerMakesFences_ = false;
    /// Every publisher makes its own fence from now on. sync [fences-delegated]
    bool hasDelegatedFences_ = false;
    std::uint32_t contended_ = 0;
    int maximumWoken_ = INT_MAX;
    int doorbell_ = -1;
};

}  // namespace nnburst::fmq
