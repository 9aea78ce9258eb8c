// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Models that ask for much. `number` makes models of one kind differ, so that they share nothing.

#include <cstdint>

#include "nnburst/types.h"

namespace nnburst::stress {

/// x[1] through `levels` IFs, each of which has the next one in both branches: 2^levels of them if
/// somebody expands the graph. The other input is the condition of all.
[[nodiscard]] Model makeNestedBranches(std::uint32_t levels, float number);

/// WHILE inside WHILE, `levels` of them, none of which ends.
[[nodiscard]] Model makeNestedLoops(std::uint32_t levels, float number);

/// A WHILE that never ends and whose state, [n] floats, doubles in each iteration.
[[nodiscard]] Model makeDoublingLoop(float number);

/// One operation of minutes on kHugeOperationBytes for the input and for the output.
inline constexpr std::uint32_t kHugeOperationBytes = 2 << 20;
[[nodiscard]] Model makeHugeOperation(float number);

/// The same operation on a constant, which a preparation folds; the output is one such tensor plus
/// the input [1].
[[nodiscard]] Model makeHugeFolding(float number);

/// CONV_2D of 39 GMAC, with kBigConvolutionBytes for the input and for the output.
inline constexpr std::uint32_t kBigConvolutionBytes = 256 * 256 * 256 * 4;
[[nodiscard]] Model makeBigConvolution(float number);

/// out[n] = in[n] plus `count` constants of `bytes` each, in pools without contents.
[[nodiscard]] Model makeSparseConstants(std::uint32_t count, std::uint32_t bytes, float number);

/// The first byte of each of `rows` rows of `width` bytes: touches no other.
[[nodiscard]] Model makeFirstColumn(std::uint32_t rows, std::uint32_t width);

/// The first of the floats of kCopiedBytes: touches no other.
inline constexpr std::uint32_t kCopiedBytes = 64 << 20;
[[nodiscard]] Model makeFirstFloat();

/// A request for a model with one input and one output, in memory of its own.
[[nodiscard]] Request makeRequest(std::uint32_t inputBytes, std::uint32_t outputBytes);

}  // namespace nnburst::stress
