// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Messages to the service manager that started this process (sd_notify(3)), such as systemd. The
/// protocol is a datagram to a socket that the environment names. The socket is connected at the
/// start, because a driver in its sandbox cannot make one; libsystemd would make one for each
/// message.

#include <chrono>
#include <string>

#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst {

/// Used by one thread.
class ServiceManager {
  public:
    /// Takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID from the environment. Without them no
    /// notifications are sent. GENERAL_FAILURE if the socket cannot be reached.
    [[nodiscard]] static Result<ServiceManager> connect();

    /// Sends lines such as "READY=1", separated by newlines. Does not block; false if the message
    /// is lost, because the manager has no room for it or is not there.
    [[nodiscard]] bool notify(const std::string& lines) const noexcept;

    /// How often the manager wants to see WATCHDOG=1 at least; 0 if it does not watch.
    [[nodiscard]] std::chrono::microseconds watchdogTime() const noexcept { return watchdogTime_; }

    [[nodiscard]] bool isConnected() const noexcept { return static_cast<bool>(socket_); }

  private:
    UniqueFd socket_;  // invalid: no notifications are sent
    std::chrono::microseconds watchdogTime_{0};
};

}  // namespace nnburst
