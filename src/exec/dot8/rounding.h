// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Division and rounding of sizes.

#include <cstddef>

namespace nnburst::exec::dot8 {

[[nodiscard]] constexpr std::size_t ceilDivide(std::size_t number, std::size_t divisor) noexcept {
    return (number + divisor - 1) / divisor;
}

/// The least multiple of `factor` that is not less than `number`.
[[nodiscard]] constexpr std::size_t roundUp(std::size_t number, std::size_t factor) noexcept {
    return ceilDivide(number, factor) * factor;
}

}  // namespace nnburst::exec::dot8
