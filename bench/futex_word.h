// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Words in shared memory with which two processes synchronise, spinning or sleeping.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nnburst::bench {

inline constexpr std::size_t kLineBytes = 64;

/// Takes two cache lines, because processors fetch lines in pairs.
struct alignas(2 * kLineBytes) Word {
    std::atomic<std::uint32_t> value;
};

/// Spins without a pause instruction, to find the limit of the machine.
template <class Atomic, class Value>
void spinUntil(const Atomic& atomic, Value value) noexcept {
    while (atomic.load(std::memory_order_acquire) != value) {
    }
}

/// Sets the word and wakes its sleepers.
inline void futexPost(Word& word, std::uint32_t value) noexcept {
    word.value.store(value, std::memory_order_release);
    ::syscall(SYS_futex, &word.value, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// Sleeps while the word has the value `seen`. May wake up spuriously.
inline void futexSleep(Word& word, std::uint32_t seen) noexcept {
    ::syscall(SYS_futex, &word.value, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

/// Sleeps until the word has `value`.
inline void futexAwait(Word& word, std::uint32_t value) noexcept {
    for (std::uint32_t seen; (seen = word.value.load(std::memory_order_acquire)) != value;) {
        futexSleep(word, seen);
    }
}

/// Lets a partner that lives longer than one measurement sleep between measurements, so that it
/// takes no processor time from others. Must be placed in shared memory.
class StartSwitch {
  public:
    void turnOn() noexcept { futexPost(word_, kOn); }
    void turnOff() noexcept { word_.value.store(kOff, std::memory_order_release); }
    /// Asks the partner to end.
    void end() noexcept { futexPost(word_, kEnded); }

    [[nodiscard]] bool isOn() const noexcept {
        return word_.value.load(std::memory_order_acquire) == kOn;
    }
    /// Sleeps until the switch is on. False if the partner was asked to end instead.
    [[nodiscard]] bool awaitOn() noexcept {
        for (;;) {
            const std::uint32_t seen = word_.value.load(std::memory_order_acquire);
            if (seen != kOff) {
                return seen == kOn;
            }
            futexSleep(word_, seen);
        }
    }

  private:
    static constexpr std::uint32_t kOff = 0;
    static constexpr std::uint32_t kOn = 1;
    static constexpr std::uint32_t kEnded = 2;

    Word word_{};
};

}  // namespace nnburst::bench
