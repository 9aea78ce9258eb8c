// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "log/assert.h"

#include <spdlog/spdlog.h>

#include <cstdlib>

namespace nnburst {

void assertionFailed(const char* file, int line, const char* expression,
                     const std::string& details) noexcept {
    spdlog::critical("{}:{}: assertion failed: {}{}{}{}", file, line, expression,
                     details.empty() ? "" : " (", details, details.empty() ? "" : ")");
    spdlog::default_logger_raw()->flush();
    std::abort();
}

}  // namespace nnburst
