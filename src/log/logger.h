// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The logger of the library. It is not spdlog's default logger, which is the application's and
/// writes to standard output. Where its messages go and which are written: nnburst/logging.h.

#include <spdlog/logger.h>

#include <string>

namespace nnburst {

/// Thread-safe; never destroyed.
[[nodiscard]] spdlog::logger& logger() noexcept;

/// The name in messages on standard error, instead of "nnburst". Before any thread logs.
void setLogName(const std::string& name);

}  // namespace nnburst
