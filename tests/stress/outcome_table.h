// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The table at the end of a run of the stress program, and the same as JSON.

#include <string>
#include <vector>

#include "outcome.h"

namespace nnburst::stress {

struct NamedResult {
    std::string name;
    std::string description;
    CaseResult result;
};
using NamedResults = std::vector<NamedResult>;

/// Prints to standard output: one line a case, then the reasons of all that are not SUCCESS.
void printTable(const NamedResults& results);

/// The same table for docs/robustness.md.
void printMarkdown(const NamedResults& results);

/// False, and errno, if the file cannot be written.
[[nodiscard]] bool writeJson(const NamedResults& results, const std::string& path);

}  // namespace nnburst::stress
