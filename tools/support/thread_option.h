// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The option of programs that says how many threads kernels have (DriverOptions::threads).

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace nnburst::tools {

/// Adds an option with `names`, such as "--threads", that takes a number or "auto", which is 0 in
/// `threads`. It outlives `app`, and is the default.
void addThreadOption(CLI::App& app, const std::string& names, std::uint32_t& threads);

/// "1 kernel thread", "2 kernel threads" or "kernel threads by measurement".
[[nodiscard]] std::string threadsText(std::uint32_t threads);

}  // namespace nnburst::tools
