// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How Linux divides processors between ordinary threads (SCHED_OTHER): scopes with a time slice or
/// a priority for the calling thread. A scope must be destroyed on the thread that made it.
/// Real-time threads are left as they are.

#include <chrono>
#include <cstdint>
#include <optional>

namespace nnburst::system {

/// For threads that compute little between their waits. The shortest that Linux has: such a thread
/// runs at once when it wakes up, also on a processor where another program computes.
inline constexpr std::chrono::nanoseconds kShortTimeSlice = std::chrono::microseconds(100);
/// For preparations and threads of low priority. Longer than kShortTimeSlice, so that a thread that
/// wakes up takes their processor at once. Hardly longer, because a thread that yields gives up
/// the rest of its time slice, and one that gets another time slice keeps its place in the order
/// until the end of the old one: after one of 20 ms, each other thread that wants the processor ran
/// for up to 20 ms first.
inline constexpr std::chrono::nanoseconds kBackgroundTimeSlice = std::chrono::microseconds(150);

/// RAII: the calling thread has this time slice. A thread that wakes up takes the processor of one
/// with a longer time slice at once if it has had less than its share, and not at the end of that
/// slice. The shares of both stay the same. Scopes may be nested. Does nothing before Linux 6.12,
/// which has time slices of threads (sched_setattr(2), `sched_runtime`).
class ScopedTimeSlice {
  public:
    explicit ScopedTimeSlice(std::chrono::nanoseconds slice) noexcept;
    ~ScopedTimeSlice();
    ScopedTimeSlice(const ScopedTimeSlice&) = delete;
    ScopedTimeSlice& operator=(const ScopedTimeSlice&) = delete;

  private:
    const std::chrono::nanoseconds before_;
};

/// RAII: the calling thread has a nice value of -10, ten times the weight of threads with 0, for
/// one that computes little and for which others wait. Threads and processes that it starts
/// meanwhile have 0. Does nothing where the process was given another value than 0, and in a
/// process that may not take this one, for which it needs CAP_SYS_NICE or an RLIMIT_NICE of 30
/// (LimitNICE=-10 of systemd).
class ScopedHighPriority {
  public:
    ScopedHighPriority() noexcept;
    ~ScopedHighPriority();
    ScopedHighPriority(const ScopedHighPriority&) = delete;
    ScopedHighPriority& operator=(const ScopedHighPriority&) = delete;

  private:
    const bool isRaised_;
};

/// RAII: the calling thread has a high priority (ScopedHighPriority) while it computes little. For
/// a thread that handles messages of clients: a client that sends continuously cannot use more than
/// the thread's normal share.
class ScopedAdaptivePriority {
  public:
    ScopedAdaptivePriority() noexcept;
    ScopedAdaptivePriority(const ScopedAdaptivePriority&) = delete;
    ScopedAdaptivePriority& operator=(const ScopedAdaptivePriority&) = delete;

    /// To be called before each piece of work. Looks at most every 10 ms: a thread that has
    /// computed for more than half of the time since the last look has the usual priority from now
    /// on, and one that has computed for less than an eighth of it the high one.
    void look() noexcept;

  private:
    std::optional<ScopedHighPriority> high_;
    std::chrono::steady_clock::time_point lastLook_;
    std::chrono::nanoseconds usedBefore_;  ///< processor time, until the last look
};

/// RAII: the calling thread has a low priority: the time slice kBackgroundTimeSlice and a nice
/// value of 10, a tenth of the weight of threads with 0, so that it takes little of a processor
/// that others want. Not less, because others may wait for what such a thread holds, a lane of the
/// gate for example, while programs outside the driver keep the processors busy. Scopes may be
/// nested. Leaves the nice value alone in a process that may not set it back, for which it needs
/// CAP_SYS_NICE or an RLIMIT_NICE of 20 (LimitNICE=+0 of systemd).
class ScopedLowPriority {
  public:
    ScopedLowPriority() noexcept;
    ~ScopedLowPriority();
    ScopedLowPriority(const ScopedLowPriority&) = delete;
    ScopedLowPriority& operator=(const ScopedLowPriority&) = delete;

    /// Whether the thread may have it.
    [[nodiscard]] bool isInEffect() const noexcept { return before_.has_value(); }

  private:
    struct Before {
        std::int32_t nice;
        std::chrono::nanoseconds slice;
    };

    std::optional<Before> before_;  // if this scope has changed something
    bool hadLowPriority_ = false;
    const std::optional<int> niceBeforeOuterScopes_;
};

/// RAII: the calling thread computes where a processor is idle (SCHED_IDLE). For work whose partial
/// results no thread needs, but which must finish. While it has had less than a twentieth of a
/// processor, it has a low priority instead (ScopedLowPriority): letOthersRun sees to that. Does
/// nothing where ScopedLowPriority does nothing, and inside another scope of this kind.
class ScopedBackgroundPriority {
  public:
    ScopedBackgroundPriority() noexcept;
    ~ScopedBackgroundPriority();
    ScopedBackgroundPriority(const ScopedBackgroundPriority&) = delete;
    ScopedBackgroundPriority& operator=(const ScopedBackgroundPriority&) = delete;

  private:
    friend void letOthersRun() noexcept;

    void look(std::chrono::steady_clock::time_point now) noexcept;

    const ScopedLowPriority low_;
    bool isInEffect_ = false;
    bool isIdle_ = false;  ///< of SCHED_IDLE now
    std::chrono::steady_clock::time_point lastLook_;
    std::chrono::nanoseconds usedBefore_{};  ///< processor time, until the last look
    std::chrono::nanoseconds owed_{};  ///< processor time still due to reach 1/20 of a processor
};

/// If the calling thread has a low priority, others that are ready run on its processor now, and
/// not only at the next tick of the kernel, up to 10 ms later. To be called by computations at
/// least every 100 us or so; more often costs little.
void letOthersRun() noexcept;

/// The processor time that the calling thread has used.
[[nodiscard]] std::chrono::nanoseconds processorTimeOfThread() noexcept;

/// What a thread or program is to have that the calling thread starts, which inherits what scopes
/// have set.
struct InheritedPriority {
    int nice;             ///< of the calling thread without the scopes above
    bool isInBackground;  ///< the calling thread is in a ScopedBackgroundPriority
};
[[nodiscard]] InheritedPriority priorityWithoutScopes() noexcept;
/// To be called on the started thread, or by the program that it has started (ProgramStarter).
void leaveScopes(const InheritedPriority& inherited) noexcept;
/// Gives the calling thread, as far as it may have them, the processors, the nice value and the
/// policy of the main thread, but SCHED_OTHER instead of a real-time policy. For a thread that
/// starts a program on behalf of any thread: the program inherits all of these.
void followMainThread() noexcept;
/// Whether a program that the calling thread starts may call leaveScopes. It does not inherit
/// capabilities that this process has from the file of its program.
[[nodiscard]] bool mayProgramsLeaveScopes() noexcept;

}  // namespace nnburst::system
