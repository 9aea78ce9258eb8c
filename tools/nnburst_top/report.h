// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The figures of a driver as a table and as JSON.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metrics_text.h"

namespace nnburst::top {

struct Client {
    std::string user;
    std::string process;
    std::string program;
    std::map<std::string, std::uint64_t> used;  ///< by resource
    std::uint64_t executions = 0;
    std::uint64_t errors = 0;
    double executionsPerSecond = 0.0;
};

/// How long something took, in seconds: the upper ends of the buckets of the histogram in which the
/// quantiles lie.
struct Durations {
    std::map<double, std::uint64_t> buckets;  ///< how many took at most so long, since the start
    std::uint64_t count = 0;                  ///< since `previous`, or since the start
    double median = 0.0;
    double p99 = 0.0;
};

struct Figures {
    std::chrono::steady_clock::time_point time;
    std::map<std::string, std::uint64_t> used;   ///< of all clients, by resource
    std::map<std::string, std::uint64_t> limit;  ///< likewise
    std::uint64_t clientCount = 0;
    std::uint64_t users = 0;
    std::optional<std::uint64_t> workers;  ///< of a driver with --isolate, which names no clients
    std::uint64_t executions = 0;
    std::uint64_t errors = 0;
    double executionsPerSecond = 0.0;
    std::map<std::uint64_t, Client> clients;  ///< by number
    std::map<std::string, Durations> waits;   ///< of jobs for a thread: "control", "execution"
    std::map<std::string, Durations> executionTimes;  ///< by user
};

/// Rates are computed against `previous`; null: they are 0.
[[nodiscard]] Figures makeFigures(const std::vector<Sample>& samples,
                                  std::chrono::steady_clock::time_point time,
                                  const Figures* previous);

[[nodiscard]] std::string toTable(const Figures& figures);
[[nodiscard]] std::string toJson(const Figures& figures);

}  // namespace nnburst::top
