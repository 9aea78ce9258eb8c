// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The table at the end of a run of the stress program, and the same as JSON.

#include <string>
#include <utility>
#include <vector>

#include "outcome.h"

namespace nnburst::stress {

using NamedResults = std::vector<std::pair<std::string, CaseResult>>;

/// Prints to standard output: one line a case, then the reasons of all that are not SUCCESS.
void printTable(const NamedResults& results);

/// False, and errno, if the file cannot be written.
[[nodiscard]] bool writeJson(const NamedResults& results, const std::string& path);

}  // namespace nnburst::stress
