// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The results of the demo, for people and as JSON.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "nnburst/result.h"
#include "nnburst_demo/streamer.h"
#include "support/latency.h"

namespace nnburst::demo {

/// System calls per execution, on the two sides.
struct SystemCallRate {
    double client = 0;
    std::optional<double> driver;  ///< none if no driver takes part
};

/// The results that the demo prints. The arrays have one entry for each path, in the order of
/// kPaths.
struct Report {
    std::string model;
    std::size_t frameBytes = 0;
    std::uint64_t frames = 0;
    std::uint32_t threads = 1;  ///< as DriverOptions::threads
    std::array<tools::Latency, kPaths.size()> latency;
    Result<std::array<SystemCallRate, kPaths.size()>> systemCalls;
    std::uint64_t differingFrames = 0;  ///< with outputs that differ between paths
    std::uint64_t checksum = 0;         ///< of all outputs of the first path
};

/// Prints the report on the standard output.
void print(const Report& report);

/// The report as JSON.
[[nodiscard]] std::string jsonOf(const Report& report);

}  // namespace nnburst::demo
