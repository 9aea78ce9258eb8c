// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A process that a case starts by fork(2): an attacker, or a client. So a case has one thread
/// while it starts one. The child is killed with its parent.

#include <sys/types.h>

#include <cstdint>
#include <functional>

namespace nnburst::stress {

/// Whose user a child is. Strangers have another user than the driver and the good client; that
/// needs root, without which all have the same.
enum class Owner : std::uint8_t { SAME, STRANGER };

/// Strangers that are started from now on compute where a processor is idle (SCHED_IDLE).
void makeStrangersIdle();

class Child {
  public:
    /// Runs `body`, then exits with status 0.
    explicit Child(const std::function<void()>& body, Owner owner = Owner::SAME);
    ~Child();
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void signal(int number) const;
    /// SIGKILL, and waits for the end. Gives the status of waitpid(2), of the first call.
    int kill();
    /// Whether it has ended by itself.
    [[nodiscard]] bool hasEnded();

  private:
    pid_t pid_ = -1;
    bool isReaped_ = false;
    int status_ = 0;
};

/// For attackers: keeps what they hold until they are killed.
[[noreturn]] void holdUntilKilled();

}  // namespace nnburst::stress
