// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where the library's messages go: to standard error, unless the application gives a sink of its
/// own; never to standard output. A driver process logs to its own standard error, which a spawned
/// driver has from the application (DriverOptions::logLevel).
///
/// Verbose logging, by tags: what the library and a driver do, step by step, at level INFO. Off
/// until it is asked for, by the environment's NNBURST_VLOG when the program starts or by
/// `setVerboseLogging` at any time. A tag that is off costs a load and a branch.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "nnburst/export.h"

namespace nnburst {

/// How much a message matters.
enum class LogLevel : std::uint8_t { TRACE, DEBUGGING, INFO, WARNING, ERROR, CRITICAL, OFF };

/// Receives a message without a line break; `message` is valid until the sink returns. Called by
/// any thread that uses the library and by threads of the library, one call at a time. Must not
/// call the library; an exception that it throws is dropped.
using LogSink = std::function<void(LogLevel level, std::string_view message)>;

/// Sends the messages of this process to `sink`, or to standard error again if it is empty. After
/// the call returns, the previous sink is not called any more. Thread-safe.
NNBURST_EXPORT void setLogSink(LogSink sink);

/// Messages below `level` are not written; INFO if it is never called. Thread-safe.
NNBURST_EXPORT void setLogLevel(LogLevel level) noexcept;
[[nodiscard]] NNBURST_EXPORT LogLevel logLevel() noexcept;
/// "trace", "debug", "info", "warning", "error", "critical" or "off".
[[nodiscard]] NNBURST_EXPORT const char* toString(LogLevel level) noexcept;

/// What a message is about.
enum class LogTag : std::uint8_t {
    COMPILATION,   ///< preparing: chosen kernels, plans
    CPUEXE,        ///< operations that are interpreted
    DRIVER,        ///< connections and calls of a driver
    EXECUTION,     ///< executions, but not those of bursts
    MANAGER,       ///< starting and connecting to drivers
    MODEL,         ///< models that come in
    PARTITIONING,  ///< which device of a Runtime runs which operation, and why
};

/// Logs the tags in `tags`, and no others: compilation, cpuexe, driver, execution, manager, model,
/// partitioning, separated by spaces, commas or colons; "1" or "all" for all of them; empty for
/// none. Unknown ones are named in a warning. Thread-safe.
NNBURST_EXPORT void setVerboseLogging(std::string_view tags);

/// The tags that are logged, separated by spaces.
[[nodiscard]] NNBURST_EXPORT std::string verboseLogging();

namespace detail {
/// One bit for each tag.
NNBURST_EXPORT extern std::atomic<std::uint32_t> verboseTags;
}  // namespace detail

/// Whether `tag` is logged.
[[nodiscard]] inline bool isVerbose(LogTag tag) noexcept {
    return (detail::verboseTags.load(std::memory_order_relaxed) >> static_cast<unsigned>(tag) &
            1U) != 0;
}

}  // namespace nnburst
