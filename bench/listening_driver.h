// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A driver process for several clients.

#include <sys/types.h>

#include <string>

#include "nnburst/device.h"

namespace nnburst::bench {

/// An nnburst-driver that listens on a socket of its own under /tmp until this is destroyed, or the
/// constructing thread ends. It runs on the processors that this thread may use.
class ListeningDriver {
  public:
    /// Ends the program with a message if the driver cannot be started.
    ListeningDriver();
    ~ListeningDriver();
    ListeningDriver(const ListeningDriver&) = delete;
    ListeningDriver& operator=(const ListeningDriver&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] const std::string& socket() const noexcept { return socket_; }
    /// One more client. Ends the program with a message if the driver does not answer.
    [[nodiscard]] SharedDevice connect() const;

  private:
    std::string socket_;
    pid_t pid_ = -1;
};

}  // namespace nnburst::bench
