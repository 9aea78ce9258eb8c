// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/thread_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>
#include <system_error>

#include "nnburst/device.h"

namespace nnburst::tools {

namespace {

/// The value that leaves the number to measurement.
constexpr const char* kAutomatic = "auto";

std::string textOf(std::uint32_t threads) {
    return threads == 0 ? kAutomatic : std::to_string(threads);
}

/// The number of threads, which is decimal; 0 if it is left to measurement.
std::optional<std::uint32_t> threadsOf(const std::string& text) {
    if (text == kAutomatic) {
        return 0;
    }
    std::uint32_t threads = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, threads);
    if (error != std::errc() || last != end || threads < 1 ||
        threads > DriverOptions::kMaximumThreads) {
        return std::nullopt;
    }
    return threads;
}

/// An error for CLI11 unless `text` is a number of threads; else empty.
std::string whyNotThreads(const std::string& text) {
    return threadsOf(text) ? std::string()
                           : fmt::format("{} threads: must be 1 to {}, or {}", text,
                                         DriverOptions::kMaximumThreads, kAutomatic);
}

}  // namespace

void addThreadOption(CLI::App& app, const std::string& names, std::uint32_t& threads) {
    app.add_option_function<std::string>(
           names,
           [&threads](const std::string& text) { threads = threadsOf(text).value_or(threads); },
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
