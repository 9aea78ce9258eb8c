// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is logged about clients and their jobs. The number of these lines is limited, because
/// clients decide how often they connect and what they send.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "nnburst/logging.h"

namespace nnburst {

/// Thread-safe.
class ClientLog {
  public:
    /// Limit on lines in a second. The next second begins with the number of lines that were left
    /// out.
    static constexpr std::uint32_t kLinesPerSecond = 50;

    void write(LogLevel level, const std::string& line);

  private:
    std::mutex mutex_;  ///< guards all below
    std::chrono::steady_clock::time_point secondStart_;
    std::uint32_t linesInSecond_ = 0;
    std::uint64_t leftOut_ = 0;
};

/// The log about clients, one for the process.
[[nodiscard]] ClientLog& clientLog();

}  // namespace nnburst
