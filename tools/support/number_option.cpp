// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/number_option.h"

#include <fmt/format.h>

#include <string>

namespace nnburst::tools {

CLI::Validator isBetween(double low, double high) {
    const auto whyNot = [low, high](const std::string& text) {
        double value = 0;
        const bool isAccepted =
            CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return isAccepted ? std::string()
                          : fmt::format("{}: must be a number from {} to {}", text, low, high);
    };
    return CLI::Validator(whyNot, "");
}

}  // namespace nnburst::tools
