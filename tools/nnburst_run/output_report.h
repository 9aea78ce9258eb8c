// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Prints outputs: how far they are from golden ones, and their largest elements.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"
#include "nnburst_run/options.h"

namespace nnburst::run {

/// One output of all steps.
struct OutputContents {
    const Operand& operand;
    std::span<const std::byte> contents;   ///< of all steps, one after the other
    const std::vector<std::byte>* golden;  ///< null to compare with nothing
    std::size_t stepBytes;                 ///< of one step
};

/// Prints what `options` asks for. `images` are the names of the steps, or none. Returns false if
/// the output is out of tolerance.
[[nodiscard]] Result<bool> reportOutput(const OutputContents& output, const Options& options,
                                        std::span<const std::string> images,
                                        const std::vector<std::string>& labels);

}  // namespace nnburst::run
