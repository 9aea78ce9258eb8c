// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The figures of a driver: fetched from its socket for metrics, and read from the text format of
/// Prometheus.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::top {

/// One line: a name, labels and a value.
struct Sample {
    std::string name;
    std::map<std::string, std::string> labels;
    std::uint64_t value = 0;
};

/// Asks a driver at `address`, the path of a Unix socket or a port of 127.0.0.1, and returns the
/// body of its answer. DEVICE_UNAVAILABLE if no driver answers there, or not all of its answer
/// comes.
[[nodiscard]] Result<std::string> fetch(const std::string& address);

/// Reads the samples; lines that are not samples are skipped.
[[nodiscard]] std::vector<Sample> parse(std::string_view text);

}  // namespace nnburst::top
