// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The texts of nnburst-run about outputs: how much they differ from expected ones, and their
/// largest elements. Pure functions. Contents are whole operands, one after the other if there are
/// several steps.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::run {

/// How an output differs from the golden one.
struct Comparison {
    std::size_t elements = 0;
    std::size_t differing = 0;     ///< elements that are not exactly the same
    double largestDifference = 0;  ///< of stored values: quantisation steps, if they are quantised
    std::size_t largestAt = 0;     ///< the first element with that difference
    std::size_t steps = 0;
    std::size_t stepsWithSameTop = 0;  ///< where the first largest element is the same
};

/// Compares `actual` with `golden`; both hold the same number of steps of `operand`.
/// INVALID_ARGUMENT if their sizes differ, or elements of this type cannot be compared. NaN differs
/// infinitely from everything but NaN.
[[nodiscard]] Result<Comparison> compare(const Operand& operand, std::span<const std::byte> golden,
                                         std::span<const std::byte> actual);

/// An element of an output.
struct RankedElement {
    std::size_t index = 0;
    double value = 0;  ///< the real value, also of quantised elements
};

/// The `count` largest elements (all if there are fewer) in descending order, equal ones by index.
[[nodiscard]] Result<std::vector<RankedElement>> largestElements(
    const Operand& operand, std::span<const std::byte> contents, std::size_t count);

/// What an output has in all, as real values.
struct Spread {
    std::size_t elements = 0;
    std::size_t notNumbers = 0;  ///< NaNs, which do not count for the rest
    double least = 0;
    double greatest = 0;
    double mean = 0;
};
[[nodiscard]] Result<Spread> spreadOf(const Operand& operand, std::span<const std::byte> contents);

/// The number of steps that these files have inputs for: each file holds its operand once for each
/// step. The error names the file. Requires at least one file.
struct InputFile {
    std::string path;
    std::uint64_t fileBytes = 0;
    std::uint64_t operandBytes = 0;  ///< more than 0
};
[[nodiscard]] Result<std::uint64_t> countSteps(std::span<const InputFile> files);

}  // namespace nnburst::run
