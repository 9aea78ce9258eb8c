// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The cases of the stress program. Each function gives the cases of one file.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "outcome.h"

namespace nnburst::stress {

struct StressCase {
    std::string name;
    std::string description;
    /// Runs for about the given time; some cases need more.
    std::function<CaseResult(std::chrono::milliseconds)> run;
};
using StressCases = std::vector<StressCase>;

/// Files that cannot be closed or do not answer; descriptors used up.
[[nodiscard]] StressCases descriptorCases();
/// Connections that end together, come and go, or hold each other.
[[nodiscard]] StressCases connectionCases();
/// Bursts that are many, that lie, or whose client never answers.
[[nodiscard]] StressCases burstCases();
/// Messages that are large, never end, or whose answers are never read.
[[nodiscard]] StressCases messageCases();
/// Memory, present or mapped.
[[nodiscard]] StressCases memoryCases();
/// Drivers that are killed and stopped, and applications that are killed with theirs. Cases that
/// kill go on until they have killed `minimumKills` times, also here below.
[[nodiscard]] StressCases driverCases(std::uint64_t minimumKills);
/// Heavy use by honest clients, and clients that are killed and stopped.
[[nodiscard]] StressCases useCases(std::uint64_t minimumKills);
/// Work without end, big models, bursts that spin.
[[nodiscard]] StressCases processorCases();

/// All of them, in the order of the table.
[[nodiscard]] inline StressCases allCases(std::uint64_t minimumKills = 0) {
    StressCases all;
    for (const StressCases& more :
         {processorCases(), memoryCases(), descriptorCases(), connectionCases(), messageCases(),
          burstCases(), useCases(minimumKills), driverCases(minimumKills)}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace nnburst::stress
