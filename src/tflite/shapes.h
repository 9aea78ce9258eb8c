// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arithmetic on shapes that may be unknown in part: a size of 0 is unknown, no sizes are an
/// unknown rank. Pure functions. The result is unknown where sizes do not fit each other or 32
/// bits.

#include <cstdint>
#include <span>

#include "nnburst/types.h"

namespace nnburst::tflite {

/// Whether all sizes are known.
[[nodiscard]] bool isKnown(const Dimensions& dimensions) noexcept;
/// The number of elements; 0 if it is unknown or does not fit into 32 bits.
[[nodiscard]] std::uint32_t elementCount(std::span<const std::uint32_t> dimensions) noexcept;
/// The size of axis `axis`; 0 if it is unknown.
[[nodiscard]] std::uint32_t sizeAt(const Dimensions& dimensions, std::size_t axis) noexcept;
/// The broadcast shape of two operands: axes of size 1 are repeated.
[[nodiscard]] Dimensions broadcastShape(const Dimensions& a, const Dimensions& b);

}  // namespace nnburst::tflite
