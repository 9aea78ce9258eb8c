// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "log/assert.h"

#include <cstdlib>

#include "log/logger.h"

namespace nnburst {

void assertionFailed(const char* file, int line, const char* expression,
                     const std::string& details) noexcept {
    logger().critical("{}:{}: assertion failed: {}{}{}{}", file, line, expression,
                      details.empty() ? "" : " (", details, details.empty() ? "" : ")");
    logger().flush();
    std::abort();
}

}  // namespace nnburst
