// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The check of options that are floating-point numbers.

#include <CLI/CLI.hpp>

namespace nnburst::tools {

/// Accepts numbers from `low` to `high`. CLI::Range would accept NaN, too.
[[nodiscard]] CLI::Validator isBetween(double low, double high);

}  // namespace nnburst::tools
