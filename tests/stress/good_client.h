// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A client in a process of its own that uses a driver as applications do, and checks every result
/// against a device in its own process. One thread executes a small network through a burst, one
/// frame each kFrameInterval; another one connects anew again and again, prepares a model and
/// executes it.

#include <array>
#include <chrono>
#include <string>

#include "child.h"
#include "nnburst/unique_fd.h"
#include "outcome.h"

namespace nnburst::stress {

/// What should take milliseconds and takes so long is taken for a hang.
inline constexpr std::chrono::seconds kHangBound{60};

class GoodClient {
  public:
    explicit GoodClient(const std::string& socketPath);

    /// Starts to measure, when the client has been served. False after kHangBound.
    [[nodiscard]] bool begin();
    /// What it has measured since; waits until it has been served at least once. `isServed` is
    /// false after kHangBound.
    [[nodiscard]] Service end(bool& isServed);
    [[nodiscard]] bool hasEnded() { return child_.hasEnded(); }

  private:
    GoodClient(const std::string& socketPath, std::array<UniqueFd, 2> ends);
    [[nodiscard]] Service ask(bool beginsAnew);

    UniqueFd socket_;
    Child child_;
};

}  // namespace nnburst::stress
