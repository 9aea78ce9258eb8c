// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/processor_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace nnburst::tools {

namespace {

/// An error for CLI11 unless `text` is the number of a processor; else empty.
std::string whyNotProcessor(const std::string& text) {
    const bool isNumber = !text.empty() && text.size() <= 9 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
    return isNumber
               ? std::string()
               : fmt::format("'{}': must be numbers with commas between them, such as 0,2", text);
}

}  // namespace

void addProcessorOption(CLI::App& app, std::vector<std::uint32_t>& processors,
                        const std::string& description) {
    app.add_option("--processors", processors, description)
        ->type_name("LIST")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Validator(whyNotProcessor, ""));
}

}  // namespace nnburst::tools
