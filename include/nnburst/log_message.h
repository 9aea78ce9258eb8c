// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Writes messages where those of the library go (logging.h), for what stands on the library.

#include <string_view>

#include "nnburst/export.h"
#include "nnburst/logging.h"

namespace nnburst {

/// Writes `message` unless `level` is below that of setLogLevel. Thread-safe.
NNBURST_EXPORT void logMessage(LogLevel level, std::string_view message) noexcept;

}  // namespace nnburst
