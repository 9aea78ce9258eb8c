// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The lines about clients, and about their jobs, in the driver's log. Their number is limited,
/// because clients decide how often they connect and what they send.

#include <chrono>
#include <cstdint>
#include <string>

#include "account/account.h"
#include "nnburst/logging.h"
#include "system/mutex.h"

namespace nnburst::device {

/// The most that was used of each resource at a time, such as "1 prepared-models, 2 bursts".
[[nodiscard]] std::string describeHighest(const Account& account);

/// Thread-safe.
class ClientLog {
  public:
    /// Limit on lines in a second. The next second begins with the number of lines that were left
    /// out.
    static constexpr std::uint32_t kLinesPerSecond = 50;

    void write(LogLevel level, const std::string& line) NNBURST_EXCLUDES(mutex_);

  private:
    system::Mutex mutex_;
    std::chrono::steady_clock::time_point secondStart_ NNBURST_GUARDED_BY(mutex_);
    std::uint32_t linesInSecond_ NNBURST_GUARDED_BY(mutex_) = 0;
    std::uint64_t leftOut_ NNBURST_GUARDED_BY(mutex_) = 0;
};

/// The log of this process: the limit is on the lines of all clients together.
[[nodiscard]] ClientLog& clientLog();

}  // namespace nnburst::device
