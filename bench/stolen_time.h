// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The time that the host of a virtual machine took from its processors.

#include <cstdint>
#include <span>
#include <string_view>

namespace nnburst::bench {

/// The steal time of `processors` in the contents of /proc/stat, in ticks. Missing processors and
/// columns count as 0.
[[nodiscard]] std::uint64_t stolenTicks(std::string_view procStat,
                                        std::span<const std::uint32_t> processors);

/// The steal time of `processors` since the system started, in seconds; 0 if the system does not
/// report it.
[[nodiscard]] double stolenSeconds(std::span<const std::uint32_t> processors);

}  // namespace nnburst::bench
