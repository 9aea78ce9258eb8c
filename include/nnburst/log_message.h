// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Writes messages to the log of the library (logging.h), for code that is built on the library.

#include <string_view>

#include "nnburst/export.h"
#include "nnburst/logging.h"

namespace nnburst {

/// Writes `message` unless `level` is below that of setLogLevel. Thread-safe.
NNBURST_EXPORT void logMessage(LogLevel level, std::string_view message) noexcept;

}  // namespace nnburst
