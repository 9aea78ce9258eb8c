// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Prints the progress of a stream while it runs.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

#include "nnburst_stream/distribution.h"
#include "nnburst_stream/path_comparison.h"

namespace nnburst::stream {

/// "burst     3.2 s    1600 frames  p50     389.1 us  p99     543.3 us"
/// With the time that is left of the whole run, if it is known: "..., 12 s left".
[[nodiscard]] std::string progressLine(Path path, std::chrono::nanoseconds elapsed,
                                       const Histogram& latency,
                                       std::optional<std::chrono::nanoseconds> left = std::nullopt);

/// On a terminal one line that is overwritten; elsewhere a line every five seconds. Prints nothing
/// before the first measured frame. What cannot be written is lost. Not thread-safe.
class Progress {
  public:
    /// Writes to `stream`, which must outlive this object.
    explicit Progress(std::FILE* stream);

    void show(const PathMeasurement& measurement, std::chrono::nanoseconds elapsed,
              std::optional<std::chrono::nanoseconds> left = std::nullopt);
    /// Erases the line from the terminal.
    void clear();

  private:
    void write(const std::string& text);

    std::FILE* stream_;
    bool isTerminal_;
    std::optional<std::chrono::steady_clock::time_point> lastShown_;
};

}  // namespace nnburst::stream
