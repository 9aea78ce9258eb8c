// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arithmetic on shapes of which parts may be unknown: a size of 0, or no sizes at all. Pure
/// functions; what does not fit or go together becomes unknown.

#include <cstdint>
#include <span>

#include "nnburst/types.h"

namespace nnburst::tflite {

/// All sizes are known.
[[nodiscard]] bool isKnown(const Dimensions& dimensions) noexcept;
/// The number of elements; 0 if it is unknown, or more than fits.
[[nodiscard]] std::uint32_t elementCount(std::span<const std::uint32_t> dimensions) noexcept;
/// The size of axis `axis`; 0 if it is unknown.
[[nodiscard]] std::uint32_t sizeAt(const Dimensions& dimensions, std::size_t axis) noexcept;
/// The shape of an operation on two operands of which axes of size 1 are repeated.
[[nodiscard]] Dimensions broadcastShape(const Dimensions& a, const Dimensions& b);

}  // namespace nnburst::tflite
