// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "log/client_log.h"

#include "log/logger.h"
#include "nnburst/log_message.h"

namespace nnburst {

void ClientLog::write(LogLevel level, const std::string& line) {
    if (!logger().should_log(static_cast<spdlog::level::level_enum>(level))) {
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    if (now - secondStart_ >= std::chrono::seconds(1)) {
        if (leftOut_ > 0) {
            logger().warn("{} lines about clients were left out: at most {} are logged in a second",
                          leftOut_, kLinesPerSecond);
        }
        secondStart_ = now;
        linesInSecond_ = 0;
        leftOut_ = 0;
    }
    if (linesInSecond_ >= kLinesPerSecond) {
        ++leftOut_;
        return;
    }
    ++linesInSecond_;
    logMessage(level, line);
}

ClientLog& clientLog() {
    static auto* const log = new ClientLog;  // never destroyed, as the logger
    return *log;
}

}  // namespace nnburst
