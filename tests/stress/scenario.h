// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the cases have in common: a driver of their own, a good client beside the attack, and what
/// has to hold afterwards:
///
/// - the driver lives, and ends with status 0 when it is asked to;
/// - every call of the good client gave a right result, during the attack and after it;
/// - when the attackers have been killed, the driver holds what it held before (excess()).

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "child.h"
#include "device/driver_process.h"
#include "driver_usage.h"
#include "good_client.h"
#include "nnburst/device.h"
#include "outcome.h"
#include "stress_case.h"

namespace nnburst::stress {

/// What the attackers of a case tell it, in memory that they share: how many of their calls were
/// done, how many were refused, and the first refusal. Of calls that had to succeed, the first
/// failure.
class CaseLog {
  public:
    template <class T>
    void note(const Result<T>& result) {
        if (result) {
            done_.fetch_add(1, std::memory_order_relaxed);
        } else {
            refuse(result.error());
        }
    }
    void noteDone() { done_.fetch_add(1, std::memory_order_relaxed); }
    void fail(const std::string& what);
    [[nodiscard]] std::string text() const;
    /// Empty if there is none.
    [[nodiscard]] std::string firstFailure() const;

  private:
    void refuse(const Error& error);

    // Counts alone: nothing is read because of them until the attackers are dead.
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> refused_{0};
    std::array<char, 200> firstRefusal_{};
    std::atomic<std::uint64_t> failed_{0};
    std::array<char, 400> firstFailure_{};
};

/// Where an attacker finds the driver.
struct DriverUnderAttack {
    std::string socketPath;
    CaseLog& log;
    /// When attackers with Attack::endsByItself end.
    std::chrono::steady_clock::time_point end;
};

/// Runs in a process of its own, as a user of its own if there can be one. Errors that it gets are
/// no failures. What it holds when it returns is given back; holdUntilKilled() keeps it.
using Attacker = std::function<void(const DriverUnderAttack&)>;

/// What is done to the driver of a case.
struct Attack {
    std::vector<std::string> driverArguments;
    /// RLIMIT_NOFILE of the driver; 0: that of this process. Needs root, because this process
    /// lowers its own limit while it starts the driver.
    std::uint64_t driverDescriptors = 0;
    /// LD_PRELOAD in the driver's environment; empty for none.
    std::string preload;
    std::vector<Attacker> attackers;
    /// The attackers end by themselves at DriverUnderAttack::end, and it is a hang if they do not;
    /// otherwise they are killed then.
    bool endsByItself = false;
    /// The good client may be refused beside the attack, but is served afterwards.
    bool mayRefuseOthers = false;
    /// Called after the attackers were killed, to end what outlives them; may be empty.
    std::function<void()> afterwards;
};

/// An attacker that connects, prepares `model` and runs `attack` with it. It ends where it is
/// refused before.
[[nodiscard]] Attacker withPreparedModel(
    const Model& model,
    const std::function<void(const DriverUnderAttack&, PreparedModel&)>& attack);
/// An attacker that runs `attack` again and again. Exceptions of the RPC system are refusals.
[[nodiscard]] Attacker repeatedly(const Attacker& attack);

/// Measures the good client alone, then beside the attack; kills the attackers; checks what has to
/// hold. `duration` is for both measurements.
[[nodiscard]] CaseResult run(const Attack& attack, std::chrono::milliseconds duration);

/// The case of `processes` processes that run `attacker`.
[[nodiscard]] StressCase attacking(const std::string& name, const std::string& description,
                                   const Attacker& attacker, std::size_t processes = 1);

// ---- The parts, for cases that are no attacks

/// Drivers that are started from now on get --isolate with this, unless their case says it itself.
void isolateDrivers(const std::string& isolation);

/// A driver whose socket strangers can reach.
[[nodiscard]] std::unique_ptr<test::DriverProcess> startDriver(const Attack& attack);
/// Checks that the driver lives, has given back what it held beyond `before`, and ends when it is
/// asked to.
void finish(test::DriverProcess& driver, const Usage& before, CaseResult& result);
/// Waits until the driver holds no more than `before` and its slack; gives what it holds.
[[nodiscard]] Usage settle(pid_t driver, const Usage& before);
/// Why the process has ended, or empty if it has not. Does not reap it.
[[nodiscard]] std::string endOf(pid_t child);

}  // namespace nnburst::stress
