// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The option for the processors of a driver (DriverOptions::processors).

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nnburst::tools {

/// Adds the option --processors, which takes numbers with commas between them. `processors`
/// outlives `app`.
void addProcessorOption(CLI::App& app, std::vector<std::uint32_t>& processors,
                        const std::string& description);

}  // namespace nnburst::tools
