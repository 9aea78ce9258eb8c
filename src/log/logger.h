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

/// From now on messages that the reader of standard error leaves no room for are dropped: for
/// processes that must not wait for it. Changes nothing if it is a file or a terminal. Before any
/// thread logs.
void setLogNonblocking();

}  // namespace nnburst
