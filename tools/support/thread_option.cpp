// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/thread_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "nnburst/device.h"

namespace nnburst::tools {

namespace {

/// The value that leaves the number to measurement.
constexpr const char* kAutomatic = "auto";

std::string textOf(std::uint32_t threads) {
    return threads == 0 ? kAutomatic : std::to_string(threads);
}

/// An error for CLI11 unless `text` is a number of threads; else empty.
std::string whyNotThreads(const std::string& text) {
    std::uint32_t threads = 0;
    const bool isCount = CLI::detail::lexical_cast(text, threads) && threads >= 1 &&
                         threads <= DriverOptions::kMaximumThreads;
    return isCount || text == kAutomatic ? std::string()
                                         : fmt::format("{} threads: must be 1 to {}, or {}", text,
                                                       DriverOptions::kMaximumThreads, kAutomatic);
}

}  // namespace

void addThreadOption(CLI::App& app, const std::string& names, std::uint32_t& threads) {
    app.add_option_function<std::string>(
           names,
           [&threads](const std::string& text) {
               threads = text == kAutomatic ? 0 : static_cast<std::uint32_t>(std::stoul(text));
           },
           "Threads that share the work of one operation. auto: each model is measured\n"
           "when it is prepared, which takes about a second, and has more than one if\n"
           "answers then come sooner (NNBURST_VLOG=compilation shows the figures)")
        ->type_name("N|auto")
        ->default_str(textOf(threads))
        ->check(CLI::Validator(whyNotThreads, ""));
}

std::string threadsText(std::uint32_t threads) {
    return threads == 0 ? "kernel threads by measurement"
                        : fmt::format("{} kernel thread{}", threads, threads == 1 ? "" : "s");
}

}  // namespace nnburst::tools
