// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Evaluates a profile: the time of each operation, and which library runs it. Pure functions.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nnburst_run/profile_reader.h"
#include "report/json.h"

namespace nnburst::run {

/// One step with all its runs.
struct ProfileRow {
    DescribedStep step;
    std::size_t runCount = 0;
    double medianUs = 0;
    double share = 0;  ///< of the typical time of all steps; 1 is all

    /// Of all its runs, without those that something else has disturbed.
    [[nodiscard]] double typicalUs() const noexcept {
        return medianUs * static_cast<double>(runCount);
    }
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        return step.inputBytes + step.constantBytes + step.outputBytes;
    }
    /// Arithmetic in 1e9 operations a second; 0 if it is not known.
    [[nodiscard]] double gigaOperationsPerSecond() const noexcept {
        return medianUs > 0 ? static_cast<double>(step.arithmeticCount) / medianUs * 1e-3 : 0;
    }
};

/// The rows of the steps that have run, in the order of their first run.
struct ProfileTable {
    std::vector<ProfileRow> rows;
    std::size_t executionCount = 0;
    double executionMedianUs = 0;  ///< of whole executions in the device
    std::uint64_t lostCount = 0;   ///< runs that the profile had no room for
};

[[nodiscard]] ProfileTable tableOf(const RecordedProfile& profile);

/// A part of a profile: all steps of one kernel library, or of one type.
struct ProfilePart {
    std::size_t steps = 0;
    double share = 0;
};
[[nodiscard]] std::map<std::string, ProfilePart> partsByLibrary(const ProfileTable& table);
[[nodiscard]] std::map<std::string, ProfilePart> partsByType(const ProfileTable& table);

/// For people: a line an operation, the sums by type and by library.
[[nodiscard]] std::string textOf(const ProfileTable& table);
[[nodiscard]] tools::Json jsonOf(const ProfileTable& table);

}  // namespace nnburst::run
