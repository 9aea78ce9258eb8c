// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The option for the number of kernel threads (DriverOptions::threads).

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace nnburst::tools {

/// Adds an option with `names`, such as "--threads", that takes a number or "auto", for which
/// `threads` is 0. `threads` is the default and outlives `app`.
void addThreadOption(CLI::App& app, const std::string& names, std::uint32_t& threads);

/// "1 kernel thread", "2 kernel threads" or "kernel threads by measurement".
[[nodiscard]] std::string threadsText(std::uint32_t threads);

}  // namespace nnburst::tools
