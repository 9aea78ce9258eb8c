// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/log_message.h"

#include "log/logger.h"

namespace nnburst {

void logMessage(LogLevel level, std::string_view message) noexcept {
    static_assert(static_cast<int>(LogLevel::TRACE) == static_cast<int>(spdlog::level::trace) &&
                  static_cast<int>(LogLevel::OFF) == static_cast<int>(spdlog::level::off));
    logger().log(static_cast<spdlog::level::level_enum>(level),
                 spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace nnburst
