// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Verbose logging, by tags: what the library and a driver do, step by step, to the log of spdlog.
/// Off until it is asked for, by the environment's NNBURST_VLOG when the program starts or by
/// `setVerboseLogging` at any time. What is off costs a load and a branch.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace nnburst {

/// What a message is about.
enum class LogTag : std::uint8_t {
    COMPILATION,  ///< preparing: chosen kernels, plans
    CPUEXE,       ///< operations that are interpreted
    DRIVER,       ///< connections and calls of a driver
    EXECUTION,    ///< executions, but not those of bursts
    MANAGER,      ///< starting and connecting to drivers
    MODEL,        ///< models that come in
};

/// Logs the tags in `tags`, and no others: compilation, cpuexe, driver, execution, manager, model,
/// separated by spaces, commas or colons; "1" or "all" for all of them; empty for none. Unknown
/// ones are named in a warning. Thread-safe.
void setVerboseLogging(std::string_view tags);

/// The tags that are logged, separated by spaces.
[[nodiscard]] std::string verboseLogging();

namespace detail {
/// A bit a tag.
extern std::atomic<std::uint32_t> verboseTags;
}  // namespace detail

/// Whether `tag` is logged.
[[nodiscard]] inline bool isVerbose(LogTag tag) noexcept {
    return (detail::verboseTags.load(std::memory_order_relaxed) >> static_cast<unsigned>(tag) &
            1U) != 0;
}

}  // namespace nnburst
